//! The steps of a pipeline: transformers and what they become.

use serde::{Deserialize, Serialize};

use crate::array::Matrix;
use crate::error::Result;
use crate::estimator::Transform;
use crate::model::{Container, Persist};
use crate::preprocessing::{
    GaussianBasis, GaussianBasisModel, KBinsDiscretizer, KBinsDiscretizerModel, MinMaxScaler, MinMaxScalerModel,
    Normalizer, NormalizerModel, OneHotEncoder, OneHotEncoderModel, PolynomialFeatures, PolynomialFeaturesModel,
    RobustScaler, RobustScalerModel, SimpleImputer, SimpleImputerModel, SineBasis, SineBasisModel, StandardScaler,
    StandardScalerModel,
};

/// A transformer to be fitted as a step of a [`Pipeline`](super::Pipeline).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// Numbers for missing values; of a categorical column the most frequent one.
    SimpleImputer(SimpleImputer),
    /// A column for each category.
    OneHotEncoder(OneHotEncoder),
    /// Mean 0 and deviation 1.
    StandardScaler(StandardScaler),
    /// Into a range.
    MinMaxScaler(MinMaxScaler),
    /// By median and quartiles.
    RobustScaler(RobustScaler),
    /// Rows of norm 1.
    Normalizer(Normalizer),
    /// Products of columns.
    PolynomialFeatures(PolynomialFeatures),
    /// Sines of columns.
    SineBasis(SineBasis),
    /// Bell curves over columns.
    GaussianBasis(GaussianBasis),
    /// Bins of columns.
    KBinsDiscretizer(KBinsDiscretizer),
}

/// A transformer that has been fitted.
#[derive(Debug, Clone, PartialEq)]
pub enum FittedStep {
    /// Numbers for missing values.
    SimpleImputer(SimpleImputerModel),
    /// A column for each category.
    OneHotEncoder(OneHotEncoderModel),
    /// Mean 0 and deviation 1.
    StandardScaler(StandardScalerModel),
    /// Into a range.
    MinMaxScaler(MinMaxScalerModel),
    /// By median and quartiles.
    RobustScaler(RobustScalerModel),
    /// Rows of norm 1.
    Normalizer(NormalizerModel),
    /// Products of columns.
    PolynomialFeatures(PolynomialFeaturesModel),
    /// Sines of columns.
    SineBasis(SineBasisModel),
    /// Bell curves over columns.
    GaussianBasis(GaussianBasisModel),
    /// Bins of columns.
    KBinsDiscretizer(KBinsDiscretizerModel),
}

impl Step {
    /// The fitted step.
    pub(super) fn fit(&self, x: &Matrix) -> Result<FittedStep> {
        Ok(match self {
            Step::SimpleImputer(step) => FittedStep::SimpleImputer(step.fit(x)?),
            Step::OneHotEncoder(step) => FittedStep::OneHotEncoder(step.fit_step(x)?),
            Step::StandardScaler(step) => FittedStep::StandardScaler(step.fit(x)?),
            Step::MinMaxScaler(step) => FittedStep::MinMaxScaler(step.fit(x)?),
            Step::RobustScaler(step) => FittedStep::RobustScaler(step.fit(x)?),
            Step::Normalizer(step) => FittedStep::Normalizer(step.fit(x)?),
            Step::PolynomialFeatures(step) => FittedStep::PolynomialFeatures(step.fit(x)?),
            Step::SineBasis(step) => FittedStep::SineBasis(step.fit(x)?),
            Step::GaussianBasis(step) => FittedStep::GaussianBasis(step.fit(x)?),
            Step::KBinsDiscretizer(step) => FittedStep::KBinsDiscretizer(step.fit(x)?),
        })
    }
}

impl FittedStep {
    /// The rows that this step makes of the rows of `x`.
    pub fn transform(&self, x: &Matrix) -> Result<Matrix> {
        match self {
            FittedStep::SimpleImputer(model) => model.transform(x),
            FittedStep::OneHotEncoder(model) => model.transform(x),
            FittedStep::StandardScaler(model) => model.transform(x),
            FittedStep::MinMaxScaler(model) => model.transform(x),
            FittedStep::RobustScaler(model) => model.transform(x),
            FittedStep::Normalizer(model) => model.transform(x),
            FittedStep::PolynomialFeatures(model) => model.transform(x),
            FittedStep::SineBasis(model) => model.transform(x),
            FittedStep::GaussianBasis(model) => model.transform(x),
            FittedStep::KBinsDiscretizer(model) => model.transform(x),
        }
    }

