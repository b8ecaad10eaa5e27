use super::{bits, distance, hilbert, identity, random, with_condition};
use gristmill::Error;
use gristmill::linalg::{
    Cholesky, Path, Qr, SingleFactor, solve_least_squares, solve_least_squares_from_gram, solve_positive_definite,
};
use nalgebra::DMatrix;

/// A, X and B = A X without rounding: the entries of A are multiples of 2⁻²⁶ and those of X small integers.
fn exact_system(size: usize, condition: f64, columns: usize) -> (DMatrix<f64>, DMatrix<f64>, DMatrix<f64>) {
    let unit = 2.0_f64.powi(26);
    let a = with_condition(size, condition, size as u64).map(|value| (value * unit).round() / unit);
    let x = random(size, columns, 77).map(|value| (value * 9.0).round());
    let b = &a * &x;
    (a, x, b)
}

fn relative(x: &DMatrix<f64>, expected: &DMatrix<f64>) -> f64 {
    distance(x, expected) / expected.amax().max(f64::MIN_POSITIVE)
}

#[test]
fn refined_solutions_are_right_to_the_last_digits_and_equal_the_f64_ones() {
    for size in [1, 2, 3, 10, 64, 65, 200] {
        for condition in [1.0, 1e2, 1e4, 1e5] {
            let (a, x, b) = exact_system(size, condition, 3);
            let solution = solve_positive_definite(&a, &b).unwrap();
            assert!(relative(&solution.x, &x) <= 2e-15, "{size} {condition:e}: {:e}", relative(&solution.x, &x));
            let double = Cholesky::factor(&a).unwrap().solve(&b).unwrap();
            // The plain f64 solve is the less accurate of the two: it loses about κ·ε.
            let lost = 1e-12_f64.max(condition * 2e-16);
            assert!(relative(&solution.x, &double) <= lost, "{size} {condition:e}");
            assert_eq!(solution.path, Path::Refined, "{size} {condition:e} {:e}", solution.condition);
            assert!(solution.iterations <= 8, "{}", solution.iterations);
        }
    }
}

#[test]
fn ill_conditioned_systems_fall_back_to_f64_and_stay_right() {
    for (size, condition) in [(10, 1e7), (64, 3e7), (200, 1e7)] {
        let (a, x, b) = exact_system(size, condition, 2);
        let solution = solve_positive_definite(&a, &b).unwrap();
        assert_eq!(solution.path, Path::Double);
        assert!(solution.condition > 1e6);
        assert!(relative(&solution.x, &x) <= 2e-15, "{size}: {:e}", relative(&solution.x, &x));
    }
}

