//! Principal components in the space of a kernel.

use nalgebra::DMatrix;

use super::numbered;
use super::preimages::Preimages;
use super::spectrum::leading;
use crate::array::{DeviceMatrix, Matrix};
use crate::cost::Cost;
use crate::error::{Error, Result};
use crate::estimator::{
    Estimator, Fit, FitShape, FittedWith, InputColumns, Model, OwnedRows, PictureInput, Reporter, Rows, Save,
    Transform, parameters,
};
use crate::kernel_methods::expansion::KernelExpansion;
use crate::kernel_methods::gram_operator::{GramOperator, fits_whole};
use crate::kernel_methods::{Kernel, cost};
use crate::model_file::Container;
use crate::plot::Figure;

const OP: &str = "KernelPca";
/// Rows up to which pre-images are learnt: a system of that size is factored.
const MOST_PREIMAGES: usize = 8192;

parameters! {
    /// Kernel principal components (Schölkopf, Smola and Müller 1998): the directions of largest variance of φ(x). Names
    /// and defaults are scikit-learn's.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// use gristmill::kernel_methods::{Kernel, KernelPca};
    /// let rings = datasets::circles(200, 0.05, 0.3, 1)?;
    /// let z = KernelPca::default().n_components(2).kernel(Kernel::rbf(2.0)).fit(&rings.x)?.transform(&rings.x)?;
    /// let inner = |row: &usize| rings.labels().unwrap().codes()[*row] == 1;
    /// let (inside, outside): (Vec<usize>, Vec<usize>) = (0..200).partition(inner);
    /// let lowest = inside.iter().map(|row| z.get(*row, 0)).fold(f32::INFINITY, f32::min);
    /// let highest = outside.iter().map(|row| z.get(*row, 0)).fold(f32::NEG_INFINITY, f32::max);
    /// assert!(highest < lowest); // one component separates the rings
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - All eigenpairs in f64 up to a thousand rows; for more, the leading ones by Lanczos on K·V, which never stores K
    ///   above 8192 rows. Both are deterministic; the largest entry of each eigenvector is positive. Above 4096 rows fewer
    ///   than an eighth of all components can be had.
    /// - A component whose eigenvalue is within the rounding of f32 (4·√n·2⁻²⁴ of the largest k(x, x)) is 0 for every row;
    ///   without `n_components` it is left out. More components than rows become as many as there are rows.
    /// - One row, equal rows or a constant kernel have no component: that is an error.
    /// - Pre-images are a ridge regression of the rows on their components with the same kernel, on the host in f64; up to
    ///   8192 rows.
    pub struct KernelPca: transformer("kernel-pca") -> KernelPcaModel;
    about "principal components of the rows in the space of a kernel";
    {
        /// Number of components; none: all whose eigenvalue is not 0.
        n_components: Option<usize> = None, at_least(1.0);
        /// The kernel, such as rbf(gamma=0.1) or 0.5*rbf+poly(degree=2).
        kernel: Kernel = Kernel::Linear;
        /// Whether pre-images are learnt, for inverse_transform.
        fit_inverse_transform: bool = false;
        /// Penalty of the ridge regression that finds pre-images.
        alpha: f64 = 1.0, above(0.0);
    }
}

impl Estimator for KernelPca {
    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        let (n, d) = (shape.rows as f64, shape.columns as f64);
        if let (Some(count), false) = (self.n_components, fits_whole(shape.rows)) {
            // Products of the kernel for a few vectors more than are wanted.
            let steps = 4.0 * count as f64 + 20.0;
            let products = Cost {
                operations: cost::pairs(n * n, d, 1.0) * steps,
                moved_bytes: 8.0 * n * steps,
                host_bytes: 16.0 * n * steps * steps,
                syncs: steps,
                ..Cost::default()
            };
            return Some(products + cost::around(shape, shape.rows));
        }
        Some(cost::whole_matrix(shape, 9.0 * n * n * n))
    }

    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<KernelPcaModel> {
        options.refuse_weights(OP)?;
        let x = x.complete(OP)?;
        if self.fit_inverse_transform && (x.rows() > MOST_PREIMAGES || self.kernel.is_precomputed()) {
            let rule = format!("false for more than {MOST_PREIMAGES} rows and for a given kernel matrix");
            return Err(Error::param("fit_inverse_transform", rule, true));
        }
        options.watched("kernel principal components", |reporter| self.search(&x, reporter))
    }
}

impl KernelPca {
    /// The defaults with this number of components.
    pub fn new(n_components: usize) -> KernelPca {
        KernelPca::default().n_components(n_components)
    }

