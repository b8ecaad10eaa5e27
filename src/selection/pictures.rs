//! Curves of scores, drawn.

use super::Curve;
use crate::error::Result;
use crate::plot::Figure;

/// The factor from the smallest number to the largest from which on an axis is logarithmic.
const DECADES: f64 = 100.0;

impl Curve {
    /// The picture of it: the scores on fitted and on new rows with their 95 % confidence intervals.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// use gristmill::selection;
    /// let iris = datasets::iris()?;
    /// let pipeline = Pipeline::new(KNeighborsClassifier::new(3));
    /// let curve = selection::learning_curve(&pipeline, &iris, &selection::Folds::stratified(5), &[0.2, 0.5, 1.0])?;
    /// assert!(curve.figure()?.to_svg().contains(">new rows<"));
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// Values that are no numbers stand beside each other with their names; numbers above 0 that span two powers of ten or
    /// more stand on a logarithmic axis.
    pub fn figure(&self) -> Result<Figure> {
        let mut figure = Figure::new().x_label(self.along.clone()).y_label(self.scoring.label());
        figure = figure.title(if self.along == "rows" { "Learning curve" } else { "Validation curve" });
        let is_number = |(label, value): (&String, &f64)| label.parse::<f64>().is_ok_and(|number| number == *value);
        let (low, high) =
            self.values.iter().fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(*value), high.max(*value)));
        if !self.labels.iter().zip(&self.values).all(is_number) {
            figure = figure.x_names(&self.labels)?;
        } else if self.along != "rows" && low > 0.0 && high >= DECADES * low {
            figure = figure.logarithmic_x();
        }
        for (name, samples) in [("fitted rows", &self.train), ("new rows", &self.test)] {
            let points = || self.values.iter().copied().zip(samples);
            let half_widths = samples.iter().map(|sample| sample.half_width(0.95)).collect::<Result<Vec<f64>>>()?;
            let band =
                points().zip(half_widths).map(|((at, sample), half)| (at, sample.mean - half, sample.mean + half));
            figure = figure.band(band).steps(name, points().map(|(at, sample)| (at, sample.mean)));
        }
        Ok(figure)
    }
}
