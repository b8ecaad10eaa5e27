//! Numbers into bins.

use serde::{Deserialize, Serialize};

use super::k_means_bins::k_means_edges;
use crate::array::Matrix;
use crate::cpu::reduce::argmax;
use crate::cpu::sort::numbers::sort_numbers;
use crate::error::Result;
use crate::estimator::{Declared, Estimator, Fit, FittedWith, Rows, Save, parameters};
use crate::model_file::Container;
use crate::preprocessing::statistics::by_column;
use crate::preprocessing::table::{map_rows, restore_lists, store_lists};
use crate::preprocessing::transformer::{Transformer, to_fit, to_turn_back};

/// Bins at most: the numbers of this many are exact in f32.
const MOST_BINS: usize = 1 << 24;

/// Where the edges of bins are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BinStrategy {
    /// Bins of equal width.
    Uniform,
    /// Bins of equally many rows: the edges are quantiles, at a jump the mean of both sides.
    #[default]
    Quantile,
    /// Halfway between the centres that k-means finds in the column, from centres of equal distance.
    KMeans,
}

/// What becomes of the number of a bin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BinEncoding {
    /// A column for each bin, with one 1 in each row.
    #[default]
    OneHot,
    /// The number of the bin, from 0.
    Ordinal,
}

parameters! {
    /// Cuts each column into bins. Names and defaults are scikit-learn's.
    ///
    /// A bin holds its lower edge; values beyond the fitted ones go to the first or the last bin. A constant column has
    /// one bin, and quantiles that are equal are one edge, which leaves fewer bins (a warning says so). Edges are found
    /// from all rows, on sorted copies of sixteen columns at a time; a value takes O(log bins).
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// use gristmill::preprocessing::{BinEncoding, BinStrategy, KBinsDiscretizer};
    /// let x = Matrix::from_rows(&[[0.0], [1.0], [5.0], [9.0]])?;
    /// let bins = KBinsDiscretizer::new(3).strategy(BinStrategy::Uniform).encode(BinEncoding::Ordinal);
    /// let model = bins.fit(&x)?;
    /// assert_eq!(model.bin_edges()[0], [0.0, 3.0, 6.0, 9.0]);
    /// assert_eq!(model.transform(&x)?.as_slice(), [0.0, 0.0, 1.0, 2.0]);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub struct KBinsDiscretizer: transformer("k-bins-discretizer") -> KBinsDiscretizerModel;
    about "cuts each column into bins";
    new(n_bins: usize);
    {
        /// Number of bins of each column.
        n_bins: usize = 5, from_to(2.0, MOST_BINS as f64);
        /// How a bin is encoded: onehot or ordinal.
        encode: BinEncoding = BinEncoding::OneHot;
        /// Where the edges are: uniform, quantile or kmeans.
        strategy: BinStrategy = BinStrategy::Quantile;
    }
}

impl KBinsDiscretizer {
    /// The edges for the values of one column: ascending, both ends included.
    fn edges(&self, mut values: Vec<f32>) -> Vec<f64> {
        sort_numbers(&mut values);
        let (low, high) = (f64::from(values[0]), f64::from(values[values.len() - 1]));
        if low == high {
            return vec![low, high];
        }
        let mut edges: Vec<f64> = match self.strategy {
            BinStrategy::Uniform => {
                let inner = (0..self.n_bins).map(|at| low + at as f64 * ((high - low) / self.n_bins as f64));
                inner.chain([high]).collect()
            }
            BinStrategy::Quantile => (0..=self.n_bins).map(|at| quantile(&values, at, self.n_bins)).collect(),
            BinStrategy::KMeans => k_means_edges(&values, self.n_bins),
        };
        edges.dedup();
        edges
    }
}

impl Estimator for KBinsDiscretizer {
    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<KBinsDiscretizerModel> {
        let edges = by_column(&to_fit(self, x, &options)?, |_, values| self.edges(values));
        for (column, edges) in edges.iter().enumerate().filter(|(_, edges)| edges.len() <= self.n_bins) {
            log::warn!("{}: column {column} has values for {} bins, not {}", Self::TYPE, edges.len() - 1, self.n_bins);
        }
        Ok(KBinsDiscretizerModel { params: self.clone().into(), edges })
    }
}

