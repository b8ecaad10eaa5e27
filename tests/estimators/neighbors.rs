use gristmill::neighbors::Weights;
use gristmill::prelude::*;

use super::blobs::blobs;
use crate::support::{devices, gpu_with, matrix};

/// Every second row of iris, and the others.
fn halves() -> ([Matrix; 2], [Labels; 2]) {
    let iris = gristmill::datasets::iris().unwrap();
    let part = |odd: usize| -> Vec<usize> { (0..75).map(|row| 2 * row + odd).collect() };
    let rows = |odd| Matrix::from_rows(&part(odd).iter().map(|row| iris.x.row(*row)).collect::<Vec<_>>()).unwrap();
    let labels = |odd| iris.labels().unwrap().select(&part(odd)).unwrap();
    ([rows(0), rows(1)], [labels(0), labels(1)])
}

#[test]
fn iris_is_classified_as_scikit_learn_does() {
    let ([x, test], [y, truth]) = halves();
    let wanted = [
        (Weights::Uniform, 1, 0.96, [25.0, 26.0, 24.0]),
        (Weights::Uniform, 5, 74.0 / 75.0, [25.0, 25.2, 24.8]),
        (Weights::Uniform, 15, 0.92, [25.0, 26.33333333, 23.66666667]),
        (Weights::Distance, 5, 74.0 / 75.0, [25.0, 25.20871831, 24.79128169]),
        (Weights::Distance, 15, 71.0 / 75.0, [25.0, 25.93776075, 24.06223925]),
    ];
    for (name, device) in devices() {
        for (weights, k, accuracy, sums) in wanted {
            let model = KNeighborsClassifier::new(k).weights(weights).fit(&x.to(device).unwrap(), &y).unwrap();
            let test = test.to(device).unwrap();
            assert!((model.score(&test, &truth).unwrap() - accuracy).abs() < 1e-9, "{name}: {weights:?}, {k}");
            let chances = model.predict_proba(&test).unwrap();
            for (class, wanted) in sums.into_iter().enumerate() {
                let sum: f64 = (0..75).map(|row| f64::from(chances.get(row, class))).sum();
                assert!((sum - wanted).abs() < 1e-4, "{name}: {weights:?}, {k}: {sum} for {wanted}");
            }
        }
    }
}

// Wine, because its distances have no ties: among equally near rows scikit-learn takes any.
#[test]
fn several_outputs_are_averaged_as_scikit_learn_does() {
    let x = gristmill::datasets::wine().unwrap().x;
    let part = |odd: usize, from: usize, to: usize| {
        let rows: Vec<&[f32]> = (0..89).map(|row| &x.row(2 * row + odd)[from..to]).collect();
        Matrix::from_rows(&rows).unwrap()
    };
    let wanted = [[3.05427157, 1112.09254206], [2.94439679, 1093.02527696], [2.92542014, 1113.97195331]];
    for (name, device) in devices() {
        let regressor = KNeighborsRegressor::new(7).weights(Weights::Distance);
        let model = regressor.fit(&part(0, 0, 11).to(device).unwrap(), &part(0, 11, 13)).unwrap();
        let found = model.predict(&part(1, 0, 11).to(device).unwrap()).unwrap();
        for (row, wanted) in wanted.iter().enumerate() {
            let pairs = found.row(row).iter().zip(wanted);
            assert!(pairs.clone().all(|(a, b)| (f64::from(*a) - b).abs() < 1e-5 * b), "{name}: {:?}", found.row(row));
        }
        let score = model.score(&part(1, 0, 11).to(device).unwrap(), &part(1, 11, 13)).unwrap();
        assert!((score - 0.4649329793).abs() < 1e-5, "{name}: {score}");
    }
}

#[test]
fn every_metric_finds_the_rows_that_scikit_learn_finds() {
    let x = gristmill::datasets::iris().unwrap().x;
    let queries = Matrix::from_rows(&[
        [5.0, 3.5, 1.5, 0.2],
        [7.0, 3.0, 5.0, 2.0],
        [10.0, 10.0, 10.0, 10.0],
        [6.0, 2.5, 4.5, 1.4],
    ])
    .unwrap();
    let wanted = [
        (Metric::Manhattan, [0.099999905, 0.59999967, 19.6, 0.5000001]),
        (Metric::Chebyshev, [0.099999905, 0.29999995, 7.5, 0.29999995]),
        (Metric::Minkowski(3.0), [0.099999905, 0.3107232, 9.129742, 0.3301926]),
        (Metric::Cosine, [1.5318394e-05, 0.00058835745, 0.058563888, 0.00011092424]),
    ];
    for (name, device) in devices() {
        for (metric, nearest) in wanted {
            let model = NearestNeighbors::new(4).metric(metric).fit(&x.to(device).unwrap()).unwrap();
            let found = model.kneighbors(&queries.to(device).unwrap()).unwrap();
            for (query, nearest) in nearest.into_iter().enumerate() {
                let distance = found.distances(query)[0];
                assert!((distance - nearest).abs() < 1e-6 * nearest.max(1.0), "{name}: {metric:?}: {distance}");
            }
        }
    }
}

