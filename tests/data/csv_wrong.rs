//! Tables that are refused, and what the error says.

use gristmill::data::{Dataset, ReadOptions};
use gristmill::{Error, Result};

use super::{Temporary, parse, place};

fn refused(text: impl AsRef<[u8]>) -> (u64, String, String) {
    let (line, column, why) = place(parse("t.csv", text));
    (line.unwrap(), column.unwrap_or_default(), why)
}

#[test]
fn a_mixed_column_names_line_column_and_cell() {
    let (line, column, why) = refused("a,b\n1,2\n3,4\n5,six\n");
    assert_eq!((line, column.as_str()), (4, "b"));
    assert!(why.contains("\"six\"") && why.contains("expected a number"), "{why}");
    let (line, column, why) = refused("a,b\nx,2\ny,4\n7,6\n");
    assert_eq!((line, column.as_str()), (4, "a"));
    assert!(why.contains("\"7\"") && why.contains("expected text"), "{why}");
    let (line, column, _) = refused("1,2\n3,x\n");
    assert_eq!((line, column.as_str()), (2, "2"));
}

#[test]
fn the_first_fault_of_a_large_file_is_the_one_reported() {
    let mut text = "a,b\n".to_string();
    (0..300_000).for_each(|row| text += &format!("{row},1.25\n"));
    for (line, wrong) in [(3, "x,1\n"), (150_001, "1,2,3\n"), (299_999, "1,1e99\n")] {
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        lines[line - 1] = wrong;
        lines[300_000] = "worse,still,\n";
        assert_eq!(refused(lines.concat()).0, line as u64);
    }
}

#[test]
fn lines_are_counted_through_quoted_newlines_and_empty_lines() {
    let (line, column, _) = refused("a,b\n\n\"x\ny\nz\",1\n\r\n\"u\",v\n");
    assert_eq!((line, column.as_str()), (7, "b"));
}

#[test]
fn a_ragged_line_says_how_many_cells_it_has() {
    let (line, _, why) = refused("a,b,c\n1,2,3\n1,2\n");
    assert_eq!(line, 3);
    assert!(why.contains("2 cells, expected 3"), "{why}");
    let (line, _, why) = refused("a,b,c\n1,2,3,4,5\n");
    assert!(line == 2 && why.contains("5 cells, expected 3"), "{why}");
    let (_, _, why) = refused("a,b\nx,1\ny,2,\n");
    assert!(why.contains("3 cells, expected 2"), "{why}");
}

#[test]
fn a_value_beyond_f32_is_refused() {
    for value in ["1e39", "-3.5e38", "inf", "-Infinity", "1e999999"] {
        let (line, column, why) = refused(format!("a,b\n1,2\n2,{value}\n"));
        assert_eq!((line, column.as_str()), (3, "b"));
        assert!(why.contains("beyond the range of f32"), "{why}");
    }
    assert!(parse("t.csv", "a,b\n1,3.4028235e38\n").is_ok());
}

#[test]
fn a_missing_cell_is_refused_with_its_place() {
    let (line, column, why) = refused("a,b\n1,2\n?,4\n");
    assert_eq!((line, column.as_str()), (3, "a"));
    assert!(why.contains("missing"), "{why}");
}

#[test]
fn invalid_utf8_is_refused_with_its_place() {
    let (line, column, why) = refused(b"a,b\n1,x\n2,\xff\xfe\n");
    assert_eq!((line, column.as_str()), (3, "b"));
    assert!(why.contains("UTF-8"), "{why}");
    assert!(refused(b"a,\xff\n1,2\n").2.contains("UTF-8"));
    assert!(refused(b"\xff\xfea\0,\0b\0").2.contains("UTF-16"));
}

#[test]
fn quotes_left_open_or_misplaced_are_refused() {
    let (line, column, why) = refused("a,b\n1,\"x\n2,y\n");
    assert_eq!((line, column.as_str()), (2, "b"));
    assert!(why.contains("never closed"), "{why}");
    let (line, _, why) = refused("a,b\n1,x\n1,\"x\"y\n");
    assert!(line == 3 && why.contains("closing quote"), "{why}");
    assert!(refused("\"a,b\n1,2\n").2.contains("never closed"));
}

#[test]
fn nothing_to_read_is_an_error() {
    for text in ["", "\n", "\r\n\n", "a,b\n", "\u{feff}"] {
        assert!(place(parse("t.csv", text)).2.contains("expected"), "{text:?}");
    }
}

