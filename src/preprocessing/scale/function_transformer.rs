//! One function of every value.

use serde::{Deserialize, Serialize};

use crate::array::Matrix;
use crate::error::{Error, Result};
use crate::estimator::{Abilities, Declared, Estimator, Fit, FittedWith, Rows, parameters};
use crate::model_file::Container;
use crate::preprocessing::table::{map_blocks, saved_by_columns};
use crate::preprocessing::transformer::{Transformer, to_fit, to_turn_back};

/// A function of one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Function {
    /// x itself.
    #[default]
    Identity,
    /// log(1 + x), for x above −1.
    Log1p,
    /// log x, for x above 0.
    Log,
    /// exp x.
    Exp,
    /// √x, for x of at least 0.
    Sqrt,
    /// x².
    Square,
    /// |x|.
    Abs,
    /// 1/x, for x other than 0.
    Reciprocal,
    /// asinh x: as the logarithm for large numbers of either sign.
    Asinh,
}

impl Function {
    fn of(self, x: f64) -> f64 {
        match self {
            Function::Identity => x,
            Function::Log1p => x.ln_1p(),
            Function::Log => x.ln(),
            Function::Exp => x.exp(),
            Function::Sqrt => x.sqrt(),
            Function::Square => x * x,
            Function::Abs => x.abs(),
            Function::Reciprocal => 1.0 / x,
            Function::Asinh => x.asinh(),
        }
    }

    /// The inverse function; where two numbers have the same value, it gives the larger one.
    fn inverse(self, x: f64) -> f64 {
        match self {
            Function::Identity | Function::Abs => x,
            Function::Log1p => x.exp_m1(),
            Function::Log => x.exp(),
            Function::Exp => x.ln(),
            Function::Sqrt => x * x,
            Function::Square => x.sqrt(),
            Function::Reciprocal => 1.0 / x,
            Function::Asinh => x.sinh(),
        }
    }

    fn domain(self) -> &'static str {
        match self {
            Function::Log1p => "above -1",
            Function::Log => "above 0",
            Function::Sqrt => "at least 0",
            Function::Reciprocal => "not 0",
            _ => "such that the result is a number of f32",
        }
    }
}

parameters! {
    /// Applies one function to every value. A missing value stays missing; a value that the function has no result for
    /// is an error with its place.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// use gristmill::preprocessing::{Function, FunctionTransformer};
    /// let x = Matrix::from_rows(&[[0.0, 9.0]])?;
    /// let roots = FunctionTransformer::new(Function::Sqrt).fit(&x)?;
    /// assert_eq!(roots.transform(&x)?.as_slice(), [0.0, 3.0]);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub struct FunctionTransformer: transformer("function-transformer") -> FunctionTransformerModel;
    about "applies a function to every value, such as log1p";
    new(func: Function);
    {
        /// The function: identity, log1p, log, exp, sqrt, square, abs, reciprocal or asinh.
        func: Function = Function::Identity;
    }
}

impl Estimator for FunctionTransformer {
    fn abilities(&self) -> Abilities {
        Abilities { missing: true, ..Abilities::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<FunctionTransformerModel> {
        Ok(FunctionTransformerModel { params: self.clone().into(), columns: to_fit(self, x, &options)?.columns() })
    }
}

/// A [`FunctionTransformer`] for rows of a known width.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionTransformerModel {
    params: FittedWith<FunctionTransformer>,
    columns: usize,
}

impl FunctionTransformerModel {
    /// The rows before the function was applied, n×d.
    pub fn inverse_transform<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Matrix> {
        let x = to_turn_back(self, x.into(), self.columns)?;
        let made = self.apply(&x, |value| self.params.func.inverse(value))?;
        Ok(made.with_column_info(x.column_info().clone()))
    }

    fn apply(&self, x: &Matrix, function: impl Fn(f64) -> f64 + Sync) -> Result<Matrix> {
        let columns = self.columns;
        map_blocks(x, columns, |first, source, target| {
            for (at, (value, out)) in source.iter().zip(target).enumerate() {
                *out = function(f64::from(*value)) as f32;
                if !out.is_finite() && !value.is_nan() {
                    let (row, column) = (first + at / columns, at % columns);
                    let expected = format!("values for {:?} that are {}", self.params.func, self.params.func.domain());
                    let got = format!("{value} in row {row}, column {column}");
                    return Err(Error::shape(FunctionTransformer::TYPE, expected, got));
                }
            }
            Ok(())
        })
    }
}

impl Transformer for FunctionTransformerModel {
    fn columns(&self) -> usize {
        self.columns
    }

    fn transform_matrix(&self, x: &Matrix) -> Result<Matrix> {
        self.apply(x, |value| self.params.func.of(value))
    }
}

saved_by_columns!(FunctionTransformer => FunctionTransformerModel, |params, columns| Ok(FunctionTransformerModel { params, columns }));
