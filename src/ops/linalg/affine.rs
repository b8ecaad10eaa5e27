//! One straight line for each column, as scalers need it.

use crate::array::{ColumnInfo, DeviceMatrix, DeviceVec, RowStore, blocks, padded};
use crate::device::{Dispatch, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    pub KERNEL = "linalg/affine", [Read, Read, Write], Params;
}

params! {
    struct Params { items: u32, vec4s: u32, x_first: u32, line_first: u32, out_first: u32 }
}

/// The straight line of each column of a matrix: `(x − center)·factor + base`, d numbers each.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnLines {
    /// What is taken away first.
    pub center: Vec<f64>,
    /// What the rest is multiplied by.
    pub factor: Vec<f64>,
    /// What is added last.
    pub base: Vec<f64>,
}

impl FromIterator<(f64, f64, f64)> for ColumnLines {
    /// From a centre, a factor and a base for each column.
    fn from_iter<I: IntoIterator<Item = (f64, f64, f64)>>(lines: I) -> ColumnLines {
        let (center, (factor, base)) = lines.into_iter().map(|(center, factor, base)| (center, (factor, base))).unzip();
        ColumnLines { center, factor, base }
    }
}

/// Each value of X (n×d) by the line of its column, n×d, where X lives, with the names of its columns. A missing value stays
/// missing. A result beyond the range of `f32` is an error when it is read back.
///
/// On the CPU in f64, rounded once. On a GPU in f32, with the centre in two parts: within 4·ε·(|x − center|·|factor| + |base|)
/// where the compiler leaves the subtractions in their order, and within ε·|center·factor| more where it does not
/// (ε = 2⁻²⁴); there centres, factors and bases must be in the range of `f32`.
///
/// ```
/// use gristmill::{Device, Matrix, ops};
/// let mut stream = Device::Cpu.stream();
/// let x = Matrix::from_rows(&[[3.0, 5.0], [f32::NAN, 6.0]])?.to(&Device::Cpu)?;
/// let lines = [(1.0, 0.5, 0.0), (5.0, 2.0, 7.0)].into_iter().collect();
/// let moved = ops::affine(&mut stream, &x, &lines)?.to_matrix(&mut stream)?;
/// assert_eq!((moved.row(0), moved.get(1, 1)), (&[1.0, 7.0][..], 9.0));
/// assert!(moved.get(1, 0).is_nan());
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn affine(stream: &mut Stream, x: &DeviceMatrix, lines: &ColumnLines) -> Result<DeviceMatrix> {
    let op = "affine";
    x.on(stream, op)?;
    let lengths = [lines.center.len(), lines.factor.len(), lines.base.len()];
    if lengths != [x.columns(); 3] {
        return Err(Error::shape(op, format!("{} centres, factors and bases", x.columns()), format!("{lengths:?}")));
    }
    let names = x.column_info().names().map(<[String]>::to_vec);
    let out = DeviceMatrix::output(stream.device(), x.rows(), x.columns())?;
    let mut out = out.with_column_info(ColumnInfo::new(names, vec![]));
    out.missing_as_in_source(x);
    let ColumnLines { center, factor, base } = lines;
    if stream.gpu().is_none() {
        crate::cpu::linalg::affine::affine(x.values()?, center, factor, base, out.values_mut()?);
        return Ok(out);
    }
    if x.rows() == 0 || x.columns() == 0 {
        return Ok(out);
    }
    let table = DeviceVec::from_slice(&lines.table()?, stream.device())?;
    let table = table.view(stream)?;
    let Some(recording) = stream.gpu() else { return Ok(out) };
    let (from, to) = (x.store()?, out.store()?);
    let per_block = RowStore::block_rows(&recording.gpu, 2 * from.stride() as u64, 4 * x.columns() as u64, 64);
    for rows in blocks(x.rows(), per_block) {
        let view = from.view(recording, rows.clone())?;
        let target = to.target(recording, rows.clone(), false)?;
        let items = rows.len() * from.stride() / 4;
        let params = Params {
            items: items as u32,
            vec4s: (from.stride() / 4) as u32,
            x_first: view.first_word() / 4,
            line_first: table.first_word() / 4,
            out_first: target.view.first_word() / 4,
        };
        let grid = Grid::covering(items as u64, 64)?;
        let work = Work { operations: 16 * items as u64, bytes: 32 * items as u64 };
        let buffers = &[view.buffer(), table.buffer(), target.view.buffer()];
        recording.dispatch(&KERNEL, Dispatch::new(&params, buffers, grid, work))?;
        to.commit(recording, target)?;
    }
    Ok(out)
}

impl ColumnLines {
    /// The numbers as the shader reads them: four rows, padded with zeros, which keep the padding of a result zero.
    fn table(&self) -> Result<Vec<f32>> {
        let columns = self.center.len();
        let stride = padded(columns);
        let mut table = vec![0.0_f32; 4 * stride];
        for column in 0..columns {
            let [center, factor, base] = [self.center[column], self.factor[column], self.base[column]];
            if let Some(number) = [center, factor, base].into_iter().find(|number| !(*number as f32).is_finite()) {
                let rule = "numbers in the range of f32".to_string();
                return Err(Error::param("lines", rule, format!("{number} for column {column}")));
            }
            let rounded = center as f32;
            let parts = [rounded, (center - f64::from(rounded)) as f32, factor as f32, base as f32];
            parts.into_iter().enumerate().for_each(|(part, number)| table[part * stride + column] = number);
        }
        Ok(table)
    }
}
