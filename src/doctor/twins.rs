//! A product, nearest neighbours and a histogram against the CPU's.

use super::{Found, numbers};
use crate::array::{DeviceMatrix, Matrix};
use crate::cpu::tree::BinnedRows;
use crate::cpu::tree::fixed_point::{GradientSums, pack};
use crate::device::Device;
use crate::distance::Metric;
use crate::error::Result;
use crate::ops::tree::histogram::{histogram as fill_histogram, read};
use crate::ops::tree::{Binned, GrowState, HistogramFill};
use crate::ops::{self, Layout};

/// Rows of odd numbers, so that tiles have edges.
fn matrix(rows: usize, columns: usize, seed: u32) -> Result<Matrix> {
    Matrix::from_vec(rows, columns, numbers(rows * columns, seed))
}

pub(super) fn product(device: &Device) -> Result<Found> {
    let (a, b) = (matrix(261, 131, 1)?, matrix(203, 131, 2)?);
    let multiply = |device: &Device, a: &Matrix, b: &Matrix| -> Result<Matrix> {
        let mut stream = device.stream();
        ops::gemm(&mut stream, Layout::NT, &a.to(device)?, &b.to(device)?)?.to_matrix(&mut stream)
    };
    let (found, wanted) = (multiply(device, &a, &b)?, multiply(&Device::Cpu, &a, &b)?);
    let positive = |x: &Matrix| Matrix::from_vec(x.rows(), x.columns(), x.as_slice().iter().map(|v| v.abs()).collect());
    let sizes = multiply(&Device::Cpu, &positive(&a)?, &positive(&b)?)?;
    // Both are within (k + 2)·2⁻²⁴ of the sum of the sizes of the terms.
    let bound = 2.0 * (131.0 + 2.0) / (1 << 24) as f32;
    let values = found.as_slice().iter().zip(wanted.as_slice()).zip(sizes.as_slice());
    let worst = values.map(|((found, wanted), size)| (found - wanted).abs() / (bound * size)).fold(0.0, f32::max);
    let text = format!("261×203×131, {:.0} % of the error bound", 100.0 * worst);
    Ok(if worst <= 1.0 { Ok(text) } else { Err(text) })
}

pub(super) fn nearest_neighbours(device: &Device) -> Result<Found> {
    // Small integers: squared distances are exact, and there are ties to settle.
    let integers = |rows: usize, seed: u32| -> Result<Matrix> {
        Matrix::from_vec(rows, 12, numbers(12 * rows, seed).into_iter().map(|value| (8.0 * value).round()).collect())
    };
    let (rows, queries) = (integers(515, 3)?, integers(133, 4)?);
    let search = |device: &Device| -> Result<(Vec<u32>, Vec<f32>)> {
        let mut stream = device.stream();
        let on = |x: &Matrix| -> Result<DeviceMatrix> { x.to(device) };
        let (indices, distances) = ops::k_nearest(&mut stream, &on(&queries)?, &on(&rows)?, 5, Metric::Euclidean)?;
        Ok((indices.to_vec(&mut stream)?, distances.to_matrix(&mut stream)?.into_vec()))
    };
    let ((found, distances), (wanted, exact)) = (search(device)?, search(&Device::Cpu)?);
    let close = distances.iter().zip(&exact).all(|(one, other)| (one - other).abs() <= 1e-6 * other);
    let text = "5 of 515 rows for 133 queries".to_string();
    Ok(match (found == wanted, close) {
        (true, true) => Ok(text),
        (false, _) => Err(format!("{text}: other neighbours than the CPU's")),
        (true, false) => Err(format!("{text}: other distances than the CPU's")),
    })
}

pub(super) fn histogram(device: &Device) -> Result<Found> {
    const ROWS: usize = 3001;
    const CELLS: u32 = 37;
    let draws = numbers(10 * ROWS, 5);
    let bins: Vec<u8> = (0..8 * ROWS).map(|at| (draws[at].abs() * CELLS as f32) as u8 % CELLS as u8).collect();
    let pair =
        |row: usize| ((32_000.0 * draws[8 * ROWS + row]) as i32, (32_000.0 * draws[9 * ROWS + row].abs()) as u32);
    let packed: Vec<u64> = (0..ROWS).map(|row| pack(pair(row).0, pair(row).1)).collect();
    let columns: Vec<u8> = (0..8 * ROWS).map(|at| bins[at % ROWS * 8 + at / ROWS]).collect();
    let starts: Vec<u32> = (0..=8).map(|column| column * CELLS).collect();
    let make = |device: &Device| -> Result<Vec<GradientSums>> {
        let mut stream = device.stream();
        let codes = BinnedRows { bins: &bins, stride: 8, columns: &columns };
        let binned = Binned::new(&mut stream, codes, &starts, &[])?;
        let mut state = GrowState::new(&stream);
        state.begin(&mut stream, &mut (0..ROWS as u32).collect(), &mut [packed.clone()])?;
        let fill = HistogramFill { tree: 0, rows: 0..ROWS, slot: 0, parent: None };
        fill_histogram(&mut stream, &binned, &mut state, &[fill])?;
        let made = read(&mut stream, &binned, &mut state, 0)?;
        Ok((0..binned.cells()).map(|cell| made.get(cell)).collect())
    };
    let text = format!("{ROWS} rows, 8 columns of {CELLS} cells, exact");
    Ok(if make(device)? == make(&Device::Cpu)? { Ok(text) } else { Err(format!("not the CPU's: {text}")) })
}