#[test]
fn ties_in_distance_go_to_the_lowest_row_and_ties_in_votes_to_the_lowest_class() {
    let x = Matrix::from_rows(&[[1.0], [-1.0], [1.0], [-1.0], [3.0]]).unwrap();
    let y = Labels::from_names(&["c", "b", "a", "c", "a"]);
    let query = Matrix::from_rows(&[[0.0]]).unwrap();
    for (name, device) in devices() {
        let (x, query) = (x.to(device).unwrap(), query.to(device).unwrap());
        let found = NearestNeighbors::new(3).fit(&x).unwrap().kneighbors(&query).unwrap();
        assert_eq!(found.indices(0), [0, 1, 2], "{name}");
        let vote = KNeighborsClassifier::new(3).fit(&x, &y).unwrap().predict(&query).unwrap();
        assert_eq!(vote.name(0), "a", "{name}");
    }
}

#[test]
fn data_far_off_centre_and_constant_columns_are_exact() {
    let (x, _) = blobs(500, 6, 5, 1.0, 91);
    let shifted = |matrix: &Matrix| {
        let rows = (0..matrix.rows()).map(|row| {
            let mut values: Vec<f32> = matrix.row(row).iter().map(|value| value + 1e4).collect();
            values.push(7.0);
            values
        });
        Matrix::from_rows(&rows.collect::<Vec<_>>()).unwrap()
    };
    let far = shifted(&x);
    let distance = |a: usize, b: usize| -> f64 {
        far.row(a).iter().zip(far.row(b)).map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2)).sum()
    };
    for (name, device) in devices() {
        let x = far.to(device).unwrap();
        let found = NearestNeighbors::new(5).fit(&x).unwrap().kneighbors(&x).unwrap();
        for query in 0..500 {
            let mut wanted: Vec<usize> = (0..500).collect();
            wanted.sort_by(|a, b| distance(query, *a).total_cmp(&distance(query, *b)).then(a.cmp(b)));
            let found: Vec<f64> = found.indices(query).iter().map(|row| distance(query, *row as usize)).collect();
            let wanted: Vec<f64> = wanted[..5].iter().map(|row| distance(query, *row)).collect();
            let close = found.iter().zip(&wanted).all(|(a, b)| (a - b).abs() <= 1e-6 * b);
            assert!(close, "{name}, query {query}: {found:?} for {wanted:?}");
        }
    }
}

#[test]
fn queries_in_chunks_of_any_size_get_the_same_answer() {
    let (x, queries) = (matrix(3000, 12, 92), matrix(400, 12, 93));
    for (name, device) in devices() {
        let model = NearestNeighbors::new(7).fit(&x.to(device).unwrap()).unwrap();
        let whole = model.kneighbors(&queries.to(device).unwrap()).unwrap();
        for chunk in [1, 2, 7, 64] {
            for first in (0..400).step_by(chunk).take(7) {
                let rows: Vec<&[f32]> = (first..(first + chunk).min(400)).map(|row| queries.row(row)).collect();
                let part = model.kneighbors(&Matrix::from_rows(&rows).unwrap().to(device).unwrap()).unwrap();
                for row in 0..part.len() {
                    assert_eq!(part.indices(row), whole.indices(first + row), "{name}: chunks of {chunk}");
                    assert_eq!(part.distances(row), whole.distances(first + row), "{name}: chunks of {chunk}");
                }
            }
        }
    }
}

#[test]
fn any_number_of_neighbours_up_to_all_rows() {
    let x = matrix(300, 3, 94);
    for (name, device) in devices() {
        for k in [1, 32, 33, 64, 299, 300] {
            let x = x.to(device).unwrap();
            let found = NearestNeighbors::new(k).fit(&x).unwrap().kneighbors(&x).unwrap();
            for query in 0..300 {
                assert_eq!(found.indices(query)[0] as usize, query, "{name}: {k}");
                assert!(found.distances(query).is_sorted(), "{name}: {k}");
            }
        }
    }
}

