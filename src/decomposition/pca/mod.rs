//! Principal components: the directions in which rows vary most.

mod components;
mod minka;
mod model;
mod pictures;
mod spectrum;

pub use components::Components;
pub use model::PcaModel;

use serde::{Deserialize, Serialize};

use crate::cost::Cost;
use crate::error::{Error, Result};
use crate::estimator::{Abilities, Declared, Estimator, Fit, FitShape, Rows, parameters};
use crate::solvers::scatter::Scatter;
use spectrum::{MOST_COLUMNS, Spectrum};

/// What columns are divided by before their components are found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnScale {
    /// Nothing.
    #[default]
    None,
    /// Their standard deviation, over n − 1.
    Deviation,
    /// Their length (Σ(x − mean)²)^½: √(n − 1) standard deviations.
    Norm,
}

parameters! {
    /// Principal component analysis: the orthogonal directions of largest variance, and the coordinates of rows along
    /// them. Names and defaults are scikit-learn's.
    ///
    /// ```
    /// use gristmill::decomposition::Pca;
    /// use gristmill::prelude::*;
    /// let iris = datasets::iris()?;
    /// let model = Pca::default().n_components(2).fit(&iris.x)?;
    /// assert!((model.explained_variance_ratio()[0] - 0.92461872).abs() < 1e-6);
    /// let z = model.transform(&iris.x)?; // 150×2
    /// let back = model.inverse_transform(&z)?; // 150×4
    /// assert!((model.reconstruction_error(&iris.x)? - 0.0253).abs() < 1e-4); // mean squared error of `back`
    /// # let _ = back;
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - Up to 4000 columns the covariance is made where the rows live, in f64 for small tables, and its eigenvectors on the
    ///   host in f64: all of them, or the leading ones by Lanczos' iterations if few are wanted. Above 4000 columns the leading
    ///   components come from products with the rows (randomised block Lanczos), or all from the products of the rows with each
    ///   other where there are few rows.
    /// - `n_components` is a number, a share of the variance such as 0.95, `mle` (Minka 2000), or none for all; there are
    ///   at most as many as rows or columns.
    /// - The largest entry of each component is positive.
    /// - A constant column has no part in any component. Rows that are all equal have no direction: that is an error.
    /// - `partial_fit` gives the components of all rows so far, exactly; up to 4000 columns.
    pub struct Pca: transformer("pca") -> PcaModel;
    about "principal components: the directions in which rows vary most";
    {
        /// Components to keep: a number, a share of the variance below 1, mle, or none for all.
        #[into]
        n_components: Components = Components::All;
        /// Whether the new columns are scaled to variance 1.
        whiten: bool = false;
        /// What the columns are divided by first: none, deviation or norm.
        scale: ColumnScale = ColumnScale::None;
        /// Seed of the first vectors of the iterations.
        seed: u64 = 0;
    }
}

impl Estimator for Pca {
    fn abilities(&self) -> Abilities {
        Abilities { chunks: true, ..Abilities::default() }
    }

    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        let (n, d) = (shape.rows as f64, shape.columns as f64);
        let count = self.n_components.count().unwrap_or(shape.columns) as f64;
        let uploading = Cost::uploading(shape.rows + shape.queries, shape.columns);
        let operations = match shape.columns <= MOST_COLUMNS {
            true => n * d * d,
            // Some ten products with a block of vectors and back.
            false => 40.0 * n * d * count,
        };
        let transforming = 2.0 * shape.queries as f64 * d * count;
        Some(Cost { operations: operations + transforming, syncs: 4.0, kernels: 6.0, ..uploading })
    }

    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<PcaModel> {
        let x = x.complete(Self::TYPE)?;
        let weights = options.weights(Self::TYPE, x.rows())?;
        let mut stream = x.device().stream();
        if x.columns() > MOST_COLUMNS {
            let found = spectrum::of_many_columns(self, &mut stream, &x, weights)?;
            return PcaModel::new(self, found, None);
        }
        let scatter = Scatter::of(&mut stream, &x, weights)?;
        PcaModel::new(self, Spectrum::of(self, &scatter)?, None)
    }

    fn partial_fit_rows(&self, model: Option<PcaModel>, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<PcaModel> {
        let x = x.complete(Self::TYPE)?;
        if x.columns() > MOST_COLUMNS {
            let expected = format!("at most {MOST_COLUMNS} columns for chunks of rows");
            return Err(Error::shape(Self::TYPE, expected, format!("{} columns", x.columns())));
        }
        let weights = options.weights(Self::TYPE, x.rows())?;
        let chunk = Scatter::of(&mut x.device().stream(), &x, weights)?;
        let seen = match model {
            Some(model) => model.into_scatter(x.columns())?.join(&chunk),
            None => chunk,
        };
        // The components of a first row are not known yet; those that come later are.
        let found = Spectrum::of(self, &seen)?;
        PcaModel::new(self, found, Some(seen))
    }
}
