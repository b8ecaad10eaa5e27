//! Linear discriminant analysis.

use nalgebra::DMatrix;

use super::moments::{ClassMoments, of_classes, priors};
use super::shrinkage::Shrinkage;
use crate::data::Labels;
use crate::error::{Error, Result};
use crate::estimator::{Abilities, Declared, Estimator, Fit, PredictProba, Rows, Transform, parameters};
use crate::linalg::{Eigen, Svd};
use crate::linear::classifier::{FitOutcome, LinearClassifier, LinearClassifierModel, Link, Shown, planes_of};
use crate::linear::host_rows::HostRows;

parameters! {
    /// Linear discriminant analysis: classes as Gaussian clouds of one covariance, so that the boundaries are planes; and the
    /// projection on which the classes lie farthest apart, at most k − 1 columns. Names and defaults are scikit-learn's.
    ///
    /// ```
    /// use gristmill::linear::LinearDiscriminantAnalysis;
    /// use gristmill::prelude::*;
    /// let iris = datasets::iris()?;
    /// let model = LinearDiscriminantAnalysis::default().fit(&iris.x, iris.labels()?)?;
    /// assert_eq!(model.score(&iris.x, iris.labels()?)?, 0.98);
    /// assert_eq!(model.transform(&iris.x)?.columns(), 2);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - The covariance is that of the rows about their class means, over n as in scikit-learn 1.9; with `shrinkage` it is the mean
    ///   of the classes' own, each pulled towards a multiple of the identity.
    /// - Columns that do not vary within the classes, or depend on others, are left out of the covariance's inverse.
    /// - Sums are f64 for small tables, else f32 in blocks that are added in f64; rows on a GPU come to the host. Of
    ///   sparse rows a class at a time is made dense, up to 4096 columns.
    pub struct LinearDiscriminantAnalysis:
        classifier("linear-discriminant-analysis") -> LinearDiscriminantAnalysisModel;
    about "classes as Gaussian clouds of one shape, and the projection that parts them";
    {
        /// Shrinkage of the covariance: none, auto (Ledoit and Wolf), or a share from 0 to 1.
        shrinkage: Shrinkage = Shrinkage::None;
        /// Prior probabilities of the classes; none: their shares of the rows.
        priors: Option<Vec<f64>> = None;
        /// Columns of `transform`; none: as many as there are, at most k − 1.
        n_components: Option<usize> = None, at_least(1.0);
        /// Directions whose deviation is below this share of the largest are left out.
        tol: f64 = 1e-4, at_least(0.0);
    }
}

/// A model fitted by [`LinearDiscriminantAnalysis`].
pub type LinearDiscriminantAnalysisModel = LinearClassifierModel<LinearDiscriminantAnalysis>;

impl LinearClassifier for LinearDiscriminantAnalysis {
    const EXTRAS: &'static [(&'static str, Shown)] =
        &[("explained_variance_ratio", Shown::Row), ("center", Shown::Hidden), ("scalings", Shown::Hidden)];

    fn link(&self) -> Link {
        Link::Softmax
    }
}

impl PredictProba for LinearDiscriminantAnalysisModel {}

impl Transform for LinearDiscriminantAnalysisModel {}

impl LinearDiscriminantAnalysisModel {
    /// The share of the scatter between the classes that each column of `transform` has.
    pub fn explained_variance_ratio(&self) -> &[f64] {
        self.fit.extra("explained_variance_ratio").unwrap_or_default()
    }

    /// The directions of `transform`, d numbers each.
    pub(crate) fn directions(&self) -> &[f64] {
        self.fit.extra("scalings").unwrap_or_default()
    }
}

impl LinearDiscriminantAnalysis {
    /// The covariance that all classes share.
    fn covariance(&self, classes: &[ClassMoments], priors: &[f64]) -> DMatrix<f64> {
        let d = classes[0].mean.len();
        let total: f64 = classes.iter().map(|class| class.weight).sum();
        let mut sum = DMatrix::zeros(d, d);
        for (class, prior) in classes.iter().zip(priors) {
            match self.shrinkage {
                Shrinkage::None => sum += &class.scatter / total,
                shrinkage => sum += class.covariance(shrinkage) * *prior,
            }
        }
        sum
    }

