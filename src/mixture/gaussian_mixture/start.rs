//! Where a search begins.

use nalgebra::DMatrix;

use super::super::covariance::CovarianceType;
use super::super::gaussians::WeightedGaussians;
use super::{GaussianMixture, MixtureStart};
use crate::array::DeviceMatrix;
use crate::cluster::{Init, KMeans};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::estimator::Fit;
use crate::linalg::Cholesky;
use crate::solvers::scatter::Scatter;

impl GaussianMixture {
    /// Gaussians of the rows that are nearest to each of k centres, but for what was given.
    pub(super) fn start(
        &self,
        x: &DeviceMatrix,
        weights: Option<&[f32]>,
        total: &Scatter,
        number: usize,
    ) -> Result<WeightedGaussians> {
        let (k, d) = (self.n_components, x.columns());
        self.check_given(d)?;
        let mut found = match (&self.weights_init, &self.means_init, &self.precisions_init) {
            (Some(_), Some(_), Some(_)) => WeightedGaussians {
                kind: self.covariance_type,
                weights: vec![],
                means: vec![],
                covariances: vec![],
                center: total.mean.clone(),
            },
            _ => self.of_clusters(x, weights, total, number)?,
        };
        if let Some(given) = &self.weights_init {
            let sum: f64 = given.iter().sum();
            found.weights = given.iter().map(|weight| (weight / sum).max(10.0 * f64::EPSILON)).collect();
        }
        if let Some(given) = &self.means_init {
            found.means = given.concat();
        }
        if let Some(given) = &self.precisions_init {
            found.covariances.clear();
            for precision in given {
                match self.covariance_type {
                    CovarianceType::Full | CovarianceType::Tied => {
                        let inverse = Cholesky::factor(&DMatrix::from_row_slice(d, d, precision))?.inverse()?;
                        found.covariances.extend_from_slice(inverse.as_slice());
                    }
                    CovarianceType::Diag => found.covariances.extend(precision.iter().map(|value| 1.0 / value)),
                    CovarianceType::Spherical => found.covariances.extend(vec![1.0 / precision[0]; d]),
                }
            }
        }
        debug_assert_eq!((found.weights.len(), found.means.len()), (k, k * d));
        Ok(found)
    }

    /// Refuses given starts of other shapes, and precisions that are none.
    fn check_given(&self, d: usize) -> Result<()> {
        let k = self.n_components;
        if let Some(given) = &self.weights_init {
            let sum: f64 = given.iter().sum();
            let shares = given.iter().all(|weight| *weight >= 0.0) && (sum - 1.0).abs() < 1e-3;
            if given.len() != k || !shares {
                let rule = format!("{k} numbers of at least 0 that add up to 1");
                return Err(Error::param("weights_init", rule, format!("{given:?}")));
            }
        }
        if let Some(given) = &self.means_init {
            let finite = given.iter().flatten().all(|value| value.is_finite());
            if given.len() != k || given.iter().any(|mean| mean.len() != d) || !finite {
                return Err(Error::param("means_init", format!("{k} rows of {d} numbers"), given.len()));
            }
        }
        if let Some(given) = &self.precisions_init {
            let (count, length) = match self.covariance_type {
                CovarianceType::Full => (k, d * d),
                CovarianceType::Tied => (1, d * d),
                CovarianceType::Diag => (k, d),
                CovarianceType::Spherical => (k, 1),
            };
            let positive = |precision: &Vec<f64>| match length == d * d && length > d {
                true => Cholesky::factor(&DMatrix::from_row_slice(d, d, precision)).is_ok(),
                false => precision.iter().all(|value| *value > 0.0 && value.is_finite()),
            };
            let fits = given.len() == count && given.iter().all(|precision| precision.len() == length);
            if !fits || !given.iter().all(positive) {
                let rule = format!("{count} rows of {length} numbers, each a positive definite inverse covariance");
                return Err(Error::param("precisions_init", rule, given.len()));
            }
        }
        Ok(())
    }

    /// Gaussians of the rows that are nearest to each of k centres. The clusters are found where the rows live.
    fn of_clusters(
        &self,
        x: &DeviceMatrix,
        weights: Option<&[f32]>,
        total: &Scatter,
        number: usize,
    ) -> Result<WeightedGaussians> {
        let (k, d) = (self.n_components, x.columns());
        let seed = self.seed.wrapping_add(number as u64);
        let (init, steps) = match self.init_params {
            MixtureStart::KMeans => (Init::KMeansPlusPlus, 300),
            MixtureStart::KMeansPlusPlus => (Init::KMeansPlusPlus, 1),
            MixtureStart::RandomRows => (Init::Random, 1),
        };
        let options = weights.map_or(Fit::default(), |weights| Fit::default().sample_weight(weights));
        let clusters = KMeans::new(k).init(init).max_iter(steps).n_init(1).seed(seed).fit_with(x, options)?;
        let x = x.to_matrix(&mut x.device().stream())?;
        let mut found = WeightedGaussians {
            kind: self.covariance_type,
            weights: vec![0.0; k],
            means: vec![0.0; k * d],
            covariances: vec![],
            center: total.mean.clone(),
        };
        let mut pooled = DMatrix::zeros(d, d);
        for at in 0..k {
            let rows: Vec<usize> = (0..x.rows()).filter(|row| clusters.labels()[*row] == at as u32).collect();
            let own: Option<Vec<f32>> = weights.map(|weights| rows.iter().map(|row| weights[*row]).collect());
            let counts = own.as_ref().map_or(rows.len() as f64, |own| own.iter().copied().map(f64::from).sum());
            // A cluster without weight starts as all rows together.
            let scatter = match counts > 0.0 {
                true => Scatter::of(&mut Device::Cpu.stream(), &x.select(&rows)?.to(&Device::Cpu)?, own.as_deref())?,
                false => Scatter { weight: 0.0, ..total.clone() },
            };
            found.weights[at] = (scatter.weight / total.weight).max(10.0 * f64::EPSILON);
            found.means[at * d..(at + 1) * d].copy_from_slice(&scatter.mean);
            let over = if scatter.weight > 0.0 { scatter.weight } else { total.weight };
            if self.covariance_type == CovarianceType::Tied {
                pooled += &scatter.matrix * (scatter.weight / over);
            } else {
                let mut covariance = &scatter.matrix / over;
                (0..d).for_each(|i| covariance[(i, i)] += self.reg_covar);
                found.covariances.extend(self.covariance_type.of(&covariance));
            }
        }
        if self.covariance_type == CovarianceType::Tied {
            pooled /= total.weight;
            (0..d).for_each(|i| pooled[(i, i)] += self.reg_covar);
            found.covariances = self.covariance_type.of(&pooled);
        }
        let sum: f64 = found.weights.iter().sum();
        found.weights.iter_mut().for_each(|weight| *weight /= sum);
        Ok(found)
    }
}
