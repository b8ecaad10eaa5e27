//! Where a chain spends its time in the long run, and how soon it gets there.

use std::collections::HashMap;

use nalgebra::DMatrix;

use super::model::MarkovChainModel;
use crate::error::{Error, Result};

/// States of a chain whose long run is computed: the elimination is cubic.
const MOST_STATES: usize = 2048;
/// States of a chain whose powers are computed.
const MOST_MIXED: usize = 512;

/// The distribution that a chain converges to, over its states: contexts of `order` symbols.
#[derive(Debug, Clone, PartialEq)]
pub struct Stationary {
    /// The symbols of each state, the oldest first.
    pub states: Vec<Vec<String>>,
    /// The share of time in each state; 0 for one that is left for ever.
    pub probabilities: Vec<f64>,
    /// The steps after which it can come back: their greatest common divisor. At 1 the chain forgets its start.
    pub period: usize,
}

/// States by number and the probabilities of the steps between them.
pub(super) struct States {
    pub contexts: Vec<Vec<u32>>,
    /// (state, probability) for each state.
    pub steps: Vec<Vec<(usize, f64)>>,
}

impl MarkovChainModel {
    /// The stationary distribution π = πP, by elimination without subtractions (Grassmann, Taksar and Heyman 1985), so
    /// small probabilities keep their digits. O(n³) for n states, at most 2048.
    ///
    /// A chain with several parts that it never leaves has several: [`Error::Process`] names one state of two of them. A
    /// state that was only seen at the end of a sequence has no row: [`Error::Context`].
    pub fn stationary(&self) -> Result<Stationary> {
        let states = self.states()?;
        let (members, period) = self.recurrent(&states)?;
        let mut probabilities = vec![0.0; states.contexts.len()];
        for (state, share) in members.iter().zip(eliminated(&states, &members)) {
            probabilities[*state] = share;
        }
        let named = states.contexts.iter().map(|context| self.named(context)).collect();
        Ok(Stationary { states: named, probabilities, period })
    }

    /// The steps after which the chain is within `epsilon` of its stationary distribution, in total variation, whatever the
    /// state it started in. O(n³ log steps) for n states, at most 512. A periodic chain never is: [`Error::Process`].
    ///
    /// ```
    /// use gristmill::sequence::MarkovChain;
    /// // The distance after t steps is 0.3ᵗ times that of the start, at most 4/7.
    /// let weather = MarkovChain::from_probabilities(&["rain", "sun"], &[0.5, 0.5], &[[0.7, 0.3], [0.4, 0.6]])?;
    /// assert_eq!(weather.mixing_time(0.01)?, 4);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn mixing_time(&self, epsilon: f64) -> Result<u64> {
        if !(epsilon > 0.0 && epsilon < 1.0) {
            return Err(Error::param("epsilon", "above 0 and below 1", epsilon));
        }
        let (states, stationary) = (self.states()?, self.stationary()?);
        let size = states.contexts.len();
        if size > MOST_MIXED {
            let what = "states of a chain that is mixed".to_string();
            return Err(Error::Limit { what, need: size as u64, have: MOST_MIXED as u64 });
        }
        if stationary.period > 1 {
            let why = format!("the chain has the period {}: it never mixes; add smoothing", stationary.period);
            return Err(Error::Process { place: "the chain".to_string(), why });
        }
        let mut step = DMatrix::zeros(size, size);
        for (from, steps) in states.steps.iter().enumerate() {
            steps.iter().for_each(|(to, probability)| step[(from, *to)] += probability);
        }
        let mixed = |power: &DMatrix<f64>| {
            let distance = |row: usize| {
                let pairs = stationary.probabilities.iter().enumerate();
                pairs.map(|(column, share)| (power[(row, column)] - share).abs()).sum::<f64>() / 2.0
            };
            (0..size).map(distance).fold(0.0, f64::max) <= epsilon
        };
        // The distance never grows, so the powers of 2 find the last bit that is still too few, then the others.
        let mut powers = vec![step];
        while !mixed(&powers[powers.len() - 1]) {
            let last = &powers[powers.len() - 1];
            if powers.len() > 60 {
                let why = "the chain does not mix within 2⁶⁰ steps; ask for a larger epsilon".to_string();
                return Err(Error::Process { place: "the chain".to_string(), why });
            }
            let next = last * last;
            powers.push(next);
        }
        if mixed(&DMatrix::identity(size, size)) {
            return Ok(0);
        }
        let (mut steps, mut reached) = (0, DMatrix::identity(size, size));
        for (bit, power) in powers.iter().enumerate().rev() {
            let further = &reached * power;
            if !mixed(&further) {
                (steps, reached) = (steps + (1_u64 << bit), further);
            }
        }
        Ok(steps + 1)
    }

    /// The states that were seen and those that follow from them.
    pub(super) fn states(&self) -> Result<States> {
        let start = self.start();
        let seen = self.levels.last().into_iter().flat_map(|level| level.contexts());
        let mut contexts: Vec<Vec<u32>> =
            seen.filter(|context| !context.contains(&start)).map(<[u32]>::to_vec).collect();
        if contexts.is_empty() {
            let last = self.levels.last().into_iter().flat_map(|level| level.contexts()).last();
            return Err(Error::Context { context: last.map_or(vec![], |context| self.named(context)) });
        }
        let mut numbers: HashMap<Vec<u32>, usize> = contexts.iter().cloned().zip(0..).collect();
        let mut steps = vec![];
        while steps.len() < contexts.len() {
            let context = contexts[steps.len()].clone();
            let row = self.row(&context)?;
            let mut own = vec![];
            for (symbol, probability) in (0..).zip(row).filter(|(_, probability)| *probability > 0.0) {
                let next: Vec<u32> = context[1..].iter().copied().chain([symbol]).collect();
                let number = *numbers.entry(next.clone()).or_insert_with(|| {
                    contexts.push(next);
                    contexts.len() - 1
                });
                own.push((number, probability));
            }
            if contexts.len() > MOST_STATES {
                let what = "states of a chain whose long run is computed".to_string();
                return Err(Error::Limit { what, need: contexts.len() as u64, have: MOST_STATES as u64 });
            }
            steps.push(own);
        }
        Ok(States { contexts, steps })
    }

    /// The one part that the chain never leaves, in ascending order, and its period.
    fn recurrent(&self, states: &States) -> Result<(Vec<usize>, usize)> {
        let part = &parts(&states.steps)[..];
        let mut closed = vec![true; part.iter().max().map_or(0, |last| last + 1)];
        for (from, steps) in states.steps.iter().enumerate() {
            if steps.iter().any(|(to, _)| part[*to] != part[from]) {
                closed[part[from]] = false;
            }
        }
        let mut found = (0..closed.len()).filter(|part| closed[*part]);
        let (Some(own), other) = (found.next(), found.next()) else {
            return Err(Error::Context { context: vec![] });
        };
        let of = |wanted: usize| (0..part.len()).filter(move |state| part[*state] == wanted);
        if let Some(other) = other {
            let name = |wanted: usize| {
                let context = of(wanted).next().map(|state| &states.contexts[state]);
                format!("{:?}", context.map_or(String::new(), |context| self.named(context).join(" ")))
            };
            let why = "the chain never gets from one to the other, so its long run depends on the start; add smoothing";
            let place = format!("states {} and {}", name(own), name(other));
            return Err(Error::Process { place, why: why.to_string() });
        }
        let members: Vec<usize> = of(own).collect();
        let period = period(&states.steps, members[0]);
        Ok((members, period))
    }
}

