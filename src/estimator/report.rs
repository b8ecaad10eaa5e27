//! The report of a fit.

use serde::Serialize;

/// The report of a fit: numbers, curves and arrays by name; what a model does not have is absent. The command line and
/// pictures show what is in it, whatever the model.
///
/// ```
/// use gristmill::prelude::*;
/// let model = AnyEstimator::new(KMeans::new(3)).fit(&datasets::iris()?.x, &Target::None, Fit::default())?;
/// let report = model.report();
/// assert!(report.number("inertia").is_some_and(|inertia| inertia < 79.0));
/// assert_eq!(report.array("centers").map(|centers| centers.shape), Some([3, 4]));
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct FitReport {
    /// How the iterations went, if there were any.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub iterations: Option<Iterations>,
    /// Single numbers: `inertia`, `oob_score`.
    #[serde(serialize_with = "by_name", skip_serializing_if = "Vec::is_empty")]
    pub numbers: Vec<(&'static str, f64)>,
    /// Numbers after each iteration: `train_loss`, `validation_loss`.
    #[serde(serialize_with = "by_name", skip_serializing_if = "Vec::is_empty")]
    pub curves: Vec<(&'static str, Vec<f64>)>,
    /// Arrays: `importances` (one number a column, 1×d), `centers` (k×d).
    #[serde(serialize_with = "by_name", skip_serializing_if = "Vec::is_empty")]
    pub arrays: Vec<(&'static str, ReportArray)>,
    /// Where it ran and why there, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<RanOn>,
}

/// How the iterations of a fit went.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Iterations {
    /// How many there were.
    #[serde(rename = "iterations")]
    pub count: usize,
    /// What one is called: `iteration`, `round`.
    #[serde(skip)]
    pub unit: &'static str,
    /// Whether the fit ended by itself; nothing where that is not a question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub converged: Option<bool>,
    /// How it ended: `until the validation loss no longer fell`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ending: Option<&'static str>,
}

/// An array of a report, row by row.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReportArray {
    /// Rows and columns.
    pub shape: [usize; 2],
    /// The numbers, row by row.
    pub values: Vec<f64>,
}

impl ReportArray {
    /// The array as a matrix.
    pub fn to_matrix(&self) -> crate::error::Result<crate::array::Matrix> {
        crate::array::Matrix::from_f64(self.shape[0], self.shape[1], &self.values)
    }
}

/// Where a fit ran.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RanOn {
    /// The device's name.
    pub name: String,
    /// Why there.
    pub why: String,
}

fn by_name<S: serde::Serializer, T: Serialize>(pairs: &[(&'static str, T)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(name, value)| (name, value)))
}

impl FitReport {
    /// The same with so many iterations, and whether they came to an end by themselves.
    pub fn iterations(mut self, count: usize, converged: bool) -> FitReport {
        let (unit, converged) = ("iteration", Some(converged));
        self.iterations = Some(Iterations { count, unit, converged, ending: None });
        self
    }

    /// The same with so many rounds, and how they ended if not after all that were asked for.
    pub fn rounds(mut self, count: usize, ending: Option<&'static str>) -> FitReport {
        self.iterations = Some(Iterations { count, unit: "round", converged: ending.map(|_| true), ending });
        self
    }

    /// The same with a number, if there is one.
    pub fn with_number(mut self, name: &'static str, value: impl Into<Option<f64>>) -> FitReport {
        self.numbers.extend(value.into().map(|value| (name, value)));
        self
    }

    /// The same with a curve, unless it is empty.
    pub fn with_curve(mut self, name: &'static str, values: &[f64]) -> FitReport {
        if !values.is_empty() {
            self.curves.push((name, values.to_vec()));
        }
        self
    }

    /// The same with a number for each column.
    pub fn with_row(mut self, name: &'static str, values: Vec<f64>) -> FitReport {
        self.arrays.push((name, ReportArray { shape: [1, values.len()], values }));
        self
    }

    /// The same with a matrix.
    pub fn with_matrix(mut self, name: &'static str, matrix: &crate::array::Matrix) -> FitReport {
        let values = matrix.as_slice().iter().copied().map(f64::from).collect();
        self.arrays.push((name, ReportArray { shape: [matrix.rows(), matrix.columns()], values }));
        self
    }

    /// The number of this name.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.numbers.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// The curve of this name; empty if there is none.
    pub fn curve(&self, name: &str) -> &[f64] {
        self.curves.iter().find(|(known, _)| *known == name).map_or(&[], |(_, values)| values)
    }

    /// The array of this name.
    pub fn array(&self, name: &str) -> Option<&ReportArray> {
        self.arrays.iter().find(|(known, _)| *known == name).map(|(_, array)| array)
    }
}