    /// Its kind, as model files name it: `standard-scaler`.
    pub fn kind(&self) -> &'static str {
        match self {
            FittedStep::SimpleImputer(_) => SimpleImputerModel::KIND,
            FittedStep::OneHotEncoder(_) => OneHotEncoderModel::KIND,
            FittedStep::StandardScaler(_) => StandardScalerModel::KIND,
            FittedStep::MinMaxScaler(_) => MinMaxScalerModel::KIND,
            FittedStep::RobustScaler(_) => RobustScalerModel::KIND,
            FittedStep::Normalizer(_) => NormalizerModel::KIND,
            FittedStep::PolynomialFeatures(_) => PolynomialFeaturesModel::KIND,
            FittedStep::SineBasis(_) => SineBasisModel::KIND,
            FittedStep::GaussianBasis(_) => GaussianBasisModel::KIND,
            FittedStep::KBinsDiscretizer(_) => KBinsDiscretizerModel::KIND,
        }
    }

    /// The names of the columns it makes of columns with these names, or without names.
    pub fn names(&self, input: Option<&[String]>) -> Vec<String> {
        match self {
            FittedStep::SimpleImputer(model) => model.names(input),
            FittedStep::OneHotEncoder(model) => model.names(input),
            FittedStep::StandardScaler(model) => model.names(input),
            FittedStep::MinMaxScaler(model) => model.names(input),
            FittedStep::RobustScaler(model) => model.names(input),
            FittedStep::Normalizer(model) => model.names(input),
            FittedStep::PolynomialFeatures(model) => model.names(input),
            FittedStep::SineBasis(model) => model.names(input),
            FittedStep::GaussianBasis(model) => model.names(input),
            FittedStep::KBinsDiscretizer(model) => model.names(input),
        }
    }

    pub(super) fn container(&self) -> Result<Container> {
        match self {
            FittedStep::SimpleImputer(model) => model.to_container(),
            FittedStep::OneHotEncoder(model) => model.to_container(),
            FittedStep::StandardScaler(model) => model.to_container(),
            FittedStep::MinMaxScaler(model) => model.to_container(),
            FittedStep::RobustScaler(model) => model.to_container(),
            FittedStep::Normalizer(model) => model.to_container(),
            FittedStep::PolynomialFeatures(model) => model.to_container(),
            FittedStep::SineBasis(model) => model.to_container(),
            FittedStep::GaussianBasis(model) => model.to_container(),
            FittedStep::KBinsDiscretizer(model) => model.to_container(),
        }
    }

    pub(super) fn from_container(container: Container) -> Result<FittedStep> {
        Ok(match container.kind() {
            SimpleImputerModel::KIND => FittedStep::SimpleImputer(Persist::from_container(container)?),
            OneHotEncoderModel::KIND => FittedStep::OneHotEncoder(Persist::from_container(container)?),
            StandardScalerModel::KIND => FittedStep::StandardScaler(Persist::from_container(container)?),
            MinMaxScalerModel::KIND => FittedStep::MinMaxScaler(Persist::from_container(container)?),
            RobustScalerModel::KIND => FittedStep::RobustScaler(Persist::from_container(container)?),
            NormalizerModel::KIND => FittedStep::Normalizer(Persist::from_container(container)?),
            PolynomialFeaturesModel::KIND => FittedStep::PolynomialFeatures(Persist::from_container(container)?),
            SineBasisModel::KIND => FittedStep::SineBasis(Persist::from_container(container)?),
            GaussianBasisModel::KIND => FittedStep::GaussianBasis(Persist::from_container(container)?),
            KBinsDiscretizerModel::KIND => FittedStep::KBinsDiscretizer(Persist::from_container(container)?),
            kind => return Err(container.refuse(format!("\"{kind}\" is no step of a pipeline"))),
        })
    }
}

impl From<SimpleImputer> for Step {
    fn from(step: SimpleImputer) -> Step {
        Step::SimpleImputer(step)
    }
}

impl From<OneHotEncoder> for Step {
    fn from(step: OneHotEncoder) -> Step {
        Step::OneHotEncoder(step)
    }
}

impl From<StandardScaler> for Step {
    fn from(step: StandardScaler) -> Step {
        Step::StandardScaler(step)
    }
}

impl From<MinMaxScaler> for Step {
    fn from(step: MinMaxScaler) -> Step {
        Step::MinMaxScaler(step)
    }
}

impl From<RobustScaler> for Step {
    fn from(step: RobustScaler) -> Step {
        Step::RobustScaler(step)
    }
}

impl From<Normalizer> for Step {
    fn from(step: Normalizer) -> Step {
        Step::Normalizer(step)
    }
}

impl From<PolynomialFeatures> for Step {
    fn from(step: PolynomialFeatures) -> Step {
        Step::PolynomialFeatures(step)
    }
}

impl From<SineBasis> for Step {
    fn from(step: SineBasis) -> Step {
        Step::SineBasis(step)
    }
}

impl From<GaussianBasis> for Step {
    fn from(step: GaussianBasis) -> Step {
        Step::GaussianBasis(step)
    }
}

impl From<KBinsDiscretizer> for Step {
    fn from(step: KBinsDiscretizer) -> Step {
        Step::KBinsDiscretizer(step)
    }
}
