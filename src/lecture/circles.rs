//! Guessing, and keeping the best guess.

use super::{classified, codes_among};
use crate::array::Matrix;
use crate::cpu::random::HostRng;
use crate::data::Labels;
use crate::error::Result;
use crate::estimator::{
    Estimator, Fit, FitReport, FittedWith, Model, Observer, Predict, Prediction, Rows, Save, ValidationTarget,
    parameters,
};
use crate::model_file::Container;

const OP: &str = "RandomCircles";
/// The random numbers of the guesses.
const STREAM: u32 = 0x4349_5243;

parameters! {
    /// Draws circles (balls in more columns) and keeps the one with the least training error (000 §1.3.2–1.4.1).
    ///
    /// Centres are drawn evenly over the range of the columns, radii up to its longest side. Of two classes the second is
    /// inside; of more, the most frequent one inside and the most frequent one outside. The report has the training
    /// error of every draw, and with validation rows theirs too: both are correlated, and the least one is partly luck.
    ///
    /// ```
    /// use gristmill::datasets::notes;
    /// use gristmill::lecture::RandomCircles;
    /// use gristmill::prelude::*;
    /// let data = notes::rectangle(50, 0)?;
    /// let model = RandomCircles::default().fit(&data.x, data.labels()?)?;
    /// let errors = model.train_errors();
    /// let least = errors.iter().copied().fold(1.0, f64::min);
    /// assert!(errors.len() == 100 && (1.0 - model.score(&data.x, data.labels()?)? - least).abs() < 1e-9);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub struct RandomCircles: classifier("random-circles") -> RandomCirclesModel;
    about "draws random circles and keeps the best: what searching without a gradient reaches";
    {
        /// How many circles are drawn.
        n_draws: usize = 100, at_least(1.0);
        /// Seed of the circles.
        seed: u64 = 0;
    }
}

/// A ball, and the classes within and around it.
#[derive(Debug, Clone, PartialEq)]
struct Ball {
    centre: Vec<f64>,
    radius: f64,
    inside: u32,
    outside: u32,
}

impl Ball {
    fn holds(&self, row: &[f32]) -> bool {
        let square: f64 = row.iter().zip(&self.centre).map(|(value, own)| (f64::from(*value) - own).powi(2)).sum();
        square < self.radius * self.radius
    }

    fn code(&self, row: &[f32]) -> u32 {
        if self.holds(row) { self.inside } else { self.outside }
    }

    fn error(&self, x: &Matrix, codes: &[u32]) -> f64 {
        let wrong = codes.iter().enumerate().filter(|(row, code)| self.code(x.row(*row)) != **code).count();
        wrong as f64 / codes.len() as f64
    }
}

impl Estimator for RandomCircles {
    fn fit_rows(&self, x: Rows<'_>, y: &Labels, options: Fit<'_>) -> Result<RandomCirclesModel> {
        options.refuse_weights(OP)?;
        let x = classified(OP, x, y)?;
        let validation = match options.validation_rows() {
            Some((rows, ValidationTarget::Classes(labels))) => {
                Some((classified(OP, rows, labels)?, codes_among(y, labels)))
            }
            _ => None,
        };
        let ends = |column: usize| {
            let fold = |(low, high): (f64, f64), value: f32| (low.min(f64::from(value)), high.max(f64::from(value)));
            x.column(column).into_iter().fold((f64::INFINITY, f64::NEG_INFINITY), fold)
        };
        let sides: Vec<(f64, f64)> = (0..x.columns()).map(ends).collect();
        let longest = sides.iter().map(|(low, high)| high - low).fold(0.0, f64::max);
        let mut rng = HostRng::new(self.seed, STREAM);
        let (mut best, mut train, mut others): (Option<(f64, Ball)>, Vec<f64>, Vec<f64>) = (None, vec![], vec![]);
        options.watched("random circles", |reporter| {
            for draw in 0..self.n_draws {
                let centre = sides.iter().map(|(low, high)| low + (high - low) * rng.uniform()).collect();
                let ball =
                    self.with_classes(Ball { centre, radius: longest * rng.uniform(), inside: 1, outside: 0 }, &x, y);
                let error = ball.error(&x, y.codes());
                train.push(error);
                others.extend(validation.as_ref().map(|(rows, codes)| ball.error(rows, codes)));
                if best.as_ref().is_none_or(|(least, _)| error < *least) {
                    best = Some((error, ball));
                }
                if reporter.report(draw + 1, Some(error), (draw + 1) as f64 / self.n_draws as f64)? {
                    break;
                }
            }
            Ok(())
        })?;
        let ball = best.map_or_else(|| Ball { centre: vec![], radius: 0.0, inside: 0, outside: 0 }, |(_, ball)| ball);
        let classes = y.with_codes(vec![])?;
        Ok(RandomCirclesModel { params: self.clone().into(), ball, classes, train, validation: others })
    }
}

