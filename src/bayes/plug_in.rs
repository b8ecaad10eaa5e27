//! Bayes' rule with any density in the place of the true one.

use nalgebra::DMatrix;

use super::scores::{JointScores, NEVER, check_classes, log_priors, predicts_by_scores};
use crate::array::Matrix;
use crate::cost::Cost;
use crate::data::{Labels, Target};
use crate::error::{Error, Result};
use crate::estimator::{
    AnyEstimator, AnyModel, Declared, Estimator, Fit, FitShape, FittedWith, OwnedRows, Rows, Save, Task, parameters,
};
use crate::mixture::GaussianDensity;
use crate::model_file::Container;

parameters! {
    /// The plug-in classifier: the class of the largest prior probability times density, with a density fitted to the rows of
    /// each class.
    ///
    /// ```
    /// use gristmill::bayes::BayesClassifier;
    /// use gristmill::mixture::{GaussianMixture, KernelDensity};
    /// use gristmill::prelude::*;
    /// let iris = datasets::iris()?;
    /// let own = BayesClassifier::default().fit(&iris.x, iris.labels()?)?; // a Gaussian a class
    /// assert_eq!(own.score(&iris.x, iris.labels()?)?, 0.98);
    /// let mixture = AnyEstimator::new(GaussianMixture::new(2));
    /// let kernel = AnyEstimator::new(KernelDensity::default().bandwidth(0.4));
    /// for density in [mixture, kernel] {
    ///     assert!(BayesClassifier::default().density(density).fit(&iris.x, iris.labels()?)?.score(&iris.x, iris.labels()?)? > 0.95);
    /// }
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - With a Gaussian of full covariance it is quadratic discriminant analysis; with `shared` linear; with diagonal
    ///   ones naive Bayes. On two Gaussians of equal covariance and priors the error comes near Φ(−Δ/2), Δ their distance in units of it.
    /// - A class without rows is never predicted. A row where every density is 0 goes to the first class of equal scores.
    /// - The densities are fitted where the rows live; with `shared` the rows are centred on the host.
    pub struct BayesClassifier: classifier("bayes-classifier") -> BayesClassifierModel;
    about "the largest prior times density, with any density for each class";
    {
        /// The density of a class: gaussian-density, gaussian-mixture, kernel-density or neighbor-density.
        density: AnyEstimator = AnyEstimator::new(GaussianDensity::default());
        /// Whether the classes differ in their means alone: one density for the rows of all classes less the mean of their class.
        shared: bool = false;
        /// Prior probabilities of the classes; none: their shares of the rows.
        priors: Option<Vec<f64>> = None;
    }
}

impl Estimator for BayesClassifier {
    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        self.density.cost(shape)
    }

    fn fit_rows(&self, x: Rows<'_>, y: &Labels, options: Fit<'_>) -> Result<BayesClassifierModel> {
        if self.density.task() != Task::Density {
            return Err(Error::param("density", "a density, such as gaussian-mixture", self.density.name()));
        }
        let weights = options.weights(Self::TYPE, x.rows())?;
        let device = x.device();
        let x = x.complete(Self::TYPE)?;
        let x = x.to_matrix(&mut x.device().stream())?;
        check_classes(Self::TYPE, x.rows(), y)?;
        let weight = |row: usize| weights.map_or(1.0, |weights| f64::from(weights[row]));
        let rows_of = |class: usize| -> Vec<usize> {
            (0..x.rows()).filter(|row| y.codes()[*row] as usize == class && weight(*row) > 0.0).collect()
        };
        let k = y.classes();
        let classes: Vec<Vec<usize>> = (0..k).map(rows_of).collect();
        let class_weights: Vec<f64> =
            classes.iter().map(|rows| rows.iter().map(|row| weight(*row)).sum::<f64>()).collect();
        let log_priors = log_priors(self.priors.as_deref(), true, &class_weights)?;
        let fit = |x: &Matrix, weights: Option<&[f32]>, name: &str| {
            let options = weights.map_or_else(Fit::default, |weights| Fit::default().sample_weight(weights));
            let fitted = self.density.fit_inside(&x.to(&device)?, &Target::None, options);
            fitted.map_err(|error| error.inside(format!("density of {name}")))
        };
        let (mut densities, mut means) = (vec![], None);
        if self.shared {
            let mut centers = DMatrix::zeros(k, x.columns());
            for (class, rows) in classes.iter().enumerate().filter(|(_, rows)| !rows.is_empty()) {
                for (column, center) in centers.row_mut(class).iter_mut().enumerate() {
                    let sum: f64 = rows.iter().map(|row| weight(*row) * f64::from(x.get(*row, column))).sum();
                    *center = sum / class_weights[class];
                }
            }
            let kept: Vec<usize> = (0..x.rows()).filter(|row| weight(*row) > 0.0).collect();
            let center = |row: &usize| y.codes()[*row] as usize;
            let values = kept.iter().flat_map(|row| less(x.row(*row), &centers, center(row)));
            let centred = Matrix::from_vec(kept.len(), x.columns(), values.collect())?;
            let own: Option<Vec<f32>> = weights.map(|weights| kept.iter().map(|row| weights[*row]).collect());
            densities.push(Some(fit(&centred, own.as_deref(), "all classes")?));
            means = Some(centers);
        } else {
            for (class, rows) in classes.iter().enumerate() {
                let own: Option<Vec<f32>> = weights.map(|weights| rows.iter().map(|row| weights[*row]).collect());
                densities.push(match rows.is_empty() {
                    true => None,
                    false => Some(fit(&x.select(rows)?, own.as_deref(), &y.names()[class])?),
                });
            }
        }
        let (params, labels, columns) = (self.clone().into(), y.with_codes(vec![])?, x.columns());
        Ok(BayesClassifierModel { params, labels, columns, log_priors, class_weights, densities, means })
    }
}

