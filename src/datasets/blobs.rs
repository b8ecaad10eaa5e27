//! Round clusters.

use rayon::prelude::*;

use super::generate::{Purpose, at_least_one, normals, random_order, uniforms, with_classes, zero_or_more};
use crate::array::Matrix;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::settings::settings;

settings! {
    /// Round normal clusters around random centres, with all but equally many rows.
    ///
    /// ```
    /// use gristmill::datasets::Blobs;
    /// let (data, centers) = Blobs::default().n_samples(300).centers(4).cluster_std(0.5).seed(42).generate_with_centers()?;
    /// assert_eq!(data.labels()?.counts(), [75; 4]);
    /// assert_eq!((centers.rows(), centers.columns()), (4, 2));
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    #[derive(Debug, Clone, PartialEq)]
    pub struct Blobs {
        /// Rows, n.
        n_samples: usize = 100;
        /// Columns, d.
        n_features: usize = 2;
        /// Clusters, k, at most n.
        centers: usize = 3;
        /// The deviation of each column within a cluster.
        cluster_std: f32 = 1.0;
        /// Where each coordinate of a centre lies.
        center_box: (f32, f32) = (-10.0, 10.0);
        /// Decides the rows.
        seed: u64 = 0;
    }
}

/// `n` rows of `d` columns in `centers` round clusters of deviation 1: [`Blobs`] with its defaults.
///
/// ```
/// let data = gristmill::datasets::blobs(500, 2, 5, 7)?;
/// assert_eq!((data.x.rows(), data.x.columns(), data.labels()?.classes()), (500, 2, 5));
/// # Ok::<(), gristmill::Error>(())
/// ```
#[doc(alias = "make_blobs")]
pub fn blobs(n: usize, d: usize, centers: usize, seed: u64) -> Result<Dataset> {
    Blobs::default().n_samples(n).n_features(d).centers(centers).seed(seed).generate()
}

impl Blobs {
    /// The rows, with the number of the cluster as class.
    pub fn generate(&self) -> Result<Dataset> {
        Ok(self.generate_with_centers()?.0)
    }

    /// The rows, and the centres they were drawn around, k×d.
    pub fn generate_with_centers(&self) -> Result<(Dataset, Matrix)> {
        at_least_one("n_features", self.n_features)?;
        zero_or_more("cluster_std", self.cluster_std)?;
        if self.centers == 0 || self.centers > self.n_samples {
            return Err(Error::param("centers", "from 1 to n_samples", self.centers));
        }
        let (low, high) = self.center_box;
        if !(high - low).is_finite() || low > high {
            return Err(Error::param("center_box", "finite, the lower end first", format!("({low}, {high})")));
        }
        let d = self.n_features;
        let mut x = normals(self.n_samples, d, self.seed, Purpose::Rows)?;
        let order = random_order(self.n_samples, self.seed)?;
        let codes: Vec<u32> = order.iter().map(|row| row % self.centers as u32).collect();
        let centers = uniforms((self.centers, d), self.center_box, self.seed, Purpose::Centers)?;
        x.as_mut_slice().par_chunks_mut(d).zip(&codes).for_each(|(row, code)| {
            row.iter_mut()
                .zip(centers.row(*code as usize))
                .for_each(|(value, center)| *value = center + self.cluster_std * *value);
        });
        Ok((with_classes(x, codes, self.centers)?, centers))
    }
}
