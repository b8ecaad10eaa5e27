//! Datasets once they are read: targets, columns, rows, splits.

use gristmill::data::{Dataset, Target};
use gristmill::{Error, Labels, Matrix};

use super::{Temporary, parse};

fn table() -> Dataset {
    parse("t.csv", "a,b,kind,count,size\n1,2,x,3,0.5\n4,5,y,1,1.5\n7,8,x,3,2.5\n").unwrap()
}

#[test]
fn text_whole_numbers_and_numbers_make_three_kinds_of_target() {
    let classes = table().with_target("kind").unwrap();
    assert_eq!(classes.x.names().unwrap(), ["a", "b", "count", "size"]);
    assert_eq!(classes.labels().unwrap().codes(), [0, 1, 0]);
    assert!(matches!(classes.values(), Err(Error::Shape { .. })));
    let whole = table().with_target("count").unwrap();
    assert_eq!(whole.labels().unwrap().names(), ["1", "3"]);
    assert_eq!(whole.values().unwrap().as_slice(), [3.0, 1.0, 3.0]);
    assert_eq!(whole.categories().iter().map(Option::is_some).collect::<Vec<_>>(), [false, false, true, false]);
    let numbers = table().with_target("5").unwrap();
    assert!(numbers.labels().is_err());
    assert_eq!(numbers.values().unwrap().as_slice(), [0.5, 1.5, 2.5]);
    assert!(matches!(table().labels(), Err(Error::Shape { .. })));
    assert!(matches!(table().values(), Err(Error::Shape { .. })));
}

#[test]
fn several_targets_are_columns_of_numbers() {
    let data = table().with_targets(&["size", "a"]).unwrap();
    assert_eq!(data.values().unwrap().as_slice(), [0.5, 1.0, 1.5, 4.0, 2.5, 7.0]);
    assert_eq!(data.values().unwrap().names().unwrap(), ["size", "a"]);
    assert!(table().with_targets(&["size", "kind"]).is_err());
    assert!(table().with_targets::<&str>(&[]).is_err());
    assert!(table().with_targets(&["a", "b", "kind", "count", "size"]).is_err());
}

#[test]
fn columns_are_kept_or_dropped_with_their_categories() {
    let data = table().features(&["kind", "a"]).unwrap();
    assert_eq!(data.x.as_slice(), [0.0, 1.0, 1.0, 4.0, 0.0, 7.0]);
    assert!(data.x.categories(0).is_some() && data.x.categories(1).is_none());
    let data = table().drop(&["a", "-1"]).unwrap();
    assert_eq!(data.x.names().unwrap(), ["b", "kind", "count"]);
    assert_eq!(data.x.row(2), [8.0, 0.0, 3.0]);
    assert!(data.x.categories(1).is_some());
    assert!(table().drop(&["1", "2", "3", "4", "5"]).is_err());
    assert_eq!(table().column("count").unwrap(), 3);
}

#[test]
fn a_missing_target_is_refused() {
    let x = Matrix::from_rows(&[[1.0, 2.0], [3.0, f32::NAN]]).unwrap();
    let data = Dataset::new(x, Target::None).unwrap();
    assert!(matches!(data.with_target("2"), Err(Error::NotFinite { row: 1, column: 1, .. })));
}

#[test]
fn rows_are_selected_in_the_order_asked_for() {
    let data = table().with_target("kind").unwrap().select(&[2, 0, 2]).unwrap();
    assert_eq!(data.x.row(0), [7.0, 8.0, 3.0, 2.5]);
    assert_eq!((data.x.rows(), data.labels().unwrap().classes()), (3, 2));
    assert!(matches!(data.select(&[3]), Err(Error::Shape { .. })));
}

#[test]
fn a_target_must_have_the_rows_of_x() {
    let x = Matrix::zeros(3, 2).unwrap();
    assert!(Dataset::new(x.clone(), Target::Classes(Labels::from_names(&["a", "b"]))).is_err());
    assert!(Dataset::new(x, Target::from_numbers(Matrix::zeros(3, 1).unwrap())).is_ok());
}

