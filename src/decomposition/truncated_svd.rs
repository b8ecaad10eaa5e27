//! The leading singular vectors of rows as they are, sparse ones too.

use nalgebra::DMatrix;

use super::columns::{beside, numbered, upload};
use crate::array::{Matrix, SparseMatrix};
use crate::cpu::random::HostRng;
use crate::cpu::sparse::{self, Compressed, CompressedRows};
use crate::error::{Error, Result};
use crate::estimator::{
    Abilities, Declared, Estimator, Fit, FitReport, FittedWith, InputColumns, Model, OwnedRows, Rows, Save, Transform,
    parameters,
};
use crate::linalg::leading_eigen;
use crate::model_file::Container;
use crate::ops::{self, Layout};

/// Residuals, as shares of the largest eigenvalue, that end the iterations: with sums in f64, and in f32.
const TOLERANCES: [f64; 2] = [1e-9, 2e-6];
/// Products with blocks of vectors at most.
const MOST_PRODUCTS: usize = 500;
/// The stream of random numbers for the first vectors.
const STREAM: u32 = 0x7473_0000;

parameters! {
    /// The leading singular vectors of rows, which are not centred, so that sparse rows stay sparse: latent semantic analysis
    /// of counts. Names and defaults are scikit-learn's.
    ///
    /// ```
    /// use gristmill::decomposition::TruncatedSvd;
    /// use gristmill::prelude::*;
    /// let x = SparseMatrix::from_triplets(3, 4, [(0, 0, 2.0), (1, 0, 1.0), (1, 1, 1.0), (2, 3, 5.0)])?;
    /// let model = TruncatedSvd::new(2).fit(&x)?;
    /// assert!((model.singular_values()[0] - 5.0).abs() < 1e-6);
    /// assert_eq!(model.transform(&x)?.columns(), 2);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - Randomised block Lanczos on products with the rows, until the singular vectors are those of the whole matrix; sparse
    ///   rows in f64 on the host, dense ones in f32 where they live.
    /// - The largest entry of each component is positive.
    /// - At most as many components as there are rows or columns; a matrix of zeros has none: that is an error.
    pub struct TruncatedSvd: transformer("truncated-svd") -> TruncatedSvdModel;
    about "leading singular vectors of rows as they are, sparse ones too";
    new(n_components: usize);
    {
        /// Components to keep.
        n_components: usize = 2, at_least(1.0);
        /// Seed of the first vectors of the iterations.
        seed: u64 = 0;
    }
}

impl Estimator for TruncatedSvd {
    fn abilities(&self) -> Abilities {
        Abilities { sparse: true, ..Abilities::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<TruncatedSvdModel> {
        options.refuse_weights(Self::TYPE)?;
        let (n, d) = (x.rows(), x.column_info().1);
        if self.n_components > n.min(d) {
            let rule = format!("at most {}, the smaller of rows and columns", n.min(d));
            return Err(Error::param("n_components", rule, self.n_components));
        }
        options.watched("singular vectors", |reporter| {
            let mut made = 0;
            let mut counted = || {
                made += 1;
                reporter.check_stopped(made, made as f64 / MOST_PRODUCTS as f64)
            };
            match x {
                Rows::Sparse(sparse) => {
                    let rows = CompressedRows::from(sparse);
                    let turned: Compressed<f32> = rows.transposed();
                    self.search(d, TOLERANCES[0], |v| {
                        counted()?;
                        let along = sparse::multiply(rows, v.transpose().as_slice(), v.ncols());
                        let back = sparse::multiply(turned.view(), &along, v.ncols());
                        Ok(DMatrix::from_row_slice(d, v.ncols(), &back))
                    })
                }
                _ => {
                    let on_device = x.complete(Self::TYPE)?;
                    let mut stream = on_device.device().stream();
                    self.search(d, TOLERANCES[1], |v| {
                        counted()?;
                        let block = upload(d, v.ncols(), v.transpose().as_slice(), stream.device())?;
                        let along = ops::gemm(&mut stream, Layout::NN, &on_device, &block)?;
                        let back = ops::gemm(&mut stream, Layout::TN, &on_device, &along)?;
                        Ok(back.to_matrix(&mut stream)?.to_dmatrix())
                    })
                }
            }
        })
    }
}

impl TruncatedSvd {
    /// The leading eigenvectors of XᵀX by its products.
    fn search(
        &self,
        d: usize,
        tolerance: f64,
        product: impl FnMut(&DMatrix<f64>) -> Result<DMatrix<f64>>,
    ) -> Result<TruncatedSvdModel> {
        let columns = (self.n_components / 2).next_multiple_of(4).clamp(4, 64);
        let fresh = |number: usize| {
            let mut rng = HostRng::new(self.seed, STREAM.wrapping_add(number as u32));
            DMatrix::from_fn(d, columns, |_, _| rng.uniform() - 0.5)
        };
        let found = leading_eigen(d, self.n_components, (tolerance, MOST_PRODUCTS), product, fresh)?;
        if found.values[0] <= 0.0 {
            return Err(Error::shape(Self::TYPE, "a value other than 0", "only zeros"));
        }
        if !found.converged {
            log::warn!("{MOST_PRODUCTS} products left a residual of {:.1e} in the components", found.residual);
        }
        let singular = found.values.iter().map(|value| value.max(0.0).sqrt()).collect();
        Ok(TruncatedSvdModel {
            params: self.clone().into(),
            d,
            components: found.vectors.as_slice().to_vec(),
            singular,
        })
    }
}

/// The singular vectors that [`TruncatedSvd`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct TruncatedSvdModel {
    params: FittedWith<TruncatedSvd>,
    d: usize,
    /// k×d, row by row.
    components: Vec<f64>,
    singular: Vec<f64>,
}

impl TruncatedSvdModel {
    /// The right singular vectors, k×d, of length 1 and orthogonal.
    pub fn components(&self) -> DMatrix<f64> {
        DMatrix::from_row_slice(self.singular.len(), self.d, &self.components)
    }

