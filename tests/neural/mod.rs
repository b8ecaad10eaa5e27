//! Networks on every device: gradients beside central differences, learning, files, what is refused.

mod autoencoder;
mod convolutional;
mod gradients;
mod language;
mod layers;
mod learning;
mod mlp;
mod studies;
