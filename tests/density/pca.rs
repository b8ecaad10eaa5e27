use gristmill::decomposition::{ColumnScale, Components, Pca, TruncatedSvd};
use gristmill::linalg::Svd;
use gristmill::ops::{self, random::philox::Draw};
use gristmill::prelude::*;
use nalgebra::DMatrix;

/// Rows of uniform numbers, with a column that counts double.
fn noise(rows: usize, columns: usize, seed: u64) -> Matrix {
    let mut stream = Device::Cpu.stream();
    let values =
        ops::random_uniforms(&mut stream, Draw::new(seed, 0), rows * columns).unwrap().to_vec(&mut stream).unwrap();
    let values = values.into_iter().enumerate().map(|(at, value)| if at % columns == 0 { 2.0 * value } else { value });
    Matrix::from_vec(rows, columns, values.collect()).unwrap()
}

/// The singular values of the centred rows, in f64.
fn centred_svd(x: &Matrix) -> Svd {
    let mut x = x.to_dmatrix();
    for mut column in x.column_iter_mut() {
        let mean = column.mean();
        column.add_scalar_mut(-mean);
    }
    Svd::factor(&x).unwrap()
}

#[test]
fn iris_has_the_published_components() {
    let iris = datasets::iris().unwrap();
    let model = Pca::default().fit(&iris.x).unwrap();
    let published = [0.92461872, 0.05306648, 0.01710261, 0.00521218];
    for (found, published) in model.explained_variance_ratio().iter().zip(published) {
        assert!((found - published).abs() < 1e-6, "{found} is not {published}");
    }
    let singular = [25.09996044, 6.01314738, 3.41368064, 1.88452351];
    for (found, published) in model.singular_values().iter().zip(singular) {
        assert!((found - published).abs() < 1e-5, "{found} is not {published}");
    }
    let first = [0.36138659, -0.08452251, 0.85667061, 0.3582892];
    model.components().row(0).iter().zip(first).for_each(|(found, known)| assert!((found - known).abs() < 1e-6));
    let orthonormal = model.components() * model.components().transpose();
    assert!((orthonormal - DMatrix::identity(4, 4)).amax() < 1e-12);
    assert!(model.reconstruction_error(&iris.x).unwrap() < 1e-10);
}

#[test]
fn the_number_of_components_is_a_count_a_share_or_the_most_likely() {
    let (iris, wine) = (datasets::iris().unwrap(), datasets::wine().unwrap());
    let kept = |components: Components, x: &Matrix| {
        Pca::default().n_components(components).fit(x).map(|model| model.n_components())
    };
    assert_eq!(kept(2.into(), &iris.x).unwrap(), 2);
    assert_eq!(kept(0.95.into(), &iris.x).unwrap(), 2);
    assert_eq!(kept(0.99.into(), &iris.x).unwrap(), 3);
    assert_eq!(kept(Components::Mle, &iris.x).unwrap(), 3); // scikit-learn's
    assert_eq!(kept(Components::Mle, &wine.x).unwrap(), 12);
    assert!(kept(5.into(), &iris.x).unwrap_err().to_string().contains("at most 4"));
    assert!(kept(0.into(), &iris.x).is_err() && kept(1.5.into(), &iris.x).is_err());
    let few = iris.x.select(&[0, 60, 120]).unwrap();
    assert!(kept(Components::Mle, &few).unwrap_err().to_string().contains("mle needs more rows"));
}

#[test]
fn whitened_columns_have_variance_one_and_come_back() {
    let wine = datasets::wine().unwrap();
    let model = Pca::default().n_components(13).whiten(true).scale(ColumnScale::Deviation).fit(&wine.x).unwrap();
    let z = model.transform(&wine.x).unwrap();
    let moments = ops::column_moments(&mut Device::Cpu.stream(), &z.to(&Device::Cpu).unwrap(), None).unwrap();
    let to_sample = 178.0 / 177.0;
    moments.variance.iter().for_each(|variance| assert!((variance * to_sample - 1.0).abs() < 1e-4, "{variance}"));
    let back = model.inverse_transform(&z).unwrap();
    for (value, back) in wine.x.as_slice().iter().zip(back.as_slice()) {
        assert!((value - back).abs() <= 2e-5 * value.abs().max(10.0), "{back} is not {value}");
    }
    let norm = Pca::default().scale(ColumnScale::Norm).fit(&wine.x).unwrap();
    let deviation = Pca::default().scale(ColumnScale::Deviation).fit(&wine.x).unwrap();
    for (norm, deviation) in norm.explained_variance_ratio().iter().zip(deviation.explained_variance_ratio()) {
        assert!((norm - deviation).abs() < 1e-12); // a factor of √(n − 1) in all columns
    }
}

