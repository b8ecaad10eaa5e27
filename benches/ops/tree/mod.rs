mod best_split;
mod forest;
mod gradients;
mod histogram;
mod leaf_quantiles;
mod leaves;
mod other_scores;
mod partition;
mod predict;

use gristmill::cpu::tree::BinnedRows;
use gristmill::cpu::tree::FeaturePlace;
use gristmill::cpu::tree::fixed_point::pack;
use gristmill::ops::random::philox::Draw;
use gristmill::ops::tree::gradients::TargetColumns;
use gristmill::ops::tree::{Binned, BoostingRows, GrowState};
use gristmill::prelude::*;
use gristmill::{Stream, ops};

use super::case::Case;

pub fn cases() -> Vec<Case> {
    [
        best_split::cases(),
        forest::cases(),
        gradients::cases(),
        histogram::cases(),
        leaf_quantiles::cases(),
        leaves::cases(),
        other_scores::cases(),
        partition::cases(),
        predict::cases(),
    ]
    .concat()
}

/// Random codes of 256 in every column, kept for good, as a job borrows them.
fn binned(stream: &mut Stream, rows: usize, columns: usize) -> Result<Binned<'static>> {
    let stride = columns.next_multiple_of(8);
    let words = ops::random_bits(&mut Device::Cpu.stream(), Draw::new(1, 0), rows * stride / 4)?;
    let words = words.to_vec(&mut Device::Cpu.stream())?;
    let bins: &'static [u8] = Vec::leak(words.into_iter().flat_map(u32::to_le_bytes).collect());
    let turned = (0..columns).flat_map(|column| bins.iter().skip(column).step_by(stride).copied()).collect();
    let turned: &'static [u8] = Vec::leak(turned);
    let starts: &'static [u32] = Vec::leak((0..=columns as u32).map(|column| 256 * column).collect());
    let feature = |first: &u32| FeaturePlace { first: *first, bins: 256, missing: false, ..FeaturePlace::default() };
    let features: &'static [FeaturePlace] = Vec::leak(starts[..columns].iter().map(feature).collect());
    Binned::new(stream, BinnedRows { bins, stride, columns: turned }, starts, features)
}

/// One tree of all rows, in order.
fn state(stream: &mut Stream, rows: usize) -> Result<GrowState> {
    let mut state = GrowState::new(stream);
    let packed = (0..rows as i32).map(|row| pack(row % 30_011 - 15_000, row as u32 % 20_011)).collect();
    state.begin(stream, &mut (0..rows as u32).collect(), &mut [packed])?;
    Ok(state)
}

/// Rows of one output on a GPU, all of them in its tree.
fn boosting_rows(stream: &mut Stream, targets: TargetColumns<'_>, scores: Vec<f32>) -> Result<BoostingRows> {
    let order: Vec<u32> = (0..scores.len() as u32).collect();
    let rows = BoostingRows::new(stream, targets, None, &[scores], &order)?;
    rows.ok_or_else(|| gristmill::Error::param("device", "a GPU with room for the rows", "another"))
}
