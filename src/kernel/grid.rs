//! From problem size to workgroup counts: pure arithmetic, no device.

use crate::error::{Error, Result};

/// The most workgroups WebGPU guarantees along one dimension.
pub const MAX_GROUPS: u32 = 65_535;

/// Workgroup counts of one dispatch.
///
/// A shader finds its linear group as `group.y * groups.x + group.x` and skips the work when that is past the end,
/// because folding rounds up.
///
/// ```
/// use gristmill::kernel::Grid;
/// assert_eq!(Grid::linear(1000)?.counts(), [1000, 1, 1]);
/// let folded = Grid::linear(70_000)?.counts();
/// assert!(folded[0] <= 65_535 && folded[0] as u64 * folded[1] as u64 >= 70_000);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    counts: [u32; 3],
}

impl Grid {
    /// `groups` workgroups in a line, folded into y above 65,535.
    pub fn linear(groups: u64) -> Result<Grid> {
        let rows = groups.div_ceil(MAX_GROUPS as u64).max(1);
        let columns = groups.div_ceil(rows);
        match (u32::try_from(rows), u32::try_from(columns)) {
            (Ok(y), Ok(x)) if y <= MAX_GROUPS => Ok(Grid { counts: [x, y, 1] }),
            _ => Err(Error::Limit {
                what: "workgroups in one dispatch".to_string(),
                need: groups,
                have: MAX_GROUPS as u64 * MAX_GROUPS as u64,
            }),
        }
    }

    /// One group for each `per_group` items, the last one partly filled.
    pub fn covering(items: u64, per_group: u64) -> Result<Grid> {
        Grid::linear(items.div_ceil(per_group))
    }

    /// The same grid `layers` times along z.
    pub fn layers(self, layers: u32) -> Result<Grid> {
        if layers > MAX_GROUPS {
            return Err(Error::Limit {
                what: "layers in one dispatch".to_string(),
                need: layers as u64,
                have: MAX_GROUPS as u64,
            });
        }
        Ok(Grid { counts: [self.counts[0], self.counts[1], layers] })
    }

    /// Counts along x, y and z.
    pub fn counts(self) -> [u32; 3] {
        self.counts
    }

    /// All workgroups of the dispatch, those past the end included.
    pub fn total(self) -> u64 {
        self.counts.iter().map(|&count| count as u64).product()
    }
}
