//! What models fitted on bags have to tell.

use super::bags::{Bags, check_width, predict_of};
use crate::array::Matrix;
use crate::data::Labels;
use crate::ensemble::ensemble_variance::EnsembleVariance;
use crate::ensemble::margins::{ForestStrength, Votes};
use crate::ensemble::members::{weighted_mean, winners};
use crate::ensemble::model::{Ensemble, EnsembleModel};
use crate::error::Result;
use crate::estimator::{Queries, Rows};

impl<E: Ensemble<Fitted = Bags>> EnsembleModel<E> {
    /// Number of bags.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Never true: there is a bag at least.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The share of rows whose class is right, or R², when each row is predicted by the bags without it; none if it was
    /// not asked for, or no row has such a bag (for R² fewer than two).
    pub fn oob_score(&self) -> Option<f64> {
        self.fitted.oob_score
    }

    /// The predictions of each bag for the rows of `x`, one after the other.
    fn of_bags<'a>(&'a self, x: Rows<'a>) -> Result<impl Iterator<Item = Result<Matrix>> + 'a> {
        check_width(x, self.fitted.columns)?;
        let bags = self.members.iter().zip(&self.fitted.chosen);
        Ok(bags.map(move |(model, chosen)| predict_of(model, chosen.as_deref(), x, self.class_count())))
    }

    /// The mean of the predictions of the first `bags` bags, n×k or n×p.
    pub(super) fn mean_values(&self, x: Rows<'_>, bags: usize) -> Result<Matrix> {
        weighted_mean(&self.of_bags(x)?.take(bags).collect::<Result<Vec<_>>>()?, None)
    }
}

impl<E: Ensemble<Fitted = Bags, Output = Labels>> EnsembleModel<E> {
    /// The margin of each row of `x` (Breiman 2001): the share of the bags that vote for its class `y` minus
    /// the largest share for another. Negative where the majority is wrong.
    pub fn margins<'a>(&self, x: impl Into<Queries<'a>>, y: &Labels) -> Result<Vec<f64>> {
        self.votes(self.params.align(x)?.rows())?.margins(E::TYPE, self.classes.names(), y)
    }

    /// How strong the bags are on these rows and how alike they vote; it bounds the error of larger ones of this kind.
    pub fn strength<'a>(&self, x: impl Into<Queries<'a>>, y: &Labels) -> Result<ForestStrength> {
        self.votes(self.params.align(x)?.rows())?.strength(E::TYPE, self.classes.names(), y)
    }

    /// The class of each row by the first `bags` bags alone: what a fit of so many would predict.
    pub fn staged_predict<'a>(&self, x: impl Into<Queries<'a>>, bags: usize) -> Result<Labels> {
        winners(&self.classes, &self.mean_values(self.params.align(x)?.rows(), bags.max(1))?)
    }

    /// The class that each bag gives each row.
    fn votes(&self, x: Rows<'_>) -> Result<Votes> {
        let said = self.of_bags(x)?.map(|probabilities| winners(&self.classes, &probabilities?));
        let said: Vec<Labels> = said.collect::<Result<_>>()?;
        let rows = said.first().map_or(0, Labels::len);
        let codes = (0..rows).flat_map(|row| said.iter().map(move |labels| labels.codes()[row])).collect();
        Ok(Votes::new(codes, said.len(), self.classes.classes()))
    }
}

impl<E: Ensemble<Fitted = Bags, Output = Matrix>> EnsembleModel<E> {
    /// How much averaging the bags reduces the variance of what they predict for the rows of `x`.
    pub fn ensemble_variance<'a>(&self, x: impl Into<Queries<'a>>) -> Result<EnsembleVariance> {
        let x = self.params.align(x)?;
        EnsembleVariance::of(E::TYPE, self.of_bags(x.rows())?)
    }
}
