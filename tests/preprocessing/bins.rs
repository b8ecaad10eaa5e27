use gristmill::prelude::*;
use gristmill::preprocessing::*;

use super::fixtures::*;
use super::{assert_close, assert_near, matrix};

#[test]
fn bins_are_scikit_learns() {
    let x = matrix(2, &SPREAD);
    let cases: [(BinStrategy, usize, &[f64], &[f64]); 6] = [
        (BinStrategy::Uniform, 3, &UNIFORM_3_EDGES, &UNIFORM_3),
        (BinStrategy::Uniform, 5, &UNIFORM_5_EDGES, &UNIFORM_5),
        (BinStrategy::Quantile, 3, &QUANTILE_3_EDGES, &QUANTILE_3),
        (BinStrategy::Quantile, 5, &QUANTILE_5_EDGES, &QUANTILE_5),
        (BinStrategy::KMeans, 3, &KMEANS_3_EDGES, &KMEANS_3),
        (BinStrategy::KMeans, 5, &KMEANS_5_EDGES, &KMEANS_5),
    ];
    for (strategy, n_bins, edges, expected) in cases {
        let model = KBinsDiscretizer::new(n_bins).strategy(strategy).encode(BinEncoding::Ordinal).fit(&x).unwrap();
        assert_near(&model.bin_edges().concat(), edges, 1e-6);
        assert_close(model.transform(&x).unwrap().as_slice(), expected, 0.0);
    }
}

#[test]
fn a_quantile_between_two_rows_is_their_mean() {
    let x = matrix(1, &[4.0, 1.0, 2.0, 3.0]);
    let model = KBinsDiscretizer::new(2).fit(&x).unwrap();
    assert_eq!(model.bin_edges()[0], [1.0, 2.5, 4.0]);
    assert_eq!(model.transform(&x).unwrap().as_slice(), [0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
}

#[test]
fn equal_quantiles_are_one_edge() {
    let x = matrix(1, &[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 9.0]);
    let model = KBinsDiscretizer::new(4).fit(&x).unwrap();
    assert_eq!((model.bin_edges()[0].as_slice(), model.n_bins()), (&[1.0, 1.5, 9.0][..], vec![2]));
}

#[test]
fn a_constant_column_is_one_bin_that_turns_back_to_its_value() {
    let x = matrix(2, &[1.0, 4.0, 2.0, 4.0, 3.0, 4.0]);
    for strategy in [BinStrategy::Uniform, BinStrategy::Quantile, BinStrategy::KMeans] {
        let model = KBinsDiscretizer::new(3).strategy(strategy).fit(&x).unwrap();
        let z = model.transform(&x).unwrap();
        assert_eq!((model.n_bins(), z.row(0)), (vec![3, 1], &[1.0, 0.0, 0.0, 1.0][..]), "{strategy:?}");
        assert_eq!(model.inverse_transform(&z).unwrap().get(2, 1), 4.0);
        assert_eq!(model.names(None), ["x0_0", "x0_1", "x0_2", "x1_0"]);
    }
}

#[test]
fn empty_k_means_bins_take_the_farthest_values() {
    let x = matrix(1, &[0.0, 0.1, 0.2, 50.0, 50.5, 100.0]);
    let model = KBinsDiscretizer::new(6).strategy(BinStrategy::KMeans).fit(&x).unwrap();
    assert_near(&model.bin_edges()[0], &[0.0, 0.05, 0.15, 25.1, 50.25, 75.25, 100.0], 1e-6);
    let few = matrix(1, &[1.0, 1.0, 2.0, 2.0]);
    let model = KBinsDiscretizer::new(5).strategy(BinStrategy::KMeans).fit(&few).unwrap();
    assert_eq!(model.bin_edges()[0], [1.0, 1.5, 2.0]);
}

#[test]
fn values_beyond_the_fitted_ones_go_to_the_outer_bins() {
    let model = KBinsDiscretizer::new(2).encode(BinEncoding::Ordinal).strategy(BinStrategy::Uniform);
    let model = model.fit(&matrix(1, &[0.0, 10.0])).unwrap();
    let z = model.transform(&matrix(1, &[-1e30, 5.0, 4.999, 1e30])).unwrap();
    assert_eq!(z.as_slice(), [0.0, 1.0, 0.0, 1.0]);
    assert_eq!(model.inverse_transform(&z).unwrap().as_slice(), [2.5, 7.5, 2.5, 7.5]);
}
