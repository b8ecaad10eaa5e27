//! The perceptron in the space of a kernel.

use serde::{Deserialize, Serialize};

use super::expansion::KernelExpansion;
use super::gram_operator::GramOperator;
use super::pictures::gram_figure;
use super::{Gamma, Kernel};
use crate::array::{DeviceMatrix, Matrix};
use crate::cpu::random::permutation::permutation;
use crate::cpu::reduce::argmax;
use crate::data::Labels;
use crate::device::Stream;
use crate::error::{Error, Result};
use crate::estimator::{
    Decision, Estimator, Fit, FitReport, FittedWith, Model, Observer, PictureInput, Predict, Prediction, Reporter,
    Rows, Save, parameters,
};
use crate::model_file::Container;
use crate::plot::Figure;

const OP: &str = "KernelPerceptron";
/// The stream of random numbers for the order of the first epoch; each epoch has the next.
const STREAM: u32 = 0x6b63_0000;
/// Rows that are visited with one block of the Gram matrix where the whole does not fit.
const BLOCK_ROWS: usize = 2048;
/// Rows of a picture of the Gram matrix.
const PICTURE_ROWS: usize = 60;

parameters! {
    /// The kernel perceptron (Aizerman, Braverman and Rozonoer 1964; Freund and Schapire 1999): rows are visited one after
    /// the other, and each that is on the wrong side is added to the decision function. Several classes are one-versus-rest.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// use gristmill::kernel_methods::{Kernel, KernelPerceptron};
    /// let moons = datasets::moons(200, 0.1, 3)?;
    /// let model = KernelPerceptron::default().kernel(Kernel::rbf(4.0)).fit(&moons.x, moons.labels()?)?;
    /// assert!(model.score(&moons.x, moons.labels()?)? > 0.98);
    /// assert!(model.support().len() < 200);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - The order of the rows is drawn anew for each epoch. The fit ends with an epoch whose share of mistakes is at most
    ///   `tol`: with 0, when the classes are separated, if they can be.
    /// - `average` predicts with the mean of all decision functions on the way, which is steadier.
    /// - The sequence runs on the host in f64; K is computed on the device: whole up to 8192 rows, above in blocks of 2048
    ///   rows. The model keeps the rows that were added.
    /// - Sample weights are refused. A single class is always predicted.
    pub struct KernelPerceptron: classifier("kernel-perceptron") -> KernelPerceptronModel;
    about "the perceptron on a kernel: each mistake adds its row to the decision function";
    {
        /// The kernel, such as rbf(gamma=0.1) or 0.5*rbf+poly(degree=2).
        kernel: Kernel = Kernel::rbf(Gamma::Scale);
        /// Whether the mean of all decision functions on the way predicts, not the last one.
        average: bool = false;
        /// Whether there is an intercept.
        fit_intercept: bool = true;
        /// Maximum number of epochs, each a visit to every row.
        max_iter: usize = 100, at_least(1.0);
        /// Ends the fit with an epoch in which no more than this share of the decisions is wrong.
        tol: f64 = 0.0, from_to(0.0, 1.0);
        /// Seed of the order of the rows.
        seed: u64 = 0;
    }
}

impl Estimator for KernelPerceptron {
    /// Costs n²·d operations for K, an epoch of it where it does not fit; and n for each mistake.
    fn fit_rows(&self, x: Rows<'_>, y: &Labels, options: Fit<'_>) -> Result<KernelPerceptronModel> {
        options.refuse_weights(OP)?;
        let x = x.complete(OP)?;
        if x.rows() != y.len() {
            return Err(Error::shape(OP, format!("{} classes, one a row", x.rows()), y.len()));
        }
        options.watched("kernel perceptron", |reporter| self.visit(&x, y, reporter))
    }
}

/// The sums of one decision function for each class, or one for two.
struct Visits {
    columns: usize,
    /// Visits so far.
    time: f64,
    /// n×columns: how often each row was added, with the sign of its class.
    added: Vec<f64>,
    /// The same times the time of each mistake.
    added_late: Vec<f64>,
    intercept: Vec<f64>,
    intercept_late: Vec<f64>,
}

/// How a fit went.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq)]
struct Course {
    mistakes: Vec<usize>,
    converged: bool,
}

