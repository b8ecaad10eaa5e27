//! The CPU twins of the kernels of networks. Rows of activations and weights lie a multiple of four numbers apart, as on a
//! GPU, and their padding is 0.

pub mod activate;
pub mod augment;
pub mod cell;
pub mod convolution;
pub mod dense;
pub mod embedding;
pub mod gather_batch;
pub mod latent;
pub mod loss;
pub mod normalise;
pub mod norms;
pub mod pool;
pub mod product;
pub mod recurrent;
pub mod tail;
pub mod tie;
pub mod update;
pub mod windows;
