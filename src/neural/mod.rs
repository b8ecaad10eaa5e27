//! Networks: layers in a row that learn by batched gradients, on the CPU and on a GPU.
//!
//! | file | what is in it |
//! |---|---|
//! | `shape` | the shape of what goes from layer to layer |
//! | `layer` | the trait of a layer, and what it gets for each pass |
//! | `layers` | the layers: dense, convolution, pooling, normalisation, embedding, recurrent, augmentation, activation |
//! | `network` | layers in a row, checked; both passes |
//! | `buffers` | what the passes write |
//! | `start` | what weights begin with |
//! | `training` | batches, steps, epochs, the state that learning goes on from |
//! | `predict` | the outputs for rows |
//! | `check` | gradients beside central differences in f64 |
//! | `mlp` | the estimators `MlpClassifier`, `MlpRegressor` and `ConvClassifier` |
//! | `latent` | the latent layer of a variational autoencoder |
//! | `autoencoder` | the estimators `Autoencoder` and `VariationalAutoencoder` |
//! | [`studies`] | small experiments with networks, each with a picture |
//! | `pictures` | curves, and weights and rows as images |
//!
//! # How it fits together
//!
//! A [`Network`] is a value: layers, shapes, and where each layer's parameters lie. All parameters are one flat vector on the
//! device, gradients another, and what the optimiser remembers two more, so that one kernel takes a step for all layers.
//! What the passes write is in [`Buffers`], made once for a number of rows. Rows of activations and weights lie a multiple of four
//! numbers apart on every device, and their padding is 0. A [`Learner`] owns all of it and records whole epochs: gather the
//! rows of a batch, forward, loss, backward, step. Only sums of losses are read, once an epoch.
//!
//! # Adding a layer
//!
//! Implement [`Layer`] in a file of its own:
//!
//! 1. `output` checks the shape that goes in and returns the one that comes out; it is called when the network is built.
//! 2. `blocks` lists its parameters: matrices with a name, a [`Start`], and whether L1 and L2 count them. They follow each
//!    other in the flat vector from `pass.first` on, each rows×(columns rounded up to 4). None for pooling or flatten.
//! 3. `forward` records the work that fills `pass.output` from `pass.input`, both flat vectors of rows. `pass.tail` is to be
//!    applied to each value: activation and dropout. A product does it in its epilogue (`shaders/lib/layer_tail.wgsl`).
//! 4. `backward` gets the slopes by its sums (before its own tail) in `pass.slope`. It writes all of its part of
//!    `pass.gradient`, and, if `pass.input_slope` is there, the slopes by the sums of the layer before: the slopes by its
//!    inputs, turned back through the given tail of that layer, whose values are `pass.input`.
//! 5. What it must remember from one pass for the other goes to `pass.kept`, a vector for each length that `kept` lists. Random numbers are by
//!    counter, of `pass.random`, so that both passes draw the same.
//! 6. `reference` is the slow version in f64, by which [`check_gradient`] holds the gradient against central differences.
//!
//! A layer that carries a state from batch to batch, as [`Recurrent`] can, puts it back to 0 in `forget`. Behind sequences the categorical
//! cross-entropy has a class for each step ([`Dense::each_step`]).
//!
//! A layer with a loss of its own, as [`Latent`] has, adds it to the sums of the batch in `add_loss` and its slopes in `backward`.
//!
//! Kernels are in `ops/neural`, each with its twin in `cpu/neural`. A layer that takes its rows in parts calls [`dense_weight_slope`] with `add`
//! for all parts but the first. Losses of one's own, two heads and samples: run [`Network::forward`], write
//! the slopes by the last sums into the last of [`Buffers::slopes`], then [`Network::backward`], with `to_input` for a network that stands behind
//! another, and [`Learner::update`]. Images are flipped and shifted by the layer
//! [`Augment`], noise is added where the batch is gathered ([`Batch`](crate::ops::neural::Batch)).
//!
//! [`dense_weight_slope`]: crate::ops::neural::dense_weight_slope

mod autoencoder;
mod buffers;
mod check;
mod latent;
mod layer;
mod layers;
mod learning;
mod mlp;
mod network;
mod pictures;
mod predict;
mod shape;
mod start;
pub mod studies;
mod training;

pub use autoencoder::{
    Autoencoder, AutoencoderModel, Decoder, ReconstructionLoss, VariationalAutoencoder, VariationalAutoencoderModel,
};
pub use buffers::Buffers;
pub use check::{GradientCheck, check_gradient};
pub use latent::Latent;
pub use layer::{Backward, Block, Forward, Layer, Own, OwnLoss};
pub use layers::{
    Activate, Augment, BatchNormalise, Convolution, Dense, Embedding, Flatten, LayerNormalise, Pool, Recurrent,
};
pub use learning::{EpochReport, LearnerState, TrainingOptions, TrainingRows};
pub use mlp::{
    ConvClassifier, ConvClassifierModel, LearningRate, MlpClassifier, MlpClassifierModel, MlpRegressor,
    MlpRegressorModel, RegressionLoss, Solver,
};
pub use network::{Network, PlacedBlock};
pub use pictures::{regions_over_epochs, tiles};
pub use predict::predict;
pub use shape::Shape;
pub use start::Start;
pub use training::Learner;

pub use crate::ops::neural::{Activation, Cell, Dropout, OutputLoss, Pooling, Tail, TargetLayout};
