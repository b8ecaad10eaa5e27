//! Voting, bagging and stacking over any models.

use gristmill::ensemble::{
    AdaBoostClassifier, BaggingClassifier, BaggingRegressor, StackingClassifier, StackingRegressor, Vote,
    VotingClassifier, VotingRegressor,
};
use gristmill::prelude::*;
use gristmill::tree::DecisionTreeClassifierModel;
use serde_json::json;

fn knn(k: usize) -> AnyEstimator {
    AnyEstimator::new(KNeighborsClassifier::new(k))
}

fn knn_mean(k: usize) -> AnyEstimator {
    AnyEstimator::new(KNeighborsRegressor::new(k))
}

#[test]
fn a_hard_vote_is_the_majority_with_ties_to_the_lowest_class() {
    let x = Matrix::from_rows(&[[0.0], [1.0], [10.0], [11.0], [12.0]]).unwrap();
    let y = Labels::from_names(&["a", "b", "b", "a", "a"]);
    let model = VotingClassifier::new([knn(1), knn(3)]).fit(&x, &y).unwrap();
    // At 1 the nearest says b, the three nearest (b, a, b) say b; at 10.4 one says b, three say a: a tie.
    let at = Matrix::from_rows(&[[1.0], [10.4]]).unwrap();
    assert_eq!(model.predict(&at).unwrap().codes(), [1, 0]);
    let weighted = VotingClassifier::new([knn(1), knn(3)]).weights(vec![2.0, 1.0]).fit(&x, &y).unwrap();
    assert_eq!(weighted.predict(&at).unwrap().codes(), [1, 1]);
}

#[test]
fn a_soft_vote_is_the_mean_of_the_chances() {
    let iris = datasets::iris().unwrap();
    let y = iris.labels().unwrap();
    let model =
        VotingClassifier::new([knn(4), knn(10)]).voting(Vote::Soft).weights(vec![1.0, 3.0]).fit(&iris.x, y).unwrap();
    let parts = [4, 10].map(|k| KNeighborsClassifier::new(k).fit(&iris.x, y).unwrap().predict_proba(&iris.x).unwrap());
    let chances = model.predict_proba(&iris.x).unwrap();
    for row in 0..150 {
        for class in 0..3 {
            let expected = 0.25 * parts[0].get(row, class) + 0.75 * parts[1].get(row, class);
            assert!((chances.get(row, class) - expected).abs() < 1e-6);
        }
    }
}

#[test]
fn regressors_are_averaged() {
    let data = datasets::diabetes().unwrap();
    let y = data.values().unwrap();
    let model = VotingRegressor::new([knn_mean(3), knn_mean(9)]).fit(&data.x, y).unwrap();
    let parts = [3, 9].map(|k| KNeighborsRegressor::new(k).fit(&data.x, y).unwrap().predict(&data.x).unwrap());
    let said = model.predict(&data.x).unwrap();
    assert!((said.get(7, 0) - (parts[0].get(7, 0) + parts[1].get(7, 0)) / 2.0).abs() < 1e-4);
}

#[test]
fn wrong_members_and_weights_are_named() {
    let iris = datasets::iris().unwrap();
    let y = iris.labels().unwrap();
    let refused = |voting: VotingClassifier| voting.fit(&iris.x, y).unwrap_err().to_string();
    assert!(refused(VotingClassifier::new([])).starts_with("estimators must be"));
    assert!(refused(VotingClassifier::new([knn_mean(3)])).contains("kneighbors-regressor"));
    assert!(refused(VotingClassifier::new([knn(3)]).weights(vec![1.0, 2.0])).starts_with("weights must be 1 numbers"));
    assert!(
        refused(VotingClassifier::new([knn(3), knn(1000)]))
            .starts_with("estimators.1 (kneighbors-classifier): n_neighbors")
    );
}

