//! Every estimator by its name, transformers too, for the command line, pipelines, grid search and ensembles.
//!
//! A new estimator gets one line in [`entries`]; `docs/estimators.md` in the repository walks through adding one.
//!
//! ```
//! use gristmill::prelude::*;
//! use gristmill::registry;
//! let iris = datasets::iris()?;
//! let estimator = registry::find("kneighbors-classifier")?.estimator().set("n_neighbors", 3.into())?;
//! let model = estimator.fit(&iris.x, &iris.target, Fit::default())?;
//! let again = AnyModel::from_bytes(&model.to_bytes()?)?;
//! assert_eq!(again.predict(&iris.x)?, model.predict(&iris.x)?);
//! # Ok::<(), gristmill::Error>(())
//! ```

mod by_name;

pub use crate::estimator::{parse_setting, parse_value};

use crate::data::nearest_name;
use crate::error::{Error, Result};
use crate::estimator::{AnyEstimator, AnyModel, Estimator, Parameter, Task};
use crate::model_file::{Container, Persist};
use crate::{
    baseline, bayes, cluster, decomposition, ensemble, kernel_methods, lecture, linear, metric_learning, mixture,
    neighbors, neural, pipeline, preprocessing, svm, tree,
};

/// An estimator of the registry.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Its name: `kneighbors-classifier`.
    pub name: &'static str,
    /// Its task.
    pub task: Task,
    /// One line on what it does.
    pub about: &'static str,
    /// Every parameter with its help.
    pub parameters: &'static [Parameter],
    make: fn() -> AnyEstimator,
    restore: fn(Container) -> Result<AnyModel>,
}

/// Every estimator, in the order of the documentation; pipelines are not listed.
#[doc(alias = "all_estimators")]
pub fn entries() -> &'static [Entry] {
    const ENTRIES: &[Entry] = &[
        Entry::of::<cluster::KMeans>(),
        Entry::of::<cluster::MiniBatchKMeans>(),
        Entry::of::<cluster::BisectingKMeans>(),
        Entry::of::<kernel_methods::KernelKMeans>(),
        Entry::of::<neighbors::KNeighborsClassifier>(),
        Entry::of::<neighbors::KNeighborsRegressor>(),
        Entry::of::<neighbors::LocalOutlierFactor>(),
        Entry::of::<linear::LinearRegression>(),
        Entry::of::<linear::Ridge>(),
        Entry::of::<linear::RidgeCv>(),
        Entry::of::<linear::Lasso>(),
        Entry::of::<linear::LassoCv>(),
        Entry::of::<linear::ElasticNet>(),
        Entry::of::<linear::ElasticNetCv>(),
        Entry::of::<linear::BridgeRegressor>(),
        Entry::of::<linear::HuberRegressor>(),
        Entry::of::<linear::QuantileRegressor>(),
        Entry::of::<linear::MixedErrorRegressor>(),
        Entry::of::<linear::PoissonRegressor>(),
        Entry::of::<linear::GammaRegressor>(),
        Entry::of::<linear::BayesianLinearRegression>(),
        Entry::of::<linear::LogisticRegression>(),
        Entry::of::<linear::SgdClassifier>(),
        Entry::of::<linear::SgdRegressor>(),
        Entry::of::<linear::Perceptron>(),
        Entry::of::<linear::LinearSvc>(),
        Entry::of::<linear::LinearSvr>(),
        Entry::of::<linear::LeastSquaresClassifier>(),
        Entry::of::<linear::LinearDiscriminantAnalysis>(),
        Entry::of::<linear::QuadraticDiscriminantAnalysis>(),
        Entry::of::<kernel_methods::KernelRidge>(),
        Entry::of::<kernel_methods::KernelRidgeCv>(),
        Entry::of::<kernel_methods::Falkon>(),
        Entry::of::<kernel_methods::KernelPerceptron>(),
        Entry::of::<svm::Svc>(),
        Entry::of::<svm::NuSvc>(),
        Entry::of::<svm::Svr>(),
        Entry::of::<svm::NuSvr>(),
        Entry::of::<svm::MultipleKernelLearning>(),
        Entry::of::<svm::OneClassSvm>(),
        Entry::of::<tree::DecisionTreeClassifier>(),
        Entry::of::<tree::DecisionTreeRegressor>(),
        Entry::of::<tree::Id3Classifier>(),
        Entry::of::<ensemble::RandomForestClassifier>(),
        Entry::of::<ensemble::RandomForestRegressor>(),
        Entry::of::<ensemble::ExtraTreesClassifier>(),
        Entry::of::<ensemble::ExtraTreesRegressor>(),
        Entry::of::<ensemble::GradientBoostingClassifier>(),
        Entry::of::<ensemble::GradientBoostingRegressor>(),
        Entry::of::<ensemble::AdaBoostClassifier>(),
        Entry::of::<ensemble::AdaBoostRegressor>(),
        Entry::of::<ensemble::BaggingClassifier>(),
        Entry::of::<ensemble::BaggingRegressor>(),
        Entry::of::<ensemble::VotingClassifier>(),
        Entry::of::<ensemble::VotingRegressor>(),
        Entry::of::<ensemble::StackingClassifier>(),
        Entry::of::<ensemble::StackingRegressor>(),
        Entry::of::<ensemble::Calibrated>(),
        Entry::of::<ensemble::OneVsRest>(),
        Entry::of::<ensemble::OneVsOne>(),
        Entry::of::<ensemble::OutputCodes>(),
        Entry::of::<ensemble::NestedDichotomies>(),
        Entry::of::<neural::ConvClassifier>(),
        Entry::of::<neural::MlpClassifier>(),
        Entry::of::<neural::MlpRegressor>(),
        Entry::of::<neural::Autoencoder>(),
        Entry::of::<neural::VariationalAutoencoder>(),
        Entry::of::<mixture::GaussianMixture>(),
        Entry::of::<mixture::GaussianDensity>(),
        Entry::of::<mixture::KernelDensity>(),
        Entry::of::<mixture::NeighborDensity>(),
        Entry::of::<bayes::BayesClassifier>(),
        Entry::of::<bayes::GaussianNaiveBayes>(),
        Entry::of::<bayes::MultinomialNaiveBayes>(),
        Entry::of::<bayes::BernoulliNaiveBayes>(),
        Entry::of::<baseline::DummyClassifier>(),
        Entry::of::<baseline::DummyRegressor>(),
        Entry::of::<lecture::Memoriser>(),
        Entry::of::<lecture::RandomCircles>(),
        Entry::of::<lecture::ShapeClassifier>(),
        Entry::of::<lecture::QuantisedRegressor>(),
        Entry::of::<neighbors::NearestNeighbors>(),
        Entry::of::<preprocessing::SimpleImputer>(),
        Entry::of::<preprocessing::OneHotEncoder>(),
        Entry::of::<preprocessing::StandardScaler>(),
        Entry::of::<preprocessing::MinMaxScaler>(),
        Entry::of::<preprocessing::RobustScaler>(),
        Entry::of::<preprocessing::Normalizer>(),
        Entry::of::<preprocessing::KBinsDiscretizer>(),
        Entry::of::<preprocessing::PolynomialFeatures>(),
        Entry::of::<preprocessing::SineBasis>(),
        Entry::of::<preprocessing::GaussianBasis>(),
        Entry::of::<preprocessing::TargetEncoder>(),
        Entry::of::<preprocessing::QuantileTransformer>(),
        Entry::of::<preprocessing::OrdinalEncoder>(),
        Entry::of::<preprocessing::FunctionTransformer>(),
        Entry::of::<preprocessing::ColumnSelector>(),
        Entry::of::<preprocessing::VarianceThreshold>(),
        Entry::of::<kernel_methods::Nystroem>(),
        Entry::of::<kernel_methods::RandomFourierFeatures>(),
        Entry::of::<kernel_methods::KernelPca>(),
        Entry::of::<decomposition::Pca>(),
        Entry::of::<decomposition::TruncatedSvd>(),
        Entry::of::<decomposition::FastIca>(),
        Entry::of::<decomposition::Nmf>(),
        Entry::of::<decomposition::DictionaryLearning>(),
        Entry::of::<decomposition::KSvd>(),
        Entry::of::<decomposition::SparseCoder>(),
        Entry::of::<decomposition::SelfOrganizingMap>(),
        Entry::of::<metric_learning::Lmnn>(),
        Entry::of::<metric_learning::ContrastiveMetric>(),
        Entry::of::<metric_learning::NeighborhoodComponents>(),
    ];
    ENTRIES
}

