//! A model takes the columns and categories that it was fitted on, however it is given rows.

use gristmill::data::ReadOptions;
use gristmill::estimator::Prediction;
use gristmill::prelude::*;
use gristmill::preprocessing::{OneHotEncoder, OrdinalEncoder, StandardScaler, UnknownCategory};
use gristmill::{Error, registry};

fn table(text: &str) -> Dataset {
    Dataset::parse("table.csv", text.as_bytes(), &ReadOptions::default()).unwrap()
}

/// y = a − 10·b.
fn plane() -> Dataset {
    let rows: String = (0..30).map(|row| format!("{row},{},{}\n", row % 7, row - 10 * (row % 7))).collect();
    table(&format!("a,b,y\n{rows}")).with_target("y").unwrap()
}

/// The colour decides: red 1, green 2, blue 3; codes in the order of the alphabet.
fn colours() -> Dataset {
    let row = |row: usize| [("red", 1), ("green", 2), ("blue", 3)][row % 3];
    let rows: String = (0..60).map(|at| format!("{},{},{}\n", row(at).0, at / 3, row(at).1)).collect();
    table(&format!("colour,n,y\n{rows}")).with_target("y").unwrap()
}

#[test]
fn a_matrix_with_other_names_or_another_order_is_refused_with_the_names() {
    let data = plane();
    let model = LinearRegression::default().fit(&data.x, data.values().unwrap()).unwrap();
    let swapped = data.x.select_columns(&[1, 0]).unwrap();
    let error = model.predict(&swapped).unwrap_err();
    let (fitted, found) = (["a", "b"].map(String::from).to_vec(), ["b", "a"].map(String::from).to_vec());
    assert_eq!(error, Error::Columns { fitted, found });
    for word in [r#""b", "a""#, r#""a", "b""#, "Dataset"] {
        assert!(error.to_string().contains(word), "{word} in {error}");
    }
    let others = Matrix::from_rows(&[[1.0, 2.0]]).unwrap().with_names(["a", "c"]).unwrap();
    let error = model.predict(&others).unwrap_err().to_string();
    assert!(error.contains("not here: \"b\"") && error.contains("not known: \"c\""), "{error}");
    // Without names, columns are taken as they come.
    let bare = Matrix::from_rows(&[[3.0, 1.0]]).unwrap();
    assert!((model.predict(&bare).unwrap().get(0, 0) + 7.0).abs() < 1e-3);
    let scaler = StandardScaler::default().fit(&data.x).unwrap();
    assert!(matches!(scaler.transform(&swapped), Err(Error::Columns { .. })));
    let neighbours = NearestNeighbors::new(2).fit(&data.x).unwrap();
    assert!(matches!(neighbours.kneighbors(&swapped), Err(Error::Columns { .. })));
}

#[test]
fn a_table_is_aligned_by_name_for_models_and_pipelines() {
    let data = plane();
    let other = table("note,b,a\n5,1,3\n5,2,4\n");
    let expected = [-7.0, -16.0];
    let near =
        |found: &Matrix| found.as_slice().iter().zip(expected).all(|(found, right)| (found - right).abs() < 1e-3);
    let model = LinearRegression::default().fit(&data, data.values().unwrap()).unwrap();
    assert!(near(&model.predict(&other).unwrap()));
    let again = LinearRegressionModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert!(near(&again.predict(&other).unwrap()));
    assert_eq!(again.to_bytes().unwrap(), model.to_bytes().unwrap());
    let pipeline = Pipeline::new(LinearRegression::default()).step(StandardScaler::default()).fit(&data).unwrap();
    let Prediction::Numbers(numbers) = pipeline.predict(&other).unwrap() else { panic!() };
    assert!(near(&numbers));
    assert!(matches!(pipeline.predict(&data.x.select_columns(&[1, 0]).unwrap()), Err(Error::Columns { .. })));
    assert!(matches!(model.predict(&table("b,c\n1,2\n")), Err(Error::Columns { .. })));
}

