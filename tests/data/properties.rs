//! Whatever is written is read again, and no bytes at all make a reader panic.

use gristmill::Dataset;
use gristmill::data::{Format, Header, Missing, ReadOptions};
use proptest::prelude::*;

const FORMATS: [Format; 4] = [Format::Csv, Format::Libsvm, Format::Npy, Format::Idx];

fn finite() -> impl Strategy<Value = f32> {
    prop_oneof![any::<f32>().prop_filter("finite", |value| value.is_finite()), -1000.0..1000.0_f32]
}

/// A text that is neither a number nor missing.
fn word() -> impl Strategy<Value = String> {
    "[a-eé,;\"\n |\t]{0,6}".prop_map(|text| format!("w{text}w"))
}

#[derive(Clone, Debug)]
enum Column {
    Numbers(Vec<Option<f32>>),
    Words(Vec<Option<String>>),
}

fn table() -> impl Strategy<Value = (Vec<Column>, u8, bool, bool)> {
    let columns = (1..6_usize, 1..40_usize).prop_flat_map(|(columns, rows)| {
        let numbers = prop::collection::vec(prop::option::weighted(0.9, finite()), rows).prop_map(Column::Numbers);
        let words = prop::collection::vec(prop::option::weighted(0.9, word()), rows).prop_map(Column::Words);
        prop::collection::vec(prop_oneof![numbers, words], columns)
    });
    (columns, prop::sample::select(b",;\t|".to_vec()), any::<bool>(), any::<bool>())
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

fn rows(column: &Column) -> usize {
    match column {
        Column::Numbers(cells) => cells.len(),
        Column::Words(cells) => cells.len(),
    }
}

fn written(columns: &[Column], delimiter: u8, crlf: bool, quote_numbers: bool) -> String {
    let end = if crlf { "\r\n" } else { "\n" };
    let cell = |column: &Column, row: usize| match column {
        Column::Numbers(cells) => match cells[row] {
            Some(value) if quote_numbers => format!("\"{value:e}\""),
            Some(value) => value.to_string(),
            None => "NA".to_string(),
        },
        Column::Words(cells) => cells[row].as_deref().map_or("?".to_string(), quoted),
    };
    let delimiter = char::from(delimiter).to_string();
    let header: Vec<String> = (0..columns.len()).map(|column| format!("name {column}")).collect();
    let mut text = header.join(&delimiter) + end;
    for row in 0..rows(&columns[0]) {
        text += &columns.iter().map(|column| cell(column, row)).collect::<Vec<_>>().join(&delimiter);
        text += end;
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_written_table_is_read_again((columns, delimiter, crlf, quote_numbers) in table()) {
        let text = written(&columns, delimiter, crlf, quote_numbers);
        let options = ReadOptions::default().missing(Missing::Keep).delimiter(delimiter).header(Header::Yes);
        let data = Dataset::parse("t.csv", text.as_bytes(), &options).unwrap();
        prop_assert_eq!(data.x.rows(), rows(&columns[0]));
        for (at, column) in columns.iter().enumerate() {
            for row in 0..data.x.rows() {
                let got = data.x.get(row, at);
                match column {
                    Column::Numbers(cells) => match cells[row] {
                        Some(value) => prop_assert_eq!(got.to_bits(), value.to_bits()),
                        None => prop_assert!(got.is_nan()),
                    },
                    Column::Words(cells) => match &cells[row] {
                        Some(text) => prop_assert_eq!(&data.x.categories(at).unwrap()[got as usize], text),
                        None => prop_assert!(got.is_nan()),
                    },
                }
            }
        }
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), missing in 0..5_usize) {
        let missing = [Missing::Refuse, Missing::Keep, Missing::Drop, Missing::Mean, Missing::Median][missing];
        for format in FORMATS {
            let options = ReadOptions::default().format(format).missing(missing).budget(1 << 22);
            let _ = Dataset::parse("t", &bytes, &options);
        }
        let _ = Dataset::parse("t", &bytes, &ReadOptions::default().budget(1 << 22));
    }

    #[test]
    fn libsvm_rows_are_the_same_sparse_as_dense(rows in prop::collection::vec(prop::collection::btree_map(1..40_u32, -9..9_i32, 0..6), 1..30)) {
        let pair = |(index, value): (&u32, &i32)| format!(" {index}:{}", *value as f32 / 4.0);
        let line = |(number, row): (usize, &std::collections::BTreeMap<u32, i32>)| {
            format!("{}{}\n", number % 3, row.iter().map(pair).collect::<String>())
        };
        let text: String = rows.iter().enumerate().map(line).collect();
        let read = |sparse| Dataset::parse("t.svm", text.as_bytes(), &ReadOptions::default().sparse(sparse));
        match (read(false), read(true)) {
            (Ok(dense), Ok(sparse)) => {
                let stored = rows.iter().flat_map(|row| row.values()).filter(|value| **value != 0).count();
                prop_assert_eq!(sparse.sparse.as_ref().unwrap().nnz(), stored);
                prop_assert_eq!(sparse.to_dense(1 << 20).unwrap(), dense);
            }
            (dense, sparse) => prop_assert!(dense.is_err() && sparse.is_err()),
        }
    }

    #[test]
    fn random_tables_of_strange_cells_never_panic(text in "([0-9a.,;\"\n\r\t|:?#-]|NA|1e9|inf|\u{e9}| ){0,200}") {
        for format in [Format::Csv, Format::Libsvm] {
            let options = ReadOptions::default().format(format).missing(Missing::Keep).budget(1 << 22);
            if let Ok(data) = Dataset::parse("t", text.as_bytes(), &options) {
                prop_assert!(data.rows() > 0 && data.columns() > 0);
                prop_assert!(data.x.as_slice().iter().all(|value| !value.is_infinite()));
            }
        }
    }
}
