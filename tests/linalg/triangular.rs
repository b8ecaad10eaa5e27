use super::{SIZES, distance, random};
use gristmill::Error;
use gristmill::linalg::{Triangle, solve_triangular};
use nalgebra::DMatrix;

const ALL: [Triangle; 4] = [Triangle::Lower, Triangle::LowerTransposed, Triangle::Upper, Triangle::UpperTransposed];

/// The matrix that the named half of `t` stands for.
fn half(t: &DMatrix<f64>, triangle: Triangle) -> DMatrix<f64> {
    match triangle {
        Triangle::Lower => t.lower_triangle(),
        Triangle::LowerTransposed => t.lower_triangle().transpose(),
        Triangle::Upper => t.upper_triangle(),
        Triangle::UpperTransposed => t.upper_triangle().transpose(),
    }
}

#[test]
fn every_half_is_solved_at_every_size_and_the_other_is_not_read() {
    for size in SIZES {
        let mut t = random(size, size, 4) * (1.0 / (1 + size) as f64);
        (0..size).for_each(|i| t[(i, i)] += 2.0);
        for triangle in ALL {
            for columns in [0, 1, 2, 33] {
                let x = random(size, columns, 9);
                let solution = solve_triangular(&t, triangle, &(half(&t, triangle) * &x)).unwrap();
                assert!(distance(&solution, &x) <= 1e-14, "{triangle:?} {size}");
            }
        }
    }
    let poisoned = dmatrix![2.0, f64::NAN; 1.0, 4.0];
    assert_eq!(solve_triangular(&poisoned, Triangle::Lower, &dmatrix![2.0; 9.0]).unwrap(), dmatrix![1.0; 2.0]);
}

#[test]
fn a_zero_on_the_diagonal_is_singular() {
    for triangle in ALL {
        let mut t = random(65, 65, 4);
        t[(64, 64)] = 0.0;
        let refusal = solve_triangular(&t, triangle, &random(65, 1, 2)).unwrap_err();
        assert!(matches!(refusal, Error::Singular { condition, .. } if condition.is_infinite()));
        assert!(refusal.to_string().contains("row 64"), "{refusal}");
    }
    let overflow = solve_triangular(&dmatrix![1e-300], Triangle::Lower, &dmatrix![1e300]);
    assert!(matches!(overflow, Err(Error::Singular { .. })));
}

#[test]
fn bad_input_is_refused() {
    let t = dmatrix![1.0, 0.0; f64::NAN, 1.0];
    assert!(matches!(
        solve_triangular(&t, Triangle::Lower, &dmatrix![1.0; 1.0]),
        Err(Error::NotFinite { row: 1, column: 0, .. })
    ));
    assert!(solve_triangular(&t, Triangle::Upper, &dmatrix![1.0; 1.0]).is_ok());
    assert!(matches!(solve_triangular(&t, Triangle::Upper, &dmatrix![1.0]), Err(Error::Shape { .. })));
    assert!(matches!(solve_triangular(&dmatrix![1.0, 2.0], Triangle::Upper, &dmatrix![1.0]), Err(Error::Shape { .. })));
    assert!(matches!(
        solve_triangular(&dmatrix![1.0], Triangle::Upper, &dmatrix![f64::INFINITY]),
        Err(Error::NotFinite { .. })
    ));
}
