//! Scores of a clustering by its rows alone, without a target.

use super::check::same_rows;
use crate::array::Matrix;
use crate::error::{Error, Result};

/// How near centres count as equal, as scikit-learn has it.
const CLOSE: f64 = 1e-8;

/// The clusters of `n` rows, numbered from 0 in the order of their labels.
pub(super) struct Clusters {
    pub(super) of_row: Vec<u32>,
    pub(super) sizes: Vec<usize>,
}

impl Clusters {
    /// Needs from two clusters to one fewer than rows, and finite values.
    pub(super) fn new(op: &'static str, x: &Matrix, labels: &[u32]) -> Result<Clusters> {
        let rows = same_rows(op, x.rows(), labels.len())?;
        x.refuse_missing()?;
        let mut distinct = labels.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        if distinct.len() < 2 || distinct.len() >= rows {
            let rule = format!("of two clusters or more, and fewer than the {rows} rows");
            return Err(Error::param("labels", rule, format!("{} clusters", distinct.len())));
        }
        let number = |label: &u32| distinct.partition_point(|other| other < label) as u32;
        let of_row: Vec<u32> = labels.iter().map(number).collect();
        let mut sizes = vec![0; distinct.len()];
        of_row.iter().for_each(|cluster| sizes[*cluster as usize] += 1);
        Ok(Clusters { of_row, sizes })
    }

    pub(super) fn count(&self) -> usize {
        self.sizes.len()
    }

    /// The mean of each cluster's rows, k×d.
    fn centers(&self, x: &Matrix) -> Vec<f64> {
        let columns = x.columns();
        let mut centers = vec![0.0; self.count() * columns];
        for (row, cluster) in self.of_row.iter().enumerate() {
            let center = &mut centers[*cluster as usize * columns..][..columns];
            center.iter_mut().zip(x.row(row)).for_each(|(center, value)| *center += *value as f64);
        }
        for (center, size) in centers.chunks_mut(columns.max(1)).zip(&self.sizes) {
            center.iter_mut().for_each(|value| *value /= *size as f64);
        }
        centers
    }
}

/// The Davies–Bouldin score: for each cluster the worst ratio of two clusters' spreads to the distance of their
/// centres, on average. 0 is best. `O(nd + k²d)`.
///
/// ```
/// use gristmill::{Matrix, metrics};
/// let x = Matrix::from_rows(&[[0.0, 1.0], [1.0, 1.0], [3.0, 4.0]])?;
/// assert!((metrics::davies_bouldin_score(&x, &[0, 0, 1])? - 0.1280369).abs() < 1e-6);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn davies_bouldin_score(x: &Matrix, labels: &[u32]) -> Result<f64> {
    let clusters = Clusters::new("davies_bouldin_score", x, labels)?;
    let (columns, count) = (x.columns(), clusters.count());
    let centers = clusters.centers(x);
    let center = |cluster: usize| &centers[cluster * columns..(cluster + 1) * columns];
    let mut spreads = vec![0.0; count];
    for (row, cluster) in clusters.of_row.iter().enumerate() {
        let cluster = *cluster as usize;
        spreads[cluster] += square_distance(x.row(row), center(cluster)).sqrt() / clusters.sizes[cluster] as f64;
    }
    let apart = |a: usize, b: usize| center(a).iter().zip(center(b)).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    // Centres in one place say nothing of their clusters.
    let ratio = |a: usize, b: usize| match apart(a, b) {
        distance if distance > 0.0 => (spreads[a] + spreads[b]) / distance,
        _ => 0.0,
    };
    let together = || (0..count).all(|a| (0..a).all(|b| apart(a, b) <= CLOSE));
    if spreads.iter().all(|spread| *spread <= CLOSE) || together() {
        return Ok(0.0);
    }
    let worst = |a: usize| (0..count).filter(|b| *b != a).map(|b| ratio(a, b)).fold(0.0, f64::max);
    Ok((0..count).map(worst).sum::<f64>() / count as f64)
}

/// The Calinski–Harabasz score: the spread between clusters over the spread within, each by its degrees of freedom.
/// Higher is better; 1 if every row is its centre. `O(nd)`.
///
/// ```
/// use gristmill::{Matrix, metrics};
/// let x = Matrix::from_rows(&[[0.0], [1.0], [9.0], [10.0]])?;
/// assert_eq!(metrics::calinski_harabasz_score(&x, &[0, 0, 1, 1])?, 162.0);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn calinski_harabasz_score(x: &Matrix, labels: &[u32]) -> Result<f64> {
    let clusters = Clusters::new("calinski_harabasz_score", x, labels)?;
    let (columns, count, rows) = (x.columns(), clusters.count(), x.rows());
    let centers = clusters.centers(x);
    let center = |cluster: usize| &centers[cluster * columns..(cluster + 1) * columns];
    let mut mean = vec![0.0; columns];
    for (cluster, size) in clusters.sizes.iter().enumerate() {
        mean.iter_mut().zip(center(cluster)).for_each(|(mean, value)| *mean += value * *size as f64 / rows as f64);
    }
    let from_mean = |cluster: usize| center(cluster).iter().zip(&mean).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    let between: f64 = (0..count).map(|cluster| clusters.sizes[cluster] as f64 * from_mean(cluster)).sum();
    let from_center = |row: usize| square_distance(x.row(row), center(clusters.of_row[row] as usize));
    let within: f64 = (0..rows).map(from_center).sum();
    Ok(if within == 0.0 { 1.0 } else { between * (rows - count) as f64 / (within * (count - 1) as f64) })
}

fn square_distance(row: &[f32], center: &[f64]) -> f64 {
    row.iter().zip(center).map(|(value, center)| (*value as f64 - center).powi(2)).sum()
}
