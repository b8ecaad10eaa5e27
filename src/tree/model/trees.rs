//! The fitted trees of a model, one or many, with the columns and classes they were fitted on.

use super::flatten::flatten;
use super::shapley::{Cover, ShapleyTree, shapley_values};
use super::storage::{restore_trees, store_trees};
use super::tree::Tree;
use crate::array::{DeviceMatrix, Matrix};
use crate::cpu::reduce::argmax;
use crate::data::Labels;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::estimator::{OnDevice, Rows, Task};
use crate::model_file::Container;
use crate::ops::tree::predict::{LeafValues, predict, predict_sums};

/// Trees whose mean is the prediction.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Trees {
    trees: Vec<Tree>,
    columns: usize,
    names: Option<Vec<String>>,
    /// The classes without rows, where they are what is learnt.
    classes: Option<Labels>,
}

impl Trees {
    /// Trees that were fitted on the columns of `x` and on classes, if any; there is one at least.
    pub(crate) fn new(trees: Vec<Tree>, x: &Matrix, classes: Option<&Labels>) -> Result<Trees> {
        let classes = classes.map(|classes| classes.with_codes(vec![])).transpose()?;
        Ok(Trees { trees, columns: x.columns(), names: x.names().map(<[String]>::to_vec), classes })
    }

    pub(crate) fn trees(&self) -> &[Tree] {
        &self.trees
    }

    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    pub(crate) fn names(&self) -> Option<&[String]> {
        self.names.as_deref()
    }

    /// Values of a node.
    pub(crate) fn outputs(&self) -> usize {
        self.trees[0].outputs()
    }

    pub(crate) fn classes(&self) -> Option<&Labels> {
        self.classes.as_ref()
    }

    /// The names of the classes; empty for trees of numbers.
    pub(crate) fn class_names(&self) -> &[String] {
        self.classes.as_ref().map_or(&[], Labels::names)
    }

    /// Rows to predict for, where they live: as wide as the trees were fitted on; missing values are welcome.
    pub(crate) fn queries<'a>(&self, op: &'static str, x: Rows<'a>) -> Result<OnDevice<'a>> {
        let x = x.on_device()?;
        if x.columns() != self.columns {
            let expected = format!("{} columns, as in the data that was fitted", self.columns);
            return Err(Error::shape(op, expected, format!("{} columns", x.columns())));
        }
        Ok(x)
    }

    /// The mean over the trees of the values that each row meets, n×outputs, added in the order of the trees.
    /// They are added up where the rows live.
    pub(crate) fn mean_values(&self, x: &DeviceMatrix) -> Result<Vec<f64>> {
        let values: Vec<&[f64]> = self.trees.iter().map(Tree::values).collect();
        let (values, start) = (LeafValues { trees: &values, of_all: true }, vec![0.0; self.outputs()]);
        let mut sums = predict_sums(&mut x.device().stream(), x, &flatten(&self.trees), &values, &start)?;
        let count = self.trees.len() as f64;
        sums.iter_mut().for_each(|sum| *sum /= count);
        Ok(sums)
    }

    /// The leaf of each row in each tree, n×trees.
    pub(crate) fn leaves(&self, x: &DeviceMatrix) -> Result<Vec<u32>> {
        let count = self.trees.len();
        let mut found = vec![0; x.rows() * count];
        predict(&mut x.device().stream(), x, &flatten(&self.trees), &mut found, count, |found, tree, leaves| {
            found.iter_mut().skip(tree).step_by(count).zip(leaves).for_each(|(place, leaf)| *place = *leaf);
        })?;
        Ok(found)
    }

    /// The Shapley values of each row's mean values, n×(d + 1) an output; shares of rows are by their weights.
    pub(crate) fn shapley_values(&self, op: &'static str, x: Rows<'_>) -> Result<Vec<Matrix>> {
        self.queries(op, x)?;
        let (x, scale) = (x.on_host()?, 1.0 / self.trees.len() as f64);
        let trees = self.trees.iter().map(|tree| ShapleyTree::new(tree, 0, scale, Cover::Weights));
        let trees: Vec<ShapleyTree<'_>> = trees.collect();
        shapley_values(&trees, &vec![0.0; self.outputs()], &x)
    }

