//! Learning by trial, without the probabilities of a process.

mod approximate;
mod choose;
mod control;
mod file;
mod monte_carlo;
mod predict;

use serde::{Deserialize, Serialize};

use super::environment::{Environment, Random};
use super::policy::Policy;
use crate::error::{Error, Result};

pub use approximate::LearnedWeights;

/// The first stream of random numbers of environments that run side by side.
const ENVIRONMENTS: u32 = 0x454e_5600;

/// How the values of actions are learnt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Control {
    /// Means of what episodes earned after an action; `first_visit` counts the first time in an episode only.
    MonteCarlo {
        /// Whether only the first visit of an episode counts.
        first_visit: bool,
    },
    /// r + γ·Q(s', a') with the action that is taken next: the values of the policy that is followed.
    Sarsa,
    /// r + γ·Σ π(a')·Q(s', a'): the same, averaged over the next action instead of drawing it.
    ExpectedSarsa,
    /// r + γ·max Q(s', a'): the values of the best policy, whatever is followed.
    QLearning,
    /// Two tables, one chooses the best next action and the other tells its value, so that luck is not taken for value
    /// (van Hasselt 2010).
    DoubleQLearning,
}

/// How the values of states under a policy are learnt.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Prediction {
    /// Means of what episodes earned after a state.
    MonteCarlo {
        /// Whether only the first visit of an episode counts.
        first_visit: bool,
    },
    /// V ← V + α(r + γ·V' − V), for all states of the episode by how long ago they were: TD(λ) with accumulating traces;
    /// TD(0) for λ = 0.
    TemporalDifference {
        /// What is left of a trace after a step, from 0 to 1.
        lambda: f64,
    },
}

/// How actions are chosen while learning. Ties are broken at random.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Exploration {
    /// A random action with this probability, else the best.
    EpsilonGreedy(f64),
    /// The same with a probability that falls to 0 over the episodes, so that what is learnt becomes the best policy.
    EpsilonDecay(f64),
    /// Actions in proportion to exp(Q/temperature).
    Softmax(f64),
    /// Any action: pure exploration.
    Random,
    /// The best action: pure exploitation.
    Greedy,
}

/// How much of an error is corrected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rate {
    /// The same share each time.
    Constant(f64),
    /// c/(c + t − 1) at the t-th visit: 1/t for c = 1, which makes values means; a larger c forgets the first, poor
    /// estimates sooner.
    Visits(f64),
}

impl Rate {
    fn at(self, visits: u32) -> f64 {
        match self {
            Rate::Constant(rate) => rate,
            Rate::Visits(c) => c / (c + f64::from(visits) - 1.0),
        }
    }
}

/// How something is learnt by trial.
///
/// ```
/// use gristmill::decision::{Control, GridWorld, Learning};
/// let world = GridWorld::cliff();
/// let learning = Learning::new(1.0).episodes(500); // ε-greedy with 0.1, rate 0.5
/// let q = learning.control(Control::QLearning, &world)?;
/// let sarsa = learning.control(Control::Sarsa, &world)?;
/// // Q-learning walks along the edge of the cliff, SARSA knows that it sometimes stumbles.
/// assert_eq!(q.policy().action(world.state_at(2, 5)), 1);
/// assert!(sarsa.mean_return(100) > q.mean_return(100));
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Learning {
    /// What a reward is worth a step later, γ, from 0 to 1.
    pub discount: f64,
    /// How much of an error is corrected.
    pub rate: Rate,
    /// How actions are chosen.
    pub exploration: Exploration,
    /// Episodes in all.
    pub episodes: usize,
    /// Steps after which an episode is cut off.
    pub max_steps: usize,
    /// Environments side by side, which share what they learn.
    pub environments: usize,
    /// Seed of everything that is drawn.
    pub seed: u64,
}

impl Learning {
    /// A rate of 0.5, ε-greedy with 0.1, 500 episodes of at most 10,000 steps, one environment.
    pub fn new(discount: f64) -> Learning {
        Learning {
            discount,
            rate: Rate::Constant(0.5),
            exploration: Exploration::EpsilonGreedy(0.1),
            episodes: 500,
            max_steps: 10_000,
            environments: 1,
            seed: 0,
        }
    }

    /// Sets how much of an error is corrected.
    pub fn rate(mut self, rate: Rate) -> Learning {
        self.rate = rate;
        self
    }

    /// Sets how actions are chosen.
    pub fn exploration(mut self, exploration: Exploration) -> Learning {
        self.exploration = exploration;
        self
    }

    /// Sets how many episodes there are.
    pub fn episodes(mut self, episodes: usize) -> Learning {
        self.episodes = episodes;
        self
    }

    /// Sets after how many steps an episode is cut off.
    pub fn max_steps(mut self, max_steps: usize) -> Learning {
        self.max_steps = max_steps;
        self
    }

    /// Sets how many environments run side by side.
    pub fn environments(mut self, environments: usize) -> Learning {
        self.environments = environments;
        self
    }

    /// Sets the seed.
    pub fn seed(mut self, seed: u64) -> Learning {
        self.seed = seed;
        self
    }