impl KernelPerceptron {
    fn visit(&self, x: &DeviceMatrix, y: &Labels, reporter: &mut Reporter<'_>) -> Result<KernelPerceptronModel> {
        let mut stream = x.device().stream();
        let gram = GramOperator::fit(OP, &self.kernel, x, &mut stream)?;
        let (n, columns) = (x.rows(), if y.classes() <= 2 { 1 } else { y.classes() });
        let mut visits = Visits {
            columns,
            time: 0.0,
            added: vec![0.0; n * columns],
            added_late: vec![0.0; n * columns],
            intercept: vec![0.0; columns],
            intercept_late: vec![0.0; columns],
        };
        let whole: Vec<usize> = (0..n).collect();
        let mut course = Course { mistakes: vec![], converged: y.classes() <= 1 };
        // Of a whole matrix the sums of all rows are kept up to date, from one epoch to the next.
        let mut kept = match gram.is_whole() {
            true => Some((gram.rows_at(&mut stream, &whole)?, vec![0.0; n * columns])),
            false => None,
        };
        let mut stopped = false;
        while !course.converged && !stopped && course.mistakes.len() < self.max_iter {
            let epoch = course.mistakes.len();
            let order = permutation(self.seed, STREAM.wrapping_add(epoch as u32), n as u32);
            let order: Vec<usize> = order.into_iter().map(|row| row as usize).collect();
            let mut mistakes = 0;
            match &mut kept {
                Some((kernel, sums)) => mistakes += visits.walk(self, y, &order, (&whole, kernel), sums),
                None => {
                    for (number, rows) in order.chunks(BLOCK_ROWS).enumerate() {
                        let (kernel, mut sums) = visits.block(&gram, &mut stream, rows)?;
                        let places: Vec<usize> = (0..rows.len()).collect();
                        mistakes += visits.walk(self, y, &places, (rows, &kernel), &mut sums);
                        let share = (number * BLOCK_ROWS) as f64 / n as f64;
                        reporter.check_stopped(epoch, (epoch as f64 + share) / self.max_iter as f64)?;
                    }
                }
            }
            course.mistakes.push(mistakes);
            let share = mistakes as f64 / (n * columns) as f64;
            course.converged = share <= self.tol;
            stopped = reporter.report(epoch + 1, Some(share), (epoch + 1) as f64 / self.max_iter as f64)?;
        }
        if !course.converged {
            log::warn!("the kernel perceptron still made mistakes after {} epochs", course.mistakes.len());
        }
        let (coefficients, intercept) = visits.finished(self.average);
        let used = |row: &usize| coefficients[row * columns..(row + 1) * columns].iter().any(|value| *value != 0.0);
        let mut support: Vec<usize> = (0..n).filter(used).collect();
        if support.is_empty() {
            support.push(0); // One class: a function that is 0 everywhere still has a row.
        }
        let chosen = |row: &usize| coefficients[row * columns..(row + 1) * columns].to_vec();
        let chosen: Vec<f64> = support.iter().flat_map(chosen).collect();
        let chosen = Matrix::from_f64(support.len(), columns, &chosen)?;
        let rows = gram.x(&mut stream)?;
        Ok(KernelPerceptronModel {
            params: self.clone().into(),
            function: KernelExpansion::over(gram.kernel, &rows, Some(&support), chosen)?,
            intercept,
            support: support.into_iter().map(|row| row as u64).collect(),
            classes: y.with_codes(vec![])?,
            course,
        })
    }
}

impl Visits {
    /// Visits `places` of a block of rows whose kernel matrix and sums are given: the number of wrong decisions.
    fn walk(
        &mut self,
        settings: &KernelPerceptron,
        y: &Labels,
        places: &[usize],
        (rows, kernel): (&[usize], &Matrix),
        sums: &mut [f64],
    ) -> usize {
        let columns = self.columns;
        let mut mistakes = 0;
        for &place in places {
            let row = rows[place];
            for column in 0..columns {
                let class = if columns == 1 { 1 } else { column };
                let sign = if y.codes()[row] as usize == class { 1.0 } else { -1.0 };
                if sign * (sums[place * columns + column] + self.intercept[column]) > 0.0 {
                    continue;
                }
                mistakes += 1;
                self.added[row * columns + column] += sign;
                self.added_late[row * columns + column] += sign * self.time;
                if settings.fit_intercept {
                    self.intercept[column] += sign;
                    self.intercept_late[column] += sign * self.time;
                }
                for (sums, value) in sums.chunks_exact_mut(columns).zip(kernel.row(place)) {
                    sums[column] += sign * f64::from(*value);
                }
            }
            self.time += 1.0;
        }
        mistakes
    }

    /// The kernel matrix of some rows with one another, and their sums over all rows that were added.
    fn block(&self, gram: &GramOperator<'_>, stream: &mut Stream, rows: &[usize]) -> Result<(Matrix, Vec<f64>)> {
        let added = Matrix::from_f64(gram.len(), self.columns, &self.added)?;
        let [sums, kernel] = gram.part(stream, rows, &added)?;
        Ok((kernel, sums.as_slice().iter().copied().map(f64::from).collect()))
    }

