//! Columns that hold codes of categories.

use gristmill::prelude::*;

#[test]
fn names_and_categories_follow_their_columns() {
    let x = Matrix::from_rows(&[[0.0, 0.5, 3.0], [1.0, f32::NAN, f32::NAN]]).unwrap();
    let x = x.with_names(["a", "b", "c"]).unwrap().with_categories([2, 0]).unwrap();
    let x = x.with_category_names(0, ["no", "yes"]).unwrap();
    assert_eq!(x.categorical_columns(), [0, 2]);
    assert_eq!(x.select(&[1, 1, 0]).unwrap().categorical_columns(), [0, 2]);
    assert_eq!(x.select_columns(&[2, 1]).unwrap().categorical_columns(), [0]);
    assert_eq!(x.select_columns(&[1, 0]).unwrap().categories(1).unwrap(), ["no", "yes"]);
    let twice = x.select_columns(&[2, 2, 1]).unwrap();
    assert_eq!((twice.categorical_columns(), twice.names()), (vec![0, 1], None));
    assert!(x.select_columns(&[1]).unwrap().categorical_columns().is_empty());
    assert!(x.clone().with_categories([]).unwrap() != x && x.clone().with_categories([0, 2]).unwrap() == x);
    assert_eq!((x.categories(0).map(<[String]>::len), x.categories(2), x.categories(9)), (Some(2), None, None));
    let refused = KMeans::new(1).fit(&x.select(&[0]).unwrap()).unwrap_err().to_string();
    assert!(refused.contains("a, c") && refused.contains("OneHotEncoder"), "{refused}");
}

#[test]
fn categories_survive_the_way_to_a_device_and_back() {
    let x = Matrix::from_rows(&[[0.0, 0.5], [1.0, 2.0]]).unwrap().with_category_names(0, ["no", "yes"]).unwrap();
    let device = Device::Cpu;
    let back = x.to(&device).unwrap().to_matrix(&mut device.stream()).unwrap();
    assert!(back == x && back != x.clone().with_categories([]).unwrap());
    assert!(x.clone().with_category_names(0, ["no", "yes", "perhaps"]).unwrap() != x);
}

#[test]
fn what_is_no_code_is_refused_with_its_place() {
    for value in [0.5, -1.0, 16_777_216.0, f32::INFINITY] {
        let x = Matrix::from_rows(&[[0.0, 1.0], [0.0, value]]).unwrap();
        for refused in [x.clone().with_categories([1]), x.clone().with_category_names(1, ["a", "b"])] {
            let refused = refused.unwrap_err().to_string();
            assert!(refused.contains("row 1, column 1"), "{refused}");
        }
        assert!(x.with_categories([0]).is_ok());
    }
    let x = Matrix::from_rows(&[[-0.0, 16_777_215.0]]).unwrap();
    assert!(x.clone().with_categories([0, 1]).is_ok() && x.with_categories([2]).is_err());
}

#[test]
fn a_code_without_a_name_is_refused_with_its_place() {
    let x = Matrix::from_rows(&[[0.0, f32::NAN], [0.0, 2.0]]).unwrap();
    let refused = x.clone().with_category_names(1, ["a", "b"]).unwrap_err().to_string();
    assert!(refused.contains("below 2") && refused.contains("row 1, column 1"), "{refused}");
    assert!(x.clone().with_category_names(1, ["a", "b", "c"]).is_ok());
    assert!(x.clone().with_category_names(2, ["a"]).is_err());
    assert!(Matrix::zeros(0, 1).unwrap().with_category_names(0, Vec::<String>::new()).is_ok());
}
