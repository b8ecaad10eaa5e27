//! Random search, successive halving, nested cross-validation, costs, structural risk, curves over iterations.

use gristmill::datasets;
use gristmill::prelude::*;
use gristmill::selection::{
    GridSearch, HalvingSearch, ParameterRange, RandomSearch, RiskFamily, iteration_curve, nested_cross_validate,
    structural_risk,
};
use serde_json::Value;

fn neighbours() -> GridSearch {
    GridSearch::new(Pipeline::new(KNeighborsClassifier::default())).parameter("n_neighbors", 1..=27)
}

#[test]
fn random_search_and_halving_come_within_the_interval_of_the_grid() {
    let digits = datasets::digits().unwrap();
    let folds = Folds::stratified(3).seed(0);
    let grid = neighbours().fit(&digits, &folds).unwrap();
    let best = grid.best().score();
    let low = best.mean - best.half_width(0.95).unwrap();
    let random = RandomSearch::new(Pipeline::new(KNeighborsClassifier::default()))
        .parameter("n_neighbors", ParameterRange::Integers { low: 1, high: 27 })
        .n_iter(8);
    let found = random.fit(&digits, &folds).unwrap();
    assert!(found.candidates.len() == 8 && found.best().score().mean >= low);
    let halved = HalvingSearch::of(&neighbours()).unwrap().fit(&digits, &folds).unwrap();
    assert!(halved.last.best().score().mean >= low);
    // 27 candidates on a ninth of the rows, 9 on a third, 3 on all.
    let rounds: Vec<(usize, usize)> = halved.rounds.iter().map(|round| (round.rows, round.candidates.len())).collect();
    assert_eq!(rounds, [(199, 27), (599, 9)]);
    assert_eq!(halved.last.candidates.len(), 3);
}

#[test]
fn what_is_drawn_depends_on_the_seed_and_stays_in_its_range() {
    let draw = |seed: u64| {
        let search = RandomSearch::new(Pipeline::new(Ridge::new(1.0)))
            .parameter("alpha", ParameterRange::LogUniform { low: 1e-3, high: 10.0 })
            .parameter("fit_intercept", ParameterRange::Choice(vec![true.into(), false.into()]))
            .n_iter(20)
            .seed(seed);
        let found = search.fit(&datasets::diabetes().unwrap(), &Folds::k_fold(3)).unwrap();
        found.candidates.into_iter().map(|candidate| candidate.parameters).collect::<Vec<_>>()
    };
    let first = draw(1);
    assert_eq!(first, draw(1));
    assert_ne!(first, draw(2));
    let alphas: Vec<f64> = first.iter().map(|parameters| parameters[0].1.as_f64().unwrap()).collect();
    assert!(alphas.iter().all(|alpha| (1e-3..=10.0).contains(alpha)));
    // Half of the draws are below the middle of the logarithms.
    let low = alphas.iter().filter(|alpha| **alpha < 0.1).count();
    assert!((5..=15).contains(&low), "{low}");
    assert!(first.iter().any(|parameters| parameters[1].1 == Value::Bool(true)));
}

#[test]
fn a_choice_of_three_gives_three_candidates_however_many_are_asked_for() {
    let search = RandomSearch::new(Pipeline::new(KNeighborsClassifier::default()))
        .parameter("n_neighbors", ParameterRange::Choice(vec![1.into(), 3.into(), 5.into()]))
        .n_iter(50);
    assert_eq!(search.fit(&datasets::iris().unwrap(), &Folds::stratified(3)).unwrap().candidates.len(), 3);
}

