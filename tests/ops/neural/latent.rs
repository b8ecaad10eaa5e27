use gristmill::ops::neural::{LatentShape, latent_backward, latent_divergence, latent_forward, zeros};
use gristmill::prelude::*;

use crate::support::{devices, numbers};

#[test]
fn values_are_normal_by_their_means_and_variances_and_slopes_go_through() {
    for (rows, columns) in [(1, 1), (2, 3), (65, 4), (300, 20)] {
        let shape = LatentShape { rows, columns };
        let (wide, narrow) = (shape.input_stride(), shape.stride());
        let inputs = numbers(rows * wide, 1);
        let slopes = numbers(rows * narrow, 2);
        let mut first: Option<Vec<f32>> = None;
        for (name, device) in devices() {
            let mut stream = device.stream();
            let stream = &mut stream;
            let on_device = DeviceVec::from_slice(&inputs, device).unwrap();
            let mut values = zeros(stream, rows * narrow).unwrap();
            latent_forward(stream, &on_device, shape, Some((7, 3)), &mut values).unwrap();
            let drawn = values.to_vec(stream).unwrap();
            let wanted = first.get_or_insert_with(|| drawn.clone());
            assert!(wanted.iter().zip(&drawn).all(|(a, b)| (a - b).abs() < 1e-4), "{name}");
            let place = |row: usize, column: usize| (row * wide + column, row * narrow + column);
            let all = || (0..rows).flat_map(|row| (0..columns).map(move |column| place(row, column)));
            let normal = |(mean, value): (usize, usize)| {
                let deviation = (0.5 * f64::from(inputs[mean + columns])).exp();
                (f64::from(drawn[value]) - f64::from(inputs[mean])) / deviation
            };
            let normals: Vec<f64> = all().map(normal).collect();
            if normals.len() > 5000 {
                let count = normals.len() as f64;
                let mean = normals.iter().sum::<f64>() / count;
                let square = normals.iter().map(|value| value * value).sum::<f64>() / count;
                assert!(mean.abs() < 0.05 && (square - 1.0).abs() < 0.08, "{name}: {mean}, {square}");
            }
            let mut out = zeros(stream, rows * wide).unwrap();
            let by_values = DeviceVec::from_slice(&slopes, device).unwrap();
            latent_backward(stream, (&on_device, &by_values), shape, (0.25, (7, 3)), &mut out).unwrap();
            let out = out.to_vec(stream).unwrap();
            for (normal, (mean, value)) in normals.iter().zip(all()) {
                let (slope, spread) = (f64::from(slopes[value]), f64::from(inputs[mean + columns]));
                let by_mean = slope + 0.25 * f64::from(inputs[mean]);
                let by_spread = 0.5 * slope * (0.5 * spread).exp() * normal + 0.125 * (spread.exp() - 1.0);
                assert!((f64::from(out[mean]) - by_mean).abs() < 1e-5, "{name}");
                assert!((f64::from(out[mean + columns]) - by_spread).abs() < 1e-4, "{name}");
            }
            for outputs in [10, 100, 2000] {
                let mut sums = DeviceVec::from_slice(&vec![1.0_f32; 2 * rows + 4], device).unwrap();
                latent_divergence(stream, &on_device, (shape, outputs), (&mut sums, 1)).unwrap();
                let sums = sums.to_vec(stream).unwrap();
                let added: f64 = sums.iter().step_by(2).map(|sum| f64::from(*sum) - 1.0).sum();
                let one = |(mean, _): (usize, usize)| {
                    let (mean, spread) = (f64::from(inputs[mean]), f64::from(inputs[mean + columns]));
                    0.5 * (mean * mean + spread.exp() - 1.0 - spread)
                };
                let wanted: f64 = all().map(one).sum();
                assert!((added - wanted).abs() < 1e-4 * wanted.abs().max(1.0), "{name}: {added} for {wanted}");
                assert!(sums.iter().skip(1).step_by(2).all(|sum| *sum == 1.0) && sums[0] == 1.0, "{name}");
            }
            let mut means = zeros(stream, rows * narrow).unwrap();
            latent_forward(stream, &on_device, shape, None, &mut means).unwrap();
            let means = means.to_vec(stream).unwrap();
            assert!(all().all(|(mean, value)| means[value] == inputs[mean]), "{name}");
        }
    }
}
