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

#[test]
fn a_file_is_read_sparse_when_asked() {
    let text = "+1 1:0.5 3:-2 # a comment\n\n-1 2:0 4:1e1\r\n1\n-1 qid:7 1:1\t4:4\n";
    let dense = read(text).unwrap();
    assert!(dense.sparse.is_none());
    let options = ReadOptions::default().sparse(true);
    let data = Dataset::parse("t.libsvm", text.as_bytes(), &options).unwrap();
    let sparse = data.sparse.as_ref().unwrap();
    assert_eq!((data.rows(), data.columns(), data.x.rows(), data.x.columns()), (4, 4, 4, 0));
    assert_eq!((sparse.nnz(), sparse.row(1)), (5, (&[3][..], &[10.0][..])));
    assert_eq!(sparse.to_dense().unwrap(), dense.x);
    assert_eq!(data.target, dense.target);
    assert_eq!(data.clone().to_dense(64).unwrap(), dense);
    assert!(matches!(data.to_dense(63), Err(Error::Limit { .. })));
}

#[test]
fn a_large_dense_matrix_is_read_sparse_unless_it_is_asked_for() {
    // A row takes 4 MiB: ten are kept dense, 65,536 would take 256 GiB.
    let line = "1 1048576:1\n";
    let small = Dataset::parse("t.svm", line.repeat(10).as_bytes(), &ReadOptions::default()).unwrap();
    assert!(small.sparse.is_none() && small.x.columns() == 1 << 20);
    let large = Dataset::parse("t.svm", line.repeat(65_536).as_bytes(), &ReadOptions::default()).unwrap();
    assert_eq!((large.rows(), large.columns()), (65_536, 1 << 20));
    assert_eq!(large.sparse.unwrap().nnz(), 65_536);
    let dense = Dataset::parse("t.svm", line.repeat(65_536).as_bytes(), &ReadOptions::default().sparse(false));
    assert!(matches!(dense, Err(Error::Limit { .. })));
    // An index that is likelier wrong than not is not guessed at, and can still be asked for.
    let asked = ReadOptions::default().sparse(true);
    let widest = Dataset::parse("t.svm", b"1 4294967295:1\n1 1:1\n", &asked).unwrap();
    assert_eq!((widest.columns(), widest.sparse.unwrap().nnz()), (4_294_967_295, 2));
    assert!(matches!(Dataset::parse("t.svm", b"1 1:1\n", &asked.budget(15)), Err(Error::Limit { .. })));
}

#[test]
fn missing_values_of_sparse_rows_are_dropped_with_their_row_or_refused() {
    let text = b"1 1:nan 2:1\n2 2:5\n3 3:?\n4\n";
    let options = ReadOptions::default().sparse(true);
    assert_eq!(place(Dataset::parse("t.svm", text, &options)).0, Some(1));
    for missing in [Missing::Keep, Missing::Mean, Missing::Median] {
        let (_, column, why) = place(Dataset::parse("t.svm", text, &options.clone().missing(missing)));
        assert!(column.as_deref() == Some("1") && why.contains("row 1") && why.contains("--dense"), "{why}");
        assert!(Dataset::parse("t.svm", b"1 1:2\n", &options.clone().missing(missing)).is_ok());
    }
    let dropped = Dataset::parse("t.svm", text, &options.clone().missing(Missing::Drop)).unwrap();
    assert_eq!(dropped.values().unwrap().as_slice(), [2.0, 4.0]);
    assert_eq!(dropped.sparse.unwrap().offsets(), [0, 1, 1]);
    assert!(Dataset::parse("t.svm", b"1 1:nan\n", &options.missing(Missing::Drop)).is_err());
}

#[test]
fn columns_of_sparse_rows_are_chosen_and_rows_split_as_those_of_dense_ones() {
    let mut text = String::new();
    (0..200_u32).for_each(|row| text += &format!("{} {}:{} 40:1\n", row % 3, row % 39 + 1, row + 1));
    let read = |options: ReadOptions| {
        let dense = Dataset::parse("t.svm", text.as_bytes(), &options).unwrap();
        let sparse = Dataset::parse("t.svm", text.as_bytes(), &options.sparse(true)).unwrap();
        (dense, sparse)
    };
    let chosen = ReadOptions::default().drop(["3", "-1"]);
    let ordered = ReadOptions::default().features(["7", "2", "40"]);
    for options in [ReadOptions::default(), chosen, ordered, ReadOptions::default().width(50)] {
        let (dense, sparse) = read(options);
        assert_eq!(sparse.clone().to_dense(1 << 20).unwrap(), dense);
        let ((train, test), (dense_train, dense_test)) = (sparse.split(0.7, 5).unwrap(), dense.split(0.7, 5).unwrap());
        assert_eq!(train.to_dense(1 << 20).unwrap(), dense_train);
        assert_eq!(test.to_dense(1 << 20).unwrap(), dense_test);
    }
    let (dense, sparse) = read(ReadOptions::default());
    let (dense, sparse) = (dense.with_target("40").unwrap(), sparse.with_target("40").unwrap());
    assert_eq!((sparse.columns(), &sparse.target), (39, &dense.target));
    assert_eq!(sparse.features(&["5"]).unwrap().to_dense(1 << 20).unwrap(), dense.features(&["5"]).unwrap());
    let categorical = ReadOptions::default().sparse(true).categorical(["1"]);
    assert!(matches!(Dataset::parse("t.svm", text.as_bytes(), &categorical), Err(Error::Sparse { .. })));
}

#[test]
fn a_large_file_is_read_sparse_in_pieces() {
    let mut text = String::new();
    (0..100_000_u32).for_each(|row| text += &format!("{} {}:{} 50:1\n", row % 3, row % 49 + 1, row));
    let options = ReadOptions::default().sparse(true);
    let sparse = Dataset::parse("t.svm", text.as_bytes(), &options).unwrap().sparse.unwrap();
    assert_eq!(sparse.to_dense().unwrap(), read(&text).unwrap().x);
    assert_eq!(sparse.nnz(), 200_000 - 1);
}
