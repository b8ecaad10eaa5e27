//! Pictures as SVG or PNG: scatter plots, lines, decision regions, bars, heat maps, trees of boxes, graphs of states, alone or side by side.
//!
//! Nothing here knows a model. A model that has pictures of its own draws them in its own module.
//!
//! The writers are our own and need no library; the fonts of SVG are the viewer's, those of PNG strokes of our own. The
//! same calls give the same bytes. Colours are those of Okabe and Ito, which colour-blind readers can tell apart, and classes also
//! differ in the shape of their marks. Points that are missing, infinite or beyond 10¹⁰⁰ are left out.
//!
//! ```
//! use gristmill::{datasets, plot::{Figure, Grid, Panels}};
//! let data = datasets::rectangle(50, 0)?;
//! // A grid over the data; a model would predict its points. Here a formula does.
//! let grid = Grid::new((0.0, 1.0), (0.0, 1.0), 50, 50)?;
//! let inside = |x: f32, y: f32| u32::from(x > 0.0 && x < 0.8 && y > 0.2 && y < 0.8);
//! let codes: Vec<u32> = grid.points()?.as_slice().chunks(2).map(|point| inside(point[0], point[1])).collect();
//! let regions = Figure::new().title("The rectangle").regions(&grid, &codes)?;
//! let regions = regions.scatter_classes(&data.x, [0, 1], data.labels()?)?;
//! let curve = Figure::new().title("A curve").line("x²", (0..=20).map(|x| (x as f64, (x * x) as f64)));
//! let svg = Panels::new(2)?.figure(regions).figure(curve).to_svg();
//! assert!(svg.starts_with("<svg") && svg.contains("The rectangle"));
//! # Ok::<(), gristmill::Error>(())
//! ```

mod chart;
mod colour;
mod contour;
mod diagram;
mod figure;
mod fits;
mod grid;
mod layer;
mod marker;
mod network;
mod panels;
mod pictures;
mod plane;
mod policy;
mod raster;
mod regions;
mod scale;
mod shapley;
mod svg;

pub use diagram::{DiagramNode, NodeColour};
pub use figure::Figure;
pub use fits::{clusters, fitted_curve, importances, outliers, predicted_against_target, residuals, rounds};
pub use grid::{Grid, points};
pub use panels::Panels;
pub use pictures::{confusion_matrix, ranking, roc_curve};
pub use plane::Plane;
pub use policy::grid_policy;
pub use regions::{decision_regions, predicted_rows, staged_regions};
pub(crate) use scale::short as short_number;
pub use shapley::shapley_summary;
pub(crate) use svg::shortened;
