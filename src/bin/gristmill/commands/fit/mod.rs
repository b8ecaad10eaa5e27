//! `gristmill fit`: learn from a file.

mod arguments;
mod chunks;
mod rows;

pub use arguments::FitArgs;

use arguments::STOPS;
use gristmill::estimator::{Prediction, Task};
use gristmill::pipeline::{Aligned, PipelineModel, Prepared};
use gristmill::placement::Placed;
use gristmill::plot::Figure;
use gristmill::prelude::*;
use rows::{FitRows, WeightedRows};
use serde_json::Value;

use crate::arguments::GlobalArgs;
use crate::pictures::{Picture, transformed_figures};
use crate::report::{
    CommandResult, Confusion, FitNotes, Predicted, Progress, Report, Scores, Seconds, dense, guarded, note,
    note_unknown_classes, predict, print, print_json, take_interrupted, timed, write_page,
};

/// Rows with their targets, and the predictions for them.
struct ScoredRows {
    data: Dataset,
    predicted: Predicted,
}

pub fn run(args: &FitArgs, global: &GlobalArgs) -> CommandResult {
    let pipeline = args.pipeline(global.seed)?;
    args.check(&pipeline)?;
    let estimator = pipeline.estimator();
    let chunk = chunks::chunk_rows(args, estimator)?;
    let placement = global.placement()?;
    let mut report = Report::new(estimator.name());
    report.parameters = estimator.parameters()?;
    report.seed = Some(global.seed.unwrap_or(0));
    report.files = args.files();
    if let Some(rows) = chunk {
        let placed = placement.or_cpu("a chunk of rows is too little work for a GPU");
        report.take_place(&placed);
        let (model, last) = chunks::fit(args, global, &pipeline, &placed.device, rows, &mut report)?;
        let run = Run { args, global, pipeline: &pipeline, placed: &placed, device: &placed.device, by_chunks: true };
        return run.finish(report, model, FitRows::fitted(last));
    }
    let rows = timed(&mut report.seconds, "load", || FitRows::read(args, &pipeline, global))?;
    let all = rows.train.data.rows() + rows.test.as_ref().filter(|_| args.splits()).map_or(0, Dataset::rows);
    (report.rows, report.columns) = (all, rows.train.data.columns());
    let stops_by = rows.test.as_ref().filter(|_| args.early_stopping.is_some());
    report.early_stopping_rows = stops_by.map(Dataset::rows);
    let prepared = guarded(|| timed(&mut report.seconds, "prepare", || pipeline.prepare(&rows.train.data)))?;
    let placed = prepared.place(&placement, rows.test.as_ref().map_or(0, Dataset::rows))?;
    global.count(&placed.device);
    report.take_place(&placed);
    let run = Run { args, global, pipeline: &pipeline, placed: &placed, device: &placed.device, by_chunks: false };
    let model = guarded(|| run.fit(prepared, rows.train.weights.as_deref(), stops_by, &mut report.seconds))?;
    run.finish(report, model.with_targets(rows.targets.clone()), rows)
}

/// What was asked for.
struct Run<'a> {
    args: &'a FitArgs,
    global: &'a GlobalArgs,
    pipeline: &'a Pipeline,
    placed: &'a Placed,
    device: &'a Device,
    by_chunks: bool,
}

