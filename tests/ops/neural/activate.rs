use gristmill::ops::neural::*;
use gristmill::prelude::*;

use crate::support::{devices, numbers};

#[test]
fn a_tail_by_itself_and_its_way_back_are_those_of_each_value_and_padding_stays_zero() {
    let (rows, columns, stride) = (19, 7, 8);
    let mut x = numbers(rows * stride, 1);
    let mut slopes = numbers(rows * stride, 2);
    for row in 0..rows {
        (x[row * stride + columns], slopes[row * stride + columns]) = (0.0, 0.0);
    }
    for activation in [Activation::Relu, Activation::Logistic, Activation::Sign] {
        let dropout = Some(Dropout { rate: 0.4, key: 7, step: 3 });
        let mut wanted: Option<Vec<bool>> = None;
        for (name, device) in devices() {
            let mut stream = device.stream();
            let on = |values: &[f32]| DeviceVec::from_slice(values, device).unwrap();
            let (there, slope) = (on(&x), on(&slopes));
            let mut plain = zeros(&mut stream, rows * stride).unwrap();
            let mut back = zeros(&mut stream, rows * stride).unwrap();
            let mut thinned = zeros(&mut stream, rows * stride).unwrap();
            let tail = Tail { activation, dropout: None };
            activate_forward(&mut stream, &there, (rows, columns), &mut plain, tail).unwrap();
            activate_backward(&mut stream, &slope, (rows, columns), &mut back, (tail, &plain)).unwrap();
            let dropping = Tail { activation, dropout };
            activate_forward(&mut stream, &there, (rows, columns), &mut thinned, dropping).unwrap();
            let [plain, back, thinned] = [plain, back, thinned].map(|made| made.to_vec(&mut stream).unwrap());
            for at in 0..rows * stride {
                let inside = at % stride < columns;
                let value = if inside { activation.of(x[at]) } else { 0.0 };
                assert!((plain[at] - value).abs() < 1e-6, "{name} {activation:?}");
                let slope = if inside { slopes[at] * activation.slope(value) } else { 0.0 };
                assert!((back[at] - slope).abs() < 1e-6, "{name} {activation:?}");
                let kept = thinned[at] == 0.0 || (thinned[at] * 0.6 - value).abs() < 1e-6;
                assert!(kept, "{name} {activation:?}");
            }
            let dropped: Vec<bool> = thinned.iter().map(|value| *value == 0.0).collect();
            assert_eq!(wanted.get_or_insert_with(|| dropped.clone()), &dropped, "{name}");
        }
    }
}