#[test]
fn rows_within_a_radius_are_found() {
    let x = matrix(500, 2, 95);
    let within = |a: usize, b: usize| {
        let pairs = x.row(a).iter().zip(x.row(b));
        pairs.map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2)).sum::<f64>().sqrt() <= 0.3
    };
    for (name, device) in devices() {
        let on_device = x.to(device).unwrap();
        let found = NearestNeighbors::default().fit(&on_device).unwrap().radius_neighbors(&on_device, 0.3).unwrap();
        for query in 0..500 {
            let wanted: Vec<u32> = (0..500).filter(|row| within(query, *row as usize)).collect();
            assert_eq!(found.get(query).0, wanted, "{name}: query {query}");
        }
        let negative = NearestNeighbors::default().fit(&on_device).unwrap().radius_neighbors(&on_device, -1.0);
        assert!(matches!(negative, Err(Error::Param { name: "radius", .. })), "{name}");
    }
}

#[test]
fn a_small_budget_gives_the_same_bits() {
    let (x, queries) = (matrix(40_000, 60, 96), matrix(500, 60, 97));
    let run = |device: &Device| {
        let model = NearestNeighbors::new(5).fit(&x.to(device).unwrap()).unwrap();
        model.kneighbors(&queries.to(device).unwrap()).unwrap()
    };
    let small = gpu_with(DeviceOptions::default().memory_budget(16 << 20).mark_outputs(true));
    assert!(run(&small) == run(crate::support::gpu()));
}

#[test]
fn saved_models_predict_the_same() {
    let (x, codes) = blobs(200, 3, 4, 8.0, 98);
    let y = Labels::from(&codes[..]);
    let model = KNeighborsClassifier::new(3).weights(Weights::Distance).fit(&x, &y).unwrap();
    let again = KNeighborsClassifierModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(again.predict_proba(&x).unwrap().as_slice(), model.predict_proba(&x).unwrap().as_slice());
    assert_eq!(again.classes(), model.classes());
    let model = KNeighborsRegressor::new(3).fit(&x, &x).unwrap();
    let again = KNeighborsRegressorModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(again.predict(&x).unwrap().as_slice(), model.predict(&x).unwrap().as_slice());
    let model = NearestNeighbors::new(4).metric(Metric::Minkowski(3.0)).fit(&x).unwrap();
    let again = NearestNeighborsModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(again.kneighbors(&x).unwrap(), model.kneighbors(&x).unwrap());
}

#[test]
fn what_cannot_be_is_refused_alike() {
    let nan = Matrix::from_rows(&[[1.0, f32::NAN]]).unwrap();
    for (name, device) in devices() {
        let x = matrix(10, 2, 99).to(device).unwrap();
        for k in [0, 11] {
            let result = NearestNeighbors::new(k).fit(&x);
            assert!(matches!(result, Err(Error::Param { name: "n_neighbors", .. })), "{name}");
        }
        let p = NearestNeighbors::new(1).metric(Metric::Minkowski(0.5)).fit(&x);
        assert!(matches!(p, Err(Error::Param { name: "p", .. })), "{name}");
        let model = NearestNeighbors::new(2).fit(&x).unwrap();
        let wide = model.kneighbors(&matrix(3, 3, 1).to(device).unwrap());
        assert!(matches!(wide, Err(Error::Shape { .. })), "{name}");
        let missing = model.kneighbors(&nan.to(device).unwrap());
        assert!(matches!(missing, Err(Error::NotFinite { row: 0, column: 1, .. })), "{name}");
        assert_eq!(model.kneighbors(&Matrix::zeros(0, 2).unwrap().to(device).unwrap()).unwrap().len(), 0, "{name}");
        let far = Matrix::from_rows(&[[0.0, 0.0], [3e38, -3e38]]).unwrap();
        let model = NearestNeighbors::new(2).fit(&x).unwrap();
        let overflown = model.kneighbors(&far.to(device).unwrap()).unwrap_err();
        assert!(
            matches!(&overflown, Error::Overflow { row: 1, what } if what.contains("distance")),
            "{name}: {overflown}"
        );
        let missing = NearestNeighbors::new(1).fit(&nan.to(device).unwrap());
        assert!(matches!(missing, Err(Error::NotFinite { .. })), "{name}");
        let few = KNeighborsClassifier::new(1).fit(&x, &Labels::from(&[1_u32, 2][..]));
        assert!(matches!(few, Err(Error::Shape { .. })), "{name}");
        let few = KNeighborsRegressor::new(1).fit(&x, &[1.0, 2.0]);
        assert!(matches!(few, Err(Error::Shape { .. })), "{name}");
        let one = NearestNeighbors::new(1).fit(&matrix(1, 2, 1).to(device).unwrap()).unwrap();
        assert_eq!(one.kneighbors(&x).unwrap().indices(3), [0], "{name}");
    }
}
