//! Parquet, Arrow and JSON lines: the same table in every encoding that is read, and what is refused by name.

use gristmill::data::{Dataset, Format, Missing, ReadOptions, column_names, matching_files};

use super::{Temporary, parse, place};

const FILES: [&str; 9] = [
    "snappy.parquet",
    "plain.parquet",
    "delta.parquet",
    "zstd.parquet",
    "lz4.parquet",
    "file.arrow",
    "lz4.arrow",
    "zstd.arrow",
    "stream.arrow",
];

fn path(name: &str) -> String {
    format!("{}/tests/data/columnar/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn options() -> ReadOptions {
    ReadOptions::default().missing(Missing::Keep)
}

#[test]
fn every_encoding_gives_the_same_table() {
    let expected = Dataset::read_with(path("table.csv"), &options().dates(["when", "day"])).unwrap();
    for name in FILES.into_iter().filter(|name| cfg!(feature = "zstd") || !name.starts_with("zstd")) {
        let found =
            Dataset::read_with(path(name), &options().drop(["list"])).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert_eq!(found.x.names(), expected.x.names(), "{name}");
        assert_eq!(found.categories(), expected.categories(), "{name}");
        for row in 0..expected.rows() {
            let bits = |data: &Dataset| data.x.row(row).iter().map(|value| value.to_bits()).collect::<Vec<u32>>();
            assert_eq!(
                bits(&found),
                bits(&expected),
                "{name}: row {row}: {:?} {:?}",
                found.x.row(row),
                expected.x.row(row)
            );
        }
        assert_eq!(found.x.get_f64(3, expected.column("unsigned").unwrap()), 4_000_000_003.0, "{name}");
    }
}

#[test]
fn a_nested_column_is_refused_by_name() {
    for name in FILES.into_iter().filter(|name| !name.starts_with("zstd")) {
        let (_, column, why) = place(Dataset::read_with(path(name), &options()));
        assert_eq!(column.as_deref(), Some("list"), "{name}");
        assert!(why.contains("nested") && why.contains("--drop"), "{why}");
    }
}

#[test]
fn columns_are_chosen_and_missing_values_refused_as_in_text() {
    let wanted = ReadOptions::default().features(["single", "coded"]).target("text").drop_unlabelled(true);
    for name in ["snappy.parquet", "file.arrow"] {
        let data = Dataset::read_with(path(name), &wanted).unwrap();
        assert_eq!((data.rows(), data.columns(), data.labels().unwrap().classes()), (39, 2, 4), "{name}");
        let (_, column, why) = place(Dataset::read_with(path(name), &ReadOptions::default().features(["real"])));
        assert!(column.as_deref() == Some("real") && why.contains("row 5"), "{why}");
        let target = ReadOptions::default().features(["single"]).target("when");
        assert!(Dataset::read_with(path(name), &target).unwrap_err().to_string().contains("date"), "{name}");
        let coded = ReadOptions::default().features(["flag"]).categorical(["flag"]);
        assert_eq!(Dataset::read_with(path(name), &coded).unwrap().x.categories(0).unwrap(), ["0", "1"]);
    }
}

#[test]
fn a_damaged_file_is_an_error_and_never_a_panic() {
    for name in FILES {
        let bytes = std::fs::read(path(name)).unwrap();
        let options = options().drop(["list"]);
        for cut in (0..bytes.len()).step_by(97) {
            let _ = Dataset::parse(name, &bytes[..cut], &options);
        }
        // A fixed sequence of single wrong bytes.
        let mut state = 12345_u64;
        for _ in 0..400 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let mut wrong = bytes.clone();
            wrong[(state >> 33) as usize % bytes.len()] ^= (state >> 8) as u8 | 1;
            let _ = Dataset::parse(name, &wrong, &options);
        }
    }
    assert!(place(parse("t.parquet", b"PAR1....")).2.contains("cut off"));
}

