//! Delimiters and headers as they are found out.

use gristmill::Dataset;
use gristmill::data::{Header, Missing, ReadOptions};

use super::{parse, place};

#[test]
fn the_delimiter_is_the_steady_one() {
    let names = |text: &str| parse("t.csv", text).unwrap().x.names().unwrap().join(" & ");
    assert_eq!(names("a;b\n1,5;2,5\n1,5;3,\n"), "a & b");
    assert_eq!(names("a\tb c\n1\t2,3\n"), "a & b c");
    assert_eq!(names("a|b\n1|2\n"), "a & b");
    assert_eq!(names("\"a;b;c\",d\n1,2\n"), "a;b;c & d");
    assert_eq!(names("alone\n1\n2\n"), "alone");
    assert!(place(parse("t.csv", "a,b,c\n1,2\n")).2.contains("2 cells, expected 3"));
}

#[test]
fn a_header_is_text_above_numbers_or_text_alone() {
    let named = |text: &str, header| {
        let options = ReadOptions::default().missing(Missing::Keep).header(header);
        Dataset::parse("t.csv", text.as_bytes(), &options).unwrap().x.names().is_some()
    };
    let auto = |text: &str| named(text, Header::Auto);
    assert!(auto("a,b\n1,2\n"));
    assert!(auto("label,0,1\n3,4,5\n"));
    assert!(auto("x,1\nNA,2\n5,3\n"));
    assert!(auto("outlook,play\nsunny,no\n"));
    assert!(auto(",a\n0,1\n"));
    assert!(!auto("5.1,setosa\n4.9,setosa\n"));
    assert!(!auto("1,2\n3,4\n"));
    assert!(!auto("NA,NA\n3,4\n"));
    assert!(!named("a,b\nc,d\n", Header::No));
}
