//! Naive Bayes with Gaussian columns.

use std::f64::consts::PI;

use rayon::prelude::*;

use super::scores::{
    JointScores, check_classes, known_codes, learns_from_chunks, log_priors, predicts_by_scores, take_classes,
};
use crate::array::Matrix;
use crate::data::Labels;
use crate::error::Result;
use crate::estimator::{Abilities, Declared, Estimator, Fit, FittedWith, Rows, Save, parameters};
use crate::model_file::Container;

parameters! {
    /// Naive Bayes: within a class the columns are independent Gaussians. Names and defaults are scikit-learn's.
    ///
    /// ```
    /// use gristmill::bayes::GaussianNaiveBayes;
    /// use gristmill::prelude::*;
    /// let iris = datasets::iris()?;
    /// let model = GaussianNaiveBayes::default().fit(&iris.x, iris.labels()?)?;
    /// assert_eq!(model.score(&iris.x, iris.labels()?)?, 0.96);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - Means and variances in f64, merged from chunk to chunk: chunks give the model of all rows.
    /// - `var_smoothing` times the largest variance of a column is added to all variances, so a constant column is no error; where all
    ///   columns are constant, that is 1e-300 and rows that differ have no density.
    /// - A class without rows is never predicted. Rows on a GPU come to the host.
    pub struct GaussianNaiveBayes: classifier("gaussian-naive-bayes") -> GaussianNaiveBayesModel;
    about "classes whose columns are independent Gaussians";
    {
        /// Prior probabilities of the classes; none: their shares of the rows.
        priors: Option<Vec<f64>> = None;
        /// This share of the largest variance of a column is added to all variances.
        var_smoothing: f64 = 1e-9, at_least(0.0);
    }
}

learns_from_chunks!(GaussianNaiveBayes -> GaussianNaiveBayesModel);

impl Estimator for GaussianNaiveBayes {
    fn abilities(&self) -> Abilities {
        Abilities { chunks: true, ..Abilities::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, y: &Labels, options: Fit<'_>) -> Result<GaussianNaiveBayesModel> {
        self.partial_fit_rows(None, x, y, options)
    }

    fn partial_fit_rows(
        &self,
        model: Option<GaussianNaiveBayesModel>,
        x: Rows<'_>,
        y: &Labels,
        options: Fit<'_>,
    ) -> Result<GaussianNaiveBayesModel> {
        let weights = options.weights(Self::TYPE, x.rows())?;
        let x = x.complete(Self::TYPE)?;
        let x = x.to_matrix(&mut x.device().stream())?;
        check_classes(Self::TYPE, x.rows(), y)?;
        let (labels, clouds) = match model {
            Some(model) => (model.labels, Some(model.clouds)),
            None => (y.with_codes(vec![])?, None),
        };
        let codes = known_codes(Self::TYPE, &labels, y)?;
        let of_class = |class: usize| AxisCloud::of(&x, &codes, weights, class as u32);
        let mut found: Vec<AxisCloud> = (0..labels.classes()).into_par_iter().map(of_class).collect();
        if let Some(before) = clouds {
            if before[0].mean.len() != x.columns() {
                let expected = format!("{} columns, as before", before[0].mean.len());
                return Err(crate::error::Error::shape(Self::TYPE, expected, x.columns()));
            }
            found = before.into_iter().zip(&found).map(|(before, new)| before.join(new)).collect();
        }
        GaussianNaiveBayesModel::new(self.clone().into(), labels, found)
    }
}

/// Rows of one class: how much they weigh, their means, and Σ w·(x − mean)² of each column.
#[derive(Debug, Clone, PartialEq)]
struct AxisCloud {
    weight: f64,
    mean: Vec<f64>,
    squares: Vec<f64>,
}

impl AxisCloud {
    fn of(x: &Matrix, codes: &[u32], weights: Option<&[f32]>, class: u32) -> AxisCloud {
        let d = x.columns();
        let weight = |row: usize| weights.map_or(1.0, |weights| f64::from(weights[row]));
        let rows: Vec<usize> = (0..x.rows()).filter(|row| codes[*row] == class && weight(*row) > 0.0).collect();
        let total: f64 = rows.iter().map(|row| weight(*row)).sum();
        let (mut mean, mut squares) = (vec![0.0; d], vec![0.0; d]);
        for &row in &rows {
            mean.iter_mut().zip(x.row(row)).for_each(|(sum, value)| *sum += weight(row) * f64::from(*value));
        }
        mean.iter_mut().for_each(|sum| *sum /= total.max(f64::MIN_POSITIVE));
        for &row in &rows {
            let both = mean.iter().zip(x.row(row));
            let apart = |(mean, value): (&f64, &f32)| weight(row) * (f64::from(*value) - mean).powi(2);
            squares.iter_mut().zip(both).for_each(|(sum, both)| *sum += apart(both));
        }
        AxisCloud { weight: total, mean, squares }
    }

