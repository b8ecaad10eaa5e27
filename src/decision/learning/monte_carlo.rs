//! Means of what whole episodes earned.

use super::choose::choose;
use super::control::Tables;
use super::{ActionValues, Learning, Slot};
use crate::decision::environment::Environment;
use crate::error::Result;

/// A step of an episode: what was in which place, and the reward behind it.
pub(super) type Visit = (usize, f64);

/// Hands each place of an episode what was earned after it, the last visit first, or only the first visit of each.
pub(super) fn earned_after(
    episode: &[Visit],
    discount: f64,
    first_visit: bool,
    stamps: &mut [u32],
    mut take: impl FnMut(usize, f64),
) {
    if first_visit {
        // The number of the first visit, from 1; cleared again below.
        for (at, (place, _)) in episode.iter().enumerate().rev() {
            stamps[*place] = at as u32 + 1;
        }
    }
    let mut earned = 0.0;
    for (at, (place, reward)) in episode.iter().enumerate().rev() {
        earned = reward + discount * earned;
        if !first_visit || stamps[*place] == at as u32 + 1 {
            take(*place, earned);
        }
    }
    episode.iter().for_each(|(place, _)| stamps[*place] = 0);
}

impl Learning {
    /// Monte Carlo control: each environment plays an episode to its end, then its values are corrected.
    pub(super) fn monte_carlo<E: Environment>(&self, first_visit: bool, environment: &E) -> Result<ActionValues> {
        let mut tables = Tables::new(environment, 1)?;
        let mut stamps = vec![0; tables.shown.len()];
        let mut slots = self.slots(environment);
        let (mut returns, mut lengths) = (vec![], vec![]);
        while returns.len() < self.episodes {
            let progress = returns.len() as f64 / self.episodes as f64;
            // All play by the same values, then all learn.
            let count = slots.len().min(self.episodes - returns.len());
            let episodes: Vec<Vec<Visit>> =
                slots.iter_mut().take(count).map(|slot| self.played(&tables, slot, progress)).collect();
            for (slot, episode) in slots.iter().zip(episodes) {
                earned_after(&episode, self.discount, first_visit, &mut stamps, |place, earned| {
                    tables.correct(self, 0, place, earned);
                });
                returns.push(slot.earned);
                lengths.push(slot.steps as u32);
            }
        }
        Ok(tables.finish(returns, lengths))
    }

    fn played<E: Environment>(&self, tables: &Tables, slot: &mut Slot<E>, progress: f64) -> Vec<Visit> {
        let mut episode = vec![];
        slot.begin();
        loop {
            let state = slot.environment.state();
            slot.action = choose(self.exploration, progress, tables.shown(state), &mut slot.random);
            let (reward, terminal, cut) = slot.step(self.max_steps);
            episode.push((state * tables.actions + slot.action, reward));
            if terminal || cut {
                return episode;
            }
        }
    }
}