/// The quantile `part/parts` of sorted values; where it falls between two of them, their mean.
fn quantile(values: &[f32], part: usize, parts: usize) -> f64 {
    let (product, parts) = (part as u128 * values.len() as u128, parts as u128);
    let place = ((product / parts) as usize).min(values.len() - 1);
    let between = product % parts == 0 && place > 0 && part as u128 != parts;
    let above = f64::from(values[place]);
    if between { (f64::from(values[place - 1]) + above) / 2.0 } else { above }
}

/// The edges that [`KBinsDiscretizer`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct KBinsDiscretizerModel {
    params: FittedWith<KBinsDiscretizer>,
    edges: Vec<Vec<f64>>,
}

impl KBinsDiscretizerModel {
    /// The edges of each column's bins, ascending: one more than bins. The single bin of a constant column starts and
    /// ends at its value.
    pub fn bin_edges(&self) -> &[Vec<f64>] {
        &self.edges
    }

    /// Bins of each column, d numbers.
    pub fn n_bins(&self) -> Vec<usize> {
        self.edges.iter().map(|edges| edges.len() - 1).collect()
    }

    /// The middle of the bin of each value, n×d. Where there is a column for each bin, the largest of a row counts.
    pub fn inverse_transform<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Matrix> {
        let x = to_turn_back(self, x.into(), self.output_columns())?;
        x.refuse_missing()?;
        let columns = self.edges.len();
        let ordinal = self.params.encode == BinEncoding::Ordinal;
        map_rows(&x, columns, |row, out| {
            let mut rest = row;
            for (out, edges) in out.iter_mut().zip(&self.edges) {
                let bins = edges.len() - 1;
                let (cells, behind) = rest.split_at(if ordinal { 1 } else { bins });
                let bin = if ordinal { (cells[0] as usize).min(bins - 1) } else { argmax(cells) };
                *out = ((edges[bin] + edges[bin + 1]) / 2.0) as f32;
                rest = behind;
            }
        })
    }

    fn output_columns(&self) -> usize {
        match self.params.encode {
            BinEncoding::Ordinal => self.edges.len(),
            BinEncoding::OneHot => self.edges.iter().map(|edges| edges.len() - 1).sum(),
        }
    }
}

impl Transformer for KBinsDiscretizerModel {
    fn columns(&self) -> usize {
        self.edges.len()
    }

    /// With the number of the bin (`x0_0`, `x0_1`, …) when there is a column for each bin.
    fn new_columns(&self, names: Vec<String>) -> Vec<(String, Option<usize>)> {
        let of = |(name, bins): (String, usize)| match self.params.encode {
            BinEncoding::Ordinal => vec![(name, None)],
            BinEncoding::OneHot => (0..bins).map(|bin| (format!("{name}_{bin}"), None)).collect(),
        };
        names.into_iter().zip(self.n_bins()).flat_map(of).collect()
    }

    /// The bin of each value: n×d numbers, or one 1 among the columns of its bins.
    fn transform_matrix(&self, x: &Matrix) -> Result<Matrix> {
        let ordinal = self.params.encode == BinEncoding::Ordinal;
        map_rows(x, self.output_columns(), |row, out| {
            let mut first = 0;
            for (value, edges) in row.iter().zip(&self.edges) {
                let inner = &edges[1..edges.len() - 1];
                let bin = inner.partition_point(|edge| *edge <= f64::from(*value));
                if ordinal {
                    out[first] = bin as f32;
                    first += 1;
                } else {
                    out[first + bin] = 1.0;
                    first += edges.len() - 1;
                }
            }
        })
    }
}

impl Save for KBinsDiscretizerModel {
    type Estimator = KBinsDiscretizer;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        store_lists(container, "edges", &self.edges)
    }

    fn load_fitted(params: FittedWith<KBinsDiscretizer>, container: &mut Container) -> Result<KBinsDiscretizerModel> {
        let edges = restore_lists(container, "edges", 2)?;
        if edges.iter().any(|edges| !edges.is_sorted()) {
            return Err(container.refuse("the edges of the bins do not ascend"));
        }
        Ok(KBinsDiscretizerModel { params, edges })
    }
}
