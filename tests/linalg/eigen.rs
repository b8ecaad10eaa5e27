use super::{SIZES, bits, distance, identity, random, with_condition};
use gristmill::Error;
use gristmill::linalg::Eigen;
use nalgebra::{DMatrix, DVector};
use std::f64::consts::PI;

fn check(a: &DMatrix<f64>, what: &str) -> Eigen {
    let size = a.nrows();
    let eigen = Eigen::factor(a).unwrap();
    let (values, v) = (eigen.values(), eigen.vectors());
    let norm = a.norm().max(f64::MIN_POSITIVE);
    let again = v * DMatrix::from_diagonal(values) * v.transpose();
    assert!(distance(&again, a) <= 1e-14 * norm * (size as f64).sqrt().max(1.0), "{what}: V Λ Vᵀ");
    assert!(distance(&v.tr_mul(v), &identity(size)) <= 1e-13, "{what}: VᵀV");
    assert!(values.as_slice().windows(2).all(|pair| pair[0] >= pair[1]), "{what}: order");
    let alone = Eigen::values_of(a).unwrap();
    assert!((alone - values).amax() <= 1e-14 * norm * 4.0, "{what}: values alone");
    for column in v.column_iter() {
        let largest = column.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
        let leader = column.iter().find(|value| value.abs() >= largest * (1.0 - 1e-10)).unwrap();
        assert!(*leader > 0.0, "{what}: sign");
    }
    eigen
}

#[test]
fn the_decomposition_gives_the_matrix_back_at_every_size() {
    for size in SIZES {
        let a = random(size, size, 5);
        check(&(&a + a.transpose()), &format!("random {size}"));
        check(&with_condition(size, 1e6, 6), &format!("spd {size}"));
    }
}

#[test]
fn matrices_with_equal_zero_and_clustered_eigenvalues_are_no_trouble() {
    for size in [2, 3, 10, 64, 65, 200] {
        check(&DMatrix::zeros(size, size), "zero");
        check(&identity(size), "identity");
        check(&DMatrix::from_element(size, size, 1.0), "ones");
        let halves =
            DMatrix::from_fn(size, size, |i, j| f64::from(u8::from(i == j)) * if i < size / 2 { 2.0 } else { 1.0 });
        check(&halves, "two clusters");
        // Wilkinson's W⁺: pairs of eigenvalues that agree to all digits.
        let wilkinson = DMatrix::from_fn(size, size, |i, j| match i.abs_diff(j) {
            0 => (i as f64 - (size as f64 - 1.0) / 2.0).abs(),
            1 => 1.0,
            _ => 0.0,
        });
        check(&wilkinson, "Wilkinson");
        let graded = DMatrix::from_fn(size, size, |i, j| 10.0_f64.powi(-(i.max(j) as i32)));
        check(&graded, "graded");
    }
}

#[test]
fn the_second_difference_has_its_known_eigenvalues() {
    for size in [1, 2, 3, 10, 64, 65, 200] {
        let a = DMatrix::from_fn(size, size, |i, j| match i.abs_diff(j) {
            0 => 2.0,
            1 => -1.0,
            _ => 0.0,
        });
        let expected = (1..=size).rev().map(|k| 2.0 - 2.0 * (k as f64 * PI / (size + 1) as f64).cos());
        let expected = DVector::from_iterator(size, expected);
        assert!((check(&a, "second difference").values() - expected).amax() <= 2e-14, "size {size}");
    }
}

