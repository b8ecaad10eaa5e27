//! Features from the kernel with some of the rows, or with all of them.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use super::numbered;
use super::spectrum::leading;
use crate::array::Matrix;
use crate::cost::Cost;
use crate::cpu::random::HostRng;
use crate::device::Stream;
use crate::error::Result;
use crate::estimator::{
    Estimator, Fit, FitShape, FittedWith, InputColumns, Model, OwnedRows, Reporter, Rows, Save, Transform, parameters,
};
use crate::kernel_methods::expansion::KernelExpansion;
use crate::kernel_methods::gram_operator::{GramOperator, rounding_noise};
use crate::kernel_methods::ridge::warn_indefinite;
use crate::kernel_methods::{FittedKernel, Gamma, Kernel, cost};
use crate::linalg::Eigen;
use crate::model_file::Container;

const OP: &str = "Nystroem";
/// The stream of random numbers for landmarks.
const STREAM: u32 = 0x6e79_0000;
/// Eigenvalues up to this count as 0.
const FLOOR: f64 = 1e-12;

/// The rows that a [`Nystroem`] map compares with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Landmarks {
    /// `n_components` rows, each set of them equally likely: the features are k(x, landmarks)·K⁻¹ᐟ² of theirs.
    #[default]
    Uniform,
    /// All rows: the features are λ⁻¹ᐟ²·uᵀk(x) for the leading eigenpairs of their Gram matrix.
    All,
}

parameters! {
    /// Nyström features: φ(x)·φ(y) is close to k(x, y), so a linear model of them is close to a kernel model. Names and
    /// defaults are scikit-learn's.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// use gristmill::kernel_methods::{Kernel, Landmarks, Nystroem};
    /// let x = Matrix::from_rows(&[[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])?;
    /// let squared: Kernel = "linear^2".parse()?;
    /// let z = Nystroem::new(3).kernel(squared).landmarks(Landmarks::All).fit(&x)?.transform(&x)?;
    /// let product: f32 = z.row(0).iter().zip(z.row(2)).map(|(x, y)| x * y).sum();
    /// assert!((product - 1.0).abs() < 1e-5); // (x₀·x₂)²
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - With `landmarks` of `all` and m components, φ(x)·φ(y) on the fitted rows is the best approximation of their Gram
    ///   matrix of rank m; by Lanczos on products where there are more than a thousand rows.
    /// - More components than rows become as many as there are rows.
    /// - Directions whose eigenvalue is within the rounding of f32 (4·√n·2⁻²⁴ of the largest k(x, x)) add nothing;
    ///   scikit-learn, in f64, takes 1e-12 for less than that. The features of identical rows are finite.
    /// - A given kernel matrix (`precomputed`) has n columns when it is transformed.
    pub struct Nystroem: transformer("nystroem") -> NystroemModel;
    about "features whose inner products approximate a kernel, from some of the rows";
    new(n_components: usize);
    {
        /// The kernel, such as rbf(gamma=0.1) or 0.5*rbf+poly(degree=2).
        kernel: Kernel = Kernel::rbf(Gamma::Auto);
        /// Number of features; at most the number of rows is used.
        n_components: usize = 100, at_least(1.0);
        /// The rows to compare with: uniform (n_components of them) or all (their leading eigenpairs).
        landmarks: Landmarks = Landmarks::Uniform;
        /// Seed of the landmarks.
        seed: u64 = 0;
    }
}

