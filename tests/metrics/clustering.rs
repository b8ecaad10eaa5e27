//! Scores of clusters.

use gristmill::{Matrix, metrics};

use super::fixtures::*;
use super::{all_near, is_not_finite, is_param, is_shape, near};

fn rows() -> Matrix {
    Matrix::from_slice(19, 3, &CLUSTER_ROWS).expect("19×3")
}

#[test]
fn scores_equal_scikit_learn() -> gristmill::Result<()> {
    near(metrics::silhouette_score(&rows(), &CLUSTERS)?, SILHOUETTE);
    all_near(&metrics::silhouette_samples(&rows(), &CLUSTERS)?, &SILHOUETTES);
    near(metrics::davies_bouldin_score(&rows(), &CLUSTERS)?, DAVIES_BOULDIN);
    near(metrics::calinski_harabasz_score(&rows(), &CLUSTERS)?, CALINSKI_HARABASZ);
    near(metrics::adjusted_rand_score(&CLUSTERS, &OTHER_CLUSTERS)?, ADJUSTED_RAND);
    near(metrics::normalized_mutual_info_score(&CLUSTERS, &OTHER_CLUSTERS)?, MUTUAL_INFORMATION);
    Ok(())
}

/// Rows on a curve, by the definition, in f64.
#[test]
fn silhouettes_over_several_blocks_follow_the_definition() -> gristmill::Result<()> {
    let n = 4500;
    let values: Vec<f32> = (0..2 * n).map(|at| ((at * at) as f32 * 0.37).sin() + (at % 14 / 2) as f32).collect();
    let labels: Vec<u32> = (0..n as u32).map(|row| row % 7).collect();
    let samples = metrics::silhouette_samples(&Matrix::from_slice(n, 2, &values)?, &labels)?;
    for row in (0..n).step_by(499) {
        let distance = |other: usize| {
            let difference = |column: usize| (values[2 * row + column] - values[2 * other + column]) as f64;
            (difference(0).powi(2) + difference(1).powi(2)).sqrt()
        };
        let mean = |cluster: u32| {
            let others: Vec<usize> = (0..n).filter(|other| labels[*other] == cluster && *other != row).collect();
            others.iter().map(|other| distance(*other)).sum::<f64>() / others.len() as f64
        };
        let own = mean(labels[row]);
        let next = (0..7).filter(|cluster| *cluster != labels[row]).map(mean).fold(f64::INFINITY, f64::min);
        near(samples[row], (next - own) / own.max(next));
    }
    Ok(())
}

#[test]
fn equal_rows_and_equal_centres_have_defined_scores() -> gristmill::Result<()> {
    let same = Matrix::from_rows(&[[1.0], [1.0], [1.0]])?;
    assert_eq!(metrics::silhouette_score(&same, &[0, 0, 1])?, 0.0);
    assert_eq!(metrics::davies_bouldin_score(&same, &[0, 0, 1])?, 0.0);
    assert_eq!(metrics::calinski_harabasz_score(&same, &[0, 0, 1])?, 1.0);
    let around = Matrix::from_rows(&[[-1.0], [1.0], [-2.0], [2.0]])?;
    assert_eq!(metrics::davies_bouldin_score(&around, &[0, 0, 1, 1])?, 0.0);
    Ok(())
}

#[test]
fn too_few_or_too_many_clusters_are_refused() -> gristmill::Result<()> {
    let x = Matrix::from_rows(&[[1.0], [2.0], [3.0]])?;
    for score in [metrics::silhouette_score, metrics::davies_bouldin_score, metrics::calinski_harabasz_score] {
        is_param(score(&x, &[4, 4, 4]));
        is_param(score(&x, &[1, 2, 3]));
        is_shape(score(&x, &[1, 2]));
        is_shape(score(&Matrix::zeros(0, 1)?, &[]));
        is_not_finite(score(&Matrix::from_rows(&[[1.0], [2.0], [f32::NAN]])?, &[0, 0, 1]), (2, 0));
    }
    Ok(())
}

#[test]
fn clusterings_are_compared_whatever_their_names() -> gristmill::Result<()> {
    let renamed: Vec<u32> = CLUSTERS.iter().map(|cluster| 1_000_000 - cluster).collect();
    near(metrics::adjusted_rand_score(&CLUSTERS, &renamed)?, 1.0);
    near(metrics::normalized_mutual_info_score(&CLUSTERS, &renamed)?, 1.0);
    assert_eq!(metrics::normalized_mutual_info_score(&[5, 5], &[3, 3])?, 1.0);
    assert_eq!(metrics::adjusted_rand_score(&[5], &[3])?, 1.0);
    near(metrics::adjusted_rand_score(&[0, 0, 1, 1], &[0, 1, 0, 1])?, -0.5);
    is_shape(metrics::adjusted_rand_score(&[0], &[0, 1]));
    is_shape(metrics::normalized_mutual_info_score(&[], &[]));
    Ok(())
}
