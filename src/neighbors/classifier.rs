//! Classes by vote of the nearest rows.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::reference::{Neighbors, Reference};
use super::votes::{PARAMETERS, Weights};
use crate::array::Matrix;
use crate::data::{Labels, Target};
use crate::error::{Error, Result};
use crate::estimator::{Estimator, Fit, Fitted, Observer, Predict, PredictProba, Prediction, Rows, Score, Task};
use crate::metric::Metric;
use crate::model::{Container, Persist};

/// Classes by vote of the k nearest rows. Names and defaults are scikit-learn's.
///
/// ```
/// use gristmill::prelude::*;
/// let x = Matrix::from_rows(&[[0.0], [1.0], [2.0], [10.0], [11.0]])?;
/// let y = Labels::from_names(&["low", "low", "low", "high", "high"]);
/// let model = KNeighborsClassifier::new(3).fit(&x, &y)?;
/// assert_eq!(model.predict(&Matrix::from_rows(&[[1.4], [9.0]])?)?, Labels::from_names(&["low", "high"]));
/// assert_eq!(model.score(&x, &y)?, 1.0);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct KNeighborsClassifier {
    /// Neighbours that vote, k; from 1 to the number of fitted rows. Default 5.
    pub n_neighbors: usize,
    /// How much each counts. Default [`Weights::Uniform`].
    pub weights: Weights,
    /// What nearness is. Default [`Metric::Euclidean`].
    pub metric: Metric,
}

impl Default for KNeighborsClassifier {
    fn default() -> KNeighborsClassifier {
        KNeighborsClassifier { n_neighbors: 5, weights: Weights::Uniform, metric: Metric::Euclidean }
    }
}

impl KNeighborsClassifier {
    /// A vote of the k nearest rows.
    pub fn new(n_neighbors: usize) -> KNeighborsClassifier {
        KNeighborsClassifier { n_neighbors, ..KNeighborsClassifier::default() }
    }

    /// Sets how much each neighbour counts.
    pub fn weights(mut self, weights: Weights) -> KNeighborsClassifier {
        self.weights = weights;
        self
    }

    /// Sets what nearness is.
    pub fn metric(mut self, metric: Metric) -> KNeighborsClassifier {
        self.metric = metric;
        self
    }

    /// Keeps the rows of `x` (n×d) with their classes and prepares the search.
    pub fn fit<'a>(&self, x: impl Into<Rows<'a>>, y: &Labels) -> Result<KNeighborsClassifierModel> {
        let reference = Reference::fit("KNeighborsClassifier", x.into(), self.metric)?;
        reference.check_neighbors(self.n_neighbors)?;
        if y.len() != reference.rows().rows() {
            let (expected, got) =
                (format!("a class for each of {} rows", reference.rows().rows()), y.len().to_string());
            return Err(Error::Shape { op: "KNeighborsClassifier", expected, got });
        }
        Ok(KNeighborsClassifierModel { params: self.clone(), reference, y: y.clone() })
    }
}

/// Rows that vote.
#[derive(Debug)]
pub struct KNeighborsClassifierModel {
    params: KNeighborsClassifier,
    reference: Reference,
    y: Labels,
}

impl KNeighborsClassifierModel {
    /// The classes, by code.
    pub fn classes(&self) -> &[String] {
        self.y.names()
    }

    /// The neighbours that vote for each row of `x`.
    pub fn kneighbors<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Neighbors> {
        self.reference.k_nearest(x.into(), self.params.n_neighbors, Fit::default())
    }

