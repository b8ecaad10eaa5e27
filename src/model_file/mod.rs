//! Saving and loading: one container for every fitted model.
//!
//! A model file is a plain [safetensors](https://github.com/huggingface/safetensors) file, so any reader of that format
//! can open its arrays. Its one metadata key, `gristmill`, is a JSON string with the keys `checksum`, `format`, `kind`,
//! `parameters` and `version`. Nothing in it depends on when, where or on how many threads the model was made: equal
//! models are equal files. A file is checked before it is used, and written atomically.
//!
//! ```
//! use gristmill::model_file::{Container, Persist};
//!
//! #[derive(Debug, PartialEq)]
//! struct MeanModel { mean: Vec<f64> }
//!
//! impl Persist for MeanModel {
//!     const KIND: &'static str = "mean";
//!     fn store(&self, container: &mut Container) -> gristmill::Result<()> {
//!         container.insert("mean", &[self.mean.len()], self.mean.clone())
//!     }
//!     fn restore(container: &mut Container) -> gristmill::Result<MeanModel> {
//!         let [columns] = container.shape("mean")?;
//!         Ok(MeanModel { mean: container.take("mean", &[columns])? })
//!     }
//! }
//!
//! let model = MeanModel { mean: vec![0.5, 1.5] };
//! assert_eq!(MeanModel::from_bytes(&model.to_bytes()?)?, model);
//! # Ok::<(), gristmill::Error>(())
//! ```

mod atomic;
mod columns;
mod container;
mod decode;
mod encode;
mod header;
mod nested;
mod target_shift;
mod tensor;

use std::path::Path;

pub use atomic::{write_atomically, write_atomically_with};
pub use columns::FittedColumns;
pub(crate) use columns::Unseen;
pub use container::Container;
pub use target_shift::TargetShift;
pub(crate) use target_shift::add_to_expected;
pub use tensor::{Element, ElementType, Tensor};

use crate::error::Result;

/// A fitted model that can be saved and loaded; a loaded model predicts the same bits.
///
/// A model implements [`store`](Persist::store) and [`restore`](Persist::restore); the rest is provided.
pub trait Persist: Sized {
    /// The kind of model in the file: lower-case words joined by hyphens, as on the command line (`ridge`).
    const KIND: &'static str;

    /// The version of what `store` writes; `restore` finds that of the file in [`Container::version`].
    const VERSION: u32 = 1;

    /// Puts the parameters and arrays into an empty container.
    fn store(&self, container: &mut Container) -> Result<()>;

    /// Takes them out again and checks that they fit together: shapes, indices, ranges. What is not taken is refused
    /// afterwards, and [`Container::refuse`] makes an error that names the file.
    fn restore(container: &mut Container) -> Result<Self>;

    /// The columns that it was fitted on, if it remembers them.
    fn fitted_columns(&self) -> Option<&FittedColumns> {
        None
    }

    /// Remembers the columns that it was fitted on, if it can.
    fn remember_columns(&self, _columns: FittedColumns) {}

    /// Whether it remembers a shift of its targets: only then are targets that `f32` cannot tell apart moved.
    const REMEMBERS_SHIFT: bool = false;

    /// What is added to its predictions, if its targets were moved.
    fn target_shift(&self) -> Option<&TargetShift> {
        None
    }

    /// Remembers what is added to its predictions.
    fn remember_shift(&self, _shift: TargetShift) {}

    /// The model in a container of its kind.
    fn to_container(&self) -> Result<Container> {
        let mut container = Container::new(Self::KIND, Self::VERSION)?;
        self.store(&mut container)?;
        Ok(container)
    }

    /// The model that a container holds; one of another kind or a later version is refused.
    fn from_container(mut container: Container) -> Result<Self> {
        if container.kind() != Self::KIND {
            return Err(container.refuse(format!(
                "it holds a model of kind {}, and one of kind {} was asked for; load it as what it is",
                container.kind(),
                Self::KIND
            )));
        }
        if container.version() > Self::VERSION {
            return Err(container.refuse(format!(
                "written by a newer Gristmill ({} version {}); this one reads up to {}: update",
                Self::KIND,
                container.version(),
                Self::VERSION
            )));
        }
        let model = Self::restore(&mut container)?;
        container.check_all_taken()?;
        Ok(model)
    }

    /// The bytes of the model file. Equal models give equal bytes.
    fn to_bytes(&self) -> Result<Vec<u8>> {
        self.to_container()?.to_bytes()
    }

    /// The model in the bytes of a model file.
    fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Self::from_container(Container::from_bytes(bytes)?)
    }

    /// Writes the model file. An old file of that name stays until the new one is complete.
    fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        self.to_container()?.save(path)
    }

    /// Reads a model file of this kind.
    fn load(path: impl AsRef<Path>) -> Result<Self> {
        Self::from_container(Container::load(path)?)
    }
}