impl Run<'_> {
    /// Fits the model on the device; sparse rows stay on the host. Early stopping goes by the loss of `stops_by`.
    fn fit(
        &self,
        prepared: Prepared,
        weights: Option<&[f32]>,
        stops_by: Option<&Dataset>,
        seconds: &mut Seconds,
    ) -> CommandResult<PipelineModel> {
        let mut progress = Progress::new(self.global);
        let validation = stops_by.map(|rows| prepared.prepare(rows)).transpose()?;
        let mut options = Fit::default().observer(&mut progress);
        if let Some(weights) = weights {
            options = options.sample_weight(weights);
        }
        if let Some(rows) = &validation {
            options = match self.pipeline.estimator().task() {
                Task::Classification => options.validation(rows, rows.labels()?),
                _ => options.validation(rows, rows.values()?),
            };
        }
        if let Device::Gpu(_) = self.device {
            timed(seconds, "upload", || prepared.rows_on(self.device))?;
        }
        Ok(timed(seconds, "fit", || prepared.fit_placed(self.placed, options))?)
    }

    /// Saves, scores, draws and reports. A long fit is saved before anything else can go wrong. Of a fit by chunks the
    /// rows are the last ones.
    fn finish(&self, mut report: Report, model: PipelineModel, rows: FitRows) -> CommandResult {
        report.stopped = take_interrupted();
        report.take_model(&model);
        let FitRows { train: WeightedRows { data: train, .. }, test, whole, .. } = rows;
        let fitted_rows = if self.by_chunks { report.rows } else { train.rows() };
        let model = report.notes(fitted_rows).put(model);
        self.save(&mut report, &model, fitted_rows)?;
        if report.stopped {
            let saved = report.saved.as_ref().map(|path| format!("what there is was saved to {path}"));
            let saved = saved.unwrap_or_else(|| "this is what there is, and it was not saved".to_string());
            note(self.global, &format!("stopped early; {saved}"));
        }
        let fitted = model.model().fitted_prediction();
        report.scores = fitted.map_or_else(Scores::default, |fitted| Scores::of_groups(&fitted, &train.target));
        if model.model().task()? == Task::Transformation {
            let made = model.model().transformed_columns(&model.input_columns());
            report.transformed_columns = made.map(|columns| columns.names.len());
        }
        let mut scored = None;
        if let Some(test) = test {
            scored = Some(self.score(&mut report, &model, test)?);
            let notes = report.notes(fitted_rows);
            match whole.filter(|_| !report.stopped) {
                Some(whole) => self.refit(&mut report, &model, &whole, notes)?,
                None => self.save(&mut report, &notes.put(model.clone()), fitted_rows)?,
            }
        }
        self.take_fit(&mut report, &model);
        // The fit is reported before a picture that cannot be drawn ends the command.
        let drawn = self.draw(&mut report, &model, train, scored.as_ref());
        report.take_profile(self.global, self.device);
        if self.global.json {
            print_json(&report);
            return drawn;
        }
        print(&report.to_string());
        if let Some(ScoredRows { data, predicted: Predicted { prediction: Prediction::Classes(labels), .. } }) = &scored
        {
            print(&format!("\n{}", metrics::classification_report(data.labels()?, labels)?));
        }
        drawn
    }

    fn take_fit(&self, report: &mut Report, model: &PipelineModel) {
        let mut fit = model.model().report();
        if let Some(iterations) = fit.iterations.as_mut().filter(|_| self.by_chunks) {
            // One pass over a file has no end of its own to come to.
            iterations.converged = None;
        }
        report.take_fit(fit, model.input_columns().names);
    }

    fn save(&self, report: &mut Report, model: &PipelineModel, rows: usize) -> CommandResult {
        let Some(path) = &self.args.save else { return Ok(()) };
        guarded(|| model.save(path))?;
        (report.saved, report.saved_rows) = (Some(path.display().to_string()), Some(rows));
        Ok(())
    }

    /// Fits the same model on all rows, and saves it in place of the one that was scored.
    fn refit(
        &self,
        report: &mut Report,
        scored: &PipelineModel,
        whole: &WeightedRows,
        notes: FitNotes,
    ) -> CommandResult {
        let rounds = scored.model().report().iterations.map(|iterations| iterations.count);
        // Nothing is left to stop by: as many rounds as were best.
        let pipeline = match rounds.filter(|_| self.args.early_stopping.is_some()) {
            Some(rounds) => self.pipeline.set(STOPS, Value::Null)?.set("n_estimators", rounds.into())?,
            None => self.pipeline.clone(),
        };
        let prepared = guarded(|| timed(&mut report.seconds, "prepare", || pipeline.prepare(&whole.data)))?;
        let model = guarded(|| self.fit(prepared, whole.weights.as_deref(), None, &mut report.seconds))?;
        if take_interrupted() {
            note(self.global, "the fit on all rows was stopped early, and left out");
            return self.save(report, &notes.put(scored.clone()), notes.rows);
        }
        let rows = whole.data.rows();
        let scored_by = format!("{}, by a model of the other {}", notes.scored.replace(" other", ""), notes.rows);
        let notes = FitNotes { rows, scored: scored_by, ..notes };
        report.refitted = true;
        self.save(report, &notes.put(model.with_targets(scored.targets().to_vec())), rows)
    }

    fn score(&self, report: &mut Report, model: &PipelineModel, data: Dataset) -> CommandResult<ScoredRows> {
        let Aligned { x, sparse, .. } = model.align(&data)?;
        let data = Dataset { x, sparse, ..data };
        let predicted = predict(model, &data, true, self.device, self.global, &mut report.seconds)?;
        note_unknown_classes(model, &data.target, self.global);
        report.scores = predicted.scores(model, &data.target)?;
        if let Prediction::Classes(labels) = &predicted.prediction {
            report.confusion = Some(Confusion::of(data.labels()?, labels)?);
        }
        report.scored_rows = Some(data.rows());
        Ok(ScoredRows { data, predicted })
    }

    /// Writes pictures and the page that are asked for; not of a fit that was stopped.
    fn draw(
        &self,
        report: &mut Report,
        model: &PipelineModel,
        train: Dataset,
        scored: Option<&ScoredRows>,
    ) -> CommandResult {
        let (plot, page) = (&self.args.plot, &self.args.report);
        if report.stopped || (plot.plot.is_none() && page.is_none()) {
            return Ok(());
        }
        let figures = match (&train.sparse, &plot.plot) {
            // A page does without pictures; --plot does not.
            (Some(_), None) => vec![],
            _ => self.figures(model, train, scored)?,
        };
        report.plot = plot.save(&figures)?;
        if let Some(path) = page {
            write_page(path, report, &figures)?;
            report.page = Some(path.display().to_string());
        }
        Ok(())
    }

    /// The rows that were scored, or else those that were fitted.
    fn figures(
        &self,
        model: &PipelineModel,
        train: Dataset,
        scored: Option<&ScoredRows>,
    ) -> CommandResult<Vec<Figure>> {
        let device = self.device;
        dense(&train, "--plot")?;
        if let Some(ScoredRows { data, predicted }) = scored {
            return Ok(Picture { model, data, predicted, device, fitted: false }.figures()?);
        }
        if model.model().task()? == Task::Transformation {
            return Ok(transformed_figures(model, &train)?);
        }
        let predicted = match model.model().fitted_prediction() {
            Some(prediction) => Predicted {
                inputs: model.transformed_input(&train.x)?,
                prediction,
                probabilities: None,
                inertia: None,
                decision: None,
            },
            None => predict(model, &train, true, device, self.global, &mut Seconds::default())?,
        };
        Ok(Picture { model, data: &train, predicted: &predicted, device, fitted: true }.figures()?)
    }
}
