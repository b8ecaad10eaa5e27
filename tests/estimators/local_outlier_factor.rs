use gristmill::neighbors::Contamination;
use gristmill::prelude::*;

use crate::support::{devices, matrix, numbers};

fn close(found: f64, wanted: f64) -> bool {
    (found - wanted).abs() <= 1e-5 * wanted.abs().max(1.0)
}

// Wine, because its distances have no ties: among equally near rows scikit-learn takes any, and the factor shows it.
#[test]
fn wine_has_the_factors_that_scikit_learn_gives() {
    let x = gristmill::datasets::wine().unwrap().x;
    for (name, device) in devices() {
        let model = LocalOutlierFactor::default().fit(&x.to(device).unwrap()).unwrap();
        let factors = model.negative_outlier_factor();
        let first = [-0.99061594, -0.99189772, -1.06542153, -1.39638841, -1.11972281, -1.30011376];
        assert!(factors.iter().zip(first).all(|(found, wanted)| close(*found, wanted)), "{name}: {:?}", &factors[..6]);
        assert!(close(factors[18], -2.2130044955) && close(factors.iter().sum(), -189.216678), "{name}");
        assert_eq!(model.labels().iter().filter(|label| **label == -1).count(), 6, "{name}");
        let tenth = LocalOutlierFactor::new(10).contamination(Contamination::Share(0.1));
        let model = tenth.fit(&x.to(device).unwrap()).unwrap();
        assert!(close(model.offset(), -1.35453956), "{name}: {}", model.offset());
        assert_eq!(tenth.fit_predict(&x.to(device).unwrap()).unwrap().iter().filter(|label| **label == -1).count(), 18);
    }
}

#[test]
fn new_rows_are_judged_as_scikit_learn_judges_them() {
    let x = gristmill::datasets::wine().unwrap().x;
    let half =
        |odd: usize| Matrix::from_rows(&(0..89_usize).map(|row| x.row(2 * row + odd)).collect::<Vec<_>>()).unwrap();
    for (name, device) in devices() {
        let model = LocalOutlierFactor::new(15).novelty(true).fit(&half(0).to(device).unwrap()).unwrap();
        let queries = half(1).to(device).unwrap();
        let scores = model.score_samples(&queries).unwrap();
        let wanted = [-0.97658284, -1.65874183, -1.59045755, -1.20268600];
        assert!(scores.iter().zip(wanted).all(|(found, wanted)| close(*found, wanted)), "{name}: {scores:?}");
        assert!(close(scores.iter().sum(), -95.282884), "{name}");
        assert_eq!(model.predict(&queries).unwrap().iter().filter(|label| **label == -1).count(), 3, "{name}");
        let decision = model.decision_function(&queries).unwrap();
        assert!(
            decision.as_slice().iter().zip(&scores).all(|(decision, score)| close(f64::from(*decision), score + 1.5)),
            "{name}"
        );
    }
}

/// The definition of the notes (002), in f64 and by looking at everything.
fn oracle(x: &Matrix, k: usize) -> Vec<f64> {
    let n = x.rows();
    let distance = |a: usize, b: usize| {
        let pairs = x.row(a).iter().zip(x.row(b));
        pairs.map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2)).sum::<f64>().sqrt()
    };
    let nearest = |a: usize| {
        let mut others: Vec<usize> = (0..n).filter(|b| *b != a).collect();
        others.sort_by(|b, c| distance(a, *b).total_cmp(&distance(a, *c)).then(b.cmp(c)));
        others.truncate(k);
        others
    };
    let neighbors: Vec<Vec<usize>> = (0..n).map(nearest).collect();
    let k_distance: Vec<f64> = (0..n).map(|a| distance(a, neighbors[a][k - 1])).collect();
    let density = |a: usize| {
        let reach: f64 = neighbors[a].iter().map(|b| k_distance[*b].max(distance(a, *b))).sum();
        1.0 / (reach / k as f64 + 1e-10)
    };
    let density: Vec<f64> = (0..n).map(density).collect();
    (0..n).map(|a| -neighbors[a].iter().map(|b| density[*b]).sum::<f64>() / k as f64 / density[a]).collect()
}

