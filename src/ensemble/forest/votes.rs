//! How surely a forest is right.

use super::classifier::RandomForestClassifierModel;
use crate::data::Labels;
use crate::ensemble::margins::{ForestStrength, Votes};
use crate::error::Result;
use crate::estimator::Rows;

impl RandomForestClassifierModel {
    /// The margin of each row of `x` (Breiman 2001): the share of the trees that vote for its class `y` minus
    /// the largest share for another. Negative where the majority is wrong.
    pub fn margins<'a>(&self, x: impl Into<Rows<'a>>, y: &Labels) -> Result<Vec<f64>> {
        self.votes(x.into())?.margins(self.kind.classifier(), self.classes(), y)
    }

    /// How strong the trees are on these rows and how alike they vote; it bounds the error of larger ones of this kind.
    pub fn strength<'a>(&self, x: impl Into<Rows<'a>>, y: &Labels) -> Result<ForestStrength> {
        self.votes(x.into())?.strength(self.kind.classifier(), self.classes(), y)
    }

    fn votes(&self, x: Rows<'_>) -> Result<Votes> {
        let x = self.trees.queries(self.kind.classifier(), x)?;
        Ok(Votes::new(self.trees.votes(&x)?, self.trees.trees().len(), self.classes.classes()))
    }
}
