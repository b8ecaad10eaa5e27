//! The picture of a search, or the learning curve.

use gristmill::plot::{self, Figure};
use gristmill::prelude::*;
use gristmill::selection::{Candidate, CrossValidateOptions, Folds, GridSearchResult, Scoring, learning_curve_with};
use serde_json::Value;

use super::result::word;
use crate::report::Progress;

/// Combinations of three or more parameters that a picture shows.
const MOST_SHOWN: usize = 30;

/// What a picture is drawn from.
pub struct PlotInput<'a> {
    pub pipeline: &'a Pipeline,
    pub data: &'a Dataset,
    pub folds: &'a Folds,
    pub decides: Scoring,
    pub weights: Option<&'a [f32]>,
    pub device: &'a Device,
}

impl PlotInput<'_> {
    /// The learning curve without a grid; over one parameter the scores with their intervals; over two a map; else the best.
    /// What could not be fitted is left out.
    pub fn of(
        &self,
        grid: &[(String, Vec<Value>)],
        found: &GridSearchResult,
        progress: &mut Progress,
    ) -> gristmill::Result<Figure> {
        let title = self.decides.name();
        match grid {
            [] => {
                let trial = CrossValidateOptions::default().scoring([self.decides]).device(self.device);
                let trial = match self.weights {
                    Some(weights) => trial.sample_weight(weights),
                    None => trial,
                };
                let trial = trial.observer(progress);
                let shares = [0.1, 0.25, 0.5, 0.75, 1.0];
                learning_curve_with(self.pipeline, self.data, self.folds, &shares, trial)?.figure()
            }
            [_] => found.curve()?.figure(),
            [(rows, down), (columns, across)] => {
                let words = |values: &[Value]| values.iter().map(word).collect::<Vec<String>>();
                let means: Vec<f64> = found.candidates.iter().map(|candidate| candidate.score().mean).collect();
                let figure = Figure::new().title(title).x_label(columns.clone()).y_label(rows.clone());
                figure.heatmap(&words(down), &words(across), &means)
            }
            _ => {
                let mut tried: Vec<&Candidate> = found.candidates.iter().filter(|tried| tried.result.is_ok()).collect();
                let worth = |tried: &Candidate| tried.score().mean;
                tried.sort_by(|one, other| worth(other).total_cmp(&worth(one)));
                if !self.decides.greater_is_better() {
                    tried.reverse();
                }
                let best = &tried[..tried.len().min(MOST_SHOWN)];
                let values =
                    |tried: &Candidate| tried.parameters.iter().map(|(_, value)| word(value)).collect::<Vec<_>>();
                let names: Vec<String> = best.iter().map(|tried| values(tried).join(", ")).collect();
                let score = |tried: &&Candidate| (tried.score().mean, tried.score().deviation);
                let scores: Vec<(f64, f64)> = best.iter().map(score).collect();
                let keys: Vec<&str> = grid.iter().map(|(name, _)| name.as_str()).collect();
                let figure = plot::ranking(&names, &scores)?.x_label(title);
                let of = format!("the best {} of {}", best.len(), found.candidates.len());
                Ok(figure.title(format!("{}: {of}", keys.join(", "))))
            }
        }
    }
}
