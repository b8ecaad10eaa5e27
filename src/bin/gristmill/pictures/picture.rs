//! What suits a model, drawn.

use std::path::Path;

use gristmill::estimator::{Prediction, ReportArray};
use gristmill::metrics::{self, ConfusionMatrix};
use gristmill::pipeline::PipelineModel;
use gristmill::plot::{self, Figure, Panels};
use gristmill::{Dataset, Device, Error, Labels, Matrix, Result};

use super::model_panels::{PictureTarget, Staged, explained, loss_name, pruning, stage_errors};
use crate::arguments::check_folder;
use crate::report::{CliError, CommandResult, Predicted, positive_probabilities};

/// Cells of a picture of regions, a side; fewer where each costs much.
const CELLS: usize = 160;
const CELLS_OF_LARGE: usize = 80;
/// Values from which on data is large, and so, most likely, the model.
const LARGE: usize = 1_000_000;
/// Points of a fitted curve.
const CURVE: usize = 400;
/// Rows whose predictions are explained, and columns that there is room for.
const MOST_EXPLAINED: usize = 300;
const MOST_COLUMNS: usize = 12;
/// Columns of a target that there is room for.
const MOST_TARGETS: usize = 4;

/// Rows that are scored again and again: by each tree of a pruning path, after each round.
const MOST_SCORED: usize = 5_000;

/// A fitted model and the rows to show it on.
pub struct Picture<'a> {
    /// The name of the model behind the steps.
    pub kind: &'a str,
    pub model: &'a PipelineModel,
    /// The rows, with the columns of the model in its order and what is to be predicted.
    pub data: &'a Dataset,
    /// The predictions for them.
    pub predicted: &'a Predicted,
    pub device: &'a Device,
    /// What the rows are: `fitted rows` or `new rows`.
    pub rows: &'static str,
}