    fn search(&self, x: &DeviceMatrix, reporter: &mut Reporter<'_>) -> Result<KernelPcaModel> {
        let mut stream = x.device().stream();
        let gram = GramOperator::fit(OP, &self.kernel, x, &mut stream)?;
        let found = leading(&gram, &mut stream, self.n_components, true, reporter)?;
        let noise = gram.noise(&mut stream)?;
        let rank = found.values.iter().take_while(|value| **value > noise).count();
        if rank == 0 {
            let rule = "one that varies on these rows; centred, its matrix is 0".to_string();
            return Err(Error::param("kernel", rule, &self.kernel));
        }
        let count = if self.n_components.is_some() { found.values.len() } else { rank };
        let mut vectors = found.vectors.columns(0, count).into_owned();
        for (at, mut vector) in vectors.column_iter_mut().enumerate() {
            vector *= if at < rank { found.values[at].sqrt().recip() } else { 0.0 };
        }
        // The coefficients add up to 0, so of the four terms of the centred kernel two are left.
        let ones = DMatrix::from_element(gram.len(), 1, 1.0 / gram.len() as f64);
        let offsets = (gram.wide_product(&mut stream, &ones)?.transpose() * &vectors).as_slice().to_vec();
        let rows = gram.x(&mut stream)?;
        let map = KernelExpansion::over(gram.kernel, &rows, None, Matrix::from_dmatrix_f64(&vectors)?)?;
        let values = (0..count).map(|at| if at < rank { found.values[at] } else { 0.0 }).collect();
        let preimages = match self.fit_inverse_transform {
            true => {
                let z = map.transform(OP, Rows::Device(x), Some(&offsets))?.into_host()?;
                Some(Preimages::fit(map.kernel(), z, &rows, self.alpha)?)
            }
            false => None,
        };
        Ok(KernelPcaModel { params: self.clone().into(), map, offsets, values, preimages })
    }
}

/// The components that [`KernelPca`] found.
#[derive(Debug, Clone)]
pub struct KernelPcaModel {
    params: FittedWith<KernelPca>,
    map: KernelExpansion,
    offsets: Vec<f64>,
    values: Vec<f64>,
    preimages: Option<Preimages>,
}

impl KernelPcaModel {
    /// The eigenvalues of the centred Gram matrix, descending; 0 for those within rounding.
    pub fn eigenvalues(&self) -> &[f64] {
        &self.values
    }

    /// The eigenvectors of the fitted rows divided by the roots of their eigenvalues, n×p.
    pub fn scaled_eigenvectors(&self) -> &Matrix {
        self.map.coef()
    }

    /// The kernel with its widths as numbers.
    pub fn kernel(&self) -> &Kernel {
        self.map.kernel().kernel()
    }

    /// Rows whose components are about these: pre-images, n×d. The fit must have had `fit_inverse_transform`.
    pub fn inverse_transform<'a>(&self, z: impl Into<Rows<'a>>) -> Result<Matrix> {
        match &self.preimages {
            Some(preimages) => preimages.of(OP, &z.into().on_host()?),
            None => Err(Error::param("fit_inverse_transform", "true in a fit whose components are turned back", false)),
        }
    }
}

impl Transform for KernelPcaModel {}

impl Model for KernelPcaModel {
    fn transform_rows(&self, x: Rows<'_>) -> Result<OwnedRows> {
        self.map.transform(OP, x, Some(&self.offsets))
    }

    fn transformed_columns(&self, _: &InputColumns) -> Option<InputColumns> {
        Some(numbered("component", self.values.len()))
    }

    fn figures(&self, _: &PictureInput<'_>) -> Result<Vec<Figure>> {
        let values = self.values.iter().enumerate().map(|(at, value)| ((at + 1) as f64, *value));
        let figure = Figure::new().title("Eigenvalues of the centred Gram matrix").x_label("component");
        Ok(vec![figure.y_label("eigenvalue").scatter("", values)])
    }
}

impl Save for KernelPcaModel {
    type Estimator = KernelPca;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.insert_list("offsets", &self.offsets)?;
        container.insert_list("eigenvalues", &self.values)?;
        self.map.store(container)?;
        self.preimages.as_ref().map_or(Ok(()), |preimages| preimages.store(container))
    }

    fn load_fitted(params: FittedWith<KernelPca>, container: &mut Container) -> Result<KernelPcaModel> {
        let map = KernelExpansion::restore(container)?;
        let offsets = container.take("offsets", &[map.coef().columns()])?;
        let values = container.take("eigenvalues", &[map.coef().columns()])?;
        let shape = [map.rows().rows(), map.kernel().columns(), map.coef().columns()];
        let preimages = match params.fit_inverse_transform {
            true => Some(Preimages::restore(container, map.kernel().kernel(), shape)?),
            false => None,
        };
        Ok(KernelPcaModel { params, map, offsets, values, preimages })
    }
}
