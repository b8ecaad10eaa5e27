use super::{SIZES, bits, distance, hilbert, identity, random};
use gristmill::Error;
use gristmill::linalg::Svd;
use nalgebra::{DMatrix, DVector};

fn check(a: &DMatrix<f64>, what: &str) -> Svd {
    let k = a.nrows().min(a.ncols());
    let svd = Svd::factor(a).unwrap();
    assert_eq!((svd.u().shape(), svd.v().shape(), svd.values().len()), ((a.nrows(), k), (a.ncols(), k), k));
    let again = svd.u() * DMatrix::from_diagonal(svd.values()) * svd.v().transpose();
    assert!(distance(&again, a) <= 1e-14 * (1.0 + a.norm()) * 4.0, "{what}: U Σ Vᵀ {:e}", distance(&again, a));
    assert!(distance(&svd.u().tr_mul(svd.u()), &identity(k)) <= 1e-13, "{what}: UᵀU");
    assert!(distance(&svd.v().tr_mul(svd.v()), &identity(k)) <= 1e-13, "{what}: VᵀV");
    assert!(svd.values().as_slice().windows(2).all(|pair| pair[0] >= pair[1]), "{what}: order");
    assert!(svd.values().iter().all(|value| *value >= 0.0), "{what}: not negative");
    for column in svd.v().column_iter() {
        let largest = column.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
        assert!(*column.iter().find(|value| value.abs() >= largest * (1.0 - 1e-10)).unwrap() > 0.0, "{what}: sign");
    }
    svd
}

#[test]
fn the_decomposition_gives_the_matrix_back_at_every_shape() {
    for rows in SIZES {
        for columns in [0, 1, 2, 3, 10, 64, 65, 200] {
            if rows.max(columns) <= 65 || rows.min(columns) <= 10 || rows == columns {
                check(&random(rows, columns, 3), &format!("{rows}×{columns}"));
            }
        }
    }
    for size in [2, 10, 65] {
        check(&DMatrix::zeros(size, size), "zero");
        check(&DMatrix::from_element(2 * size, size, 1.0), "ones");
        check(&identity(size), "identity");
        check(&hilbert(size), "Hilbert");
    }
}

#[test]
fn known_small_answers() {
    let svd = Svd::factor(&dmatrix![3.0, 0.0; 4.0, 5.0]).unwrap();
    assert!((svd.values() - DVector::from_vec(vec![45.0_f64.sqrt(), 5.0_f64.sqrt()])).amax() < 1e-14);
    let half = 0.5_f64.sqrt();
    assert!(distance(svd.v(), &dmatrix![half, half; half, -half]) < 1e-15);
    let svd = Svd::factor(&dmatrix![0.0, -2.0, 0.0; 1.0, 0.0, 0.0]).unwrap();
    assert_eq!(svd.values().as_slice(), [2.0, 1.0]);
    assert_eq!(
        (svd.u().clone(), svd.v().clone()),
        (dmatrix![-1.0, 0.0; 0.0, 1.0], dmatrix![0.0, 1.0; 1.0, 0.0; 0.0, 0.0])
    );
    assert_eq!(svd.condition(), 2.0);
}

#[test]
fn the_rank_is_counted_at_the_given_tolerance() {
    let a = DMatrix::from_diagonal(&DVector::from_vec(vec![1.0, 1e-3, 1e-9, 0.0]));
    let svd = Svd::factor(&a).unwrap();
    assert_eq!([1e-2, 1e-6, 1e-12, 0.0, -1.0, f64::NAN].map(|t| svd.rank(t)), [1, 2, 3, 3, 3, 3]);
    assert_eq!(svd.condition(), f64::INFINITY);
    for rank in [0, 1, 5, 40] {
        let a = random(80, rank, 1) * random(rank, 60, 2);
        let svd = Svd::factor(&a).unwrap();
        assert_eq!(svd.rank(svd.default_tolerance()), rank);
    }
    assert_eq!(Svd::factor(&DMatrix::zeros(3, 0)).unwrap().rank(0.0), 0);
}