impl Estimator for Nystroem {
    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        let m = self.n_components.min(shape.rows) as f64;
        if self.landmarks == Landmarks::All {
            return Some(cost::whole_matrix(shape, 9.0 * (shape.rows as f64).powi(3)));
        }
        let (n, d) = ((shape.rows + shape.queries) as f64, shape.columns as f64);
        let features = Cost {
            operations: cost::pairs(n * m, d, m),
            host_bytes: cost::on_host(9.0 * m.powi(3)),
            moved_bytes: 4.0 * n * m,
            syncs: 2.0,
            ..Cost::default()
        };
        Some(features + cost::around(&shape.queries(0), 0))
    }

    /// Costs m²·d + 9·m³ operations for m landmarks, and n²·d and more for all rows.
    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<NystroemModel> {
        options.refuse_weights(OP)?;
        let x = x.complete(OP)?;
        let mut stream = x.device().stream();
        if self.n_components > x.rows() {
            log::warn!("{OP}: {} components of {} rows; there are as many as rows", self.n_components, x.rows());
        }
        let count = self.n_components.min(x.rows());
        let (map, landmarks) = match self.landmarks {
            Landmarks::Uniform => {
                warn_indefinite(OP, &self.kernel);
                let (kernel, _) = FittedKernel::fit(OP, &self.kernel, &x)?;
                let rows = HostRng::new(self.seed, STREAM).distinct(count, x.rows());
                let landmarks = x.rows_at(&mut stream, &rows)?;
                let coefficients = inverse_root(&kernel, &mut stream, &landmarks, &rows)?;
                let map = match kernel.kernel().is_precomputed() {
                    true => KernelExpansion::over(kernel, &x.to_matrix(&mut stream)?, Some(&rows), coefficients)?,
                    false => KernelExpansion::over(kernel, &landmarks, None, coefficients)?,
                };
                (map, rows)
            }
            Landmarks::All => {
                let gram = GramOperator::fit(OP, &self.kernel, &x, &mut stream)?;
                let find = |reporter: &mut Reporter<'_>| leading(&gram, &mut stream, Some(count), false, reporter);
                let mut found = options.watched("Nyström features", find)?;
                let floor = gram.noise(&mut stream)?.max(FLOOR);
                for (mut vector, value) in found.vectors.column_iter_mut().zip(&found.values) {
                    vector *= root(*value, floor);
                }
                let coefficients = Matrix::from_dmatrix_f64(&found.vectors)?;
                let x = gram.x(&mut stream)?;
                (KernelExpansion::over(gram.kernel, &x, None, coefficients)?, (0..x.rows()).collect())
            }
        };
        let landmarks = landmarks.into_iter().map(|row| row as u64).collect();
        Ok(NystroemModel { params: self.clone().into(), map, landmarks })
    }
}

/// |λ|⁻¹ᐟ² with the sign of λ, as a singular value decomposition gives it; 0 where λ is rounding.
fn root(value: f64, floor: f64) -> f64 {
    if value.abs() > floor { value.abs().sqrt().recip().copysign(value) } else { 0.0 }
}

/// K⁻¹ᐟ² of the landmarks, m×m.
fn inverse_root(kernel: &FittedKernel, stream: &mut Stream, landmarks: &Matrix, rows: &[usize]) -> Result<Matrix> {
    let gram = match kernel.kernel().is_precomputed() {
        true => landmarks.select_columns(rows)?,
        false => {
            let rows = kernel.rows(OP, &landmarks.to(stream.device())?)?;
            kernel.symmetric(stream, &rows)?.to_matrix(stream)?
        }
    };
    let largest = (0..gram.rows()).map(|row| f64::from(gram.get(row, row)).abs()).fold(0.0, f64::max);
    let floor = rounding_noise(gram.rows(), largest).max(FLOOR);
    let (values, vectors) = Eigen::factor(&gram.to_dmatrix())?.into_parts();
    let mut scaled: DMatrix<f64> = vectors.clone();
    for (mut vector, value) in scaled.column_iter_mut().zip(values.iter()) {
        vector *= root(*value, floor);
    }
    Matrix::from_dmatrix_f64(&(scaled * vectors.transpose()))
}

/// The features that [`Nystroem`] found.
#[derive(Debug, Clone)]
pub struct NystroemModel {
    params: FittedWith<Nystroem>,
    map: KernelExpansion,
    landmarks: Vec<u64>,
}

impl NystroemModel {
    /// The rows that new ones are compared with, m×d; none for a given kernel matrix.
    pub fn components(&self) -> Option<&Matrix> {
        Some(self.map.rows()).filter(|rows| rows.rows() > 0)
    }

    /// Their numbers among the fitted rows.
    pub fn component_indices(&self) -> &[u64] {
        &self.landmarks
    }

    /// What their kernel values are multiplied with, m×(number of features).
    pub fn normalization(&self) -> &Matrix {
        self.map.coef()
    }

    /// The kernel with its widths as numbers.
    pub fn kernel(&self) -> &Kernel {
        self.map.kernel().kernel()
    }
}

impl Transform for NystroemModel {}

impl Model for NystroemModel {
    fn transform_rows(&self, x: Rows<'_>) -> Result<OwnedRows> {
        self.map.transform(OP, x, None)
    }

    fn transformed_columns(&self, _: &InputColumns) -> Option<InputColumns> {
        Some(numbered("nystroem", self.map.coef().columns()))
    }
}

impl Save for NystroemModel {
    type Estimator = Nystroem;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.insert_list("landmarks", &self.landmarks)?;
        self.map.store(container)
    }

    fn load_fitted(params: FittedWith<Nystroem>, container: &mut Container) -> Result<NystroemModel> {
        let landmarks: Vec<u64> = container.take_list("landmarks")?;
        let map = KernelExpansion::restore(container)?;
        if map.rows().rows() != landmarks.len() && !map.kernel().kernel().is_precomputed() {
            return Err(container.refuse(format!("{} landmarks for other rows", landmarks.len())));
        }
        Ok(NystroemModel { params, map, landmarks })
    }
}
