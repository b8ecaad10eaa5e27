//! What the commands take: flags, data, models and saved models.

mod config;
mod data;
mod folds;
mod global;
mod headings;
mod known_columns;
mod list;
mod model;
mod plot;
mod read;
mod saved_model;

pub use config::with_config;
pub use data::{DataArgs, Loaded, MissingChoice, TargetArgs, check_target, header, named, of_flag};
pub use folds::{FoldArgs, split_by_column, split_last};
pub use global::{GlobalArgs, check_folder, check_outputs};
pub use headings::{OUTPUT, READING, SCORING};
pub use known_columns::{KnownColumns, brings_target};
pub use list::split_list;
pub use model::ModelArgs;
pub use plot::PlotArgs;
pub use read::ReadArgs;
pub use saved_model::SavedModel;