#[test]
fn chunks_of_rows_add_up_to_all_rows() {
    let wine = datasets::wine().unwrap();
    let pca = Pca::default().n_components(3);
    let mut model = None;
    for rows in [0..50, 50..51, 51..178] {
        let chunk = wine.x.select(&rows.collect::<Vec<_>>()).unwrap();
        let estimator = AnyEstimator::new(pca.clone());
        model = Some(estimator.partial_fit(model, &chunk, &Target::None, Fit::default()).unwrap());
    }
    let chunks = model.unwrap().transform(&wine.x).unwrap();
    let whole = pca.fit(&wine.x).unwrap();
    let z = whole.transform(&wine.x).unwrap();
    chunks.as_slice().iter().zip(z.as_slice()).for_each(|(a, b)| assert!((a - b).abs() < 1e-3, "{a} is not {b}"));
    let estimator = AnyEstimator::new(pca);
    let refused = estimator.partial_fit(Some(AnyModel::new(whole)), &wine.x, &Target::None, Fit::default());
    assert!(refused.unwrap_err().to_string().contains("partial_fit"));
}

#[test]
fn few_components_of_many_columns_are_those_of_all() {
    // By Lanczos on the covariance, by products of rows, and by products with blocks of vectors.
    for (rows, columns, count) in [(700, 300, 4), (40, 4100, 40), (400, 4100, 3)] {
        let x = noise(rows, columns, 5);
        let model = Pca::default().n_components(count.min(rows - 1)).fit(&x).unwrap();
        let svd = centred_svd(&x);
        let first = svd.values()[0];
        for (found, known) in model.singular_values().iter().zip(svd.values().iter()) {
            assert!((found - known).abs() < 2e-5 * first, "{rows}×{columns}: {found} is not {known}");
        }
        let along = (model.components().row(0) * svd.v().column(0))[0].abs();
        assert!(along > 1.0 - 1e-5, "{rows}×{columns}: {along}");
    }
}

#[test]
fn rows_without_a_direction_and_single_rows_are_errors() {
    let equal = Matrix::from_rows(&[[1.0, 2.0]; 5]).unwrap();
    assert!(Pca::default().fit(&equal).unwrap_err().to_string().contains("5 equal rows"));
    let one = Matrix::from_rows(&[[1.0, 2.0]]).unwrap();
    assert!(Pca::default().fit(&one).unwrap_err().to_string().contains("at least two rows"));
    // A constant column and duplicated rows are none.
    let rows = Matrix::from_rows(&[[1.0, 7.0], [1.0, 7.0], [3.0, 7.0]]).unwrap();
    let model = Pca::default().n_components(2).fit(&rows).unwrap();
    assert!((model.explained_variance_ratio()[0] - 1.0).abs() < 1e-12);
    assert!(Pca::default().fit_with(&rows, Fit::default().sample_weight(&[0.0; 3])).is_err());
}

#[test]
fn sparse_rows_have_the_singular_vectors_of_dense_ones() {
    let mut x = noise(60, 25, 9);
    x.as_mut_slice().iter_mut().enumerate().for_each(|(at, value)| *value *= f32::from(at % 3 == 0));
    let sparse = SparseMatrix::from_dense(&x).unwrap();
    let svd = Svd::factor(&x.to_dmatrix()).unwrap();
    let (dense, thin) = (TruncatedSvd::new(3).fit(&x).unwrap(), TruncatedSvd::new(3).fit(&sparse).unwrap());
    for at in 0..3 {
        assert!((thin.singular_values()[at] - svd.values()[at]).abs() < 1e-7 * svd.values()[0]);
        assert!((dense.singular_values()[at] - svd.values()[at]).abs() < 1e-5 * svd.values()[0]);
    }
    let (z, thin_z) = (dense.transform(&x).unwrap(), thin.transform(&sparse).unwrap().to_dense().unwrap());
    z.as_slice().iter().zip(thin_z.as_slice()).for_each(|(a, b)| assert!((a - b).abs() < 1e-3, "{a} is not {b}"));
    let iris = datasets::iris().unwrap();
    let known = TruncatedSvd::new(2).fit(&iris.x).unwrap();
    assert!((known.singular_values()[0] - 95.95991387).abs() < 1e-3);
    assert!(TruncatedSvd::new(26).fit(&x).is_err() && TruncatedSvd::new(1).fit(&Matrix::zeros(3, 3).unwrap()).is_err());
}
