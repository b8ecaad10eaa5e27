//! The bounds, one module each.

pub mod agnostic;
pub mod binomial;
pub mod boosting;
pub mod hoeffding;
pub mod margin;
pub mod neighbors;
pub mod pac;
pub mod realisable;
pub mod tree;
pub mod vapnik;
pub mod voting;

/// A number of rows that is enough, before it is rounded up.
///
/// ```
/// use gristmill::theory::hoeffding;
/// let rows = hoeffding::sample_size(0.1, 0.05)?;
/// assert!((rows.exact - 149.787).abs() < 1e-3);
/// assert_eq!(rows.whole(), 150);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct SampleSize {
    /// The number that the formula gives.
    pub exact: f64,
}

impl SampleSize {
    /// The whole number of rows: `exact` rounded up, one at least.
    pub fn whole(self) -> u64 {
        (self.exact.ceil() as u64).max(1)
    }
}
