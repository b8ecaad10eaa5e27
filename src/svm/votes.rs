//! Classes from the values of decision functions, and the files of what predicts them.

use super::classes::{ClassFunctions, machine_queries};
use super::outcome::Outcome;
use super::parameters::MultiClass;
use crate::array::Matrix;
use crate::cpu::reduce::argmax;
use crate::data::Labels;
use crate::error::Result;
use crate::estimator::Rows;
use crate::kernel_methods::KernelExpansion;
use crate::model_file::Container;

/// A class without rows never wins.
const ABSENT: f32 = -1e30;

impl ClassFunctions {
    /// The value of each function for each row, n×p, intercepts added. Positive for the first class of a pair, or for the
    /// class against all others.
    pub(super) fn values(&self, op: &'static str, x: Rows<'_>) -> Result<Matrix> {
        let mut values = machine_queries(op, x, |x| self.function.predict(op, x))?;
        for row in values.as_mut_slice().chunks_exact_mut(self.intercept.len()) {
            row.iter_mut().zip(&self.intercept).for_each(|(value, intercept)| *value += *intercept as f32);
        }
        Ok(values)
    }

    fn is_one_versus_one(&self) -> bool {
        self.multi_class == MultiClass::OneVersusOne || self.present.len() == 2
    }

    /// The pairs of classes of the functions, by code.
    pub(super) fn pairs(&self) -> Vec<(u32, u32)> {
        let later = |at: usize| self.present[at + 1..].iter().map(move |other| (self.present[at], *other));
        (0..self.present.len()).flat_map(later).collect()
    }

    /// One column for each class; for two classes a single one, positive for the second. One versus one counts votes, and
    /// tells equally many apart by the sums of values, as scikit-learn does.
    pub(super) fn decisions(&self, values: &Matrix) -> Result<Matrix> {
        let k = self.classes.classes();
        if k == 2 {
            let second = values.as_slice().iter().map(|value| -value).collect();
            return Matrix::from_vec(values.rows(), 1, second);
        }
        let pairs = self.pairs();
        let mut out = vec![ABSENT; values.rows() * k];
        for (row, out) in out.chunks_exact_mut(k).enumerate() {
            let values = values.row(row);
            if !self.is_one_versus_one() {
                self.present.iter().zip(values).for_each(|(code, value)| out[*code as usize] = *value);
                continue;
            }
            let votes = self.votes(values);
            let mut sums = vec![0.0_f32; k];
            for ((first, second), value) in pairs.iter().zip(values) {
                sums[*first as usize] += value;
                sums[*second as usize] -= value;
            }
            for code in self.present.iter().map(|code| *code as usize) {
                out[code] = votes[code] as f32 + sums[code] / (3.0 * (sums[code].abs() + 1.0));
            }
        }
        Matrix::from_vec(values.rows(), k, out)
    }

    fn votes(&self, values: &[f32]) -> Vec<u32> {
        let mut votes = vec![0; self.classes.classes()];
        for ((first, second), value) in self.pairs().iter().zip(values) {
            votes[if *value > 0.0 { *first } else { *second } as usize] += 1;
        }
        votes
    }

    /// The class with most votes, or with the largest value; of equal ones the first, unless values are to settle it.
    pub(super) fn winners(&self, values: &Matrix, break_ties: bool) -> Result<Labels> {
        if self.is_one_versus_one() && (!break_ties || self.present.len() == 2) {
            let winner = |row: usize| {
                let votes = self.votes(values.row(row));
                (0..votes.len()).rev().max_by_key(|code| votes[*code]).unwrap_or(0) as u32
            };
            return self.classes.with_codes((0..values.rows()).map(winner).collect());
        }
        let decisions = self.decisions(values)?;
        self.classes.with_codes((0..decisions.rows()).map(|row| argmax(decisions.row(row)) as u32).collect())
    }

    pub(super) fn store(&self, container: &mut Container) -> Result<()> {
        container.set_fitted(&(self.outcome.clone(), self.multi_class))?;
        container.insert_list("intercept", &self.intercept)?;
        container.insert_list("support", &self.support)?;
        container.insert_list("support_classes", &self.support_classes)?;
        container.insert_list("present", &self.present)?;
        container.insert_strings("class_names", self.classes.names())?;
        self.function.store(container)
    }

    pub(super) fn restore(container: &mut Container) -> Result<ClassFunctions> {
        let (outcome, multi_class): (Outcome, MultiClass) = container.fitted()?;
        let function = KernelExpansion::restore(container)?;
        let functions = function.coef().columns();
        let intercept = container.take("intercept", &[functions])?;
        let support: Vec<u64> = container.take_list("support")?;
        let support_classes: Vec<u32> = container.take("support_classes", &[support.len()])?;
        let present: Vec<u32> = container.take_list("present")?;
        let names = container.take_strings("class_names")?;
        let k = present.len();
        let wanted = match multi_class {
            MultiClass::OneVersusRest if k > 2 => k,
            _ => k * k.saturating_sub(1) / 2,
        };
        let known = present.iter().all(|code| (*code as usize) < names.len()) && present.is_sorted_by(|a, b| a < b);
        let kernel = function.kernel().kernel();
        let coefs = function.coef().rows();
        let placed = match kernel.is_precomputed() {
            true => support.iter().all(|row| (*row as usize) < coefs),
            false => support.len() == coefs,
        };
        if k < 2 || !known || wanted != functions || !placed {
            return Err(container.refuse(format!("{functions} functions for {k} of {} classes", names.len())));
        }
        let classes = Labels::from_codes(vec![], names).map_err(|error| container.refuse(error.to_string()))?;
        Ok(ClassFunctions { function, intercept, support, support_classes, classes, present, multi_class, outcome })
    }
}