#[test]
fn a_bag_that_fails_is_named() {
    let iris = datasets::iris().unwrap();
    let bagging = BaggingClassifier::new(knn(100)).max_samples(0.5);
    let refused = bagging.fit(&iris.x, iris.labels().unwrap()).unwrap_err().to_string();
    assert!(refused.starts_with("bag 0: n_neighbors must be"), "{refused}");
    let weights = vec![1.0; 150];
    let weighted = BaggingClassifier::new(knn(3));
    let refused = weighted.fit_with(&iris.x, iris.labels().unwrap(), Fit::default().sample_weight(&weights));
    assert!(refused.unwrap_err().to_string().contains("bag 0"));
}

#[test]
fn bags_without_randomness_are_the_model_itself() {
    let iris = datasets::iris().unwrap();
    let y = iris.labels().unwrap();
    let bagging = BaggingClassifier::new(knn(5)).bootstrap(false).n_estimators(3).fit(&iris.x, y).unwrap();
    let alone = KNeighborsClassifier::new(5).fit(&iris.x, y).unwrap();
    assert_eq!(bagging.predict_proba(&iris.x).unwrap(), alone.predict_proba(&iris.x).unwrap());
}

#[test]
fn bags_of_rows_and_columns_repeat_by_seed_and_differ_by_seed() {
    let wine = datasets::wine().unwrap();
    let y = wine.labels().unwrap();
    let fit = |seed: u64| {
        let bagging =
            BaggingClassifier::new(knn(3)).max_samples(0.7).max_features(0.5).bootstrap_features(true).seed(seed);
        bagging.oob_score(true).fit(&wine.x, y).unwrap()
    };
    assert_eq!(fit(1).to_bytes().unwrap(), fit(1).to_bytes().unwrap());
    assert_ne!(fit(1).to_bytes().unwrap(), fit(2).to_bytes().unwrap());
    assert!(fit(1).oob_score().unwrap() > 0.6);
    let again = gristmill::ensemble::BaggingClassifierModel::from_bytes(&fit(1).to_bytes().unwrap()).unwrap();
    assert_eq!(again.predict(&wine.x).unwrap(), fit(1).predict(&wine.x).unwrap());
    let narrow = Matrix::zeros(1, 12).unwrap();
    assert!(again.predict(&narrow).unwrap_err().to_string().contains("13 columns"));
}

#[test]
fn equally_good_columns_take_turns_in_the_trees_of_bags() {
    // Trees that all took the lowest of them would be one tree many times, and their probabilities 0 or 1.
    let iris = datasets::iris().unwrap();
    let twice = |row: usize| iris.x.row(row).iter().chain(iris.x.row(row)).copied().collect::<Vec<f32>>();
    let x = Matrix::from_vec(150, 8, (0..150).flat_map(twice).collect()).unwrap();
    let model = BaggingClassifier::default().n_estimators(40).fit(&x, iris.labels().unwrap()).unwrap();
    let root = |member: &AnyModel| {
        let tree = member.downcast_ref::<DecisionTreeClassifierModel>().unwrap();
        tree.tree().nodes()[0].feature.unwrap()
    };
    let roots: Vec<u32> = model.members().iter().map(root).collect();
    // Length and width of petals part the first species alike, and each stands twice.
    for column in [2, 3, 6, 7] {
        assert!(roots.contains(&column), "{roots:?}");
    }
}

#[test]
fn bags_of_a_regressor_know_their_score_on_rows_left_out() {
    let data = datasets::diabetes().unwrap();
    let y = data.values().unwrap();
    let model = BaggingRegressor::new(knn_mean(10)).n_estimators(30).oob_score(true).fit(&data.x, y).unwrap();
    let score = model.oob_score().unwrap();
    assert!(score > 0.25 && score < 0.5 && score < model.score(&data.x, y).unwrap(), "{score}");
    let impossible = BaggingRegressor::new(knn_mean(10)).bootstrap(false).oob_score(true).fit(&data.x, y);
    assert!(impossible.unwrap_err().to_string().starts_with("bootstrap must be"));
}