    /// The singular values, descending.
    pub fn singular_values(&self) -> &[f64] {
        &self.singular
    }

    /// Rows with these coordinates, n×d: the nearest ones that these components can make.
    pub fn inverse_transform<'a>(&self, z: impl Into<Rows<'a>>) -> Result<Matrix> {
        let z = z.into().queries(TruncatedSvd::TYPE, self.singular.len())?;
        let mut stream = z.device().stream();
        let directions = upload(self.singular.len(), self.d, &self.components, stream.device())?;
        ops::gemm(&mut stream, Layout::NN, &z, &directions)?.to_matrix(&mut stream)
    }

    fn of_sparse(&self, x: &SparseMatrix) -> Result<Matrix> {
        if x.columns() != self.d {
            let expected = format!("{} columns, as in the data that was fitted", self.d);
            return Err(Error::shape(TruncatedSvd::TYPE, expected, format!("{} columns", x.columns())));
        }
        // k×d by columns is d×k by rows.
        let right = self.components().as_slice().to_vec();
        let made = sparse::multiply(CompressedRows::from(x), &right, self.singular.len());
        Matrix::from_f64(x.rows(), self.singular.len(), &made)
    }
}

impl Transform for TruncatedSvdModel {}

impl Model for TruncatedSvdModel {
    fn transform_rows(&self, x: Rows<'_>) -> Result<OwnedRows> {
        if let Rows::Sparse(sparse) = x {
            return self.of_sparse(sparse).map(OwnedRows::Host);
        }
        let on_device = x.queries(TruncatedSvd::TYPE, self.d)?;
        let mut stream = on_device.device().stream();
        let directions = upload(self.singular.len(), self.d, &self.components, stream.device())?;
        let made = ops::gemm(&mut stream, Layout::NT, &on_device, &directions)?;
        beside(x, made, &mut stream)
    }

    fn transformed_columns(&self, _: &InputColumns) -> Option<InputColumns> {
        Some(numbered(self.singular.len()))
    }

    fn report(&self) -> FitReport {
        FitReport::default().with_row("singular_values", self.singular.clone())
    }
}

impl Save for TruncatedSvdModel {
    type Estimator = TruncatedSvd;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.insert_list("singular_values", &self.singular)?;
        container.insert("components", &[self.singular.len(), self.d], self.components.clone())
    }

    fn load_fitted(params: FittedWith<TruncatedSvd>, container: &mut Container) -> Result<TruncatedSvdModel> {
        let singular: Vec<f64> = container.take_list("singular_values")?;
        let [k, d] = container.shape("components")?;
        let components = container.take("components", &[k, d])?;
        if k != singular.len() || k == 0 || d == 0 || singular.iter().any(|value| *value < 0.0) {
            return Err(container.refuse("singular values that do not fit the components"));
        }
        Ok(TruncatedSvdModel { params, d, components, singular })
    }
}
