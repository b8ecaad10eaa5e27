//! Silhouettes: how much nearer a row is to its own cluster than to the next one.

use rayon::prelude::*;

use super::clustering::Clusters;
use crate::array::Matrix;
use crate::cpu::distance::pairwise::sq_euclidean;
use crate::error::{Error, Result};

/// Rows whose distances are computed together, and how many others at a time: 4 MiB of distances.
const ROWS: usize = 256;
const OTHERS: usize = 4096;
/// Sums that run side by side.
const LANES: usize = 8;

/// The mean of [`silhouette_samples`]: 1 is best, below 0 rows lie nearer to another cluster than to their own.
///
/// Exact, with Euclidean distances; `O(n²d)` on all cores. Takes a second copy of `x`, 4 MiB of distances at a time and
/// 256×k sums, never n×n.
///
/// ```
/// use gristmill::{Matrix, metrics};
/// let x = Matrix::from_rows(&[[0.0], [1.0], [10.0], [11.0]])?;
/// assert!((metrics::silhouette_score(&x, &[0, 0, 1, 1])? - 0.8997494).abs() < 1e-6);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn silhouette_score(x: &Matrix, labels: &[u32]) -> Result<f64> {
    let samples = silhouettes("silhouette_score", x, labels)?;
    Ok(samples.iter().sum::<f64>() / samples.len() as f64)
}

/// The silhouette of each row: `(b − a) / max(a, b)`, where `a` is the mean distance to the other rows of its cluster
/// and `b` the mean distance to the rows of the nearest other cluster. A row alone in its cluster has 0.
///
/// Needs from two clusters to one fewer than rows.
///
/// ```
/// use gristmill::{Matrix, metrics};
/// let x = Matrix::from_rows(&[[0.0], [1.0], [10.0]])?;
/// let samples = metrics::silhouette_samples(&x, &[0, 0, 1])?;
/// assert!((samples[0] - 0.9).abs() < 1e-6 && samples[2] == 0.0);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn silhouette_samples(x: &Matrix, labels: &[u32]) -> Result<Vec<f64>> {
    silhouettes("silhouette_samples", x, labels)
}

fn silhouettes(op: &'static str, x: &Matrix, labels: &[u32]) -> Result<Vec<f64>> {
    let clusters = Clusters::new(op, x, labels)?;
    let (rows, columns, count) = (x.rows(), x.columns(), clusters.count());
    // Rows in the order of their clusters: the distances to a cluster then lie side by side.
    let mut order: Vec<usize> = (0..rows).collect();
    order.sort_by_key(|row| clusters.of_row[*row]);
    let sorted: Vec<f32> = order.iter().flat_map(|row| x.row(*row)).copied().collect();
    let ends: Vec<usize> = clusters
        .sizes
        .iter()
        .scan(0, |end, size| {
            *end += size;
            Some(*end)
        })
        .collect();

    let mut distances = vec![0.0_f32; ROWS.min(rows) * OTHERS.min(rows)];
    let mut sums = zeroed(ROWS.min(rows), count)?;
    let mut samples = vec![0.0; rows];
    for first in (0..rows).step_by(ROWS) {
        let here = ROWS.min(rows - first);
        let block = &sorted[first * columns..(first + here) * columns];
        sums.fill(0.0);
        for start in (0..rows).step_by(OTHERS) {
            let others = OTHERS.min(rows - start);
            let distances = &mut distances[..here * others];
            let other = &sorted[start * columns..(start + others) * columns];
            sq_euclidean(block, here, other, others, columns, distances);
            let of_rows = distances.par_chunks(others).zip(sums.par_chunks_mut(count));
            of_rows.for_each(|(distances, sums)| add_by_cluster(distances, start, &ends, sums));
        }
        for (row, sums) in order[first..first + here].iter().zip(sums.chunks(count)) {
            samples[*row] = silhouette(sums, &clusters.sizes, clusters.of_row[*row] as usize);
        }
    }
    Ok(samples)
}

/// Room for the sums of a block of rows, or an error when there are too many clusters for it.
fn zeroed(rows: usize, clusters: usize) -> Result<Vec<f64>> {
    let mut sums = vec![];
    let out_of_memory = |_| Error::OutOfMemory { what: format!("distances of {rows} rows to {clusters} clusters") };
    sums.try_reserve_exact(rows.saturating_mul(clusters)).map_err(out_of_memory)?;
    sums.resize(rows * clusters, 0.0);
    Ok(sums)
}

/// Adds the distances to the rows `start..` to the sums of their clusters, which end at `ends`.
fn add_by_cluster(squares: &[f32], start: usize, ends: &[usize], sums: &mut [f64]) {
    let mut at = 0;
    let mut cluster = ends.partition_point(|end| *end <= start);
    while at < squares.len() {
        let end = (ends[cluster] - start).min(squares.len());
        sums[cluster] += sum_of_roots(&squares[at..end]);
        (at, cluster) = (end, cluster + 1);
    }
}

fn sum_of_roots(squares: &[f32]) -> f64 {
    let (chunks, rest) = squares.as_chunks::<LANES>();
    let mut sums = [0.0_f64; LANES];
    for chunk in chunks {
        for (sum, square) in sums.iter_mut().zip(chunk) {
            *sum += square.sqrt() as f64;
        }
    }
    sums.iter().sum::<f64>() + rest.iter().map(|square| square.sqrt() as f64).sum::<f64>()
}

fn silhouette(sums: &[f64], sizes: &[usize], own: usize) -> f64 {
    if sizes[own] == 1 {
        return 0.0;
    }
    let within = sums[own] / (sizes[own] - 1) as f64;
    let others = (0..sizes.len()).filter(|cluster| *cluster != own);
    let next = others.map(|cluster| sums[cluster] / sizes[cluster] as f64).fold(f64::INFINITY, f64::min);
    let larger = within.max(next);
    if larger == 0.0 { 0.0 } else { (next - within) / larger }
}
