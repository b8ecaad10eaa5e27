//! An ellipse or a rectangle, moved by gradient steps.

use serde::{Deserialize, Serialize};

use super::{classified, codes_among};
use crate::array::Matrix;
use crate::cpu::random::HostRng;
use crate::data::Labels;
use crate::error::{Error, Result};
use crate::estimator::{
    Estimator, Fit, FitReport, FittedWith, Model, Observer, Predict, Prediction, Reporter, Rows, Save,
    ValidationTarget, parameters,
};
use crate::model_file::Container;

const OP: &str = "ShapeClassifier";
/// The random numbers of the first centres.
const STREAM: u32 = 0x5348_4150;

/// The shape of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// 1 − Σ aⱼ(xⱼ − cⱼ)².
    Ellipse,
    /// 1 − maxⱼ aⱼ(xⱼ − cⱼ)².
    #[default]
    Rectangle,
}

parameters! {
    /// A class as an ellipse or a rectangle: f(x) = 1 − a norm of (x − c), fitted to 0 and 1 by full gradient steps on the
    /// mean squared error; a row belongs to it where f is above ½ (000 §1.7).
    ///
    /// Columns are scaled to [0, 1]; a starts at 1 (2/d in d columns) and c is drawn evenly. Of more than two classes each
    /// has its shape, and the largest f wins. A rectangle can stick at a bad centre: `n_init` begins anew and keeps the fit
    /// with the least loss. The report has the loss after each step, with validation rows theirs too:
    /// [`iteration_curve`](crate::selection::iteration_curve) cross-validates the number of steps.
    ///
    /// ```
    /// use gristmill::datasets::notes;
    /// use gristmill::lecture::ShapeClassifier;
    /// use gristmill::prelude::*;
    /// let data = notes::rectangle(50, 0)?;
    /// let model = ShapeClassifier::default().max_iter(2000).n_init(8).fit(&data.x, data.labels()?)?;
    /// let losses = model.train_losses();
    /// assert!(losses[1999] < losses[0] && model.score(&data.x, data.labels()?)? > 0.7);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub struct ShapeClassifier: classifier("shape-classifier") -> ShapeClassifierModel;
    about "an ellipse or a rectangle for a class, by gradient descent on the squared error";
    {
        /// The shape: ellipse or rectangle.
        shape: Shape = Shape::Rectangle;
        /// Gradient steps.
        max_iter: usize = 5000, at_least(1.0);
        /// The length of a step.
        learning_rate: f64 = 0.1, above(0.0);
        /// Starts from other centres, of which the one with the least training loss is kept.
        n_init: usize = 1, at_least(1.0);
        /// Seed of the first centres.
        seed: u64 = 0;
    }
}

/// The shape of one class: d widths and the d coordinates of its centre.
#[derive(Debug, Clone, PartialEq)]
struct Outline {
    widths: Vec<f64>,
    centre: Vec<f64>,
}

impl Outline {
    /// f at a scaled row, and the column that decides for a rectangle.
    fn value(&self, shape: Shape, row: &[f64]) -> (f64, usize) {
        let term = |at: usize| self.widths[at] * (row[at] - self.centre[at]).powi(2);
        match shape {
            Shape::Ellipse => (1.0 - (0..row.len()).map(term).sum::<f64>(), 0),
            Shape::Rectangle => {
                let most = (1..row.len()).fold(0, |best, at| if term(at) > term(best) { at } else { best });
                (1.0 - if row.is_empty() { 0.0 } else { term(most) }, most)
            }
        }
    }

    /// The mean squared error, and its derivatives by the widths and the centre.
    fn gradient(&self, shape: Shape, rows: &[Vec<f64>], targets: &[f64]) -> (f64, Outline) {
        let d = self.widths.len();
        let mut slopes = Outline { widths: vec![0.0; d], centre: vec![0.0; d] };
        let mut loss = 0.0;
        for (row, target) in rows.iter().zip(targets) {
            let (value, most) = self.value(shape, row);
            let error = value - target;
            loss += error * error;
            let columns = if shape == Shape::Ellipse { 0..d } else { most..(most + 1).min(d) };
            for at in columns {
                let distance = row[at] - self.centre[at];
                slopes.widths[at] -= 2.0 * error * distance * distance;
                slopes.centre[at] += 4.0 * error * self.widths[at] * distance;
            }
        }
        let count = rows.len() as f64;
        slopes.widths.iter_mut().chain(&mut slopes.centre).for_each(|slope| *slope /= count);
        (loss / count, slopes)
    }