impl Picture<'_> {
    /// Draws what suits the task, and the losses and importances if there are any.
    pub fn save(&self, path: &Path) -> Result<()> {
        let mut figures = match &self.predicted.prediction {
            Prediction::Classes(labels) => self.classes(labels)?,
            Prediction::Numbers(numbers) => self.numbers(numbers)?,
            Prediction::Clusters(clusters) => {
                let centers = self.model.model().report().array("centers").map(ReportArray::to_matrix).transpose()?;
                vec![plot::clusters(&self.predicted.inputs, clusters, centers.as_ref())?]
            }
            Prediction::Outliers(outliers) => vec![plot::outliers(&self.predicted.inputs, outliers)?],
        };
        let report = self.model.model().report();
        let train = [report.curve("train_loss"), report.curve("train_error")].concat();
        if (!train.is_empty() || !report.curve("validation_loss").is_empty())
            && let Some((title, label)) = loss_name(self.kind, self.model.model())?
        {
            figures.push(plot::losses(&train, report.curve("validation_loss")).title(title).y_label(label));
        }
        figures.extend(self.scored_again()?);
        if let Some(importances) = report.array("importances").map(|array| &array.values) {
            let names = self.model.input_columns().names;
            if names.len() == importances.len() {
                figures.push(plot::importances(&names, importances)?);
            }
        }
        figures.extend(self.contributions()?);
        write(figures, path)
    }

    /// The path of a tree's pruning and the errors of boosting round by round, on some of the rows.
    fn scored_again(&self) -> Result<Vec<Figure>> {
        let some = every_so_often(self.predicted.inputs.rows(), MOST_SCORED);
        if some.is_empty() {
            return Ok(vec![]);
        }
        let (x, data, model) = (self.predicted.inputs.select(&some)?, self.data.select(&some)?, self.model.model());
        // Whole numbers can be classes or numbers: the model decides.
        let (classes, numbers) = match &self.predicted.prediction {
            Prediction::Classes(_) => (Some(data.labels()?), None),
            Prediction::Numbers(_) => (None, Some(data.values()?)),
            _ => return Ok(vec![]),
        };
        let target = PictureTarget { classes, numbers, rows: self.rows };
        let mut figures = pruning(self.kind, model, &x, target)?;
        figures.extend(stage_errors(self.kind, model, &x, target)?);
        Ok(figures)
    }

    /// What each column adds to the predictions of some rows, for models that can tell and have one number to explain.
    fn contributions(&self) -> Result<Option<Figure>> {
        let (inputs, model) = (&self.predicted.inputs, self.model.model());
        let some = every_so_often(inputs.rows(), MOST_EXPLAINED);
        if some.is_empty() || model.classes().len() > 2 {
            return Ok(None);
        }
        let rows = inputs.select(&some)?;
        let Some(values) = model.shapley_values(&rows)? else { return Ok(None) };
        // Of two classes the second; of several targets there is no one to show.
        let room = model.classes().len().max(1);
        let Some(values) = values.last().filter(|_| values.len() <= room) else { return Ok(None) };
        let columns: Vec<usize> = (0..rows.columns()).collect();
        let categories = self.model.input_columns().categories;
        let rows = rows
            .with_categories(columns.iter().copied().filter(|at| categories.get(*at).is_some_and(Option::is_some)))?;
        let figure = plot::shapley_summary(&values.select_columns(&columns)?, &rows, MOST_COLUMNS)?;
        let target = self.model.targets().first().map_or("the prediction", String::as_str);
        let name = model.classes().last().map_or(target, String::as_str);
        Ok(Some(figure.x_label(format!("what the column adds to {}", explained(self.kind, model, name)?))))
    }

    /// Regions where the columns are a plane; else which classes are taken for which, the ROC curve of two classes, and
    /// the regions over the two leading principal directions of what the model sees.
    fn classes(&self, predicted: &Labels) -> Result<Vec<Figure>> {
        let target = self.data.labels()?;
        let cells = if self.data.x.as_slice().len() > LARGE { CELLS_OF_LARGE } else { CELLS };
        if self.is_plane() {
            if let Some(staged) = Staged::of(self.kind, self.model.model())? {
                return self.stages(&staged, target, cells);
            }
            let predict = |cells: &Matrix| self.classes_of(&self.model.transformed_input(cells)?);
            return Ok(vec![plot::decision_regions(&self.data.x, target, cells, predict)?]);
        }
        let mut figures = vec![plot::confusion_matrix(&ConfusionMatrix::new(target, predicted)?)?];
        let positive = self
            .predicted
            .probabilities
            .as_ref()
            .and_then(|probabilities| positive_probabilities(target, probabilities));
        if let Some(scores) = positive {
            figures.push(plot::roc_curve(&metrics::roc_curve(target, &scores)?));
        }
        // Categories span no plane.
        if self.model.steps().is_empty() && !self.data.x.categorical_columns().is_empty() {
            return Ok(figures);
        }
        let predict = |cells: &Matrix| self.classes_of(cells);
        figures.push(plot::decision_regions(&self.predicted.inputs, target, cells, predict)?);
        Ok(figures)
    }

    /// The regions after some of the members, with the share of the rows that those have right.
    fn stages(&self, staged: &Staged, target: &Labels, cells: usize) -> Result<Vec<Figure>> {
        let (members, names): (Vec<usize>, Vec<String>) = staged.stages().into_iter().unzip();
        let predict = |cells: &Matrix, members: usize| {
            staged.predict((&self.model.transformed_input(cells)?.to(self.device)?).into(), members)
        };
        let figures = plot::staged_regions(&self.data.x, target, cells, &members, predict)?;
        let titled = figures.into_iter().zip(members).zip(names).map(|((figure, members), name)| {
            let predicted_at = staged.predict((&self.predicted.inputs.to(self.device)?).into(), members)?;
            let right = 100.0 * metrics::accuracy(target, &predicted_at)?;
            Ok(figure.title(format!("Decision regions, {name}: {right:.1} % of {} right", self.rows)))
        });
        titled.collect()
    }

    /// Whether the rows have two columns of numbers.
    fn is_plane(&self) -> bool {
        self.data.x.columns() == 2 && self.data.x.categorical_columns().is_empty()
    }

    /// What the model behind the steps says of rows.
    fn classes_of(&self, inputs: &Matrix) -> Result<Labels> {
        match self.model.model().predict(&inputs.to(self.device)?)? {
            Prediction::Classes(labels) => Ok(labels),
            _ => Err(Error::Shape { op: "plot", expected: "classes".to_string(), got: "something else".to_string() }),
        }
    }

    /// The curve over one column; else predictions against the target, and what is left.
    fn numbers(&self, predicted: &Matrix) -> Result<Vec<Figure>> {
        let target = self.data.values()?;
        let columns = target.columns().min(predicted.columns()).min(MOST_TARGETS);
        let one_feature = self.data.x.columns() == 1 && self.data.x.categorical_columns().is_empty();
        let grid = one_feature.then(|| curve_points(&self.data.x)).transpose()?;
        let curve = match &grid {
            Some(grid) => {
                let inputs = self.model.transformed_input(grid)?;
                match self.model.model().predict(&inputs.to(self.device)?)? {
                    Prediction::Numbers(numbers) => Some(numbers),
                    _ => None,
                }
            }
            None => None,
        };
        let mut figures = vec![];
        for at in 0..columns {
            let (y, predicted_at) = (column(target, at), column(predicted, at));
            let name = self.model.targets().get(at).map_or("", String::as_str);
            if let (Some(grid), Some(curve)) = (&grid, &curve) {
                let pairs = (0..grid.rows()).map(|row| (grid.get(row, 0) as f64, curve.get(row, at) as f64));
                let feature = self.data.x.names().map_or("x", |names| names[0].as_str());
                let figure = plot::fitted_curve(&column(&self.data.x, 0), &y, pairs)?;
                figures.push(figure.x_label(feature).y_label(name));
            } else {
                let title = |what: &str| if name.is_empty() { what.to_string() } else { format!("{what}: {name}") };
                let against = plot::predicted_against_truth(&y, &predicted_at)?.title(title("Predicted against truth"));
                figures.extend([against, plot::residuals(&y, &predicted_at)?.title(title("Residuals"))]);
            }
        }
        Ok(figures)
    }
}

