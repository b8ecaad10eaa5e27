//! Dictionary learning: codes and atoms in turn.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use super::coding::{Coding, CodingAlgorithm};
use super::least_squares;
use super::model::{Atoms, check_rows, dictionary_model, first_atoms};
use super::sums::CodeSums;
use crate::array::{DeviceMatrix, DeviceVec, Matrix};
use crate::cost::Cost;
use crate::cpu::random::HostRng;
use crate::cpu::random::permutation::permutation;
use crate::device::Stream;
use crate::error::{Error, Result};
use crate::estimator::{
    Abilities, Declared, Estimator, Fit, FitReport, FitShape, FittedWith, InputColumns, Model, OwnedRows, PictureInput,
    Reporter, Rows, Save, Transform, parameters,
};
use crate::model_file::Container;
use crate::ops;
use crate::plot::Figure;

/// The streams of random numbers for the first atoms, for batches, and for atoms that are drawn anew.
const STREAM: u32 = 0x646c_0000;
const BATCH_STREAM: u32 = 0x646c_1000;
const AGAIN_STREAM: u32 = 0x646c_2000;

/// How codes and atoms are found in turn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DictionarySolver {
    /// Codes by a penalty on absolute values, atoms one at a time (Mairal, Bach, Ponce and Sapiro 2009).
    #[default]
    Cd,
    /// Both by least squares, and codes shrunk by the first of their sizes that is left out.
    LeastSquares,
}

parameters! {
    /// Dictionary learning: atoms such that rows are sums of few of them, ½‖x − c·D‖² + alpha·‖c‖₁ for each row. Names are
    /// scikit-learn's.
    ///
    /// ```
    /// use gristmill::decomposition::DictionaryLearning;
    /// use gristmill::prelude::*;
    /// let digits = datasets::digits()?;
    /// let model = DictionaryLearning::new(16).alpha(5.0).max_iter(5).fit(&digits.x)?;
    /// assert_eq!(model.dictionary().rows(), 16);
    /// assert!(model.objective()[4] < model.objective()[0]);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - Codes and the products of codes are found where the rows are; the atoms on the host, in f64. Atoms have a length of
    ///   at most 1, and one that no row uses becomes a row. On a GPU at most 1024 atoms.
    /// - With `batch_size` atoms follow each batch of rows (online); `partial_fit` takes its rows as one batch.
    /// - `least_squares` is the lecture's program: D = (CᵀC)⁻¹CᵀX, C = XDᵀ(DDᵀ)⁻¹, then all but
    ///   `transform_n_nonzero_coefs` of a row's codes (half of the atoms without) are shrunk to 0. Without shrinking the
    ///   atoms span the leading singular vectors.
    /// - More atoms than rows, equal rows and constant columns are no error; a table of zeros is.
    pub struct DictionaryLearning: transformer("dictionary-learning") -> DictionaryLearningModel;
    about "a dictionary of which rows are sums of few atoms";
    new(n_components: usize);
    {
        /// Atoms, k.
        n_components: usize = 16, at_least(1.0);
        /// The penalty on absolute values of codes.
        alpha: f64 = 1.0, at_least(0.0);
        /// How codes and atoms are found: cd, or least_squares for the lecture's program.
        fit_algorithm: DictionarySolver = DictionarySolver::Cd;
        /// Maximum number of iterations, each over all rows.
        max_iter: usize = 100, at_least(1.0);
        /// Ends the iterations when the objective falls by less than this share of it.
        tol: f64 = 1e-5, at_least(0.0);
        /// Rows after which the atoms follow, for cd; none for all rows.
        batch_size: Option<usize> = None, at_least(1.0);
        /// How codes are found for new rows: omp, lasso_cd or threshold.
        transform_algorithm: CodingAlgorithm = CodingAlgorithm::Omp;
        /// Atoms of a row at most, for omp and least_squares; none for a tenth of the columns.
        transform_n_nonzero_coefs: Option<usize> = None, at_least(1.0);
        /// The penalty of lasso_cd, or the threshold; none for alpha. For omp the squared length of a rest that is small enough.
        transform_alpha: Option<f64> = None, at_least(0.0);
        /// Whether coefficients below 0 are ruled out; not for omp and least_squares.
        positive_code: bool = false;
        /// Whether atoms have no numbers below 0; not for least_squares.
        positive_dict: bool = false;
        /// Seed of the first atoms, which are rows, and of the batches.
        seed: u64 = 0;
    }
}

impl DictionaryLearning {
    /// How rows are coded while atoms are sought.
    fn coding(&self) -> Coding {
        let algorithm = CodingAlgorithm::LassoCd;
        Coding { algorithm, nonzeros: None, alpha: Some(self.alpha), positive: self.positive_code }
    }

