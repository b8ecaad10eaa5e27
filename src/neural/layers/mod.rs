//! The layers.

mod activate;
mod augment;
mod convolution;
mod dense;
mod embedding;
mod normalise;
mod pool;
mod recurrent;

pub use activate::{Activate, Flatten};
pub use augment::Augment;
pub use convolution::Convolution;
pub use dense::Dense;
pub use embedding::Embedding;
pub use normalise::{BatchNormalise, LayerNormalise};
pub use pool::Pool;
pub use recurrent::Recurrent;

use crate::error::{Error, Result};

/// Refuses a share of dropout that is none.
fn check_dropout(dropout: f64) -> Result<()> {
    match (0.0..1.0).contains(&dropout) {
        true => Ok(()),
        false => Err(Error::param("dropout", "at least 0 and below 1", dropout)),
    }
}
