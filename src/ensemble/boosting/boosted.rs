//! Boosted trees, whatever they predict.

use std::sync::Arc;

use crate::array::Matrix;
use crate::cpu::tree::predict::FlatTrees;
use crate::error::{Error, Result};
use crate::estimator::{FitReport, Rows};
use crate::model_file::Container;
use crate::ops::tree::predict::{LeafValues, predict_sums};
use crate::tree::Tree;
use crate::tree::bins::Categories;
use crate::tree::model::{Cover, ShapleyTree, flatten, restore_trees, shapley_values, store_trees};

/// Trees whose values add up to scores: those of a round one after the other, one an output.
#[derive(Debug, Clone)]
pub(super) struct Boosted {
    trees: Vec<Tree>,
    baseline: Vec<f64>,
    features: usize,
    curve: Vec<f64>,
    converged: bool,
    flat: FlatTrees,
}

impl Boosted {
    pub fn new(trees: Vec<Tree>, baseline: Vec<f64>, features: usize, curve: Vec<f64>, converged: bool) -> Boosted {
        let flat = flatten(&trees);
        Boosted { trees, baseline, features, curve, converged, flat }
    }

    pub fn trees(&self) -> &[Tree] {
        &self.trees
    }

    pub fn outputs(&self) -> usize {
        self.baseline.len()
    }

    /// Columns of the rows that were fitted.
    pub fn features(&self) -> usize {
        self.features
    }

    /// The Shapley values of each row's scores, n×(d + 1) an output; shares of rows are by their number.
    pub fn shapley_values(&self, op: &'static str, x: Rows<'_>) -> Result<Vec<Matrix>> {
        let x = self.rows(op, x)?;
        let outputs = self.outputs();
        let trees = self.trees.iter().enumerate();
        let trees = trees.map(|(at, tree)| ShapleyTree::new(tree, at % outputs, 1.0, Cover::Rows));
        let trees: Vec<ShapleyTree<'_>> = trees.collect();
        shapley_values(&trees, &self.baseline, &x)
    }

    pub fn baseline(&self) -> &[f64] {
        &self.baseline
    }

    pub fn rounds(&self) -> usize {
        self.trees.len() / self.outputs().max(1)
    }

    /// The trees of a round, if there is one of this number.
    pub fn round(&self, round: usize) -> Option<&[Tree]> {
        self.trees.chunks_exact(self.outputs()).nth(round)
    }

    /// The bins of categories that a fit on the rows of `x` has to keep to; none where there are none yet. The same
    /// columns must be marked as categorical as in the rows that were fitted.
    pub fn categories_for(&self, x: &Matrix) -> Result<Option<&Arc<Categories>>> {
        let Some(first) = self.trees.first() else { return Ok(None) };
        let known = first.categories();
        let fitted = |column: &usize| known.is_some_and(|known| known.feature(*column).is_some());
        match (0..x.columns()).find(|column| fitted(column) != x.is_categorical(*column)) {
            None => Ok(known),
            Some(column) => {
                let marked: Vec<usize> = (0..x.columns()).filter(fitted).collect();
                let expected = format!(
                    "the categorical columns of the model to go on from, {marked:?}; mark them with \
                     Matrix::with_categories, or fit anew"
                );
                let kind = if x.is_categorical(column) { "categorical" } else { "one of numbers" };
                Err(Error::shape("gradient boosting", expected, format!("column {column} is {kind}")))
            }
        }
    }

    /// The baseline, for a fit that goes on to `rounds` rounds of `outputs` outputs.
    pub fn continued(&self, outputs: usize, rounds: usize) -> Result<Vec<f64>> {
        if outputs != self.outputs() {
            let (expected, got) = (format!("{} outputs, as in the model", self.outputs()), outputs.to_string());
            return Err(Error::shape("gradient boosting", expected, got));
        }
        if rounds < self.rounds() {
            let rule = format!("at least the {} rounds of the model to go on from", self.rounds());
            return Err(Error::param("n_estimators", rule, rounds));
        }
        Ok(self.baseline.clone())
    }

    pub fn curve(&self) -> &[f64] {
        &self.curve
    }

    pub fn converged(&self) -> bool {
        self.converged
    }

    /// Rows to predict for, on the host and as wide as the fitted ones; missing values are welcome.
    pub fn rows(&self, op: &'static str, x: Rows<'_>) -> Result<Matrix> {
        let x = x.on_host()?;
        self.check_width(op, x.columns())?;
        Ok(x)
    }

    /// The scores of each row, n×outputs: the baseline and the values of the leaves, added in f64 in the trees' order.
    /// They are added up where the rows live.
    pub fn scores(&self, op: &'static str, x: Rows<'_>) -> Result<Vec<f64>> {
        let x = x.on_device()?;
        self.check_width(op, x.columns())?;
        let values: Vec<&[f64]> = self.trees.iter().map(Tree::values).collect();
        let values = LeafValues { trees: &values, of_all: false };
        predict_sums(&mut x.device().stream(), &x, &self.flat, &values, &self.baseline)
    }

    pub fn check_width(&self, op: &'static str, columns: usize) -> Result<()> {
        if columns != self.features {
            let expected = format!("{} columns, as in the data that was fitted", self.features);
            return Err(Error::shape(op, expected, format!("{columns} columns")));
        }
        Ok(())
    }

    /// How much of all gains each feature has, summing to 1; all 0 if no tree has a split.
    pub fn importances(&self) -> Vec<f64> {
        let mut gains = vec![0.0; self.features];
        self.trees.iter().for_each(|tree| tree.add_gains(&mut gains));
        let total: f64 = gains.iter().sum();
        gains.iter().map(|gain| if total > 0.0 { gain / total } else { 0.0 }).collect()
    }

    /// In how many splits each feature is used.
    pub fn split_counts(&self) -> Vec<u64> {
        let mut splits = vec![0; self.features];
        self.trees.iter().for_each(|tree| tree.add_splits(&mut splits));
        splits
    }

    /// The report of the fit.
    pub fn report(&self) -> FitReport {
        // All rounds that were asked for is how boosting is meant to end; only early stopping is news.
        let ending = match self.curve.is_empty() {
            true => "until no split lowered the loss",
            false => "until the validation loss no longer fell",
        };
        let ending = self.converged.then_some(ending);
        let report = FitReport::default().rounds(self.rounds(), ending);
        report.with_curve("validation_loss", &self.curve).with_row("importances", self.importances())
    }

    pub fn store(&self, container: &mut Container) -> Result<()> {
        container.insert("baseline", &[self.baseline.len()], self.baseline.clone())?;
        container.insert("validation_loss", &[self.curve.len()], self.curve.clone())?;
        store_trees(container, &self.trees)
    }

    pub fn restore(container: &mut Container, features: usize, converged: bool) -> Result<Boosted> {
        let [outputs] = container.shape("baseline")?;
        let [rounds] = container.shape("validation_loss")?;
        let baseline = container.take("baseline", &[outputs])?;
        let curve = container.take("validation_loss", &[rounds])?;
        let trees = restore_trees(container, features, 1)?;
        if outputs == 0 || trees.len() % outputs != 0 {
            return Err(container.refuse(format!("{} trees for {outputs} outputs", trees.len())));
        }
        Ok(Boosted::new(trees, baseline, features, curve, converged))
    }
}