    /// All rows in each iteration.
    fn alternate(&self, stream: &mut Stream, x: &DeviceMatrix, reporter: &mut Reporter<'_>) -> Result<Atoms> {
        let mut atoms = first_atoms(stream, x, self.n_components, (self.seed, STREAM))?;
        let squares = mean_square(stream, x)?;
        let mut again = HostRng::new(self.seed, AGAIN_STREAM);
        let mut codes = None;
        let (mut objective, mut converged) = (vec![], false);
        for iteration in 1..=self.max_iter {
            let on_device = atoms.to(stream.device())?;
            let found = self.coding().codes(stream, x, &on_device, codes.take())?;
            let sums = CodeSums::of(stream, &found, x)?;
            codes = Some(found);
            let loss = sums.objective(squares, &atoms);
            let unused = sums.update(&mut atoms, self.positive_dict)?;
            self.redraw(stream, x, &mut atoms, &unused, &mut again)?;
            converged = falls_little(&objective, loss, self.tol);
            objective.push(loss);
            if converged || reporter.report(iteration, Some(loss), iteration as f64 / self.max_iter as f64)? {
                break;
            }
        }
        Ok(Atoms { values: atoms, objective, converged })
    }

    /// A batch at a time.
    fn online(
        &self,
        stream: &mut Stream,
        x: &DeviceMatrix,
        batch: usize,
        reporter: &mut Reporter<'_>,
    ) -> Result<(Atoms, CodeSums)> {
        let mut atoms = first_atoms(stream, x, self.n_components, (self.seed, STREAM))?;
        let mut sums = CodeSums::none(self.n_components, x.columns());
        let (mut objective, mut converged) = (vec![], false);
        for epoch in 1..=self.max_iter {
            let order = permutation(self.seed, BATCH_STREAM.wrapping_add(epoch as u32), x.rows() as u32);
            let mut loss = 0.0;
            for rows in order.chunks(batch) {
                let index = DeviceVec::from_slice(rows, stream.device())?;
                let part = ops::gather_rows(stream, x, &index)?;
                loss += self.follow(stream, &part, &mut atoms, &mut sums)? * rows.len() as f64;
            }
            loss /= x.rows() as f64;
            converged = falls_little(&objective, loss, self.tol);
            objective.push(loss);
            if converged || reporter.report(epoch, Some(loss), epoch as f64 / self.max_iter as f64)? {
                break;
            }
        }
        Ok((Atoms { values: atoms, objective, converged }, sums))
    }

    /// One batch: its codes, and the atoms after it.
    fn follow(&self, stream: &mut Stream, part: &DeviceMatrix, atoms: &mut Matrix, sums: &mut CodeSums) -> Result<f64> {
        let on_device = atoms.to(stream.device())?;
        let codes = self.coding().codes(stream, part, &on_device, None)?;
        let own = CodeSums::of(stream, &codes, part)?;
        let loss = own.objective(mean_square(stream, part)?, atoms);
        sums.follow(&own, part.rows());
        let unused = sums.update(atoms, self.positive_dict)?;
        let mut again = HostRng::new(self.seed, AGAIN_STREAM.wrapping_add(sums.batches as u32));
        self.redraw(stream, part, atoms, &unused, &mut again)?;
        Ok(loss)
    }

    /// Rows, drawn at random, in the place of atoms that no row uses.
    fn redraw(
        &self,
        stream: &mut Stream,
        x: &DeviceMatrix,
        atoms: &mut Matrix,
        unused: &[usize],
        rng: &mut HostRng,
    ) -> Result<()> {
        let (count, d) = (unused.len().min(x.rows()), x.columns());
        if count == 0 {
            return Ok(());
        }
        let drawn = x.rows_at(stream, &rng.distinct(count, x.rows()))?;
        for (row, atom) in unused.iter().take(count).enumerate() {
            let target = &mut atoms.as_mut_slice()[atom * d..(atom + 1) * d];
            target.copy_from_slice(drawn.row(row));
            if self.positive_dict {
                target.iter_mut().for_each(|value| *value = value.max(0.0));
            }
            super::model::normalise(target);
        }
        Ok(())
    }
}

fn falls_little(objective: &[f64], loss: f64, tol: f64) -> bool {
    objective.last().is_some_and(|before| before - loss <= tol * before.abs())
}

/// Mean over the rows of their squared lengths.
pub(super) fn mean_square(stream: &mut Stream, x: &DeviceMatrix) -> Result<f64> {
    let moments = ops::column_moments(stream, x, None)?;
    Ok(moments.mean.iter().zip(&moments.variance).map(|(mean, variance)| mean * mean + variance).sum())
}