impl RandomCircles {
    fn with_classes(&self, ball: Ball, x: &Matrix, y: &Labels) -> Ball {
        if y.classes() == 2 {
            return ball;
        }
        let most = |is_inside: bool| {
            let mut counts = vec![0_usize; y.classes()];
            let rows = y.codes().iter().enumerate().filter(|(row, _)| ball.holds(x.row(*row)) == is_inside);
            rows.for_each(|(_, code)| counts[*code as usize] += 1);
            (1..counts.len()).fold(0, |best, code| if counts[code] > counts[best] { code } else { best }) as u32
        };
        let (inside, outside) = (most(true), most(false));
        Ball { inside, outside, ..ball }
    }
}

/// The best circle.
#[derive(Debug, Clone)]
pub struct RandomCirclesModel {
    params: FittedWith<RandomCircles>,
    ball: Ball,
    classes: Labels,
    train: Vec<f64>,
    validation: Vec<f64>,
}

impl RandomCirclesModel {
    /// The centre of the circle that was kept.
    pub fn centre(&self) -> &[f64] {
        &self.ball.centre
    }

    /// Its radius.
    pub fn radius(&self) -> f64 {
        self.ball.radius
    }

    /// The training error of each draw.
    pub fn train_errors(&self) -> &[f64] {
        &self.train
    }

    /// The error of each draw on the validation rows of the fit, if it had any.
    pub fn validation_errors(&self) -> &[f64] {
        &self.validation
    }
}

impl Predict for RandomCirclesModel {
    type Output = Labels;
}

impl Model for RandomCirclesModel {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        x.queries(OP, self.ball.centre.len())?;
        let x = x.on_host()?;
        Ok(self.classes.with_codes((0..x.rows()).map(|row| self.ball.code(x.row(row))).collect())?.into())
    }

    fn classes(&self) -> &[String] {
        self.classes.names()
    }

    fn report(&self) -> FitReport {
        let report = FitReport::default().with_number("radius", self.ball.radius);
        report.with_curve("train_error", &self.train).with_curve("validation_error", &self.validation)
    }
}

impl Save for RandomCirclesModel {
    type Estimator = RandomCircles;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.insert_strings("class_names", self.classes.names())?;
        container.insert("centre", &[self.ball.centre.len()], self.ball.centre.clone())?;
        container.insert("radius", &[1], vec![self.ball.radius])?;
        container.insert("sides", &[2], vec![self.ball.inside, self.ball.outside])?;
        container.insert("train_errors", &[self.train.len()], self.train.clone())?;
        container.insert("validation_errors", &[self.validation.len()], self.validation.clone())
    }

    fn load_fitted(params: FittedWith<RandomCircles>, container: &mut Container) -> Result<RandomCirclesModel> {
        let [columns] = container.shape("centre")?;
        let ([train], [validation]) = (container.shape("train_errors")?, container.shape("validation_errors")?);
        let centre = container.take("centre", &[columns])?;
        let radius: Vec<f64> = container.take("radius", &[1])?;
        let sides: Vec<u32> = container.take("sides", &[2])?;
        let names = container.take_strings("class_names")?;
        // Of one class there is no second.
        if names.is_empty() || sides.iter().any(|code| *code as usize >= names.len()) {
            return Err(container.refuse("there is no class, or a side without one"));
        }
        let (train, validation) =
            (container.take("train_errors", &[train])?, container.take("validation_errors", &[validation])?);
        let classes = Labels::from_codes(vec![], names).map_err(|error| container.refuse(error.to_string()))?;
        let ball = Ball { centre, radius: radius[0], inside: sides[0], outside: sides[1] };
        Ok(RandomCirclesModel { params, ball, classes, train, validation })
    }
}