    fn loss(&self, shape: Shape, rows: &[Vec<f64>], targets: &[f64]) -> f64 {
        let square = |(row, target): (&Vec<f64>, &f64)| (self.value(shape, row).0 - target).powi(2);
        rows.iter().zip(targets).map(square).sum::<f64>() / rows.len() as f64
    }
}

/// Rows between 0 and 1, and for each outline 1 where a row is of its class.
struct Scaled {
    rows: Vec<Vec<f64>>,
    targets: Vec<Vec<f64>>,
}

impl Estimator for ShapeClassifier {
    fn fit_rows(&self, x: Rows<'_>, y: &Labels, options: Fit<'_>) -> Result<ShapeClassifierModel> {
        options.refuse_weights(OP)?;
        let x = classified(OP, x, y)?;
        let fold =
            |column: usize, pick: fn(f32, f32) -> f32, start: f32| x.column(column).into_iter().fold(start, pick);
        let low: Vec<f32> = (0..x.columns()).map(|column| fold(column, f32::min, f32::INFINITY)).collect();
        let high: Vec<f32> = (0..x.columns()).map(|column| fold(column, f32::max, f32::NEG_INFINITY)).collect();
        let scale =
            low.iter().zip(&high).map(|(low, high)| if high > low { f64::from(high - low) } else { 1.0 }).collect();
        let model = ShapeClassifierModel {
            params: self.clone().into(),
            low: low.into_iter().map(f64::from).collect(),
            scale,
            outlines: vec![],
            classes: y.with_codes(vec![])?,
            train: vec![],
            validation: vec![],
        };
        let train = model.scaled(&x, y.codes());
        let validation = match options.validation_rows() {
            Some((rows, ValidationTarget::Classes(labels))) => {
                Some(model.scaled(&classified(OP, rows, labels)?, &codes_among(y, labels)))
            }
            _ => None,
        };
        options.watched("shape classifier", |reporter| {
            let mut best: Option<(f64, ShapeClassifierModel)> = None;
            for start in 0..self.n_init {
                let mut own = model.clone();
                self.descend(&mut own, &train, validation.as_ref(), (start, &mut *reporter))?;
                let loss = own.train.last().copied().unwrap_or(f64::INFINITY);
                if best.as_ref().is_none_or(|(least, _)| loss < *least) {
                    best = Some((loss, own));
                }
            }
            best.map(|(_, own)| own).ok_or_else(|| Error::param("n_init", "at least 1", self.n_init))
        })
    }
}

impl ShapeClassifier {
    fn descend(
        &self,
        model: &mut ShapeClassifierModel,
        train: &Scaled,
        validation: Option<&Scaled>,
        (start, reporter): (usize, &mut Reporter<'_>),
    ) -> Result<()> {
        let (d, shape) = (model.low.len(), self.shape);
        let mut rng = HostRng::new(self.seed.wrapping_add(start as u64), STREAM);
        let width = 2.0 / d.max(2) as f64;
        let mut first = || Outline { widths: vec![width; d], centre: (0..d).map(|_| rng.uniform()).collect() };
        let mut outlines: Vec<Outline> = train.targets.iter().map(|_| first()).collect();
        for step in 0..self.max_iter {
            let mut loss = 0.0;
            for (outline, targets) in outlines.iter_mut().zip(&train.targets) {
                let (own, slopes) = outline.gradient(shape, &train.rows, targets);
                loss += own;
                let move_by = |values: &mut [f64], slopes: &[f64]| {
                    values.iter_mut().zip(slopes).for_each(|(value, slope)| *value -= self.learning_rate * slope);
                };
                move_by(&mut outline.widths, &slopes.widths);
                move_by(&mut outline.centre, &slopes.centre);
            }
            if !loss.is_finite() {
                return Err(Error::param("learning_rate", "smaller: the steps run away", self.learning_rate));
            }
            let mean = |data: &Scaled| {
                let losses = outlines
                    .iter()
                    .zip(&data.targets)
                    .map(|(outline, targets)| outline.loss(shape, &data.rows, targets));
                losses.sum::<f64>() / data.targets.len().max(1) as f64
            };
            let loss = mean(train);
            model.train.push(loss);
            model.validation.extend(validation.map(mean));
            let done = start * self.max_iter + step + 1;
            if reporter.report(step + 1, Some(loss), done as f64 / (self.n_init * self.max_iter) as f64)? {
                break;
            }
        }
        if outlines.iter().any(|outline| outline.widths.iter().chain(&outline.centre).any(|value| !value.is_finite())) {
            return Err(Error::param("learning_rate", "smaller: the steps run away", self.learning_rate));
        }
        model.outlines = outlines;
        Ok(())
    }
}

/// The shape of each class; of two classes that of the second.
#[derive(Debug, Clone)]
pub struct ShapeClassifierModel {
    params: FittedWith<ShapeClassifier>,
    low: Vec<f64>,
    scale: Vec<f64>,
    outlines: Vec<Outline>,
    classes: Labels,
    train: Vec<f64>,
    validation: Vec<f64>,
}

impl ShapeClassifierModel {
    /// The mean squared error after each step.
    pub fn train_losses(&self) -> &[f64] {
        &self.train
    }

