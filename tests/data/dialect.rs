//! Delimiters and headers as they are found out.

use gristmill::Dataset;
use gristmill::data::{Encoding, Header, Missing, ReadOptions};

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

fn with(text: impl AsRef<[u8]>, options: ReadOptions) -> Dataset {
    Dataset::parse("t.csv", text.as_ref(), &options.missing(Missing::Keep)).unwrap()
}

#[test]
fn a_header_with_numbers_is_known_by_its_text_columns() {
    let names = |text: &str| with(text, ReadOptions::default()).x.names().map(<[String]>::to_vec);
    assert_eq!(names("city,2019,2020\nUlm,5,6\nBern,9,8\n").unwrap(), ["city", "2019", "2020"]);
    assert_eq!(names("kind,7\na,5\nb,7\na,8\nb,1\na,3\n").unwrap(), ["kind", "7"]);
    assert_eq!(names("a,5\nb,7\na,8\nb,1\n"), None);
}

#[test]
fn blanks_part_cells_where_nothing_else_does() {
    let data = with("  x    y  z\n 1  2.5\t3\n10 20  30 \n", ReadOptions::default());
    assert_eq!(data.x.names().unwrap(), ["x", "y", "z"]);
    assert_eq!(data.x.as_slice(), [1.0, 2.5, 3.0, 10.0, 20.0, 30.0]);
    // Classes of two words are no two columns.
    assert_eq!(with("rose red\nlily white\n", ReadOptions::default().header(Header::No)).x.columns(), 1);
    // Most cells of the credit data of UCI are words, and some columns are numbers.
    let credit =
        "A11 6 A34 A43 1169\nA12 48 A32 A43 5951\nA14 12 A34 A46 2096\nA11 42 A32 A42 7882\nA11 24 A33 A40 48\n";
    let data = with(credit, ReadOptions::default());
    assert_eq!((data.x.rows(), data.x.columns(), data.x.get(3, 4)), (5, 5, 7882.0));
    let forced = ReadOptions::default().header(Header::No).delimiter(b' ');
    assert_eq!(with("rose \"dark  red\"\nlily white\n", forced).x.categories(1).unwrap(), ["dark  red", "white"]);
}

#[test]
fn lines_are_left_out_and_errors_keep_their_numbers() {
    let options = ReadOptions::default().skip_lines(2).comment("#");
    assert_eq!(
        with("made by x\n\"open,\n# c\na,b\n1,2\n#3,4\n5,6\n", options.clone()).x.as_slice(),
        [1.0, 2.0, 5.0, 6.0]
    );
    let (line, ..) = place(Dataset::parse("t.csv", b"x\ny\na,b\n#\n1,2\n3\n", &options));
    assert_eq!(line, Some(6));
}

#[test]
fn decimal_commas_and_thousands_are_numbers_when_asked_for() {
    let options = ReadOptions::default().decimal(b',').thousands(b'.');
    assert_eq!(with("a;b\n1.234,5;-0,25\n7;1e3\n", options).x.as_slice(), [1234.5, -0.25, 7.0, 1000.0]);
    let options = ReadOptions::default().thousands(b',');
    assert_eq!(with("a,b\n\"1,234,567\",1.5\n\"12\",2\n", options.clone()).x.as_slice(), [1_234_567.0, 1.5, 12.0, 2.0]);
    // Not in threes: no number.
    assert!(place(Dataset::parse("t.csv", b"a,b\n1,2\n\"12,34\",3\n", &options)).2.contains("12,34"));
    assert!(Dataset::parse("t.csv", b"a\n1\n", &ReadOptions::default().decimal(b';')).is_err());
}

#[test]
fn the_usual_words_are_missing_and_others_when_named() {
    let text = "a\n1\nnull\nNone\nN/A\n.\n-\n\\N\nNULL\n?\n";
    assert_eq!(with(text, ReadOptions::default()).x.as_slice().iter().filter(|value| value.is_nan()).count(), 8);
    let named = with("a,b\n1,None\n-999,x\n", ReadOptions::default().na(["-999"]));
    assert!(named.x.get(1, 0).is_nan());
    assert_eq!(named.x.categories(1).unwrap(), ["None", "x"]);
}

#[test]
fn latin_1_is_read_when_named() {
    let options = ReadOptions::default().encoding(Encoding::Latin1);
    assert_eq!(with(b"st\xe4dte,n\nK\xf6ln,1\n", options).x.categories(0).unwrap(), ["Köln"]);
    for wrong in [&b"a,b\nK\xf6ln,1\n"[..], b"st\xe4dte,b\n3,1\n"] {
        let why = place(parse("t.csv", wrong)).2;
        assert!(why.contains("UTF-8") && why.contains("--encoding latin1"), "{why}");
    }
}

#[test]
fn a_name_that_is_there_already_gets_a_number() {
    assert_eq!(parse("t.csv", "a,b,a,a_2,a\n1,2,3,4,5\n").unwrap().x.names().unwrap(), ["a", "b", "a_3", "a_2", "a_4"]);
}

#[test]
fn files_that_are_not_read_are_named_for_what_they_are() {
    for (name, bytes, what) in [
        ("t.csv", &b"BZh91AY&SY"[..], "bzip2"),
        ("t.zip", b"PK\x03\x04....a.csv", "zip"),
        ("t", b"PK\x03\x04....[Content_Types].xml....xl/workbook.xml", "xlsx"),
        ("t", b"{\n\"a\": 1}", "JSON"),
        ("t", b"[\n  {\"a\": 1}]", "JSON"),
        ("t.csv", b"<!DOCTYPE html><html>", "HTML"),
    ] {
        let why = place(parse(name, bytes)).2;
        assert!(why.contains(what), "{what}: {why}");
    }
}

