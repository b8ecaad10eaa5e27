//! Transformers and a model as one.

use gristmill::Error;
use gristmill::data::ReadOptions;
use gristmill::estimator::Prediction;
use gristmill::prelude::*;
use gristmill::preprocessing::{
    GaussianBasis, ImputeStrategy, KBinsDiscretizer, MinMaxScaler, Normalizer, OneHotEncoder, PolynomialFeatures,
    RobustScaler, SimpleImputer, SineBasis, StandardScaler, UnknownCategory,
};

fn people() -> Dataset {
    let text = b"age,city,height,kind\n30,Ulm,1.7,a\n41,Bern,1.8,b\n22,Ulm,1.6,a\n53,Graz,1.9,b\n35,Bern,,a\n";
    let options = ReadOptions::default().missing(gristmill::data::Missing::Keep);
    Dataset::parse("people.csv", text, &options).unwrap().with_target("kind").unwrap()
}

fn knn() -> Pipeline {
    Pipeline::new(KNeighborsClassifier::new(1))
}

fn mixed() -> Pipeline {
    let impute = SimpleImputer::default().strategy(ImputeStrategy::Median);
    knn().step(impute).step(OneHotEncoder::default()).step(StandardScaler::default())
}

/// The fitted steps as bytes.
fn steps(model: &PipelineModel) -> Vec<Vec<u8>> {
    model.steps().iter().map(|step| step.to_bytes().unwrap()).collect()
}

#[test]
fn text_and_missing_cells_are_prepared_and_predicted_alike() {
    let data = people();
    let model = mixed().fit(&data).unwrap();
    let Prediction::Classes(predicted) = model.predict(&model.align(&data).unwrap().x).unwrap() else { panic!() };
    assert_eq!(&predicted, data.labels().unwrap());
    assert_eq!(model.transformed_input(&data.x).unwrap().columns(), 5);
}

#[test]
fn text_columns_without_an_encoder_are_named() {
    let refused = knn().fit(&people()).unwrap_err().to_string();
    assert!(refused.contains("city") && refused.contains("--one-hot"), "{refused}");
    let refused = knn().step(StandardScaler::default()).fit(&people()).unwrap_err().to_string();
    assert!(refused.contains("city"), "{refused}");
}

#[test]
fn columns_are_matched_by_name_in_any_order_and_further_ones_ignored() {
    let model = mixed().fit(&people()).unwrap();
    let text = b"kind,height,note,city,age\na,1.7,7,Ulm,30\nb,1.9,8,Graz,53\n";
    let other = Dataset::parse("other.csv", text, &ReadOptions::default()).unwrap();
    let arranged = model.align(&other).unwrap();
    assert_eq!(arranged.ignored, ["kind", "note"]);
    let Prediction::Classes(predicted) = model.predict(&arranged.x).unwrap() else { panic!() };
    assert_eq!(predicted, Labels::from_names(&["a", "b"]));
}

#[test]
fn a_missing_column_an_unseen_level_and_another_kind_are_errors() {
    let model = mixed().fit(&people()).unwrap();
    let refused = |text: &[u8]| {
        let data = Dataset::parse("other.csv", text, &ReadOptions::default()).unwrap();
        model.align(&data).unwrap_err().to_string()
    };
    let absent = refused(b"age,ctiy,height\n30,Ulm,1.7\n");
    assert!(absent.contains("\"city\"") && absent.contains("\"ctiy\""), "{absent}");
    let unseen = refused(b"age,city,height\n30,Ulm,1.7\n30,Paris,1.7\n");
    assert!(unseen.starts_with("row 1, column \"city\": \"Paris\"") && unseen.contains("\"Bern\""), "{unseen}");
    let numbers = refused(b"age,city,height\n30,7,1.7\n");
    assert!(numbers.contains("city") && numbers.contains("text"), "{numbers}");
}

#[test]
fn a_saved_pipeline_keeps_columns_levels_steps_and_bits() {
    let data = people();
    let model = mixed().fit(&data).unwrap().with_targets(vec!["kind".to_string()]);
    let again = PipelineModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(again.columns(), model.columns());
    assert_eq!(again.columns()[1].categories.as_deref().unwrap(), ["Bern", "Graz", "Ulm"]);
    assert_eq!((again.targets(), steps(&again)), (model.targets(), steps(&model)));
    assert_eq!(again.predict_proba(&data.x).unwrap(), model.predict_proba(&data.x).unwrap());
    assert_eq!(again.to_bytes().unwrap(), model.to_bytes().unwrap());
}

