//! Classification by a vote of the nearest rows.

use rayon::prelude::*;

use super::reference::{Neighbors, Reference, search_cost};
use super::votes::Weights;
use crate::array::Matrix;
use crate::cost::Cost;
use crate::cpu::reduce::argmax;
use crate::data::Labels;
use crate::distance::Metric;
use crate::error::{Error, Result};
use crate::estimator::{
    Estimator, Fit, FitShape, FittedWith, Model, Observer, Predict, PredictProba, Prediction, Queries, Rows, Save,
    parameters,
};
use crate::model_file::Container;

const OP: &str = "KNeighborsClassifier";

parameters! {
    /// Classification by a vote of the k nearest rows. Names and defaults are scikit-learn's.
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
    pub struct KNeighborsClassifier: classifier("kneighbors-classifier") -> KNeighborsClassifierModel;
    about "the class that most of the k nearest rows have";
    new(n_neighbors: usize);
    {
        /// Number of neighbours that vote, k; from 1 to the number of fitted rows.
        n_neighbors: usize = 5, at_least(1.0);
        /// How much each neighbour counts: uniform, or distance (by 1 / distance).
        weights: Weights = Weights::Uniform;
        /// The distance: euclidean, manhattan, chebyshev, cosine or minkowski:P.
        metric: Metric = Metric::Euclidean;
    }
}

impl Estimator for KNeighborsClassifier {
    /// A fit keeps the rows; the predictions are the work.
    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        Some(search_cost(shape.rows, shape.columns, shape.queries))
    }

    fn fit_rows(&self, x: Rows<'_>, y: &Labels, options: Fit<'_>) -> Result<KNeighborsClassifierModel> {
        options.refuse_weights(OP)?;
        let reference = Reference::fit(OP, x, self.metric)?;
        reference.check_neighbors(self.n_neighbors)?;
        if y.len() != reference.len() {
            return Err(Error::shape(OP, format!("a class for each of {} rows", reference.len()), y.len()));
        }
        Ok(KNeighborsClassifierModel { params: self.clone().into(), reference, y: y.clone() })
    }
}

/// A fitted k-nearest-neighbours classifier: the rows that vote.
#[derive(Debug)]
pub struct KNeighborsClassifierModel {
    params: FittedWith<KNeighborsClassifier>,
    reference: Reference,
    y: Labels,
}

impl KNeighborsClassifierModel {
    /// The classes, by code.
    pub fn classes(&self) -> &[String] {
        self.y.names()
    }

    /// The neighbours that vote for each row of `x`.
    pub fn kneighbors<'a>(&self, x: impl Into<Queries<'a>>) -> Result<Neighbors> {
        self.reference.k_nearest(self.params.align(x)?.rows(), self.params.n_neighbors, Fit::default())
    }

    fn nearest(&self, x: Rows<'_>, observer: &mut dyn Observer) -> Result<Neighbors> {
        self.reference.k_nearest(x, self.params.n_neighbors, Fit::default().observer(observer))
    }

    fn winners(&self, neighbors: &Neighbors) -> Result<Labels> {
        let winner = |row: usize, (weights, votes): &mut (Vec<f64>, Vec<f64>)| {
            self.votes(neighbors, row, weights, votes);
            // The first of the largest: ties go to the lowest class.
            argmax(votes) as u32
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

    /// The share of the votes for each class, n×k.
    fn shares(&self, neighbors: &Neighbors) -> Result<Matrix> {
        let mut shares = Matrix::zeros(neighbors.len(), self.y.classes())?;
        let rows = shares.as_mut_slice().par_chunks_mut(self.y.classes().max(1)).enumerate();
        rows.for_each_init(
            || (vec![], vec![]),
            |(weights, votes), (row, shares)| {
                self.votes(neighbors, row, weights, votes);
                let total: f64 = votes.iter().sum();
                shares.iter_mut().zip(votes).for_each(|(share, vote)| *share = (*vote / total) as f32);
            },
        );
        Ok(shares)
    }
}

impl Predict for KNeighborsClassifierModel {
    type Output = Labels;
}

impl PredictProba for KNeighborsClassifierModel {}

impl Model for KNeighborsClassifierModel {
    fn predict_cost(&self, rows: usize) -> Option<Cost> {
        Some(self.reference.cost(rows))
    }

    fn predict_rows(&self, x: Rows<'_>, observer: &mut dyn Observer) -> Result<Prediction> {
        Ok(self.winners(&self.nearest(x, observer)?)?.into())
    }

    fn predict_proba_rows(&self, x: Rows<'_>) -> Result<Option<Matrix>> {
        self.shares(&self.kneighbors(x)?).map(Some)
    }

    fn predict_both_rows(&self, x: Rows<'_>, observer: &mut dyn Observer) -> Result<(Prediction, Option<Matrix>)> {
        let neighbors = self.nearest(x, observer)?;
        Ok((self.winners(&neighbors)?.into(), Some(self.shares(&neighbors)?)))
    }

    fn classes(&self) -> &[String] {
        self.y.names()
    }
}

impl Save for KNeighborsClassifierModel {
    type Estimator = KNeighborsClassifier;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.insert("classes", &[self.y.len()], self.y.codes().to_vec())?;
        container.insert_strings("class_names", self.y.names())?;
        self.reference.store(container)
    }

    fn load_fitted(
        params: FittedWith<KNeighborsClassifier>,
        container: &mut Container,
    ) -> Result<KNeighborsClassifierModel> {
        let reference = Reference::restore(container, params.metric)?;
        reference.check_neighbors(params.n_neighbors).map_err(|error| container.refuse(error.to_string()))?;
        let codes = container.take("classes", &[reference.len()])?;
        let names = container.take_strings("class_names")?;
        let y = Labels::from_codes(codes, names).map_err(|error| container.refuse(error.to_string()))?;
        Ok(KNeighborsClassifierModel { params, reference, y })
    }
}