    /// The coefficients of the last function, or of the mean of those that each visit left.
    fn finished(self, average: bool) -> (Vec<f64>, Vec<f64>) {
        let time = self.time;
        let mean = |(last, late): (f64, f64)| if average && time > 0.0 { last - late / time } else { last };
        let coefficients = self.added.into_iter().zip(self.added_late).map(mean).collect();
        (coefficients, self.intercept.into_iter().zip(self.intercept_late).map(mean).collect())
    }
}

/// A fitted kernel perceptron: the rows of its mistakes.
#[derive(Debug, Clone)]
pub struct KernelPerceptronModel {
    params: FittedWith<KernelPerceptron>,
    function: KernelExpansion,
    intercept: Vec<f64>,
    support: Vec<u64>,
    classes: Labels,
    course: Course,
}

impl KernelPerceptronModel {
    /// The fitted rows that the decision function is a sum over.
    pub fn support(&self) -> &[u64] {
        &self.support
    }

    /// Wrong decisions in each epoch; one for each class that a row can be wrong about.
    pub fn mistakes(&self) -> &[usize] {
        &self.course.mistakes
    }

    /// Whether the share of mistakes fell to `tol`.
    pub fn converged(&self) -> bool {
        self.course.converged
    }

    /// The intercept of each decision function.
    pub fn intercept(&self) -> &[f64] {
        &self.intercept
    }

    /// The kernel with its widths as numbers.
    pub fn kernel(&self) -> &Kernel {
        self.function.kernel().kernel()
    }

    fn decisions(&self, x: Rows<'_>) -> Result<Matrix> {
        let mut values = self.function.predict(OP, x)?;
        for row in values.as_mut_slice().chunks_exact_mut(self.intercept.len()) {
            row.iter_mut().zip(&self.intercept).for_each(|(value, intercept)| *value += *intercept as f32);
        }
        Ok(values)
    }
}

impl Predict for KernelPerceptronModel {
    type Output = Labels;
}

impl Decision for KernelPerceptronModel {}

impl Model for KernelPerceptronModel {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        let decisions = self.decisions(x)?;
        let class = |row: &[f32]| match row {
            [alone] => u32::from(*alone > 0.0 && self.classes.classes() == 2),
            row => argmax(row) as u32,
        };
        let codes = decisions.as_slice().chunks_exact(self.intercept.len()).map(class).collect();
        Ok(self.classes.with_codes(codes)?.into())
    }

    fn decision_rows(&self, x: Rows<'_>) -> Result<Option<Matrix>> {
        self.decisions(x).map(Some)
    }

    fn classes(&self) -> &[String] {
        self.classes.names()
    }

    fn report(&self) -> FitReport {
        let report = FitReport::default().iterations(self.course.mistakes.len(), self.course.converged);
        let mistakes: Vec<f64> = self.course.mistakes.iter().map(|count| *count as f64).collect();
        report.with_number("support", self.support.len() as f64).with_curve("mistakes", &mistakes)
    }

    /// The Gram matrix of some rows, ordered by class.
    fn figures(&self, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
        let Some(rows) = &input.rows else { return Ok(vec![]) };
        let (x, target) = rows.sample(PICTURE_ROWS)?;
        match target.labels() {
            Ok(labels) if !self.kernel().is_precomputed() => Ok(vec![gram_figure(self.kernel(), &x, labels)?]),
            _ => Ok(vec![]),
        }
    }
}

impl Save for KernelPerceptronModel {
    type Estimator = KernelPerceptron;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.set_fitted(&self.course)?;
        container.insert_list("intercept", &self.intercept)?;
        container.insert_list("support", &self.support)?;
        container.insert_strings("class_names", self.classes.names())?;
        self.function.store(container)
    }

    fn load_fitted(params: FittedWith<KernelPerceptron>, container: &mut Container) -> Result<KernelPerceptronModel> {
        let course = container.fitted()?;
        let function = KernelExpansion::restore(container)?;
        let intercept = container.take("intercept", &[function.coef().columns()])?;
        let support = container.take_list("support")?;
        let names = container.take_strings("class_names")?;
        let columns = if names.len() <= 2 { 1 } else { names.len() };
        if names.is_empty() || columns != function.coef().columns() {
            return Err(container.refuse(format!(
                "{} classes for {} functions",
                names.len(),
                function.coef().columns()
            )));
        }
        let classes = Labels::from_codes(vec![], names).map_err(|error| container.refuse(error.to_string()))?;
        Ok(KernelPerceptronModel { params, function, intercept, support, classes, course })
    }
}
