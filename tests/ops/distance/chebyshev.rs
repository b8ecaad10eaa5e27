use gristmill::ops;
use gristmill::prelude::*;

use super::pairwise::check;
use crate::support::EPS;

fn distances(stream: &mut Stream, x: &DeviceMatrix, y: &DeviceMatrix) -> Result<DeviceMatrix> {
    ops::chebyshev(stream, x, y)
}

fn oracle(x: &[f32], y: &[f32]) -> f64 {
    x.iter().zip(y).map(|(a, b)| (*a as f64 - *b as f64).abs()).fold(0.0, f64::max)
}

#[test]
fn distances_at_edge_sizes_match_the_oracle_and_do_not_depend_on_chunks_or_budget() {
    check(distances, oracle, |_, exact| EPS * exact);
}