#[test]
fn every_transformer_is_a_step_that_is_saved_and_loaded() {
    let wine = datasets::wine().unwrap();
    let narrow = wine.clone().features(&["1", "2", "3"]).unwrap();
    let pipelines = [
        knn().step(StandardScaler::default()),
        knn().step(MinMaxScaler::default()),
        knn().step(RobustScaler::default()),
        knn().step(Normalizer::default()),
        knn().step(PolynomialFeatures::new(2)),
        knn().step(StandardScaler::default()).step(SineBasis::default()),
        knn().step(StandardScaler::default()).step(GaussianBasis::default()),
        knn().step(KBinsDiscretizer::default()),
        knn().step(SimpleImputer::default()),
        knn().step(OneHotEncoder::default().columns(["alcohol"])),
    ];
    for pipeline in pipelines {
        let model = pipeline.fit(&narrow).unwrap();
        let again = PipelineModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(steps(&again), steps(&model));
        assert_eq!(again.predict(&narrow.x).unwrap(), model.predict(&narrow.x).unwrap(), "{pipeline:?}");
    }
}

#[test]
fn a_pipeline_on_the_gpu_predicts_as_on_the_cpu() {
    let device = Device::open("gpu").unwrap();
    let (train, test) = datasets::wine().unwrap().split(0.7, 3).unwrap();
    let pipeline = knn().step(StandardScaler::default());
    let on_gpu = pipeline.fit_on(&device, &train, Fit::default()).unwrap();
    let on_cpu = pipeline.fit(&train).unwrap();
    assert_eq!(on_gpu.predict(&test.x.to(&device).unwrap()).unwrap(), on_cpu.predict(&test.x).unwrap());
}

#[test]
fn a_target_of_the_wrong_kind_is_refused_before_any_work() {
    let diabetes = datasets::diabetes().unwrap();
    let numbers = Dataset::new(diabetes.x.clone(), gristmill::Target::None).unwrap();
    assert!(knn().fit(&numbers).unwrap_err().to_string().contains("with a target"));
}

#[test]
fn the_model_sees_the_columns_that_the_steps_make() {
    let model = mixed().fit(&people()).unwrap();
    let names = ["age", "city_Bern", "city_Graz", "city_Ulm", "height"];
    assert_eq!(model.input_columns().names, names);
    let kinds: Vec<&str> = model.steps().iter().map(|step| step.kind()).collect();
    assert_eq!(kinds, ["simple-imputer", "one-hot-encoder", "standard-scaler"]);
}

#[test]
fn a_model_without_a_pipeline_becomes_one_that_knows_its_columns() {
    let iris = datasets::iris().unwrap();
    let fitted = KNeighborsClassifier::new(3).fit(&iris.x, iris.labels().unwrap()).unwrap();
    let expected = Prediction::Classes(fitted.predict(&iris.x).unwrap());
    let bare = PipelineModel::from(AnyModel::new(fitted));
    assert_eq!(bare.align(&iris).unwrap().x, iris.x);
    let prepared = knn().prepare(&iris).unwrap();
    let columns = prepared.fit_on(&Device::Cpu, Fit::default()).unwrap().columns().to_vec();
    let model = PipelineModel::from_bytes(&bare.with_columns(columns).to_bytes().unwrap()).unwrap();
    assert_eq!(model.columns().len(), 4);
    assert_eq!(model.predict(&model.align(&iris).unwrap().x).unwrap(), expected);
}

#[test]
fn a_category_that_was_not_fitted_is_missing_to_a_tree_and_named_behind_an_encoder() {
    let tree = || Pipeline::new(DecisionTreeClassifier::default());
    let other = b"age,city,height\n30,Wien,1.7\n";
    let other = Dataset::parse("other.csv", other, &ReadOptions::default()).unwrap();
    let model = tree().fit(&people()).unwrap();
    assert!(model.align(&other).unwrap().x.get(0, 1).is_nan());
    let impute = SimpleImputer::default().strategy(ImputeStrategy::Median);
    let model = tree().step(impute).step(OneHotEncoder::default()).fit(&people()).unwrap();
    let refused = model.align(&other).unwrap_err().to_string();
    assert!(refused.starts_with("row 0, column \"city\": \"Wien\" is no category that was fitted"), "{refused}");
}

#[test]
fn a_saved_pipeline_tells_what_each_column_adds() {
    let diabetes = datasets::diabetes().unwrap();
    let forest = RandomForestRegressor::new(5).max_depth(3);
    let pipeline = Pipeline::new(forest).step(StandardScaler::default()).fit(&diabetes).unwrap();
    let model = AnyModel::from_bytes(&pipeline.to_bytes().unwrap()).unwrap();
    let parts = model.shapley_values(&diabetes.x).unwrap().unwrap();
    assert_eq!((parts.len(), parts[0].columns()), (1, pipeline.input_columns().names.len() + 1));
    let Prediction::Numbers(said) = model.predict(&diabetes.x).unwrap() else { panic!() };
    for row in 0..diabetes.x.rows() {
        let sum: f32 = parts[0].row(row).iter().sum();
        assert!((sum - said.get(row, 0)).abs() < 1e-2, "{row}: {sum} {}", said.get(row, 0));
    }
    assert!(
        knn().fit(&datasets::iris().unwrap()).unwrap().shapley_values(&Matrix::zeros(1, 4).unwrap()).unwrap().is_none()
    );
}

