//! `gristmill export`: a model for other programs.

use std::path::PathBuf;

use gristmill::ensemble::{GradientBoostingClassifierModel, GradientBoostingRegressorModel};
use gristmill::model_file::write_atomically;
use gristmill::svm::{NuSvcModel, NuSvrModel, OneClassSvmModel, SvcModel, SvrModel};
use gristmill::{AnyModel, Error};
use serde::Serialize;

use crate::arguments::{GlobalArgs, ReadArgs, SavedModel, check_folder, check_outputs};
use crate::report::{CommandResult, show};

const EXAMPLES: &str =
    "LightGBM's text format holds trees alone: a text column is written as the codes of its categories, which
`gristmill inspect` lists in order. Support vector machines are written for LIBSVM.

Examples:
  gristmill fit gradient-boosting-classifier data/breast_cancer.csv --target diagnosis --save cancer.gm
  gristmill export cancer.gm cancer.txt
  gristmill fit svc data/iris.csv --target species --save iris.gm
  gristmill export iris.gm iris.model";

/// What `export` takes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct ExportArgs {
    /// The model file, of boosted trees or a support vector machine
    model: PathBuf,
    /// Where the text for LightGBM or LIBSVM goes
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
            "one without steps before it, as the format holds the model alone: fit it on the columns as they are";
        return Err(refused(rule, format!("one with a step, {}", step.kind())).into());
    }
    let columns = if model.columns().is_empty() { vec![] } else { model.input_columns().names };
    let found = match lightgbm_text(model.model(), &columns) {
        Some(text) => Some(("lightgbm", text)),
        None => libsvm_text(model.model()).transpose()?.map(|text| ("libsvm", text)),
    };
    let Some((format, text)) = found else {
        let rule = "one of boosted trees (gradient-boosting-classifier, gradient-boosting-regressor) or a support vector \
                    machine (svc, nu-svc, svr, nu-svr, one-class-svm)";
        return Err(refused(rule, model.model().kind().to_string()).into());
    };
    write_atomically(&args.text, text.as_bytes())?;
    let (file, bytes) = (args.text.display().to_string(), text.len());
    let name = if format == "libsvm" { "LIBSVM" } else { "LightGBM" };
    let page = |exported: &Exported| format!("{}: {} lines for {name}", exported.file, text.lines().count());
    show(global, &Exported { file, format, bytes, columns }, page);
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

/// The text of a support vector machine.
fn libsvm_text(model: &AnyModel) -> Option<gristmill::Result<String>> {
    macro_rules! first_of {
        ($($kind:ty),*) => {
            None$(.or_else(|| model.downcast_ref::<$kind>().map(|model| model.to_libsvm_text())))*
        };
    }
    first_of!(SvcModel, NuSvcModel, SvrModel, NuSvrModel, OneClassSvmModel)
}

fn refused(rule: &str, got: String) -> Error {
    Error::param("model", rule.to_string(), got)
}