#[test]
fn a_first_line_that_is_not_of_the_table_is_refused_with_the_flag_that_skips_it() {
    // As scikit-learn's files begin: rows, columns, classes.
    let (line, _, why) = place(parse("t.csv", "2,3,bad,good\n1,2,3,0\n4,5,6,1\n"));
    assert!(line == Some(1) && why.contains("count rows and columns; --skip-lines 1"), "{why}");
    let (line, _, why) = place(parse("t.csv", "2,3,bad,good\n1,2,3,4,5,6,7,0\n4,5,6,7,8,9,1,1\n"));
    assert!(line == Some(2) && why.contains("8 cells, expected 4") && why.contains("--skip-lines 1"), "{why}");
    // A target that the short line lacks is not what is wrong.
    let wide = Dataset::parse("t.csv", b"2,3\n1,2,3\n4,5,6\n", &ReadOptions::default().target("3"));
    assert!(place(wide).2.contains("--skip-lines 1"));
    // A title has other delimiters than the table, or none.
    let titled = "\nflats, a list\nrooms;rent\n2;610\n3;820\n";
    let (line, _, why) = place(parse("t.csv", titled));
    assert!(line == Some(3) && why.contains("2 cells, expected 1") && why.contains("--skip-lines 2"), "{why}");
    assert_eq!(with(titled, ReadOptions::default().skip_lines(2)).x.names().unwrap(), ["rooms", "rent"]);
    // Names may be numbers if one says so.
    let named = with("2,3,bad,good\n1,2,3,0\n4,5,6,1\n", ReadOptions::default().header(Header::Yes));
    assert_eq!(named.x.names().unwrap(), ["2", "3", "bad", "good"]);
}

#[test]
fn dates_become_parts() {
    let text = "when,x\n2024-02-29,1\n1970-01-01,2\n,3\n";
    let data = with(text, ReadOptions::default().dates(["when"]));
    assert_eq!(data.x.names().unwrap(), ["when_year", "when_month", "when_day", "when_weekday", "when_days", "x"]);
    assert_eq!(data.x.row(0), [2024.0, 2.0, 29.0, 3.0, 19782.0, 1.0]);
    assert_eq!(data.x.row(1), [1970.0, 1.0, 1.0, 3.0, 0.0, 2.0]);
    assert!(data.x.row(2)[..5].iter().all(|part| part.is_nan()));
    let timed = with("t\n31/12/1999 23:59:58\n1/2/2000 00:00\n", ReadOptions::default().dates(["t"]));
    assert_eq!(timed.x.row(0), [1999.0, 12.0, 31.0, 4.0, 10956.0, 23.0, 59.0, 58.0]);
    assert_eq!(timed.x.row(1)[..3], [2000.0, 2.0, 1.0]);
    let options = ReadOptions::default().dates(["t"]);
    assert!(place(Dataset::parse("t.csv", b"t\n3/4/2024\n", &options)).2.contains("told apart"));
    assert!(place(Dataset::parse("t.csv", b"t\n2023-02-29\n", &options)).2.contains("not a date"));
}

#[test]
fn rows_without_a_target_can_be_left_out_alone() {
    let options = ReadOptions::default().missing(Missing::Keep).target("y").drop_unlabelled(true);
    let data = Dataset::parse("t.csv", b"a,c,y\n1,x,p\n,z,q\n3,y,\n", &options).unwrap();
    assert_eq!((data.rows(), data.labels().unwrap().names()), (2, &["p".to_string(), "q".to_string()][..]));
    assert!(data.x.get(1, 0).is_nan());
    assert_eq!(data.x.categories(1).unwrap(), ["x", "z"]);
}

#[test]
fn columns_that_are_likely_not_meant_are_named() {
    let rows = |row: &dyn Fn(usize) -> String| (0..30).map(row).collect::<String>();
    let warnings = |head: &str, row: &dyn Fn(usize) -> String| {
        let text = format!("{head}\n{}", rows(row));
        Dataset::parse("t.csv", text.as_bytes(), &ReadOptions::default().target("y")).unwrap().warnings()
    };
    let class = |row: usize| ["u", "v"][row % 2];
    let found = warnings("id,x,y", &|row| format!("{},{},{}\n", 1000 + row, row * row % 17, class(row)));
    assert!(found.len() == 1 && found[0].contains("\"id\"") && found[0].contains("--drop"), "{found:?}");
    let found = warnings("p,x,y", &|row| format!("\"{},5\",{},{}\n", row % 5, row * row % 17, class(row)));
    assert!(found.len() == 1 && found[0].contains("--decimal"), "{found:?}");
    let found = warnings("copy,x,y", &|row| format!("{},{},{}\n", row % 2, row * row % 17, class(row)));
    assert!(found.len() == 1 && found[0].contains("tells the target"), "{found:?}");
    let found =
        warnings("euro,x,y", &|row| format!("{},{},{}\n", row * row + 1, row * row % 17, 2.5 * (row * row) as f32));
    assert!(found.len() == 1 && found[0].contains("\"euro\""), "{found:?}");
}
