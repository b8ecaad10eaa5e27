//! Facts of the lecture notes.

use std::path::{Path, PathBuf};

use gristmill::kernel_methods::Kernel;
use gristmill::prelude::*;
use gristmill::svm::{MultiClass, OneClassSvm};

#[test]
fn a_bound_of_a_fiftieth_on_a_hundred_moons_is_a_nu_of_a_half() {
    let moons = datasets::moons(100, 0.1, 7).unwrap();
    for tol in [1e-3, 1e-5] {
        let one = OneClassSvm::default().kernel(Kernel::rbf(5.0)).tol(tol);
        let by_bound = one.clone().c(0.02).fit(&moons.x).unwrap();
        let by_share = one.clone().nu(0.5).fit(&moons.x).unwrap();
        assert_eq!(by_bound.support(), by_share.support());
        // At most half of the rows are outliers, and at least half are support vectors.
        assert!(by_bound.support().len() >= 50);
        let outliers = by_bound.predict(&moons.x).unwrap().iter().filter(|side| **side < 0).count();
        assert!((40..=50).contains(&outliers), "{outliers} outliers at {tol}");
    }
}

#[test]
fn the_share_of_outliers_is_nu_where_most_rows_are_between_their_bounds() {
    let data = datasets::blobs(1500, 32, 16, 1).unwrap();
    let model = OneClassSvm::default().nu(0.1).kernel(Kernel::rbf(0.01)).fit(&data.x).unwrap();
    let outliers = model.predict(&data.x).unwrap().iter().filter(|side| **side < 0).count();
    assert!((135..=150).contains(&outliers), "{outliers} outliers of 1500");
    assert!(model.support().len() >= 150);
}

/// MNIST beside the project, where there is one: it is not part of it.
fn mnist() -> Option<(Dataset, Dataset)> {
    let near = |folder: &Path| folder.join("shared/data/mnist");
    let mut folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().skip(1).take(2).map(near);
    let found: Option<PathBuf> = folders.find(|folder| folder.join("train-images-idx3-ubyte.gz").exists());
    if found.is_none() {
        eprintln!("skipped: there is no shared/data/mnist beside the project");
    }
    found.map(|folder| datasets::notes::mnist_100(folder).unwrap())
}

#[test]
fn a_hinge_tells_zeros_from_ones_of_mnist_100() {
    let Some((train, validation)) = mnist() else { return };
    let two = |data: &Dataset| {
        let y = data.labels().unwrap();
        let rows: Vec<usize> = (0..y.len()).filter(|row| y.codes()[*row] < 2).collect();
        (data.x.select(&rows).unwrap(), y.select(&rows).unwrap())
    };
    let ((x, y), (x_validation, y_validation)) = (two(&train), two(&validation));
    assert_eq!((x.rows(), x_validation.rows()), (27, 21));
    // The mean hinge and 0.001·‖w‖² are ½·‖w‖² and c·Σ hinge with c = 1/(2·0.001·27).
    let c = 1.0 / (2.0 * 0.001 * 27.0);
    let model = Svc::default().kernel(Kernel::Linear).c(c).fit(&x, &y).unwrap();
    assert!(model.converged());
    assert_eq!(model.score(&x, &y).unwrap(), 1.0);
    let right = (21.0 * model.score(&x_validation, &y_validation).unwrap()).round();
    assert!(right >= 20.0, "{right} of 21");
}

#[test]
fn one_versus_rest_on_mnist_100_is_right_as_often_as_the_notes() {
    let Some((train, validation)) = mnist() else { return };
    let (y, y_validation) = (train.labels().unwrap(), validation.labels().unwrap());
    // The mean hinge and 0.01·‖w‖² of each class.
    let svc = Svc::default().kernel(Kernel::Linear).multi_class(MultiClass::OneVersusRest);
    let model = svc.c(1.0 / (2.0 * 0.01 * 100.0)).fit(&train.x, y).unwrap();
    assert!(model.converged());
    assert!(model.score(&train.x, y).unwrap() >= 0.99);
    let right = 100.0 * model.score(&validation.x, y_validation).unwrap();
    assert!((right - 66.0).abs() <= 3.0, "{right} of 100");
}
