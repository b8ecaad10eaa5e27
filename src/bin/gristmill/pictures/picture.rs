//! What suits a model, drawn.

use gristmill::estimator::{FitReport, PictureInput, PicturePlane, PictureRows, Prediction, ReportArray};
use gristmill::metrics::{self, ConfusionMatrix};
use gristmill::pipeline::PipelineModel;
use gristmill::plot::{self, Figure, Plane};
use gristmill::{Dataset, Device, Error, Labels, Matrix, Result};

use crate::report::{Predicted, label, positive_probabilities};

/// Cells of a picture of regions, a side; fewer where each costs much.
const CELLS: usize = 160;
const CELLS_OF_LARGE: usize = 80;
/// Values from which on data is large, and so, most likely, the model.
const LARGE: usize = 1_000_000;
/// How the title of decision regions begins.
const REGIONS: &str = "Decision regions";
/// How the titles of figures begin that show how good a model is.
const SCORED: &[&str] = &["Confusion", "ROC", "Predictions of", "Predicted against", "Residuals"];
/// What the title of a figure of curves contains.
const AFTER_EACH: &str = "after each";
/// Points of a fitted curve.
const CURVE: usize = 400;
/// Columns of a target that there is room for.
const MOST_TARGETS: usize = 4;

/// A fitted model and the rows to show it on.
pub struct Picture<'a> {
    pub model: &'a PipelineModel,
    /// The rows, with the columns of the model in its order and what is to be predicted.
    pub data: &'a Dataset,
    /// The predictions for them.
    pub predicted: &'a Predicted,
    pub device: &'a Device,
    /// Whether the model was fitted on the rows.
    pub fitted: bool,
}

impl Picture<'_> {
    /// What suits the task, the importances if there are any, and the pictures that the model has of its own.
    pub fn figures(&self) -> Result<Vec<Figure>> {
        let own = self.own_figures()?;
        let mut figures = match &self.predicted.prediction {
            Prediction::Classes(labels) => self.classes(labels, &own)?,
            Prediction::Numbers(numbers) => self.numbers(numbers)?,
            Prediction::Clusters(clusters) => {
                let centers = self.model.model().report().array("centers").map(ReportArray::to_matrix).transpose()?;
                vec![plot::clusters(&self.predicted.inputs, clusters, centers.as_ref())?]
            }
            Prediction::Outliers(outliers) => vec![plot::outliers(&self.predicted.inputs, outliers)?],
        };
        if self.fitted {
            // Of rows that a model was fitted on it knows more than of others.
            let say = |figure: Figure| match figure.title_text() {
                title if SCORED.iter().any(|scored| title.starts_with(scored)) => {
                    let title = format!("{title} (fitted rows)");
                    figure.title(title)
                }
                _ => figure,
            };
            figures = figures.into_iter().map(say).collect();
        }
        figures.extend(report_figures(&self.model.model().report(), &self.model.input_columns().names, &own)?);
        figures.extend(own);
        Ok(figures)
    }

    /// The pictures that the model has of its own.
    fn own_figures(&self) -> Result<Vec<Figure>> {
        let columns = self.model.input_columns();
        let inputs = |points: &Matrix| self.model.transformed_input(points);
        let plane = || PicturePlane { x: &self.data.x, cells: self.cells(), inputs: &inputs };
        let rows = PictureRows {
            x: &self.predicted.inputs,
            target: &self.data.target,
            fitted: self.fitted,
            device: self.device,
            plane: self.is_plane().then(plane),
        };
        let target_name = self.model.targets().first().map(String::as_str);
        let input = PictureInput { columns: &columns, target_name, rows: Some(rows) };
        self.model.model().figures(&input)
    }

    fn cells(&self) -> usize {
        if self.data.x.as_slice().len() > LARGE { CELLS_OF_LARGE } else { CELLS }
    }

    /// Regions where the columns are a plane; else which classes are taken for which, the ROC curve of two classes, and
    /// the predictions of rows on the two leading principal directions of what the model sees.
    fn classes(&self, predicted: &Labels, own: &[Figure]) -> Result<Vec<Figure>> {
        let (target, cells) = (self.data.labels()?, self.cells());
        if self.is_plane() {
            // A model's own regions take the place of these.
            if own.iter().any(|figure| figure.title_text().starts_with(REGIONS)) {
                return Ok(vec![]);
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
        figures.push(plot::predicted_rows(&self.predicted.inputs, target, predicted, cells)?);
        Ok(figures)
    }

    /// Whether the rows have two columns of numbers.
    fn is_plane(&self) -> bool {
        self.data.x.columns() == 2 && self.data.x.categorical_columns().is_empty()
    }

    /// The classes that the model behind the steps predicts.
    fn classes_of(&self, inputs: &Matrix) -> Result<Labels> {
        match self.model.model().predict(&inputs.to(self.device)?)? {
            Prediction::Classes(labels) => Ok(labels),
            _ => Err(Error::shape("plot", "classes", "something else")),
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
                let against =
                    plot::predicted_against_target(&y, &predicted_at)?.title(title("Predicted against target"));
                figures.extend([against, plot::residuals(&y, &predicted_at)?.title(title("Residuals"))]);
            }
        }
        Ok(figures)
    }
}

/// The curves of a fit in one figure, unless the model draws its own; and a figure for each array with a number for each
/// column, such as importances.
fn report_figures(report: &FitReport, columns: &[String], own: &[Figure]) -> Result<Vec<Figure>> {
    let mut figures = vec![];
    let unit = report.iterations.as_ref().map_or("iteration", |iterations| iterations.unit);
    if !report.curves.is_empty() && !own.iter().any(|figure| figure.title_text().contains(AFTER_EACH)) {
        let labels: Vec<String> = report.curves.iter().map(|(name, _)| label(name)).collect();
        let series = labels.iter().zip(&report.curves).map(|(label, (_, values))| (label.as_str(), values.as_slice()));
        let figure = plot::rounds(&series.collect::<Vec<_>>()).x_label(unit);
        figures.push(figure.title(format!("Values {AFTER_EACH} {unit}")));
    }
    for (name, array) in &report.arrays {
        if array.shape == [1, columns.len()] && !columns.is_empty() {
            let (label, mut title) = (label(name), String::new());
            title.extend(label.chars().take(1).flat_map(char::to_uppercase).chain(label.chars().skip(1)));
            let figure = plot::importances(columns, &array.values)?;
            let rest = figure.title_text().strip_prefix("Importances").unwrap_or_default().to_string();
            figures.push(figure.title(title + &rest));
        }
    }
    Ok(figures)
}

/// The rows that a transformer makes of rows, on their two leading directions, and the pictures of its own.
pub fn transformed_figures(model: &PipelineModel, data: &Dataset) -> Result<Vec<Figure>> {
    let made = model.model().transform(&model.transformed_input(&data.x)?)?;
    let plane = Plane::of(&made)?;
    let [across, upward] = plane.labels();
    let figure = Figure::new().title("Transformed rows").x_label(across).y_label(upward);
    let places = plane.project(&made)?;
    let figure = match data.labels() {
        Ok(labels) => figure.scatter_classes(&places, [0, 1], labels)?,
        Err(_) => figure.scatter("", plot::points(&places, [0, 1])?),
    };
    let columns = model.input_columns();
    let own = model.model().figures(&PictureInput { columns: &columns, target_name: None, rows: None })?;
    let report = report_figures(&model.model().report(), &columns.names, &own)?;
    Ok([vec![figure], report, own].concat())
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
