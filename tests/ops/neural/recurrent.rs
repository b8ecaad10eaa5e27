use gristmill::ops::neural::*;
use gristmill::prelude::*;

use crate::support::{devices, numbers};

const CELLS: [Cell; 3] = [Cell::Plain, Cell::Gru, Cell::Lstm];

/// Σ slope·state in f64, and the states, from the sums of the inputs and the state that rows begin with.
fn oracle(
    shape: RecurrentShape,
    rows: usize,
    (inputs, own): (&[f64], &[f64]),
    begin: &[f64],
    slope: &[f64],
) -> (f64, Vec<f64>) {
    let (units, sums) = (shape.units, shape.sums());
    let logistic = |x: f64| 1.0 / (1.0 + (-x).exp());
    let (mut total, mut states) = (0.0, vec![]);
    for row in 0..rows {
        let mut h = begin[row * 2 * units..][..units].to_vec();
        let mut c = begin[row * 2 * units + units..][..units].to_vec();
        for step in 0..shape.steps {
            let x = &inputs[(row * shape.steps + step) * sums..][..sums];
            let s: Vec<f64> = (0..sums)
                .map(|at| (0..units).map(|unit| h[unit] * own[unit * sums + at]).sum::<f64>() + own[units * sums + at])
                .collect();
            for unit in 0..units {
                let both = |gate: usize| x[gate * units + unit] + s[gate * units + unit];
                h[unit] = match shape.cell {
                    Cell::Plain => both(0).tanh(),
                    Cell::Gru => {
                        let new = (x[2 * units + unit] + logistic(both(0)) * s[2 * units + unit]).tanh();
                        new + logistic(both(1)) * (h[unit] - new)
                    }
                    Cell::Lstm => {
                        c[unit] = logistic(both(1)) * c[unit] + logistic(both(0)) * both(2).tanh();
                        logistic(both(3)) * c[unit].tanh()
                    }
                };
                total += h[unit] * slope[(row * shape.steps + step) * units + unit];
            }
            states.extend_from_slice(&h);
        }
    }
    (total, states)
}

#[test]
fn states_and_their_slopes_are_those_of_the_formula_at_every_size() {
    for (cell, (rows, units, steps)) in
        CELLS.into_iter().flat_map(|cell| [(1, 4, 1), (2, 8, 3), (13, 36, 2), (65, 4, 2)].map(|size| (cell, size)))
    {
        let shape = RecurrentShape { first: 4, inputs: 4, units, steps, cell };
        let parameters = numbers(4 + shape.parameters(), 1);
        let sums = numbers(rows * steps * shape.sums(), 2);
        let begin: Vec<f32> = numbers(rows * 2 * units, 3).iter().map(|value| 0.5 * value).collect();
        let slope = numbers(rows * steps * units, 4);
        let wide = |values: &[f32]| values.iter().copied().map(f64::from).collect::<Vec<f64>>();
        let (own, wide_slope, wide_begin) = (wide(&parameters[shape.of_state().first..]), wide(&slope), wide(&begin));
        let mut inputs = wide(&sums);
        let (_, wanted) = oracle(shape, rows, (&inputs, &own), &wide_begin, &wide_slope);
        for (name, device) in devices() {
            let mut stream = device.stream();
            let stream = &mut stream;
            let on = |values: &[f32]| DeviceVec::from_slice(values, device).unwrap();
            let mut kept: Vec<DeviceVec<f32>> =
                shape.kept().map(|length| zeros(stream, rows * length).unwrap()).into_iter().collect();
            kept[0].write(stream, 0, &sums).unwrap();
            kept[5].write(stream, 0, &begin).unwrap();
            let layer = (&on(&parameters), shape);
            let mut out = zeros(stream, rows * steps * units).unwrap();
            recurrent_forward(stream, layer, rows, &mut kept, &mut out, (Tail::default(), true)).unwrap();
            let states = out.to_vec(stream).unwrap();
            for (found, wanted) in states.iter().zip(&wanted) {
                assert!((f64::from(*found) - wanted).abs() < 2e-5, "{cell:?} {rows}×{units}×{steps} on {name}");
            }
            let last = kept[5].to_vec(stream).unwrap();
            for row in 0..rows {
                let end = &states[((row + 1) * steps - 1) * units..][..units];
                assert_eq!(&last[row * 2 * units..][..units], end, "{cell:?} on {name} goes on from its last state");
            }
            recurrent_backward(stream, layer, rows, &on(&slope), &mut kept).unwrap();
            let found = kept[0].to_vec(stream).unwrap();
            for place in (0..inputs.len()).step_by(inputs.len().div_ceil(7)) {
                let before = inputs[place];
                let mut at = |value: f64| {
                    inputs[place] = value;
                    oracle(shape, rows, (&inputs, &own), &wide_begin, &wide_slope).0
                };
                let difference = (at(before + 1e-5) - at(before - 1e-5)) / 2e-5;
                inputs[place] = before;
                let error = (f64::from(found[place]) - difference).abs();
                assert!(error < 1e-4 * difference.abs().max(1.0), "{cell:?} {rows}×{units}×{steps} on {name}: {error}");
            }
            forget_state(stream, &mut kept).unwrap();
            assert!(kept[5].to_vec(stream).unwrap().iter().all(|value| *value == 0.0), "{name}");
        }
    }
}

#[test]
fn shapes_that_do_not_fit_are_refused() {
    let mut stream = Device::Cpu.stream();
    let shape = RecurrentShape { first: 0, inputs: 4, units: 4, steps: 2, cell: Cell::Gru };
    let parameters = zeros(&mut stream, shape.parameters()).unwrap();
    let mut out = zeros(&mut stream, 8).unwrap();
    let mut kept: Vec<DeviceVec<f32>> = shape.kept().map(|length| zeros(&mut stream, length).unwrap()).into();
    let how = (Tail::default(), false);
    for wrong in [
        RecurrentShape { units: 6, ..shape },
        RecurrentShape { units: 1028, ..shape },
        RecurrentShape { steps: 0, ..shape },
        RecurrentShape { steps: 3, ..shape },
    ] {
        let found = recurrent_forward(&mut stream, (&parameters, wrong), 1, &mut kept, &mut out, how);
        assert!(matches!(found, Err(Error::Shape { .. })), "{wrong:?}");
    }
    let found = recurrent_forward(&mut stream, (&parameters, shape), 1, &mut kept[..6], &mut out, how);
    assert!(matches!(found, Err(Error::Shape { .. })));
}
