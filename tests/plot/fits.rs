//! Pictures of fitted models.

use gristmill::plot::{self, Plane};
use gristmill::prelude::*;

use super::check;

/// Rows along a line through d dimensions, with a little across it.
fn line(rows: usize, columns: usize) -> Matrix {
    let value = |row: usize, column: usize| {
        let along = row as f32 - rows as f32 / 2.0;
        let across = if row.is_multiple_of(2) { 0.5 } else { -0.5 };
        along * (1.0 + column as f32 / columns as f32) + if column == 0 { across } else { 0.0 }
    };
    let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    Matrix::from_vec(rows, columns, cells.map(|(row, column)| value(row, column)).collect()).unwrap()
}

#[test]
fn two_columns_are_their_own_plane() -> gristmill::Result<()> {
    let x = Matrix::from_rows(&[[1.0, 2.0], [3.0, 5.0]])?.with_names(["a", "b"])?;
    let plane = Plane::of(&x)?;
    assert_eq!(plane.labels(), &["a", "b"]);
    assert_eq!(plane.project(&x)?.as_slice(), x.as_slice());
    assert_eq!(plane.lift(&x)?.as_slice(), x.as_slice());
    let one = Matrix::from_rows(&[[1.0], [4.0]])?;
    assert_eq!(Plane::of(&one)?.project(&one)?.as_slice(), [1.0, 0.0, 4.0, 0.0]);
    Ok(())
}

#[test]
fn the_leading_direction_holds_almost_all_of_a_line_in_few_and_in_many_columns() -> gristmill::Result<()> {
    for columns in [3, 64, 257, 900] {
        let x = line(300, columns);
        let plane = Plane::of(&x)?;
        let points = plane.project(&x)?;
        let square = |of: &dyn Fn(usize) -> f32| (0..x.rows()).map(|row| f64::from(of(row)).powi(2)).sum::<f64>();
        let (along, across) = (square(&|row| points.get(row, 0)), square(&|row| points.get(row, 1)));
        assert!(across < 1e-2 * along, "{columns} columns: {across} across, {along} along");
        // What lies on the plane comes back to its place: to 1e-4 of the extent.
        let again = plane.project(&plane.lift(&points)?)?;
        let worst = again.as_slice().iter().zip(points.as_slice()).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(f64::from(worst) < 1e-4 * along.sqrt(), "{columns} columns: {worst}");
    }
    Ok(())
}

#[test]
fn a_missing_value_lies_at_the_mean() -> gristmill::Result<()> {
    let mut x = line(50, 5);
    let plane = Plane::of(&x)?;
    let before = plane.project(&x)?;
    x.as_mut_slice()[7] = f32::NAN;
    let after = Plane::of(&x)?.project(&x)?;
    assert!(after.as_slice().iter().all(|value| value.is_finite()));
    assert!((after.get(40, 0).abs() - before.get(40, 0).abs()).abs() < 0.05 * before.get(40, 0).abs());
    Ok(())
}

#[test]
fn regions_keep_the_colours_of_the_truth_whatever_the_models_codes() -> gristmill::Result<()> {
    let x = Matrix::from_rows(&[[0.0, 0.0], [1.0, 1.0], [9.0, 9.0]])?;
    let truth = Labels::from_names(&["a", "a", "b"]);
    // The model knows a class more, and counts otherwise.
    let say = |cells: &Matrix| {
        let code = |row: usize| if cells.get(row, 0) < 4.5 { 1 } else { 2 };
        Labels::from_codes((0..cells.rows()).map(code).collect(), vec!["0".into(), "a".into(), "b".into()])
    };
    let other = |cells: &Matrix| {
        let code = |row: usize| u32::from(cells.get(row, 0) >= 4.5);
        Labels::from_codes((0..cells.rows()).map(code).collect(), vec!["a".into(), "b".into()])
    };
    let figure = plot::decision_regions(&x, &truth, 20, say)?;
    check(&figure.to_svg());
    assert_eq!(figure.to_svg(), plot::decision_regions(&x, &truth, 20, other)?.to_svg());
    Ok(())
}

#[test]
fn every_picture_is_well_formed() -> gristmill::Result<()> {
    let x = line(40, 4);
    let clusters: Vec<u32> = (0..40).map(|row| row % 3).collect();
    check(&plot::clusters(&x, &clusters, Some(&line(3, 4)))?.to_svg());
    check(&plot::outliers(&x, &(0..40).map(|row| if row % 9 == 0 { -1 } else { 1 }).collect::<Vec<i32>>())?.to_svg());
    let (truth, predicted) = ([1.0, 2.0, f32::NAN, 4.0], [1.1, 2.1, 3.0, 3.9]);
    check(&plot::predicted_against_target(&truth, &predicted)?.to_svg());
    check(&plot::residuals(&truth, &predicted)?.to_svg());
    check(&plot::fitted_curve(&truth, &predicted, [(0.0, 0.0), (4.0, 4.0)])?.to_svg());
    check(&plot::rounds(&[("training", &[3.0, 2.0]), ("validation", &[4.0, 3.5])]).to_svg());
    let names: Vec<String> = (0..30).map(|column| format!("column {column}")).collect();
    let values: Vec<f64> = (0..30).map(f64::from).collect();
    let svg = plot::importances(&names, &values)?.to_svg();
    check(&svg);
    assert!(svg.contains("column 29") && !svg.contains("column 9<"), "the greatest twenty");
    Ok(())
}

#[test]
fn what_does_not_fit_is_refused() -> gristmill::Result<()> {
    assert!(matches!(plot::residuals(&[1.0], &[]), Err(Error::Shape { .. })));
    assert!(matches!(plot::importances(&["a"], &[]), Err(Error::Shape { .. })));
    assert!(matches!(Plane::of(&Matrix::zeros(0, 3)?), Err(Error::Shape { .. })));
    let plane = Plane::of(&line(5, 3))?;
    assert!(matches!(plane.project(&line(5, 4)), Err(Error::Shape { .. })));
    assert!(matches!(plane.lift(&line(5, 3)), Err(Error::Shape { .. })));
    assert!(matches!(plot::clusters(&line(5, 3), &[0, 1], None), Err(Error::Shape { .. })));
    Ok(())
}
