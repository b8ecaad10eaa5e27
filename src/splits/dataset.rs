//! A dataset in two parts.

use super::random::{stratified_train_test_split, train_test_split};
use crate::data::{Dataset, Target};
use crate::error::Result;

impl Dataset {
    /// Splits the rows at random into training and test rows. `share`, between 0 and 1, is the part of the training
    /// rows, rounded down.
    ///
    /// Both parts have at least one row. With classes each part has its share of every class, as nearly as possible.
    /// The same seed gives the same parts on every machine. O(n) beside the copies.
    #[doc(alias = "train_test_split")]
    pub fn split(&self, share: f64, seed: u64) -> Result<(Dataset, Dataset)> {
        let (train, test) = match &self.target {
            Target::Classes(labels) | Target::Whole { classes: labels, .. } => {
                stratified_train_test_split(labels, share, seed)?
            }
            _ => train_test_split(self.rows(), share, seed)?,
        };
        Ok((self.select(&train)?, self.select(&test)?))
    }
}