#[test]
fn wrong_ranges_are_refused() {
    let iris = datasets::iris().unwrap();
    let refused = |range: ParameterRange, n_iter: usize| {
        let search = RandomSearch::new(Pipeline::new(KNeighborsClassifier::default()));
        let search = search.parameter("n_neighbors", range).n_iter(n_iter);
        search.fit(&iris, &Folds::stratified(3)).unwrap_err().to_string()
    };
    assert!(refused(ParameterRange::Choice(vec![]), 1).contains("range"));
    assert!(refused(ParameterRange::Integers { low: 3, high: 1 }, 1).contains("3 to 1"));
    assert!(refused(ParameterRange::LogUniform { low: 0.0, high: 1.0 }, 1).contains("above 0"));
    assert!(refused(ParameterRange::Uniform { low: f64::NAN, high: 1.0 }, 1).contains("finite"));
    assert!(refused(ParameterRange::Uniform { low: 1.2, high: 1.3 }, 1).contains("n_neighbors"));
    assert!(refused(ParameterRange::Integers { low: 1, high: 3 }, 0).contains("n_iter"));
    let halving = HalvingSearch::of(&neighbours()).unwrap().factor(1);
    assert!(halving.fit(&iris, &Folds::stratified(3)).unwrap_err().to_string().contains("factor"));
    // More folds than rows.
    assert!(neighbours().fit(&iris.select(&[0, 60, 120]).unwrap(), &Folds::k_fold(5)).is_err());
}

#[test]
fn a_nested_score_is_below_the_best_of_a_search_over_noise() {
    // A target without any signal: the best of many candidates looks better than guessing, its nested score does not.
    let noise =
        datasets::Classification::default().n_samples(60).n_features(20).n_informative(2).class_sep(0.0).seed(3);
    let data = noise.generate().unwrap();
    let search = GridSearch::new(Pipeline::new(KNeighborsClassifier::default())).parameter("n_neighbors", 1..=15);
    let found =
        nested_cross_validate(&search, &data, &Folds::stratified(5).seed(1), &Folds::stratified(4).seed(2), None)
            .unwrap();
    assert_eq!((found.outer.len(), found.inner.len(), found.chosen.len()), (5, 5, 5));
    let inner = found.inner.iter().sum::<f64>() / 5.0;
    assert!(inner > found.score().mean, "{inner} and {}", found.score().mean);
}

#[test]
fn a_search_says_how_many_fits_it_takes() {
    let cost = neighbours().estimate(&datasets::iris().unwrap(), &Folds::stratified(5)).unwrap();
    assert_eq!(cost.fits, 27 * 5 + 1);
    assert!(cost.seconds_per_fit > 0.0 && cost.seconds() >= cost.seconds_per_fit);
}

#[test]
fn the_least_bound_is_chosen_and_not_the_least_training_error() {
    let data = datasets::moons(3000, 0.3, 1).unwrap();
    let family = |depth: usize| RiskFamily {
        name: format!("depth {depth}"),
        dimension: 2 * (1 << depth),
        members: vec![Pipeline::new(DecisionTreeClassifier::default().max_depth(depth))],
    };
    let families: Vec<RiskFamily> = (1..=9).map(family).collect();
    let found = structural_risk(&families, &data, 0.05).unwrap();
    let errors: Vec<f64> = found.families.iter().map(|family| family.training_error).collect();
    assert!(errors.is_sorted_by(|a, b| a >= b), "{errors:?}");
    assert!(found.families.windows(2).all(|pair| pair[0].gap < pair[1].gap));
    assert!(found.best_index > 0 && found.best_index < 8, "{}", found.best_index);
    let best = found.families[found.best_index].bound();
    assert!(found.families.iter().all(|family| family.bound() >= best));
    assert!(structural_risk(&[], &data, 0.05).is_err() && structural_risk(&families, &data, 0.0).is_err());
    let empty = RiskFamily { name: "none".to_string(), dimension: 1, members: vec![] };
    assert!(structural_risk(&[empty], &data, 0.05).is_err());
}

#[test]
fn iterations_have_a_curve_where_the_model_reports_one() {
    let diabetes = datasets::diabetes().unwrap();
    let boosting = GradientBoostingRegressor::default().n_estimators(50).learning_rate(0.3);
    let curve = iteration_curve(&Pipeline::new(boosting), &diabetes, &Folds::k_fold(4).seed(0)).unwrap();
    assert!(curve.validation.len() == 50 && curve.best() < 50);
    assert!(curve.validation.iter().all(|sample| sample.count == 4 && sample.deviation > 0.0));
    assert!(curve.figure().to_svg().contains(">new rows<"));
    let none = iteration_curve(&Pipeline::new(Ridge::new(1.0)), &diabetes, &Folds::k_fold(4));
    assert!(none.unwrap_err().to_string().contains("validation curve"));
}
