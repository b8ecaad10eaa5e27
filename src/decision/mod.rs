//! Decisions: processes whose model is known, and learning by trial where it is not.
//!
//! A [`MarkovDecisionProcess`] is solved by value or policy iteration; [`Learning`] finds the values of actions in an
//! [`Environment`] by Monte Carlo or temporal differences. Both are types of their own, saved and loaded like models. At
//! the shell: `gristmill decide`.
//!
//! ```
//! use gristmill::decision::{GridWorld, Learning, Control, Solve};
//! let world = GridWorld::notes();
//! let process = world.process(0.9)?;
//! let best = process.value_iteration(&Solve::default())?;
//! let learned = Learning::new(0.9).episodes(2000).control(Control::QLearning, &world)?;
//! assert_eq!(learned.policy().action(world.state_at(0, 0)), best.policy.action(world.state_at(0, 0)));
//! # Ok::<(), gristmill::Error>(())
//! ```

mod environment;
mod learning;
mod pictures;
mod policy;
mod process;

pub use environment::{Bandit, CartPole, Environment, GridWorld, Random, Step};
pub use learning::{ActionValues, Control, Exploration, LearnedWeights, Learning, Prediction, Rate, StateValues};
pub use pictures::{learning_curves, policy_picture};
pub use policy::Policy;
pub use process::{MarkovDecisionProcess, Outcome, Rewards, Solution, Solve};
