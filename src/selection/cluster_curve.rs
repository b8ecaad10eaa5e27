//! How many clusters: their cost and their silhouette over k.

use crate::array::Matrix;
use crate::cpu::random::HostRng;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::estimator::{Fit, Prediction};
use crate::metrics::silhouette_score;
use crate::pipeline::Pipeline;
use crate::plot::Figure;

/// Rows at most that the silhouette is of: it compares all with all.
const MOST_ROWS: usize = 10_000;
/// The stream of random numbers that chooses them.
const STREAM: u32 = 0x636c_0000;

/// What a clustering costs and how well it separates rows, for several numbers of clusters.
#[derive(Debug, Clone, PartialEq)]
pub struct ClusterCurve {
    /// The numbers of clusters.
    pub clusters: Vec<usize>,
    /// Σ of the squared distances to the centres.
    pub inertia: Vec<f64>,
    /// The mean silhouette, from −1 to 1; none where there are not two clusters.
    pub silhouette: Vec<Option<f64>>,
}

/// Fits a clustering that has `n_clusters` and centres for each of these numbers of clusters. The silhouette is of the rows as the steps of the
/// pipeline made them, of 10,000 random ones where there are more.
///
/// ```
/// use gristmill::prelude::*;
/// use gristmill::selection::cluster_curve;
/// let iris = datasets::iris()?;
/// let curve = cluster_curve(&Pipeline::new(KMeans::default()), &iris, &[2, 3, 4])?;
/// assert!(curve.inertia[0] > curve.inertia[1] && (curve.inertia[1] - 78.8514414).abs() < 1e-3);
/// assert_eq!(curve.best_silhouette(), Some(2));
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn cluster_curve(pipeline: &Pipeline, data: &Dataset, clusters: &[usize]) -> Result<ClusterCurve> {
    if clusters.is_empty() {
        return Err(Error::param("clusters", "one number of clusters at least", "none"));
    }
    let prepared = pipeline.prepare(data)?;
    let rows = prepared.x();
    let chosen: Option<Vec<usize>> =
        (rows.rows() > MOST_ROWS).then(|| HostRng::new(0, STREAM).distinct(MOST_ROWS, rows.rows()));
    let sample: Option<Matrix> = chosen.as_ref().map(|chosen| rows.select(chosen)).transpose()?;
    let mut curve = ClusterCurve { clusters: clusters.to_vec(), inertia: vec![], silhouette: vec![] };
    for k in clusters {
        let estimator = pipeline.estimator().set("n_clusters", (*k).into())?;
        let model = estimator.fit(rows, &crate::data::Target::None, Fit::default())?;
        let inertia = model.inertia(rows)?;
        let unable = || Error::param("model", "a clustering with centres, such as kmeans", estimator.name());
        curve.inertia.push(inertia.ok_or_else(unable)?);
        let Prediction::Clusters(labels) = model.predict(rows)? else { return Err(unable()) };
        let labels = match &chosen {
            Some(chosen) => chosen.iter().map(|row| labels[*row]).collect(),
            None => labels,
        };
        let mut found = labels.clone();
        found.sort_unstable();
        found.dedup();
        curve.silhouette.push(match found.len() >= 2 && found.len() < labels.len() {
            true => Some(silhouette_score(sample.as_ref().unwrap_or(rows), &labels)?),
            false => None,
        });
    }
    Ok(curve)
}

impl ClusterCurve {
    /// The number of clusters of the largest silhouette; the first of equal ones.
    pub fn best_silhouette(&self) -> Option<usize> {
        let pairs = self.clusters.iter().zip(&self.silhouette).filter_map(|(k, value)| value.map(|value| (*k, value)));
        let best = pairs.fold(None, |best: Option<(usize, f64)>, (k, value)| match best {
            Some((_, known)) if known >= value => best,
            _ => Some((k, value)),
        });
        best.map(|(k, _)| k)
    }

    /// The elbow: the number of clusters whose cost lies farthest below the line from the first to the last.
    pub fn elbow(&self) -> Option<usize> {
        let (first, last) = (*self.clusters.first()? as f64, *self.clusters.last()? as f64);
        let (high, low) = (*self.inertia.first()?, *self.inertia.last()?);
        if self.clusters.len() < 3 || last <= first || high <= low {
            return None;
        }
        let below = |at: usize| {
            let share = (self.clusters[at] as f64 - first) / (last - first);
            (1.0 - share) - (self.inertia[at] - low) / (high - low)
        };
        let best = (1..self.clusters.len()).fold(0, |best, at| if below(at) > below(best) { at } else { best });
        Some(self.clusters[best])
    }

    /// The pictures of it: the cost with its elbow, and the silhouette with its maximum.
    pub fn figures(&self) -> Vec<Figure> {
        let points = |values: Vec<f64>| self.clusters.iter().map(|k| *k as f64).zip(values).collect::<Vec<_>>();
        let at = |points: &[(f64, f64)], k: Option<usize>| -> Vec<(f64, f64)> {
            points.iter().copied().filter(|(x, _)| Some(*x as usize) == k).collect()
        };
        let cost = points(self.inertia.clone());
        let known = self.clusters.iter().zip(&self.silhouette);
        let silhouette: Vec<(f64, f64)> =
            known.filter_map(|(k, value)| value.map(|value| (*k as f64, value))).collect();
        let elbow = at(&cost, self.elbow());
        let best = at(&silhouette, self.best_silhouette());
        let figure = |title: &str, y: &str| Figure::new().title(title).x_label("clusters").y_label(y);
        vec![
            figure("Cost of k-means", "inertia").line("", cost).centers("elbow", elbow),
            figure("Silhouette", "mean silhouette").line("", silhouette).centers("largest", best),
        ]
    }
}
