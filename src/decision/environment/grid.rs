//! A world of cells.

use super::{Environment, Random, Step};
use crate::decision::process::{MarkovDecisionProcess, Rewards};
use crate::error::{Error, Result};

/// Rows down and columns to the right of each move.
const MOVES: [(isize, isize); 4] = [(-1, 0), (0, 1), (1, 0), (0, -1)];
const NAMES: [&str; 5] = ["up", "right", "down", "left", "teleport"];
/// Cells at most.
const MOST_CELLS: usize = 1 << 24;

/// A grid of cells, the first row on top. Moves are up, right, down and left (0 to 3), into cells that are there and no
/// walls; `teleport` (4) leads from some cells to others. The reward belongs to the cell that is entered. An episode begins
/// in a random cell, unless there is a start, and ends in a terminal one.
#[derive(Debug, Clone, PartialEq)]
pub struct GridWorld {
    rows: usize,
    columns: usize,
    walls: Vec<bool>,
    terminal: Vec<bool>,
    rewards: Vec<f64>,
    teleports: Vec<Option<usize>>,
    /// Where one finds oneself at once after entering a cell.
    falls: Vec<Option<usize>>,
    slip: f64,
    start: Option<usize>,
    current: usize,
}

impl GridWorld {
    /// Free cells without rewards.
    pub fn new(rows: usize, columns: usize) -> Result<GridWorld> {
        let cells = rows.saturating_mul(columns);
        if cells == 0 || cells > MOST_CELLS {
            return Err(Error::param("grid", format!("from 1 to {MOST_CELLS} cells"), format!("{rows}×{columns}")));
        }
        Ok(GridWorld { rewards: vec![0.0; cells], ..GridWorld::blank(rows, columns) })
    }

    /// The kind of grid that the lecture notes learn on: 4×4, a wall, a good and a bad end, a teleport; each step costs 0.04.
    pub fn notes() -> GridWorld {
        let mut world = GridWorld { rewards: vec![-0.04; 16], ..GridWorld::blank(4, 4) };
        world.walls[5] = true;
        (world.terminal[3], world.rewards[3]) = (true, 1.0);
        (world.terminal[7], world.rewards[7]) = (true, -1.0);
        world.teleports[12] = Some(2);
        world
    }

    /// The cliff of Sutton and Barto: 4×12, from the lower left to the lower right. A step costs 1; between the two is a cliff
    /// that costs 100 and leads back to the start.
    pub fn cliff() -> GridWorld {
        let mut world = GridWorld { rewards: vec![-1.0; 48], ..GridWorld::blank(4, 12) };
        for cell in 37..47 {
            (world.rewards[cell], world.falls[cell]) = (-100.0, Some(36));
        }
        world.terminal[47] = true;
        world.start = Some(36);
        world
    }