/// Refuses a picture that could not be written, or would not be what its name says, before the work is done.
pub fn check_picture(path: &Path) -> CommandResult {
    match path.extension() {
        Some(ending) if !ending.eq_ignore_ascii_case("svg") => {
            let why = "--plot writes SVG, whatever the name of the file";
            Err(CliError::Usage(format!("{why}: let it end in .svg, not as {}", path.display())))
        }
        _ => Ok(check_folder(path)?),
    }
}

/// At most about `most` of so many rows, spread over all of them: files are often sorted by class.
fn every_so_often(rows: usize, most: usize) -> Vec<usize> {
    (0..rows).step_by(rows.div_ceil(most).max(1)).collect()
}

/// Writes figures side by side, or one alone.
fn write(mut figures: Vec<Figure>, path: &Path) -> Result<()> {
    if figures.len() == 1
        && let Some(figure) = figures.pop()
    {
        return figure.save(path);
    }
    let columns = if figures.len() == 4 { 2 } else { figures.len().clamp(1, 3) };
    figures.into_iter().fold(Panels::new(columns)?, Panels::figure).save(path)
}

/// Places along the one column of `x`, from its least value to its greatest.
fn curve_points(x: &Matrix) -> Result<Matrix> {
    let values = x.as_slice().iter().copied().filter(|value| value.is_finite());
    let (low, high) = values.fold((f32::MAX, f32::MIN), |(low, high), value| (low.min(value), high.max(value)));
    let (low, width) = (f64::from(low), f64::from(high) - f64::from(low));
    let place = |at: usize| (low + width * at as f64 / (CURVE - 1) as f64) as f32;
    let points = Matrix::from_vec(CURVE, 1, (0..CURVE).map(place).collect())?;
    match x.names() {
        Some(names) => points.with_names(names.iter().cloned()),
        None => Ok(points),
    }
}

fn column(matrix: &Matrix, at: usize) -> Vec<f32> {
    (0..matrix.rows()).map(|row| matrix.get(row, at)).collect()
}