#[test]
fn json_lines_are_a_table() {
    let text = "{\"a\": 1, \"b\": \"x\", \"c\": true}\n\n{\"b\": \"y\", \"a\": 2.5, \"c\": null, \"d\": 7}\n{\"a\":null,\"b\":null}\n";
    let data = Dataset::parse("t.jsonl", text.as_bytes(), &options()).unwrap();
    assert_eq!(data.x.names().unwrap(), ["a", "b", "c", "d"]);
    assert_eq!(data.x.row(0)[..3], [1.0, 0.0, 1.0]);
    assert!(data.x.row(0)[3].is_nan() && data.x.row(2).iter().all(|value| value.is_nan()));
    assert_eq!((data.x.row(1)[0], data.x.row(1)[1], data.x.row(1)[3]), (2.5, 1.0, 7.0));
    assert_eq!(data.x.categories(1).unwrap(), ["x", "y"]);
    // Found by its content too, and with a target.
    let data =
        parse("t.txt", "{\"x\":1,\"kind\":\"a\"}\n{\"x\":2,\"kind\":\"b\"}\n").unwrap().with_target("kind").unwrap();
    assert_eq!((data.rows(), data.labels().unwrap().classes()), (2, 2));
}

#[test]
fn what_json_lines_cannot_be_is_refused_by_line_and_name() {
    for (text, line, column, word) in [
        ("{\"a\":1}\n{\"a\":[2]}\n", Some(2), Some("a"), "--drop"),
        ("{\"a\":1}\n{\"a\":\"two\"}\n", Some(2), Some("a"), "expected a number"),
        ("{\"a\":1}\n{\"a\":\n", Some(2), None, "JSON object"),
        ("{\"a\":1}\n{}\n", None, Some("a"), "row 2"),
    ] {
        let (found, name, why) = place(parse("t.jsonl", text));
        assert_eq!((found, name.as_deref()), (line, column), "{why}");
        assert!(why.contains(word), "{why}");
    }
    let options = ReadOptions::default().drop(["a"]);
    assert_eq!(Dataset::parse("t.jsonl", b"{\"a\":{},\"b\":3}\n", &options).unwrap().x.row(0), [3.0]);
}

#[test]
fn names_and_formats_are_known_without_reading_rows() {
    assert_eq!(Format::of(path("snappy.parquet")).unwrap(), Format::Parquet);
    assert_eq!(Format::of(path("stream.arrow")).unwrap(), Format::Arrow);
    for name in ["lz4.parquet", "lz4.arrow"] {
        let names = column_names(path(name), &ReadOptions::default()).unwrap().unwrap();
        assert_eq!((names.len(), names[11].as_str()), (12, "list"));
    }
}

#[test]
fn several_files_are_one_table() {
    let folder = std::env::temp_dir().join(format!("gristmill-several-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write("part-1.csv", "a,c,y\n1,red,no\n2,blue,yes\n");
    write("part-2.csv", "a,c,y\n3,green,no\n,red,maybe\n");
    write("part-3.jsonl", "{\"a\":5,\"c\":\"blue\",\"y\":\"no\"}\n");
    let pattern = folder.join("part-*");
    assert_eq!(matching_files(&pattern).unwrap().len(), 3);
    let wanted = ReadOptions::default().target("y").missing(Missing::Mean);
    let data = Dataset::read_with(&pattern, &wanted).unwrap();
    assert_eq!(data.x.column(0), [1.0, 2.0, 3.0, 2.75, 5.0]);
    assert_eq!(data.x.categories(1).unwrap(), ["blue", "green", "red"]);
    assert_eq!(data.x.column(1), [2.0, 0.0, 1.0, 2.0, 0.0]);
    assert_eq!(data.labels().unwrap().names(), ["maybe", "no", "yes"]);
    write("part-4.csv", "a,d,y\n1,red,no\n");
    let (_, column, why) = place(Dataset::read_with(&pattern, &wanted));
    assert!(column.as_deref() == Some("d") && why.contains("part-1.csv"), "{why}");
    write("part-4.csv", "a,c,y\n1,7,no\n");
    let error = Dataset::read_with(&pattern, &wanted).unwrap_err().to_string();
    assert!(error.contains("part-4.csv") && error.contains('c') && error.contains("text"), "{error}");
    write("part-4.csv", "a,c\n1,red\n");
    assert!(Dataset::read_with(&pattern, &wanted).is_err());
    assert!(matching_files(folder.join("none-*")).unwrap_err().to_string().contains("no file matches"));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[cfg(feature = "zstd")]
#[test]
fn text_packed_by_zstandard_is_read() {
    // `printf 'a,b\n1,2\n' | zstd`
    let packed = [0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x08, 0x41, 0, 0, b'a', b',', b'b', b'\n', b'1', b',', b'2', b'\n'];
    let file = Temporary::new("t.csv.zst", packed);
    assert_eq!(Dataset::read(&file.0).unwrap().x.row(0), [1.0, 2.0]);
}