#[test]
fn an_unknown_category_is_ignored_behind_an_imputer_too() {
    let text = b"town,size,rent\nUlm,55,610\nBern,80,1450\nUlm,31,390\nBern,96,1900\nUlm,74,820\n";
    let train = Dataset::parse("flats.csv", text, &ReadOptions::default()).unwrap().with_target("rent").unwrap();
    let ignore = || OneHotEncoder::default().handle_unknown(UnknownCategory::Ignore);
    let behind = Pipeline::new(Ridge::new(1.0)).step(SimpleImputer::default()).step(ignore()).fit(&train).unwrap();
    let before = Pipeline::new(Ridge::new(1.0)).step(ignore()).step(SimpleImputer::default()).fit(&train).unwrap();
    let new = Dataset::parse("new.csv", b"town,size\nParis,60\nUlm,60\n", &ReadOptions::default()).unwrap();
    let rents = |model: &PipelineModel| model.predict(&new).unwrap().numbers().unwrap().column(0);
    assert_eq!(rents(&behind), rents(&before)); // zeros for Paris, not the most frequent town
    assert_ne!(rents(&behind)[0], rents(&behind)[1]);
    let again = PipelineModel::from(AnyModel::from_bytes(&behind.to_bytes().unwrap()).unwrap());
    assert_eq!(rents(&again), rents(&behind));
}

#[test]
fn an_unknown_category_is_an_error_with_its_row_column_and_the_known_ones() {
    let text = b"town,size,rent\nUlm,55,610\nBern,80,1450\nUlm,31,390\n";
    let train = Dataset::parse("flats.csv", text, &ReadOptions::default()).unwrap().with_target("rent").unwrap();
    let model = Pipeline::new(Ridge::new(1.0)).step(OneHotEncoder::default()).fit(&train).unwrap();
    let new = Dataset::parse("new.csv", b"town,size\nUlm,60\nParis,60\n", &ReadOptions::default()).unwrap();
    let Error::Category { row, column, value, known } = model.predict(&new).unwrap_err() else {
        panic!("another error")
    };
    assert_eq!((row, column.as_str(), value.as_str()), (1, "town", "Paris"));
    assert_eq!(known.len(), 2);
}

#[test]
fn a_prediction_of_another_kind_names_its_own_method() {
    let data = gristmill::datasets::diabetes().unwrap();
    let predicted = Pipeline::new(Ridge::new(1.0)).fit(&data).unwrap().predict(&data).unwrap();
    let message = predicted.classes().unwrap_err().to_string();
    assert_eq!(message, "classes: expected a prediction of classes, got numbers: use numbers()");
}

#[test]
fn a_score_of_ones_own_may_capture_and_areas_go_by_decision_functions() {
    let data = gristmill::datasets::breast_cancer().unwrap();
    let cost = [1.0, 5.0];
    let own = Scoring::custom("cost", false, move |predictions, target| {
        let (right, found) = (target.labels()?.codes(), predictions.prediction.classes()?.codes());
        Ok(right.iter().zip(found).map(|(right, found)| if right == found { 0.0 } else { cost[*right as usize] }).sum())
    });
    let pipeline = Pipeline::new(LinearSvc::default()).step(StandardScaler::default());
    let options = CrossValidateOptions::default().scoring([Scoring::RocAuc, own]);
    let found = cross_validate_with(&pipeline, &data, &Folds::stratified(3), options).unwrap();
    let scores = found.scores();
    assert_eq!((scores.len(), scores[1].0.name()), (2, "cost"));
    assert!(scores[0].1.mean > 0.98, "{}", scores[0].1); // no probabilities: by the decision function
    assert_eq!(scores[0].1.to_string(), format!("{:.4} ± {:.4}", scores[0].1.mean, scores[0].1.deviation));
}

#[test]
fn a_row_whose_only_text_is_missing_is_filled_like_any_other() {
    let text = b"town,size,rent\nUlm,55,610\nBern,80,1450\nUlm,31,390\n";
    let options = ReadOptions::default().missing(gristmill::data::Missing::Keep);
    let train = Dataset::parse("flats.csv", text, &options).unwrap().with_target("rent").unwrap();
    let steps = Pipeline::new(Ridge::new(1.0)).step(SimpleImputer::default()).step(OneHotEncoder::default());
    let model = steps.fit(&train).unwrap();
    let rents = |text: &[u8]| {
        let new = Dataset::parse("new.csv", text, &options).unwrap();
        model.predict(&new).unwrap().numbers().unwrap().column(0)
    };
    assert_eq!(rents(b"town,size\n,60\n")[0], rents(b"town,size\nUlm,60\n,60\n")[1]);
    let wrong = Dataset::parse("new.csv", b"town,size\n7,60\n", &options).unwrap();
    assert!(model.predict(&wrong).unwrap_err().to_string().contains("expected text"));
}
