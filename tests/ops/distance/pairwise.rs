//! What every distance must hold: the oracle's answer at edge sizes, and the same bits however the rows are kept.

use gristmill::prelude::*;

use crate::support::{bits, devices, gpu_with, matrix};

/// A distance under test.
type Distances = fn(&mut Stream, &DeviceMatrix, &DeviceMatrix) -> Result<DeviceMatrix>;

const SIZES: [(usize, usize, usize); 11] = [
    (0, 3, 2),
    (3, 0, 2),
    (3, 2, 0),
    (1, 1, 1),
    (2, 1, 3),
    (63, 64, 5),
    (65, 17, 64),
    (255, 257, 7),
    (129, 256, 33),
    (1000, 3, 20),
    (20_000, 3, 4),
];

fn run(device: &Device, distances: Distances, x: &Matrix, y: &Matrix) -> Matrix {
    let mut stream = device.stream();
    let (x, y) = (x.to(device).unwrap(), y.to(device).unwrap());
    distances(&mut stream, &x, &y).unwrap().to_matrix(&mut stream).unwrap()
}

/// `bound` gives the allowed error from the depth and the exact distance.
pub fn check(distances: Distances, oracle: fn(&[f32], &[f32]) -> f64, bound: fn(usize, f64) -> f64) {
    for (n, m, d) in SIZES {
        let (x, y) = (matrix(n, d, 21), matrix(m, d, 22));
        for (name, device) in devices() {
            let found = run(device, distances, &x, &y);
            assert_eq!((found.rows(), found.columns()), (n, m));
            for i in 0..n {
                // Every pair of a small case, some rows of a large one.
                for j in (0..m).step_by(1 + m / 40) {
                    let exact = oracle(x.row(i), y.row(j));
                    let error = (found.get(i, j) as f64 - exact).abs();
                    assert!(
                        error <= bound(d, exact),
                        "{name} {n}×{m}×{d} at {i}, {j}: {} for {exact}",
                        found.get(i, j)
                    );
                }
            }
        }
    }
    let (x, y) = (matrix(130, 20, 25), matrix(70, 20, 26));
    for limits in [Limits::Adapter, Limits::WebGpuMinimum] {
        let options = || DeviceOptions::default().limits(limits).mark_outputs(true);
        let whole = run(&gpu_with(options()), distances, &x, &y);
        let split = [1, 7, 64].map(|rows| options().chunk_rows(rows));
        let tight = [options().memory_budget(1 << 20)];
        for options in split.into_iter().chain(tight) {
            let found = run(&gpu_with(options.clone()), distances, &x, &y);
            assert_eq!(bits(found.as_slice()), bits(whole.as_slice()), "{options:?}");
        }
    }
}
