//! What becomes of missing values.

use gristmill::data::{Dataset, Missing, ReadOptions};

use super::place;

const TABLE: &[u8] = b"a,b,c,y\n1,?,x,1\n2,10,,0\n,30,x,1\n9,20,y,1\n";

fn read(options: ReadOptions) -> gristmill::Result<Dataset> {
    Dataset::parse("t.csv", TABLE, &options)
}

#[test]
fn rows_with_a_missing_value_are_dropped_and_categories_they_alone_had() {
    let data = read(ReadOptions::default().missing(Missing::Drop)).unwrap();
    assert_eq!(data.x.as_slice(), [9.0, 20.0, 0.0, 1.0]);
    assert_eq!(data.x.categories(2).unwrap(), ["y"]);
    let told = place(Dataset::parse("t.csv", b"a,b\n1,?\n?,2\n", &ReadOptions::default().missing(Missing::Drop)));
    assert!(told.2.contains("every row"), "{}", told.2);
}

#[test]
fn means_medians_and_modes_take_the_place_of_missing_values() {
    let mean = read(ReadOptions::default().missing(Missing::Mean)).unwrap();
    assert_eq!(mean.x.row(0), [1.0, 20.0, 0.0, 1.0]);
    assert_eq!(mean.x.row(1), [2.0, 10.0, 0.0, 0.0]);
    assert_eq!(mean.x.row(2), [4.0, 30.0, 0.0, 1.0]);
    let median = read(ReadOptions::default().missing(Missing::Median)).unwrap();
    assert_eq!(median.x.row(2), [2.0, 30.0, 0.0, 1.0]);
    let even =
        Dataset::parse("t.csv", b"a,b\n1,1\n2,1\n4,1\n9,1\n?,1\n", &ReadOptions::default().missing(Missing::Median));
    assert_eq!(even.unwrap().x.get(4, 0), 3.0);
    let told = place(Dataset::parse("t.csv", b"a,b\n?,1\n?,2\n", &ReadOptions::default().missing(Missing::Mean)));
    assert!(told.1.as_deref() == Some("a") && told.2.contains("nothing to impute from"), "{told:?}");
}

#[test]
fn a_target_is_never_imputed() {
    for missing in [Missing::Keep, Missing::Mean, Missing::Median] {
        let (_, column, why) = place(read(ReadOptions::default().missing(missing).target("a")));
        assert!(column.as_deref() == Some("a") && why.contains("row 3"), "{missing:?}: {why}");
        assert!(read(ReadOptions::default().missing(missing).target("y")).is_ok());
    }
    let data = read(ReadOptions::default().missing(Missing::Drop).target("a").drop(["b", "c"])).unwrap();
    assert_eq!(data.values().unwrap().as_slice(), [1.0, 2.0, 9.0]);
}

#[test]
fn missing_values_stay_when_kept() {
    let data = read(ReadOptions::default().missing(Missing::Keep)).unwrap();
    let missing: Vec<usize> = (0..16).filter(|at| data.x.as_slice()[*at].is_nan()).collect();
    assert_eq!(missing, [1, 6, 8]);
}