#[test]
fn stacking_does_not_leak_shuffled_labels_score_at_chance() {
    let (train, test) = datasets::digits().unwrap().split(0.6, 5).unwrap();
    let codes = train.labels().unwrap().codes();
    let shuffled = gristmill::cpu::random::permutation::permutation(3, 0, codes.len() as u32);
    let mixed = train.labels().unwrap().with_codes(shuffled.iter().map(|row| codes[*row as usize]).collect()).unwrap();
    let model = StackingClassifier::new([knn(1), knn(5)]).fit(&train.x, &mixed).unwrap();
    let score = model.score(&test.x, test.labels().unwrap()).unwrap();
    assert!(score < 0.16, "{score}");
    // The member that remembers its rows is right on all of them; the stack must not have learned to trust it.
    assert!(model.score(&train.x, &mixed).unwrap() < 0.5);
}

#[test]
fn stacking_of_three_models_is_no_worse_than_the_best_of_them() {
    let (train, test) = datasets::digits().unwrap().split(0.6, 7).unwrap();
    let (y, truth) = (train.labels().unwrap(), test.labels().unwrap());
    let members = [1, 3, 9];
    let best = members.map(|k| KNeighborsClassifier::new(k).fit(&train.x, y).unwrap().score(&test.x, truth).unwrap());
    let best = best.into_iter().fold(0.0, f64::max);
    let stack = StackingClassifier::new(members.map(knn)).fit(&train.x, y).unwrap();
    let score = stack.score(&test.x, truth).unwrap();
    assert!(score >= best - 0.005, "{score} {best}");
}

#[test]
fn a_stack_of_different_models_is_no_worse_than_the_best_of_them() {
    let (train, test) = datasets::digits().unwrap().split(0.6, 7).unwrap();
    let (y, truth) = (train.labels().unwrap(), test.labels().unwrap());
    let members = [
        knn(3),
        AnyEstimator::new(ExtraTreesClassifier::new(30)),
        AnyEstimator::new(DecisionTreeClassifier::default()),
    ];
    let alone = |member: &AnyEstimator| {
        let model = member.fit(&train.x, &train.target, Fit::default()).unwrap();
        let said = model.predict(&test.x).unwrap();
        let gristmill::estimator::Prediction::Classes(said) = said else { panic!("classes") };
        metrics::accuracy(truth, &said).unwrap()
    };
    let best = members.iter().map(alone).fold(0.0, f64::max);
    let stack = StackingClassifier::new(members).fit(&train.x, y).unwrap();
    let score = stack.score(&test.x, truth).unwrap();
    assert!(score >= best - 0.005, "{score} {best}");
}

#[test]
fn zeros_as_weights_are_refused_and_one_class_is_predicted() {
    let iris = datasets::iris().unwrap();
    let (y, zeros) = (iris.labels().unwrap(), vec![0.0; 150]);
    let tree = || AnyEstimator::new(DecisionTreeClassifier::default());
    let weighted = || Fit::default().sample_weight(&zeros);
    let refusals = [
        BaggingClassifier::new(tree()).fit_with(&iris.x, y, weighted()).unwrap_err(),
        VotingClassifier::new([tree()]).fit_with(&iris.x, y, weighted()).unwrap_err(),
        StackingClassifier::new([tree()]).fit_with(&iris.x, y, weighted()).unwrap_err(),
        ExtraTreesClassifier::new(2).fit_with(&iris.x, y, weighted()).unwrap_err(),
    ];
    for refused in refusals {
        assert!(matches!(refused, Error::Param { name: "sample_weight", .. }), "{refused}");
    }
    let refused = VotingClassifier::new([tree(), tree()]).weights(vec![0.0, 0.0]).fit(&iris.x, y).unwrap_err();
    assert!(matches!(refused, Error::Param { name: "weights", .. }), "{refused}");
    // Bags draw only rows that count: none of them can be without weight.
    let one: Vec<f32> = (0..150).map(|row| f32::from(u8::from(row == 0))).collect();
    let options = Fit::default().sample_weight(&one);
    let bagging = BaggingClassifier::new(tree()).n_estimators(50).max_samples(0.05).oob_score(true);
    let model = bagging.fit_with(&iris.x, y, options).unwrap();
    assert!(model.predict(&iris.x).unwrap().codes().iter().all(|code| *code == 0) && model.oob_score().is_none());
    let first = iris.select(&(0..50).collect::<Vec<usize>>()).unwrap();
    let y = Labels::from_names(&["setosa"; 50]);
    assert_eq!(BaggingClassifier::new(tree()).fit(&first.x, &y).unwrap().predict(&first.x).unwrap(), y);
    assert_eq!(VotingClassifier::new([tree()]).fit(&first.x, &y).unwrap().predict(&first.x).unwrap(), y);
    assert_eq!(StackingClassifier::new([tree()]).fit(&first.x, &y).unwrap().predict(&first.x).unwrap(), y);
    assert_eq!(ExtraTreesClassifier::new(3).fit(&first.x, &y).unwrap().predict(&first.x).unwrap(), y);
}

