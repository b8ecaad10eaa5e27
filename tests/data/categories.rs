//! The distinct texts of a column and their codes.

use super::parse;

/// The categories of the first column, in order, and the code of each row.
fn coded(texts: &[&str]) -> (Vec<String>, Vec<u32>) {
    let rows: String = texts.iter().map(|text| format!("\"{text}\",1\n")).collect();
    let data = parse("t.csv", format!("text,one\n{rows}")).unwrap();
    let codes = (0..texts.len()).map(|row| data.x.get(row, 0) as u32).collect();
    (data.x.categories(0).unwrap().to_vec(), codes)
}

#[test]
fn equal_texts_share_a_code_and_names_come_in_order() {
    let (names, codes) = coded(&["rain", "sun", "rain", "hail", "fog"]);
    assert_eq!(names, ["fog", "hail", "rain", "sun"]);
    assert_eq!(codes, [2, 3, 2, 1, 0]);
}

#[test]
fn names_that_are_numbers_are_ordered_by_value() {
    let options = gristmill::data::ReadOptions::default().categorical(["text"]);
    let data = gristmill::Dataset::parse("t.csv", b"text,one\n10,1\n9,1\n-1,1\n1e1,1\n", &options).unwrap();
    assert_eq!(data.x.categories(0).unwrap(), ["-1", "9", "10", "1e1"]);
}

#[test]
fn many_texts_survive_the_growing_of_the_table() {
    let texts: Vec<String> = (0..10_000).map(|number| format!("t{:05}", number * 7919 % 10_000)).collect();
    let texts: Vec<&str> = texts.iter().chain(&texts).map(String::as_str).collect();
    let (names, codes) = coded(&texts);
    assert_eq!(names.len(), 10_000);
    assert!(texts.iter().zip(codes).all(|(text, code)| names[code as usize] == *text));
}
