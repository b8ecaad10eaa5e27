//! The rows of each tree.

use crate::cpu::tree::bootstrap::RowDraws;
use crate::cpu::tree::target::TreeTarget;
use crate::error::{Error, Result};

/// The stream of the seed that draws rows.
const STREAM: u32 = 0xba65;

/// Draws rows with replacement, as many as there are or a share of them.
#[derive(Debug, Clone)]
pub struct Bootstrap {
    draws: RowDraws,
    /// The rows that count.
    rows: Vec<u32>,
    /// All rows, those that do not count among them.
    all: usize,
}

impl Bootstrap {
    /// Of `all` rows those in `rows`, one at least, can be drawn; `share` of them is, or as many as they are.
    pub fn new(seed: u64, rows: Vec<u32>, all: usize, share: Option<f64>) -> Result<Bootstrap> {
        let draws = match share {
            None => rows.len(),
            Some(share) if share > 0.0 && share <= 1.0 => ((rows.len() as f64 * share).round() as usize).max(1),
            Some(share) => {
                return Err(Error::param("max_samples", "a share above 0 and up to 1", share));
            }
        };
        Ok(Bootstrap { draws: RowDraws { seed, stream: STREAM, draws }, rows, all })
    }

    /// The samples that an estimator's parameters ask for, if any.
    pub fn wanted<T: TreeTarget>(
        bootstrap: bool,
        max_samples: Option<f64>,
        oob_score: bool,
        seed: u64,
        target: &T,
        rows: usize,
    ) -> Result<Option<Bootstrap>> {
        if bootstrap {
            let counting = (0..rows as u32).filter(|row| target.counts(*row as usize)).collect();
            return Ok(Some(Bootstrap::new(seed, counting, rows, max_samples)?));
        }
        let name = if oob_score { "oob_score" } else { "max_samples" };
        match oob_score || max_samples.is_some() {
            true => {
                let rule = "left alone without bootstrap: every tree then learns from every row".to_string();
                Err(Error::param(name, rule, "bootstrap = false"))
            }
            false => Ok(None),
        }
    }

    /// How often a tree draws each row.
    pub fn times(&self, tree: usize) -> Vec<u32> {
        self.draws.times(tree, &self.rows, self.all)
    }

    /// What is drawn, for a device that draws the same.
    pub fn draws(&self) -> RowDraws {
        self.draws
    }
}