#[test]
fn a_stack_of_regressors_learns_from_its_members_and_the_features() {
    let (train, test) = datasets::diabetes().unwrap().split(0.7, 2).unwrap();
    let stack = StackingRegressor::new([knn_mean(5), knn_mean(20)]).final_estimator(knn_mean(30)).passthrough(true);
    let model = stack.fit(&train.x, train.values().unwrap()).unwrap();
    assert!(model.score(&test.x, test.values().unwrap()).unwrap() > 0.1);
    let again = gristmill::ensemble::StackingRegressorModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(again.predict(&test.x).unwrap(), model.predict(&test.x).unwrap());
}

#[test]
fn estimators_inside_are_set_by_name_and_place() {
    let voting = gristmill::registry::find("voting-classifier").unwrap().estimator();
    let voting = voting.set("estimators", json!("kneighbors-classifier,kneighbors-classifier")).unwrap();
    let voting = voting.set("estimators.1.n_neighbors", json!(9)).unwrap();
    assert_eq!(voting.parameters().unwrap()["estimators"][1]["n_neighbors"], 9);
    assert!(voting.set("estimators.2.n_neighbors", json!(9)).unwrap_err().to_string().contains("a list of 2"));
    let bagging = gristmill::registry::find("bagging-classifier").unwrap().estimator();
    let bagging = bagging.set("estimator", json!("kneighbors-classifier")).unwrap();
    let bagging = bagging.set("estimator.weights", json!("distance")).unwrap();
    assert_eq!(bagging.parameters().unwrap()["estimator"]["weights"], "distance");
    assert!(
        bagging
            .set("estimator.depth", json!(2))
            .unwrap_err()
            .to_string()
            .contains("one that kneighbors-classifier has")
    );
}

#[test]
fn an_out_of_bag_score_of_too_few_rows_is_absent_and_no_error() {
    let x = Matrix::from_rows(&[[0.0], [1.0]]).unwrap();
    let y = [0.0, 1.0];
    let forest = |seed: u64| RandomForestRegressor::new(1).oob_score(true).seed(seed).fit(&x, &y[..]).unwrap();
    let bags = |seed: u64| {
        let tree = AnyEstimator::new(DecisionTreeRegressor::default());
        BaggingRegressor::new(tree).n_estimators(1).oob_score(true).seed(seed).fit(&x, &y[..]).unwrap()
    };
    let classes = Labels::from_names(&["a", "b"]);
    let votes = |seed: u64| {
        let tree = AnyEstimator::new(DecisionTreeClassifier::default());
        BaggingClassifier::new(tree).n_estimators(1).oob_score(true).seed(seed).fit(&x, &classes).unwrap()
    };
    // Half of all pairs leave a row out, the others none: R² needs two, and a share of right classes one.
    assert!((0..16).all(|seed| forest(seed).oob_score().is_none() && bags(seed).oob_score().is_none()));
    let shares: Vec<Option<f64>> = (0..16).map(|seed| votes(seed).oob_score()).collect();
    assert!(shares.contains(&None) && shares.contains(&Some(0.0)), "{shares:?}");
}

