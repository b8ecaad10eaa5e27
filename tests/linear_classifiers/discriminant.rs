use gristmill::linear::{LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, Shrinkage};
use gristmill::prelude::*;

use super::assert_near;

#[test]
fn linear_discriminants_have_the_planes_probabilities_and_projection_of_scikit_learn() {
    let iris = datasets::iris().unwrap();
    let model = LinearDiscriminantAnalysis::default().fit(&iris.x, iris.labels().unwrap()).unwrap();
    let wanted = [
        [6.443_632_34, 12.387_057_53, -17.292_271_42, -21.193_931_93],
        [-1.562_448_74, -4.465_350_07, 4.791_495_58, 3.125_087_05],
        [-4.881_183_6, -7.921_707_47, 12.500_775_84, 18.068_844_88],
    ];
    for (class, wanted) in wanted.iter().enumerate() {
        assert_near(model.coef().row(class).iter().copied(), wanted, 1e-4);
    }
    assert_near(model.intercept().iter().copied(), &[-15.771_292_07, -2.040_817_33, -34.199_707_93], 1e-3);
    let shares = model.predict_proba(&iris.x.select(&[70, 133]).unwrap()).unwrap();
    assert_near([f64::from(shares.get(0, 2)), f64::from(shares.get(1, 1))], &[0.750_922_74, 0.733_363_68], 1e-5);
    assert_eq!(model.score(&iris.x, iris.labels().unwrap()).unwrap(), 0.98);
    assert_near(model.explained_variance_ratio().iter().copied(), &[0.991_212_61, 0.008_787_39], 1e-6);
    let projected = model.transform(&iris.x.select(&[0, 1]).unwrap()).unwrap();
    assert_near(
        projected.as_slice().iter().map(|value| f64::from(value.abs())),
        &[8.143_647_54, 0.303_470_67, 7.201_062_2, 0.794_646_99],
        1e-4,
    );
    let again = gristmill::linear::LinearDiscriminantAnalysisModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(again.transform(&iris.x).unwrap(), model.transform(&iris.x).unwrap());
}

#[test]
fn shrinkage_by_share_and_by_ledoit_and_wolf_part_the_classes_as_scikit_learn_does() {
    let iris = datasets::iris().unwrap();
    // Planes are known up to what all classes share: differences are compared.
    let differences = |shrinkage: Shrinkage| {
        let model = LinearDiscriminantAnalysis::default().shrinkage(shrinkage);
        let model = model.fit(&iris.x, iris.labels().unwrap()).unwrap();
        (model.coef().row(0) - model.coef().row(2)).iter().copied().collect::<Vec<f64>>()
    };
    let wanted = [
        21.986_065_72 - 16.620_877_03,
        20.589_362_33 - 7.939_510_39,
        -9.546_865_4 - 17.365_645_31,
        -7.028_850_76 - 12.288_580_08,
    ];
    assert_near(differences(Shrinkage::Share(0.3)), &wanted, 1e-4);
    let wanted = [
        20.162_080_95 - 12.824_174_32,
        25.875_545_04 - 6.185_434_28,
        -11.151_489_58 - 14.270_486_31,
        -17.886_986_46 - 21.807_396_12,
    ];
    assert_near(differences(Shrinkage::Auto), &wanted, 1e-3);
}

