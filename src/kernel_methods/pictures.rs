//! The Gram matrix as a picture.

use super::Kernel;
use crate::array::Matrix;
use crate::data::Labels;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::plot::Figure;

/// The Gram matrix of rows as a heat map, the rows in the order of their classes: a kernel that suits the classes shows as
/// blocks on the diagonal. n² cells, so for up to about a hundred rows.
///
/// ```
/// use gristmill::kernel_methods::{Kernel, gram_figure};
/// let iris = gristmill::datasets::iris()?;
/// let some: Vec<usize> = (0..150).step_by(5).collect();
/// let figure = gram_figure(&Kernel::rbf(0.5), &iris.x.select(&some)?, &iris.labels()?.select(&some)?)?;
/// assert!(figure.to_svg().contains("virginica"));
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn gram_figure(kernel: &Kernel, x: &Matrix, labels: &Labels) -> Result<Figure> {
    if x.rows() != labels.len() {
        return Err(Error::shape("gram_figure", format!("{} classes, one a row", x.rows()), labels.len()));
    }
    let mut order: Vec<usize> = (0..x.rows()).collect();
    order.sort_by_key(|row| labels.codes()[*row]);
    let mut stream = Device::Cpu.stream();
    let gram = kernel.symmetric_matrix(&mut stream, &x.to(&Device::Cpu)?)?.to_matrix(&mut stream)?;
    let gram = gram.select(&order)?.select_columns(&order)?;
    // Each class is named in the middle of its rows.
    let mut names = vec![String::new(); order.len()];
    for class in 0..labels.classes() {
        let of_class = |row: &usize| labels.codes()[*row] as usize == class;
        let places: Vec<usize> = (0..order.len()).filter(|at| of_class(&order[*at])).collect();
        if let Some(middle) = places.get(places.len() / 2) {
            names[*middle].clone_from(&labels.names()[class]);
        }
    }
    let values: Vec<f64> = gram.as_slice().iter().copied().map(f64::from).collect();
    let figure = Figure::new().title(format!("Gram matrix by class: {kernel}"));
    figure.heatmap(&names, &names, &values)
}
