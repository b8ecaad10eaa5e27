use gristmill::decomposition::Pca;
use gristmill::decomposition::*;
use gristmill::prelude::*;

/// Few rows, some of them equal, with a constant column.
fn poor() -> Matrix {
    Matrix::from_rows(&[[1.0, 2.0, 7.0], [1.0, 2.0, 7.0], [3.0, 1.0, 7.0], [3.0, 1.0, 7.0], [0.0, 5.0, 7.0]]).unwrap()
}

fn one_row() -> Matrix {
    Matrix::from_rows(&[[1.0, 2.0, 3.0]]).unwrap()
}

#[test]
fn duplicated_rows_and_constant_columns_are_no_error() {
    let x = poor();
    assert_eq!(FastIca::default().fit(&x).unwrap().n_components(), 2);
    let map = SelfOrganizingMap::new(4, 4).fit(&x).unwrap();
    assert!(map.units().as_slice().iter().all(|value| value.is_finite()));
    assert!(map.quantization_error(&x).unwrap() < 1.0);
    for unit in 0..16 {
        assert!((map.units().get(unit, 2) - 7.0).abs() < 1e-5);
    }
    let atoms = KSvd::new(8).n_nonzero_coefs(2).fit(&x).unwrap();
    let back = atoms.inverse_transform(&atoms.transform(&x).unwrap()).unwrap();
    assert!(back.as_slice().iter().zip(x.as_slice()).all(|(a, b)| (a - b).abs() < 1e-2), "{back:?}");
    let learnt = DictionaryLearning::new(8).alpha(0.01).fit(&x).unwrap();
    assert!(learnt.dictionary().as_slice().iter().all(|value| value.is_finite()));
    let parts = Nmf::new(6).fit(&x).unwrap();
    assert!(parts.reconstruction_err() < 1.0);
    let notes = DictionaryLearning::new(8).fit_algorithm(DictionarySolver::LeastSquares).fit(&x).unwrap();
    assert!(notes.dictionary().as_slice().iter().all(|value| value.is_finite()));
}

#[test]
fn one_row_is_an_error_or_the_row_itself() {
    let x = one_row();
    assert!(FastIca::default().fit(&x).unwrap_err().to_string().contains("at least two rows"));
    assert!(Pca::default().fit(&x).unwrap_err().to_string().contains("at least two rows"));
    assert_eq!(SelfOrganizingMap::new(2, 2).fit(&x).unwrap().units().row(3), x.row(0));
    let atoms = KSvd::new(1).n_nonzero_coefs(1).fit(&x).unwrap();
    let back = atoms.inverse_transform(&atoms.transform(&x).unwrap()).unwrap();
    assert!(back.as_slice().iter().zip(x.as_slice()).all(|(a, b)| (a - b).abs() < 1e-5));
    assert!(Nmf::new(1).fit(&x).unwrap().reconstruction_err() < 1e-2);
}

#[test]
fn what_cannot_be_found_is_an_error_that_says_why() {
    let equal = Matrix::from_rows(&[[2.0, 2.0], [2.0, 2.0], [2.0, 2.0]]).unwrap();
    assert!(FastIca::default().fit(&equal).unwrap_err().to_string().contains("differ"));
    assert!(FastIca::default().n_components(3).fit(&poor()).unwrap_err().to_string().contains("at most 2"));
    let zeros = Matrix::zeros(4, 3).unwrap();
    assert!(KSvd::new(2).fit(&zeros).unwrap_err().to_string().contains("only zeros"));
    assert!(DictionaryLearning::new(2).fit(&zeros).unwrap_err().to_string().contains("only zeros"));
    assert!(Nmf::new(2).fit(&zeros).unwrap_err().to_string().contains("only zeros"));
    assert!(SparseCoder::default().fit(&zeros).unwrap_err().to_string().contains("zeros in row 0"));
    let negative = Matrix::from_rows(&[[1.0, 2.0], [3.0, -1.0]]).unwrap();
    assert!(Nmf::new(1).fit(&negative).unwrap_err().to_string().contains("row 1, column 1"));
    let model = Nmf::new(1).fit(&Matrix::from_rows(&[[1.0, 2.0], [3.0, 1.0]]).unwrap()).unwrap();
    assert!(model.transform(&negative).is_err());
    let kl = Nmf::new(1).beta_loss(BetaLoss::KullbackLeibler).fit(&poor());
    assert!(kl.unwrap_err().to_string().contains("mu"));
    assert!(KSvd::new(9).unit_codes(true).fit(&poor()).is_err());
    let weights = [1.0_f32; 5];
    assert!(KSvd::new(2).fit_with(&poor(), Fit::default().sample_weight(&weights)).is_err());
    let none = Fit::default().sample_weight(&[0.0_f32; 5]);
    assert!(SelfOrganizingMap::new(2, 2).fit_with(&poor(), none).unwrap_err().to_string().contains("only zeros"));
}
