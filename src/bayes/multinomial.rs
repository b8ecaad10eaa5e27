//! Naive Bayes for counts.

use super::counts::{CountRows, CountTable};
use super::scores::{JointScores, learns_from_chunks, log_priors, predicts_by_scores};
use crate::data::Labels;
use crate::error::Result;
use crate::estimator::{Abilities, Declared, Estimator, Fit, FittedWith, Rows, Save, parameters};
use crate::model_file::Container;

parameters! {
    /// Naive Bayes for counts, such as of words: a row is drawn column by column with the probabilities of its class. Names
    /// and defaults are scikit-learn's.
    ///
    /// ```
    /// use gristmill::bayes::MultinomialNaiveBayes;
    /// use gristmill::prelude::*;
    /// let words = Matrix::from_rows(&[[3.0, 0.0, 1.0], [2.0, 0.0, 0.0], [0.0, 2.0, 1.0]])?;
    /// let model = MultinomialNaiveBayes::default().fit(&words, &Labels::from_names(&["a", "a", "b"]))?;
    /// assert_eq!(model.predict(&Matrix::from_rows(&[[0.0, 1.0, 0.0]])?)?, Labels::from_names(&["b"]));
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - Sums in f64; sparse rows cost what is not 0 in them. Numbers need not be integers, but at least 0.
    /// - With `alpha` 0 a column that a class never has excludes the class.
    /// - A class without rows is never predicted. Rows on a GPU come to the host.
    pub struct MultinomialNaiveBayes: classifier("multinomial-naive-bayes") -> MultinomialNaiveBayesModel;
    about "classes of counts, such as of words";
    {
        /// Added to each count (Laplace 1, Lidstone below).
        alpha: f64 = 1.0, at_least(0.0);
        /// Whether prior probabilities are the shares of the rows; else they are equal.
        fit_prior: bool = true;
        /// Prior probabilities of the classes; none: by fit_prior.
        class_prior: Option<Vec<f64>> = None;
    }
}

learns_from_chunks!(MultinomialNaiveBayes -> MultinomialNaiveBayesModel);

impl Estimator for MultinomialNaiveBayes {
    fn abilities(&self) -> Abilities {
        Abilities { sparse: true, chunks: true, ..Abilities::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, y: &Labels, options: Fit<'_>) -> Result<MultinomialNaiveBayesModel> {
        self.partial_fit_rows(None, x, y, options)
    }

    fn partial_fit_rows(
        &self,
        model: Option<MultinomialNaiveBayesModel>,
        x: Rows<'_>,
        y: &Labels,
        options: Fit<'_>,
    ) -> Result<MultinomialNaiveBayesModel> {
        let rows = CountRows::new(Self::TYPE, x)?;
        rows.refuse_negative(Self::TYPE)?;
        let table = CountTable::count(Self::TYPE, model.map(|model| model.table), &rows, y, &options, f64::from)?;
        MultinomialNaiveBayesModel::new(self.clone().into(), table)
    }
}

/// A model fitted by [`MultinomialNaiveBayes`].
#[derive(Debug, Clone, PartialEq)]
pub struct MultinomialNaiveBayesModel {
    params: FittedWith<MultinomialNaiveBayes>,
    table: CountTable,
    log_priors: Vec<f64>,
    /// d×k.
    slopes: Vec<f64>,
}

impl MultinomialNaiveBayesModel {
    fn new(params: FittedWith<MultinomialNaiveBayes>, table: CountTable) -> Result<Self> {
        let log_priors = log_priors(params.class_prior.as_deref(), params.fit_prior, &table.weights)?;
        let (k, d) = (table.weights.len(), table.columns());
        // Without smoothing, a count of 0 is as good as none.
        let alpha = params.alpha.max(1e-10);
        let mut slopes = vec![0.0; d * k];
        for (class, sums) in table.sums.chunks_exact(d).enumerate() {
            let total = sums.iter().sum::<f64>() + alpha * d as f64;
            for (column, sum) in sums.iter().enumerate() {
                slopes[column * k + class] = ((sum + alpha) / total).ln();
            }
        }
        Ok(MultinomialNaiveBayesModel { params, table, log_priors, slopes })
    }

    /// ln of the probability of each column in a class, d numbers.
    pub fn feature_log_prob(&self, class: usize) -> Vec<f64> {
        self.slopes.iter().skip(class).step_by(self.log_priors.len()).copied().collect()
    }
}

impl JointScores for MultinomialNaiveBayesModel {
    fn joint(&self, x: Rows<'_>) -> Result<Vec<f64>> {
        let rows = CountRows::queries(MultinomialNaiveBayes::TYPE, x, self.table.columns())?;
        rows.refuse_negative(MultinomialNaiveBayes::TYPE)?;
        Ok(rows.linear(&self.slopes, &self.log_priors, f64::from))
    }

    fn labels(&self) -> &Labels {
        &self.table.labels
    }
}

predicts_by_scores!(MultinomialNaiveBayesModel);

impl Save for MultinomialNaiveBayesModel {
    type Estimator = MultinomialNaiveBayes;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        self.table.store(container)
    }

    fn load_fitted(params: FittedWith<MultinomialNaiveBayes>, container: &mut Container) -> Result<Self> {
        let table = CountTable::restore(container)?;
        Self::new(params, table).map_err(|error| container.refuse(error.to_string()))
    }
}
