//! Searches whose fits share a kernel matrix.

use gristmill::kernel_methods::Kernel;
use gristmill::prelude::*;
use gristmill::selection::{Folds, GridSearch};

#[test]
fn a_search_over_costs_scores_as_fits_by_themselves() {
    let iris = datasets::iris().unwrap();
    let y = iris.labels().unwrap();
    let folds = Folds::stratified(5);
    let costs = [0.1, 1.0, 100.0];
    let svc = Svc::default().kernel(Kernel::rbf(0.5));
    let found = GridSearch::new(Pipeline::new(svc.clone())).parameter("c", costs).fit(&iris, &folds).unwrap();
    let splits = folds.split(150, Some(y)).unwrap();
    for (cost, candidate) in costs.iter().zip(&found.candidates) {
        let mut scores = vec![];
        for (train, test) in splits.iter() {
            let part = |rows: &[usize]| (iris.x.select(rows).unwrap(), y.select(rows).unwrap());
            let (train, test) = (part(&train), part(&test));
            let model = svc.clone().c(*cost).fit(&train.0, &train.1).unwrap();
            scores.push(model.score(&test.0, &test.1).unwrap());
        }
        let alone = scores.iter().sum::<f64>() / scores.len() as f64;
        assert!((candidate.score().mean - alone).abs() < 1e-9, "{cost}: {} and {alone}", candidate.score().mean);
    }
}

#[test]
fn numbers_and_several_kernels_are_searched() {
    let diabetes = datasets::diabetes().unwrap();
    let search = GridSearch::new(Pipeline::new(Svr::default()))
        .parameter("c", [0.1, 1.0])
        .parameter("kernel", ["linear", "rbf(gamma=0.1)", "rbf"]);
    let found = search.fit(&diabetes, &Folds::k_fold(3)).unwrap();
    assert_eq!(found.candidates.len(), 6);
    assert!(found.candidates.iter().all(|candidate| candidate.result.is_ok()));
}