#[test]
fn labels_come_from_a_file_of_any_format() {
    let data = || table().drop(&["kind"]).unwrap();
    let text = Temporary::new("labels.csv", "cat\ndog\ncat\n");
    assert_eq!(data().with_labels_file(&text.0).unwrap().labels().unwrap().names(), ["cat", "dog"]);
    let text = Temporary::new("labels2.csv", "animal\ncat\ndog\ncat\n");
    assert_eq!(data().with_labels_file(&text.0).unwrap().labels().unwrap().codes(), [0, 1, 0]);
    let mut npy = b"\x93NUMPY\x01\x00\x40\x00{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }".to_vec();
    npy.resize(10 + 0x40, b' ');
    [7.0_f64, -1.0, 7.0].iter().for_each(|label| npy.extend(label.to_le_bytes()));
    let labelled = data().with_labels_file(&Temporary::new("labels.npy", npy).0).unwrap();
    assert_eq!(
        (labelled.labels().unwrap().names(), labelled.x.columns()),
        (&["-1".to_string(), "7".to_string()][..], 4)
    );
    let idx = Temporary::new("labels-idx1-ubyte", [0, 0, 8, 1, 0, 0, 0, 3, 1, 0, 1]);
    assert_eq!(data().with_labels_file(&idx.0).unwrap().labels().unwrap().codes(), [1, 0, 1]);
    for (name, wrong) in [("few.csv", "1\n2\n"), ("wide.csv", "1,2\n3,4\n5,6\n")] {
        let told = data().with_labels_file(&Temporary::new(name, wrong).0).unwrap_err().to_string();
        assert!(told.contains(name) && told.contains("one column of 3 rows"), "{told}");
    }
}

/// 1000 rows: 700 of class 0, 299 of class 1, one of class 2; the first column is the row.
fn classes() -> Dataset {
    let codes: Vec<u32> =
        (0..1000).map(|row| if row < 700 { 0 } else { u32::from(row > 700) + 2 * u32::from(row == 700) }).collect();
    let x = Matrix::from_vec(1000, 1, (0..1000).map(|row| row as f32).collect()).unwrap();
    Dataset::new(x, Target::Classes(Labels::from_codes(codes, ["a", "b", "c"].map(String::from).to_vec()).unwrap()))
        .unwrap()
}

#[test]
fn a_split_gives_each_part_its_share_of_every_class() {
    for (share, seed) in [(0.8, 0), (0.5, 1), (0.25, 2), (0.999, 3), (0.001, 4)] {
        let (train, test) = classes().split(share, seed).unwrap();
        assert_eq!(train.x.rows(), (1000.0 * share).round() as usize);
        let counts = train.labels().unwrap().counts();
        for (count, whole) in counts.iter().zip([700.0, 299.0, 1.0]) {
            assert!((*count as f64 - whole * share).abs() < 1.0 + 1e-9, "{share}: {counts:?}");
        }
        let mut rows: Vec<u32> = train.x.as_slice().iter().chain(test.x.as_slice()).map(|row| *row as u32).collect();
        rows.sort_unstable();
        assert_eq!(rows, (0..1000).collect::<Vec<u32>>());
        assert_eq!(test.labels().unwrap().classes(), 3);
    }
}

#[test]
fn a_split_is_the_seeds_alone() {
    let (first, _) = classes().split(0.8, 7).unwrap();
    let (again, _) = classes().split(0.8, 7).unwrap();
    let (other, _) = classes().split(0.8, 8).unwrap();
    assert_eq!(first, again);
    assert_ne!(first.x, other.x);
    assert!(first.x.as_slice().windows(2).any(|pair| pair[0] > pair[1]), "the rows are shuffled");
}

#[test]
fn numbers_are_split_at_random_and_both_parts_have_a_row() {
    let x = Matrix::zeros(10, 1).unwrap();
    let target = Target::Numbers(Matrix::from_vec(10, 1, (0..10).map(|row| row as f32 + 0.5).collect()).unwrap());
    let data = Dataset::new(x, target).unwrap();
    for (share, rows) in [(0.8, 8), (0.1, 1), (0.99, 9)] {
        let (train, test) = data.split(share, 1).unwrap();
        assert_eq!((train.x.rows(), test.x.rows()), (rows, 10 - rows));
    }
    for share in [0.0, 0.01, 1.0, -1.0, f64::NAN] {
        assert!(matches!(data.split(share, 1), Err(Error::Param { name: "share", .. })));
    }
    assert!(data.select(&[0]).unwrap().split(0.5, 0).is_err());
}

#[test]
fn classes_of_one_row_each_are_shared_out_at_random() {
    let names: Vec<String> = (0..100).map(|row| row.to_string()).collect();
    let data = Dataset::new(Matrix::zeros(100, 1).unwrap(), Target::Classes(Labels::from_names(&names))).unwrap();
    let (train, test) = data.split(0.8, 5).unwrap();
    assert_eq!((train.x.rows(), test.x.rows()), (80, 20));
    let last = test.labels().unwrap().codes().iter().filter(|code| **code >= 80).count();
    assert!((1..20).contains(&last), "{last} of the last 20 classes are in the test part");
}
