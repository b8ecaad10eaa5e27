//! Models in the text format of LIBSVM, which its programs and its many bindings load.

use std::fmt::Write;

use super::classes::ClassFunctions;
use super::single::SingleFunction;
use crate::error::{Error, Result};
use crate::kernel_methods::{Gamma, Kernel, KernelExpansion};

/// The lines that say which kernel it is.
fn kernel_lines(kernel: &Kernel) -> Result<String> {
    let number = |gamma: &Gamma| match gamma {
        Gamma::Value(value) => Ok(*value),
        _ => Err(Error::param("kernel", "one whose gamma is a number", kernel)),
    };
    Ok(match kernel {
        Kernel::Linear => "kernel_type linear\n".to_string(),
        Kernel::Polynomial { gamma, coef0, degree } => {
            format!("kernel_type polynomial\ndegree {degree}\ngamma {}\ncoef0 {coef0}\n", number(gamma)?)
        }
        Kernel::Gaussian { gamma } => format!("kernel_type rbf\ngamma {}\n", number(gamma)?),
        Kernel::Sigmoid { gamma, coef0 } => {
            format!("kernel_type sigmoid\ngamma {}\ncoef0 {coef0}\n", number(gamma)?)
        }
        Kernel::Precomputed => "kernel_type precomputed\n".to_string(),
        other => {
            let rule = "linear, poly, rbf, sigmoid or precomputed, which are those that LIBSVM has";
            return Err(Error::param("kernel", rule, other));
        }
    })
}

/// A support vector: columns count from 1 and zeros are left out; of a given matrix, the number of its row.
fn vector(line: &mut String, function: &KernelExpansion, at: usize, row: u64) {
    match function.kernel().kernel().is_precomputed() {
        true => line.push_str(&format!("0:{} ", row + 1)),
        false => {
            for (column, value) in function.rows().row(at).iter().enumerate().filter(|(_, value)| **value != 0.0) {
                // Writing to a string cannot fail.
                let _ = write!(line, "{}:{value} ", column + 1);
            }
        }
    }
    line.push('\n');
}

/// The coefficient of a support vector of a model, whose rows of a given matrix are all there.
fn coef(function: &KernelExpansion, at: usize, row: u64, output: usize) -> f32 {
    let place = if function.kernel().kernel().is_precomputed() { row as usize } else { at };
    function.coef().get(place, output)
}

fn joined(values: impl Iterator<Item = f64>) -> String {
    values.map(|value| value.to_string()).collect::<Vec<_>>().join(" ")
}

impl ClassFunctions {
    /// The model as LIBSVM writes it. Classes are numbers there: the name of a class if it is an integer, else its code.
    pub(super) fn libsvm_text(&self, svm_type: &str) -> Result<String> {
        let codes = &self.support_classes;
        let k = self.present.len();
        if self.intercept.len() != k * (k - 1) / 2 {
            return Err(Error::param("multi_class", "one_versus_one, as LIBSVM has it", "one_versus_rest"));
        }
        let label = |code: &u32| self.classes.names()[*code as usize].parse::<i64>().unwrap_or(i64::from(*code));
        let labels: Vec<String> = self.present.iter().map(|code| label(code).to_string()).collect();
        let counts: Vec<String> =
            self.present.iter().map(|class| codes.iter().filter(|code| *code == class).count().to_string()).collect();
        let mut text = format!("svm_type {svm_type}\n{}", kernel_lines(self.function.kernel().kernel())?);
        let rho = joined(self.intercept.iter().map(|intercept| -intercept));
        text.push_str(&format!("nr_class {k}\ntotal_sv {}\nrho {rho}\n", self.support.len()));
        text.push_str(&format!("label {}\nnr_sv {}\nSV\n", labels.join(" "), counts.join(" ")));
        let pairs = self.pairs();
        for (at, row) in self.support.iter().enumerate() {
            // The coefficients of a vector of one class are those of its pairs with the others, in their order.
            let own = codes[at];
            for (pair, _) in pairs.iter().enumerate().filter(|(_, (a, b))| *a == own || *b == own) {
                text.push_str(&format!("{} ", coef(&self.function, at, *row, pair)));
            }
            vector(&mut text, &self.function, at, *row);
        }
        Ok(text)
    }
}

impl SingleFunction {
    /// The model as LIBSVM writes it.
    pub(super) fn libsvm_text(&self, svm_type: &str) -> Result<String> {
        let mut text = format!("svm_type {svm_type}\n{}", kernel_lines(self.function.kernel().kernel())?);
        text.push_str(&format!("nr_class 2\ntotal_sv {}\nrho {}\nSV\n", self.support.len(), -self.intercept));
        for (at, row) in self.support.iter().enumerate() {
            text.push_str(&format!("{} ", coef(&self.function, at, *row, 0)));
            vector(&mut text, &self.function, at, *row);
        }
        Ok(text)
    }
}
