//! An autoencoder whose codes are distributions.

use serde::{Deserialize, Serialize};

use super::autoencoder_parameters;
use super::evidence::{Evidence, normals};
use super::halves::{Halves, Plan, beside};
use super::pictures;
use crate::array::Matrix;
use crate::cost::Cost;
use crate::cpu::random::philox::Philox;
use crate::error::{Error, Result};
use crate::estimator::{
    Declared, Estimator, Fit, FitReport, FitShape, FittedWith, InputColumns, Model, OwnedRows, PictureInput, Rows,
    Save, Transform, parameters,
};
use crate::model_file::Container;
use crate::neural::mlp::{
    Fitted, LearningRate, MlpSettings, Problem, Progress, Solver, cost as mlp_cost, refuse_lbfgs,
};
use crate::ops::neural::{Activation, MOST_SPREAD, OutputLoss, TargetLayout, VARIANCE_FLOOR};
use crate::plot::Figure;

/// The random numbers of sampled codes, and of values given the codes.
const CODES: u32 = 0x5641_0001;
const VALUES: u32 = 0x5641_0002;

/// The distribution of a row, given its code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decoder {
    /// Each column is normal with a mean and a variance of its own; the variance is at least 0.001.
    #[default]
    Gaussian,
    /// Each column is 1 with a probability of its own; values between 0 and 1 count as such shares.
    Bernoulli,
}

autoencoder_parameters! {
    /// A model of the distribution of rows (Kingma and Welling 2014): a code is standard normal, and the decoder gives the
    /// distribution of a row by its code. The encoder gives mean and variance of the code of each row; both learn by the
    /// evidence lower bound (ELBO), E log p(x|z) − KL(q(z|x) ‖ N(0, 1)), with one code drawn for each row and step.
    ///
    /// ```
    /// use gristmill::neural::{Decoder, VariationalAutoencoder};
    /// use gristmill::prelude::*;
    /// let digits = datasets::digits()?;
    /// let x = digits.x.select(&(0..200).collect::<Vec<_>>())?;
    /// let x = Matrix::from_vec(200, 64, x.as_slice().iter().map(|value| value / 16.0).collect())?;
    /// let vae = VariationalAutoencoder::new(2).hidden_layer_sizes(vec![32]).decoder(Decoder::Bernoulli);
    /// let model = vae.max_iter(5).fit(&x)?;
    /// assert_eq!(model.encode(&x)?.columns(), 2); // the means of the codes
    /// let new = model.sample(10, 1)?; // 10×64, zeros and ones
    /// assert_eq!(new.rows(), 10);
    /// assert_eq!(model.elbo(&x, 1)?.len(), 200); // nats, a row each
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - It runs where the rows live; on a GPU whole epochs are recorded, and the loss is read once an epoch. The codes are drawn
    ///   by counter, so the same seed and device give the same bits.
    /// - The Bernoulli decoder takes columns within [0, 1]. For the Gaussian one, scale the columns first.
    /// - The report has the ELBO of each epoch, as the mean over rows in nats.
    VariationalAutoencoder("variational-autoencoder") -> VariationalAutoencoderModel;
    about "a network that models the distribution of rows by normal codes";
    {
        /// The distribution of a row, given its code: gaussian, bernoulli.
        decoder: Decoder = Decoder::Gaussian;
    }
}

/// Refuses values outside [0, 1].
pub(super) fn refuse_outside(op: &'static str, x: Rows<'_>, what: &'static str) -> Result<()> {
    x.refuse_sparse(op)?;
    let host = x.on_host()?;
    match host.as_slice().iter().find(|value| !(0.0..=1.0).contains(*value)) {
        Some(value) if !value.is_nan() => {
            let rule = "for columns within [0, 1]; scale them, or choose another";
            Err(Error::param(what, rule, value))
        }
        _ => Ok(()),
    }
}

impl VariationalAutoencoder {
    fn code_sums(components: usize) -> usize {
        components.saturating_mul(2)
    }

    fn halves(&self, columns: usize) -> Result<Halves> {
        let outputs = match self.decoder {
            Decoder::Bernoulli => (columns, Activation::Logistic, OutputLoss::BinaryCrossEntropy),
            Decoder::Gaussian => (2 * columns, Activation::Identity, OutputLoss::Gaussian),
        };
        Halves::new(&Plan {
            columns,
            hidden: &self.hidden_layer_sizes,
            activation: self.activation,
            code: self.n_components,
            drawn: true,
            outputs,
            tied: false,
        })
    }
}

impl Estimator for VariationalAutoencoder {
    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        Some(self.cost_of(shape))
    }

    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<VariationalAutoencoderModel> {
        if self.decoder == Decoder::Bernoulli {
            refuse_outside(Self::TYPE, x, "decoder")?;
        }
        refuse_lbfgs(self.solver, "another solver: latent numbers are drawn anew in each batch")?;
        self.learn(x, options)
    }
}

/// A variational autoencoder as it was fitted.
#[derive(Debug, Clone, PartialEq)]
pub struct VariationalAutoencoderModel {
    params: FittedWith<VariationalAutoencoder>,
    halves: Halves,
    fitted: Fitted,
}