/// Pipelines: files and lists of estimators may hold them too.
static PIPELINE: Entry = Entry::of::<pipeline::Pipeline>();

/// Up to so many names that contain a wrong one, such as `random-forest`, are suggested.
const MOST_MEANT: usize = 6;

/// Short names that people know: of two kinds, the classifier has the name alone.
const ALIASES: &[(&str, &str)] = &[
    ("knn", "kneighbors-classifier"),
    ("knn-classifier", "kneighbors-classifier"),
    ("knn-regressor", "kneighbors-regressor"),
    ("rf", "random-forest-classifier"),
    ("rf-classifier", "random-forest-classifier"),
    ("rf-regressor", "random-forest-regressor"),
    ("gbm", "gradient-boosting-classifier"),
    ("gbm-classifier", "gradient-boosting-classifier"),
    ("gbm-regressor", "gradient-boosting-regressor"),
    ("tree", "decision-tree-classifier"),
    ("tree-regressor", "decision-tree-regressor"),
    ("lof", "local-outlier-factor"),
    ("svm", "svc"),
    ("ols", "linear-regression"),
];

/// The estimator of this name, or of a short one (`knn`, `rf-regressor`). For an unknown name the error suggests the nearest one, or those that contain it.
pub fn find(name: &str) -> Result<&'static Entry> {
    let name = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, name)| name);
    entries().iter().find(|entry| entry.name == name).ok_or_else(|| {
        let names = || entries().iter().map(|entry| entry.name);
        let part: Vec<&str> = names().filter(|known| !name.is_empty() && known.contains(name)).collect();
        let short = ALIASES.iter().map(|(alias, _)| *alias);
        let rule = match (nearest_name(name, names().chain(short)), part.len()) {
            (Some(near), _) => format!("the name of a model (did you mean {near}?)"),
            (None, 1..=MOST_MEANT) => format!("the name of a model (did you mean {}?)", part.join(" or ")),
            (None, _) => "the name of a model; `gristmill models` lists them".to_string(),
        };
        Error::param("model", rule, format!("{name:?}"))
    })
}

/// The entry of this name, pipelines too.
fn find_kind(name: &str) -> Result<&'static Entry> {
    if name == PIPELINE.name { Ok(&PIPELINE) } else { find(name) }
}

impl Entry {
    const fn of<E: Estimator + Default>() -> Entry {
        Entry {
            name: E::NAME,
            task: E::TASK,
            about: E::ABOUT,
            parameters: E::PARAMETERS,
            make: || AnyEstimator::new(E::default()),
            restore: |container| Ok(AnyModel::new(E::Model::from_container(container)?)),
        }
    }

    /// The estimator with its default parameters.
    pub fn estimator(&self) -> AnyEstimator {
        (self.make)()
    }

    /// The fitted model of this kind that a container holds.
    fn restore(&self, container: Container) -> Result<AnyModel> {
        (self.restore)(container)
    }
}
