use gristmill::ops::neural::*;
use gristmill::prelude::*;

use crate::support::{EPS, devices, numbers};

/// Numbers in rows of `columns`, padded to a multiple of 4 with zeros.
fn padded(rows: usize, columns: usize, seed: u64) -> Vec<f32> {
    let values = numbers(rows * columns, seed);
    let pad =
        |row: &[f32]| row.iter().copied().chain(std::iter::repeat(0.0)).take(columns.next_multiple_of(4)).collect();
    values.chunks(columns).flat_map(|row: &[f32]| -> Vec<f32> { pad(row) }).collect()
}

fn on(device: &Device, values: &[f32]) -> DeviceVec<f32> {
    DeviceVec::from_slice(values, device).unwrap()
}

/// The three products of a layer without a tail: values, slopes by inputs, slopes by weights and biases.
fn products(device: &Device, shape: DenseShape, rows: usize) -> [Vec<f32>; 3] {
    let mut stream = device.stream();
    let x = on(device, &padded(rows, shape.inputs, 1));
    let parameters = on(device, &padded(shape.inputs + 1, shape.outputs, 2));
    let slope = on(device, &padded(rows, shape.outputs, 3));
    let mut out = zeros(&mut stream, rows * shape.output_stride()).unwrap();
    let mut by_input = zeros(&mut stream, rows * shape.input_stride()).unwrap();
    let mut gradient = zeros(&mut stream, shape.parameters()).unwrap();
    let (stream, tail) = (&mut stream, Tail::default());
    dense_forward(stream, &x, (&parameters, shape), rows, &mut out, tail).unwrap();
    dense_input_slope(stream, &slope, (&parameters, shape), rows, &mut by_input, (tail, &x)).unwrap();
    dense_weight_slope(stream, (&x, &slope), shape, rows, &mut gradient, false).unwrap();
    dense_weight_slope(stream, (&x, &slope), shape, rows, &mut gradient, true).unwrap();
    [out, by_input, gradient].map(|made| made.to_vec(stream).unwrap())
}

#[test]
fn the_products_of_a_layer_are_those_of_sums_in_f64_and_padding_stays_zero() {
    for (rows, inputs, outputs) in [(1, 1, 1), (2, 3, 5), (63, 64, 65), (257, 30, 2), (5, 600, 33)] {
        let shape = DenseShape { first: 0, inputs, outputs };
        let (x, w, s) = (padded(rows, inputs, 1), padded(inputs + 1, outputs, 2), padded(rows, outputs, 3));
        let [xs, ws] = [shape.input_stride(), shape.output_stride()];
        let at = |values: &[f32], place: usize| f64::from(values[place]);
        for (name, device) in devices() {
            let [values, by_input, gradient] = products(device, shape, rows);
            let near = |found: f32, wanted: f64, depth: usize| {
                let bound = (depth as f64 + 4.0) * EPS * (depth as f64 + 1.0);
                assert!((f64::from(found) - wanted).abs() <= bound, "{name} {shape:?}: {found} for {wanted}");
            };
            for row in 0..rows {
                for column in 0..ws {
                    let sum = (0..inputs).map(|k| at(&x, row * xs + k) * at(&w, k * ws + column)).sum::<f64>();
                    near(values[row * ws + column], sum + at(&w, inputs * ws + column), inputs);
                }
                for column in 0..xs {
                    let inside = column < inputs;
                    let product = |k: usize| at(&s, row * ws + k) * at(&w, column * ws + k);
                    let sum = if inside { (0..outputs).map(product).sum::<f64>() } else { 0.0 };
                    near(by_input[row * xs + column], sum, outputs);
                }
            }
            for input in 0..=inputs {
                for column in 0..ws {
                    let one = |row: usize| if input < inputs { at(&x, row * xs + input) } else { 1.0 };
                    let sum = (0..rows).map(|row| one(row) * at(&s, row * ws + column)).sum::<f64>();
                    near(gradient[input * ws + column], 2.0 * sum, 2 * rows);
                }
            }
        }
    }
}

#[test]
fn dropout_leaves_out_its_share_and_the_way_back_leaves_out_the_same() {
    let (straight, bent) = ([Activation::Identity, Activation::LeakyRelu], [Activation::Tanh, Activation::Logistic]);
    dropout_with(DenseShape { first: 0, inputs: 4, outputs: 250 }, [straight, bent].as_flattened());
    // 600 inputs are summed in layers, for so few outputs; bent activations of such sums have slopes of 0.
    dropout_with(DenseShape { first: 0, inputs: 600, outputs: 250 }, &straight);
}

fn dropout_with(shape: DenseShape, activations: &[Activation]) {
    let dropout = Some(Dropout { rate: 0.3, key: 0x1234_5678_9abc_def0, step: 77 });
    for activation in activations.iter().copied() {
        let tail = Tail { activation, dropout };
        let mut wanted: Option<Vec<bool>> = None;
        for (name, device) in devices() {
            let mut stream = device.stream();
            let x = on(device, &padded(40, shape.inputs, 1));
            let parameters = on(device, &padded(shape.inputs + 1, 250, 2));
            let mut out = zeros(&mut stream, 40 * 252).unwrap();
            dense_forward(&mut stream, &x, (&parameters, shape), 40, &mut out, tail).unwrap();
            let values = out.to_vec(&mut stream).unwrap();
            let dropped: Vec<bool> =
                values.chunks(252).flat_map(|row| &row[..250]).map(|value| *value == 0.0).collect();
            let share = dropped.iter().filter(|dropped| **dropped).count() as f64 / dropped.len() as f64;
            assert!((share - 0.3).abs() < 0.03, "{name}: {share}");
            assert_eq!(wanted.get_or_insert_with(|| dropped.clone()), &dropped, "{name}");
            // The layer behind it sends slopes of 1 to every unit.
            let behind = DenseShape { first: 0, inputs: 250, outputs: 1 };
            let ones: Vec<f32> = (0..251).flat_map(|_| [1.0, 0.0, 0.0, 0.0]).collect();
            let slope = on(device, &[1.0_f32, 0.0, 0.0, 0.0].repeat(40));
            let mut back = zeros(&mut stream, 40 * 252).unwrap();
            let weights = (&on(device, &ones), behind);
            dense_input_slope(&mut stream, &slope, weights, 40, &mut back, (tail, &out)).unwrap();
            let back = back.to_vec(&mut stream).unwrap();
            let zero: Vec<bool> = back.chunks(252).flat_map(|row| &row[..250]).map(|value| *value == 0.0).collect();
            assert_eq!(zero, dropped, "{name} {activation:?}");
        }
    }
}

#[test]
fn layers_without_width_and_vectors_too_short_are_refused() {
    let mut stream = Device::Cpu.stream();
    let short = on(&Device::Cpu, &[0.0; 4]);
    let mut out = zeros(&mut stream, 4).unwrap();
    let none = DenseShape { first: 0, inputs: 0, outputs: 1 };
    assert!(dense_forward(&mut stream, &short, (&short, none), 1, &mut out, Tail::default()).is_err());
    let some = DenseShape { first: 0, inputs: 4, outputs: 1 };
    assert!(dense_forward(&mut stream, &short, (&short, some), 1, &mut out, Tail::default()).is_err());
    let softmax = Tail { activation: Activation::Softmax, dropout: None };
    let parameters = on(&Device::Cpu, &[0.0; 20]);
    assert!(dense_forward(&mut stream, &short, (&parameters, some), 1, &mut out, softmax).is_err());
}