#[test]
fn hilbert_systems_take_f32_then_f64_then_an_error() {
    // Times 1·3·5·…: multiples of the least common denominator make the matrix whole numbers, so B is exact.
    let whole = |size: usize| {
        let denominator = (1..2 * size as u64).fold(1_u64, |lcm, k| lcm / gcd(lcm, k) * k);
        DMatrix::from_fn(size, size, |i, j| (denominator / (i + j + 1) as u64) as f64)
    };
    let ones = |size: usize| DMatrix::from_element(size, 1, 1.0);
    for size in 2..=12 {
        let a = whole(size);
        let solution = solve_positive_definite(&a, &(&a * ones(size))).unwrap();
        let expected = if size <= 4 { Path::Refined } else { Path::Double };
        assert!(relative(&solution.x, &ones(size)) <= 1e-14, "size {size}: {}", solution.x);
        if size != 5 {
            assert_eq!(solution.path, expected, "size {size} {:e}", solution.condition);
        }
    }
    for size in [15, 20, 40] {
        let refusal = solve_positive_definite(&hilbert(size), &ones(size)).unwrap_err();
        assert!(matches!(refusal, Error::Singular { condition, .. } if condition > 1e13), "{refusal}");
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[test]
fn the_units_of_the_unknowns_do_not_matter() {
    let (a, x, b) = exact_system(40, 1e3, 1);
    let units = |i: usize| 2.0_f64.powi((i as i32 * 37) % 200 - 100);
    let scaled = DMatrix::from_fn(40, 40, |i, j| a[(i, j)] * units(i) * units(j));
    let scaled_b = DMatrix::from_fn(40, 1, |i, _| b[(i, 0)] * units(i));
    let solution = solve_positive_definite(&scaled, &scaled_b).unwrap();
    assert_eq!(solution.path, Path::Refined);
    let back = DMatrix::from_fn(40, 1, |i, _| solution.x[(i, 0)] * units(i));
    assert!(relative(&back, &x) <= 2e-15);
}

#[test]
fn singular_empty_and_bad_systems_are_answered() {
    let b = random(3, 1, 1);
    assert!(matches!(solve_positive_definite(&DMatrix::from_element(3, 3, 1.0), &b), Err(Error::Singular { .. })));
    assert!(matches!(solve_positive_definite(&DMatrix::zeros(3, 3), &b), Err(Error::Singular { .. })));
    assert!(matches!(solve_positive_definite(&-identity(3), &b), Err(Error::Singular { .. })));
    assert!(matches!(solve_positive_definite(&identity(4), &b), Err(Error::Shape { .. })));
    assert!(matches!(solve_positive_definite(&DMatrix::zeros(3, 2), &b), Err(Error::Shape { .. })));
    let nan = dmatrix![1.0, 0.0; f64::NAN, 1.0];
    assert!(matches!(solve_positive_definite(&nan, &random(2, 1, 1)), Err(Error::NotFinite { row: 1, column: 0, .. })));
    let empty = solve_positive_definite(&identity(0), &DMatrix::zeros(0, 2)).unwrap();
    assert_eq!((empty.x.shape(), empty.condition), ((0, 2), 1.0));
    let zero = solve_positive_definite(&identity(3), &DMatrix::zeros(3, 2)).unwrap();
    assert_eq!((zero.x, zero.iterations), (DMatrix::zeros(3, 2), 0));
    assert_eq!(solve_positive_definite(&identity(3), &DMatrix::zeros(3, 0)).unwrap().x.shape(), (3, 0));
}

#[test]
fn a_factor_from_elsewhere_refines_like_our_own() {
    let (a, x, b) = exact_system(65, 1e3, 2);
    let scale = SingleFactor::scaling(&a).unwrap();
    let scaled = DMatrix::from_fn(65, 65, |i, j| (a[(i, j)] * scale[i] * scale[j]) as f32);
    let lower = nalgebra::Cholesky::new(scaled).unwrap().unpack();
    let factor = SingleFactor::from_lower(&lower, scale.clone()).unwrap();
    let solution = factor.refine(&a, &b).unwrap().unwrap();
    assert!(relative(&solution.x, &x) <= 2e-15);
    // A factor of another matrix does not converge, and says so.
    let foreign = SingleFactor::from_lower(&DMatrix::identity(65, 65), scale.clone()).unwrap();
    assert!(foreign.refine(&a, &b).unwrap().is_none());
    let broken = SingleFactor::from_lower(&DMatrix::from_element(65, 65, f32::NAN), scale.clone()).unwrap();
    assert!(broken.refine(&a, &b).unwrap().is_none());
    assert!(matches!(SingleFactor::from_lower(&DMatrix::identity(3, 3), scale), Err(Error::Shape { .. })));
}

#[test]
fn refined_least_squares_equals_qr() {
    for (rows, columns, outputs) in [(1, 1, 1), (5, 3, 2), (200, 20, 3), (3000, 65, 1)] {
        let (x, y) = (random(rows, columns, 1), random(rows, outputs, 2));
        let solution = solve_least_squares(&x, &y, 0.0).unwrap();
        let qr = Qr::factor(&x).unwrap().least_squares(&y).unwrap();
        assert!(relative(&solution.x, &qr) <= 1e-12, "{:e}", relative(&solution.x, &qr));
        assert_eq!(solution.path, Path::Refined);
    }
}

#[test]
fn least_squares_goes_to_f64_when_columns_are_nearly_dependent_and_refuses_when_they_are() {
    let mut x = random(300, 10, 3);
    let near = x.column(0) + x.column(9) * 1e-5;
    x.set_column(9, &near);
    let expected = random(10, 1, 4).map(|value| (value * 8.0).round());
    let solution = solve_least_squares(&x, &(&x * &expected), 0.0).unwrap();
    assert_eq!(solution.path, Path::Double);
    assert!(relative(&solution.x, &expected) <= 1e-9, "{:e}", relative(&solution.x, &expected));
    let same = x.column(0).into_owned();
    x.set_column(9, &same);
    let y = random(300, 1, 5);
    assert!(matches!(solve_least_squares(&x, &y, 0.0), Err(Error::Singular { .. })));
    // A ridge makes it solvable, and splits the weight equally between equal columns.
    let ridge = solve_least_squares(&x, &y, 1e-3).unwrap();
    assert!((ridge.x[(0, 0)] - ridge.x[(9, 0)]).abs() < 1e-9);
}

#[test]
fn ridge_agrees_with_its_normal_equations() {
    let (x, y) = (random(100, 8, 6), random(100, 2, 7));
    let a = x.tr_mul(&x) + identity(8) * 2.5;
    let expected = Cholesky::factor(&a).unwrap().solve(&x.tr_mul(&y)).unwrap();
    assert!(relative(&solve_least_squares(&x, &y, 2.5).unwrap().x, &expected) < 1e-14);
}

#[test]
fn a_target_orthogonal_to_the_data_gives_weights_of_zero() {
    let x = random(500, 6, 8);
    let y = random(500, 1, 9);
    let qr = Qr::factor(&x).unwrap();
    let orthogonal = &y - &x * qr.least_squares(&y).unwrap();
    let solution = solve_least_squares(&x, &orthogonal, 0.0).unwrap();
    assert!(solution.x.amax() < 1e-15, "{}", solution.x);
}

#[test]
fn a_gram_matrix_of_f32_accuracy_is_enough() {
    let (x, y) = (random(400, 30, 1), random(400, 1, 2));
    let rough = x.tr_mul(&x).map(|value| f64::from(value as f32));
    let solution = solve_least_squares_from_gram(&rough, &x, &y, 0.0).unwrap();
    let exact = solve_least_squares(&x, &y, 0.0).unwrap();
    assert!(relative(&solution.x, &exact.x) <= 1e-14);
    // A useless one is made again.
    let useless = solve_least_squares_from_gram(&-identity(30), &x, &y, 0.0).unwrap();
    assert_eq!(bits(&useless.x), bits(&exact.x));
    assert!(matches!(solve_least_squares_from_gram(&identity(3), &x, &y, 0.0), Err(Error::Shape { .. })));
}

#[test]
fn least_squares_refuses_bad_input_and_answers_empty_input() {
    let (x, y) = (random(5, 2, 1), random(5, 1, 2));
    assert!(matches!(solve_least_squares(&x, &y, -1.0), Err(Error::Param { name: "ridge", .. })));
    assert!(matches!(solve_least_squares(&x, &y, f64::NAN), Err(Error::Param { .. })));
    assert!(matches!(solve_least_squares(&x, &random(4, 1, 2), 0.0), Err(Error::Shape { .. })));
    assert!(matches!(solve_least_squares(&random(2, 5, 1), &random(2, 1, 1), 0.0), Err(Error::Singular { .. })));
    let huge = &x * 1e200;
    assert!(matches!(solve_least_squares(&huge, &y, 0.0), Err(Error::Singular { .. })));
    let mut nan = x.clone();
    nan[(4, 1)] = f64::NAN;
    assert!(matches!(solve_least_squares(&nan, &y, 0.0), Err(Error::NotFinite { row: 4, column: 1, .. })));
    assert_eq!(solve_least_squares(&DMatrix::zeros(5, 0), &y, 0.0).unwrap().x.shape(), (0, 1));
    assert!(matches!(
        solve_least_squares(&DMatrix::zeros(0, 2), &DMatrix::zeros(0, 1), 0.0),
        Err(Error::Singular { .. })
    ));
    assert_eq!(solve_least_squares(&DMatrix::zeros(0, 2), &DMatrix::zeros(0, 1), 1.0).unwrap().x, DMatrix::zeros(2, 1));
}
