//! What least squares needs of the rows: means, and the products of the centred columns.

use crate::array::{DeviceMatrix, DeviceVec, Matrix};
pub use crate::cpu::linalg::normal_equations::NormalEquations;
use crate::device::Stream;
use crate::error::{Error, Result};
use crate::ops::linalg::syrk::syrk;
use crate::ops::reduce::column_moments::{central_sums, column_means};

/// The products of the columns of X (n×d) with each other and with those of Y (n×p), about the means if `centred`.
/// `weights` has one number for each row, none of them negative.
///
/// On the CPU one pass over X. On a GPU [`syrk`] about the rounded mean, after two passes for the mean, and
/// one pass for each column of Y, whose mean is taken on the host in f64. The error is that of
/// [`syrk`], twice it on the CPU.
///
/// ```
/// use gristmill::{Device, Matrix, ops};
/// let x = Matrix::from_rows(&[[1.0], [3.0]])?.to(&Device::Cpu)?;
/// let y = Matrix::from_rows(&[[5.0], [9.0]])?;
/// let found = ops::normal_equations(&mut Device::Cpu.stream(), &x, &y, None, true)?;
/// assert_eq!((found.x_mean[0], found.y_mean[0], found.xx[0], found.xy[0]), (2.0, 7.0, 2.0, 4.0));
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn normal_equations(
    stream: &mut Stream,
    x: &DeviceMatrix,
    y: &Matrix,
    weights: Option<&[f32]>,
    centred: bool,
) -> Result<NormalEquations> {
    x.complete_on(stream, "normal_equations")?;
    if let Some((row, column)) = y.check_finite()? {
        return Err(Error::NotFinite { row, column, value: f64::NAN });
    }
    let lengths = [y.rows(), weights.map_or(x.rows(), <[f32]>::len)];
    if lengths != [x.rows(); 2] {
        let expected = format!("{} rows of targets and as many weights", x.rows());
        return Err(Error::shape("normal_equations", expected, format!("{lengths:?}")));
    }
    let unfit = |weight: &f32| !(*weight >= 0.0 && weight.is_finite());
    if let Some((row, weight)) = weights.and_then(|weights| weights.iter().enumerate().find(|(_, one)| unfit(one))) {
        return Err(Error::param("weights", "finite numbers of at least 0", format!("{weight} in row {row}")));
    }
    if stream.gpu().is_none() {
        let (x, y) = ((x.values()?, x.rows(), x.columns()), (y.as_slice(), y.columns()));
        return Ok(crate::cpu::linalg::normal_equations::normal_equations(x, y, weights, centred));
    }
    let device = stream.device().clone();
    let on_device = weights.map(|weights| DeviceVec::from_slice(weights, &device)).transpose()?;
    let weight_of = |row: usize| weights.map_or(1.0, |weights| f64::from(weights[row]));
    let weight: f64 = (0..x.rows()).map(weight_of).sum();
    let x_mean = match centred {
        true => column_means(stream, x, on_device.as_ref())?.0,
        false => vec![0.0; x.columns()],
    };
    let center: Vec<f32> = x_mean.iter().map(|mean| *mean as f32).collect();
    let offset: Vec<f64> = x_mean.iter().zip(&center).map(|(mean, center)| mean - f64::from(*center)).collect();
    let mut xx = syrk(stream, x, on_device.as_ref(), Some(&center))?;
    for (row, values) in xx.chunks_exact_mut(x.columns().max(1)).enumerate() {
        values.iter_mut().zip(&offset).for_each(|(value, other)| *value -= weight * offset[row] * other);
    }
    let outputs = y.columns();
    let (mut y_mean, mut xy) = (vec![0.0; outputs], vec![0.0; x.columns() * outputs]);
    for output in 0..outputs {
        let value = |row: usize| f64::from(y.get(row, output));
        if centred && weight > 0.0 {
            y_mean[output] = (0..y.rows()).map(|row| weight_of(row) * value(row)).sum::<f64>() / weight;
        }
        let deviation: Vec<f32> =
            (0..y.rows()).map(|row| (weight_of(row) * (value(row) - y_mean[output])) as f32).collect();
        // What rounding leaves of the sum, which is zero in theory, meets what rounding leaves of the centre.
        let left: f64 = deviation.iter().map(|value| f64::from(*value)).sum();
        let deviation = DeviceVec::from_slice(&deviation, &device)?;
        let sums = central_sums(stream, x, Some(&deviation), &center, 1)?;
        for (column, sum) in sums.into_iter().enumerate() {
            xy[column * outputs + output] = sum - offset[column] * left;
        }
    }
    Ok(NormalEquations { weight, x_mean, y_mean, xx, xy })
}
