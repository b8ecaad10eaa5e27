//! Tables as they come.

use gristmill::Dataset;
use gristmill::data::{Header, Missing, ReadOptions, Target};

use super::{Temporary, gzip, parse};

fn keep() -> ReadOptions {
    ReadOptions::default().missing(Missing::Keep)
}

#[test]
fn a_table_with_a_header_has_named_columns() {
    let data = parse("t.csv", "a,b\n1,2\n-3.5,4e2\n").unwrap();
    assert_eq!(data.x.names().unwrap(), ["a", "b"]);
    assert_eq!(data.x.as_slice(), [1.0, 2.0, -3.5, 400.0]);
    assert_eq!((data.categories(), data.target), (vec![None, None], Target::None));
}

#[test]
fn a_table_without_a_header_has_none() {
    let data = parse("t.csv", "1,2\n3,4").unwrap();
    assert_eq!(data.x.names(), None);
    assert_eq!((data.x.rows(), data.x.as_slice()), (2, &[1.0, 2.0, 3.0, 4.0][..]));
}

#[test]
fn delimiters_line_ends_and_marks_do_not_change_the_table() {
    let plain = parse("t.csv", "a,b,c\n1,2,x\n3,4,y\n").unwrap();
    for delimiter in [";", "\t", "|"] {
        let text = "a,b,c\n1,2,x\n3,4,y\n".replace(',', delimiter);
        assert_eq!(parse("t.txt", &text).unwrap(), plain, "{delimiter:?}");
        assert_eq!(parse("t.txt", text.replace('\n', "\r\n")).unwrap(), plain);
        assert_eq!(parse("t.txt", text.trim_end()).unwrap(), plain);
        assert_eq!(parse("t.txt", format!("\u{feff}{text}")).unwrap(), plain);
        assert_eq!(parse("t.txt", format!("\n\r\n{}\n\n", text.replace('\n', "\n\n"))).unwrap(), plain);
        assert_eq!(parse("t.txt", text.replace(delimiter, &format!(" {delimiter} "))).unwrap(), plain);
        assert_eq!(parse("t.csv.gz", gzip(text.as_bytes())).unwrap(), plain);
    }
    assert_eq!(parse("t.txt", "\"a\",\"b\",\"c\"\n\"1\",2,\"x\"\n3,\"4\" ,\"y\"\r\n").unwrap(), plain);
}

#[test]
fn a_given_delimiter_and_header_win() {
    let options = ReadOptions::default().delimiter(b';').header(Header::Yes);
    let data = Dataset::parse("t.csv", b"1;2\n3;4\n", &options).unwrap();
    assert_eq!(data.x.names().unwrap(), ["1", "2"]);
    assert_eq!(data.x.as_slice(), [3.0, 4.0]);
    let options = ReadOptions::default().header(Header::No);
    let data = Dataset::parse("t.csv", b"x,y\nu,v\n", &options).unwrap();
    assert_eq!(data.x.as_slice(), [1.0, 1.0, 0.0, 0.0]);
    for wrong in *b"1a\"\n.-\x80" {
        assert!(Dataset::parse("t.csv", b"1;2", &ReadOptions::default().delimiter(wrong)).is_err());
    }
}

#[test]
fn text_columns_are_coded_in_the_order_of_their_categories() {
    let data = parse("t.csv", "size,colour\n1,red\n2,blue\n3,red\n4,green\n").unwrap();
    assert_eq!(data.x.as_slice(), [1.0, 2.0, 2.0, 0.0, 3.0, 2.0, 4.0, 1.0]);
    assert_eq!(data.categories(), [None, Some(["blue", "green", "red"].map(String::from).to_vec())]);
}

#[test]
fn a_named_column_is_categorical_whatever_it_holds() {
    let options = ReadOptions::default().categorical(["zip"]);
    let data = Dataset::parse("t.csv", b"zip,y\n900,1\n80,2\n900,3\nx,4\n", &options).unwrap();
    assert_eq!(data.x.categories(0).unwrap(), ["80", "900", "x"]);
    let data = Dataset::parse("t.csv", b"zip,y\n900,1\n80,2\n900,3\n", &options).unwrap();
    assert_eq!(data.x.categories(0).unwrap(), ["80", "900"]);
    assert_eq!(data.x.as_slice(), [1.0, 1.0, 0.0, 2.0, 1.0, 3.0]);
}

#[test]
fn quoted_cells_hold_delimiters_quotes_and_newlines() {
    let data = parse("t.csv", "text,n\n\"a,b\",1\n\"say \"\"so\"\"\",2\n\"two\r\nlines\",3\n\"\"\"\",4\n").unwrap();
    assert_eq!(data.x.categories(0).unwrap(), ["\"", "a,b", "say \"so\"", "two\r\nlines"]);
    assert_eq!(data.x.as_slice(), [1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 0.0, 4.0]);
}

