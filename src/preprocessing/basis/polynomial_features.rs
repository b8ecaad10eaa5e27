//! Products of columns.

use crate::array::Matrix;
use crate::error::{Error, Result};
use crate::estimator::{Estimator, Fit, FittedWith, Rows, parameters};
use crate::model_file::Container;
use crate::preprocessing::table::{map_blocks, saved_by_columns};
use crate::preprocessing::transformer::{Transformer, to_fit};

/// Products at most; a matrix of more columns is of no use here.
const MOST_TERMS: u64 = 1 << 24;

parameters! {
    /// All products of columns up to a degree: for `a`, `b` and degree 2 these are `1 a b a² a·b b²`. Names, defaults
    /// and the order of the columns are scikit-learn's.
    ///
    /// There are C(d + degree, degree) of them, C(d, 0) + … + C(d, degree) with `interaction_only`. Each product is one
    /// multiplication, in f64; one beyond the range of `f32` is an error.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// use gristmill::preprocessing::PolynomialFeatures;
    /// let x = Matrix::from_rows(&[[2.0, 3.0]])?.with_names(["a", "b"])?;
    /// let z = PolynomialFeatures::new(2).fit(&x)?.transform(&x)?;
    /// assert_eq!(z.row(0), [1.0, 2.0, 3.0, 4.0, 6.0, 9.0]);
    /// assert_eq!(z.names().unwrap(), ["1", "a", "b", "a^2", "a b", "b^2"]);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub struct PolynomialFeatures: transformer("polynomial-features") -> PolynomialFeaturesModel;
    about "products of columns up to a degree";
    new(degree: usize);
    {
        /// Maximum number of factors of a product.
        degree: usize = 2;
        /// Whether to leave out powers: a column is a factor at most once.
        interaction_only: bool = false;
        /// Whether to add a column of ones.
        include_bias: bool = true;
    }
}

impl PolynomialFeatures {
    /// How many products of exactly `degree` factors there are, from how many there are of one less.
    fn count(&self, columns: u64, degree: u64, before: u64) -> u64 {
        let choices = match self.interaction_only {
            true => columns.saturating_sub(degree - 1),
            false => columns.saturating_add(degree - 1),
        };
        u64::try_from(u128::from(before) * u128::from(choices) / u128::from(degree)).unwrap_or(u64::MAX)
    }

    /// The products, without the 1: each is one of those before it, or 1, times a column.
    fn terms(&self, columns: usize) -> Result<Vec<Term>> {
        if self.degree == 0 && !self.include_bias {
            return Err(Error::param("degree", "at least 1 without the column of 1", "0"));
        }
        let (mut total, mut level) = (0_u64, 1_u64);
        for degree in 1..=self.degree as u64 {
            level = self.count(columns as u64, degree, level);
            total = total.saturating_add(level);
            if total > MOST_TERMS {
                let what = format!("polynomial features of {columns} columns up to degree {degree}");
                return Err(Error::Limit { what, need: total, have: MOST_TERMS });
            }
            if level == 0 {
                break;
            }
        }
        let mut terms: Vec<Term> = Vec::with_capacity(total as usize);
        let mut parents = 0..0;
        while (terms.len() as u64) < total {
            let first = terms.len();
            if first == 0 {
                terms.extend((0..columns as u32).map(|column| Term { parent: None, column }));
            }
            for parent in parents {
                let last: Term = terms[parent];
                let start = last.column + u32::from(self.interaction_only);
                terms.extend((start..columns as u32).map(|column| Term { parent: Some(parent as u32), column }));
            }
            parents = first..terms.len();
        }
        Ok(terms)
    }
}

impl Estimator for PolynomialFeatures {
    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<PolynomialFeaturesModel> {
        PolynomialFeaturesModel::new(self.clone().into(), to_fit(self, x, &options)?.columns())
    }
}

/// A product: an earlier one, or 1, times a column. The columns along the parents never rise.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Term {
    parent: Option<u32>,
    column: u32,
}

/// The products that [`PolynomialFeatures`] listed.
#[derive(Debug, Clone, PartialEq)]
pub struct PolynomialFeaturesModel {
    params: FittedWith<PolynomialFeatures>,
    columns: usize,
    terms: Vec<Term>,
}

impl PolynomialFeaturesModel {
    fn new(params: FittedWith<PolynomialFeatures>, columns: usize) -> Result<PolynomialFeaturesModel> {
        let terms = params.terms(columns)?;
        Ok(PolynomialFeaturesModel { params, columns, terms })
    }

    /// Number of new columns.
    pub fn output_columns(&self) -> usize {
        self.terms.len() + usize::from(self.params.include_bias)
    }

    fn name(&self, term: Term, input: &[String]) -> String {
        // From the last factor to the first: (column, power).
        let mut powers: Vec<(u32, u32)> = vec![];
        let mut at = Some(term);
        while let Some(Term { parent, column }) = at {
            match powers.last_mut() {
                Some((last, power)) if *last == column => *power += 1,
                _ => powers.push((column, 1)),
            }
            at = parent.map(|parent| self.terms[parent as usize]);
        }
        let factor = |&(column, power): &(u32, u32)| match power {
            1 => input[column as usize].clone(),
            _ => format!("{}^{power}", input[column as usize]),
        };
        powers.iter().rev().map(factor).collect::<Vec<String>>().join(" ")
    }
}

impl Transformer for PolynomialFeaturesModel {
    fn columns(&self) -> usize {
        self.columns
    }

    /// Such as `1`, `a`, `a^2`, `a b`.
    fn new_columns(&self, names: Vec<String>) -> Vec<(String, Option<usize>)> {
        let bias = self.params.include_bias.then(|| ("1".to_string(), None));
        bias.into_iter().chain(self.terms.iter().map(|term| (self.name(*term, &names), None))).collect()
    }

    /// The products of each row's values, in the order of the new columns.
    fn transform_matrix(&self, x: &Matrix) -> Result<Matrix> {
        let width = self.output_columns();
        let bias = usize::from(self.params.include_bias);
        let result = map_blocks(x, width, |_, source, target| {
            let mut products = vec![0.0_f64; self.terms.len()];
            for (row, out) in source.chunks_exact(self.columns).zip(target.chunks_exact_mut(width)) {
                for (at, term) in self.terms.iter().enumerate() {
                    let before = term.parent.map_or(1.0, |parent| products[parent as usize]);
                    products[at] = before * f64::from(row[term.column as usize]);
                }
                out[..bias].fill(1.0);
                out[bias..].iter_mut().zip(&products).for_each(|(out, product)| *out = *product as f32);
            }
            Ok(())
        })?;
        // A factor of 0 after an overflow of f64 would be NaN, and NaN means missing.
        result.refuse_missing()?;
        Ok(result)
    }
}

saved_by_columns!(PolynomialFeatures => PolynomialFeaturesModel, PolynomialFeaturesModel::new);
