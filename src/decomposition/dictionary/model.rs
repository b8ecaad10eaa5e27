//! Atoms that were found, and what is done with them.

use super::coding::Coding;
use crate::array::{DeviceMatrix, Matrix};
use crate::cpu::random::HostRng;
use crate::decomposition::columns::beside;
use crate::device::Stream;
use crate::error::{Error, Result};
use crate::estimator::{OwnedRows, Rows};
use crate::model_file::Container;
use crate::ops::{self, Layout};

/// A dictionary (k×d), and how it was found.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Atoms {
    /// A row is an atom.
    pub(super) values: Matrix,
    /// What the fit minimised, after each iteration.
    pub(super) objective: Vec<f64>,
    pub(super) converged: bool,
}

impl Atoms {
    /// The codes of rows, where those are.
    pub(super) fn code(&self, op: &'static str, coding: &Coding, x: Rows<'_>) -> Result<OwnedRows> {
        let on_device = x.queries(op, self.values.columns())?;
        let mut stream = on_device.device().stream();
        let atoms = self.values.to(stream.device())?;
        let codes = coding.codes(&mut stream, &on_device, &atoms, None)?;
        beside(x, codes, &mut stream)
    }

    /// The rows that codes (n×k) stand for, n×d.
    pub(super) fn decode(&self, op: &'static str, codes: Rows<'_>) -> Result<Matrix> {
        let codes = codes.queries(op, self.values.rows())?;
        let mut stream = codes.device().stream();
        let atoms = self.values.to(stream.device())?;
        ops::gemm(&mut stream, Layout::NN, &codes, &atoms)?.to_matrix(&mut stream)
    }

    pub(super) fn store(&self, container: &mut Container) -> Result<()> {
        container.set_fitted(&self.converged)?;
        container.insert_list("objective", &self.objective)?;
        let shape = [self.values.rows(), self.values.columns()];
        container.insert("atoms", &shape, self.values.as_slice().to_vec())
    }

    pub(super) fn restore(container: &mut Container) -> Result<Atoms> {
        let converged: bool = container.fitted()?;
        let objective = container.take_list("objective")?;
        let [k, d] = container.shape("atoms")?;
        if k == 0 || d == 0 {
            return Err(container.refuse("a dictionary without atoms"));
        }
        let values = Matrix::from_vec(k, d, container.take("atoms", &[k, d])?)?;
        Ok(Atoms { values, objective, converged })
    }
}

/// Different rows, drawn at random, of length 1; random directions where rows are zero or too few.
pub(super) fn first_atoms(stream: &mut Stream, x: &DeviceMatrix, count: usize, seed: (u64, u32)) -> Result<Matrix> {
    let mut rng = HostRng::new(seed.0, seed.1);
    let rows = rng.distinct(count, x.rows());
    let taken = x.rows_at(stream, &rows)?;
    let d = x.columns();
    let mut values = vec![0.0; count * d];
    values[..rows.len() * d].copy_from_slice(taken.as_slice());
    for atom in values.chunks_exact_mut(d) {
        if length(atom) == 0.0 {
            atom.iter_mut().for_each(|value| *value = rng.uniform() as f32 - 0.5);
        }
        normalise(atom);
    }
    Matrix::from_vec(count, d, values)
}

/// The Euclidean length, in f64.
pub(super) fn length(values: &[f32]) -> f64 {
    values.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt()
}

/// Scales to length 1, unless it has none.
pub(super) fn normalise(values: &mut [f32]) {
    let length = length(values);
    if length > 0.0 {
        values.iter_mut().for_each(|value| *value = (f64::from(*value) / length) as f32);
    }
}

/// Refuses tables without rows or columns.
pub(super) fn check_rows(op: &'static str, x: &DeviceMatrix) -> Result<()> {
    match x.rows() > 0 && x.columns() > 0 {
        true => Ok(()),
        false => Err(Error::shape(op, "at least one row and column", format!("{}×{}", x.rows(), x.columns()))),
    }
}

/// What a model whose field `atoms` holds [`Atoms`], with a method `coding`, reports of them and does with them.
macro_rules! dictionary_model {
    ($model:ident, $estimator:ident) => {
        impl $model {
            /// The atoms, k×d, a row each.
            #[doc(alias = "components")]
            pub fn dictionary(&self) -> &Matrix {
                &self.atoms.values
            }

            /// What the fit minimised, after each iteration.
            pub fn objective(&self) -> &[f64] {
                &self.atoms.objective
            }

            /// Iterations that were made.
            pub fn iterations(&self) -> usize {
                self.atoms.objective.len()
            }

            /// Whether the iterations ended before `max_iter`, by themselves.
            pub fn converged(&self) -> bool {
                self.atoms.converged
            }

            /// The rows that codes (n×k) stand for, n×d.
            pub fn inverse_transform<'a>(&self, codes: impl Into<Rows<'a>>) -> Result<Matrix> {
                self.atoms.decode($estimator::TYPE, codes.into())
            }
        }

        impl Transform for $model {}

        impl Model for $model {
            fn transform_rows(&self, x: Rows<'_>) -> Result<OwnedRows> {
                self.code(x)
            }

            fn transformed_columns(&self, _: &InputColumns) -> Option<InputColumns> {
                let atoms = 0..self.atoms.values.rows();
                Some(InputColumns::named(&atoms.map(|atom| format!("atom{atom}")).collect::<Vec<_>>()))
            }

            fn report(&self) -> FitReport {
                let report = FitReport::default().iterations(self.iterations(), self.converged());
                report
                    .with_number("atoms", self.atoms.values.rows() as f64)
                    .with_curve("objective", &self.atoms.objective)
            }

            fn figures(&self, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
                Ok(vec![crate::decomposition::pictures::atoms("Atoms", &self.atoms.values, &input.columns.names)?])
            }
        }
    };
}

pub(super) use dictionary_model;
