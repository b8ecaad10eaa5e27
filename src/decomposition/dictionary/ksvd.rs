//! K-SVD: atoms one at a time, each with its coefficients, by a rank-one fit to what the others leave.

use serde::{Deserialize, Serialize};

use super::coding::{Coding, CodingAlgorithm};
use super::model::{Atoms, check_rows, dictionary_model, first_atoms};
use super::update::{Rest, Sweep};
use crate::array::{DeviceMatrix, Matrix};
use crate::cost::Cost;
use crate::device::Stream;
use crate::error::{Error, Result};
use crate::estimator::{
    Declared, Estimator, Fit, FitReport, FitShape, FittedWith, InputColumns, Model, OwnedRows, PictureInput, Reporter,
    Rows, Save, Transform, parameters,
};
use crate::model_file::Container;
use crate::ops;
use crate::plot::Figure;
use crate::solvers::lloyd::{StoppingRule, lloyd};

/// The stream of random numbers for the first atoms.
const STREAM: u32 = 0x6b73_0000;

/// Which rows an atom and its coefficients are fitted to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AtomSamples {
    /// Those whose code has the atom (Aharon, Elad and Bruckstein 2006).
    #[default]
    Users,
    /// Those with the largest coefficients in the rank-one fit to all rows; as many as have the atom, or `n_samples`.
    Largest,
}

parameters! {
    /// K-SVD: a dictionary for sparse codes, one atom at a time (Aharon, Elad and Bruckstein 2006).
    ///
    /// ```
    /// use gristmill::decomposition::KSvd;
    /// use gristmill::prelude::*;
    /// let digits = datasets::digits()?;
    /// let model = KSvd::new(32).n_nonzero_coefs(4).max_iter(5).fit(&digits.x)?;
    /// let codes = model.transform(&digits.x)?; // n×32, at most 4 of them not 0
    /// assert!((0..10).all(|row| codes.row(row).iter().filter(|code| **code != 0.0).count() <= 4));
    /// assert!(model.objective()[4] < model.objective()[0]);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - Codes by matching pursuit in terms of products (Rubinstein, Zibulevsky and Elad 2008) where the rows are; the atoms on the
    ///   host, by `power_iterations` steps to the rank-one fit of each, which are enough as the next iteration goes on from there.
    /// - An atom that no row uses becomes the row that is described worst. On a GPU at most 1024 atoms, 32 of them for a row.
    /// - Atoms have length 1. With `unit_codes` a code is a single 1 and the atoms are means: k-means.
    /// - More atoms than rows, rows that are equal, and constant columns are no error; a table of zeros is.
    pub struct KSvd: transformer("ksvd") -> KSvdModel;
    about "a dictionary for sparse codes, one atom at a time";
    new(n_components: usize);
    {
        /// Atoms, k.
        n_components: usize = 16, at_least(1.0);
        /// Atoms of a row at most; none for a tenth of the columns.
        n_nonzero_coefs: Option<usize> = None, at_least(1.0);
        /// Maximum number of iterations.
        max_iter: usize = 30, at_least(1.0);
        /// Ends the iterations when the mean squared error changes by less than this share of it.
        tol: f64 = 1e-5, at_least(0.0);
        /// Which rows an atom is fitted to: users, or largest for those that a fit to all rows has most of.
        samples: AtomSamples = AtomSamples::Users;
        /// How many rows that are, for largest; none for as many as use the atom.
        n_samples: Option<usize> = None, at_least(1.0);
        /// Steps to each rank-one fit.
        power_iterations: usize = 2, at_least(1.0);
        /// Whether a row's code is one atom with the coefficient 1, as in k-means.
        unit_codes: bool = false;
        /// Seed of the first atoms, which are rows.
        seed: u64 = 0;
    }
}

impl KSvd {
    fn coding(&self) -> Coding {
        let nonzeros = self.n_nonzero_coefs;
        Coding { algorithm: CodingAlgorithm::Omp, nonzeros, alpha: None, positive: false }
    }

