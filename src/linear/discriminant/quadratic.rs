//! Quadratic discriminant analysis.

use nalgebra::DMatrix;

use super::moments::{of_classes, priors};
use super::shrinkage::Shrinkage;
use crate::array::Matrix;
use crate::cpu::linear::margin_gradient::exact::softmax;
use crate::data::Labels;
use crate::error::{Error, Result};
use crate::estimator::{
    Abilities, Decision, Declared, Estimator, Fit, FittedWith, Model, Observer, Predict, PredictProba, Prediction,
    Rows, Save, parameters,
};
use crate::linalg::Eigen;
use crate::linear::host_rows::HostRows;
use crate::model_file::Container;

/// Sparse rows that are made dense together.
const BLOCK: usize = 4096;

parameters! {
    /// Quadratic discriminant analysis: classes as Gaussian clouds, each with a covariance of its own. Names and defaults are
    /// scikit-learn's.
    ///
    /// ```
    /// use gristmill::linear::QuadraticDiscriminantAnalysis;
    /// use gristmill::prelude::*;
    /// let iris = datasets::iris()?;
    /// let model = QuadraticDiscriminantAnalysis::default().fit(&iris.x, iris.labels()?)?;
    /// assert_eq!(model.score(&iris.x, iris.labels()?)?, 0.98);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - A class whose rows lie in a plane (fewer rows than columns, or dependent ones) has no density: that is an error, whose
    ///   remedy is `shrinkage`, or a `reg_param` above 0.
    /// - The covariance of a class is over its rows, as in scikit-learn 1.9. Rows on a GPU come to the host.
    /// - Of sparse rows a class at a time is made dense, up to 4096 columns.
    pub struct QuadraticDiscriminantAnalysis:
        classifier("quadratic-discriminant-analysis") -> QuadraticDiscriminantAnalysisModel;
    about "classes as Gaussian clouds of their own shapes";
    {
        /// Shrinkage of each covariance: none, auto (Ledoit and Wolf), or a share from 0 to 1 of the mean variance.
        shrinkage: Shrinkage = Shrinkage::None;
        /// After that, shrinkage of each covariance S towards the identity: (1 − reg_param)·S + reg_param·I.
        reg_param: f64 = 0.0, from_to(0.0, 1.0);
        /// Prior probabilities of the classes; none: their shares of the rows.
        priors: Option<Vec<f64>> = None;
        /// A covariance whose smallest eigenvalue is not above this is an error.
        tol: f64 = 1e-4, at_least(0.0);
    }
}

/// A model fitted by [`QuadraticDiscriminantAnalysis`].
#[derive(Debug, Clone, PartialEq)]
pub struct QuadraticDiscriminantAnalysisModel {
    params: FittedWith<QuadraticDiscriminantAnalysis>,
    classes: Labels,
    priors: Vec<f64>,
    clouds: Vec<Cloud>,
}

/// A class: its mean, a whitening d×d (rows are directions over their deviations), ln |covariance|.
#[derive(Debug, Clone, PartialEq)]
struct Cloud {
    mean: Vec<f64>,
    white: DMatrix<f64>,
    log_determinant: f64,
}

impl Estimator for QuadraticDiscriminantAnalysis {
    fn abilities(&self) -> Abilities {
        Abilities { sparse: true, ..Abilities::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, y: &Labels, options: Fit<'_>) -> Result<QuadraticDiscriminantAnalysisModel> {
        let x = HostRows::new(Self::TYPE, x)?;
        let weights = options.weights(Self::TYPE, x.rows())?;
        let classes = of_classes(Self::TYPE, &x, y, weights, self.shrinkage == Shrinkage::Auto)?;
        let priors = priors(self.priors.as_deref(), &classes)?;
        let d = x.columns();
        let mut clouds = vec![];
        for (at, class) in classes.into_iter().enumerate() {
            let (values, vectors) = Eigen::factor(&class.covariance(self.shrinkage))?.into_parts();
            let values: Vec<f64> =
                values.iter().map(|value| (1.0 - self.reg_param) * value.max(0.0) + self.reg_param).collect();
            let (least, most) = values.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), v| (a.min(*v), b.max(*v)));
            if least <= self.tol * 1e-4 * most.min(1.0) || least <= 0.0 {
                let name = &y.names()[at];
                let what = format!("the covariance of {name} is singular: set shrinkage to auto or reg_param above 0");
                return Err(Error::Singular { what, condition: most / least.max(0.0) });
            }
            let white = DMatrix::from_fn(d, d, |row, column| vectors[(column, row)] / values[row].sqrt());
            let log_determinant = values.iter().map(|value| value.ln()).sum();
            clouds.push(Cloud { mean: class.mean, white, log_determinant });
        }
        Ok(QuadraticDiscriminantAnalysisModel {
            params: self.clone().into(),
            classes: y.with_codes(vec![])?,
            priors,
            clouds,
        })
    }
}

impl QuadraticDiscriminantAnalysisModel {
    /// The mean of each class, k×d.
    pub fn means(&self) -> Vec<&[f64]> {
        self.clouds.iter().map(|cloud| &cloud.mean[..]).collect()
    }