#[test]
fn a_seed_reaches_the_members() {
    let iris = datasets::iris().unwrap();
    let y = iris.labels().unwrap();
    let forest = |seed: u64| AnyEstimator::new(RandomForestClassifier::new(3).seed(seed));
    let members = |model: &[AnyModel]| model.iter().map(|member| member.to_bytes().unwrap()).collect::<Vec<_>>();
    let voting = |own: u64, seed: u64| {
        members(VotingClassifier::new([forest(own), knn(3)]).seed(seed).fit(&iris.x, y).unwrap().members())
    };
    assert_eq!(voting(0, 0), voting(0, 0));
    assert_ne!(voting(0, 0), voting(0, 1));
    // Added to the member's own seed, which still counts.
    assert_eq!(voting(2, 3), voting(5, 0));
    let stack = |seed: u64| {
        let stack = StackingClassifier::new([forest(0)]).final_estimator(forest(0)).cv(2).seed(seed);
        let model = stack.fit(&iris.x, y).unwrap();
        (members(model.members()), model.last().to_bytes().unwrap())
    };
    assert!(stack(0).0 != stack(1).0 && stack(0).1 != stack(1).1 && stack(4) == stack(4));
    let mean = |seed: u64| {
        let data = datasets::diabetes().unwrap();
        let forest = AnyEstimator::new(RandomForestRegressor::new(2).max_depth(3));
        members(VotingRegressor::new([forest]).seed(seed).fit(&data.x, data.values().unwrap()).unwrap().members())
    };
    assert_ne!(mean(0), mean(1));
}

#[test]
fn files_tell_what_was_fitted() {
    let iris = datasets::iris().unwrap();
    let y = iris.labels().unwrap();
    let boost = AdaBoostClassifier::default().n_estimators(3).learning_rate(0.5).seed(7).fit(&iris.x, y).unwrap();
    let parameters = boost.to_container().unwrap().raw_parameters()["estimator"].clone();
    assert_eq!((&parameters["learning_rate"], &parameters["seed"]), (&json!(0.5), &json!(7)));
    assert_eq!(parameters["estimator"]["max_depth"], 1);
    let bagging = BaggingClassifier::new(knn(3)).n_estimators(2).max_samples(0.5).fit(&iris.x, y).unwrap();
    assert_eq!(bagging.to_container().unwrap().raw_parameters()["estimator"]["max_samples"], 0.5);
    let stack = StackingClassifier::new([knn(3)]).cv(3).fit(&iris.x, y).unwrap();
    assert_eq!(stack.to_container().unwrap().raw_parameters()["estimator"]["cv"], 3);
    let voting = VotingClassifier::new([knn(3)]).seed(4).fit(&iris.x, y).unwrap();
    assert_eq!(voting.to_container().unwrap().raw_parameters()["estimator"]["seed"], 4);
}

#[test]
fn messages_name_the_parameter_of_the_ensemble() {
    let iris = datasets::iris().unwrap();
    let y = iris.labels().unwrap();
    for cv in [0, 1, 51] {
        let refused = StackingClassifier::new([knn(3)]).cv(cv).fit(&iris.x, y).unwrap_err().to_string();
        assert!(refused.starts_with("cv must be") && refused.ends_with(&cv.to_string()), "{refused}");
    }
    let refused = AdaBoostClassifier::new(AnyEstimator::new(Ridge::default())).fit(&iris.x, y).unwrap_err().to_string();
    assert_eq!(refused, "estimator must be a classifier, got ridge");
    let refused = VotingClassifier::new([knn_mean(2)]).fit(&iris.x, y).unwrap_err().to_string();
    assert_eq!(refused, "estimators must be classifiers, got kneighbors-regressor");
}
