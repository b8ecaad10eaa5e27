//! Data to start with: six small tables that ship with the crate, and generators.
//!
//! | table | rows×columns | target |
//! |---|---|---|
//! | [`iris`] | 150×4 | three species |
//! | [`digits`] | 1797×64 | the digit, 0 to 9 |
//! | [`wine`] | 178×13 | three cultivars |
//! | [`breast_cancer`] | 569×30 | benign or malignant |
//! | [`diabetes`] | 442×10 | the progression after a year, a number |
//! | [`play_tennis`] | 14×4, categorical | whether to play |
//!
//! They are parsed from the text of `data/*.csv`, which is part of the program, in at most a few milliseconds.
//! Classes are in alphabetical order, as everywhere here.
//!
//! The generators make the shapes that scikit-learn's `make_*` functions make, from random numbers by counter: the same
//! parameters and seed give the same rows on any number of threads. Rows come in random order.
//!
//! | generator | what it makes |
//! |---|---|
//! | [`blobs`], [`Blobs`] | round clusters |
//! | [`moons`], [`circles`] | two classes that no line parts |
//! | [`rectangle`] | a rectangle in the unit square, for decision regions |
//! | [`Classification`] | classes on the corners of a cube, with redundant and useless columns |
//! | [`Regression`] | numbers that are linear in some of the columns |
//! | [`notes`] | the data of the lecture notes |
//!
//! ```
//! use gristmill::datasets;
//! let iris = datasets::iris()?;
//! assert_eq!((iris.x.rows(), iris.x.columns()), (150, 4));
//! assert_eq!(iris.labels()?.names(), ["setosa", "versicolor", "virginica"]);
//! let blobs = datasets::blobs(300, 2, 3, 42)?;
//! assert_eq!(blobs.labels()?.counts(), [100, 100, 100]);
//! # Ok::<(), gristmill::Error>(())
//! ```

mod blobs;
mod classics;
mod classification;
mod generate;
pub mod notes;
mod regression;
mod shapes;

pub use blobs::{Blobs, blobs};
pub use classics::{breast_cancer, diabetes, digits, iris, play_tennis, wine};
pub use classification::Classification;
pub use regression::Regression;
pub use shapes::{circles, moons, rectangle};
