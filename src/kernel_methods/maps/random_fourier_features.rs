//! Random cosines whose inner products approximate a Gaussian.

use std::f64::consts::TAU;

use rayon::prelude::*;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::numbered;
use crate::array::Matrix;
use crate::cpu::random::philox::Philox;
use crate::error::{Error, Result};
use crate::estimator::{Estimator, Fit, FittedWith, InputColumns, Model, OwnedRows, Rows, Save, Transform, parameters};
use crate::kernel_methods::{FittedKernel, Gamma, Kernel};
use crate::model_file::Container;
use crate::ops::{self, Layout};

const OP: &str = "RandomFourierFeatures";
/// The streams of random numbers for frequencies and phases.
const FREQUENCIES: u32 = 0x7266_0000;
const PHASES: u32 = 0x7266_0001;

parameters! {
    /// Random Fourier features (Rahimi and Recht 2007): √(2/m)·cos(ωᵀx + b) with normal ω and uniform b, whose inner
    /// products are exp(−gamma·‖x−y‖²) up to an error that falls as 1/√m. scikit-learn's `RBFSampler`.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// use gristmill::kernel_methods::RandomFourierFeatures;
    /// let x = Matrix::from_rows(&[[0.0], [0.5]])?;
    /// let z = RandomFourierFeatures::new(4000).fit(&x)?.transform(&x)?;
    /// let product: f32 = z.row(0).iter().zip(z.row(1)).map(|(x, y)| x * y).sum();
    /// assert!((product - (-0.25_f32).exp()).abs() < 0.05);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// The product of rows and frequencies runs where the rows live; the cosines are taken on the host, and brought back
    /// to the device once.
    pub struct RandomFourierFeatures: transformer("random-fourier-features") -> RandomFourierFeaturesModel;
    about "random cosines of the columns, whose inner products approximate a Gaussian kernel";
    new(n_components: usize);
    {
        /// The width of the Gaussian: a number, scale (1/(d·variance)) or auto (1/d).
        #[into]
        gamma: Gamma = Gamma::Value(1.0);
        /// Number of features.
        n_components: usize = 100, at_least(1.0);
        /// Seed of the frequencies and phases.
        seed: u64 = 0;
    }
}

impl Serialize for Gamma {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Gamma::Scale => serializer.serialize_str("scale"),
            Gamma::Auto => serializer.serialize_str("auto"),
            Gamma::Value(value) => serializer.serialize_f64(*value),
        }
    }
}

/// A width as it is written.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Number(f64),
    Name(String),
}

impl<'de> Deserialize<'de> for Gamma {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Gamma, D::Error> {
        let refused = |got: String| D::Error::custom(Error::param("gamma", "a number, scale or auto", got));
        match Written::deserialize(deserializer).map_err(|_| refused("something else".to_string()))? {
            Written::Number(value) => Ok(Gamma::Value(value)),
            Written::Name(name) if name == "scale" => Ok(Gamma::Scale),
            Written::Name(name) if name == "auto" => Ok(Gamma::Auto),
            Written::Name(name) => Err(refused(name)),
        }
    }
}

impl Estimator for RandomFourierFeatures {
    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<RandomFourierFeaturesModel> {
        options.refuse_weights(OP)?;
        let x = x.complete(OP)?;
        // The kernel checks the width, and takes it from the rows where it is named.
        let (kernel, _) = FittedKernel::fit(OP, &Kernel::rbf(self.gamma), &x)?;
        let &Kernel::Gaussian { gamma: Gamma::Value(gamma) } = kernel.kernel() else {
            return Err(Error::param("gamma", "a number, scale or auto", kernel.kernel()));
        };
        let (d, m) = (x.columns(), self.n_components);
        let mut frequencies = Matrix::zeros(d, m)?;
        Philox::new(self.seed, FREQUENCIES).fill_normals(0, frequencies.as_mut_slice());
        let scale = (2.0 * gamma).sqrt();
        frequencies.as_mut_slice().iter_mut().for_each(|value| *value = (f64::from(*value) * scale) as f32);
        frequencies.check_finite()?;
        let phases = Philox::new(self.seed, PHASES);
        let phases = (0..m as u64).map(|at| TAU * f64::from(phases.uniform(at))).collect();
        Ok(RandomFourierFeaturesModel { params: self.clone().into(), frequencies, phases })
    }
}

/// The cosines that [`RandomFourierFeatures`] drew.
#[derive(Debug, Clone)]
pub struct RandomFourierFeaturesModel {
    params: FittedWith<RandomFourierFeatures>,
    frequencies: Matrix,
    phases: Vec<f64>,
}

impl RandomFourierFeaturesModel {
    /// The frequencies ω, d×m.
    pub fn random_weights(&self) -> &Matrix {
        &self.frequencies
    }

    /// The phases b, m of them.
    pub fn random_offset(&self) -> &[f64] {
        &self.phases
    }
}

impl Transform for RandomFourierFeaturesModel {}

impl Model for RandomFourierFeaturesModel {
    fn transform_rows(&self, x: Rows<'_>) -> Result<OwnedRows> {
        let on_device = x.queries(OP, self.frequencies.rows())?;
        let mut stream = on_device.device().stream();
        let frequencies = self.frequencies.to(on_device.device())?;
        let mut angles = ops::gemm(&mut stream, Layout::NN, &on_device, &frequencies)?.to_matrix(&mut stream)?;
        let m = self.phases.len();
        let scale = (2.0 / m as f64).sqrt();
        angles.as_mut_slice().par_chunks_mut(m).for_each(|row| {
            for (value, phase) in row.iter_mut().zip(&self.phases) {
                *value = (scale * (f64::from(*value) + phase).cos()) as f32;
            }
        });
        OwnedRows::beside(x, angles)
    }

    fn transformed_columns(&self, _: &InputColumns) -> Option<InputColumns> {
        Some(numbered("fourier", self.phases.len()))
    }
}

impl Save for RandomFourierFeaturesModel {
    type Estimator = RandomFourierFeatures;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        let (d, m) = (self.frequencies.rows(), self.frequencies.columns());
        container.insert("frequencies", &[d, m], self.frequencies.as_slice().to_vec())?;
        container.insert_list("phases", &self.phases)
    }

    fn load_fitted(
        params: FittedWith<RandomFourierFeatures>,
        container: &mut Container,
    ) -> Result<RandomFourierFeaturesModel> {
        let [d, m] = container.shape("frequencies")?;
        let frequencies = Matrix::from_vec(d, m, container.take("frequencies", &[d, m])?)?;
        let phases = container.take("phases", &[m])?;
        if d == 0 || m == 0 {
            return Err(container.refuse("there is no column, or no feature"));
        }
        Ok(RandomFourierFeaturesModel { params, frequencies, phases })
    }
}
