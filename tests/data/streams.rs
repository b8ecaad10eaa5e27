//! Files in chunks of rows.

use gristmill::data::{CsvChunks, Dataset, Missing, ReadOptions};
use gristmill::{Error, Matrix};

use super::{Temporary, gzip};

fn text(rows: u32) -> String {
    let mut text = "a,b,word\n".to_string();
    (0..rows).for_each(|row| text += &format!("{row},{},{}\n", row as f32 * 0.5, ["z", "y", "x"][row as usize % 3]));
    text
}

#[test]
fn chunks_of_any_size_hold_the_rows_of_the_whole() {
    let file = Temporary::new("chunks.csv", text(50_000));
    let packed = Temporary::new("chunks.csv.gz", gzip(text(50_000).as_bytes()));
    let whole = Dataset::read_with(&file.0, &ReadOptions::default().drop(["word"])).unwrap();
    for (path, size) in [(&file.0, 1), (&file.0, 777), (&packed.0, 4096), (&file.0, 50_000), (&packed.0, usize::MAX)] {
        let chunks = CsvChunks::open(path, &ReadOptions::default().drop(["word"]), size).unwrap();
        assert_eq!(chunks.names().unwrap(), ["a", "b"]);
        let chunks: Vec<Matrix> = chunks.map(Result::unwrap).collect();
        assert!(chunks.iter().rev().skip(1).all(|chunk| chunk.rows() == size));
        assert_eq!(chunks[0].names().unwrap(), ["a", "b"]);
        let values: Vec<f32> = chunks.iter().flat_map(|chunk| chunk.as_slice()).copied().collect();
        assert_eq!(values, whole.x.as_slice());
    }
}

#[test]
fn categories_are_coded_as_they_come() {
    let file = Temporary::new("categories.csv", text(10));
    let mut chunks = CsvChunks::open(&file.0, &ReadOptions::default(), 4).unwrap();
    let codes: Vec<f32> = chunks
        .by_ref()
        .flat_map(|chunk| {
            (0..chunk.as_ref().unwrap().rows()).map(|row| chunk.as_ref().unwrap().get(row, 2)).collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(codes[..4], [0.0, 1.0, 2.0, 0.0]);
    assert_eq!(chunks.categories(), [None, None, Some(["z", "y", "x"].map(String::from).to_vec())]);
}

#[test]
fn a_fault_ends_the_stream() {
    let file = Temporary::new("fault.csv", text(100) + "1,x,y\n" + "1,2,z\n");
    let mut chunks = CsvChunks::open(&file.0, &ReadOptions::default(), 10).unwrap();
    let error = chunks.find_map(Result::err).unwrap();
    assert!(matches!(error, Error::Data { line: Some(102), .. }), "{error}");
    assert!(chunks.next().is_none());
}

#[test]
fn missing_rows_are_dropped_in_a_stream_but_nothing_is_imputed() {
    let file = Temporary::new("missing.csv", "a,b\n1,2\n?,3\n4,5\n");
    let open = |missing, rows| CsvChunks::open(&file.0, &ReadOptions::default().missing(missing), rows);
    let rows: Vec<f32> = open(Missing::Drop, 1).unwrap().flat_map(|chunk| chunk.unwrap().into_vec()).collect();
    assert_eq!(rows, [1.0, 2.0, 4.0, 5.0]);
    assert!(open(Missing::Keep, 9).unwrap().all(|chunk| chunk.is_ok()));
    assert!(open(Missing::Refuse, 9).unwrap().any(|chunk| chunk.is_err()));
    assert!(open(Missing::Mean, 9).is_err() && open(Missing::Keep, 0).is_err());
}