impl VariationalAutoencoderModel {
    /// Means and variances of the codes of rows (n×d), n×k each.
    pub fn encode_distribution<'a>(&self, x: impl Into<Rows<'a>>) -> Result<[Matrix; 2]> {
        let sums = self.sums(x.into())?;
        let k = self.params.n_components;
        let mut variances = sums.select_columns(&(k..2 * k).collect::<Vec<_>>())?;
        variances.as_mut_slice().iter_mut().for_each(|value| *value = value.clamp(-MOST_SPREAD, MOST_SPREAD).exp());
        Ok([sums.select_columns(&(0..k).collect::<Vec<_>>())?, variances])
    }

    /// The rows that codes (n×k) stand for, n×d: probabilities or means.
    pub fn decode<'a>(&self, z: impl Into<Rows<'a>>) -> Result<Matrix> {
        let made = self.decoded(z.into(), true)?;
        match self.params.decoder {
            Decoder::Bernoulli => Ok(made),
            Decoder::Gaussian => made.select_columns(&(0..made.columns() / 2).collect::<Vec<_>>()),
        }
    }

    /// What `n` codes that are drawn from the standard normal stand for, n×d: probabilities or means.
    pub fn sample_means(&self, n: usize, seed: u64) -> Result<Matrix> {
        self.decode(&normals(seed, CODES, n, self.params.n_components)?)
    }

    /// `n` rows drawn from the model, n×d: a code each from the standard normal, then a row given its code.
    pub fn sample(&self, n: usize, seed: u64) -> Result<Matrix> {
        let codes = normals(seed, CODES, n, self.params.n_components)?;
        let mut made = self.decoded(Rows::Host(&codes), true)?;
        let d = self.halves.encoder.input().size();
        match self.params.decoder {
            Decoder::Bernoulli => {
                let mut drawn = vec![0.0; n * d];
                Philox::new(seed, VALUES).fill_uniforms(0, &mut drawn);
                let pairs = made.as_mut_slice().iter_mut().zip(drawn);
                pairs.for_each(|(value, uniform)| *value = f32::from(u8::from(uniform < *value)));
                Ok(made)
            }
            Decoder::Gaussian => {
                let drawn = normals(seed, VALUES, n, d)?;
                let value = |row: usize, column: usize| {
                    let variance = VARIANCE_FLOOR + made.get(row, d + column).clamp(-MOST_SPREAD, MOST_SPREAD).exp();
                    made.get(row, column) + variance.sqrt() * drawn.get(row, column)
                };
                let values = (0..n * d).map(|at| value(at / d, at % d)).collect();
                Matrix::from_vec(n, d, values)
            }
        }
    }

    /// The evidence lower bound of each row in nats, its expectation over codes by the mean of so many `samples`.
    pub fn elbo<'a>(&self, x: impl Into<Rows<'a>>, samples: usize) -> Result<Vec<f64>> {
        self.evidence(x.into(), samples).map(Evidence::bounds)
    }

    /// The log-likelihood of each row in nats by importance sampling: log of the mean of p(x|z)·p(z) / q(z|x) over so many
    /// `samples` z of q (Burda et al. 2016). In expectation it is never below the
    /// evidence lower bound, and more samples bring it nearer to the log-likelihood, from below.
    pub fn log_likelihood<'a>(&self, x: impl Into<Rows<'a>>, samples: usize) -> Result<Vec<f64>> {
        self.evidence(x.into(), samples).map(Evidence::likelihoods)
    }

    fn evidence(&self, x: Rows<'_>, samples: usize) -> Result<Evidence> {
        if samples == 0 {
            return Err(Error::param("samples", "at least 1", samples));
        }
        let sums = self.sums(x)?;
        let mut evidence = Evidence::new(x.on_host()?, sums, self.params.decoder);
        for sample in 0..samples {
            let codes = evidence.codes(self.params.seed, sample)?;
            let decoded = self.decoded(Rows::Host(&codes), false)?;
            evidence.add(&codes, &decoded);
        }
        Ok(evidence)
    }

    fn sums(&self, x: Rows<'_>) -> Result<Matrix> {
        self.halves.encoded(VariationalAutoencoder::TYPE, &self.fitted.state.parameters, x)
    }

    fn decoded(&self, z: Rows<'_>, activated: bool) -> Result<Matrix> {
        self.halves.decoded(VariationalAutoencoder::TYPE, &self.fitted.state.parameters, z, activated)
    }

    /// The mean ELBO of a row in each epoch, as it was when its batch was learnt.
    pub fn elbos(&self) -> Vec<f64> {
        self.fitted.losses.iter().map(|loss| -loss).collect()
    }
}

impl Model for VariationalAutoencoderModel {
    fn transform_rows(&self, x: Rows<'_>) -> Result<OwnedRows> {
        let k = self.params.n_components;
        beside(x, self.sums(x)?.select_columns(&(0..k).collect::<Vec<_>>())?)
    }

    fn transformed_columns(&self, _: &InputColumns) -> Option<InputColumns> {
        Some(pictures::code_columns(self.params.n_components))
    }

    fn report(&self) -> FitReport {
        let elbos = self.elbos();
        self.fitted.report().with_number("elbo", elbos.last().copied()).with_curve("elbo", &elbos)
    }

    fn figures(&self, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
        let mut figures = vec![pictures::curve("ELBO after each epoch", "nats", &self.elbos())];
        figures.extend(pictures::first_layer(&self.weights()?)?);
        figures.extend(pictures::images("Samples", &self.sample_means(pictures::SHOWN, self.params.seed)?)?);
        if self.params.n_components == 2 {
            figures.extend(pictures::latent_plane(|z| self.decode(z))?);
        }
        if let Some(rows) = input.rows {
            figures.extend(pictures::of_rows(rows, |x| self.encode(x), |z| self.decode(z))?);
        }
        Ok(figures)
    }
}