    fn blank(rows: usize, columns: usize) -> GridWorld {
        let cells = rows * columns;
        GridWorld {
            rows,
            columns,
            walls: vec![false; cells],
            terminal: vec![false; cells],
            rewards: vec![],
            teleports: vec![None; cells],
            falls: vec![None; cells],
            slip: 0.0,
            start: None,
            current: 0,
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The number of the state in a row and a column.
    pub fn state_at(&self, row: usize, column: usize) -> usize {
        row * self.columns + column
    }

    /// Whether a cell is a wall.
    pub fn is_wall(&self, state: usize) -> bool {
        self.walls[state]
    }

    /// Whether a cell ends an episode.
    pub fn is_terminal(&self, state: usize) -> bool {
        self.terminal[state]
    }

    fn cell(&self, (row, column): (usize, usize)) -> Result<usize> {
        match row < self.rows && column < self.columns {
            true => Ok(self.state_at(row, column)),
            false => {
                let rule = format!("inside {}×{}", self.rows, self.columns);
                Err(Error::param("cell", rule, format!("row {row}, column {column}")))
            }
        }
    }

    /// Makes a cell a wall.
    pub fn wall(mut self, cell: (usize, usize)) -> Result<GridWorld> {
        let cell = self.cell(cell)?;
        self.walls[cell] = true;
        Ok(self)
    }

    /// Lets an episode end in a cell, with this reward for entering it.
    pub fn terminal(mut self, cell: (usize, usize), reward: f64) -> Result<GridWorld> {
        let at = self.cell(cell)?;
        self.terminal[at] = true;
        self.reward(cell, reward)
    }

    /// Sets the reward for entering a cell.
    pub fn reward(mut self, cell: (usize, usize), reward: f64) -> Result<GridWorld> {
        let cell = self.cell(cell)?;
        if !reward.is_finite() {
            return Err(Error::param("reward", "finite", reward));
        }
        self.rewards[cell] = reward;
        Ok(self)
    }

    /// Sets the reward for entering any cell.
    pub fn step_reward(mut self, reward: f64) -> Result<GridWorld> {
        if !reward.is_finite() {
            return Err(Error::param("reward", "finite", reward));
        }
        self.rewards.fill(reward);
        Ok(self)
    }

    /// Adds an action that leads from one cell to another.
    pub fn teleport(mut self, from: (usize, usize), to: (usize, usize)) -> Result<GridWorld> {
        let (from, to) = (self.cell(from)?, self.cell(to)?);
        self.teleports[from] = Some(to);
        Ok(self)
    }

    /// Makes a cell one in which nobody stays: who enters it is in another one at once.
    pub fn fall(mut self, from: (usize, usize), to: (usize, usize)) -> Result<GridWorld> {
        let (from, to) = (self.cell(from)?, self.cell(to)?);
        self.falls[from] = Some(to);
        Ok(self)
    }

    /// Sets the probability that a move goes aside, to the left or right of its direction; where that is blocked, nothing moves.
    pub fn slip(mut self, slip: f64) -> Result<GridWorld> {
        if !(0.0..=1.0).contains(&slip) {
            return Err(Error::param("slip", "from 0 to 1", slip));
        }
        self.slip = slip;
        Ok(self)
    }

    /// Sets the cell in which episodes begin.
    pub fn start(mut self, cell: (usize, usize)) -> Result<GridWorld> {
        let cell = self.cell(cell)?;
        if !self.is_place(cell) || self.terminal[cell] {
            return Err(Error::param("start", "a free cell that ends no episode", cell));
        }
        self.start = Some(cell);
        Ok(self)
    }

    /// Refuses falls and teleports into cells in which one cannot be.
    pub(super) fn check(&self) -> Result<()> {
        let ends = self.teleports.iter().chain(&self.falls).flatten();
        if let Some(wrong) = ends.into_iter().find(|cell| !self.is_place(**cell)) {
            let place = format!("row {}, column {}", wrong / self.columns, wrong % self.columns);
            let why = "a teleport or fall ends in a wall or in another fall".to_string();
            return Err(Error::Process { place, why });
        }
        let free = |cell: &usize| self.is_place(*cell) && !self.terminal[*cell];
        match (0..self.walls.len()).any(|cell| free(&cell)) {
            true => Ok(()),
            false => Err(Error::param("grid", "with a cell to begin in", "none")),
        }
    }

    /// Whether one can be in a cell.
    fn is_place(&self, cell: usize) -> bool {
        !self.walls[cell] && self.falls[cell].is_none()
    }

    /// The cell beside another, if there is one.
    fn beside(&self, cell: usize, direction: usize) -> Option<usize> {
        let (down, right) = MOVES[direction % 4];
        let row = (cell / self.columns).checked_add_signed(down).filter(|row| *row < self.rows)?;
        let column = (cell % self.columns).checked_add_signed(right).filter(|column| *column < self.columns)?;
        Some(self.state_at(row, column)).filter(|cell| !self.walls[*cell])
    }

    /// The cells that an action enters, with their probabilities; none where it cannot be taken.
    fn entered(&self, cell: usize, action: usize) -> Vec<(usize, f64)> {
        if !self.is_place(cell) || self.terminal[cell] {
            return vec![];
        }
        if action == 4 {
            return self.teleports[cell].map(|to| (to, 1.0)).into_iter().collect();
        }
        let Some(ahead) = self.beside(cell, action) else { return vec![] };
        let aside = |turn: usize| (self.beside(cell, action + turn).unwrap_or(cell), self.slip / 2.0);
        match self.slip > 0.0 {
            true => vec![(ahead, 1.0 - self.slip), aside(1), aside(3)],
            false => vec![(ahead, 1.0)],
        }
    }

    /// The names of the actions.
    pub fn action_names(&self) -> Vec<String> {
        NAMES[..Environment::actions(self)].iter().map(|name| name.to_string()).collect()
    }

    /// The columns to the right and rows down that an action leads from a cell, for arrows.
    pub fn direction(&self, state: usize, action: usize) -> (f64, f64) {
        let to = match action {
            4 => self.teleports[state],
            _ => return (MOVES[action % 4].1 as f64, MOVES[action % 4].0 as f64),
        };
        let to = to.unwrap_or(state);
        let along = |from: usize, to: usize| to as f64 - from as f64;
        (along(state % self.columns, to % self.columns), along(state / self.columns, to / self.columns))
    }

    /// The decision process of this world: a state for each cell.
    pub fn process(&self, discount: f64) -> Result<MarkovDecisionProcess> {
        self.check()?;
        let (cells, actions) = (self.walls.len(), Environment::actions(self));
        let mut rewards = vec![0.0; cells * actions];
        let mut outcomes = vec![];
        for cell in 0..cells {
            for action in 0..actions {
                for (entered, probability) in self.entered(cell, action) {
                    rewards[cell * actions + action] += probability * self.rewards[entered];
                    outcomes.push((cell, action, self.falls[entered].unwrap_or(entered), probability));
                }
            }
        }
        // Nobody is ever in a wall, so an end is as good as anything.
        let idle = |cell: &usize| self.terminal[*cell] || !self.is_place(*cell);
        let terminal: Vec<usize> = (0..cells).filter(idle).collect();
        let name = |cell: usize| format!("{},{}", cell / self.columns, cell % self.columns);
        let process = MarkovDecisionProcess::new(cells, actions, outcomes, Rewards::Action(rewards), discount)?;
        process.terminal(&terminal)?.named((0..cells).map(name).collect(), self.action_names())
    }
}

impl Environment for GridWorld {
    fn states(&self) -> Option<usize> {
        Some(self.walls.len())
    }

    fn actions(&self) -> usize {
        if self.teleports.iter().any(Option::is_some) { 5 } else { 4 }
    }

    fn reset(&mut self, random: &mut Random) {
        self.current = match self.start {
            Some(start) => start,
            None => {
                let free = |cell: &usize| self.is_place(*cell) && !self.terminal[*cell];
                let count = (0..self.walls.len()).filter(free).count().max(1);
                let chosen = random.below(count);
                (0..self.walls.len()).filter(free).nth(chosen).unwrap_or(0)
            }
        };
    }

    fn state(&self) -> usize {
        self.current
    }

    fn observation(&self) -> Vec<f32> {
        vec![(self.current / self.columns) as f32, (self.current % self.columns) as f32]
    }

    fn step(&mut self, action: usize, random: &mut Random) -> Step {
        let entered = self.entered(self.current, action);
        let mut left = if entered.len() > 1 { random.uniform() } else { 0.0 };
        // An action that cannot be taken changes nothing.
        let mut cell = entered.last().map_or(self.current, |(cell, _)| *cell);
        for (next, probability) in entered {
            left -= probability;
            if left < 0.0 {
                cell = next;
                break;
            }
        }
        self.current = self.falls[cell].unwrap_or(cell);
        Step { reward: self.rewards[cell], terminal: self.terminal[self.current] }
    }

    fn is_allowed(&self, state: usize, action: usize) -> bool {
        !self.entered(state, action).is_empty()
    }
}
