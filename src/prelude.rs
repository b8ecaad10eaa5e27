//! What most programs need: `use gristmill::prelude::*`.
//!
//! # Five programs
//!
//! Classes from a file, with weights, validation rows and progress; the model saved and loaded:
//!
//! ```
//! use gristmill::prelude::*;
//! fn main() -> gristmill::Result<()> {
//!     let data = Dataset::read("data/digits.csv")?.with_target("digit")?; // x: Matrix; target: Labels or numbers
//!     let (train, test) = data.split(0.8, 42)?; // share, seed; stratified for classes
//!     let (x, y) = (&train.x, train.labels()?); // numbers: train.values()? -> &Matrix, n×p
//!
//!     let boosting = GradientBoostingClassifier::default().n_estimators(5).max_leaf_nodes(31).seed(42);
//!     let model = boosting.fit(x, y)?; // a host Matrix: on the CPU
//!
//!     let device = Device::Cpu; // or Device::auto()?: GRISTMILL_DEVICE decides if set
//!     let on_device = boosting.fit(&x.to(&device)?, y)?; // runs where x lives
//!     assert_eq!(model.to_bytes()?, on_device.to_bytes()?); // trees: the same bits everywhere
//!
//!     let weights = vec![1.0_f32; x.rows()];
//!     let options = Fit::default().sample_weight(&weights).validation(&test.x, test.labels()?);
//!     let weighted = boosting.fit_with(x, y, options.observer(&mut Progress::stderr()))?;
//!     println!("{} rounds, converged: {}", weighted.iterations(), weighted.converged());
//!
//!     let predicted: Labels = model.predict(&test.x)?; // codes with class names
//!     let probabilities: Matrix = model.predict_proba(&test.x)?; // n×k, one column a class
//!     println!("{}\n{probabilities}", metrics::classification_report(test.labels()?, &predicted)?);
//!
//!     # let path = std::env::temp_dir().join(format!("gristmill-digits-{}.gm", std::process::id()));
//!     # let path = path.to_str().unwrap();
//!     # /*
//!     let path = "digits.gm";
//!     # */
//!     model.save(path)?;
//!     let again = GradientBoostingClassifierModel::load(path)?; // AnyModel::load: any kind
//!     assert_eq!(again.predict(&test.x.to(&device)?)?, predicted);
//!     println!("inertia {}", KMeans::new(10).seed(42).fit(x)?.inertia()); // no target
//!     # std::fs::remove_file(path).unwrap();
//!     Ok(())
//! }
//! ```
//!
//! Numbers from a table with text and missing cells, prepared and predicted as one; the new table has its columns in
//! another order:
//!
//! ```
//! use gristmill::prelude::*;
//! fn main() -> gristmill::Result<()> {
//!     let options = ReadOptions::default().missing(Missing::Keep);
//!     let flats = b"rooms,town,size,rent\n2,Ulm,55,610\n3,Bern,,1450\n1,Ulm,31,390\n4,Bern,96,1900\n3,Ulm,74,820\n";
//!     let train = Dataset::parse("flats.csv", flats, &options)?.with_target("rent")?;
//!     let model = Pipeline::new(Ridge::new(1.0))
//!         .step(SimpleImputer::default())
//!         .step(OneHotEncoder::default())
//!         .step(StandardScaler::default())
//!         .fit(&train)?;
//!     let new = Dataset::parse("new.csv", b"town,size,rooms\nBern,60,2\nUlm,60,2\n", &options)?;
//!     let rents = model.predict(&new)?;
//!     assert!(rents.numbers()?.get(0, 0) > rents.numbers()?.get(1, 0));
//!     println!("R² {:.3}", model.score(&train, &train.target)?);
//!     Ok(())
//! }
//! ```
//!
//! The best of several parameters by cross-validation:
//!
//! ```
//! use gristmill::prelude::*;
//! fn main() -> gristmill::Result<()> {
//!     let (train, test) = datasets::wine()?.split(0.7, 7)?;
//!     let pipeline = Pipeline::new(KNeighborsClassifier::default()).step(StandardScaler::default());
//!     let search = GridSearch::new(pipeline).parameter("n_neighbors", [1, 5, 9]).parameter("weights", ["uniform"]);
//!     let found = search.fit(&train, &Folds::stratified(5).seed(1))?;
//!     println!("{}", found.best()); // parameters, mean and deviation of the score
//!     assert!(found.model.score(&test, &test.target)? > 0.9);
//!     Ok(())
//! }
//! ```
//!
//! Numbers of one's own, without a file:
//!
//! ```
//! use gristmill::prelude::*;
//! fn main() -> gristmill::Result<()> {
//!     let x = Matrix::from_rows(&[[0.0, 1.0], [1.0, 1.0], [2.0, 0.0], [3.0, 0.5]])?.with_names(["hours", "rain"])?;
//!     let y = [1.0, 2.9, 5.2, 7.1];
//!     let model = LinearRegression::default().fit(&x, &y)?;
//!     let predicted = model.predict(&Matrix::from_rows(&[[4.0, 0.0]])?)?;
//!     assert!((predicted.get(0, 0) - 9.2).abs() < 0.2);
//!     println!("{x}\nerror {:.3}", metrics::root_mean_squared_error(&y, &model.predict(&x)?.column(0))?);
//!     Ok(())
//! }
//! ```
//!
//! A model chosen by its name, and what it found important:
//!
//! ```
//! use gristmill::prelude::*;
//! fn main() -> gristmill::Result<()> {
//!     let data = datasets::iris()?;
//!     let forest = registry::find("random-forest-classifier")?.estimator().set("n_estimators", 20.into())?;
//!     let model = forest.fit(&data, &data.target, Fit::default())?;
//!     let importances = model.report().array("importances").map(|found| found.values.clone()).unwrap_or_default();
//!     for (name, share) in data.names().unwrap_or_default().iter().zip(importances) {
//!         println!("{name}: {:.1} %", 100.0 * share);
//!     }
//!     assert!(model.score(&data, &data.target)? > 0.95);
//!     assert_eq!(model.predict(&data)?.classes()?.len(), 150);
//!     Ok(())
//! }
//! ```