    /// A d×r matrix W with Wᵀ·covariance·W = I, of the r directions that vary.
    fn whitening(&self, covariance: &DMatrix<f64>) -> Result<DMatrix<f64>> {
        let d = covariance.nrows();
        let unit: Vec<f64> =
            (0..d).map(|at| if covariance[(at, at)] > 0.0 { covariance[(at, at)].sqrt() } else { 1.0 }).collect();
        let correlation = DMatrix::from_fn(d, d, |i, j| covariance[(i, j)] / (unit[i] * unit[j]));
        let (values, vectors) = Eigen::factor(&correlation)?.into_parts();
        let least = self.tol * self.tol * values.iter().copied().fold(0.0, f64::max);
        let kept: Vec<usize> = (0..d).filter(|at| values[*at] > least.max(f64::MIN_POSITIVE)).collect();
        Ok(DMatrix::from_fn(d, kept.len(), |row, at| vectors[(row, kept[at])] / (unit[row] * values[kept[at]].sqrt())))
    }
}

impl Estimator for LinearDiscriminantAnalysis {
    fn abilities(&self) -> Abilities {
        Abilities { sparse: true, ..Abilities::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, y: &Labels, options: Fit<'_>) -> Result<LinearDiscriminantAnalysisModel> {
        let x = HostRows::new(Self::TYPE, x)?;
        let weights = options.weights(Self::TYPE, x.rows())?;
        let classes = of_classes(Self::TYPE, &x, y, weights, self.shrinkage == Shrinkage::Auto)?;
        let priors = priors(self.priors.as_deref(), &classes)?;
        let (d, k) = (x.columns(), classes.len());
        let most = (k - 1).min(d);
        if let Some(asked) = self.n_components.filter(|asked| *asked > most) {
            let rule = format!("at most {most}, the smaller of the columns and the classes less one");
            return Err(Error::param("n_components", rule, asked));
        }
        let white = self.whitening(&self.covariance(&classes, &priors))?;
        let mean: Vec<f64> =
            (0..d).map(|at| classes.iter().zip(&priors).map(|(class, prior)| prior * class.mean[at]).sum()).collect();
        // Class means in the white space, about the mean of all.
        let off = DMatrix::from_fn(k, d, |class, at| classes[class].mean[at] - mean[at]);
        let means = &off * &white;
        let coef = &means * white.transpose();
        let intercept: Vec<f64> = (0..k)
            .map(|class| {
                let at_mean: f64 = coef.row(class).iter().zip(&mean).map(|(coef, mean)| coef * mean).sum();
                priors[class].ln() - 0.5 * means.row(class).norm_squared() - at_mean
            })
            .collect();
        let mut fit = FitOutcome { iterations: 1, converged: true, extras: vec![] };
        if most > 0 && white.ncols() > 0 {
            let spread = DMatrix::from_fn(k, white.ncols(), |class, at| priors[class].sqrt() * means[(class, at)]);
            let svd = Svd::factor(&spread)?;
            let squares: Vec<f64> = svd.values().iter().map(|value| value * value).collect();
            let rank = squares.iter().filter(|square| **square > self.tol * self.tol * squares[0]).count();
            let kept = rank.min(self.n_components.unwrap_or(most)).min(most);
            let total: f64 = squares.iter().sum();
            let scalings = &white * svd.v().columns(0, kept);
            let shares = squares[..kept].iter().map(|square| if total > 0.0 { square / total } else { 0.0 }).collect();
            fit = fit
                .with("explained_variance_ratio", shares)
                .with("center", mean)
                .with("scalings", scalings.as_slice().to_vec());
        }
        let (coef, intercept) = match planes_of(k) == 1 && k == 2 {
            true => (coef.rows(1, 1) - coef.rows(0, 1), vec![intercept[1] - intercept[0]]),
            false => (coef, intercept),
        };
        LinearClassifierModel::new(self, coef.transpose().as_slice(), intercept, y, fit)
    }
}
