//! Values of actions as planes over features, for states without numbers.

use super::choose::{self, Row, choose};
use super::control::expected;
use super::{Control, Exploration, Learning, Rate};
use crate::array::Matrix;
use crate::decision::environment::{Environment, Random};
use crate::error::{Error, Result};

/// The stream of random numbers of a trial.
const TRIAL: u32 = 0x5452_4941;

/// What was learnt of actions: a plane for each, over features of what is seen.
#[derive(Debug, Clone, PartialEq)]
pub struct LearnedWeights {
    pub(super) actions: usize,
    /// A×d.
    pub(super) weights: Vec<f64>,
    pub(super) returns: Vec<f64>,
}

impl LearnedWeights {
    /// The weights of each action, A×d, row by row.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// What each episode earned, without the discount.
    pub fn returns(&self) -> &[f64] {
        &self.returns
    }

    /// The values of all actions for features of what is seen, d.
    pub fn values(&self, features: &[f32]) -> Result<Vec<f64>> {
        if features.len() * self.actions != self.weights.len() {
            let expected = format!("{} features", self.weights.len() / self.actions.max(1));
            return Err(Error::shape("LearnedWeights", expected, features.len()));
        }
        Ok(values(&self.weights, features))
    }

    /// What an episode earns when the best action is always taken, at most so many steps long. `features` is what it was
    /// learnt with.
    pub fn trial<E: Environment>(
        &self,
        environment: &E,
        features: impl Fn(&Matrix) -> Result<Matrix>,
        max_steps: usize,
        seed: u64,
    ) -> Result<f64> {
        let (mut environment, mut random) = (environment.clone(), Random::new(seed, TRIAL));
        environment.reset(&mut random);
        let mut earned = 0.0;
        for _ in 0..max_steps {
            let seen = environment.observation();
            let made = features(&Matrix::from_vec(1, seen.len(), seen)?)?;
            let found = self.values(made.row(0))?;
            let allowed = vec![true; self.actions];
            let action = choose::best(Row { values: &found, allowed: &allowed }).unwrap_or(0);
            let step = environment.step(action, &mut random);
            earned += step.reward;
            if step.terminal {
                break;
            }
        }
        Ok(earned)
    }
}

fn values(weights: &[f64], features: &[f32]) -> Vec<f64> {
    let dot = |row: &[f64]| row.iter().zip(features).map(|(weight, feature)| weight * f64::from(*feature)).sum();
    weights.chunks(features.len().max(1)).map(dot).collect()
}