    /// The class of each row of `x`, told to an observer.
    pub fn predict_with<'a>(&self, x: impl Into<Rows<'a>>, observer: &mut dyn Observer) -> Result<Labels> {
        let options = Fit::default().observer(observer);
        self.winners(&self.reference.k_nearest(x.into(), self.params.n_neighbors, options)?)
    }

    fn winners(&self, neighbors: &Neighbors) -> Result<Labels> {
        let winner = |row: usize, (weights, votes): &mut (Vec<f64>, Vec<f64>)| {
            self.votes(neighbors, row, weights, votes);
            // The first of the largest: ties go to the lowest class.
            (1..votes.len()).fold(0, |best, class| if votes[class] > votes[best] { class } else { best }) as u32
        };
        let room = || (vec![], vec![]);
        let codes = (0..neighbors.len()).into_par_iter().map_init(room, |room, row| winner(row, room)).collect();
        self.y.with_codes(codes)
    }

    /// The votes for each class of one row.
    fn votes(&self, neighbors: &Neighbors, row: usize, weights: &mut Vec<f64>, votes: &mut Vec<f64>) {
        self.params.weights.of(neighbors.distances(row), weights);
        votes.clear();
        votes.resize(self.y.classes(), 0.0);
        for (index, weight) in neighbors.indices(row).iter().zip(&*weights) {
            votes[self.y.codes()[*index as usize] as usize] += weight;
        }
    }
}

impl Predict for KNeighborsClassifierModel {
    type Output = Labels;

    fn predict<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Labels> {
        self.winners(&self.kneighbors(x)?)
    }
}

impl PredictProba for KNeighborsClassifierModel {
    /// The share of the votes for each class, n×k.
    fn predict_proba<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Matrix> {
        let neighbors = self.kneighbors(x)?;
        let mut chances = Matrix::zeros(neighbors.len(), self.y.classes())?;
        let rows = chances.as_mut_slice().par_chunks_mut(self.y.classes().max(1)).enumerate();
        rows.for_each_init(
            || (vec![], vec![]),
            |(weights, votes), (row, chances)| {
                self.votes(&neighbors, row, weights, votes);
                let total: f64 = votes.iter().sum();
                chances.iter_mut().zip(votes).for_each(|(chance, vote)| *chance = (*vote / total) as f32);
            },
        );
        Ok(chances)
    }
}

impl Score for KNeighborsClassifierModel {
    type Target = Labels;

    /// The share of rows whose class is right.
    fn score<'a>(&self, x: impl Into<Rows<'a>>, target: &Labels) -> Result<f64> {
        crate::metrics::accuracy(target, &self.predict(x)?)
    }
}

impl Persist for KNeighborsClassifierModel {
    const KIND: &'static str = "kneighbors-classifier";

    fn store(&self, container: &mut Container) -> Result<()> {
        container.set_parameters(&self.params)?;
        container.insert("classes", &[self.y.len()], self.y.codes().to_vec())?;
        container.insert_strings("class_names", self.y.names())?;
        self.reference.store(container)
    }

    fn restore(container: &mut Container) -> Result<KNeighborsClassifierModel> {
        let params: KNeighborsClassifier = container.parameters()?;
        let reference = Reference::restore(container, params.metric)?;
        reference.check_neighbors(params.n_neighbors).map_err(|error| container.refuse(error.to_string()))?;
        let codes = container.take("classes", &[reference.rows().rows()])?;
        let names = container.take_strings("class_names")?;
        let y = Labels::from_codes(codes, names).map_err(|error| container.refuse(error.to_string()))?;
        Ok(KNeighborsClassifierModel { params, reference, y })
    }
}

impl Estimator for KNeighborsClassifier {
    type Model = KNeighborsClassifierModel;
    const TASK: Task = Task::Classification;
    const ABOUT: &'static str = "the class that most of the k nearest rows have";
    const PARAMETERS: &'static [(&'static str, &'static str)] = PARAMETERS;

    fn fit_target(&self, x: Rows<'_>, target: &Target, options: Fit<'_>) -> Result<KNeighborsClassifierModel> {
        options.refuse_weights("KNeighborsClassifier")?;
        self.fit(x, target.labels()?)
    }
}

impl Fitted for KNeighborsClassifierModel {
    fn predict_any(&self, x: Rows<'_>, observer: &mut dyn Observer) -> Result<Prediction> {
        Ok(Prediction::Classes(self.predict_with(x, observer)?))
    }

    fn chances(&self, x: Rows<'_>) -> Result<Option<Matrix>> {
        self.predict_proba(x).map(Some)
    }

    fn class_names(&self) -> &[String] {
        self.classes()
    }

    fn container(&self) -> Result<Container> {
        self.to_container()
    }
}
