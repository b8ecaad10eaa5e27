//! Columns by name and by number.

use gristmill::data::nearest_name;

use super::parse;

#[test]
fn a_slip_of_the_finger_finds_the_right_name() {
    let names = ["sepal_length", "species", "digit", "x"];
    let nearest = |wanted| nearest_name(wanted, names.into_iter());
    assert_eq!(nearest("digti"), Some("digit"));
    assert_eq!(nearest("Species"), Some("species"));
    assert_eq!(nearest("sepal length"), Some("sepal_length"));
    assert_eq!(nearest("progression"), None);
}

#[test]
fn columns_are_found_by_name_then_by_number_from_either_end() {
    let data = parse("t.csv", "a,3,c\n1,2,3\n").unwrap();
    let find = |wanted| data.column(wanted).ok();
    assert_eq!([find("c"), find("3"), find("1"), find("-1"), find("-3")], [2, 1, 0, 2, 0].map(Some));
    assert_eq!([find("4"), find("0"), find("-4"), find("")], [None; 4]);
}
