use gristmill::ensemble::{NestedDichotomies, OneVsOne, OneVsRest, OutputCodes, RestDecision};
use gristmill::linear::LinearSvc;
use gristmill::prelude::*;

#[test]
fn every_way_of_two_classes_learns_ten_and_is_saved() {
    let digits = datasets::digits().unwrap();
    let (train, test) = digits.split(0.5, 1).unwrap();
    let svc = || AnyEstimator::new(LinearSvc::default().c(0.01));
    let ways = [
        (AnyEstimator::new(OneVsRest::new(svc())), 0.9),
        (AnyEstimator::new(OneVsOne::new(svc())), 0.92),
        (AnyEstimator::new(OutputCodes::new(svc()).code_size(4.0)), 0.75),
        (AnyEstimator::new(NestedDichotomies::new(svc())), 0.75),
    ];
    for (way, least) in ways {
        let model = way.fit(&train.x, &train.target, Fit::default()).unwrap();
        let score = model.score(&test.x, &test.target).unwrap();
        assert!(score > least, "{}: {score}", way.name());
        let again = AnyModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(again.predict(&test.x).unwrap(), model.predict(&test.x).unwrap());
        let probabilities = model.predict_proba(&test.x).unwrap().unwrap();
        assert!((probabilities.row(3).iter().sum::<f32>() - 1.0).abs() < 1e-5);
    }
}

#[test]
fn members_are_as_many_as_the_way_says() {
    let iris = datasets::iris().unwrap();
    let y = iris.labels().unwrap();
    assert_eq!(OneVsRest::default().fit(&iris.x, y).unwrap().members().len(), 3);
    assert_eq!(OneVsOne::default().fit(&iris.x, y).unwrap().members().len(), 3);
    assert_eq!(OutputCodes::default().code_size(2.0).fit(&iris.x, y).unwrap().members().len(), 6);
    assert_eq!(NestedDichotomies::default().fit(&iris.x, y).unwrap().members().len(), 2);
}

#[test]
fn a_random_one_of_the_classes_that_say_yes_wins_where_that_is_asked() {
    let iris = datasets::iris().unwrap();
    let y = iris.labels().unwrap();
    let random = OneVsRest::default().decide(RestDecision::Random).seed(3);
    let model = random.fit(&iris.x, y).unwrap();
    assert_eq!(model.predict(&iris.x).unwrap(), model.predict(&iris.x).unwrap());
    assert!(model.score(&iris.x, y).unwrap() > 0.8);
}

#[test]
fn sparse_rows_go_to_members_that_take_them() {
    let iris = datasets::iris().unwrap();
    let sparse = SparseMatrix::from_dense(&iris.x).unwrap();
    let (dense, of_sparse) = (
        OneVsOne::default().fit(&iris.x, iris.labels().unwrap()).unwrap(),
        OneVsOne::default().fit(&sparse, iris.labels().unwrap()).unwrap(),
    );
    assert_eq!(dense.predict(&iris.x).unwrap(), of_sparse.predict(&sparse).unwrap());
    let trees = OneVsRest::new(AnyEstimator::new(DecisionTreeClassifier::default()));
    assert!(trees.fit(&sparse, iris.labels().unwrap()).is_err());
    let regressor = OneVsRest::new(AnyEstimator::new(Ridge::default()));
    assert!(matches!(regressor.fit(&iris.x, iris.labels().unwrap()), Err(Error::Param { .. })));
}
