use gristmill::prelude::*;

use super::blobs::blobs;
use crate::support::{bits, devices, matrix};

#[test]
fn it_comes_close_to_k_means_on_blobs() {
    let (x, _) = blobs(20_000, 4, 8, 1.0, 21);
    let full = KMeans::new(8).n_init(5).fit(&x).unwrap().inertia();
    for (name, device) in devices() {
        let model = MiniBatchKMeans::new(8).seed(2).fit(&x.to(device).unwrap()).unwrap();
        assert!(model.inertia() <= 1.1 * full, "{name}: {} against {full}", model.inertia());
        assert_eq!(model.predict(&x.to(device).unwrap()).unwrap(), model.labels(), "{name}");
    }
}

#[test]
fn batches_one_after_the_other_find_the_centres() {
    let (x, _) = blobs(8000, 3, 4, 0.5, 22);
    for (name, device) in devices() {
        let params = MiniBatchKMeans::new(4).seed(4);
        let mut model = None;
        for batch in 0..20 {
            let rows: Vec<&[f32]> = (batch * 400..(batch + 1) * 400).map(|row| x.row(row)).collect();
            model = Some(params.partial_fit(model, &Matrix::from_rows(&rows).unwrap().to(device).unwrap()).unwrap());
        }
        let model = model.unwrap();
        let best = KMeans::new(4).n_init(5).fit(&x).unwrap().inertia();
        assert!(-model.score(&x).unwrap() <= 1.05 * best, "{name}");
        assert_eq!((model.iterations(), model.labels()), (20, &[][..]), "{name}");
    }
}

#[test]
fn a_centre_is_the_mean_of_all_rows_it_has_had() {
    let x = matrix(1000, 2, 23);
    for (name, device) in devices() {
        let params = MiniBatchKMeans::new(1);
        let mut model = None;
        for batch in 0..10 {
            let rows: Vec<&[f32]> = (batch * 100..(batch + 1) * 100).map(|row| x.row(row)).collect();
            model = Some(params.partial_fit(model, &Matrix::from_rows(&rows).unwrap().to(device).unwrap()).unwrap());
        }
        let mean = (0..1000).map(|row| f64::from(x.get(row, 0))).sum::<f64>() / 1000.0;
        let center = f64::from(model.unwrap().cluster_centers().get(0, 0));
        assert!((center - mean).abs() < 1e-5, "{name}: {center} for {mean}");
    }
}

#[test]
fn the_same_seed_gives_the_same_bits() {
    let x = matrix(5000, 6, 24);
    for (name, device) in devices() {
        let x = x.to(device).unwrap();
        let run = || bits(MiniBatchKMeans::new(10).seed(9).max_iter(2).fit(&x).unwrap().cluster_centers().as_slice());
        let first = run();
        assert!((0..5).all(|_| run() == first), "{name}");
    }
}

#[test]
fn a_saved_model_goes_on_where_it_stopped() {
    let (x, _) = blobs(600, 3, 3, 1.0, 25);
    let params = MiniBatchKMeans::new(3);
    let model = params.partial_fit(None, &x).unwrap();
    let again = MiniBatchKMeansModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
    let next = params.partial_fit(Some(model), &x).unwrap();
    assert_eq!(params.partial_fit(Some(again), &x).unwrap().to_bytes().unwrap(), next.to_bytes().unwrap());
}

#[test]
fn what_cannot_be_is_refused() {
    let x = matrix(10, 2, 26);
    assert!(matches!(MiniBatchKMeans::new(0).fit(&x), Err(Error::Param { name: "n_clusters", .. })));
    assert!(matches!(MiniBatchKMeans::new(11).fit(&x), Err(Error::Param { name: "n_clusters", .. })));
    assert!(matches!(MiniBatchKMeans::new(2).batch_size(0).fit(&x), Err(Error::Param { name: "batch_size", .. })));
    let model = MiniBatchKMeans::new(2).partial_fit(None, &x).unwrap();
    assert!(matches!(MiniBatchKMeans::new(2).partial_fit(Some(model), &matrix(5, 3, 1)), Err(Error::Shape { .. })));
}

#[test]
fn a_chunk_may_have_weights_and_leaves_no_inertia() {
    let x = Matrix::from_rows(&[[0.0], [1.0], [9.0], [10.0]]).unwrap();
    let kmeans = MiniBatchKMeans::new(2).seed(1);
    let weighted = kmeans.partial_fit_with(None, &x, Fit::default().sample_weight(&[1.0, 0.0, 1.0, 0.0])).unwrap();
    let mut centers = weighted.cluster_centers().as_slice().to_vec();
    centers.sort_by(f32::total_cmp);
    assert_eq!(centers, [0.0, 9.0]);
    assert!(weighted.inertia().is_nan());
    assert!(kmeans.partial_fit_with(None, &x, Fit::default().sample_weight(&[1.0])).is_err());
}
