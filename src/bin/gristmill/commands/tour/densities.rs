//! Densities, Bayes' rule, and learnt metrics.

use gristmill::bayes::{BayesClassifier, GaussianNaiveBayes};
use gristmill::metric_learning::Lmnn;
use gristmill::mixture::{GaussianDensity, GaussianMixture, KernelDensity, NeighborDensity};
use gristmill::prelude::*;
use gristmill::selection::cluster_curve;

use super::page::Page;

pub fn show(page: &mut Page) -> Result<()> {
    page.section("Densities: how many Gaussians, and how many clusters, on iris without its species");
    let iris = datasets::iris()?;
    let mut rows = vec![];
    let ks = [1, 2, 3, 4, 5];
    let curve = cluster_curve(&Pipeline::new(KMeans::default()), &iris, &ks)?;
    for (at, k) in ks.into_iter().enumerate() {
        let model = GaussianMixture::new(k).n_init(3).fit(&iris.x)?;
        let silhouette = curve.silhouette[at].map_or_else(|| "–".to_string(), |value| format!("{value:.3}"));
        rows.push(vec![
            k.to_string(),
            format!("{:.1}", model.bic(&iris.x)?),
            format!("{:.1}", curve.inertia[at]),
            silhouette,
        ]);
    }
    page.table(&["k", "BIC of a mixture", "inertia of k-means", "its silhouette"], rows);

    page.section("Bayes' rule with a density for each class: wine, 30 % for testing");
    let (train, test) = datasets::wine()?.split(0.7, 1)?;
    let scaler = StandardScaler::default().fit(&train.x)?;
    let (x, new) = (scaler.transform(&train.x)?, scaler.transform(&test.x)?);
    let (y, truth) = (train.labels()?, test.labels()?);
    let named = [
        ("a Gaussian", AnyEstimator::new(GaussianDensity::default())),
        ("two Gaussians", AnyEstimator::new(GaussianMixture::new(2).reg_covar(0.1))),
        ("a kernel", AnyEstimator::new(KernelDensity::default())),
        ("five neighbours", AnyEstimator::new(NeighborDensity::new(5))),
    ];
    let right = |share: f64| format!("{:.1} % right", 100.0 * share);
    for (name, density) in named {
        page.fact(name, right(BayesClassifier::default().density(density).fit(&x, y)?.score(&new, truth)?));
    }
    page.fact("independent columns", right(GaussianNaiveBayes::default().fit(&x, y)?.score(&new, truth)?));
    let metric = Lmnn::default().fit(&x, &train.target)?;
    let neighbors = |x: &Matrix, new: &Matrix| KNeighborsClassifier::new(3).fit(x, y)?.score(new, truth);
    let (before, after) = (neighbors(&x, &new)?, neighbors(&metric.transform(&x)?, &metric.transform(&new)?)?);
    page.fact("three neighbours", format!("{}; by a learnt metric {}", right(before), right(after)));
    Ok(())
}