impl Estimator for DictionaryLearning {
    fn abilities(&self) -> Abilities {
        Abilities { chunks: true, ..Abilities::default() }
    }

    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        let (n, d, k) = (shape.rows as f64, shape.columns as f64, self.n_components as f64);
        let iterations = self.max_iter.min(30) as f64;
        let operations = iterations * n * k * (4.0 * d + 12.0 * k);
        let uploading = Cost::uploading(shape.rows + shape.queries, shape.columns);
        Some(Cost { operations, syncs: 2.0 * iterations, kernels: 4.0, ..uploading })
    }

    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<DictionaryLearningModel> {
        options.refuse_weights(Self::TYPE)?;
        let x = x.complete(Self::TYPE)?;
        check_rows(Self::TYPE, &x)?;
        let mut stream = x.device().stream();
        if mean_square(&mut stream, &x)? == 0.0 {
            return Err(Error::shape(Self::TYPE, "a value other than 0", "only zeros"));
        }
        let atoms = options.watched("dictionary", |reporter| match (self.fit_algorithm, self.batch_size) {
            (DictionarySolver::LeastSquares, _) => least_squares::search(self, &mut stream, &x, reporter),
            (DictionarySolver::Cd, None) => self.alternate(&mut stream, &x, reporter),
            (DictionarySolver::Cd, Some(batch)) => Ok(self.online(&mut stream, &x, batch, reporter)?.0),
        })?;
        Ok(DictionaryLearningModel { params: self.clone().into(), atoms, sums: None })
    }

    fn partial_fit_rows(
        &self,
        model: Option<DictionaryLearningModel>,
        x: Rows<'_>,
        _: (),
        options: Fit<'_>,
    ) -> Result<DictionaryLearningModel> {
        options.refuse_weights(Self::TYPE)?;
        let x = x.complete(Self::TYPE)?;
        check_rows(Self::TYPE, &x)?;
        if self.fit_algorithm != DictionarySolver::Cd {
            return Err(Error::param("fit_algorithm", "cd for chunks of rows", "least_squares"));
        }
        let mut stream = x.device().stream();
        let (mut atoms, mut sums) = match model {
            Some(model) if model.atoms.values.columns() != x.columns() => {
                let expected = format!("{} columns, as in the chunks before", model.atoms.values.columns());
                return Err(Error::shape(Self::TYPE, expected, format!("{} columns", x.columns())));
            }
            Some(DictionaryLearningModel { atoms, sums, .. }) => {
                let k = atoms.values.rows();
                (atoms, sums.unwrap_or_else(|| CodeSums::none(k, x.columns())))
            }
            None => {
                let values = first_atoms(&mut stream, &x, self.n_components, (self.seed, STREAM))?;
                let sums = CodeSums::none(self.n_components, x.columns());
                (Atoms { values, objective: vec![], converged: false }, sums)
            }
        };
        let loss = self.follow(&mut stream, &x, &mut atoms.values, &mut sums)?;
        atoms.objective.push(loss);
        Ok(DictionaryLearningModel { params: self.clone().into(), atoms, sums: Some(sums) })
    }
}

/// The dictionary that [`DictionaryLearning`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct DictionaryLearningModel {
    params: FittedWith<DictionaryLearning>,
    atoms: Atoms,
    /// What chunks of rows have added up to, for the next.
    sums: Option<CodeSums>,
}

impl DictionaryLearningModel {
    fn code(&self, x: Rows<'_>) -> Result<OwnedRows> {
        let params = &self.params;
        let algorithm = params.transform_algorithm;
        let alpha = match algorithm {
            CodingAlgorithm::Omp => params.transform_alpha,
            _ => Some(params.transform_alpha.unwrap_or(params.alpha)),
        };
        let (nonzeros, positive) = (params.transform_n_nonzero_coefs, params.positive_code);
        self.atoms.code(DictionaryLearning::TYPE, &Coding { algorithm, nonzeros, alpha, positive }, x)
    }
}

dictionary_model!(DictionaryLearningModel, DictionaryLearning);

impl Save for DictionaryLearningModel {
    type Estimator = DictionaryLearning;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        self.atoms.store(container)?;
        if let Some(sums) = &self.sums {
            let (k, d) = sums.with_rows.shape();
            container.insert_list("sums.batches", &[sums.batches as f64])?;
            container.insert("sums.codes", &[k, k], sums.codes.as_slice().to_vec())?;
            container.insert("sums.rows", &[k, d], sums.with_rows.transpose().as_slice().to_vec())?;
        }
        Ok(())
    }

    fn load_fitted(
        params: FittedWith<DictionaryLearning>,
        container: &mut Container,
    ) -> Result<DictionaryLearningModel> {
        let atoms = Atoms::restore(container)?;
        let (k, d) = (atoms.values.rows(), atoms.values.columns());
        let sums = match container.contains("sums.codes") {
            true => {
                let batches: Vec<f64> = container.take("sums.batches", &[1])?;
                let codes = DMatrix::from_vec(k, k, container.take("sums.codes", &[k, k])?);
                let with_rows: Vec<f64> = container.take("sums.rows", &[k, d])?;
                let with_rows = DMatrix::from_row_slice(k, d, &with_rows);
                Some(CodeSums { batches: batches[0] as usize, codes, with_rows })
            }
            false => None,
        };
        Ok(DictionaryLearningModel { params, atoms, sums })
    }
}
