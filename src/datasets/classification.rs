//! Classes on the corners of a cube.

use rayon::prelude::*;

use super::generate::{Purpose, at_least_one, normals, random_order, uniforms, with_classes, zero_or_more};
use crate::array::Matrix;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::settings::settings;

/// Coordinates whose corners are drawn without repetition; further ones are drawn freely.
const DISTINCT: usize = 16;

settings! {
    /// A classification problem in the manner of Guyon's Madelon (2003): each class has clusters on corners of a cube, each
    /// cluster is stretched at random, and columns that repeat or say nothing are added.
    ///
    /// The informative columns come first, then the redundant ones (random sums of the informative), then noise.
    ///
    /// ```
    /// use gristmill::datasets::Classification;
    /// let problem = Classification::default().n_samples(400).n_features(10).n_informative(3).n_classes(4).seed(42);
    /// let data = problem.generate()?;
    /// assert_eq!((data.x.rows(), data.x.columns(), data.labels()?.classes()), (400, 10, 4));
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    #[derive(Debug, Clone, PartialEq)]
    pub struct Classification {
        /// Rows, n.
        n_samples: usize = 100;
        /// Columns, d.
        n_features: usize = 20;
        /// Columns that tell the classes apart.
        n_informative: usize = 2;
        /// Columns that are sums of informative ones.
        n_redundant: usize = 2;
        /// Classes, k.
        n_classes: usize = 2;
        /// Clusters of each class; all clusters together are at most `2^n_informative`.
        n_clusters_per_class: usize = 2;
        /// Half the edge of the cube: the larger, the easier.
        class_sep: f32 = 1.0;
        /// The share of rows that get a class at random.
        flip_y: f32 = 0.01;
        /// Decides the rows.
        seed: u64 = 0;
    }
}

impl Classification {
    /// The rows and their classes.
    pub fn generate(&self) -> Result<Dataset> {
        let clusters = self.check()?;
        let (d, m) = (self.n_features, self.n_informative);
        let order = random_order(self.n_samples, self.seed)?;
        let corners = self.corners(clusters)?;
        let mixing = uniforms((clusters * m, m), (-1.0, 1.0), self.seed, Purpose::Mixing)?;
        let redundancy = uniforms((m, self.n_redundant), (-1.0, 1.0), self.seed, Purpose::Redundancy)?;
        let mut x = normals(self.n_samples, d, self.seed, Purpose::Rows)?;
        x.as_mut_slice().par_chunks_mut(d).zip(&order).for_each(|(row, place)| {
            let cluster = *place as usize % clusters;
            let mixed = combined(&row[..m], &mixing, cluster * m);
            let placed = mixed.iter().zip(corners.row(cluster)).map(|(value, corner)| value + corner);
            row.iter_mut().zip(placed).for_each(|(value, placed)| *value = placed);
            let redundant = combined(&row[..m], &redundancy, 0);
            row[m..m + self.n_redundant].copy_from_slice(&redundant);
        });
        let flips = Purpose::Flips.philox(self.seed);
        let class = |(row, place): (usize, &u32)| {
            let flipped = flips.uniform(2 * row as u64) < self.flip_y;
            let own = (*place as usize % clusters % self.n_classes) as u32;
            if flipped { flips.below(2 * row as u64 + 1, self.n_classes as u32) } else { own }
        };
        let codes = order.iter().enumerate().map(class).collect();
        with_classes(x, codes, self.n_classes)
    }

    /// The number of clusters, when all parameters fit together.
    fn check(&self) -> Result<usize> {
        at_least_one("n_informative", self.n_informative)?;
        at_least_one("n_classes", self.n_classes)?;
        at_least_one("n_clusters_per_class", self.n_clusters_per_class)?;
        zero_or_more("class_sep", self.class_sep)?;
        if !(0.0..=1.0).contains(&self.flip_y) {
            return Err(Error::param("flip_y", "from 0 to 1", self.flip_y));
        }
        let used = self.n_informative.checked_add(self.n_redundant);
        if used.is_none_or(|used| used > self.n_features) {
            return Err(Error::param("n_features", "at least n_informative + n_redundant", self.n_features));
        }
        let corners = 1_usize << self.n_informative.min(DISTINCT);
        let clusters = self.n_classes.checked_mul(self.n_clusters_per_class);
        clusters.filter(|clusters| *clusters <= corners).ok_or_else(|| {
            let rule =
                format!("so few that all clusters find one of {corners} corners (2^n_informative, at most 2^16)");
            Error::param(
                "n_classes",
                rule,
                format!("{} with {} clusters each", self.n_classes, self.n_clusters_per_class),
            )
        })
    }

    /// A different corner for each cluster, k×m.
    fn corners(&self, clusters: usize) -> Result<Matrix> {
        let m = self.n_informative;
        let distinct = Purpose::Corners.permutation(self.seed, 1 << m.min(DISTINCT));
        let further = Purpose::FurtherCorners.philox(self.seed);
        let mut corners = Matrix::zeros(clusters, m)?;
        for (at, corner) in corners.as_mut_slice().iter_mut().enumerate() {
            let (cluster, column) = (at / m, at % m);
            let bit = match column {
                0..DISTINCT => distinct[cluster] >> column & 1,
                _ => further.number(at as u64) & 1,
            };
            *corner = if bit == 1 { self.class_sep } else { -self.class_sep };
        }
        Ok(corners)
    }
}

/// A row times the rows of a matrix from `first` on.
fn combined(row: &[f32], matrix: &Matrix, first: usize) -> Vec<f32> {
    let mut sums = vec![0.0; matrix.columns()];
    for (value, factors) in row.iter().zip(first..).map(|(value, at)| (value, matrix.row(at))) {
        sums.iter_mut().zip(factors).for_each(|(sum, factor)| *sum += value * factor);
    }
    sums
}