    /// The same on the validation rows of the fit, if it had any.
    pub fn validation_losses(&self) -> &[f64] {
        &self.validation
    }

    /// The codes of the classes that have a shape: the second of two, else all.
    fn shaped(classes: usize) -> std::ops::Range<u32> {
        if classes == 2 { 1..2 } else { 0..classes as u32 }
    }

    fn scaled(&self, x: &Matrix, codes: &[u32]) -> Scaled {
        let rows = (0..x.rows()).map(|row| self.scaled_row(x.row(row))).collect();
        let own = |class: u32| codes.iter().map(|code| f64::from(u8::from(*code == class))).collect();
        Scaled { rows, targets: Self::shaped(self.classes.classes()).map(own).collect() }
    }

    fn scaled_row(&self, row: &[f32]) -> Vec<f64> {
        row.iter().enumerate().map(|(at, value)| (f64::from(*value) - self.low[at]) / self.scale[at]).collect()
    }
}

impl Predict for ShapeClassifierModel {
    type Output = Labels;
}

impl Model for ShapeClassifierModel {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        x.queries(OP, self.low.len())?;
        let x = x.on_host()?;
        let code = |row: usize| {
            let row = self.scaled_row(x.row(row));
            let values: Vec<f64> =
                self.outlines.iter().map(|outline| outline.value(self.params.shape, &row).0).collect();
            match &values[..] {
                [value] if self.classes.classes() == 2 => u32::from(*value > 0.5),
                values => {
                    (1..values.len()).fold(0, |best, at| if values[at] > values[best] { at } else { best }) as u32
                }
            }
        };
        Ok(self.classes.with_codes((0..x.rows()).map(code).collect())?.into())
    }

    fn classes(&self) -> &[String] {
        self.classes.names()
    }

    fn report(&self) -> FitReport {
        let report = FitReport::default().iterations(self.train.len(), false);
        report.with_curve("train_loss", &self.train).with_curve("validation_loss", &self.validation)
    }
}

impl Save for ShapeClassifierModel {
    type Estimator = ShapeClassifier;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        let (shapes, d) = (self.outlines.len(), self.low.len());
        let all =
            |part: fn(&Outline) -> &Vec<f64>| self.outlines.iter().flat_map(|outline| part(outline).clone()).collect();
        container.insert_strings("class_names", self.classes.names())?;
        container.insert::<f64>("widths", &[shapes, d], all(|outline| &outline.widths))?;
        container.insert::<f64>("centres", &[shapes, d], all(|outline| &outline.centre))?;
        container.insert("low", &[d], self.low.clone())?;
        container.insert("scale", &[d], self.scale.clone())?;
        container.insert("train_loss", &[self.train.len()], self.train.clone())?;
        container.insert("validation_loss", &[self.validation.len()], self.validation.clone())
    }

    fn load_fitted(params: FittedWith<ShapeClassifier>, container: &mut Container) -> Result<ShapeClassifierModel> {
        let [shapes, d] = container.shape("widths")?;
        let ([train], [validation]) = (container.shape("train_loss")?, container.shape("validation_loss")?);
        let widths: Vec<f64> = container.take("widths", &[shapes, d])?;
        let centres: Vec<f64> = container.take("centres", &[shapes, d])?;
        let (low, scale): (Vec<f64>, Vec<f64>) = (container.take("low", &[d])?, container.take("scale", &[d])?);
        let names = container.take_strings("class_names")?;
        if names.is_empty() || Self::shaped(names.len()).len() != shapes || scale.iter().any(|scale| *scale <= 0.0) {
            return Err(container.refuse("its shapes are not those of its classes, or a column has no width"));
        }
        let outline = |at: usize| Outline {
            widths: widths[at * d..(at + 1) * d].to_vec(),
            centre: centres[at * d..(at + 1) * d].to_vec(),
        };
        let outlines = (0..shapes).map(outline).collect();
        let (train, validation) =
            (container.take("train_loss", &[train])?, container.take("validation_loss", &[validation])?);
        let classes = Labels::from_codes(vec![], names).map_err(|error| container.refuse(error.to_string()))?;
        Ok(ShapeClassifierModel { params, low, scale, outlines, classes, train, validation })
    }
}