#[test]
fn categories_of_another_file_are_mapped_by_their_names() {
    let data = colours();
    let other = table("colour,n\nred,4\nblue,5\n");
    assert_ne!(data.x.categories(0), other.x.categories(0));
    let tree = DecisionTreeRegressor::default().fit(&data.x, data.values().unwrap()).unwrap();
    assert_eq!(tree.predict(&other.x).unwrap().as_slice(), [1.0, 3.0]);
    assert_eq!(tree.predict(&other.x.to(&Device::Cpu).unwrap()).unwrap().as_slice(), [1.0, 3.0]);
    let again = DecisionTreeRegressorModel::from_bytes(&tree.to_bytes().unwrap()).unwrap();
    assert_eq!(again.predict(&other).unwrap().as_slice(), [1.0, 3.0]);
    let pipeline = Pipeline::new(Ridge::new(1e-6)).step(OneHotEncoder::default()).fit(&data).unwrap();
    let Prediction::Numbers(numbers) = pipeline.predict(&other.x).unwrap() else { panic!() };
    assert!((numbers.get(0, 0) - 1.0).abs() < 1e-3 && (numbers.get(1, 0) - 3.0).abs() < 1e-3);
    let encoder = OrdinalEncoder::default().fit(&data.x).unwrap();
    assert_eq!(encoder.transform(&other.x).unwrap().row(0), [2.0, 4.0]);
}

#[test]
fn a_category_that_was_not_fitted_is_left_to_the_model() {
    let (data, other) = (colours(), table("colour,n\nred,4\nmauve,5\n"));
    let encoder = OneHotEncoder::default();
    let strict = encoder.fit(&data.x).unwrap();
    assert!(strict.transform(&other.x).is_err());
    let lenient = encoder.handle_unknown(UnknownCategory::Ignore).fit(&data.x).unwrap();
    assert_eq!(lenient.transform(&other.x).unwrap().row(1), [0.0, 0.0, 0.0, 5.0]);
    let tree = DecisionTreeRegressor::default().fit(&data.x, data.values().unwrap()).unwrap();
    assert_eq!(tree.predict(&other.x).unwrap().get(0, 0), 1.0);
}

#[test]
fn text_where_numbers_were_fitted_is_refused_and_the_reverse() {
    let data = colours();
    let tree = DecisionTreeRegressor::default().fit(&data.x, data.values().unwrap()).unwrap();
    let error = tree.predict(&table("colour,n\n1,4\n2,5\n")).unwrap_err().to_string();
    assert!(error.contains("\"colour\"") && error.contains("text"), "{error}");
    let error = tree.predict(&table("colour,n\nred,few\nred,many\n")).unwrap_err().to_string();
    assert!(error.contains("\"n\"") && error.contains("numbers"), "{error}");
}

/// Whatever is in the registry refuses swapped columns, also after it was saved.
#[test]
fn every_model_of_the_registry_refuses_other_columns() {
    let iris = datasets::iris().unwrap();
    for entry in registry::entries() {
        let Ok(model) = entry.estimator().fit(&iris.x, &iris.target, Fit::default()) else { continue };
        let again = AnyModel::from_container(model.container().unwrap()).unwrap();
        let swapped = iris.x.select_columns(&[1, 0, 2, 3]).unwrap();
        for model in [model, again] {
            let refused = |error: Error| matches!(error, Error::Columns { .. });
            assert!(model.predict(&swapped).is_err_and(refused), "{}", model.kind());
            assert!(model.transform(&swapped).is_err_and(refused), "{}", model.kind());
        }
    }
}

#[test]
fn a_missing_value_behind_steps_is_named_by_its_column() {
    let data = colours();
    let encoded = || Pipeline::new(Ridge::default()).step(OneHotEncoder::default());
    let mut holed = data.clone();
    let place = holed.x.columns() * 4 + 1;
    holed.x.as_mut_slice()[place] = f32::NAN;
    let expected = |error: Error| match error {
        Error::NotFiniteBehindSteps { row, column, value } => {
            assert_eq!((row, &*column, value.is_nan()), (4, "n", true))
        }
        other => panic!("{other}"),
    };
    expected(encoded().fit(&holed).unwrap_err());
    let model = encoded().fit(&data).unwrap();
    expected(model.predict(&holed.x).unwrap_err());
    assert!(encoded().fit(&holed).unwrap_err().to_string().contains("column \"n\" behind the steps"));
    assert_eq!(AnyModel::new(model).column_names().unwrap(), ["colour", "n"]);
}