/// A row less the mean of a class.
fn less(row: &[f32], means: &DMatrix<f64>, class: usize) -> Vec<f32> {
    row.iter().enumerate().map(|(column, value)| (f64::from(*value) - means[(class, column)]) as f32).collect()
}

/// A model fitted by [`BayesClassifier`].
#[derive(Debug)]
pub struct BayesClassifierModel {
    params: FittedWith<BayesClassifier>,
    labels: Labels,
    columns: usize,
    log_priors: Vec<f64>,
    class_weights: Vec<f64>,
    /// One a class, none of a class without rows; or one for all.
    densities: Vec<Option<AnyModel>>,
    /// The means of the classes, k×d, if they share a density.
    means: Option<DMatrix<f64>>,
}

impl BayesClassifierModel {
    /// ln of the prior probability of each class.
    pub fn log_priors(&self) -> &[f64] {
        &self.log_priors
    }

    /// The density of a class; the same for all if they share one. None for a class without rows.
    pub fn density(&self, class: usize) -> Option<&AnyModel> {
        self.densities.get(class.min(self.densities.len().saturating_sub(1)))?.as_ref()
    }
}

impl JointScores for BayesClassifierModel {
    fn joint(&self, x: Rows<'_>) -> Result<Vec<f64>> {
        let k = self.labels.classes();
        let on = x.queries(BayesClassifier::TYPE, self.columns)?;
        let host = match &self.means {
            Some(_) => Some(on.to_matrix(&mut on.device().stream())?),
            None => None,
        };
        let mut scores = vec![NEVER; on.rows() * k];
        for class in 0..k {
            let Some(density) = self.density(class) else { continue };
            if self.log_priors[class] <= NEVER {
                continue;
            }
            let logs = match (&self.means, &host) {
                (Some(means), Some(host)) => {
                    let values = (0..host.rows()).flat_map(|row| less(host.row(row), means, class)).collect();
                    let moved = Matrix::from_vec(host.rows(), self.columns, values)?;
                    density.score_samples(OwnedRows::beside(x, moved)?.rows())?
                }
                _ => density.score_samples(&*on)?,
            };
            let logs = logs.ok_or_else(|| Error::param("density", "a density", self.params.density.name()))?;
            for (row, log) in logs.into_iter().enumerate() {
                scores[row * k + class] = (self.log_priors[class] + log).max(NEVER);
            }
        }
        Ok(scores)
    }

    fn labels(&self) -> &Labels {
        &self.labels
    }
}

predicts_by_scores!(BayesClassifierModel);

impl Save for BayesClassifierModel {
    type Estimator = BayesClassifier;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.insert_strings("class_names", self.labels.names())?;
        container.insert_list("class_weights", &self.class_weights)?;
        container.set_fitted(&self.columns)?;
        if let Some(means) = &self.means {
            container.insert("means", &[means.nrows(), means.ncols()], means.transpose().as_slice().to_vec())?;
        }
        for (class, density) in self.densities.iter().enumerate() {
            if let Some(density) = density {
                container.insert_container(&format!("density.{class}"), density.container()?)?;
            }
        }
        Ok(())
    }

    fn load_fitted(params: FittedWith<BayesClassifier>, container: &mut Container) -> Result<Self> {
        let (labels, class_weights) = super::scores::take_classes(container)?;
        let columns: usize = container.fitted()?;
        let k = labels.classes();
        let log_priors = log_priors(params.priors.as_deref(), true, &class_weights)
            .map_err(|error| container.refuse(error.to_string()))?;
        let means = match params.shared {
            true => Some(DMatrix::from_row_slice(k, columns, &container.take::<f64>("means", &[k, columns])?)),
            false => None,
        };
        let mut densities = vec![];
        let count = if params.shared { 1 } else { k };
        for (class, weight) in class_weights.iter().enumerate().take(count) {
            densities.push(match params.shared || *weight > 0.0 {
                true => Some(AnyModel::from_container(container.take_container(&format!("density.{class}"))?)?),
                false => None,
            });
        }
        Ok(BayesClassifierModel { params, labels, columns, log_priors, class_weights, densities, means })
    }
}
