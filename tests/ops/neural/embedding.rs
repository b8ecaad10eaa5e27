use gristmill::ops::neural::*;
use gristmill::prelude::*;

use crate::support::{devices, numbers};

#[test]
fn tokens_become_rows_of_the_table_and_their_slopes_are_added() {
    let shape = EmbeddingShape { first: 4, tokens: 5, width: 8, steps: 3 };
    let rows = 20;
    let tokens: Vec<f32> = (0..rows * 4).map(|at| if at % 4 == 3 { 0.0 } else { (at * 7 % 5) as f32 }).collect();
    let (parameters, slopes) = (numbers(4 + 40, 1), numbers(rows * 24, 2));
    for (name, device) in devices() {
        let mut stream = device.stream();
        let on = |values: &[f32]| DeviceVec::from_slice(values, device).unwrap();
        let x = on(&tokens);
        let mut out = zeros(&mut stream, rows * 24).unwrap();
        let mut gradient = zeros(&mut stream, 44).unwrap();
        let table = (&on(&parameters), shape);
        embedding_forward(&mut stream, &x, table, rows, &mut out, Tail::default()).unwrap();
        embedding_weight_slope(&mut stream, (&x, &on(&slopes)), shape, rows, &mut gradient).unwrap();
        let (out, gradient) = (out.to_vec(&mut stream).unwrap(), gradient.to_vec(&mut stream).unwrap());
        let mut sums = [0.0_f64; 40];
        for at in 0..rows * 24 {
            let token = tokens[at / 24 * 4 + at % 24 / 8] as usize;
            assert_eq!(out[at], parameters[4 + token * 8 + at % 8], "{name}");
            sums[token * 8 + at % 8] += f64::from(slopes[at]);
        }
        for (found, wanted) in gradient[4..].iter().zip(sums) {
            assert!((f64::from(*found) - wanted).abs() < 1e-4, "{name}");
        }
    }
}
