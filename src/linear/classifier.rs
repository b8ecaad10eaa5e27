//! A fitted linear classifier: one plane for two classes, else one for each, and what the fit tells about itself.

use nalgebra::DMatrix;

use super::predict::Linear;
use crate::array::Matrix;
use crate::cpu::linear::margin_gradient::exact::softmax;
use crate::data::Labels;
use crate::error::Result;
use crate::estimator::{
    Decision, Declared, Estimator, FitReport, FittedWith, InputColumns, Model, Observer, OwnedRows, PictureInput,
    Predict, Prediction, Queries, Rows, Save, unable,
};
use crate::model_file::Container;
use crate::plot::Figure;

/// How margins become probabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// They do not.
    None,
    /// The softmax of the planes; σ of a single one.
    Softmax,
    /// σ of each plane, over their sum.
    OneVsRest,
}

/// How something that a fit leaves is shown in its report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// As a number.
    Number,
    /// As a curve over iterations.
    Curve,
    /// As a row of numbers.
    Row,
    /// Not at all: what goes on learning needs it.
    Hidden,
}

/// What tells linear classifiers apart, beside how they are fitted.
#[doc(hidden)]
pub trait LinearClassifier: Estimator<Model = LinearClassifierModel<Self>> + Declared {
    /// What a fit may leave beside its planes, by name.
    const EXTRAS: &'static [(&'static str, Shown)] = &[("train_loss", Shown::Curve)];

    /// How margins become probabilities.
    fn link(&self) -> Link {
        Link::None
    }
}

/// What a fit leaves beside its planes.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct FitOutcome {
    pub(crate) iterations: usize,
    pub(crate) converged: bool,
    /// Numbers by the names of [`LinearClassifier::EXTRAS`].
    pub(crate) extras: Vec<(&'static str, Vec<f64>)>,
}

impl FitOutcome {
    pub(crate) fn extra(&self, name: &str) -> Option<&[f64]> {
        self.extras.iter().find(|(known, _)| *known == name).map(|(_, values)| &values[..])
    }

    /// The same with what a fit left, if it left any.
    pub(crate) fn with(mut self, name: &'static str, values: Vec<f64>) -> FitOutcome {
        if !values.is_empty() {
            self.extras.push((name, values));
        }
        self
    }

