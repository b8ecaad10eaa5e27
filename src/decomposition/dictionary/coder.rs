//! Codes by a dictionary that is given.

use super::coding::{Coding, CodingAlgorithm};
use super::model::{Atoms, check_rows, dictionary_model, normalise};
use crate::array::Matrix;
use crate::error::{Error, Result};
use crate::estimator::{
    Declared, Estimator, Fit, FitReport, FittedWith, InputColumns, Model, OwnedRows, PictureInput, Rows, Save,
    Transform, parameters,
};
use crate::model_file::Container;
use crate::plot::Figure;

parameters! {
    /// Sparse codes of rows by a dictionary that is known: the rows given to `fit` are its atoms.
    ///
    /// ```
    /// use gristmill::decomposition::SparseCoder;
    /// use gristmill::prelude::*;
    /// let dictionary = Matrix::from_rows(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.6, 0.8]])?;
    /// let coder = SparseCoder::default().transform_n_nonzero_coefs(1).fit(&dictionary)?;
    /// let codes = coder.transform(&Matrix::from_rows(&[[0.1, 3.0, 4.0]])?)?;
    /// assert_eq!(codes.row(0), [0.0, 0.0, 5.0]);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - Atoms are scaled to length 1; a row of zeros is no atom: that is an error.
    /// - Codes are found where the rows are, from products alone. On a GPU at most 1024 atoms, and 32 of them for a row by
    ///   matching pursuit.
    /// - In a pipeline the fitted rows are the atoms, so a row is told as a sum of few others.
    pub struct SparseCoder: transformer("sparse-coder") -> SparseCoderModel;
    about "sparse codes of rows by a dictionary: the rows it is fitted on";
    {
        /// How codes are found: omp, lasso_cd or threshold.
        transform_algorithm: CodingAlgorithm = CodingAlgorithm::Omp;
        /// Atoms of a row at most, for omp; none for a tenth of the columns.
        transform_n_nonzero_coefs: Option<usize> = None, at_least(1.0);
        /// The penalty of lasso_cd, or the threshold; none for 1. For omp the squared length of a rest that is small enough.
        transform_alpha: Option<f64> = None, at_least(0.0);
        /// Whether coefficients below 0 are ruled out; not for omp.
        positive_code: bool = false;
    }
}

impl Estimator for SparseCoder {
    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<SparseCoderModel> {
        options.refuse_weights(Self::TYPE)?;
        let x = x.complete(Self::TYPE)?;
        check_rows(Self::TYPE, &x)?;
        let mut values = x.to_matrix(&mut x.device().stream())?;
        let d = values.columns();
        for (row, atom) in values.as_mut_slice().chunks_exact_mut(d).enumerate() {
            if atom.iter().all(|value| *value == 0.0) {
                return Err(Error::shape(Self::TYPE, "atoms that are not all zeros", format!("zeros in row {row}")));
            }
            normalise(atom);
        }
        let values = Matrix::from_vec(values.rows(), d, values.into_vec())?;
        Ok(SparseCoderModel {
            params: self.clone().into(),
            atoms: Atoms { values, objective: vec![], converged: true },
        })
    }
}

/// A dictionary, and a way to code rows by it.
#[derive(Debug, Clone, PartialEq)]
pub struct SparseCoderModel {
    params: FittedWith<SparseCoder>,
    atoms: Atoms,
}

impl SparseCoderModel {
    fn code(&self, x: Rows<'_>) -> Result<OwnedRows> {
        let coding = Coding {
            algorithm: self.params.transform_algorithm,
            nonzeros: self.params.transform_n_nonzero_coefs,
            alpha: self.params.transform_alpha,
            positive: self.params.positive_code,
        };
        self.atoms.code(SparseCoder::TYPE, &coding, x)
    }
}

dictionary_model!(SparseCoderModel, SparseCoder);

impl Save for SparseCoderModel {
    type Estimator = SparseCoder;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        self.atoms.store(container)
    }

    fn load_fitted(params: FittedWith<SparseCoder>, container: &mut Container) -> Result<SparseCoderModel> {
        Ok(SparseCoderModel { params, atoms: Atoms::restore(container)? })
    }
}
