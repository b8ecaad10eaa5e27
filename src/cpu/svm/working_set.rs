//! Working sets of a support vector machine, as a device chooses and solves them: one round after the other, in f32.

use std::ops::Range;

/// Variables of a working set.
pub const SET: usize = 256;
/// Variables whose standing is added up together.
pub const BLOCK: usize = 4096;
/// Numbers of a [`follow`] for each block.
pub const STANDING: usize = 12;
/// A bound that is none.
pub const UNBOUNDED: f32 = 3.0e38;
/// Larger than any slope.
pub const FAR: f32 = 1.0e38;
/// The number of no variable.
pub const NONE: u32 = u32::MAX;

/// Curvatures are at least this: rows that are equal have none.
const LEAST_CURVATURE: f32 = 1e-12;

/// Of a variable the least and the greatest value, what is added to the diagonal of the matrix, and the linear term.
pub type Limits = [f32; 4];

/// Who may join a working set.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidates {
    /// The variables of a group.
    pub group: Range<usize>,
    /// Whether they are to fall; else to rise.
    pub falls: bool,
    /// The tag of those that are in the set already.
    pub kept: u32,
    /// Slopes below it may rise, others may fall.
    pub middle: f32,
}

/// Keys that put the most violating variables first, and 1 for those that may join.
pub fn mark(
    limits: &[Limits],
    (beta, slope): (&[f32], &[f32]),
    tags: &[u32],
    candidates: &Candidates,
    (keys, mask): (&mut [f32], &mut [u32]),
) {
    for (at, limits) in limits.iter().enumerate() {
        let may = match candidates.falls {
            true => beta[at] > limits[0] && slope[at] >= candidates.middle,
            false => beta[at] < limits[1] && slope[at] < candidates.middle,
        };
        keys[at] = if candidates.falls { -slope[at] } else { slope[at] };
        mask[at] = u32::from(may && candidates.group.contains(&at) && tags[at] != candidates.kept);
    }
}

/// Puts selected variables into the set from a place on: their numbers, and the rows that they belong to.
pub fn place(
    selected: &[u32],
    (place, rows, tag): (usize, usize, u32),
    (index, row_index): (&mut [u32], &mut [u32]),
    tags: &mut [u32],
) {
    for (lane, &variable) in selected.iter().enumerate() {
        index[place + lane] = variable;
        row_index[place + lane] = if variable == NONE { 0 } else { variable % rows as u32 };
        if variable != NONE {
            tags[variable as usize] = tag;
        }
    }
}