#[test]
fn a_table_over_the_budget_is_a_limit() {
    let options = ReadOptions::default().budget(31);
    let result: Result<Dataset> = Dataset::parse("t.csv", b"1,2\n3,4\n5,6\n7,8\n", &options);
    assert!(matches!(result, Err(Error::Limit { need: 32, have: 31, .. })), "{result:?}");
}

#[test]
fn a_wrong_column_gets_the_nearest_right_one() {
    let data = parse("t.csv", "sepal_length,species\n1,a\n2,b\n").unwrap();
    let told = data.clone().with_target("speceis").unwrap_err().to_string();
    assert!(told.contains("target") && told.contains("\"species\""), "{told}");
    let told = data.clone().features(&["petal"]).unwrap_err().to_string();
    assert!(told.contains("\"sepal_length\", \"species\""), "{told}");
    assert!(data.clone().drop(&["3"]).is_err() && data.features(&["1", "sepal_length"]).is_err());
    for options in [
        ReadOptions::default().target("sepcies"),
        ReadOptions::default().drop(["sepcies"]),
        ReadOptions::default().features(["sepcies"]),
        ReadOptions::default().categorical(["sepcies"]),
    ] {
        let told = Dataset::parse("t.csv", b"x,species\n1,a\n", &options).unwrap_err().to_string();
        assert!(told.contains("did you mean \"species\""), "{told}");
    }
}

#[test]
fn contradictory_columns_are_refused() {
    let text = b"a,b\n1,2\n";
    for options in [
        ReadOptions::default().target("a").drop(["a"]),
        ReadOptions::default().target("a").features(["a"]),
        ReadOptions::default().drop(["a", "b"]),
        ReadOptions::default().drop(["a"]).features(["a"]),
    ] {
        assert!(matches!(Dataset::parse("t.csv", text, &options), Err(Error::Param { .. })), "{options:?}");
    }
}

#[test]
fn files_that_are_not_there_or_not_tables_say_so() {
    assert!(matches!(Dataset::read("no/such/file.csv"), Err(Error::Io { path, .. }) if path.contains("file.csv")));
    assert!(matches!(Dataset::read(std::env::temp_dir()), Err(Error::Io { .. })));
    assert!(place(parse("t.xlsx", b"PK\x03\x04....")).2.contains("CSV"));
    let mut broken = super::gzip(&b"1,2\n".repeat(10_000));
    broken.truncate(broken.len() / 2);
    assert!(place(parse("t.csv.gz", &broken)).2.contains("gzip"));
    let file = Temporary::new("wrong.csv", "a\n1\nx\n");
    let told = Dataset::read(&file.0).unwrap_err().to_string();
    assert!(told.contains("wrong.csv, line 3, column a: expected a number"), "{told}");
}

#[test]
fn text_that_is_new_in_every_row_has_its_limit() {
    let mut text = "id\n".to_string();
    (0..400_000).for_each(|row| text += &format!("{:03x}z\n", row % 4096));
    assert!(parse("t.csv", &text).is_ok());
    let mut text = String::from("id\n");
    let letter = |number: u32| char::from(b'a' + (number % 26) as u8);
    (0..400_000_u32).for_each(|row| {
        text.extend([letter(row), letter(row / 26), letter(row / 676), letter(row / 17576), 'x', '\n']);
    });
    assert!(matches!(parse("t.csv", &text), Err(Error::Limit { .. })));
}

#[test]
fn a_gzip_bomb_of_columns_is_refused_before_it_is_unpacked() {
    use std::io::Write;
    let mut bomb = flate2::write::GzEncoder::new(vec![], flate2::Compression::best());
    bomb.write_all(&[b"1,".repeat(3_000_000), b"1\n".to_vec()].concat().repeat(2)).unwrap();
    let bomb = bomb.finish().unwrap();
    assert!(bomb.len() < 20_000, "{}", bomb.len());
    let refused = parse("bomb.csv.gz", bomb).unwrap_err();
    // What the first block holds, and not three million.
    let Error::Limit { need, .. } = refused else { panic!("{refused}") };
    assert!(need < 80 * 100_000, "{need}");
    let wide = (0..30_000).map(|column| format!("feature_{column}")).collect::<Vec<_>>().join(",");
    let row = (0..30_000).map(|column| (column * 7919 % 1000).to_string()).collect::<Vec<_>>().join(",");
    let table = parse("wide.csv.gz", super::gzip(format!("{wide}\n{row}\n{row}\n").as_bytes())).unwrap();
    assert_eq!(table.x.columns(), 30_000);
}
