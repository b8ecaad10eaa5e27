//! Naive Bayes for columns that are there or not.

use super::counts::{CountRows, CountTable};
use super::scores::{JointScores, learns_from_chunks, log_priors, predicts_by_scores};
use crate::data::Labels;
use crate::error::{Error, Result};
use crate::estimator::{Abilities, Declared, Estimator, Fit, FittedWith, Rows, Save, parameters};
use crate::model_file::Container;

parameters! {
    /// Naive Bayes for columns that are there or not: within a class each is there with a probability of its own. Names and
    /// defaults are scikit-learn's.
    ///
    /// ```
    /// use gristmill::bayes::BernoulliNaiveBayes;
    /// use gristmill::prelude::*;
    /// let x = Matrix::from_rows(&[[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 1.0]])?;
    /// let model = BernoulliNaiveBayes::default().fit(&x, &Labels::from_names(&["a", "a", "b", "b"]))?;
    /// assert_eq!(model.predict(&Matrix::from_rows(&[[0.0, 0.0]])?)?, Labels::from_names(&["b"]));
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - A number above `binarize` is there. Unlike counts, what is not there counts too.
    /// - Sums in f64; sparse rows cost what is not 0 in them. A `binarize` below 0 would make every 0 of sparse rows count and is refused.
    /// - A class without rows is never predicted. Rows on a GPU come to the host.
    pub struct BernoulliNaiveBayes: classifier("bernoulli-naive-bayes") -> BernoulliNaiveBayesModel;
    about "classes of columns that are there or not";
    {
        /// Added to the counts of rows that have a column and of those that have not.
        alpha: f64 = 1.0, at_least(0.0);
        /// Numbers above this count as there; at least 0.
        binarize: f64 = 0.0, at_least(0.0);
        /// Whether prior probabilities are the shares of the rows; else they are equal.
        fit_prior: bool = true;
        /// Prior probabilities of the classes; none: by fit_prior.
        class_prior: Option<Vec<f64>> = None;
    }
}

learns_from_chunks!(BernoulliNaiveBayes -> BernoulliNaiveBayesModel);

impl BernoulliNaiveBayes {
    /// What a number counts as.
    fn is_there(&self) -> impl Fn(f32) -> f64 + Sync {
        let threshold = self.binarize;
        move |value| if f64::from(value) > threshold { 1.0 } else { 0.0 }
    }
}

impl Estimator for BernoulliNaiveBayes {
    fn abilities(&self) -> Abilities {
        Abilities { sparse: true, chunks: true, ..Abilities::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, y: &Labels, options: Fit<'_>) -> Result<BernoulliNaiveBayesModel> {
        self.partial_fit_rows(None, x, y, options)
    }

    fn partial_fit_rows(
        &self,
        model: Option<BernoulliNaiveBayesModel>,
        x: Rows<'_>,
        y: &Labels,
        options: Fit<'_>,
    ) -> Result<BernoulliNaiveBayesModel> {
        if let Some(model) = &model
            && model.params.binarize != self.binarize
        {
            return Err(Error::param("binarize", format!("{}, as before", model.params.binarize), self.binarize));
        }
        let rows = CountRows::new(Self::TYPE, x)?;
        let before = model.map(|model| model.table);
        let table = CountTable::count(Self::TYPE, before, &rows, y, &options, self.is_there())?;
        BernoulliNaiveBayesModel::new(self.clone().into(), table)
    }
}

/// A model fitted by [`BernoulliNaiveBayes`].
#[derive(Debug, Clone, PartialEq)]
pub struct BernoulliNaiveBayesModel {
    params: FittedWith<BernoulliNaiveBayes>,
    table: CountTable,
    /// The score of a row that has no column, k numbers.
    intercepts: Vec<f64>,
    /// What a column that is there adds, d×k.
    slopes: Vec<f64>,
}

impl BernoulliNaiveBayesModel {
    fn new(params: FittedWith<BernoulliNaiveBayes>, table: CountTable) -> Result<Self> {
        let mut intercepts = log_priors(params.class_prior.as_deref(), params.fit_prior, &table.weights)?;
        let (k, d) = (table.weights.len(), table.columns());
        let alpha = params.alpha.max(1e-10);
        let mut slopes = vec![0.0; d * k];
        for (class, sums) in table.sums.chunks_exact(d).enumerate() {
            let total = table.weights[class] + 2.0 * alpha;
            for (column, sum) in sums.iter().enumerate() {
                let (there, not) =
                    (((sum + alpha) / total).ln(), ((table.weights[class] - sum).max(0.0) + alpha) / total);
                intercepts[class] += not.ln();
                slopes[column * k + class] = there - not.ln();
            }
        }
        Ok(BernoulliNaiveBayesModel { params, table, intercepts, slopes })
    }

    /// ln of the probability that a row of a class has each column, d numbers.
    pub fn feature_log_prob(&self, class: usize) -> Vec<f64> {
        let alpha = self.params.alpha.max(1e-10);
        let total = self.table.weights[class] + 2.0 * alpha;
        let d = self.table.columns();
        self.table.sums[class * d..(class + 1) * d].iter().map(|sum| ((sum + alpha) / total).ln()).collect()
    }
}

impl JointScores for BernoulliNaiveBayesModel {
    fn joint(&self, x: Rows<'_>) -> Result<Vec<f64>> {
        let rows = CountRows::queries(BernoulliNaiveBayes::TYPE, x, self.table.columns())?;
        Ok(rows.linear(&self.slopes, &self.intercepts, self.params.is_there()))
    }

    fn labels(&self) -> &Labels {
        &self.table.labels
    }
}

predicts_by_scores!(BernoulliNaiveBayesModel);

impl Save for BernoulliNaiveBayesModel {
    type Estimator = BernoulliNaiveBayes;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        self.table.store(container)
    }

    fn load_fitted(params: FittedWith<BernoulliNaiveBayes>, container: &mut Container) -> Result<Self> {
        let table = CountTable::restore(container)?;
        Self::new(params, table).map_err(|error| container.refuse(error.to_string()))
    }
}
