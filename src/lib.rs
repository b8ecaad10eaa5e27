//! Classical machine learning on any GPU, called from Rust.
//!
//! Hand-written WGSL compute shaders run on Vulkan, Metal and DX12 through wgpu; every kernel has a CPU twin that gives
//! the same result within rounding, so the same program runs on a machine without a GPU.
//!
//! ```
//! use gristmill::prelude::*;
//!
//! let device = Device::Cpu; // or Device::auto()?: a hardware GPU if there is one, GRISTMILL_DEVICE if it is set
//! let iris = datasets::iris()?;
//! let x = iris.x.to(&device)?; // copies the rows to the device; models run where their rows are
//! let clusters = KMeans::new(3).n_init(10).fit(&x)?;
//! assert!((clusters.inertia() - 78.8514).abs() < 1e-4);
//! let model = KNeighborsClassifier::new(5).fit(&x, iris.labels()?)?;
//! println!("{}", metrics::classification_report(iris.labels()?, &model.predict(&x)?)?);
//! # Ok::<(), gristmill::Error>(())
//! ```
//!
//! An estimator is a struct of parameters: `KMeans::new(3)` sets the one that stands out, where there is one
//! (else `default()`), setters such as `.n_init(10)` the others. Its `fit` returns a model, which predicts or transforms rows and can be saved. The methods of models
//! are those of traits in the prelude ([`estimator::Predict`], [`estimator::PredictProba`], [`estimator::Transform`],
//! …). Rows are a [`Matrix`] on the host, a [`DeviceMatrix`], or for some models a [`SparseMatrix`].
//!
//! # Modules
//!
//! | module | what is in it |
//! |---|---|
//! | [`cluster`] | k-means and mini-batch k-means |
//! | [`linear`] | regression and classification by planes: least squares, ridge, lasso, logistic, linear SVM, SGD, discriminants |
//! | [`kernel_methods`], [`svm`] | kernels, kernel ridge and feature maps; support vector machines |
//! | [`mixture`], [`decomposition`] | densities and mixtures of Gaussians; principal components, singular vectors |
//! | [`bayes`], [`metric_learning`] | Bayes' rule with any density, naive Bayes; metrics learnt for nearest neighbours |
//! | [`mixture`], [`decomposition`] | densities and mixtures of Gaussians; principal and independent components, dictionaries, parts, maps |
//! | [`neighbors`] | nearest neighbours, classification and regression by them, local outlier factor |
//! | [`neural`] | networks: layers, learning by batches, classification and regression |
//! | [`tree`], [`ensemble`] | decision trees; forests, gradient boosting, AdaBoost, voting, bagging, stacking |
//! | [`baseline`] | models that ignore the features: what others have to beat |
//! | [`lecture`] | the small learners of a first lecture |
//! | [`preprocessing`] | scaling, encoding, basis functions, imputing |
//! | [`pipeline`], [`registry`] | transformers and a model as one; every estimator by its name |
//! | [`data`], [`datasets`] | tables and their targets, read from files; known and generated ones |
//! | [`splits`], [`selection`] | training and test rows, folds; cross-validation, grid search, curves |
//! | [`sequence`] | Markov chains, n-gram language models, hidden Markov models |
//! | [`decision`] | Markov decision processes, learning by trial, environments |
//! | [`theory`] | bounds on the error of a model, VC dimensions, limits of learning |
//! | [`metrics`], [`plot`] | scores; pictures in SVG and PNG |
//! | [`estimator`] | what all estimators share: rows, options of a fit, observers, traits of models |
//! | [`model_file`] | model files: a checked container that is written atomically |
//! | [`losses`] | value, gradient and curvature of losses |
//! | [`linalg`] | factorisations and solves of small systems on the host, in f64 |
//! | [`ops`] | checked functions on device arrays; the only place that chooses between CPU and GPU |
//! | [`placement`], [`cost`], [`doctor`] | which device work goes to, and what it is expected to take there; checks of a device |
//! | [`kernel`], [`device`] | what a kernel is; devices, and streams of work for them |
//! | [`mod@array`] | [`Matrix`] and [`SparseMatrix`] on the host, [`DeviceMatrix`] and [`DeviceVec`] on a device |
//!
//! Matrices of [`nalgebra`] and values of [`serde_json`] are in some signatures; both crates are re-exported.
//!
//! # What holds everywhere
//!
//! - The same device and seed give the same bits, for any number of threads, chunk size and memory budget.
//! - NaN means missing: what does not accept missing values refuses it, with its row and column. Infinity is refused.
//! - Warnings go to the `log` crate: a program without a logger, such as `env_logger`, does not see them. What a fit warns of
//!   is in its report too: `converged()`, iterations.
//! - Every failure is an [`Error`] that says what to do. A result from a GPU is returned only with proof that its
//!   kernels ran.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod array;
pub mod baseline;
pub mod bayes;
mod clock;
pub mod cluster;
pub mod cost;
#[doc(hidden)]
pub mod cpu;
pub mod data;
pub mod datasets;
pub mod decision;
pub mod decomposition;
pub mod device;
mod distance;
pub mod doctor;
pub mod ensemble;
mod error;
pub mod estimator;
pub mod kernel;
pub mod kernel_methods;
pub mod lecture;
pub mod linalg;
pub mod linear;
pub mod losses;
pub mod metric_learning;
pub mod metrics;
pub mod mixture;
pub mod model_file;
pub mod neighbors;
pub mod neural;
pub mod ops;
pub mod pipeline;
pub mod placement;
pub mod plot;
pub mod prelude;
pub mod preprocessing;
pub mod registry;
pub mod selection;
pub mod sequence;
mod settings;
pub mod simd;
pub mod solvers;
pub mod splits;
pub mod svm;
pub mod theory;
pub mod tree;

pub use nalgebra;
pub use serde_json;

pub use array::{DeviceMatrix, DeviceVec, Matrix, PendingVec, SparseMatrix};
pub use data::{Dataset, Labels, Target};
pub use device::{Device, DeviceInfo, DeviceKind, DeviceOptions, Limits, Profile, Stream};
pub use distance::Metric;
pub use error::{Error, Result};
pub use estimator::{AnyEstimator, AnyModel};

/// The README's example is compiled and run with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