#[test]
fn quadratic_discriminants_have_the_probabilities_of_scikit_learn() {
    let iris = datasets::iris().unwrap();
    let rows = iris.x.select(&[60, 70, 133]).unwrap();
    let shares = |reg_param: f64| {
        let model = QuadraticDiscriminantAnalysis::default().reg_param(reg_param);
        let model = model.fit(&iris.x, iris.labels().unwrap()).unwrap();
        assert_eq!(model.score(&iris.x, iris.labels().unwrap()).unwrap(), 0.98);
        let shares = model.predict_proba(&rows).unwrap();
        (0..3).map(|row| f64::from(shares.get(row, 2))).collect::<Vec<f64>>()
    };
    assert_near(shares(0.0), &[0.000_052_03, 0.671_548_39, 0.397_711_77], 1e-5);
    assert_near(shares(0.1), &[0.002_017_3, 0.476_606_92, 0.500_367_11], 1e-5);
    let shrunk = |shrinkage: Shrinkage| {
        let model = QuadraticDiscriminantAnalysis::default().shrinkage(shrinkage);
        let shares = model.fit(&iris.x, iris.labels().unwrap()).unwrap().predict_proba(&rows).unwrap();
        (0..3).map(|row| f64::from(shares.get(row, 2))).collect::<Vec<f64>>()
    };
    // solver="eigen" with shrinkage 0.2 and "auto", of the f32 values in f64.
    assert_near(shrunk(Shrinkage::Share(0.2)), &[0.000_195_82, 0.543_751_36, 0.476_656_81], 1e-5);
    assert_near(shrunk(Shrinkage::Auto), &[0.000_080_57, 0.645_339_87, 0.304_382_37], 1e-5);
    let wine = datasets::wine().unwrap();
    let model = QuadraticDiscriminantAnalysis::default().fit(&wine.x, wine.labels().unwrap()).unwrap();
    assert!((model.score(&wine.x, wine.labels().unwrap()).unwrap() - 0.994_382_02).abs() < 1e-6);
}

#[test]
fn flat_clouds_are_left_out_or_refused_with_the_remedy() {
    let iris = datasets::iris().unwrap();
    let columns: Vec<f32> =
        (0..150).flat_map(|row| [iris.x.get(row, 2), iris.x.get(row, 3), 7.0, 2.0 * iris.x.get(row, 2)]).collect();
    let flat = Matrix::from_vec(150, 4, columns).unwrap();
    let model = LinearDiscriminantAnalysis::default().fit(&flat, iris.labels().unwrap()).unwrap();
    assert!(model.score(&flat, iris.labels().unwrap()).unwrap() > 0.95);
    let refused = QuadraticDiscriminantAnalysis::default().fit(&flat, iris.labels().unwrap()).unwrap_err();
    assert!(refused.to_string().contains("reg_param"), "{refused}");
    QuadraticDiscriminantAnalysis::default().reg_param(0.01).fit(&flat, iris.labels().unwrap()).unwrap();
    QuadraticDiscriminantAnalysis::default()
        .shrinkage(Shrinkage::Share(0.1))
        .fit(&flat, iris.labels().unwrap())
        .unwrap();
    let refused = LinearDiscriminantAnalysis::default().n_components(3).fit(&iris.x, iris.labels().unwrap());
    assert!(matches!(refused, Err(Error::Param { .. })));
}

#[test]
fn weights_count_as_repeated_rows() {
    let (x, y) = super::two_of_iris();
    let weights: Vec<f32> = (0..100).map(|row| (row % 2 + 1) as f32).collect();
    let rows: Vec<usize> = (0..100).flat_map(|row| vec![row; row % 2 + 1]).collect();
    let lda = LinearDiscriminantAnalysis::default();
    let weighted = lda.fit_with(&x, &y, Fit::default().sample_weight(&weights)).unwrap();
    let repeated = lda.fit(&x.select(&rows).unwrap(), &y.select(&rows).unwrap()).unwrap();
    assert!((weighted.coef() - repeated.coef()).amax() < 1e-6);
}

#[test]
fn sparse_rows_give_what_dense_ones_do() {
    let iris = datasets::iris().unwrap();
    let sparse = SparseMatrix::from_dense(&iris.x).unwrap();
    let y = iris.labels().unwrap();
    let lda = LinearDiscriminantAnalysis::default();
    let (dense, of_sparse) = (lda.fit(&iris.x, y).unwrap(), lda.fit(&sparse, y).unwrap());
    assert!((dense.coef() - of_sparse.coef()).amax() < 1e-9);
    assert_eq!(of_sparse.predict(&sparse).unwrap(), dense.predict(&iris.x).unwrap());
    let qda = QuadraticDiscriminantAnalysis::default();
    let (dense, of_sparse) = (qda.fit(&iris.x, y).unwrap(), qda.fit(&sparse, y).unwrap());
    assert_eq!(of_sparse.predict_proba(&sparse).unwrap(), dense.predict_proba(&iris.x).unwrap());
    assert!(of_sparse.predict(&SparseMatrix::from_dense(&iris.x).unwrap().select_columns(&[0, 1]).unwrap()).is_err());
}
