//! The plane that rows of any width are drawn on.

use nalgebra::{DMatrix, DVector};

use crate::array::Matrix;
use crate::error::{Error, Result};
use crate::linalg::Eigen;

/// Up to here the covariance of the columns is decomposed, above it the products of some rows.
const WIDE: usize = 256;
/// Rows that directions are found from: more make no visible difference.
const MOST_ROWS: usize = 10_000;

/// The plane on which rows are drawn: their two columns, or the two directions in which they vary most.
///
/// A missing value counts as the mean of its column.
///
/// ```
/// use gristmill::{datasets, plot::Plane};
/// let iris = datasets::iris()?;
/// let plane = Plane::of(&iris.x)?;
/// let points = plane.project(&iris.x)?;
/// assert_eq!((points.rows(), points.columns()), (150, 2));
/// // A point of the plane has its place among the rows, and the way back ends where it began.
/// let again = plane.project(&plane.lift(&points)?)?;
/// assert!((again.get(0, 0) - points.get(0, 0)).abs() < 1e-4);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Plane {
    /// The middle of the rows, d.
    mean: Vec<f64>,
    /// The two directions, d each; nothing when the columns are the plane.
    directions: Option<[Vec<f64>; 2]>,
    labels: [String; 2],
}

impl Plane {
    /// The plane of the rows of `x`, n×d: its columns if there are at most two, else the two leading principal
    /// directions. O(n·d²) for up to 10,000 of the rows.
    pub fn of(x: &Matrix) -> Result<Plane> {
        let d = x.columns();
        if d == 0 || x.rows() == 0 {
            return Err(Error::shape("plot::Plane", "rows and columns to draw", format!("{}×{d}", x.rows())));
        }
        let name = |at: usize| x.names().map_or_else(|| format!("x{at}"), |names| names[at].clone());
        if d <= 2 {
            let labels = [name(0), if d == 2 { name(1) } else { String::new() }];
            return Ok(Plane { mean: column_means(x), directions: None, labels });
        }
        let mean = column_means(x);
        let directions = leading(x, &mean)?;
        let labels = ["first principal direction", "second principal direction"].map(String::from);
        Ok(Plane { mean, directions: Some(directions), labels })
    }

    /// What the two axes are called.
    pub fn labels(&self) -> &[String; 2] {
        &self.labels
    }

    /// Where the rows of `x`, n×d, lie on the plane: n×2. A single column lies on the first axis.
    pub fn project(&self, x: &Matrix) -> Result<Matrix> {
        let d = self.mean.len();
        if x.columns() != d {
            return Err(Error::shape("Plane::project", format!("{d} columns"), x.columns()));
        }
        let place = |row: usize| {
            let row = x.row(row);
            match &self.directions {
                None => [row[0], if d == 2 { row[1] } else { 0.0 }],
                Some(directions) => directions.each_ref().map(|direction| {
                    let terms = row.iter().zip(direction).zip(&self.mean);
                    let offset = |value: f32, mean: f64| if value.is_nan() { 0.0 } else { f64::from(value) - mean };
                    terms.map(|((value, part), mean)| offset(*value, *mean) * part).sum::<f64>() as f32
                }),
            }
        };
        Matrix::from_vec(x.rows(), 2, (0..x.rows()).flat_map(place).collect())
    }

    /// The rows, m×d, that lie at these points of the plane, m×2: what a model is asked about.
    pub fn lift(&self, points: &Matrix) -> Result<Matrix> {
        if points.columns() != 2 {
            return Err(Error::shape("Plane::lift", "points of two numbers", points.columns()));
        }
        let d = self.mean.len();
        let mut values = Vec::with_capacity(points.rows() * d);
        for row in 0..points.rows() {
            let point = points.row(row);
            match &self.directions {
                None => values.extend_from_slice(&point[..d]),
                Some([first, second]) => {
                    let (along, across) = (f64::from(point[0]), f64::from(point[1]));
                    let terms = self.mean.iter().zip(first).zip(second);
                    values.extend(terms.map(|((mean, first), second)| (mean + along * first + across * second) as f32));
                }
            }
        }
        Matrix::from_vec(points.rows(), d, values)
    }
}

/// The mean of each column without its missing values; 0 for a column that has no value.
fn column_means(x: &Matrix) -> Vec<f64> {
    let (mut sums, mut counts) = (vec![0.0; x.columns()], vec![0_usize; x.columns()]);
    for row in 0..x.rows() {
        for (at, value) in x.row(row).iter().enumerate().filter(|(_, value)| !value.is_nan()) {
            sums[at] += f64::from(*value);
            counts[at] += 1;
        }
    }
    sums.iter().zip(counts).map(|(sum, count)| sum / count.max(1) as f64).collect()
}

/// The two directions of largest variance, of length 1.
fn leading(x: &Matrix, mean: &[f64]) -> Result<[Vec<f64>; 2]> {
    let d = x.columns();
    let wanted = if d > WIDE { WIDE } else { MOST_ROWS };
    let step = x.rows().div_ceil(wanted).max(1);
    let rows: Vec<usize> = (0..x.rows()).step_by(step).collect();
    let centred = DMatrix::from_fn(rows.len(), d, |row, column| {
        let value = x.get(rows[row], column);
        if value.is_nan() { 0.0 } else { f64::from(value) - mean[column] }
    });
    let direction = |vectors: &DMatrix<f64>, at: usize| -> DVector<f64> {
        if at < vectors.ncols() { vectors.column(at).into_owned() } else { DVector::zeros(vectors.nrows()) }
    };
    if d <= WIDE {
        let eigen = Eigen::factor(&(centred.transpose() * &centred))?;
        return Ok([0, 1].map(|at| direction(eigen.vectors(), at).as_slice().to_vec()));
    }
    // The products of few rows have the same leading values; X'u is the direction that belongs to u.
    let eigen = Eigen::factor(&(&centred * centred.transpose()))?;
    Ok([0, 1].map(|at| {
        let long = centred.transpose() * direction(eigen.vectors(), at);
        let length = long.norm();
        long.iter().map(|part| if length > 0.0 { part / length } else { 0.0 }).collect()
    }))
}