#[test]
fn the_pseudo_inverse_keeps_the_four_rules_of_penrose() {
    for (rows, columns, rank) in [(5, 3, 3), (3, 5, 3), (20, 12, 7), (12, 20, 7), (65, 65, 64), (4, 4, 0)] {
        let a = random(rows, rank, 8) * random(rank, columns, 9);
        let svd = Svd::factor(&a).unwrap();
        let p = svd.pseudo_inverse(1e-10).unwrap();
        let tolerance = 1e-10 * (1.0 + p.norm());
        assert_eq!(p.shape(), (columns, rows));
        assert!(distance(&(&a * &p * &a), &a) <= tolerance);
        assert!(distance(&(&p * &a * &p), &p) <= tolerance * (1.0 + p.norm()));
        assert!(distance(&(&a * &p), &(&a * &p).transpose()) <= tolerance);
        assert!(distance(&(&p * &a), &(&p * &a).transpose()) <= tolerance);
    }
    assert_eq!(Svd::factor(&DMatrix::zeros(0, 3)).unwrap().pseudo_inverse(0.0).unwrap().shape(), (3, 0));
}

#[test]
fn a_rank_deficient_problem_gets_its_shortest_solution() {
    // A = B C with B of full column rank and C of full row rank: the shortest x is Cᵀ(CCᵀ)⁻¹ z, with B z closest to b.
    let (b, c) = (random(40, 6, 1), random(6, 15, 2));
    let svd = Svd::factor(&(&b * &c)).unwrap();
    let z = random(6, 3, 3);
    let expected = c.transpose() * (&c * c.transpose()).try_inverse().unwrap() * &z;
    let x = svd.least_squares(&(&b * &z), svd.default_tolerance()).unwrap();
    assert!(distance(&x, &expected) < 1e-13);
    // The same number twice in different units: the coefficients split as the units say.
    let a = dmatrix![1.0, 2.0; 2.0, 4.0; 3.0, 6.0];
    let x = Svd::factor(&a).unwrap().least_squares(&dmatrix![5.0; 10.0; 15.0], 1e-12).unwrap();
    assert!(distance(&x, &dmatrix![1.0; 2.0]) < 1e-14);
    let wide = Svd::factor(&dmatrix![3.0, 4.0]).unwrap().least_squares(&dmatrix![25.0], 1e-12).unwrap();
    assert!(distance(&wide, &dmatrix![3.0; 4.0]) < 1e-14);
    let empty = Svd::factor(&DMatrix::zeros(0, 4)).unwrap().least_squares(&DMatrix::zeros(0, 2), 0.0).unwrap();
    assert_eq!(empty, DMatrix::zeros(4, 2));
}

#[test]
fn the_ends_of_the_range_and_the_memory_address_do_not_matter() {
    let a = dmatrix![3.0, 0.0; 4.0, 5.0];
    for scale in [1e-310, 1e-200, 1e200, 1e307] {
        let svd = Svd::factor(&(&a * scale)).unwrap();
        assert!((svd.values()[1] / scale - 5.0_f64.sqrt()).abs() < 1e-12, "{scale}");
    }
    assert!(matches!(Svd::factor(&DMatrix::from_element(9, 9, 1e308)), Err(Error::NotFinite { .. })));
    let a = random(130, 70, 8);
    let first = Svd::factor(&a).unwrap();
    let mut kept = Vec::new();
    for round in 0..10 {
        kept.push(vec![1_u8; 1 + 17 * round]);
        let again = Svd::factor(&a.clone()).unwrap();
        assert_eq!((bits(first.u()), bits(first.v())), (bits(again.u()), bits(again.v())));
    }
}

#[test]
fn bad_input_is_refused() {
    let mut a = random(30, 20, 1);
    a[(29, 7)] = f64::NAN;
    assert!(matches!(Svd::factor(&a), Err(Error::NotFinite { row: 29, column: 7, .. })));
    let svd = Svd::factor(&identity(3)).unwrap();
    assert!(matches!(svd.least_squares(&DMatrix::zeros(2, 1), 0.0), Err(Error::Shape { .. })));
    assert!(matches!(svd.least_squares(&dmatrix![1.0; f64::INFINITY; 0.0], 0.0), Err(Error::NotFinite { row: 1, .. })));
    let tiny = Svd::factor(&(identity(2) * 1e-200)).unwrap();
    assert!(matches!(tiny.least_squares(&dmatrix![1e200; 0.0], 0.0), Err(Error::Singular { .. })));
}