/// The strongly connected part of each state (Tarjan 1972, without recursion).
fn parts(steps: &[Vec<(usize, f64)>]) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let count = steps.len();
    let (mut index, mut low, mut part) = (vec![NONE; count], vec![0; count], vec![NONE; count]);
    let (mut stack, mut next, mut found) = (vec![], 0, 0);
    for root in 0..count {
        let mut walk = if index[root] == NONE { vec![(root, 0)] } else { vec![] };
        while let Some((state, at)) = walk.pop() {
            if at == 0 {
                (index[state], low[state]) = (next, next);
                next += 1;
                stack.push(state);
            } else {
                let (child, _) = steps[state][at - 1];
                low[state] = low[state].min(low[child]);
            }
            let mut at = at;
            let mut deeper = None;
            while let Some((child, _)) = steps[state].get(at) {
                at += 1;
                if index[*child] == NONE {
                    deeper = Some(*child);
                    break;
                } else if part[*child] == NONE {
                    low[state] = low[state].min(index[*child]);
                }
            }
            if let Some(child) = deeper {
                walk.extend([(state, at), (child, 0)]);
                continue;
            }
            if low[state] == index[state] {
                while let Some(member) = stack.pop() {
                    part[member] = found;
                    if member == state {
                        break;
                    }
                }
                found += 1;
            }
        }
    }
    part
}

/// The greatest common divisor of the lengths of all ways from a state back to it.
fn period(steps: &[Vec<(usize, f64)>], from: usize) -> usize {
    let mut depth = vec![usize::MAX; steps.len()];
    depth[from] = 0;
    let (mut waiting, mut divisor) = (std::collections::VecDeque::from([from]), 0_usize);
    while let Some(state) = waiting.pop_front() {
        for (next, _) in &steps[state] {
            if depth[*next] == usize::MAX {
                depth[*next] = depth[state] + 1;
                waiting.push_back(*next);
            } else {
                divisor = common_divisor(divisor, (depth[state] + 1).abs_diff(depth[*next]));
            }
        }
    }
    divisor.max(1)
}

fn common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

/// The stationary distribution on the members of a closed part.
fn eliminated(states: &States, members: &[usize]) -> Vec<f64> {
    let size = members.len();
    let numbers: HashMap<usize, usize> = members.iter().copied().zip(0..).collect();
    let mut rates = vec![0.0; size * size];
    for (row, state) in members.iter().enumerate() {
        for (to, probability) in &states.steps[*state] {
            rates[row * size + numbers[to]] += probability;
        }
    }
    // The last state is left out, its ways in and out joined; no subtraction is ever made.
    for last in (1..size).rev() {
        let out: f64 = rates[last * size..last * size + last].iter().sum();
        let (upper, lower) = rates.split_at_mut(last * size);
        let leaving = &lower[..last];
        for row in 0..last {
            let into = upper[row * size + last] / out;
            upper[row * size + last] = into;
            let row = &mut upper[row * size..row * size + last];
            row.iter_mut().zip(leaving).for_each(|(rate, leaving)| *rate += into * leaving);
        }
    }
    let mut shares = vec![1.0; size];
    for at in 1..size {
        shares[at] = (0..at).map(|row| shares[row] * rates[row * size + at]).sum();
    }
    let total: f64 = shares.iter().sum();
    shares.iter().map(|share| share / total).collect()
}