    /// The logarithm of prior times density, up to a constant, n×k, row by row.
    fn scores(&self, x: Rows<'_>) -> Result<Vec<f64>> {
        let d = self.clouds[0].mean.len();
        if let Rows::Sparse(x) = x {
            if x.columns() != d {
                let got = format!("{} columns", x.columns());
                return Err(Error::shape(QuadraticDiscriminantAnalysis::TYPE, format!("{d} columns"), got));
            }
            let part = |first: usize| -> Result<Vec<f64>> {
                let rows: Vec<usize> = (first..x.rows().min(first + BLOCK)).collect();
                Ok(self.dense_scores(&x.select(&rows)?.to_dense()?))
            };
            let parts = (0..x.rows()).step_by(BLOCK).map(part).collect::<Result<Vec<_>>>()?;
            return Ok(parts.concat());
        }
        let x = x.queries(QuadraticDiscriminantAnalysis::TYPE, d)?;
        Ok(self.dense_scores(&x.to_matrix(&mut x.device().stream())?))
    }

    fn dense_scores(&self, x: &Matrix) -> Vec<f64> {
        let d = self.clouds[0].mean.len();
        let k = self.clouds.len();
        let mut scores = vec![0.0; x.rows() * k];
        for (class, cloud) in self.clouds.iter().enumerate() {
            let off = DMatrix::from_fn(d, x.rows(), |column, row| f64::from(x.get(row, column)) - cloud.mean[column]);
            let white = &cloud.white * off;
            for (row, values) in white.column_iter().enumerate() {
                scores[row * k + class] =
                    self.priors[class].ln() - 0.5 * (values.norm_squared() + cloud.log_determinant);
            }
        }
        scores
    }

    fn probabilities(&self, mut scores: Vec<f64>) -> Result<Matrix> {
        let k = self.clouds.len();
        for row in scores.chunks_exact_mut(k) {
            match k {
                1 => row[0] = 1.0,
                _ => {
                    softmax(row, 0);
                }
            }
        }
        Matrix::from_f64(scores.len() / k, k, &scores)
    }

    fn winners(&self, scores: &[f64]) -> Result<Labels> {
        let k = self.clouds.len();
        let winner = |row: &[f64]| (0..k).fold(0, |best, class| if row[class] > row[best] { class } else { best });
        self.classes.with_codes(scores.chunks_exact(k).map(|row| winner(row) as u32).collect())
    }
}

impl Predict for QuadraticDiscriminantAnalysisModel {
    type Output = Labels;
}

impl PredictProba for QuadraticDiscriminantAnalysisModel {}

impl Decision for QuadraticDiscriminantAnalysisModel {}

impl Model for QuadraticDiscriminantAnalysisModel {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(self.winners(&self.scores(x)?)?.into())
    }

    fn predict_proba_rows(&self, x: Rows<'_>) -> Result<Option<Matrix>> {
        self.probabilities(self.scores(x)?).map(Some)
    }

    fn predict_both_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<(Prediction, Option<Matrix>)> {
        let scores = self.scores(x)?;
        Ok((self.winners(&scores)?.into(), Some(self.probabilities(scores)?)))
    }

    fn decision_rows(&self, x: Rows<'_>) -> Result<Option<Matrix>> {
        let (scores, k) = (self.scores(x)?, self.clouds.len());
        // Of two classes the difference.
        let scores = if k == 2 { scores.chunks_exact(2).map(|row| row[1] - row[0]).collect() } else { scores };
        let columns = if k == 2 { 1 } else { k };
        Matrix::from_f64(scores.len() / columns, columns, &scores).map(Some)
    }

    fn classes(&self) -> &[String] {
        self.classes.names()
    }
}

impl Save for QuadraticDiscriminantAnalysisModel {
    type Estimator = QuadraticDiscriminantAnalysis;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        let (k, d) = (self.clouds.len(), self.clouds[0].mean.len());
        container.insert_strings("class_names", self.classes.names())?;
        container.insert("priors", &[k], self.priors.clone())?;
        let of = |values: &dyn Fn(&Cloud) -> Vec<f64>| self.clouds.iter().flat_map(values).collect::<Vec<f64>>();
        container.insert("means", &[k, d], of(&|cloud| cloud.mean.clone()))?;
        container.insert("white", &[k, d, d], of(&|cloud| cloud.white.as_slice().to_vec()))?;
        container.insert("log_determinants", &[k], of(&|cloud| vec![cloud.log_determinant]))
    }

    fn load_fitted(params: FittedWith<QuadraticDiscriminantAnalysis>, container: &mut Container) -> Result<Self> {
        let names = container.take_strings("class_names")?;
        let [k, d] = container.shape("means")?;
        if k == 0 || d == 0 || k != names.len() {
            return Err(container.refuse(format!("{k}×{d} means for {} classes", names.len())));
        }
        let priors: Vec<f64> = container.take("priors", &[k])?;
        let means: Vec<f64> = container.take("means", &[k, d])?;
        let white: Vec<f64> = container.take("white", &[k, d, d])?;
        let determinants: Vec<f64> = container.take("log_determinants", &[k])?;
        if !priors.iter().all(|prior| *prior > 0.0) {
            return Err(container.refuse("a prior probability that is not above 0"));
        }
        let cloud = |at: usize| Cloud {
            mean: means[at * d..][..d].to_vec(),
            white: DMatrix::from_column_slice(d, d, &white[at * d * d..][..d * d]),
            log_determinant: determinants[at],
        };
        let classes = Labels::from_codes(vec![], names).map_err(|error| container.refuse(error.to_string()))?;
        Ok(QuadraticDiscriminantAnalysisModel { params, classes, priors, clouds: (0..k).map(cloud).collect() })
    }
}