    fn search(&self, stream: &mut Stream, x: &DeviceMatrix, reporter: &mut Reporter<'_>) -> Result<Atoms> {
        let mut values = first_atoms(stream, x, self.n_components, (self.seed, STREAM))?;
        let rows = x.to_matrix(stream)?;
        let total: f64 = rows.as_slice().iter().map(|value| f64::from(*value).powi(2)).sum();
        if total == 0.0 {
            return Err(Error::shape(Self::TYPE, "a value other than 0", "only zeros"));
        }
        let sweep = Sweep { samples: self.samples, count: self.n_samples, power_iterations: self.power_iterations };
        let (mut objective, mut converged) = (vec![], false);
        for iteration in 1..=self.max_iter {
            let atoms = values.to(stream.device())?;
            let codes = self.coding().codes(stream, x, &atoms, None)?.to_matrix(stream)?;
            let mut rest = Rest::new(&rows, &codes, &values);
            rest.update(&mut values, sweep);
            let error = rest.mean_square();
            let before = objective.last().copied();
            objective.push(error);
            converged = before.is_some_and(|before: f64| (before - error).abs() <= self.tol * before);
            if converged || reporter.report(iteration, Some(error), iteration as f64 / self.max_iter as f64)? {
                break;
            }
        }
        Ok(Atoms { values, objective, converged })
    }

    /// Codes of a single 1: the atoms are the means of their rows.
    fn means(&self, stream: &mut Stream, x: &DeviceMatrix) -> Result<Atoms> {
        if self.n_nonzero_coefs.is_some_and(|count| count != 1) || self.n_components > x.rows() {
            let rule = format!("1 with unit_codes, and at most {} atoms, one a row", x.rows());
            return Err(Error::param("n_nonzero_coefs", rule, format!("{:?}", self.n_nonzero_coefs)));
        }
        let mut rng = crate::cpu::random::HostRng::new(self.seed, STREAM);
        let start = x.rows_at(stream, &rng.distinct(self.n_components, x.rows()))?;
        let rule = StoppingRule { max_iter: self.max_iter, tolerance: 0.0 };
        let (found, course) = lloyd(stream, x, None, &start, rule, |_| Ok(false))?;
        let sum: f64 = found.distances.iter().map(|distance| f64::from(*distance)).sum();
        let error = sum / (x.rows() * x.columns()) as f64;
        Ok(Atoms {
            values: found.centers,
            objective: vec![error; course.iterations.max(1)],
            converged: course.converged,
        })
    }
}

impl Estimator for KSvd {
    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        let (n, d, k) = (shape.rows as f64, shape.columns as f64, self.n_components as f64);
        let nonzeros = self.n_nonzero_coefs.unwrap_or((shape.columns / 10).max(1)) as f64;
        let iterations = self.max_iter as f64;
        let operations = iterations * (2.0 * n * d * k + n * k * nonzeros * nonzeros);
        let uploading = Cost::uploading(shape.rows + shape.queries, shape.columns);
        let moved_bytes = uploading.moved_bytes + 4.0 * iterations * n * k;
        Some(Cost { operations, syncs: iterations, kernels: 4.0, moved_bytes, ..uploading })
    }

    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<KSvdModel> {
        options.refuse_weights(Self::TYPE)?;
        let x = x.complete(Self::TYPE)?;
        check_rows(Self::TYPE, &x)?;
        let mut stream = x.device().stream();
        let atoms = options.watched("K-SVD", |reporter| match self.unit_codes {
            true => self.means(&mut stream, &x),
            false => self.search(&mut stream, &x, reporter),
        })?;
        Ok(KSvdModel { params: self.clone().into(), atoms })
    }
}

/// The dictionary that [`KSvd`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct KSvdModel {
    params: FittedWith<KSvd>,
    atoms: Atoms,
}

impl KSvdModel {
    fn code(&self, x: Rows<'_>) -> Result<OwnedRows> {
        if !self.params.unit_codes {
            return self.atoms.code(KSvd::TYPE, &self.params.coding(), x);
        }
        let rows = x.queries(KSvd::TYPE, self.atoms.values.columns())?;
        let mut stream = rows.device().stream();
        let (labels, _) = ops::assign(&mut stream, &rows, &self.atoms.values.to(rows.device())?)?;
        let k = self.atoms.values.rows();
        let mut codes = Matrix::zeros(rows.rows(), k)?;
        let labels = labels.to_vec(&mut stream)?;
        codes.as_mut_slice().chunks_exact_mut(k).zip(labels).for_each(|(code, label)| code[label as usize] = 1.0);
        OwnedRows::beside(x, codes)
    }
}

dictionary_model!(KSvdModel, KSvd);

impl Save for KSvdModel {
    type Estimator = KSvd;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        self.atoms.store(container)
    }

    fn load_fitted(params: FittedWith<KSvd>, container: &mut Container) -> Result<KSvdModel> {
        Ok(KSvdModel { params, atoms: Atoms::restore(container)? })
    }
}
