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
//! let x = iris.x.to(&device)?; // the one big copy; the fit runs where the rows live
//! let clusters = KMeans::new(3).n_init(10).fit(&x)?;
//! assert!((clusters.inertia() - 78.8514).abs() < 1e-4);
//! let model = KNeighborsClassifier::new(5).fit(&x, iris.labels()?)?;
//! println!("{}", metrics::classification_report(iris.labels()?, &model.predict(&x)?)?);
//! # Ok::<(), gristmill::Error>(())
//! ```
//!
//! # The crate, from the top down
//!
//! | module | what is in it |
//! |---|---|
//! | [`cluster`] | k-means, whole and by mini-batches |
//! | [`linear`] | least squares, plain and with a penalty |
//! | [`neighbors`] | nearest neighbours, classes and numbers by vote, local outliers |
//! | [`tree`], [`ensemble`] | decision trees; forests, gradient boosting, voting, bagging, stacking |
//! | [`baseline`] | what can be predicted without looking at the rows |
//! | [`estimator`] | what they share: rows, options of a fit, observers, traits of models |
//! | [`pipeline`], [`registry`] | transformers and a model as one; every model by its name |
//! | [`data`], [`datasets`] | tables read from files, with their targets; known and generated ones |
//! | [`preprocessing`] | scaling, encoding, basis functions, imputing |
//! | [`splits`], [`selection`] | rows for training and test, folds; cross-validation, grid search, curves |
//! | [`metrics`], [`plot`] | how good it is; pictures |
//! | [`model_file`] | model files: a checked container that is written atomically |
//! | [`losses`] | value, gradient and curvature of losses |
//! | [`linalg`] | factorisations and solves of small systems on the host, in f64 |
//! | [`ops`] | checked functions on device arrays; the only place that chooses between CPU and GPU |
//! | [`kernel`], [`device`] | what a kernel is, where it runs, and the stream that carries work there |
//! | [`mod@array`] | [`Matrix`] and [`SparseMatrix`] on the host, [`DeviceMatrix`] and [`DeviceVec`] on a device |
//!
//! Nothing points upward: `cpu` and the modules below know nothing of `ops`.
//!
//! # What holds everywhere
//!
//! - The same device and seed give the same bits, for any number of threads, chunk size and memory budget.
//! - NaN means missing and is refused, with its row and column, by whatever does not accept it; infinity always is.
//! - Every failure is an [`Error`] that says what to do; a result comes back only with the proof that its kernels ran.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod array;
pub mod baseline;
pub mod cluster;
#[doc(hidden)]
pub mod cpu;
pub mod data;
pub mod datasets;
pub mod device;
mod distance;
pub mod ensemble;
mod error;
pub mod estimator;
pub mod kernel;
pub mod linalg;
pub mod linear;
pub mod losses;
pub mod metrics;
pub mod model_file;
pub mod neighbors;
pub mod ops;
pub mod pipeline;
pub mod plot;
pub mod preprocessing;
pub mod registry;
pub mod selection;
mod solvers;
pub mod splits;
pub mod tree;

pub use array::{DeviceMatrix, DeviceVec, Matrix, SparseMatrix};
pub use data::{Dataset, Labels, Target};
pub use device::{Device, DeviceInfo, DeviceKind, DeviceOptions, Limits, Profile, Stream, Variant};
pub use distance::Metric;
pub use error::{Error, Result};
pub use estimator::{AnyEstimator, AnyModel};

/// What most programs need.
pub mod prelude {
    pub use crate::cluster::{Init, KMeans, KMeansModel, MiniBatchKMeans, MiniBatchKMeansModel};
    pub use crate::ensemble::{
        ExtraTreesClassifier, ExtraTreesClassifierModel, ExtraTreesRegressor, ExtraTreesRegressorModel,
    };
    pub use crate::ensemble::{
        GradientBoostingClassifier, GradientBoostingClassifierModel, GradientBoostingRegressor,
        GradientBoostingRegressorModel,
    };
    pub use crate::ensemble::{
        RandomForestClassifier, RandomForestClassifierModel, RandomForestRegressor, RandomForestRegressorModel,
    };
    pub use crate::estimator::{
        AnyEstimator, AnyModel, Decision, Fit, Predict, PredictProba, Progress, Score, ScoreSamples, Transform,
    };
    pub use crate::linear::{LinearRegression, LinearRegressionModel, Ridge, RidgeModel};
    pub use crate::model_file::Persist;
    pub use crate::neighbors::{
        KNeighborsClassifier, KNeighborsClassifierModel, KNeighborsRegressor, KNeighborsRegressorModel,
    };
    pub use crate::neighbors::{LocalOutlierFactor, LocalOutlierFactorModel, NearestNeighbors, NearestNeighborsModel};
    pub use crate::pipeline::{Pipeline, PipelineModel};
    pub use crate::tree::{
        DecisionTreeClassifier, DecisionTreeClassifierModel, DecisionTreeRegressor, DecisionTreeRegressorModel,
    };
    pub use crate::{Dataset, Labels, Metric, Target, datasets, metrics};
    pub use crate::{
        Device, DeviceMatrix, DeviceOptions, DeviceVec, Error, Limits, Matrix, Result, SparseMatrix, Stream,
    };
}

/// The README's example is compiled and run with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
