//! Why averaging helps: the variance of a mean of numbers that are alike.

use crate::array::Matrix;
use crate::error::{Error, Result};

/// The variance of the average of B members, as it is and as ρσ² + (1 − ρ)σ²/B gives it.
///
/// Variances and correlations are over the rows that were asked for. The formula is exact for members of equal variance;
/// as B grows only ρσ² stays, which is why forests make their trees less alike.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnsembleVariance {
    /// B, the number of members.
    pub members: usize,
    /// σ²: the mean over the members of the variance of what they predict.
    pub variance: f64,
    /// ρ: the mean correlation of two members; 0 for one member, or for one that always predicts the same.
    pub correlation: f64,
    /// The variance of the average of the members.
    pub of_average: f64,
}

impl EnsembleVariance {
    /// ρσ² + (1 − ρ)σ²/B.
    pub fn by_formula(&self) -> f64 {
        let EnsembleVariance { members, variance, correlation, .. } = *self;
        correlation * variance + (1.0 - correlation) * variance / members as f64
    }

    /// Of the predictions of each member, all n×p with n at least 1. Costs n·p·B steps: the correlations of all pairs
    /// are in the variance of the sum of standardised members.
    #[doc(hidden)]
    pub fn of(op: &'static str, members: impl IntoIterator<Item = Result<Matrix>>) -> Result<EnsembleVariance> {
        let (mut count, mut variances, mut varying) = (0, 0.0, 0.0);
        let (mut sum, mut standardised): (Vec<f64>, Vec<f64>) = (vec![], vec![]);
        for member in members {
            let deviations = deviations(op, &member?)?;
            let places = deviations.len() as f64;
            let variance = deviations.iter().map(|deviation| deviation * deviation).sum::<f64>() / places;
            sum.resize(deviations.len(), 0.0);
            standardised.resize(deviations.len(), 0.0);
            sum.iter_mut().zip(&deviations).for_each(|(sum, deviation)| *sum += deviation);
            if variance > 0.0 {
                let scale = 1.0 / variance.sqrt();
                standardised.iter_mut().zip(&deviations).for_each(|(sum, deviation)| *sum += deviation * scale);
                varying += 1.0;
            }
            variances += variance;
            count += 1;
        }
        let (places, members) = (sum.len() as f64, count as f64);
        let pairs = members * (members - 1.0);
        let of_sum = standardised.iter().map(|sum| sum * sum).sum::<f64>() / places;
        let correlation = if pairs > 0.0 { (of_sum - varying) / pairs } else { 0.0 };
        let of_average = sum.iter().map(|sum| (sum / members) * (sum / members)).sum::<f64>() / places;
        Ok(EnsembleVariance { members: count, variance: variances / members, correlation, of_average })
    }
}

/// What a member predicts, each output less its mean.
fn deviations(op: &'static str, predictions: &Matrix) -> Result<Vec<f64>> {
    let (rows, outputs) = (predictions.rows(), predictions.columns());
    if rows == 0 {
        return Err(Error::shape(op, "at least one row", "0"));
    }
    let mean = |output: usize| (0..rows).map(|row| f64::from(predictions.get(row, output))).sum::<f64>() / rows as f64;
    let means: Vec<f64> = (0..outputs).map(mean).collect();
    Ok(predictions.as_slice().iter().enumerate().map(|(at, value)| f64::from(*value) - means[at % outputs]).collect())
}
