//! Small hostile files, replayed: each gets an answer, most of them an error, none a panic.

use std::path::Path;

use gristmill::Error;
use gristmill::data::{CsvChunks, Dataset, Format, Missing, ReadOptions};

#[test]
fn every_file_of_the_corpus_gets_an_answer_from_every_reader() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/corpus");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 30, "{} files", files.len());
    for path in files {
        let name = path.file_name().unwrap().to_string_lossy().to_string();
        let result = Dataset::read_with(&path, &ReadOptions::default().budget(1 << 26));
        // The name says what is expected: files of the fuzzers may be anything.
        match name.split('-').next().unwrap() {
            "good" => assert!(result.is_ok(), "{name}: {result:?}"),
            "bad" => assert!(
                matches!(result, Err(Error::Data { .. } | Error::Limit { .. })),
                "{name}: expected an error of the data or a limit, got {result:?}"
            ),
            _ => {}
        }
        if let Err(error) = result {
            assert!(error.to_string().contains(&name), "{name}: {error}");
        }
        for format in [Format::Csv, Format::Libsvm, Format::Npy, Format::Idx] {
            for missing in [Missing::Keep, Missing::Drop, Missing::Median] {
                let options = ReadOptions::default().budget(1 << 26).format(format).missing(missing);
                let _ = Dataset::read_with(&path, &options);
            }
        }
        if let Ok(chunks) = CsvChunks::open(&path, &ReadOptions::default(), 3) {
            chunks.for_each(drop);
        }
    }
}
