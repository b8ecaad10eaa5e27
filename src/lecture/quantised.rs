//! Regression as classification.

use serde::{Deserialize, Serialize};

use crate::array::Matrix;
use crate::data::{Labels, Target};
use crate::ensemble::RandomForestClassifier;
use crate::error::{Error, Result};
use crate::estimator::{
    Abilities, AnyEstimator, AnyModel, Estimator, Fit, FitReport, FittedWith, Model, Observer, Predict, Prediction,
    Rows, Save, Targets, Task, parameters,
};
use crate::model_file::Container;

const OP: &str = "QuantisedRegressor";

/// Where the intervals of the target end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BinEdges {
    /// As many rows in each.
    #[default]
    Quantile,
    /// All of one width.
    Uniform,
}

/// What is predicted from the classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuantisedPrediction {
    /// The mean of the intervals, each by its probability, where the classifier gives probabilities.
    #[default]
    Expected,
    /// That of the most probable interval.
    MostLikely,
}

parameters! {
    /// Cuts the target into intervals, fits a classifier to them, and predicts the mean target of the interval
    /// (000 §1.9). What is lost is the order of the classes and what is between them; what is won is a whole
    /// distribution, and any classifier.
    ///
    /// ```
    /// use gristmill::lecture::QuantisedRegressor;
    /// use gristmill::prelude::*;
    /// let (train, test) = datasets::diabetes()?.split(0.7, 1)?;
    /// let model = QuantisedRegressor::default().fit(&train.x, train.values()?)?;
    /// assert!(model.centres().len() == 10 && model.score(&test.x, test.values()?)? > 0.2);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub struct QuantisedRegressor: regressor("quantised-regressor") -> QuantisedRegressorModel;
    about "regression by a classifier of intervals of the target";
    {
        /// The classifier of the intervals.
        classifier: AnyEstimator = AnyEstimator::new(RandomForestClassifier::default());
        /// How many intervals; fewer where the target has not so many values.
        n_bins: usize = 10, at_least(2.0);
        /// Where the intervals end: quantile or uniform.
        strategy: BinEdges = BinEdges::Quantile;
        /// expected: the mean by probability; most_likely: that of the most probable interval.
        prediction: QuantisedPrediction = QuantisedPrediction::Expected;
    }
}

impl Estimator for QuantisedRegressor {
    fn abilities(&self) -> Abilities {
        let own = self.classifier.abilities();
        Abilities { missing: own.missing, categories: own.categories, sparse: own.sparse, ..Abilities::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, y: Targets<'_>, options: Fit<'_>) -> Result<QuantisedRegressorModel> {
        if self.classifier.task() != Task::Classification {
            return Err(Error::param("classifier", "a classifier", self.classifier.name()));
        }
        let y = y.complete(OP, x.rows())?;
        if y.columns() != 1 || y.rows() == 0 {
            return Err(Error::shape(OP, "one target for each row", format!("{}×{}", y.rows(), y.columns())));
        }
        let values = y.column(0);
        let edges = self.edges(&values);
        let codes: Vec<u32> = values.iter().map(|value| edges.partition_point(|edge| edge <= value) as u32).collect();
        let (mut sums, mut counts) = (vec![0.0_f64; edges.len() + 1], vec![0_usize; edges.len() + 1]);
        for (code, value) in codes.iter().zip(&values) {
            sums[*code as usize] += f64::from(*value);
            counts[*code as usize] += 1;
        }
        // Intervals without a row are no classes.
        let used: Vec<usize> = (0..counts.len()).filter(|bin| counts[*bin] > 0).collect();
        let code_of = |bin: u32| used.iter().position(|own| *own == bin as usize).unwrap_or(0) as u32;
        let names = (0..used.len()).map(|bin| format!("{bin:04}")).collect();
        let labels = Labels::from_codes(codes.into_iter().map(code_of).collect(), names)?;
        let centres = used.iter().map(|bin| sums[*bin] / counts[*bin] as f64).collect();
        let model = self
            .classifier
            .fit_inside(x, &Target::Classes(labels), options)
            .map_err(|error| error.inside("classifier"))?;
        Ok(QuantisedRegressorModel { params: self.clone().into(), model, centres })
    }
}

impl QuantisedRegressor {
    /// The values at which a new interval begins, ascending.
    fn edges(&self, values: &[f32]) -> Vec<f32> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f32::total_cmp);
        let (low, high) = (sorted[0], sorted[sorted.len() - 1]);
        let edge = |bin: usize| match self.strategy {
            BinEdges::Quantile => sorted[(bin * sorted.len() / self.n_bins).min(sorted.len() - 1)],
            BinEdges::Uniform => low + (high - low) * (bin as f32 / self.n_bins as f32),
        };
        let mut edges: Vec<f32> = (1..self.n_bins).map(edge).filter(|edge| *edge > low).collect();
        edges.dedup();
        edges
    }
}

/// A classifier of intervals, and the mean target of each.
#[derive(Debug)]
pub struct QuantisedRegressorModel {
    params: FittedWith<QuantisedRegressor>,
    model: AnyModel,
    centres: Vec<f64>,
}

impl QuantisedRegressorModel {
    /// The mean target of each interval, ascending.
    pub fn centres(&self) -> &[f64] {
        self.params.in_unit_of_target(&self.centres)
    }

    /// The classifier.
    pub fn classifier(&self) -> &AnyModel {
        &self.model
    }
}

impl Predict for QuantisedRegressorModel {
    type Output = Matrix;
}

impl Model for QuantisedRegressorModel {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        let (predicted, probabilities) = (self.model.predict(x)?, self.model.predict_proba(x)?);
        let labels = predicted.classes()?;
        let value = |row: usize| match (&probabilities, self.params.prediction) {
            (Some(shares), QuantisedPrediction::Expected) => {
                shares.row(row).iter().zip(&self.centres).map(|(share, centre)| f64::from(*share) * centre).sum()
            }
            _ => self.centres[labels.codes()[row] as usize],
        };
        Ok(Matrix::from_vec(labels.len(), 1, (0..labels.len()).map(|row| value(row) as f32).collect())?.into())
    }

    fn report(&self) -> FitReport {
        FitReport::default().with_number("intervals", self.centres.len() as f64)
    }
}

impl Save for QuantisedRegressorModel {
    type Estimator = QuantisedRegressor;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.insert("centres", &[self.centres.len()], self.centres.clone())?;
        container.insert_container("classifier", self.model.container()?)
    }

    fn load_fitted(
        params: FittedWith<QuantisedRegressor>,
        container: &mut Container,
    ) -> Result<QuantisedRegressorModel> {
        let [intervals] = container.shape("centres")?;
        let centres: Vec<f64> = container.take("centres", &[intervals])?;
        let model = AnyModel::from_container(container.take_container("classifier")?)?;
        if intervals == 0 || model.classes().len() != intervals {
            return Err(container.refuse("its classifier has other classes than there are intervals"));
        }
        Ok(QuantisedRegressorModel { params, model, centres })
    }
}
