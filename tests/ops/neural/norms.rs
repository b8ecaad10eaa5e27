use gristmill::ops::neural::{gradient_norms, zeros};
use gristmill::prelude::*;

use crate::support::{EPS, devices, numbers};

#[test]
fn sizes_of_pieces_are_sums_in_f64() {
    let ends = [0, 1, 2, 65, 320, 576, 1000, 5096, 5096];
    let (weights, slopes) = (numbers(5096, 1), numbers(5096, 2));
    let pieces: Vec<u32> = ends.windows(2).flat_map(|pair| [pair[0], pair[1]]).collect();
    for (name, device) in devices() {
        let mut stream = device.stream();
        let list = DeviceVec::from_slice(&pieces, device).unwrap();
        let vectors = [&weights, &slopes].map(|values| DeviceVec::from_slice(values, device).unwrap());
        let mut out = zeros(&mut stream, 2 * pieces.len()).unwrap();
        gradient_norms(&mut stream, (&vectors[0], &vectors[1]), &list, &mut out).unwrap();
        for (found, piece) in out.to_vec(&mut stream).unwrap().chunks(4).zip(pieces.chunks(2)) {
            let range = piece[0] as usize..piece[1] as usize;
            let sum = |values: &[f32], of: fn(f64) -> f64| {
                values[range.clone()].iter().map(|v| of(f64::from(*v))).sum::<f64>()
            };
            let wanted = [sum(&slopes, |v| v * v), sum(&weights, |v| v * v), sum(&weights, f64::abs), 0.0];
            for (found, wanted) in found.iter().zip(wanted) {
                assert!((f64::from(*found) - wanted).abs() <= 300.0 * EPS * wanted, "{name}: {found} for {wanted}");
            }
        }
    }
}
