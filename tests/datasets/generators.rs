//! Blobs, classification, regression.

use gristmill::datasets::{self, Blobs, Classification, Regression};
use gristmill::{Error, Matrix, metrics};

#[track_caller]
fn refuses<T: std::fmt::Debug>(result: gristmill::Result<T>, parameter: &str) {
    assert!(matches!(&result, Err(Error::Param { name, .. }) if *name == parameter), "{result:?}");
}

#[test]
fn the_same_seed_gives_the_same_rows_on_any_number_of_threads() -> gristmill::Result<()> {
    let make = || -> gristmill::Result<_> {
        let blobs = Blobs::default().n_samples(5000).n_features(9).seed(3).generate()?;
        let classes = Classification::default().n_samples(3000).seed(3).generate()?;
        let numbers = Regression::default().n_samples(2000).noise(1.0).n_targets(2).seed(3).generate()?;
        Ok((blobs, classes, numbers, datasets::moons(999, 0.2, 3)?))
    };
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool").install(make)?;
    assert_eq!(alone, make()?);
    assert_ne!(alone.0, Blobs::default().n_samples(5000).n_features(9).seed(4).generate()?);
    Ok(())
}

#[test]
fn blobs_lie_around_their_centres_with_their_deviation() -> gristmill::Result<()> {
    let n = 30_000;
    let problem =
        Blobs::default().n_samples(n).n_features(3).centers(4).cluster_std(0.5).center_box((-2.0, 5.0)).seed(1);
    let (data, centers) = problem.generate_with_centers()?;
    assert_eq!(data.labels()?.counts(), [7500; 4]);
    assert!(centers.as_slice().iter().all(|value| (-2.0..5.0).contains(value)));
    let codes = data.labels()?.codes();
    let off = |row: usize, column: usize| (data.x.get(row, column) - centers.get(codes[row] as usize, column)) as f64;
    for column in 0..3 {
        let mean = (0..n).map(|row| off(row, column)).sum::<f64>() / n as f64;
        let variance = (0..n).map(|row| off(row, column).powi(2)).sum::<f64>() / n as f64;
        // Four deviations of the mean and of the variance.
        assert!(mean.abs() < 4.0 * 0.5 / (n as f64).sqrt(), "{mean}");
        assert!((variance / 0.25 - 1.0).abs() < 4.0 * (2.0 / n as f64).sqrt(), "{variance}");
    }
    // In random order: a class changes from row to row three times in four.
    let changes = codes.windows(2).filter(|pair| pair[0] != pair[1]).count() as f64 / n as f64;
    assert!((changes - 0.75).abs() < 0.02, "{changes}");
    Ok(())
}

#[test]
fn rows_that_do_not_divide_are_spread_over_the_first_clusters() -> gristmill::Result<()> {
    assert_eq!(datasets::blobs(11, 1, 4, 0)?.labels()?.counts(), [3, 3, 3, 2]);
    assert_eq!(datasets::blobs(3, 1, 3, 0)?.x.names(), Some(&["x1".to_string()][..]));
    Ok(())
}

#[test]
fn informative_columns_part_the_classes_and_noise_does_not() -> gristmill::Result<()> {
    let problem = Classification::default().n_samples(4000).n_features(8).n_informative(3).n_redundant(2).n_classes(3);
    let data = problem.class_sep(3.0).flip_y(0.0).n_clusters_per_class(1).seed(5).generate()?;
    let part = |columns: std::ops::Range<usize>| {
        let rows: Vec<&[f32]> = (0..4000).map(|row| &data.x.row(row)[columns.clone()]).collect();
        metrics::calinski_harabasz_score(&Matrix::from_rows(&rows)?, data.labels()?.codes())
    };
    let (informative, noise) = (part(0..3)?, part(5..8)?);
    assert!(informative > 1000.0 && noise < 10.0, "{informative}, {noise}");
    Ok(())
}