#[test]
fn known_small_answers() {
    let eigen = Eigen::factor(&dmatrix![2.0, 0.0; 0.0, 3.0]).unwrap();
    assert_eq!(eigen.into_parts(), (DVector::from_vec(vec![3.0, 2.0]), dmatrix![0.0, 1.0; 1.0, 0.0]));
    let eigen = Eigen::factor(&dmatrix![0.0, -1.0; -1.0, 0.0]).unwrap();
    let half = 0.5_f64.sqrt();
    assert!((eigen.values() - DVector::from_vec(vec![1.0, -1.0])).amax() < 1e-15);
    // Ties in magnitude: the first entry is the positive one.
    assert!(distance(eigen.vectors(), &dmatrix![half, half; -half, half]) < 1e-15);
    assert_eq!(Eigen::factor(&dmatrix![-7.0]).unwrap().values()[0], -7.0);
    assert_eq!(Eigen::factor(&DMatrix::zeros(0, 0)).unwrap().values().len(), 0);
}

#[test]
fn a_permuted_matrix_has_the_same_values_and_permuted_vectors() {
    let size = 65;
    let a = with_condition(size, 1e4, 31);
    let to = |i: usize| (i * 11 + 5) % size;
    let permuted = DMatrix::from_fn(size, size, |i, j| a[(to(i), to(j))]);
    let (one, two) = (Eigen::factor(&a).unwrap(), Eigen::factor(&permuted).unwrap());
    assert!((one.values() - two.values()).amax() < 1e-14);
    // Compare directions only: a vector's near-ties may choose the other sign after the permutation.
    for j in 0..10 {
        let expected = DVector::from_fn(size, |i, _| one.vectors()[(to(i), j)]);
        assert!((two.vectors().column(j).dot(&expected).abs() - 1.0).abs() < 1e-10);
    }
}

#[test]
fn the_ends_of_the_range_and_the_memory_address_do_not_matter() {
    let a = dmatrix![2.0, 1.0; 1.0, 2.0];
    for scale in [1e-310, 1e-200, 1e200, 4e307] {
        let values = Eigen::factor(&(&a * scale)).unwrap().values() / scale;
        assert!((values - DVector::from_vec(vec![3.0, 1.0])).amax() < 1e-12, "{scale}");
    }
    let huge = DMatrix::from_element(8, 8, 1e308);
    assert!(matches!(Eigen::factor(&huge), Err(Error::NotFinite { row: 0, column: 0, value: 1e308 })));
    let a = with_condition(130, 1e3, 8);
    let first = Eigen::factor(&a).unwrap();
    let mut kept = Vec::new();
    for round in 0..10 {
        kept.push(vec![1_u8; 1 + 17 * round]);
        assert_eq!(bits(first.vectors()), bits(Eigen::factor(&a.clone()).unwrap().vectors()));
    }
}

#[test]
fn bad_input_is_refused() {
    for bad in [f64::NAN, f64::INFINITY] {
        let mut a = identity(70);
        a[(3, 60)] = bad;
        assert!(matches!(Eigen::factor(&a), Err(Error::NotFinite { row: 3, column: 60, .. })));
        assert!(matches!(Eigen::values_of(&a), Err(Error::NotFinite { row: 3, column: 60, .. })));
    }
    assert!(matches!(Eigen::factor(&DMatrix::zeros(2, 3)), Err(Error::Shape { .. })));
}

#[test]
fn eigenvectors_are_as_right_for_tiny_and_huge_matrices() {
    // Large enough for divide and conquer, with eigenvalues that fall by 5 % each.
    let size = 200;
    let turned =
        DMatrix::from_fn(size, size, |row, column| ((row * 37 + column * column * 11) % 101) as f64 - 50.0).qr().q();
    let values = DVector::from_fn(size, |at, _| 0.95_f64.powi(at as i32));
    let a = &turned * DMatrix::from_diagonal(&values) * turned.transpose();
    let a = (&a + a.transpose()) * 0.5;
    for scale in [1e-12, 1e-6, 1.0, 1e9, 1e15] {
        let scaled = &a * scale;
        let eigen = Eigen::factor(&scaled).unwrap();
        let rest = &scaled * eigen.vectors() - eigen.vectors() * DMatrix::from_diagonal(eigen.values());
        assert!(rest.amax() < 1e-13 * scale, "{scale:e}: {:e}", rest.amax() / scale);
    }
}