/// Steps on pairs of the set, until none violates its conditions by more than `tol`, or so many were made: what changed in
/// each place. `square` is the kernel matrix of the set; behind the slopes stands the number of steps so far.
pub fn solve(
    square: &[f32],
    index: &[u32],
    (limits, group_first): (&[Limits], usize),
    (tol, steps): (f32, usize),
    (beta, slope): (&mut [f32], &mut [f32]),
    change: &mut [f32],
) {
    let used: Vec<usize> = (0..index.len()).filter(|place| index[*place] != NONE).collect();
    let variable = |place: usize| index[place] as usize;
    let diagonal = |place: usize| square[place * index.len() + place] + limits[variable(place)][2];
    let mut own: Vec<f32> = index.iter().map(|&at| if at == NONE { 0.0 } else { slope[at as usize] }).collect();
    let begun: Vec<f32> = index.iter().map(|&at| if at == NONE { 0.0 } else { beta[at as usize] }).collect();
    for _ in 0..steps {
        let rises = |place: &&usize| beta[variable(**place)] < limits[variable(**place)][1];
        let falls = |place: &&usize| beta[variable(**place)] > limits[variable(**place)][0];
        let in_group = |group: bool| move |place: &&usize| (variable(**place) >= group_first) == group;
        let mut best: Option<(f32, usize, bool)> = None;
        for group in [false, true] {
            let least = used.iter().filter(in_group(group)).filter(rises).min_by(|a, b| own[**a].total_cmp(&own[**b]));
            let most = used.iter().filter(in_group(group)).filter(falls).max_by(|a, b| own[**a].total_cmp(&own[**b]));
            if let (Some(&least), Some(&most)) = (least, most)
                && best.is_none_or(|(violation, ..)| own[most] - own[least] > violation)
            {
                best = Some((own[most] - own[least], least, group));
            }
        }
        let Some((violation, riser, group)) = best else { break };
        if violation <= tol {
            break;
        }
        let bend = |place: usize| {
            (diagonal(riser) + diagonal(place) - 2.0 * square[riser * index.len() + place]).max(LEAST_CURVATURE)
        };
        let mut partner: Option<(f32, usize)> = None;
        for &place in used.iter().filter(in_group(group)).filter(falls).filter(|place| own[**place] > own[riser]) {
            let gain = (own[place] - own[riser]).powi(2) / bend(place);
            if partner.is_none_or(|(most, _)| gain > most) {
                partner = Some((gain, place));
            }
        }
        let Some((_, faller)) = partner else { break };
        let [up, down] = [variable(riser), variable(faller)];
        let room = [limits[up][1] - beta[up], beta[down] - limits[down][0]];
        let size = ((own[faller] - own[riser]) / bend(faller)).min(room[0]).min(room[1]);
        beta[up] = if size == room[0] { limits[up][1] } else { beta[up] + size };
        beta[down] = if size == room[1] { limits[down][0] } else { beta[down] - size };
        for (place, own) in own.iter_mut().enumerate() {
            *own += size * (square[riser * index.len() + place] - square[faller * index.len() + place]);
        }
        own[riser] += size * limits[up][2];
        own[faller] -= size * limits[down][2];
        if let Some(made) = slope.last_mut() {
            *made += 1.0;
        }
    }
    for (place, change) in change.iter_mut().enumerate() {
        *change = if index[place] == NONE { 0.0 } else { beta[variable(place)] - begun[place] };
        if index[place] != NONE {
            slope[variable(place)] += *change * limits[variable(place)][2];
        }
    }
}

/// Adds the sum of its row to the slope of each variable, if there are sums. For each block of variables: least slope that may
/// rise and greatest that may fall of both groups, sum and number of the slopes between bounds of both, objective, gap, what a
/// margin without slack is short of, steps so far.
pub fn follow(
    sums: Option<&[f32]>,
    (rows, group_first, offsets): (usize, usize, [f32; 2]),
    (limits, beta): (&[Limits], &[f32]),
    slope: &mut [f32],
) -> Vec<[f32; STANDING]> {
    let mut standing = vec![];
    for first in (0..limits.len()).step_by(BLOCK) {
        let mut block = [FAR, -FAR, FAR, -FAR, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        for at in first..(first + BLOCK).min(limits.len()) {
            slope[at] += sums.map_or(0.0, |sums| sums[at % rows]);
            let (value, own, group) = (beta[at], slope[at], usize::from(at >= group_first));
            let (rises, falls) = (value < limits[at][1], value > limits[at][0]);
            if rises {
                block[2 * group] = block[2 * group].min(own);
            }
            if falls {
                block[2 * group + 1] = block[2 * group + 1].max(own);
            }
            if rises && falls {
                block[4 + 2 * group] += own;
                block[5 + 2 * group] += 1.0;
            }
            block[8] += 0.5 * value * (own + limits[at][3]);
            match own_gap(value, own, limits[at], offsets[group]) {
                Ok(gap) => block[9] += gap,
                Err(short) => block[10] = block[10].max(short),
            }
        }
        standing.push(block);
    }
    if let (Some(block), Some(steps)) = (standing.first_mut(), slope.get(limits.len())) {
        block[11] = *steps;
    }
    standing
}

/// What a variable adds to the duality gap, or what it is short of where nothing bounds it.
fn own_gap(value: f32, slope: f32, [low, high, ridge, _]: Limits, offset: f32) -> Result<f32, f32> {
    let rest = slope - ridge * value - offset;
    let best = match ridge > 0.0 {
        true => (-rest / ridge).clamp(low, high),
        false if rest > 0.0 => low,
        false if rest < 0.0 => high,
        false => value,
    };
    match best.abs() < UNBOUNDED {
        true => Ok(0.5 * ridge * (value * value - best * best) + rest * (value - best)),
        false => Err(rest.abs()),
    }
}
