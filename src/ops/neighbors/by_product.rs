//! The k nearest by products: |x|² + |y|² − 2·x·y of centred rows shortlists, the direct form settles.

use std::sync::Arc;

use super::k_nearest::{Plan, Search};
use crate::array::{DeviceMatrix, View};
use crate::device::{Buffer, Dispatch, Recording};
use crate::error::Result;
use crate::kernel::{Grid, Work, kernels, params};
use crate::ops::pairs::TILE;

kernels! {
    /// The point that is taken off every row, and a number for each candidate.
    pub CENTER = "neighbors/k_nearest__center", [Read, Write], CenterParams;
    /// The k nearest of those shortlisted, and which tiles of queries that leaves open.
    pub SETTLE = "neighbors/k_nearest__settle", [Read, Read, Read, Write, Write], SettleParams;
}

params! {
    struct CenterParams { rows: u32, groups: u32, y_first: u32, vec4s: u32, slack: f32 }
    struct SettleParams {
        rows: u32, columns: u32, row_tiles: u32, list_rows: u32, neighbors: u32, shortlisted: u32, layers: u32,
        a_first: u32, b_first: u32, vec4s: u32, slack: f32,
    }
}

/// Candidates beside k on a list: a query is settled where no more than these come within the error of the k-th.
pub(super) const SPARE: usize = 16;
/// The shapes for which it pays: shorter rows cost as much to compare as to sum, and small searches are dispatches.
const LEAST_COLUMNS: usize = 16;
const MOST_COLUMNS: usize = 1 << 15;
const LEAST_QUERIES: usize = 64;
const LEAST_ROWS: usize = 512;
/// The code of squares in `lib/metric.wgsl`.
const SQUARES: u32 = 0;
/// The unit roundoff of f32.
const U: f64 = 1.0 / 16_777_216.0;

/// The candidates' side of the products.
#[derive(Debug)]
pub(super) struct Products {
    rows: View,
    shape: (usize, usize, usize),
    /// As `k_nearest__center.wgsl` lays it out.
    pub(super) centred: Arc<Buffer>,
}

impl Products {
    /// Whether a search is one for products: candidates are looked up one by one, so they must lie in one buffer.
    pub(super) fn suit(search: &Search, (queries, rows): (&DeviceMatrix, &DeviceMatrix)) -> Result<bool> {
        let columns = (LEAST_COLUMNS..=MOST_COLUMNS).contains(&rows.columns());
        let enough = queries.rows() >= LEAST_QUERIES && rows.rows() >= LEAST_ROWS;
        Ok(search.measure.code == SQUARES && columns && enough && rows.store()?.is_one_buffer())
    }

    pub(super) fn new(recording: &mut Recording, rows: &DeviceMatrix) -> Result<Products> {
        let (m, d, vec4s) = (rows.rows(), rows.columns(), rows.store()?.stride() / 4);
        let view = rows.store()?.view(recording, 0..m)?;
        let words = 4 * (1 + vec4s) + m.next_multiple_of(4);
        let centred = recording.scratch(4 * words as u64, "halves of squares")?;
        let products = Products { rows: view, shape: (m, d, vec4s), centred };
        products.center(recording, 1, 1)?;
        products.center(recording, m.div_ceil(16), 0)?;
        Ok(products)
    }

    fn center(&self, recording: &mut Recording, groups: usize, point: u32) -> Result<()> {
        let (m, d, vec4s) = self.shape;
        let params = CenterParams {
            rows: m as u32,
            groups: groups as u32,
            y_first: self.rows.first_word() / 4,
            vec4s: vec4s as u32,
            slack: slack(d),
        };
        let values = (16 * groups * d) as u64;
        let work = Work { operations: 3 * values, bytes: 4 * values };
        let buffers = &[self.rows.buffer(), &self.centred];
        let grid = Grid::linear(groups as u64)?;
        recording.dispatch(&CENTER, Dispatch::new(&params, buffers, grid, work).overrides(&[("POINT", point)]))
    }

    /// Settles the lists of a block of queries, for which tiles of it stay open: a flag for each.
    pub(super) fn settle(
        &self,
        recording: &mut Recording,
        k: usize,
        plan: &Plan,
        list: &View,
        (a, queries): (&View, usize),
    ) -> Result<View> {
        let (m, d, vec4s) = self.shape;
        let row_tiles = queries.div_ceil(TILE);
        let open = View::whole(recording.scratch(16 * row_tiles as u64, "tiles left open")?);
        let params = SettleParams {
            rows: queries as u32,
            columns: m as u32,
            row_tiles: row_tiles as u32,
            list_rows: plan.list_rows as u32,
            neighbors: k as u32,
            shortlisted: (k + SPARE) as u32,
            layers: plan.layers as u32,
            a_first: a.first_word() / 4,
            b_first: self.rows.first_word() / 4,
            vec4s: vec4s as u32,
            slack: slack(d),
        };
        let pairs = (queries * (k + SPARE)) as u64;
        let work = Work { operations: 3 * pairs * d as u64, bytes: 4 * pairs * (d + 2) as u64 };
        let buffers = &[a.buffer(), self.rows.buffer(), &self.centred, list.buffer(), open.buffer()];
        let grid = Grid::linear(row_tiles as u64)?;
        recording.dispatch(&SETTLE, Dispatch::new(&params, buffers, grid, work))?;
        Ok(open)
    }
}

/// All roundings of |x|² + |y|² − 2·x·y, relative to |x|² + |y|²: those of the products, of the squares, of the centring
/// and of the last sums, with some to spare.
fn slack(d: usize) -> f32 {
    (1.02 * (2 * d + 16) as f64 * U) as f32
}
