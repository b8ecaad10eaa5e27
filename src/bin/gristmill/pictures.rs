//! What suits a model, drawn.

use std::path::Path;

use gristmill::estimator::Prediction;
use gristmill::metrics::{self, ConfusionMatrix};
use gristmill::pipeline::PipelineModel;
use gristmill::plot::{self, Figure, Panels};
use gristmill::{Dataset, Device, Error, Labels, Matrix, Result};

use super::predicting::Predicted;
use super::scores::positive_chances;

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

/// A fitted model and the rows to show it on.
pub struct Picture<'a> {
    pub model: &'a PipelineModel,
    /// The rows, with the columns of the model in its order and what is to be predicted.
    pub data: &'a Dataset,
    /// What the model says of them.
    pub predicted: &'a Predicted,
    pub device: &'a Device,
}

impl Picture<'_> {
    /// Draws what suits the task, and the losses and importances if there are any.
    pub fn save(&self, path: &Path) -> Result<()> {
        let mut figures = match &self.predicted.prediction {
            Prediction::Classes(labels) => self.classes(labels)?,
            Prediction::Numbers(numbers) => self.numbers(numbers)?,
            Prediction::Clusters(clusters) => {
                let centers = self.model.model().outcome().centers;
                vec![plot::clusters(&self.predicted.inputs, clusters, centers.as_ref())?]
            }
            Prediction::Outliers(outliers) => vec![plot::outliers(&self.predicted.inputs, outliers)?],
        };
        let outcome = self.model.model().outcome();
        if !outcome.losses.train.is_empty() {
            figures.push(plot::losses(&outcome.losses));
        }
        if let Some(importances) = &outcome.importances {
            let names = self.model.input_names();
            if names.len() == importances.len() {
                figures.push(plot::importances(&names, importances)?);
            }
        }
        figures.extend(self.contributions()?);
        write(figures, path)
    }

    /// What each column adds to the predictions of some rows, for models that can tell and have one number to explain.
    fn contributions(&self) -> Result<Option<Figure>> {
        let inputs = &self.predicted.inputs;
        let some: Vec<usize> = (0..inputs.rows().min(MOST_EXPLAINED)).collect();
        if some.is_empty() || self.model.model().classes().len() > 2 {
            return Ok(None);
        }
        let rows = inputs.select(&some)?;
        let Some(values) = self.model.model().shapley_values((&rows).into())? else { return Ok(None) };
        // Of two classes the second; of several targets there is no one to show.
        let room = self.model.model().classes().len().max(1);
        let Some(values) = values.last().filter(|_| values.len() <= room) else { return Ok(None) };
        let columns: Vec<usize> = (0..rows.columns()).collect();
        plot::shapley_summary(&values.select_columns(&columns)?, &rows, MOST_COLUMNS).map(Some)
    }

    /// Regions where the columns are a plane; else which classes are taken for which, the ROC curve of two classes, and
    /// the regions over the two leading principal directions of what the model sees.
    fn classes(&self, predicted: &Labels) -> Result<Vec<Figure>> {
        let truth = self.data.labels()?;
        let cells = if self.data.x.as_slice().len() > LARGE { CELLS_OF_LARGE } else { CELLS };
        if self.is_plane() {
            let say = |cells: &Matrix| self.classes_of(&self.model.transform(cells)?);
            return Ok(vec![plot::decision_regions(&self.data.x, truth, cells, say)?]);
        }
        let mut figures = vec![plot::confusion_matrix(&ConfusionMatrix::new(truth, predicted)?)?];
        let positive = self.predicted.chances.as_ref().and_then(|chances| positive_chances(truth, chances));
        if let Some(scores) = positive {
            figures.push(plot::roc_curve(&metrics::roc_curve(truth, &scores)?));
        }
        // Levels span no plane.
        if self.model.steps().is_empty() && self.data.levels.iter().any(Option::is_some) {
            return Ok(figures);
        }
        let say = |cells: &Matrix| self.classes_of(cells);
        figures.push(plot::decision_regions(&self.predicted.inputs, truth, cells, say)?);
        Ok(figures)
    }

    /// Whether the rows have two columns of numbers.
    fn is_plane(&self) -> bool {
        self.data.x.columns() == 2 && self.data.levels.iter().all(Option::is_none)
    }

    /// What the model behind the steps says of rows.
    fn classes_of(&self, inputs: &Matrix) -> Result<Labels> {
        match self.model.model().predict((&inputs.to(self.device)?).into())? {
            Prediction::Classes(labels) => Ok(labels),
            _ => Err(Error::Shape { op: "plot", expected: "classes".to_string(), got: "something else".to_string() }),
        }
    }

    /// The curve over one column; else predictions against the truth, and what is left.
    fn numbers(&self, predicted: &Matrix) -> Result<Vec<Figure>> {
        let truth = self.data.values()?;
        let columns = truth.columns().min(predicted.columns()).min(MOST_TARGETS);
        let one_feature = self.data.x.columns() == 1 && self.data.levels.iter().all(Option::is_none);
        let grid = one_feature.then(|| curve_points(&self.data.x)).transpose()?;
        let curve = match &grid {
            Some(grid) => {
                let inputs = self.model.transform(grid)?;
                match self.model.model().predict((&inputs.to(self.device)?).into())? {
                    Prediction::Numbers(numbers) => Some(numbers),
                    _ => None,
                }
            }
            None => None,
        };
        let mut figures = vec![];
        for at in 0..columns {
            let (y, said) = (column(truth, at), column(predicted, at));
            let name = self.model.targets().get(at).map_or("", String::as_str);
            if let (Some(grid), Some(curve)) = (&grid, &curve) {
                let pairs = (0..grid.rows()).map(|row| (grid.get(row, 0) as f64, curve.get(row, at) as f64));
                let feature = self.data.x.names().map_or("x", |names| names[0].as_str());
                let figure = plot::fitted_curve(&column(&self.data.x, 0), &y, pairs)?;
                figures.push(figure.x_label(feature).y_label(name));
            } else {
                let title = |what: &str| if name.is_empty() { what.to_string() } else { format!("{what}: {name}") };
                let against = plot::predicted_against_truth(&y, &said)?.title(title("Predicted against truth"));
                figures.extend([against, plot::residuals(&y, &said)?.title(title("Residuals"))]);
            }
        }
        Ok(figures)
    }
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