pub use crate::baseline::{DummyClassifier, DummyClassifierModel, DummyRegressor, DummyRegressorModel};
pub use crate::bayes::{
    BayesClassifier, BayesClassifierModel, BernoulliNaiveBayes, BernoulliNaiveBayesModel, GaussianNaiveBayes,
    GaussianNaiveBayesModel, MultinomialNaiveBayes, MultinomialNaiveBayesModel,
};
pub use crate::cluster::{Init, KMeans, KMeansModel, MiniBatchKMeans, MiniBatchKMeansModel};
pub use crate::data::{ClassWeight, Header, Missing, ReadOptions};
pub use crate::decomposition::{
    DictionaryLearning, DictionaryLearningModel, FastIca, FastIcaModel, KSvd, KSvdModel, Nmf, NmfModel, Pca, PcaModel,
    SelfOrganizingMap, SelfOrganizingMapModel, SparseCoder, SparseCoderModel, TruncatedSvd, TruncatedSvdModel,
};
pub use crate::ensemble::{
    AdaBoostClassifier, AdaBoostClassifierModel, AdaBoostRegressor, AdaBoostRegressorModel, BaggingClassifier,
    BaggingClassifierModel, BaggingRegressor, BaggingRegressorModel, Calibrated, CalibratedModel, ExtraTreesClassifier,
    ExtraTreesClassifierModel, ExtraTreesRegressor, ExtraTreesRegressorModel, GradientBoostingClassifier,
    GradientBoostingClassifierModel, GradientBoostingRegressor, GradientBoostingRegressorModel, RandomForestClassifier,
    RandomForestClassifierModel, RandomForestRegressor, RandomForestRegressorModel, StackingClassifier,
    StackingClassifierModel, StackingRegressor, StackingRegressorModel, VotingClassifier, VotingClassifierModel,
    VotingRegressor, VotingRegressorModel,
};
pub use crate::estimator::{
    AnyEstimator, AnyModel, Decision, Fit, Flow, Observer, Predict, PredictProba, Prediction, Progress, Report, Score,
    ScoreSamples, Transform,
};
pub use crate::kernel_methods::{
    Falkon, FalkonModel, Kernel, KernelKMeans, KernelKMeansModel, KernelPca, KernelPcaModel, KernelPerceptron,
    KernelPerceptronModel, KernelRidge, KernelRidgeCv, KernelRidgeCvModel, KernelRidgeModel, Nystroem, NystroemModel,
    RandomFourierFeatures, RandomFourierFeaturesModel,
};
pub use crate::linear::{
    BayesianLinearRegression, BayesianLinearRegressionModel, BridgeRegressor, BridgeRegressorModel, ElasticNet,
    ElasticNetCv, ElasticNetCvModel, ElasticNetModel, GammaRegressor, GammaRegressorModel, HuberRegressor,
    HuberRegressorModel, Lasso, LassoCv, LassoCvModel, LassoModel, LinearDiscriminantAnalysis,
    LinearDiscriminantAnalysisModel, LinearRegression, LinearRegressionModel, LinearSvc, LinearSvcModel, LinearSvr,
    LinearSvrModel, LogisticRegression, LogisticRegressionModel, MixedErrorRegressor, MixedErrorRegressorModel,
    Perceptron, PerceptronModel, PoissonRegressor, PoissonRegressorModel, QuadraticDiscriminantAnalysis,
    QuadraticDiscriminantAnalysisModel, QuantileRegressor, QuantileRegressorModel, Ridge, RidgeCv, RidgeCvModel,
    RidgeModel, SgdClassifier, SgdClassifierModel, SgdLoss, SgdRegressor, SgdRegressorModel,
};
pub use crate::metric_learning::{
    ContrastiveMetric, ContrastiveMetricModel, Lmnn, LmnnModel, NeighborhoodComponents, NeighborhoodComponentsModel,
};
pub use crate::metrics::{Average, ConfusionMatrix};
pub use crate::mixture::{
    GaussianDensity, GaussianDensityModel, GaussianMixture, GaussianMixtureModel, KernelDensity, KernelDensityModel,
};
pub use crate::model_file::Persist;
pub use crate::neighbors::{
    KNeighborsClassifier, KNeighborsClassifierModel, KNeighborsRegressor, KNeighborsRegressorModel, LocalOutlierFactor,
    LocalOutlierFactorModel, NearestNeighbors, NearestNeighborsModel, Weights,
};
pub use crate::pipeline::{Pipeline, PipelineModel};
pub use crate::preprocessing::{
    ColumnSelector, FunctionTransformer, GaussianBasis, ImputeStrategy, KBinsDiscretizer, LabelEncoder, MinMaxScaler,
    Normalizer, OneHotEncoder, OrdinalEncoder, PolynomialFeatures, QuantileTransformer, RobustScaler, SimpleImputer,
    SineBasis, StandardScaler, TargetEncoder, UnknownCategory, VarianceThreshold,
};
pub use crate::selection::{
    CrossValidateOptions, Folds, GridSearch, HalvingSearch, ParameterRange, RandomSearch, Scoring, cross_validate,
    cross_validate_with, learning_curve, permutation_importance, validation_curve,
};
pub use crate::svm::{
    MultipleKernelLearning, MultipleKernelLearningModel, NuSvc, NuSvcModel, NuSvr, NuSvrModel, OneClassSvm,
    OneClassSvmModel, Svc, SvcModel, Svr, SvrModel,
};
pub use crate::tree::{
    DecisionTreeClassifier, DecisionTreeClassifierModel, DecisionTreeRegressor, DecisionTreeRegressorModel,
};
pub use crate::{
    Dataset, Device, DeviceMatrix, DeviceOptions, DeviceVec, Error, Labels, Limits, Matrix, Metric, Result,
    SparseMatrix, Stream, Target, datasets, metrics, registry,
};