    /// The report, and the container, share what is known by name.
    pub(crate) fn report(&self, known: &[(&'static str, Shown)]) -> FitReport {
        let mut report = FitReport::default().iterations(self.iterations, self.converged);
        for (name, shown) in known {
            let Some(values) = self.extra(name) else { continue };
            report = match shown {
                Shown::Number => report.with_number(name, values[0]),
                Shown::Curve => report.with_curve(name, values),
                Shown::Row => report.with_row(name, values.to_vec()),
                Shown::Hidden => report,
            };
        }
        report
    }

    pub(crate) fn store(&self, container: &mut Container) -> Result<()> {
        container.insert("iterations", &[2], vec![self.iterations as u64, u64::from(self.converged)])?;
        self.extras.iter().try_for_each(|(name, values)| container.insert_list(&format!("fit.{name}"), values))
    }

    pub(crate) fn restore(container: &mut Container, known: &[(&'static str, Shown)]) -> Result<FitOutcome> {
        let progress: Vec<u64> = container.take("iterations", &[2])?;
        let mut extras = vec![];
        for (name, shown) in known {
            let stored = format!("fit.{name}");
            if container.contains(&stored) {
                let values: Vec<f64> = container.take_list(&stored)?;
                if values.is_empty() || (*shown == Shown::Number && values.len() != 1) {
                    return Err(container.refuse(format!("{} numbers for {name}", values.len())));
                }
                extras.push((*name, values));
            }
        }
        Ok(FitOutcome { iterations: progress[0] as usize, converged: progress[1] == 1, extras })
    }
}

/// Two classes need one plane, and one class none: its plane is zero.
pub(crate) fn planes_of(classes: usize) -> usize {
    if classes <= 2 { 1 } else { classes }
}

/// A fitted linear classifier: the type of the models of every estimator of this family.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearClassifierModel<E: LinearClassifier> {
    pub(crate) params: FittedWith<E>,
    pub(super) linear: Linear,
    pub(super) classes: Labels,
    pub(super) fit: FitOutcome,
}

impl<E: LinearClassifier> LinearClassifierModel<E> {
    /// From planes·d coefficients, row by row, and the intercepts.
    pub(super) fn new(params: &E, coef: &[f64], intercept: Vec<f64>, y: &Labels, fit: FitOutcome) -> Result<Self> {
        let planes = intercept.len();
        let linear = Linear::new(DMatrix::from_row_slice(planes, coef.len() / planes, coef), intercept)?;
        Ok(LinearClassifierModel { params: params.clone().into(), linear, classes: y.with_codes(vec![])?, fit })
    }

    /// The coefficients: 1×d for two classes (larger margins mean the second), else k×d.
    pub fn coef(&self) -> &DMatrix<f64> {
        self.linear.coef()
    }

    /// The intercepts, one for each row of the coefficients.
    pub fn intercept(&self) -> &[f64] {
        self.linear.intercept()
    }

    /// Steps, or passes over the rows, of the fit.
    pub fn iterations(&self) -> usize {
        self.fit.iterations
    }

    /// Whether the fit came to an end by itself.
    pub fn converged(&self) -> bool {
        self.fit.converged
    }

    /// The signed distance of each row from each plane, margin / ‖coef‖, n×planes (n×1 for two classes).
    pub fn decision_distance<'a>(&self, x: impl Into<Queries<'a>>) -> Result<Matrix> {
        let mut margins = self.linear.predict(E::TYPE, self.params.align(x)?.rows())?;
        let planes = self.linear.intercept().len();
        let lengths: Vec<f64> = self.coef().row_iter().map(|plane| plane.norm()).collect();
        for (at, margin) in margins.as_mut_slice().iter_mut().enumerate() {
            let length = lengths[at % planes];
            *margin = if length > 0.0 { (f64::from(*margin) / length) as f32 } else { 0.0 };
        }
        Ok(margins)
    }

    /// The probabilities of margins, n×k.
    pub(super) fn probabilities(&self, margins: &Matrix) -> Result<Option<Matrix>> {
        let (link, classes) = (self.params.link(), self.classes.classes());
        if link == Link::None {
            return Ok(None);
        }
        let mut out = Vec::with_capacity(margins.rows() * classes);
        let mut shares: Vec<f64> = vec![];
        for row in 0..margins.rows() {
            shares.clear();
            shares.extend(margins.row(row).iter().copied().map(f64::from));
            match (classes, link) {
                (1, _) => shares[0] = 1.0,
                (2, _) => {
                    softmax(&mut shares, 0);
                    shares = vec![1.0 - shares[0], shares[0]];
                }
                (_, Link::OneVsRest) => {
                    shares.iter_mut().for_each(|share| *share = 1.0 / (1.0 + (-*share).exp()));
                    let total: f64 = shares.iter().sum();
                    let even = 1.0 / classes as f64;
                    shares.iter_mut().for_each(|share| *share = if total > 0.0 { *share / total } else { even });
                }
                _ => {
                    softmax(&mut shares, 0);
                }
            }
            out.extend(shares.iter().map(|share| *share as f32));
        }
        Matrix::from_vec(margins.rows(), classes, out).map(Some)
    }

    /// The class of each row of margins; the lowest of equally likely ones.
    pub(super) fn winners(&self, margins: &Matrix) -> Result<Labels> {
        let winner = |row: usize| match margins.row(row) {
            [margin] => u32::from(*margin > 0.0 && self.classes.classes() == 2),
            row => (0..row.len()).fold(0, |best, class| if row[class] > row[best] { class } else { best }) as u32,
        };
        self.classes.with_codes((0..margins.rows()).map(winner).collect())
    }
}

impl<E: LinearClassifier> Predict for LinearClassifierModel<E> {
    type Output = Labels;
}

impl<E: LinearClassifier> Decision for LinearClassifierModel<E> {}

impl<E: LinearClassifier> Model for LinearClassifierModel<E> {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(self.winners(&self.linear.predict(E::TYPE, x)?)?.into())
    }

    fn predict_proba_rows(&self, x: Rows<'_>) -> Result<Option<Matrix>> {
        match self.params.link() {
            Link::None => Ok(None),
            _ => self.probabilities(&self.linear.predict(E::TYPE, x)?),
        }
    }

    fn predict_both_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<(Prediction, Option<Matrix>)> {
        let margins = self.linear.predict(E::TYPE, x)?;
        Ok((self.winners(&margins)?.into(), self.probabilities(&margins)?))
    }

    fn decision_rows(&self, x: Rows<'_>) -> Result<Option<Matrix>> {
        self.linear.predict(E::TYPE, x).map(Some)
    }

    /// For a model with a projection: rows less `center`, times the `scalings`.
    fn transform_rows(&self, x: Rows<'_>) -> Result<OwnedRows> {
        let (Some(center), Some(scalings)) = (self.fit.extra("center"), self.fit.extra("scalings")) else {
            return Err(unable(E::NAME, "transformed rows"));
        };
        let d = center.len();
        let at_center = |line: &[f64]| -line.iter().zip(center).map(|(a, b)| a * b).sum::<f64>();
        let intercept: Vec<f64> = scalings.chunks_exact(d).map(at_center).collect();
        let projection = Linear::new(DMatrix::from_row_slice(intercept.len(), d, scalings), intercept)?;
        OwnedRows::beside(x, projection.predict(E::TYPE, x)?)
    }

    fn transformed_columns(&self, _: &InputColumns) -> Option<InputColumns> {
        let columns = self.fit.extra("scalings")?.len() / self.fit.extra("center")?.len();
        let names: Vec<String> = (0..columns).map(|at| format!("discriminant{at}")).collect();
        Some(InputColumns::named(&names))
    }

    fn classes(&self) -> &[String] {
        self.classes.names()
    }

    fn report(&self) -> FitReport {
        self.fit.report(E::EXTRAS)
    }

    fn text(&self, columns: &InputColumns) -> Option<String> {
        Some(self.linear.equation(&columns.names, self.linear.intercept()))
    }

    fn figures(&self, _: &PictureInput<'_>) -> Result<Vec<Figure>> {
        super::pictures::weight_images(self.coef(), self.classes.names())
    }
}

impl<E: LinearClassifier> Save for LinearClassifierModel<E> {
    type Estimator = E;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.insert_strings("class_names", self.classes.names())?;
        self.fit.store(container)?;
        self.linear.store(container)
    }

    fn load_fitted(params: FittedWith<E>, container: &mut Container) -> Result<Self> {
        let names = container.take_strings("class_names")?;
        let fit = FitOutcome::restore(container, E::EXTRAS)?;
        let linear = Linear::restore(container)?;
        let (center, scalings) = (fit.extra("center"), fit.extra("scalings"));
        if center.is_some() != scalings.is_some()
            || center.is_some_and(|center| center.len() != linear.coef().ncols())
            || scalings.is_some_and(|scalings| scalings.len() % linear.coef().ncols() != 0)
        {
            return Err(container.refuse("a projection of other columns than the planes"));
        }
        if names.is_empty() || linear.intercept().len() != planes_of(names.len()) {
            return Err(container.refuse(format!("{} planes for {} classes", linear.intercept().len(), names.len())));
        }
        let classes = Labels::from_codes(vec![], names).map_err(|error| container.refuse(error.to_string()))?;
        Ok(LinearClassifierModel { params, linear, classes, fit })
    }
}
