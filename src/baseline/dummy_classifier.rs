//! Classes without looking at the rows.

use serde::{Deserialize, Serialize};

use crate::array::Matrix;
use crate::cpu::random::philox::Philox;
use crate::data::{Labels, nearest_name};
use crate::error::{Error, Result};
use crate::estimator::{
    Abilities, Estimator, Fit, FittedWith, Model, Observer, Predict, PredictProba, Prediction, Rows, Save, parameters,
};
use crate::model_file::Container;

const OP: &str = "DummyClassifier";
/// The random numbers of guesses, one a row.
const STREAM: u32 = 0x4455_4d4d;

/// How classes are guessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DummyClasses {
    /// The most frequent class, with the shares of the classes as probabilities.
    #[default]
    Prior,
    /// The most frequent class, with probability 1.
    MostFrequent,
    /// A class drawn by its share.
    Stratified,
    /// A class drawn, all alike.
    Uniform,
    /// The class that is named as `constant`.
    Constant,
}

parameters! {
    /// A classifier that does not look at the rows: what others have to beat. Names and defaults are scikit-learn's.
    ///
    /// ```
    /// use gristmill::baseline::DummyClassifier;
    /// use gristmill::prelude::*;
    /// let x = Matrix::zeros(4, 1)?;
    /// let y = Labels::from_names(&["no", "yes", "no", "no"]);
    /// let model = DummyClassifier::default().fit(&x, &y)?;
    /// assert_eq!(model.score(&x, &y)?, 0.75);
    /// assert_eq!(model.predict_proba(&x)?.row(0), [0.75, 0.25]);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// What is drawn depends on the seed and on the place of the row among those that are predicted.
    pub struct DummyClassifier: classifier("dummy-classifier") -> DummyClassifierModel;
    about "a baseline that ignores the features: the most frequent class, or a guess";
    {
        /// How classes are guessed: prior, most_frequent, stratified, uniform or constant.
        strategy: DummyClasses = DummyClasses::Prior;
        /// The class to predict, for the strategy constant.
        constant: Option<String> = None;
        /// Seed of the guesses.
        seed: u64 = 0;
    }
}

impl Estimator for DummyClassifier {
    fn abilities(&self) -> Abilities {
        Abilities { missing: true, categories: true, sparse: true, ..Abilities::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, y: &Labels, options: Fit<'_>) -> Result<DummyClassifierModel> {
        if x.rows() != y.len() || y.is_empty() {
            let expected = "at least one row, and a class for each".to_string();
            return Err(Error::shape(OP, expected, format!("{} rows, {} classes", x.rows(), y.len())));
        }
        let weights = options.weights(OP, y.len())?;
        let mut shares = vec![0.0_f64; y.classes()];
        for (row, code) in y.codes().iter().enumerate() {
            shares[*code as usize] += weights.map_or(1.0, |weights| f64::from(weights[row]));
        }
        let total: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share /= total);
        let model = DummyClassifierModel { params: self.clone().into(), classes: y.with_codes(vec![])?, shares };
        model.constant()?;
        Ok(model)
    }
}

/// The shares of the classes.
#[derive(Debug, Clone, PartialEq)]
pub struct DummyClassifierModel {
    params: FittedWith<DummyClassifier>,
    classes: Labels,
    shares: Vec<f64>,
}

impl DummyClassifierModel {
    /// The share of each class among the fitted rows.
    pub fn class_prior(&self) -> &[f64] {
        &self.shares
    }

    /// The class that is always predicted, for strategies that have one; the lowest of equally frequent ones.
    fn constant(&self) -> Result<Option<usize>> {
        let classes = self.classes.names();
        match (self.params.strategy, &self.params.constant) {
            (DummyClasses::Prior | DummyClasses::MostFrequent, _) => {
                let most =
                    |best: usize, class: usize| if self.shares[class] > self.shares[best] { class } else { best };
                Ok(Some((1..classes.len()).fold(0, most)))
            }
            (DummyClasses::Constant, Some(name)) => match classes.iter().position(|class| class == name) {
                Some(class) => Ok(Some(class)),
                None => {
                    let near = nearest_name(name, classes.iter().map(String::as_str));
                    let near = near.map_or_else(String::new, |near| format!(" (did you mean {near}?)"));
                    Err(Error::param("constant", format!("one of the fitted classes{near}"), format!("{name:?}")))
                }
            },
            (DummyClasses::Constant, None) => {
                Err(Error::param("constant", "the name of a class, for the strategy constant", "none"))
            }
            (DummyClasses::Stratified | DummyClasses::Uniform, _) => Ok(None),
        }
    }

    /// The class of each of n rows.
    fn codes(&self, rows: usize) -> Result<Vec<u32>> {
        if let Some(class) = self.constant()? {
            return Ok(vec![class as u32; rows]);
        }
        let classes = self.shares.len();
        let even = vec![1.0 / classes as f64; classes];
        let shares = if self.params.strategy == DummyClasses::Uniform { &even } else { &self.shares };
        let numbers = Philox::new(self.params.seed, STREAM);
        let drawn = |row: usize| {
            let mut left = f64::from(numbers.number(row as u64)) / 4_294_967_296.0;
            let fits = |share: &f64| {
                left -= share;
                left < 0.0
            };
            shares.iter().position(fits).unwrap_or(classes - 1) as u32
        };
        Ok((0..rows).map(drawn).collect())
    }
}

impl Predict for DummyClassifierModel {
    type Output = Labels;
}

impl PredictProba for DummyClassifierModel {}

impl Model for DummyClassifierModel {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(self.classes.with_codes(self.codes(x.rows())?)?.into())
    }

    fn predict_proba_rows(&self, x: Rows<'_>) -> Result<Option<Matrix>> {
        let (rows, classes) = (x.rows(), self.shares.len());
        let mut probabilities = Matrix::zeros(rows, classes)?;
        let codes = self.codes(rows)?;
        for (row, code) in probabilities.as_mut_slice().chunks_exact_mut(classes).zip(codes) {
            match self.params.strategy {
                DummyClasses::Prior => row.iter_mut().zip(&self.shares).for_each(|(cell, share)| *cell = *share as f32),
                DummyClasses::Uniform => row.fill(1.0 / classes as f32),
                _ => row[code as usize] = 1.0,
            }
        }
        Ok(Some(probabilities))
    }

    fn classes(&self) -> &[String] {
        self.classes.names()
    }
}

impl Save for DummyClassifierModel {
    type Estimator = DummyClassifier;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.insert_strings("class_names", self.classes.names())?;
        container.insert("shares", &[self.shares.len()], self.shares.clone())
    }

    fn load_fitted(params: FittedWith<DummyClassifier>, container: &mut Container) -> Result<DummyClassifierModel> {
        let names = container.take_strings("class_names")?;
        let shares: Vec<f64> = container.take("shares", &[names.len()])?;
        if names.is_empty() || shares.iter().any(|share| *share < 0.0) {
            return Err(container.refuse("there is no class, or a share below 0"));
        }
        let classes = Labels::from_codes(vec![], names).map_err(|error| container.refuse(error.to_string()))?;
        let model = DummyClassifierModel { params, classes, shares };
        model.constant().map_err(|error| container.refuse(error.to_string()))?;
        Ok(model)
    }
}
