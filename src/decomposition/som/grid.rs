//! The grid of a map: which units are neighbours, and how much they share.

use serde::{Deserialize, Serialize};

use crate::array::Matrix;
use crate::error::Result;

/// How units are neighbours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MapTopology {
    /// Four sides.
    #[default]
    Rectangular,
    /// Six sides: every other row is moved by half a step.
    Hexagonal,
}

/// How much of a row a unit takes, by its distance on the grid from the row's own unit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Neighborhood {
    /// exp(−distance²/2·radius²).
    #[default]
    Gaussian,
    /// 1 within the radius.
    Bubble,
    /// 1 − distance/radius, at least 0.
    Triangle,
}

/// How the radius shrinks from the first epoch to the last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RadiusDecay {
    /// By the same number each epoch.
    Linear,
    /// By the same factor each epoch.
    #[default]
    Exponential,
}

impl RadiusDecay {
    /// The radius at a share of the way from the first to the last.
    pub(super) fn radius(self, first: f64, last: f64, share: f64) -> f64 {
        match self {
            RadiusDecay::Linear => first + (last - first) * share,
            RadiusDecay::Exponential => first * (last / first).powf(share),
        }
    }
}

/// Places of units, counted row by row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct UnitGrid {
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) topology: MapTopology,
    pub(super) toroidal: bool,
}

impl UnitGrid {
    pub(super) fn units(&self) -> usize {
        self.rows * self.columns
    }

    /// Where a unit lies, across and down; neighbours are 1 apart.
    fn place(&self, unit: usize) -> (f64, f64) {
        let (row, column) = ((unit / self.columns) as f64, (unit % self.columns) as f64);
        match self.topology {
            MapTopology::Rectangular => (column, row),
            MapTopology::Hexagonal => (column + 0.5 * (row % 2.0), row * 0.75_f64.sqrt()),
        }
    }

    /// The squared distance of two units.
    pub(super) fn square(&self, a: usize, b: usize) -> f64 {
        let ((x, y), (u, v)) = (self.place(a), self.place(b));
        let (mut across, mut down) = ((x - u).abs(), (y - v).abs());
        if self.toroidal {
            let height = match self.topology {
                MapTopology::Rectangular => self.rows as f64,
                MapTopology::Hexagonal => self.rows as f64 * 0.75_f64.sqrt(),
            };
            across = across.min(self.columns as f64 - across);
            down = down.min(height - down);
        }
        across * across + down * down
    }

    /// The units 1 away from a unit; with their diagonal ones on a rectangular grid if `diagonal`.
    pub(super) fn neighbors(&self, unit: usize, diagonal: bool) -> Vec<usize> {
        let most = if diagonal && self.topology == MapTopology::Rectangular { 2.1 } else { 1.1 };
        (0..self.units()).filter(|other| *other != unit && self.square(unit, *other) < most).collect()
    }

    /// How much each unit takes of the rows of each, k×k.
    pub(super) fn neighborhood(&self, kind: Neighborhood, radius: f64) -> Result<Matrix> {
        let share = |square: f64| match kind {
            Neighborhood::Gaussian => (-square / (2.0 * radius * radius)).exp(),
            Neighborhood::Bubble => f64::from(square.sqrt() <= radius),
            Neighborhood::Triangle => (1.0 - square.sqrt() / radius).max(0.0),
        };
        let k = self.units();
        // What is far below 1 is nothing: sums of it would only be roundings.
        let floored = |value: f64| if value < 1e-30 { 0.0 } else { value as f32 };
        let values = (0..k * k).map(|at| floored(share(self.square(at / k, at % k)))).collect();
        Matrix::from_vec(k, k, values)
    }
}
