use gristmill::ops::neural::*;
use gristmill::prelude::*;

use crate::support::{devices, numbers};

fn step_numbers(rule: StepRule) -> StepNumbers<f32> {
    StepNumbers {
        rule,
        rate: 0.1,
        kept: 0.9,
        added: 0.1,
        kept_square: 0.99,
        added_square: 0.01,
        spread: 2.0,
        epsilon: 1e-3,
        shrink: if rule == StepRule::Adam { 0.98 } else { 1.0 },
    }
}

/// One step in f64: the parameter and both memories.
fn oracle(rule: StepRule, [w, g, first, second]: [f64; 4]) -> [f64; 3] {
    match rule {
        StepRule::Gradient => [w - 0.1 * g, first, second],
        StepRule::Momentum => [w - 0.1 * (0.9 * first + g), 0.9 * first + g, second],
        StepRule::Nesterov => [w - 0.1 * (g + 0.9 * (0.9 * first + g)), 0.9 * first + g, second],
        StepRule::Adagrad => [w - 0.1 * g / ((first + g * g).sqrt() + 1e-3), first + g * g, second],
        StepRule::RmsProp => {
            let s = 0.9 * first + 0.1 * g * g;
            [w - 0.1 * g / (s.sqrt() + 1e-3), s, second]
        }
        StepRule::Adam => {
            let (m, s) = (0.9 * first + 0.1 * g, 0.99 * second + 0.01 * g * g);
            [0.98 * w - 0.1 * m / ((2.0 * s).sqrt() + 1e-3), m, s]
        }
    }
}

#[test]
fn a_step_of_every_rule_is_its_formula_with_penalties_on_weights_alone() {
    use StepRule::{Adagrad, Adam, Gradient, Momentum, Nesterov, RmsProp};
    for rule in [Gradient, Momentum, Nesterov, Adagrad, RmsProp, Adam] {
        for (count, clip) in [(4, None), (257, Some(0.5)), (40_000, None)] {
            let [weights, slopes, first, second] = [1, 2, 3, 4].map(|seed| numbers(count, seed));
            let [first, second] =
                [first, second].map(|values| values.iter().map(|value| value.abs()).collect::<Vec<f32>>());
            let range = [count / 4, count / 2];
            let length = slopes.iter().map(|slope| f64::from(*slope).powi(2)).sum::<f64>().sqrt();
            let factor = clip.map_or(1.0, |limit: f32| (f64::from(limit) / length).min(1.0));
            for (name, device) in devices() {
                let mut stream = device.stream();
                let on = |values: &[f32]| DeviceVec::from_slice(values, device).unwrap();
                let (mut parameters, gradient) = (on(&weights), on(&slopes));
                let mut memory = Memory { first: on(&first), second: on(&second) };
                let ranges = DeviceVec::from_slice(&range.map(|end| end as u32), device).unwrap();
                let norms = on(&[(length * length) as f32, 0.0, 0.0, 0.0]);
                let clip = clip.map(|limit| Clip { norms: &norms, pieces: 1, limit });
                let penalty = WeightPenalty { l1: 0.2, l2: 0.3, ranges: &ranges };
                let numbers = step_numbers(rule);
                update(&mut stream, &numbers, (penalty, clip), (&mut parameters, &gradient), &mut memory).unwrap();
                let found = [&parameters, &memory.first, &memory.second].map(|made| made.to_vec(&mut stream).unwrap());
                for at in 0..count {
                    let [w, raw, m, s] = [&weights, &slopes, &first, &second].map(|values| f64::from(values[at]));
                    let penalised = (range[0]..range[1]).contains(&at);
                    let slope = factor * raw + if penalised { 0.3 * w + 0.2 * w.signum() } else { 0.0 };
                    for (found, wanted) in found.iter().zip(oracle(rule, [w, slope, m, s])) {
                        let error = (f64::from(found[at]) - wanted).abs();
                        assert!(
                            error < 2e-5 * (1.0 + wanted.abs()),
                            "{name} {rule:?} {at}: {} for {wanted}",
                            found[at]
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn vectors_of_other_lengths_are_refused() {
    let mut stream = Device::Cpu.stream();
    let on = |count: usize| DeviceVec::from_slice(&vec![0.0_f32; count], &Device::Cpu).unwrap();
    let ranges = DeviceVec::from_slice(&[0_u32, 4], &Device::Cpu).unwrap();
    let penalty = WeightPenalty { l1: 0.0, l2: 0.0, ranges: &ranges };
    let mut memory = Memory { first: on(4), second: on(4) };
    let numbers = step_numbers(StepRule::Adam);
    assert!(update(&mut stream, &numbers, (penalty, None), (&mut on(4), &on(5)), &mut memory).is_err());
}