    /// The class that each tree of classes gives each row, n×trees; the lowest of equally likely ones.
    pub(crate) fn votes(&self, x: &DeviceMatrix) -> Result<Vec<u32>> {
        let (count, outputs) = (self.trees.len(), self.outputs());
        let of_nodes: Vec<Vec<u32>> = self.trees.iter().map(|tree| likeliest(tree.values(), outputs)).collect();
        let mut votes = self.leaves(x)?;
        votes.iter_mut().enumerate().for_each(|(at, leaf)| *leaf = of_nodes[at % count][*leaf as usize]);
        Ok(votes)
    }

    /// What each tree predicts for each row, n×outputs.
    pub(crate) fn predictions(&self, x: &DeviceMatrix) -> Result<impl Iterator<Item = Result<Matrix>>> {
        let (count, outputs, rows, leaves) = (self.trees.len(), self.outputs(), x.rows(), self.leaves(x)?);
        Ok(self.trees.iter().enumerate().map(move |(number, tree)| {
            let values = leaves.iter().skip(number).step_by(count).flat_map(|leaf| tree.value(*leaf));
            to_matrix(&values.copied().collect::<Vec<f64>>(), rows, outputs)
        }))
    }

    /// How much of what the trees gained each column gave: the mean of the trees' shares, with the sum 1; zeros when
    /// no tree has a split that gained something.
    pub(crate) fn importances(&self) -> Vec<f64> {
        let mut mean = vec![0.0; self.columns];
        for tree in &self.trees {
            let mut gains = vec![0.0; self.columns];
            tree.add_gains(&mut gains);
            let total: f64 = gains.iter().sum();
            if total > 0.0 {
                mean.iter_mut().zip(&gains).for_each(|(mean, gain)| *mean += gain / total);
            }
        }
        let total: f64 = mean.iter().sum();
        if total > 0.0 {
            mean.iter_mut().for_each(|share| *share /= total);
        }
        mean
    }

    pub(crate) fn store(&self, container: &mut Container) -> Result<()> {
        store_trees(container, &self.trees)?;
        if let Some(names) = &self.names {
            container.insert_strings("column_names", names)?;
        }
        match &self.classes {
            Some(classes) => container.insert_strings("class_names", classes.names()),
            None => Ok(()),
        }
    }

    /// Trees of `columns` columns and `outputs` values a node, as many as there are classes where those are the task.
    pub(crate) fn restore(
        container: &mut Container,
        columns: usize,
        task: Task,
        outputs: Option<usize>,
    ) -> Result<Trees> {
        let classes = match task {
            Task::Classification => Some(Labels::from_codes(vec![], container.take_strings("class_names")?)?),
            _ => None,
        };
        let outputs = classes.as_ref().map(Labels::classes).or(outputs).unwrap_or(0);
        if outputs == 0 {
            return Err(container.refuse("there are no outputs"));
        }
        let trees = restore_trees(container, columns, outputs)?;
        let names = match container.contains("column_names.ends") {
            true => Some(container.take_strings("column_names")?),
            false => None,
        };
        if trees.is_empty() || names.as_ref().is_some_and(|names| names.len() != columns) {
            return Err(container.refuse(format!("there are no trees, or not {columns} names of columns")));
        }
        Ok(Trees { trees, columns, names, classes })
    }
}

/// Rows to learn from, on the host, and where they lived: at least one of them, and at least one column; missing values
/// are welcome.
pub(crate) fn rows_to_learn(op: &'static str, x: Rows<'_>) -> Result<(Matrix, Device)> {
    let (device, x) = (x.device(), x.on_host()?);
    if x.rows() == 0 || x.columns() == 0 {
        let (expected, got) = ("at least one row and one column", format!("{}×{}", x.rows(), x.columns()));
        return Err(Error::shape(op, expected.to_string(), got));
    }
    Ok((x, device))
}

/// Refuses classes that do not belong to the rows.
pub(crate) fn check_classes(op: &'static str, x: &Matrix, y: &Labels) -> Result<()> {
    if y.len() == x.rows() {
        return Ok(());
    }
    Err(Error::shape(op, format!("a class for each of {} rows", x.rows()), y.len()))
}

/// The class with the largest probability in each row of n×k probabilities; the lowest of equals.
pub(crate) fn likeliest(probabilities: &[f64], classes: usize) -> Vec<u32> {
    probabilities.chunks_exact(classes.max(1)).map(|row| argmax(row) as u32).collect()
}

/// n×outputs values as a matrix.
pub(crate) fn to_matrix(values: &[f64], rows: usize, outputs: usize) -> Result<Matrix> {
    Matrix::from_vec(rows, outputs, values.iter().map(|value| *value as f32).collect())
}
