use super::{SIZES, bits, distance, hilbert, identity, random, with_condition};
use gristmill::Error;
use gristmill::linalg::Cholesky;
use nalgebra::{DMatrix, DVector};

#[test]
fn the_factor_gives_the_matrix_back_at_every_size() {
    for size in SIZES {
        let a = with_condition(size, 100.0, size as u64);
        let cholesky = Cholesky::factor(&a).unwrap();
        let l = cholesky.lower();
        assert_eq!((cholesky.size(), cholesky.jitter()), (size, 0.0));
        assert!(distance(&(&l * l.transpose()), &a) <= 1e-14, "size {size}");
        assert!((0..size).all(|j| (0..j).all(|i| l[(i, j)] == 0.0)));
    }
}

#[test]
fn solve_inverse_and_determinant_agree_with_the_definition() {
    for size in SIZES {
        let a = with_condition(size, 100.0, 7 + size as u64);
        let cholesky = Cholesky::factor(&a).unwrap();
        for columns in [0, 1, 3, 40] {
            let x = random(size, columns, 3);
            assert!(distance(&cholesky.solve(&(&a * &x)).unwrap(), &x) <= 1e-12);
        }
        let b = random(size, 2, 5);
        let half = cholesky.solve_lower(&b).unwrap();
        assert!(distance(&(cholesky.lower() * half), &b) <= 1e-13);
        let inverse = cholesky.inverse().unwrap();
        assert_eq!(inverse, inverse.transpose());
        assert!(distance(&(&a * inverse), &identity(size)) <= 1e-12);
        // The eigenvalues are 100^(−i/(size−1)), so the logarithm of the determinant is −size/2·ln 100.
        let expected = if size > 1 { -(size as f64) / 2.0 * 100.0_f64.ln() } else { 0.0 };
        assert!((cholesky.log_determinant() - expected).abs() <= 1e-12 * size as f64, "size {size}");
    }
}

#[test]
fn the_known_three_by_three_has_its_textbook_factor() {
    let a = dmatrix![4.0, 12.0, -16.0; 12.0, 37.0, -43.0; -16.0, -43.0, 98.0];
    let cholesky = Cholesky::factor(&a).unwrap();
    assert_eq!(cholesky.lower(), dmatrix![2.0, 0.0, 0.0; 6.0, 1.0, 0.0; -8.0, 5.0, 3.0]);
    assert!((cholesky.log_determinant() - 36.0_f64.ln()).abs() < 1e-14);
    let x = cholesky.solve_vector(&DVector::from_vec(vec![0.0, 6.0, 39.0])).unwrap();
    assert!((x - DVector::from_vec(vec![1.0, 1.0, 1.0])).amax() < 1e-12);
}

#[test]
fn only_the_lower_triangle_counts() {
    let a = with_condition(20, 10.0, 1);
    let mut garbled = a.clone();
    (0..20).for_each(|j| (0..j).for_each(|i| garbled[(i, j)] = 1e9));
    assert_eq!(Cholesky::factor(&a).unwrap().lower(), Cholesky::factor(&garbled).unwrap().lower());
}

#[test]
fn a_permuted_system_has_the_permuted_solution() {
    let size = 65;
    let (a, b) = (with_condition(size, 1e3, 11), random(size, 2, 12));
    let to = |i: usize| (i * 7 + 3) % size;
    let permuted = DMatrix::from_fn(size, size, |i, j| a[(to(i), to(j))]);
    let permuted_b = DMatrix::from_fn(size, 2, |i, j| b[(to(i), j)]);
    let x = Cholesky::factor(&a).unwrap().solve(&b).unwrap();
    let y = Cholesky::factor(&permuted).unwrap().solve(&permuted_b).unwrap();
    let expected = DMatrix::from_fn(size, 2, |i, j| x[(to(i), j)]);
    assert!(distance(&y, &expected) <= 1e-12 * x.amax());
}

#[test]
fn the_jitter_ladder_starts_at_zero_and_climbs_only_as_far_as_it_must() {
    assert_eq!(Cholesky::factor_with_jitter(&hilbert(8)).unwrap().jitter(), 0.0);
    // Rank 1: every rung works, so the first does.
    let ones = DMatrix::from_element(50, 50, 3.0);
    assert!(matches!(Cholesky::factor(&ones), Err(Error::Singular { .. })));
    let cholesky = Cholesky::factor_with_jitter(&ones).unwrap();
    assert!((cholesky.jitter() / 3e-12 - 1.0).abs() < 1e-14);
    let l = cholesky.lower();
    assert!(distance(&(&l * l.transpose()), &(ones + identity(50) * 3e-12)) < 1e-14);
    // An eigenvalue of −1e-7 of the mean needs the rung above it, 1e-6.
    let mut a = identity(10);
    a[(9, 9)] = -1e-7;
    let mean = a.trace() / 10.0;
    let jitter = Cholesky::factor_with_jitter(&a).unwrap().jitter();
    assert!((jitter / mean - 1e-6).abs() < 1e-12, "{jitter}");
    // −0.1 is no rounding.
    a[(9, 9)] = -0.1;
    assert!(matches!(Cholesky::factor_with_jitter(&a), Err(Error::Singular { .. })));
    assert!(Cholesky::factor_with_jitter(&-identity(4)).is_err());
    assert!(Cholesky::factor_with_jitter(&DMatrix::zeros(4, 4)).is_err());
}

