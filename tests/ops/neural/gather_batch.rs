use gristmill::ops::neural::{Batch, Noise, gather_batch, zeros};
use gristmill::prelude::*;

use crate::support::{bits, devices, matrix};

#[test]
fn a_batch_has_the_rows_of_the_order_and_noise_of_its_deviation() {
    for (rows, columns, targets) in [(1, 1, 1), (65, 3, 2), (300, 8, 5)] {
        let (x, y) = (matrix(rows, columns, 1), matrix(rows, targets, 2));
        let order: Vec<u32> = (0..rows as u32).map(|row| row * 7 % rows as u32).collect();
        let (first, count) = (rows / 3, rows - rows / 3);
        let mut noisy: Option<Vec<f32>> = None;
        for (name, device) in devices() {
            let mut stream = device.stream();
            let on_device = (&x.to(device).unwrap(), &y.to(device).unwrap());
            let list = DeviceVec::from_slice(&order, device).unwrap();
            let [xs, ys] = [columns, targets].map(|columns| columns.next_multiple_of(4));
            let mut out = (zeros(&mut stream, count * xs).unwrap(), zeros(&mut stream, count * ys).unwrap());
            let mut batch = Batch { order: &list, first, rows: count, noise: None };
            gather_batch(&mut stream, on_device, batch, (&mut out.0, &mut out.1)).unwrap();
            let (inputs, aims) = (out.0.to_vec(&mut stream).unwrap(), out.1.to_vec(&mut stream).unwrap());
            for at in 0..count {
                let row = order[first + at] as usize;
                assert_eq!(bits(&inputs[at * xs..at * xs + columns]), bits(x.row(row)), "{name}");
                assert_eq!(bits(&aims[at * ys..at * ys + targets]), bits(y.row(row)), "{name}");
                assert!(inputs[at * xs + columns..(at + 1) * xs].iter().all(|value| *value == 0.0), "{name}");
            }
            batch.noise = Some(Noise { deviation: 0.5, key: 9, step: 3 });
            gather_batch(&mut stream, on_device, batch, (&mut out.0, &mut out.1)).unwrap();
            let found = out.0.to_vec(&mut stream).unwrap();
            let wanted = noisy.get_or_insert_with(|| found.clone());
            assert!(wanted.iter().zip(&found).all(|(a, b)| (a - b).abs() < 1e-5), "{name}");
            if count * columns > 1000 {
                let square: f32 = found.iter().zip(&inputs).map(|(a, b)| (a - b) * (a - b)).sum();
                assert!((square / (count * columns) as f32 - 0.25).abs() < 0.03, "{name}");
            }
        }
    }
}

#[test]
fn rows_that_are_not_there_are_refused() {
    let mut stream = Device::Cpu.stream();
    let x = matrix(3, 2, 1).to(&Device::Cpu).unwrap();
    let order = DeviceVec::from_slice(&[5_u32], &Device::Cpu).unwrap();
    let mut out = (zeros(&mut stream, 4).unwrap(), zeros(&mut stream, 4).unwrap());
    let batch = Batch { order: &order, first: 0, rows: 1, noise: None };
    assert!(gather_batch(&mut stream, (&x, &x), batch, (&mut out.0, &mut out.1)).is_err());
}
