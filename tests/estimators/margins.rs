//! What the members of an ensemble have in common: margins, strength, and the variance of their average.

use gristmill::ensemble::{BaggingClassifier, BaggingRegressor};
use gristmill::prelude::*;

#[test]
fn margins_are_votes_for_the_truth_less_those_for_the_runner_up() {
    let (train, test) = datasets::digits().unwrap().split(0.7, 3).unwrap();
    let (y, truth) = (train.labels().unwrap(), test.labels().unwrap());
    let model = RandomForestClassifier::new(40).fit(&train.x, y).unwrap();
    let margins = model.margins(&test.x, truth).unwrap();
    // The same by hand, from the leaves.
    let leaves = model.apply(&test.x).unwrap();
    for (row, margin) in margins.iter().enumerate() {
        let mut votes = [0.0; 10];
        for (tree, leaf) in model.trees().iter().zip(&leaves[row * 40..]) {
            let chances = tree.value(*leaf);
            let best = (1..10).fold(0, |best, class| if chances[class] > chances[best] { class } else { best });
            votes[best] += 1.0 / 40.0;
        }
        let right = truth.codes()[row] as usize;
        let other = (0..10).filter(|class| *class != right).map(|class| votes[class]).fold(0.0, f64::max);
        assert!((margin - (votes[right] - other)).abs() < 1e-9, "{row}");
    }
    let strength = model.strength(&test.x, truth).unwrap();
    let mean = margins.iter().sum::<f64>() / margins.len() as f64;
    assert!((strength.strength - mean).abs() < 1e-12 && strength.strength > 0.5, "{strength:?}");
    let error = margins.iter().filter(|margin| **margin < 0.0).count() as f64 / margins.len() as f64;
    assert_eq!(strength.error, error);
    // Breiman's bound holds, and by far: this is what makes forests not overfit.
    assert!(strength.error_bound().unwrap() > strength.error && strength.correlation < 0.5, "{strength:?}");
}

#[test]
fn extra_trees_are_less_alike_than_the_trees_of_a_forest() {
    let (train, test) = datasets::digits().unwrap().split(0.7, 3).unwrap();
    let (y, truth) = (train.labels().unwrap(), test.labels().unwrap());
    let forest = RandomForestClassifier::new(60).fit(&train.x, y).unwrap().strength(&test.x, truth).unwrap();
    let extra = ExtraTreesClassifier::new(60).fit(&train.x, y).unwrap().strength(&test.x, truth).unwrap();
    let bagging = BaggingClassifier::default().n_estimators(60).fit(&train.x, y).unwrap();
    assert_eq!(bagging.margins(&test.x, truth).unwrap().len(), test.x.rows());
    let bagging = bagging.strength(&test.x, truth).unwrap();
    assert!(extra.correlation < forest.correlation && forest.correlation < bagging.correlation);
    assert!(bagging.strength > 0.5, "{bagging:?}");
    let short = truth.select(&[0, 1]).unwrap();
    assert!(ExtraTreesClassifier::new(2).fit(&train.x, y).unwrap().margins(&test.x, &short).is_err());
}

#[test]
fn the_variance_of_an_average_is_that_of_the_formula() {
    let (train, test) = datasets::diabetes().unwrap().split(0.6, 1).unwrap();
    let y = train.values().unwrap();
    let forest = |trees: usize| RandomForestRegressor::new(trees).fit(&train.x, y).unwrap();
    let mut before = f64::MAX;
    for trees in [1, 5, 25, 125] {
        let found = forest(trees).ensemble_variance(&test.x).unwrap();
        assert_eq!(found.members, trees);
        // Exact for equal variances; those of trees differ by some percent.
        assert!((found.of_average - found.by_formula()).abs() < 0.02 * found.of_average, "{found:?}");
        assert!(found.of_average < before * 1.02 && found.of_average <= found.variance * (1.0 + 1e-9));
        before = found.of_average;
    }
    let found = forest(125).ensemble_variance(&test.x).unwrap();
    assert!(found.correlation > 0.2 && found.correlation < 0.8, "{found:?}");
    // What a measured average of the predictions has.
    let predicted = forest(125).predict(&test.x).unwrap();
    let mean = predicted.as_slice().iter().map(|value| f64::from(*value)).sum::<f64>() / predicted.rows() as f64;
    let square = |value: &f32| (f64::from(*value) - mean) * (f64::from(*value) - mean);
    let variance = predicted.as_slice().iter().map(square).sum::<f64>() / predicted.rows() as f64;
    assert!((variance - found.of_average).abs() < 1e-3 * variance, "{variance} {found:?}");
    let extra = ExtraTreesRegressor::new(125).fit(&train.x, y).unwrap().ensemble_variance(&test.x).unwrap();
    let bags =
        BaggingRegressor::default().n_estimators(20).fit(&train.x, y).unwrap().ensemble_variance(&test.x).unwrap();
    assert!(extra.correlation < found.correlation && bags.members == 20);
}