    fn check(&self) -> Result<()> {
        if !(0.0..=1.0).contains(&self.discount) {
            return Err(Error::param("discount", "from 0 to 1", self.discount));
        }
        match self.rate {
            Rate::Constant(rate) if !(rate > 0.0 && rate <= 1.0) => {
                return Err(Error::param("rate", "above 0 and at most 1", rate));
            }
            Rate::Visits(c) if !(c >= 1.0 && c.is_finite()) => {
                return Err(Error::param("rate", "c of at least 1", c));
            }
            _ => {}
        }
        match self.exploration {
            Exploration::EpsilonGreedy(epsilon) | Exploration::EpsilonDecay(epsilon)
                if !(0.0..=1.0).contains(&epsilon) =>
            {
                return Err(Error::param("epsilon", "from 0 to 1", epsilon));
            }
            Exploration::Softmax(temperature) if !(temperature > 0.0 && temperature.is_finite()) => {
                return Err(Error::param("temperature", "above 0 and finite", temperature));
            }
            _ => {}
        }
        for (name, value) in
            [("episodes", self.episodes), ("max_steps", self.max_steps), ("environments", self.environments)]
        {
            if value == 0 {
                return Err(Error::param(name, "at least 1", 0));
            }
        }
        Ok(())
    }

    /// The environments that run side by side, each with random numbers of its own.
    fn slots<E: Environment>(&self, environment: &E) -> Vec<Slot<E>> {
        let slot = |at: usize| Slot {
            environment: environment.clone(),
            random: Random::new(self.seed, ENVIRONMENTS.wrapping_add(at as u32)),
            running: false,
            action: 0,
            steps: 0,
            earned: 0.0,
        };
        (0..self.environments.min(self.episodes)).map(slot).collect()
    }
}

/// An environment and how far its episode is.
struct Slot<E> {
    environment: E,
    random: Random,
    running: bool,
    action: usize,
    steps: usize,
    earned: f64,
}

impl<E: Environment> Slot<E> {
    /// Begins an episode.
    fn begin(&mut self) {
        self.environment.reset(&mut self.random);
        (self.running, self.steps, self.earned) = (true, 0, 0.0);
    }

    /// Takes the action; whether the episode is over, and whether it was only cut off.
    fn step(&mut self, most: usize) -> (f64, bool, bool) {
        let step = self.environment.step(self.action, &mut self.random);
        self.steps += 1;
        self.earned += step.reward;
        (step.reward, step.terminal, !step.terminal && self.steps >= most)
    }
}

/// What was learnt of actions in numbered states.
#[derive(Debug, Clone, PartialEq)]
pub struct ActionValues {
    states: usize,
    actions: usize,
    values: Vec<f64>,
    visits: Vec<u32>,
    allowed: Vec<bool>,
    returns: Vec<f64>,
    lengths: Vec<u32>,
}

impl ActionValues {
    /// The value of an action in a state.
    pub fn value(&self, state: usize, action: usize) -> f64 {
        self.values[state * self.actions + action]
    }

    /// All values, S×A, row by row; 0 where nothing was learnt.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// How often each action was taken in each state, S×A.
    pub fn visits(&self) -> &[u32] {
        &self.visits
    }

    /// The value of the best action of each state, S; 0 where there is none.
    pub fn state_values(&self) -> Vec<f64> {
        let best = |state| choose::best(self.row(state)).map_or(0.0, |action| self.value(state, action));
        (0..self.states).map(best).collect()
    }

    /// The best action of each state; the lowest of equals.
    pub fn policy(&self) -> Policy {
        let mut probabilities = vec![0.0; self.values.len()];
        for state in 0..self.states {
            probabilities[state * self.actions + choose::best(self.row(state)).unwrap_or(0)] = 1.0;
        }
        Policy { actions: self.actions, probabilities }
    }

    fn row(&self, state: usize) -> choose::Row<'_> {
        let row = state * self.actions..(state + 1) * self.actions;
        choose::Row { values: &self.values[row.clone()], allowed: &self.allowed[row] }
    }

    /// What each episode earned, without the discount.
    pub fn returns(&self) -> &[f64] {
        &self.returns
    }

    /// The steps of each episode.
    pub fn lengths(&self) -> &[u32] {
        &self.lengths
    }

    /// What the last episodes earned on average.
    pub fn mean_return(&self, last: usize) -> f64 {
        let last = &self.returns[self.returns.len().saturating_sub(last.max(1))..];
        last.iter().sum::<f64>() / last.len().max(1) as f64
    }
}

/// What was learnt of states under a policy.
#[derive(Debug, Clone, PartialEq)]
pub struct StateValues {
    /// The value of each state, S; 0 for one that was never visited.
    pub values: Vec<f64>,
    /// How often each was visited, S.
    pub visits: Vec<u32>,
}

/// The number of states of an environment that has numbers for them.
fn numbered<E: Environment>(environment: &E) -> Result<(usize, usize)> {
    let actions = environment.actions();
    match environment.states() {
        Some(states) if states > 0 && actions > 0 && states.checked_mul(actions).is_some() => Ok((states, actions)),
        Some(states) => Err(Error::shape("Learning", "states and actions", format!("{states} and {actions}"))),
        None => {
            let expected = "an environment whose states are numbered; else see Learning::approximate";
            Err(Error::shape("Learning", expected, "one whose states are not"))
        }
    }
}
