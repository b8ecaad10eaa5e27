//! Networks that learn to give their inputs back through a narrow layer.
//!
//! | file | what is in it |
//! |---|---|
//! | `plain` | `Autoencoder` |
//! | `variational` | `VariationalAutoencoder` |
//! | `evidence` | the bound on the log-likelihood and the importance-sampled log-likelihood, in f64 |
//! | `halves` | encoder and decoder as networks of their own |
//! | `pictures` | curves, reconstructions, samples, the latent plane |

mod evidence;
mod halves;
mod pictures;
mod plain;
mod variational;

pub use plain::{Autoencoder, AutoencoderModel, ReconstructionLoss};
pub use variational::{Decoder, VariationalAutoencoder, VariationalAutoencoderModel};

/// The parameters that both share, and what they make of them.
macro_rules! autoencoder_parameters {
    (
        $(#[$doc:meta])* $name:ident($label:literal) -> $model:ident;
        about $about:literal; { $($own:tt)* }
    ) => {
        parameters! {
            $(#[$doc])*
            pub struct $name: transformer($label) -> $model;
            about $about;
            new(n_components: usize);
            {
                /// Columns of the code.
                n_components: usize = 2, at_least(1.0);
                /// Units of the encoder's hidden layers; the decoder has them in reverse.
                hidden_layer_sizes: Vec<usize> = vec![];
                /// Activation of hidden layers: identity, logistic, tanh, relu, leaky_relu.
                activation: Activation = Activation::Relu;
                $($own)*
                /// What a step makes of a gradient: adam, sgd, adamw, adagrad, rmsprop.
                solver: Solver = Solver::Adam;
                /// Strength of L2 on weights; for adamw their decay.
                alpha: f64 = 0.0, at_least(0.0);
                /// Rows of a batch; more than there are means all.
                batch_size: usize = 200, at_least(1.0);
                /// The rate.
                learning_rate_init: f64 = 1e-3, above(0.0);
                /// Maximum number of epochs.
                max_iter: usize = 200, at_least(1.0);
                /// Whether each epoch has an order of its own.
                shuffle: bool = true;
                /// An epoch must lower the loss by this much.
                tol: f64 = 1e-4, at_least(0.0);
                /// Epochs without progress before the fit ends.
                n_iter_no_change: usize = 10, at_least(1.0);
                /// The longest gradient of a step; none: as long as it is.
                clip_norm: Option<f64> = None, above(0.0);
                /// Deviation of normal noise on the inputs of each step; what is to be given back has none.
                noise: f64 = 0.0, at_least(0.0);
                /// Seed of first weights, orders, noise and samples.
                seed: u64 = 0;
            }
        }

        impl $name {
            fn settings(&self) -> MlpSettings {
                MlpSettings {
                    hidden_layer_sizes: self.hidden_layer_sizes.clone(),
                    activation: self.activation,
                    solver: self.solver,
                    alpha: self.alpha,
                    l1: 0.0,
                    batch_size: self.batch_size,
                    learning_rate: LearningRate::Constant,
                    learning_rate_init: self.learning_rate_init,
                    power_t: 0.5,
                    max_iter: self.max_iter,
                    shuffle: self.shuffle,
                    tol: self.tol,
                    momentum: 0.9,
                    nesterovs_momentum: true,
                    early_stopping: false,
                    validation_fraction: 0.1,
                    beta_1: 0.9,
                    beta_2: 0.999,
                    epsilon: 1e-8,
                    n_iter_no_change: self.n_iter_no_change,
                    dropout: 0.0,
                    clip_norm: self.clip_norm,
                    noise: self.noise,
                    seed: self.seed,
                }
            }

            fn cost_of(&self, shape: &FitShape) -> Cost {
                let middle = FitShape { outputs: self.n_components, ..shape.clone() };
                mlp_cost(&self.settings(), &middle) * 2.0
            }

            /// Learns to give the rows back.
            fn learn(&self, x: Rows<'_>, options: Fit<'_>) -> Result<$model> {
                options.refuse_weights(Self::TYPE)?;
                let x = x.complete(Self::TYPE)?;
                if x.rows() < 2 {
                    return Err(Error::shape(Self::TYPE, "at least two rows", x.rows()));
                }
                let halves = self.halves(x.columns())?;
                let fitted = Fitted::new(halves.whole.clone(), self.seed);
                let targets = TargetLayout { classes: false, weight: None, columns: x.columns() };
                let own = Matrix::zeros(0, x.columns())?;
                let problem = Problem { x: &x, y: own, targets, labels: None, validation: None };
                let (settings, epochs) = (self.settings(), self.max_iter as u64);
                let fitted =
                    options.watched("network", |reporter| settings.learn(fitted, problem, epochs, reporter))?;
                Ok($model { params: self.clone().into(), halves, fitted })
            }
        }

        impl Save for $model {
            type Estimator = $name;

            fn save_fitted(&self, container: &mut Container) -> Result<()> {
                container.set_fitted(&self.fitted.progress)?;
                self.fitted.store(container)
            }

            fn load_fitted(params: FittedWith<$name>, container: &mut Container) -> Result<$model> {
                let progress: Progress = container.fitted()?;
                let [columns, _] = container.shape("layer0.weights")?;
                for (layer, units) in params.hidden_layer_sizes.iter().enumerate() {
                    let [_, found] = container.shape(&format!("layer{layer}.weights"))?;
                    if found != *units {
                        return Err(container.refuse(format!("layer {layer} of {found} units in place of {units}")));
                    }
                }
                let [_, code] = container.shape(&format!("layer{}.weights", params.hidden_layer_sizes.len()))?;
                if code != $name::code_sums(params.n_components) {
                    return Err(container.refuse(format!("a code of other than {} columns", params.n_components)));
                }
                let halves = params.halves(columns).map_err(|error| container.refuse(error.to_string()))?;
                let fitted = Fitted::restore(halves.whole.clone(), progress, container)?;
                Ok($model { params, halves, fitted })
            }
        }

        impl Transform for $model {}

        impl $model {
            /// The code of each row, n×k.
            pub fn encode<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Matrix> {
                self.transform_rows(x.into())?.into_host()
            }

            /// The mean squared difference of rows (n×d) from what their codes give back.
            pub fn reconstruction_error<'a>(&self, x: impl Into<Rows<'a>>) -> Result<f64> {
                let x = x.into().on_host()?;
                let back = self.decode(&self.encode(&x)?)?;
                let square = |(value, back): (&f32, &f32)| (f64::from(*value) - f64::from(*back)).powi(2);
                let sum: f64 = x.as_slice().iter().zip(back.as_slice()).map(square).sum();
                Ok(sum / x.as_slice().len().max(1) as f64)
            }

            /// The same as `decode`, under scikit-learn's name.
            pub fn inverse_transform<'a>(&self, z: impl Into<Rows<'a>>) -> Result<Matrix> {
                self.decode(z)
            }

            /// The weights of each dense layer, inputs×outputs, encoder first.
            pub fn weights(&self) -> Result<Vec<Matrix>> {
                self.fitted.blocks("weights")
            }

            /// The biases of each dense layer, 1×outputs.
            pub fn biases(&self) -> Result<Vec<Matrix>> {
                self.fitted.blocks("bias")
            }

            /// The loss of each epoch, a mean over rows.
            pub fn losses(&self) -> &[f64] {
                &self.fitted.losses
            }

            /// Epochs of the fit.
            pub fn iterations(&self) -> usize {
                self.fitted.progress.epochs as usize
            }

            /// Whether the steps diverged: the weights are those before the epoch that did.
            pub fn diverged(&self) -> bool {
                self.fitted.progress.diverged
            }
        }
    };
}

pub(in crate::neural::autoencoder) use autoencoder_parameters;