impl Learning {
    /// Learns values of actions as planes over features of what is seen, by steps against the error of the next value
    /// (SARSA, expected SARSA or Q-learning). `features` makes them of observations, n×p to n×d: any fitted transformer,
    /// `|x| model.transform(x)`. The environments that run side by side are transformed at once. A step is divided by the
    /// squared length of the features, so that a constant rate is the share of an error that it corrects; `Rate::Visits`
    /// counts all steps.
    ///
    /// ```
    /// use gristmill::decision::{CartPole, Control, Learning, Rate};
    /// use gristmill::prelude::*;
    /// let seen = Matrix::from_rows(&[[0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.1, 1.0]])?;
    /// let squares = PolynomialFeatures::new(2).fit(&seen)?;
    /// let learning = Learning::new(0.99).rate(Rate::Constant(0.05)).episodes(30).max_steps(200);
    /// let learned = learning.approximate(Control::Sarsa, &CartPole::new(), |x| squares.transform(x))?;
    /// assert_eq!(learned.weights().len(), 2 * 15); // a plane over 15 products for each action
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn approximate<E: Environment>(
        &self,
        control: Control,
        environment: &E,
        features: impl Fn(&Matrix) -> Result<Matrix>,
    ) -> Result<LearnedWeights> {
        self.check()?;
        if !matches!(control, Control::Sarsa | Control::ExpectedSarsa | Control::QLearning) {
            return Err(Error::param(
                "control",
                "sarsa, expected-sarsa or q-learning over features",
                format!("{control:?}"),
            ));
        }
        let actions = environment.actions();
        let allowed = vec![true; actions];
        let mut slots = self.slots(environment);
        slots.iter_mut().for_each(super::Slot::begin);
        let observed = |slots: &[super::Slot<E>]| -> Result<Matrix> {
            let seen: Vec<Vec<f32>> = slots.iter().map(|slot| slot.environment.observation()).collect();
            features(&Matrix::from_vec(seen.len(), seen[0].len(), seen.concat())?)
        };
        let mut now = observed(&slots)?;
        if now.rows() != slots.len() || now.columns() == 0 {
            let expected = format!("{} rows of features", slots.len());
            return Err(Error::shape("Learning::approximate", expected, format!("{}×{}", now.rows(), now.columns())));
        }
        let columns = now.columns();
        let mut weights = vec![0.0; actions * columns];
        let (mut returns, mut counted) = (vec![], 0_u32);
        let choice = |weights: &[f64], features: &[f32], progress: f64, random: &mut Random| {
            choose(self.exploration, progress, Row { values: &values(weights, features), allowed: &allowed }, random)
        };
        for (at, slot) in slots.iter_mut().enumerate() {
            slot.action = choice(&weights, now.row(at), 0.0, &mut slot.random);
        }
        while returns.len() < self.episodes {
            let progress = returns.len() as f64 / self.episodes as f64;
            // All take a step, then what they see is transformed at once.
            let mut results = Vec::with_capacity(slots.len());
            for slot in &mut slots {
                let result = slot.step(self.max_steps);
                if result.1 {
                    returns.push(slot.earned);
                    slot.begin();
                }
                results.push(result);
            }
            let next = observed(&slots)?;
            let cut_off: Vec<bool> = results.iter().map(|(_, _, cut)| *cut).collect();
            for (at, (slot, (reward, terminal, cut))) in slots.iter_mut().zip(results).enumerate() {
                let chosen = choice(&weights, next.row(at), progress, &mut slot.random);
                let ahead = match terminal {
                    true => 0.0,
                    false => ahead(control, self.exploration, progress, &values(&weights, next.row(at)), chosen),
                };
                let own = &mut weights[slot.action * columns..(slot.action + 1) * columns];
                let value: f64 = values(own, now.row(at)).iter().sum();
                let length: f64 = now.row(at).iter().map(|feature| f64::from(*feature).powi(2)).sum();
                counted = counted.saturating_add(1);
                let rate = match self.rate {
                    Rate::Constant(rate) => rate,
                    rate => rate.at(counted),
                };
                let step = rate * (reward + self.discount * ahead - value) / length.max(f64::MIN_POSITIVE);
                own.iter_mut().zip(now.row(at)).for_each(|(weight, feature)| *weight += step * f64::from(*feature));
                slot.action = chosen;
                if cut {
                    returns.push(slot.earned);
                    slot.begin();
                }
            }
            now = next;
            if cut_off.iter().any(|cut| *cut) {
                // Those that were cut off see their new beginning.
                now = observed(&slots)?;
                for (at, slot) in slots.iter_mut().enumerate().filter(|(at, _)| cut_off[*at]) {
                    slot.action = choice(&weights, now.row(at), progress, &mut slot.random);
                }
            }
        }
        returns.truncate(self.episodes);
        Ok(LearnedWeights { actions, weights, returns })
    }
}

/// What the next step is worth.
fn ahead(control: Control, exploration: Exploration, progress: f64, values: &[f64], chosen: usize) -> f64 {
    let allowed = vec![true; values.len()];
    let row = Row { values, allowed: &allowed };
    match control {
        Control::Sarsa => values[chosen],
        Control::ExpectedSarsa => expected(exploration, progress, row),
        _ => choose::largest(row),
    }
}
