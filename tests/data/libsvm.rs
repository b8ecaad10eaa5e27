//! LIBSVM files.

use gristmill::data::{Dataset, Format, Missing, ReadOptions};
use gristmill::{Error, Result};

use super::{gzip, parse, place};

fn read(text: impl AsRef<[u8]>) -> Result<Dataset> {
    parse("t.libsvm", text)
}

#[test]
fn pairs_go_to_their_columns_and_the_rest_is_zero() {
    let text = "+1 1:0.5 3:-2 # a comment\n\n-1 2:1e1\r\n# nothing\n1\n-1 qid:7 1:1\t4:4";
    for data in [read(text).unwrap(), parse("data", text).unwrap(), parse("t.svm.gz", gzip(text.as_bytes())).unwrap()] {
        assert_eq!((data.x.rows(), data.x.columns()), (4, 4));
        assert_eq!(data.x.as_slice()[..8], [0.5, 0.0, -2.0, 0.0, 0.0, 10.0, 0.0, 0.0]);
        assert_eq!(data.x.as_slice()[8..], [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 4.0]);
        assert_eq!(data.labels().unwrap().names(), ["-1", "1"]);
        assert_eq!(data.values().unwrap().as_slice(), [1.0, -1.0, 1.0, -1.0]);
    }
    assert!(read("0.5 1:1\n").unwrap().labels().is_err());
}

#[test]
fn a_given_width_makes_train_and_test_agree() {
    let options = ReadOptions::default().width(5);
    let data = Dataset::parse("t.svm", b"1 2:3\n", &options).unwrap();
    assert_eq!(data.x.as_slice(), [0.0, 3.0, 0.0, 0.0, 0.0]);
    assert_eq!(place(Dataset::parse("t.svm", b"1 2:3\n1 6:1\n", &options)).0, Some(2));
}

#[test]
fn wrong_lines_are_refused_with_their_place() {
    for (text, line, column, part) in [
        ("1 0:1\n", 1, Some("0"), "from 1"),
        ("1 1:1\n1 2:1 2:3\n", 2, Some("2"), "ascending"),
        ("1 1:1\n\n1 3:1 2:3\n", 3, Some("2"), "ascending"),
        ("1 4294967296:1\n", 1, Some("4294967296"), "up to 4294967295"),
        ("1 18446744073709551617:1\n", 1, Some("18446744073709551617"), "up to"),
        ("1 -1:1\n", 1, Some("-1"), "from 1"),
        ("1 x:1\n", 1, Some("x"), "from 1"),
        ("1 :1\n", 1, Some(""), "from 1"),
        ("1 1:\n", 1, Some("1"), "number behind the colon"),
        ("1 1:y\n", 1, Some("1"), "number behind the colon"),
        ("1 1:1e40\n", 1, Some("1"), "beyond"),
        ("1 1:nan\n", 1, Some("1"), "missing"),
        ("1 2\n", 1, None, "index:value"),
        ("yes 1:1\n", 1, None, "begin with a number"),
        ("1,2 1:1\n", 1, None, "begin with a number"),
        ("nan 1:1\n", 1, None, "begin with a number"),
    ] {
        let (found_line, found_column, why) = place(read(text));
        assert_eq!((found_line, found_column.as_deref()), (Some(line), column), "{text:?}");
        assert!(why.contains(part), "{text:?}: {why}");
    }
    assert!(place(read("1\n2\n")).2.contains("index:value"));
}

#[test]
fn a_dense_matrix_over_the_budget_is_a_limit_before_it_is_made() {
    // 17 GB a row: had it been allocated, this test would not pass quietly.
    let result = read("1 4294967295:1\n1 1:1\n");
    assert!(matches!(result, Err(Error::Limit { need, .. }) if need == 2 * 4 * 4_294_967_295), "{result:?}");
    let options = ReadOptions::default().budget(1 << 20).format(Format::Libsvm);
    assert!(matches!(Dataset::parse("t", b"1 262145:1\n", &options), Err(Error::Limit { .. })));
}

#[test]
fn missing_values_can_be_kept() {
    let options = ReadOptions::default().missing(Missing::Keep);
    let data = Dataset::parse("t.svm", b"1 1:nan 2:1\n2 2:?\n", &options).unwrap();
    assert!(data.x.get(0, 0).is_nan() && data.x.get(1, 1).is_nan() && data.x.get(1, 0) == 0.0);
}

#[test]
fn a_large_file_is_read_in_pieces() {
    let mut text = String::new();
    (0..100_000_u32).for_each(|row| text += &format!("{} {}:{} 50:1\n", row % 3, row % 49 + 1, row));
    let data = read(&text).unwrap();
    assert_eq!((data.x.rows(), data.x.columns()), (100_000, 50));
    assert!((0..100_000).all(|row| data.x.get(row, row % 49) == row as f32 && data.x.get(row, 49) == 1.0));
    let wrong = text.replacen("99998 50:1", "99998 50:x", 1);
    assert_eq!(place(read(&wrong)).0, Some(99_999));
}