#[test]
fn redundant_columns_are_sums_of_informative_ones() -> gristmill::Result<()> {
    let data = Classification::default().n_samples(50).n_features(3).n_informative(2).n_redundant(1).generate()?;
    // Solved from the first two rows, right for all.
    let row = |at: usize| data.x.row(at).iter().map(|value| *value as f64).collect::<Vec<f64>>();
    let (a, b) = (row(0), row(1));
    let determinant = a[0] * b[1] - a[1] * b[0];
    let (first, second) = ((a[2] * b[1] - a[1] * b[2]) / determinant, (a[0] * b[2] - a[2] * b[0]) / determinant);
    for at in 0..50 {
        let row = row(at);
        assert!((row[0] * first + row[1] * second - row[2]).abs() < 1e-3, "row {at}");
    }
    Ok(())
}

#[test]
fn flips_give_some_rows_a_random_class() -> gristmill::Result<()> {
    let problem = Classification::default().n_samples(20_000).n_classes(2).seed(9);
    let (clean, flipped) = (problem.clone().flip_y(0.0).generate()?, problem.flip_y(0.3).generate()?);
    assert_eq!(clean.x, flipped.x);
    assert_eq!(clean.labels()?.counts(), [10_000, 10_000]);
    let same = metrics::accuracy(clean.labels()?, flipped.labels()?)?;
    assert!((same - 0.85).abs() < 0.01, "{same}"); // half of the random classes are the old ones
    Ok(())
}

#[test]
fn regression_is_linear_in_its_informative_columns() -> gristmill::Result<()> {
    let problem = Regression::default().n_samples(2000).n_features(6).n_informative(4).n_targets(2).bias(7.0);
    let (data, coefficients) = problem.clone().noise(0.5).seed(2).generate_with_coefficients()?;
    assert_eq!((coefficients.rows(), coefficients.columns()), (6, 2));
    assert!(coefficients.as_slice()[..8].iter().all(|value| (0.0..100.0).contains(value)));
    assert_eq!(coefficients.as_slice()[8..], [0.0; 4]);
    let y = data.values()?;
    assert_eq!(y.names(), Some(&["y1".to_string(), "y2".to_string()][..]));
    let left = |row: usize, output: usize| {
        let linear: f64 = (0..6).map(|at| data.x.get(row, at) as f64 * coefficients.get(at, output) as f64).sum();
        y.get(row, output) as f64 - linear - 7.0
    };
    let variance = (0..2000).map(|row| left(row, 0).powi(2) + left(row, 1).powi(2)).sum::<f64>() / 4000.0;
    assert!((variance / 0.25 - 1.0).abs() < 4.0 * (2.0 / 4000.0_f64).sqrt(), "{variance}");
    Ok(())
}

#[test]
fn parameters_that_do_not_fit_are_refused() {
    refuses(datasets::blobs(0, 2, 3, 0), "centers");
    refuses(datasets::blobs(10, 0, 3, 0), "n_features");
    refuses(datasets::blobs(10, 2, 0, 0), "centers");
    refuses(datasets::blobs(10, 2, 11, 0), "centers");
    refuses(Blobs::default().cluster_std(-1.0).generate(), "cluster_std");
    refuses(Blobs::default().cluster_std(f32::NAN).generate(), "cluster_std");
    refuses(Blobs::default().center_box((1.0, 0.0)).generate(), "center_box");
    refuses(Blobs::default().center_box((-3e38, 3e38)).generate(), "center_box");
    refuses(Classification::default().n_samples(0).generate(), "n_samples");
    refuses(Classification::default().n_features(3).generate(), "n_features");
    refuses(Classification::default().n_redundant(usize::MAX).generate(), "n_features");
    refuses(Classification::default().n_classes(3).generate(), "n_classes");
    refuses(Classification::default().n_classes(usize::MAX).generate(), "n_classes");
    refuses(Classification::default().flip_y(1.1).generate(), "flip_y");
    refuses(Regression::default().n_informative(101).generate(), "n_informative");
    refuses(Regression::default().bias(f32::INFINITY).generate(), "bias");
    refuses(Regression::default().n_targets(0).generate(), "n_targets");
    let huge = Blobs::default().n_features(1 << 50).generate();
    assert!(matches!(huge, Err(Error::OutOfMemory { .. })), "{huge:?}");
}