#[test]
fn hilbert_matrices_are_refused_exactly_when_rounding_has_eaten_them() {
    for size in 1..=12 {
        assert!(Cholesky::factor(&hilbert(size)).is_ok(), "size {size}");
    }
    for size in [15, 20, 50] {
        let refusal = Cholesky::factor(&hilbert(size)).unwrap_err();
        assert!(matches!(refusal, Error::Singular { condition, .. } if condition > 1e13), "{refusal}");
        assert!(refusal.to_string().contains("regularisation"));
        let jitter = Cholesky::factor_with_jitter(&hilbert(size)).unwrap().jitter();
        assert!(jitter > 0.0 && jitter < 1e-10, "size {size}: {jitter}");
    }
}

#[test]
fn dependent_columns_of_any_units_are_refused() {
    // Gram matrices of rank 29 of 30, with columns from 1e-6 to 1e6: the pivot left over is pure rounding.
    for seed in 0..20 {
        let mut x = random(100, 30, seed);
        let sum = x.column(3) + x.column(17) * 2.0;
        x.set_column(29, &sum);
        for j in 0..30 {
            let units = 10.0_f64.powi((j as i32 * 5) % 13 - 6);
            x.column_mut(j).scale_mut(units);
        }
        assert!(matches!(Cholesky::factor(&x.tr_mul(&x)), Err(Error::Singular { .. })), "seed {seed}");
    }
}

#[test]
fn the_condition_estimate_is_close_to_the_true_one() {
    for (size, condition) in [(2, 10.0), (10, 1e4), (64, 1e8), (200, 1e11)] {
        let a = with_condition(size, condition, 21);
        let estimate = Cholesky::factor(&a).unwrap().condition();
        let inverse = Cholesky::factor(&a).unwrap().inverse().unwrap();
        let norm = |m: &DMatrix<f64>| m.column_iter().map(|c| c.lp_norm(1)).fold(0.0, f64::max);
        let exact = norm(&a) * norm(&inverse);
        assert!(estimate <= exact * (1.0 + 1e-3) && estimate >= exact / 3.0, "{estimate} of {exact}");
    }
    assert_eq!(Cholesky::factor(&identity(0)).unwrap().condition(), 1.0);
    assert_eq!(Cholesky::factor(&identity(5)).unwrap().condition(), 1.0);
}

#[test]
fn the_ends_of_the_range_do_no_harm() {
    let a = dmatrix![4.0, 2.0; 2.0, 5.0];
    for scale in [1e-320_f64, 1e-300, 1e-160, 1e160, 2e307] {
        let cholesky = Cholesky::factor(&(&a * scale)).unwrap();
        let l = cholesky.lower();
        assert!((l[(0, 0)] / (4.0 * scale).sqrt() - 1.0).abs() < 1e-3, "{scale}: {l}");
        assert!((cholesky.log_determinant() - 16.0_f64.ln() - 2.0 * scale.ln()).abs() < 1e-2);
    }
    let tiny = Cholesky::factor(&(identity(2) * 1e-200)).unwrap();
    let overflow = tiny.solve(&dmatrix![1e200; 1e200]).unwrap_err();
    assert!(matches!(overflow, Error::Singular { .. }));
}

#[test]
fn the_bits_do_not_depend_on_where_the_matrix_lies() {
    let (a, b) = (with_condition(129, 1e3, 2), random(129, 3, 4));
    let first = Cholesky::factor(&a).unwrap();
    let mut kept = Vec::new();
    for round in 0..20 {
        kept.push(vec![0_u8; 1 + 13 * round]);
        let (a, b) = (a.clone(), b.clone());
        let again = Cholesky::factor(&a).unwrap();
        assert_eq!(bits(&first.lower()), bits(&again.lower()));
        assert_eq!(bits(&first.solve(&b).unwrap()), bits(&again.solve(&b).unwrap()));
        kept.push(a.as_slice()[..9].iter().map(|value| *value as u8).collect());
    }
}

#[test]
fn what_is_not_a_number_or_not_square_is_refused_with_its_place() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for place in [(0, 0), (2, 1), (1, 2), (9, 9)] {
            let mut a = with_condition(10, 10.0, 1);
            a[place] = bad;
            for outcome in [Cholesky::factor(&a), Cholesky::factor_with_jitter(&a)] {
                assert!(
                    matches!(outcome, Err(Error::NotFinite { row, column, .. }) if (row, column) == place),
                    "{place:?}"
                );
            }
        }
    }
    let good = Cholesky::factor(&identity(2)).unwrap();
    assert!(matches!(good.solve(&dmatrix![1.0; f64::NAN]), Err(Error::NotFinite { row: 1, column: 0, .. })));
    assert!(matches!(good.solve(&dmatrix![1.0]), Err(Error::Shape { .. })));
    assert!(matches!(Cholesky::factor(&DMatrix::zeros(2, 3)), Err(Error::Shape { .. })));
    let refusal = Cholesky::factor(&dmatrix![1.0, 2.0; 2.0, 1.0]).unwrap_err();
    assert!(refusal.to_string().contains("column 1"), "{refusal}");
}
