//! The shipped tables have scikit-learn's numbers.

use gristmill::{Dataset, datasets};

/// Rows, columns, the sum of all numbers, and the sum of each number times one plus its place modulo seven: both from
/// scikit-learn's tables as f32. The second notices numbers that changed places.
#[track_caller]
fn check(data: &Dataset, shape: (usize, usize), sum: f64, placed: f64) {
    assert_eq!((data.x.rows(), data.x.columns()), shape);
    assert_eq!(data.x.names().map(<[String]>::len), Some(shape.1));
    assert!(data.categories().len() == shape.1);
    let values = || data.x.as_slice().iter().map(|value| *value as f64);
    let got: f64 = values().sum();
    assert!((got - sum).abs() < 1e-9 * sum, "{got}, expected {sum}");
    let got: f64 = values().enumerate().map(|(at, value)| value * (1 + at % 7) as f64).sum();
    assert!((got - placed).abs() < 1e-9 * placed, "{got}, expected {placed}");
}

fn first_and_last_name(data: &Dataset) -> (&str, &str) {
    let names = data.x.names().expect("names");
    (&names[0], &names[names.len() - 1])
}

#[test]
fn iris_is_scikit_learn_s() -> gristmill::Result<()> {
    let data = datasets::iris()?;
    check(&data, (150, 4), 2078.69999640435, 8262.199987858534);
    assert_eq!(first_and_last_name(&data), ("sepal_length", "petal_width"));
    assert_eq!(data.labels()?.names(), ["setosa", "versicolor", "virginica"]);
    assert_eq!(data.labels()?.counts(), [50, 50, 50]);
    Ok(())
}

#[test]
fn digits_are_scikit_learn_s() -> gristmill::Result<()> {
    let data = datasets::digits()?;
    check(&data, (1797, 64), 561718.0, 2250248.0);
    assert_eq!(first_and_last_name(&data), ("pixel_0_0", "pixel_7_7"));
    assert_eq!(data.labels()?.names(), ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]);
    assert_eq!(data.labels()?.counts(), [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]);
    Ok(())
}

#[test]
fn wine_is_scikit_learn_s() -> gristmill::Result<()> {
    let data = datasets::wine()?;
    check(&data, (178, 13), 159975.29599502683, 638859.8839631826);
    assert_eq!(first_and_last_name(&data), ("alcohol", "proline"));
    assert_eq!(data.labels()?.names(), ["class_0", "class_1", "class_2"]);
    assert_eq!(data.labels()?.counts(), [59, 71, 48]);
    Ok(())
}

#[test]
fn breast_cancer_is_scikit_learn_s() -> gristmill::Result<()> {
    let data = datasets::breast_cancer()?;
    check(&data, (569, 30), 1056474.4601555474, 4206979.488193183);
    assert_eq!(first_and_last_name(&data), ("mean_radius", "worst_fractal_dimension"));
    assert_eq!(data.labels()?.names(), ["benign", "malignant"]);
    assert_eq!((data.labels()?.counts(), data.labels()?.name(0)), (vec![357, 212], "malignant"));
    Ok(())
}

#[test]
fn diabetes_is_scikit_learn_s_unscaled() -> gristmill::Result<()> {
    let data = datasets::diabetes()?;
    check(&data, (442, 10), 276404.2335636616, 1104949.2069077492);
    assert_eq!(first_and_last_name(&data), ("age", "s6"));
    let progression = data.values()?;
    assert_eq!(progression.names(), Some(&["progression".to_string()][..]));
    assert_eq!(progression.as_slice().iter().sum::<f32>(), 67243.0);
    assert!(data.labels().is_err());
    Ok(())
}

#[test]
fn play_tennis_is_coded_by_the_alphabet() -> gristmill::Result<()> {
    let data = datasets::play_tennis()?;
    assert_eq!((data.x.rows(), data.x.columns()), (14, 4));
    let categories: Vec<Vec<String>> = data.categories().into_iter().flatten().collect();
    assert_eq!(
        categories,
        [&["Overcast", "Rain", "Sunny"][..], &["Cool", "Hot", "Mild"], &["High", "Normal"], &["Strong", "Weak"]]
    );
    assert_eq!(data.x.row(13), [1.0, 2.0, 0.0, 0.0]); // Rain, Mild, High, Strong
    assert_eq!((data.labels()?.names(), data.labels()?.counts()), (&["No", "Yes"].map(String::from)[..], vec![5, 9]));
    assert!(data.values().is_err());
    Ok(())
}