#[test]
fn factors_are_those_of_the_definition() {
    for (rows, columns, k) in [(2, 1, 1), (65, 3, 5), (257, 7, 20), (300, 2, 40)] {
        let x = matrix(rows, columns, 81);
        let wanted = oracle(&x, k);
        for (name, device) in devices() {
            let model = LocalOutlierFactor::new(k).fit(&x.to(device).unwrap()).unwrap();
            let pairs = model.negative_outlier_factor().iter().zip(&wanted);
            for (row, (found, wanted)) in pairs.enumerate() {
                assert!(close(*found, *wanted), "{name}: {rows}×{columns}, row {row}: {found} for {wanted}");
            }
        }
    }
}

#[test]
fn equal_rows_have_a_finite_factor() {
    let x = Matrix::from_vec(50, 2, [1.0, 2.0].repeat(50)).unwrap();
    for (name, device) in devices() {
        let model = LocalOutlierFactor::new(5).fit(&x.to(device).unwrap()).unwrap();
        assert!(model.negative_outlier_factor().iter().all(|factor| close(*factor, -1.0)), "{name}");
    }
}

#[test]
fn a_far_row_is_an_outlier_and_the_dense_ones_are_not() {
    let mut values = numbers(400, 82);
    values.extend([50.0, 50.0]);
    let x = Matrix::from_vec(201, 2, values).unwrap();
    for (name, device) in devices() {
        let labels = LocalOutlierFactor::default().fit_predict(&x.to(device).unwrap()).unwrap();
        assert_eq!(labels[200], -1, "{name}");
        assert!(labels[..200].iter().filter(|label| **label == -1).count() < 20, "{name}");
    }
}

#[test]
fn more_neighbours_than_rows_are_all_the_others() {
    let x = matrix(5, 2, 83);
    assert_eq!(LocalOutlierFactor::new(20).fit(&x).unwrap().n_neighbors(), 4);
}

#[test]
fn a_model_for_fitted_rows_is_saved_but_does_not_predict() {
    let x = matrix(60, 3, 84);
    let model = LocalOutlierFactor::new(7).fit(&x).unwrap();
    assert!(matches!(model.predict(&x), Err(Error::Param { name: "novelty", .. })));
    let again = LocalOutlierFactorModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(again.negative_outlier_factor(), model.negative_outlier_factor());
    assert!(matches!(again.predict(&x), Err(Error::Param { name: "novelty", .. })));
    let novel = LocalOutlierFactor::new(7).novelty(true).fit(&x).unwrap();
    let again = LocalOutlierFactorModel::from_bytes(&novel.to_bytes().unwrap()).unwrap();
    assert_eq!(again.score_samples(&x).unwrap(), novel.score_samples(&x).unwrap());
}

#[test]
fn what_cannot_be_is_refused_alike() {
    for (name, device) in devices() {
        let one = LocalOutlierFactor::default().fit(&matrix(1, 2, 1).to(device).unwrap());
        assert!(matches!(one, Err(Error::Shape { .. })), "{name}");
        let x = matrix(10, 2, 1).to(device).unwrap();
        assert!(matches!(LocalOutlierFactor::new(0).fit(&x), Err(Error::Param { name: "n_neighbors", .. })), "{name}");
        for share in [0.0, -0.1, 0.6, f64::NAN] {
            let result = LocalOutlierFactor::new(2).contamination(Contamination::Share(share)).fit(&x);
            assert!(matches!(result, Err(Error::Param { name: "contamination", .. })), "{name}");
        }
        let novel = LocalOutlierFactor::new(2).novelty(true).fit(&x).unwrap();
        assert!(matches!(novel.predict(&matrix(2, 3, 1).to(device).unwrap()), Err(Error::Shape { .. })), "{name}");
    }
}
