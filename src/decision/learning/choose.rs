//! Choosing actions.

use super::Exploration;
use crate::decision::environment::Random;

/// The values of the actions of a state, and which can be taken.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    pub values: &'a [f64],
    pub allowed: &'a [bool],
}

impl Row<'_> {
    fn actions(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        (0..self.values.len()).filter(|action| self.allowed[*action])
    }
}

/// The best action, the lowest of equals; none where none can be taken.
pub(super) fn best(row: Row<'_>) -> Option<usize> {
    row.actions().reduce(|best, action| if row.values[action] > row.values[best] { action } else { best })
}

/// The largest value of an action that can be taken, 0 where there is none.
pub(super) fn largest(row: Row<'_>) -> f64 {
    best(row).map_or(0.0, |action| row.values[action])
}

/// The share of random actions when some part of the episodes is over.
fn epsilon(exploration: Exploration, progress: f64) -> Option<f64> {
    match exploration {
        Exploration::EpsilonGreedy(epsilon) => Some(epsilon),
        Exploration::EpsilonDecay(epsilon) => Some(epsilon * (1.0 - progress)),
        Exploration::Random => Some(1.0),
        Exploration::Greedy => Some(0.0),
        Exploration::Softmax(_) => None,
    }
}

/// The probability of each action.
pub(super) fn probabilities(exploration: Exploration, progress: f64, row: Row<'_>) -> Vec<f64> {
    let mut found = vec![0.0; row.values.len()];
    let count = row.actions().count() as f64;
    match (epsilon(exploration, progress), exploration) {
        (None, Exploration::Softmax(temperature)) => {
            let most = largest(row);
            row.actions().for_each(|action| found[action] = ((row.values[action] - most) / temperature).exp());
            let sum: f64 = found.iter().sum();
            found.iter_mut().for_each(|share| *share /= sum);
        }
        (epsilon, _) => {
            let (epsilon, most) = (epsilon.unwrap_or(0.0), largest(row));
            let ties = row.actions().filter(|action| row.values[*action] == most).count() as f64;
            for action in row.actions() {
                let greedy = if row.values[action] == most { (1.0 - epsilon) / ties } else { 0.0 };
                found[action] = epsilon / count + greedy;
            }
        }
    }
    found
}

/// An action; the first where none can be taken.
pub(super) fn choose(exploration: Exploration, progress: f64, row: Row<'_>, random: &mut Random) -> usize {
    let Some(epsilon) = epsilon(exploration, progress) else {
        let mut left = random.uniform();
        let shares = probabilities(exploration, progress, row);
        let chosen = row.actions().find(|action| {
            left -= shares[*action];
            left < 0.0
        });
        return chosen.or_else(|| best(row)).unwrap_or(0);
    };
    let any = epsilon > 0.0 && random.uniform() < epsilon;
    let most = largest(row);
    let fitting = row.actions().filter(|action| any || row.values[*action] == most);
    let count = fitting.clone().count();
    let chosen = if count > 1 { random.below(count) } else { 0 };
    fitting.clone().nth(chosen).unwrap_or(0)
}
