//! Grids as JSON, written by hand.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::GridWorld;
use crate::decision::process::{unreadable, wrong};
use crate::error::{Error, Result};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GridFile {
    discount: f64,
    /// A letter for each cell.
    grid: Vec<String>,
    /// The letters of walls and of cells that end an episode.
    #[serde(default = "wall")]
    walls: String,
    #[serde(default)]
    terminal: String,
    /// Letter to the reward for entering its cells.
    #[serde(default)]
    rewards: BTreeMap<char, f64>,
    #[serde(default)]
    teleports: Vec<Pair>,
    #[serde(default)]
    falls: Vec<Pair>,
    #[serde(default)]
    slip: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    /// Row and column.
    from: (usize, usize),
    to: (usize, usize),
}

fn wall() -> String {
    "#".to_string()
}

impl GridWorld {
    /// A grid as JSON and its discount; `file` is its name in errors. `grid` has a line of letters for each row; `walls`
    /// ("#"), `terminal` and `rewards` say what letters mean; `teleports` and `falls` are lists of
    /// {"from": [row, column], "to": [row, column]}, `slip` a probability.
    ///
    /// ```
    /// use gristmill::decision::{GridWorld, Solve};
    /// let text = r#"{"discount": 0.9, "grid": ["...+", ".#.-", "...."], "terminal": "+-", "rewards": {"+": 1, "-": -1}}"#;
    /// let (world, discount) = GridWorld::from_json(text, "grid.json")?;
    /// let best = world.process(discount)?.value_iteration(&Solve::default())?;
    /// assert!((best.values[world.state_at(0, 2)] - 1.0).abs() < 1e-9);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn from_json(text: &str, file: &str) -> Result<(GridWorld, f64)> {
        let found: GridFile = serde_json::from_str(text).map_err(|error| unreadable(file, &error))?;
        let columns = found.grid.first().map_or(0, |row| row.chars().count());
        if let Some(row) = found.grid.iter().position(|row| row.chars().count() != columns) {
            let why = format!("{} letters, and the first row has {columns}", found.grid[row].chars().count());
            return Err(wrong(file, &format!("grid[{row}]"), why));
        }
        let at = |place: &str| {
            let place = place.to_string();
            move |error: Error| wrong(file, &place, error.to_string())
        };
        let mut world = GridWorld::new(found.grid.len(), columns).map_err(at("grid"))?;
        let known: Vec<char> = found.grid.iter().flat_map(|row| row.chars()).collect();
        if let Some(letter) = found.rewards.keys().find(|letter| !known.contains(letter)) {
            return Err(wrong(file, "rewards", format!("{letter:?} is no letter of the grid")));
        }
        for (number, letter) in known.into_iter().enumerate() {
            let cell = (number / columns, number % columns);
            let reward = found.rewards.get(&letter).copied().unwrap_or(0.0);
            world = if found.walls.contains(letter) {
                world.wall(cell)?
            } else if found.terminal.contains(letter) {
                world.terminal(cell, reward).map_err(at("rewards"))?
            } else {
                world.reward(cell, reward).map_err(at("rewards"))?
            };
        }
        for (number, pair) in found.teleports.iter().enumerate() {
            world = world.teleport(pair.from, pair.to).map_err(at(&format!("teleports[{number}]")))?;
        }
        for (number, pair) in found.falls.iter().enumerate() {
            world = world.fall(pair.from, pair.to).map_err(at(&format!("falls[{number}]")))?;
        }
        let world = world.slip(found.slip).map_err(at("slip"))?;
        world.check().map_err(at("grid"))?;
        Ok((world, found.discount))
    }
}
