use gristmill::ops;
use gristmill::prelude::*;

use super::pairwise::check;
use crate::support::EPS;

fn distances(stream: &mut Stream, x: &DeviceMatrix, y: &DeviceMatrix) -> Result<DeviceMatrix> {
    ops::manhattan(stream, x, y)
}

fn oracle(x: &[f32], y: &[f32]) -> f64 {
    x.iter().zip(y).map(|(a, b)| (*a as f64 - *b as f64).abs()).sum()
}

#[test]
fn distances_at_edge_sizes_match_the_oracle_and_do_not_depend_on_chunks_or_budget() {
    check(distances, oracle, |d, exact| (4.0 + 2.0 * (d as f64).sqrt()) * EPS * exact);
}
