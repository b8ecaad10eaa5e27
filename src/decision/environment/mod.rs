//! What can be tried out: environments with states, actions and rewards.

mod bandit;
mod cart_pole;
mod grid;
mod grid_json;

use crate::cpu::random::HostRng;

pub use bandit::Bandit;
pub use cart_pole::CartPole;
pub use grid::GridWorld;

/// The random numbers of an environment; the same seed gives the same ones.
#[derive(Debug, Clone)]
pub struct Random(HostRng);

impl Random {
    /// The numbers of a seed for one purpose.
    pub fn new(seed: u64, stream: u32) -> Random {
        Random(HostRng::new(seed, stream))
    }

    /// A number in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        self.0.uniform()
    }

    /// An index below `bound`, which is at least 1.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound)
    }

    /// A number of the standard normal distribution.
    pub fn normal(&mut self) -> f64 {
        let (radius, angle) = (1.0 - self.uniform(), std::f64::consts::TAU * self.uniform());
        (-2.0 * radius.ln()).sqrt() * angle.cos()
    }
}

/// What an action brought.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// What was earned.
    pub reward: f64,
    /// Whether the episode is over.
    pub terminal: bool,
}

/// Something that is learnt by trial: it is in a state, takes actions, and pays rewards.
///
/// ```
/// use gristmill::decision::{Control, Environment, Learning, Random, Rate, Step};
/// /// A coin that may be bet on: heads pays 1 in six of ten throws.
/// #[derive(Clone)]
/// struct Coin;
/// impl Environment for Coin {
///     fn states(&self) -> Option<usize> { Some(1) }
///     fn actions(&self) -> usize { 2 }
///     fn reset(&mut self, _: &mut Random) {}
///     fn state(&self) -> usize { 0 }
///     fn step(&mut self, action: usize, random: &mut Random) -> Step {
///         let heads = random.uniform() < 0.6;
///         Step { reward: f64::from(heads == (action == 0)), terminal: true }
///     }
/// }
/// let learning = Learning::new(1.0).rate(Rate::Visits(1.0)).episodes(3000); // 1/t: means
/// let learned = learning.control(Control::QLearning, &Coin)?;
/// assert!((learned.value(0, 0) - 0.6).abs() < 0.05 && learned.policy().action(0) == 0);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub trait Environment: Clone {
    /// How many states there are, if they are numbered; `None` where they are numbers without end, as angles are.
    fn states(&self) -> Option<usize>;

    /// How many actions there are.
    fn actions(&self) -> usize;

    /// Begins an episode.
    fn reset(&mut self, random: &mut Random);

    /// The number of the state it is in; 0 where they are not numbered.
    fn state(&self) -> usize;

    /// Takes an action.
    fn step(&mut self, action: usize, random: &mut Random) -> Step;

    /// What can be seen of the state, as numbers: the same number of them always. Its number, unless there is more.
    fn observation(&self) -> Vec<f32> {
        vec![self.state() as f32]
    }

    /// Whether an action can be taken in a state of this number.
    fn is_allowed(&self, _state: usize, _action: usize) -> bool {
        true
    }
}
