//! `gristmill export`: a model for other programs.

use std::path::PathBuf;

use gristmill::ensemble::{GradientBoostingClassifierModel, GradientBoostingRegressorModel};
use gristmill::model_file::write_atomically;
use gristmill::{AnyModel, Error};
use serde::Serialize;

use crate::arguments::{GlobalArgs, ReadArgs, SavedModel, check_folder, check_outputs};
use crate::report::{CommandResult, show};

const EXAMPLES: &str =
    "LightGBM's text format holds trees alone: a text column is written as the codes of its categories, which
`gristmill inspect` lists in order.

Examples:
  gristmill fit gradient-boosting-classifier data/breast_cancer.csv --target diagnosis --save cancer.gm
  gristmill export cancer.gm cancer.txt";

/// What `export` takes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct ExportArgs {
    /// The model file, of boosted trees
    model: PathBuf,
    /// Where LightGBM's text goes
    text: PathBuf,
}

#[derive(Serialize)]
struct Exported {
    file: String,
    format: &'static str,
    bytes: usize,
    columns: Vec<String>,
}

pub fn run(args: &ExportArgs, global: &GlobalArgs) -> CommandResult {
    check_outputs([&Some(args.text.clone())], [args.model.as_path()])?;
    check_folder(&args.text)?;
    let model = SavedModel::load(&args.model, &ReadArgs::default())?.model;
    if let Some(step) = model.steps().first() {
        let rule =
            "one without steps before it, as LightGBM's format holds trees alone: fit it on the columns as they are";
        return Err(refused(rule, format!("one with a step, {}", step.kind())).into());
    }
    let columns = if model.columns().is_empty() { vec![] } else { model.input_columns().names };
    let Some(text) = lightgbm_text(model.model(), &columns) else {
        let rule = "one of boosted trees (gradient-boosting-classifier, gradient-boosting-regressor)";
        return Err(refused(rule, model.model().kind().to_string()).into());
    };
    write_atomically(&args.text, text.as_bytes())?;
    let (file, bytes) = (args.text.display().to_string(), text.len());
    let page = |exported: &Exported| format!("{}: {} lines for LightGBM", exported.file, text.lines().count());
    show(global, &Exported { file, format: "lightgbm", bytes, columns }, page);
    Ok(())
}

/// The text of boosted trees.
fn lightgbm_text(model: &AnyModel, columns: &[String]) -> Option<String> {
    let classes = model.downcast_ref::<GradientBoostingClassifierModel>();
    let numbers = || model.downcast_ref::<GradientBoostingRegressorModel>();
    classes
        .map(|model| model.to_lightgbm_text_with(columns))
        .or_else(|| numbers().map(|model| model.to_lightgbm_text_with(columns)))
}

fn refused(rule: &str, got: String) -> Error {
    Error::param("model", rule.to_string(), got)
}