#[test]
fn a_quote_within_a_cell_is_text() {
    let data = parse("t.csv", "disk,n\n5\" floppy,1\n3.5\" floppy,2\n").unwrap();
    assert_eq!(data.x.categories(0).unwrap(), ["3.5\" floppy", "5\" floppy"]);
}

#[test]
fn missing_cells_are_empty_na_nan_or_a_question_mark() {
    let data = Dataset::parse("t.csv", b"a,b\n,1\nNA,2\nnan,3\n?,4\nNaN,5\n\"\",6\n 7 ,7\n", &keep()).unwrap();
    let missing: Vec<bool> = (0..7).map(|row| data.x.get(row, 0).is_nan()).collect();
    assert_eq!(missing, [true, true, true, true, true, true, false]);
    let data = Dataset::parse("t.csv", b"a,b\nx,1\n?,2\n,3\ny,4\n", &keep()).unwrap();
    assert_eq!(data.x.categories(0).unwrap(), ["x", "y"]);
    assert!(data.x.get(1, 0).is_nan() && data.x.get(2, 0).is_nan());
}

#[test]
fn a_column_is_known_by_its_first_cell_that_is_not_missing_however_late() {
    let mut text = "a,b,c\n".to_string();
    (0..60_000).for_each(|row| text += &format!("{row},?,\n"));
    text += "1,late,2.5\n";
    let data = Dataset::parse("t.csv", text.as_bytes(), &keep()).unwrap();
    assert_eq!((data.x.rows(), data.x.row(60_000)), (60_001, &[1.0, 0.0, 2.5][..]));
    assert_eq!(data.x.categories(1).unwrap(), ["late"]);
    assert_eq!(data.x.categories(2), None);
}

#[test]
fn columns_left_out_may_hold_anything() {
    let text = b"id,a,mess,b\nx1,1,2,u\nx2,3,zwei,v\n";
    let options = ReadOptions::default().drop(["mess", "1"]);
    let data = Dataset::parse("t.csv", text, &options).unwrap();
    assert_eq!(data.x.names().unwrap(), ["a", "b"]);
    assert_eq!(data.x.as_slice(), [1.0, 0.0, 3.0, 1.0]);
    let options = ReadOptions::default().features(["b", "a"]).target("id");
    let data = Dataset::parse("t.csv", text, &options).unwrap();
    assert_eq!(data.x.names().unwrap(), ["b", "a"]);
    assert_eq!(data.x.as_slice(), [0.0, 1.0, 1.0, 3.0]);
    assert_eq!(data.labels().unwrap().names(), ["x1", "x2"]);
}

#[test]
fn a_target_by_number_is_that_column_of_the_file() {
    let options = ReadOptions::default().drop(["1"]).target("-1");
    let data = Dataset::parse("t.csv", b"9,1.5,2,a\n9,3,4,b\n", &options).unwrap();
    assert_eq!(data.x.as_slice(), [1.5, 2.0, 3.0, 4.0]);
    assert_eq!(data.labels().unwrap().names(), ["a", "b"]);
}

#[test]
fn empty_names_become_numbers() {
    assert_eq!(parse("t.csv", ",a\n0,1\n").unwrap().x.names().unwrap(), ["1", "a"]);
}

#[test]
fn a_large_table_is_read_alike_by_any_number_of_threads() {
    let mut text = "n,half,word,\"q\"\n".to_string();
    let word = |row: u32| ["alpha", "beta", "gamma", "delta"][(row as usize * 7 + row as usize / 3) % 4];
    (0..200_000_u32).for_each(|row| text += &format!("{row},{},{},\"x{}\ny\"\n", row as f32 / 2.0, word(row), row % 5));
    let read = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| parse("t.csv", &text).unwrap())
    };
    let data = read(1);
    assert_eq!(data.x.rows(), 200_000);
    let categories = data.x.categories(2).unwrap();
    for row in [0, 1, 77_777, 199_999_u32] {
        let cells = data.x.row(row as usize);
        assert_eq!(cells[..2], [row as f32, row as f32 / 2.0]);
        assert_eq!(categories[cells[2] as usize], word(row));
        assert_eq!(cells[3], (row % 5) as f32);
    }
    assert_eq!(read(2), data);
    assert_eq!(read(5), data);
    let file = Temporary::new("large.csv", gzip(text.as_bytes()));
    assert_eq!(Dataset::read(&file.0).unwrap(), data);
}

#[test]
fn tsv_by_extension_takes_tabs_alone() {
    let data = parse("t.tsv", "note\nred, blue\ngreen, red\n").unwrap();
    assert_eq!(data.x.columns(), 1);
}
