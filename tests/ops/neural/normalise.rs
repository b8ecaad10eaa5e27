use gristmill::ops::neural::*;
use gristmill::prelude::*;

use crate::support::{devices, numbers};

#[test]
fn each_set_gets_mean_zero_and_variance_one() {
    for (together, places, channels) in [(Together::Channels, 3, 21), (Together::Rows, 3, 21), (Together::Rows, 1, 2)] {
        let shape = NormaliseShape { together, first: 0, places, channels, epsilon: 1e-6 };
        let (rows, stride) = (40, shape.stride());
        let x: Vec<f32> = numbers(rows * stride, 3).iter().map(|value| 10.0 + value).collect();
        let mut parameters = vec![0.0; shape.parameters()];
        parameters[..channels].fill(1.0);
        for (name, device) in devices() {
            let mut stream = device.stream();
            let (there, held) = (DeviceVec::from_slice(&x, device), DeviceVec::from_slice(&parameters, device));
            let (there, held) = (there.unwrap(), held.unwrap());
            let mut known = zeros(&mut stream, 2 * shape.sets(rows)).unwrap();
            let mut out = zeros(&mut stream, rows * stride).unwrap();
            normalise_statistics(&mut stream, &there, &held, rows, shape, &mut known).unwrap();
            let made = (&mut out, Tail::default());
            normalise_forward(&mut stream, &there, (&held, Some(&known)), rows, shape, made).unwrap();
            let out = out.to_vec(&mut stream).unwrap();
            let mut sums = vec![[0.0_f64; 3]; shape.sets(rows)];
            for row in 0..rows {
                for at in 0..places * channels {
                    let set = match together {
                        Together::Channels => row * places + at / channels,
                        Together::Rows => at % channels,
                    };
                    let value = f64::from(out[row * stride + at]);
                    let [count, sum, squares] = sums[set];
                    sums[set] = [count + 1.0, sum + value, squares + value * value];
                }
            }
            for [count, sum, squares] in sums {
                assert!((sum / count).abs() < 1e-3 && (squares / count - 1.0).abs() < 1e-2, "{name} {shape:?}");
            }
        }
    }
}
