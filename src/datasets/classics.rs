//! The tables that ship with the crate.

use crate::data::{Dataset, ReadOptions, Target};
use crate::error::Result;

/// Fisher's iris flowers (1936): sepal and petal sizes in centimetres, 150×4, and one of three species.
///
/// ```
/// let iris = gristmill::datasets::iris()?;
/// assert_eq!(iris.x.row(0), [5.1, 3.5, 1.4, 0.2]);
/// assert_eq!(iris.labels()?.name(0), "setosa");
/// # Ok::<(), gristmill::Error>(())
/// ```
#[doc(alias = "load_iris")]
pub fn iris() -> Result<Dataset> {
    with_classes("data/iris.csv", include_str!("../../data/iris.csv"))
}

/// Handwritten digits (Alpaydin and Kaynak 1998): 8×8 pixels from 0 to 16, 1797×64, and the digit.
///
/// ```
/// let digits = gristmill::datasets::digits()?;
/// assert_eq!((digits.x.rows(), digits.x.columns(), digits.labels()?.classes()), (1797, 64, 10));
/// # Ok::<(), gristmill::Error>(())
/// ```
#[doc(alias = "load_digits")]
pub fn digits() -> Result<Dataset> {
    with_classes("data/digits.csv", include_str!("../../data/digits.csv"))
}

/// Wines of three cultivars by chemical analysis (Forina and others 1988), 178×13; classes `class_0` to `class_2`.
///
/// ```
/// assert_eq!(gristmill::datasets::wine()?.labels()?.counts(), [59, 71, 48]);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[doc(alias = "load_wine")]
pub fn wine() -> Result<Dataset> {
    with_classes("data/wine.csv", include_str!("../../data/wine.csv"))
}

/// Breast tumours by the nuclei of their cells (Wolberg, Street and Mangasarian 1995), 569×30: `benign` is class 0 and
/// `malignant` class 1, the other way round than in scikit-learn.
///
/// ```
/// assert_eq!(gristmill::datasets::breast_cancer()?.labels()?.counts(), [357, 212]);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[doc(alias = "load_breast_cancer")]
pub fn breast_cancer() -> Result<Dataset> {
    with_classes("data/breast_cancer.csv", include_str!("../../data/breast_cancer.csv"))
}

/// The progression of diabetes within a year (Efron and others 2004) from age, sex, body mass, blood pressure and six
/// blood values, 442×10. In the units they were measured in: scikit-learn's `load_diabetes(scaled=False)`.
///
/// ```
/// let diabetes = gristmill::datasets::diabetes()?;
/// assert_eq!((diabetes.x.get(0, 2), diabetes.values()?.get(0, 0)), (32.1, 151.0));
/// # Ok::<(), gristmill::Error>(())
/// ```
#[doc(alias = "load_diabetes")]
pub fn diabetes() -> Result<Dataset> {
    let text = include_str!("../../data/diabetes.csv");
    let data = Dataset::parse("data/diabetes.csv", text.as_bytes(), &ReadOptions::default().target("-1"))?;
    let progression = Target::Numbers(data.values()?.clone());
    Ok(Dataset { target: progression, ..data })
}

/// Quinlan's fourteen days (1986): outlook, temperature, humidity and wind, all categorical, 14×4, and whether to play.
///
/// The codes of a column count its categories in alphabetical order.
///
/// ```
/// let days = gristmill::datasets::play_tennis()?;
/// assert_eq!(days.x.categories(0).unwrap(), ["Overcast", "Rain", "Sunny"]);
/// assert_eq!((days.x.get(0, 0), days.labels()?.name(0)), (2.0, "No"));
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn play_tennis() -> Result<Dataset> {
    with_classes("data/play_tennis.csv", include_str!("../../data/play_tennis.csv"))
}

/// Columns of numbers or of categories; the last one is the class, even if it is a number.
fn with_classes(name: &str, text: &str) -> Result<Dataset> {
    Dataset::parse(name, text.as_bytes(), &ReadOptions::default().target("-1").categorical(["-1"]))
}
