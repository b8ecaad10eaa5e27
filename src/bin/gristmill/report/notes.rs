//! What a model file remembers of its fit beside the model: `fit` and `cv` write it, `inspect` tells it.

use std::path::Path;

use gristmill::pipeline::PipelineModel;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::format::number;
use super::output::table_of;
use super::scores::label;

/// What was fitted on, and how good it was there or elsewhere. No times and no devices: equal fits give equal files.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FitNotes {
    /// The files that were read.
    pub files: Vec<String>,
    /// Rows that the model was fitted on.
    pub rows: usize,
    pub seed: u64,
    /// The version of the command.
    pub version: String,
    /// What the scores are of.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub scored: String,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub scores: Map<String, Value>,
}

impl FitNotes {
    /// A model that remembers them.
    pub fn put(&self, model: PipelineModel) -> PipelineModel {
        let notes = serde_json::to_value(self).ok().and_then(|notes| notes.as_object().cloned());
        model.with_notes(notes.unwrap_or_default())
    }

    /// Those of a model, if it has some.
    pub fn of(model: &PipelineModel) -> Option<FitNotes> {
        let notes = model.notes();
        (!notes.is_empty()).then(|| serde_json::from_value(Value::Object(notes.clone())).ok()).flatten()
    }

    /// Whether the model was fitted on this file, or on rows of it; the further files were to score it.
    pub fn is_of(&self, path: &Path) -> bool {
        let same = |own: &String| Some(std::fs::canonicalize(own).ok()? == std::fs::canonicalize(path).ok()?);
        self.files.first().and_then(same).unwrap_or(false)
    }

    /// What was fitted on in a line, and the scores in a table.
    pub fn describe(&self) -> String {
        let FitNotes { files, rows, seed, version, .. } = self;
        let mut text =
            format!("fitted on {rows} rows of {}, with seed {seed}, by gristmill {version}", files.join(", "));
        if !self.scores.is_empty() {
            let shown = |value: &Value| value.as_f64().map_or_else(|| "–".to_string(), number);
            let rows = self.scores.iter().map(|(name, value)| [label(name), shown(value)]);
            text += &format!("\n{}", table_of(&[&format!("score of {}", self.scored), "value"], rows));
        }
        text
    }
}