    /// Of these rows and others together (Chan, Golub and LeVeque 1979).
    fn join(mut self, other: &AxisCloud) -> AxisCloud {
        let weight = self.weight + other.weight;
        if other.weight <= 0.0 {
            return self;
        }
        for (at, mean) in self.mean.iter_mut().enumerate() {
            let apart = other.mean[at] - *mean;
            self.squares[at] += other.squares[at] + apart * apart * self.weight * other.weight / weight;
            *mean += apart * other.weight / weight;
        }
        AxisCloud { weight, ..self }
    }
}

/// A model fitted by [`GaussianNaiveBayes`].
#[derive(Debug, Clone, PartialEq)]
pub struct GaussianNaiveBayesModel {
    params: FittedWith<GaussianNaiveBayes>,
    labels: Labels,
    clouds: Vec<AxisCloud>,
    log_priors: Vec<f64>,
    /// What is added to all variances.
    smoothing: f64,
}

impl GaussianNaiveBayesModel {
    fn new(params: FittedWith<GaussianNaiveBayes>, labels: Labels, clouds: Vec<AxisCloud>) -> Result<Self> {
        let weights: Vec<f64> = clouds.iter().map(|cloud| cloud.weight).collect();
        let log_priors = log_priors(params.priors.as_deref(), true, &weights)?;
        let empty =
            AxisCloud { weight: 0.0, mean: vec![0.0; clouds[0].mean.len()], squares: vec![0.0; clouds[0].mean.len()] };
        let all = clouds.iter().fold(empty, |all, cloud| all.join(cloud));
        let largest = all.squares.iter().copied().fold(0.0, f64::max) / all.weight.max(f64::MIN_POSITIVE);
        let smoothing = (params.var_smoothing * largest).max(1e-300);
        Ok(GaussianNaiveBayesModel { params, labels, clouds, log_priors, smoothing })
    }

    /// The means of a class, d numbers.
    pub fn means(&self, class: usize) -> &[f64] {
        &self.clouds[class].mean
    }

    /// The variances of a class, d numbers, with what was added to them.
    pub fn variances(&self, class: usize) -> Vec<f64> {
        let cloud = &self.clouds[class];
        let weight = cloud.weight.max(f64::MIN_POSITIVE);
        cloud.squares.iter().map(|squares| squares / weight + self.smoothing).collect()
    }
}

impl JointScores for GaussianNaiveBayesModel {
    fn joint(&self, x: Rows<'_>) -> Result<Vec<f64>> {
        let (k, d) = (self.clouds.len(), self.clouds[0].mean.len());
        let x = x.queries(GaussianNaiveBayes::TYPE, d)?;
        let x = x.to_matrix(&mut x.device().stream())?;
        let variances: Vec<Vec<f64>> = (0..k).map(|class| self.variances(class)).collect();
        let height = |class: usize| {
            self.log_priors[class]
                - 0.5 * variances[class].iter().map(|variance| (2.0 * PI * variance).ln()).sum::<f64>()
        };
        let heights: Vec<f64> = (0..k).map(height).collect();
        let mut scores = vec![0.0; x.rows() * k];
        scores.par_chunks_mut(k).enumerate().for_each(|(row, scores)| {
            for (class, score) in scores.iter_mut().enumerate() {
                let both = self.clouds[class].mean.iter().zip(&variances[class]);
                let square =
                    |((mean, variance), value): ((&f64, &f64), &f32)| (f64::from(*value) - mean).powi(2) / variance;
                let sum: f64 = both.zip(x.row(row)).map(square).sum();
                *score = (heights[class] - 0.5 * sum).max(super::scores::NEVER);
            }
        });
        Ok(scores)
    }

    fn labels(&self) -> &Labels {
        &self.labels
    }
}

predicts_by_scores!(GaussianNaiveBayesModel);

impl Save for GaussianNaiveBayesModel {
    type Estimator = GaussianNaiveBayes;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        let (k, d) = (self.clouds.len(), self.clouds[0].mean.len());
        let all = |of: fn(&AxisCloud) -> &[f64]| {
            self.clouds.iter().flat_map(|cloud| of(cloud).to_vec()).collect::<Vec<f64>>()
        };
        container.insert_strings("class_names", self.labels.names())?;
        container.insert_list("class_weights", &self.clouds.iter().map(|cloud| cloud.weight).collect::<Vec<f64>>())?;
        container.insert("means", &[k, d], all(|cloud| &cloud.mean))?;
        container.insert("squares", &[k, d], all(|cloud| &cloud.squares))
    }

    fn load_fitted(params: FittedWith<GaussianNaiveBayes>, container: &mut Container) -> Result<Self> {
        let (labels, weights) = take_classes(container)?;
        let [k, d] = container.shape("means")?;
        if k != labels.classes() || d == 0 {
            return Err(container.refuse(format!("{k}×{d} means for {} classes", labels.classes())));
        }
        let means: Vec<f64> = container.take("means", &[k, d])?;
        let squares: Vec<f64> = container.take("squares", &[k, d])?;
        if squares.iter().any(|square| *square < 0.0) {
            return Err(container.refuse("a negative sum of squares"));
        }
        let cloud = |class: usize| AxisCloud {
            weight: weights[class],
            mean: means[class * d..][..d].to_vec(),
            squares: squares[class * d..][..d].to_vec(),
        };
        let clouds = (0..k).map(cloud).collect();
        Self::new(params, labels, clouds).map_err(|error| container.refuse(error.to_string()))
    }
}
