//! No file makes a reader take more than eight times its bytes and a mebibyte, dense rows apart.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use gristmill::data::{CsvChunks, Dataset, Missing, ReadOptions};
use gristmill::{Error, Result};

/// Counts the bytes that are allocated at one time.
struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn grown(bytes: usize) {
    PEAK.fetch_max(LIVE.fetch_add(bytes, SeqCst) + bytes, SeqCst);
}

// SAFETY: every call goes to the system's allocator unchanged; the counters touch no memory of its.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grown(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grown(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), SeqCst);
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        grown(size);
        LIVE.fetch_sub(layout.size(), SeqCst);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// What `work` had allocated at most, beyond what there was before.
fn peak<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = LIVE.load(SeqCst);
    PEAK.store(before, SeqCst);
    let result = work();
    (result, PEAK.load(SeqCst) - before)
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(vec![], flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn npy(descr: &str, order: &str, shape: &str, body: &[u8]) -> Vec<u8> {
    let text = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((text.len() as u16).to_le_bytes());
    file.extend(text.bytes());
    file.extend(body);
    file
}

fn idx(sizes: &[u32], body: &[u8]) -> Vec<u8> {
    let mut file = vec![0, 0, 8, sizes.len() as u8];
    sizes.iter().for_each(|size| file.extend(size.to_be_bytes()));
    file.extend(body);
    file
}

/// Texts of three letters, all different as long as there are such.
fn different(rows: u32, separator: char) -> String {
    let letter = |number: u32| char::from(b'a' + (number % 26) as u8);
    (0..rows).flat_map(|row| [letter(row), letter(row / 26), letter(row / 676), separator]).collect()
}

fn files() -> Vec<(&'static str, Vec<u8>)> {
    let numbers: String = (0..60_000).map(|row| format!("{row},{}.5,{}\n", row % 7, row % 1000)).collect();
    let mixed: String = (0..60_000).map(|row| format!("{},{},name {row}\n", row % 10, row % 7)).collect();
    let quoted: String = (0..40_000).map(|row| format!("\"{}\",\"a\nb{}\"\n", row % 10, row % 7)).collect();
    let sparse: String = (0..60_000).map(|row| format!("{} {}:1 9:2\n", row % 2, row % 8 + 1)).collect();
    vec![
        ("numbers.csv", numbers.into_bytes()),
        ("mixed.csv", mixed.into_bytes()),
        ("quoted.csv", quoted.into_bytes()),
        ("digits.csv", b"1,2,3\n".repeat(300_000)),
        ("empty-cells.csv", b",,,,,,,\n".repeat(200_000)),
        ("one-empty-line.csv", [b",".repeat(3_000_000), b"\n1\n".to_vec()].concat()),
        (
            "narrow-header.csv",
            [b"a,".repeat(15_000), b"b\n".to_vec(), [b"1,".repeat(15_000), b"2\n".to_vec()].concat()].concat(),
        ),
        ("wide-header.csv", (0..200_000).map(|at| format!("{at:x},")).collect::<String>().into_bytes()),
        ("commas-then-lines.csv", [b",".repeat(100_000), b"\n1".repeat(500_000)].concat()),
        ("newlines.csv", vec![b'\n'; 2_000_000]),
        ("different.csv", different(17_000, '\n').into_bytes()),
        ("more-different.csv", different(400_000, '\n').into_bytes()),
        ("different-columns.csv", different(400_000, ',').replace("zz,", "zz\n").into_bytes()),
        ("one-long-line.csv", vec![b'7'; 3_000_000]),
        ("open-quote.csv", [b"a,b\n1,\"".to_vec(), b"x\n".repeat(1_000_000)].concat()),
        ("sparse.svm", sparse.into_bytes()),
        ("labels-alone.svm", b"1\n".repeat(1_500_000)),
        ("pairs.svm", b"1 1:1\n".repeat(500_000)),
        ("far.svm", b"1 4294967295:1\n".to_vec()),
        ("wide.svm", b"1 1000000:1\n".to_vec()),
        ("beyond.svm", b"1 4294967296:1\n".to_vec()),
        ("rows.npy", npy("<f4", "False", "(1099511627776, 1)", &[0; 64])),
        ("shorts.npy", npy("|u1", "False", "(1000, 1000)", &vec![7; 1_000_000])),
        ("columns.npy", npy("|u1", "True", "(1000, 1000)", &vec![7; 1_000_000])),
        ("doubles.npy", npy("<f8", "False", "(1000, 125)", &vec![0; 1_000_000])),
        ("row.npy", npy("|u1", "False", "(1, 1000000)", &vec![7; 1_000_000])),
        ("images.idx", idx(&[1000, 10, 100], &vec![7; 1_000_000])),
        ("sizes.idx", idx(&[u32::MAX, u32::MAX], &[1, 2, 3])),
    ]
}

struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str, bytes: &[u8]) -> Temporary {
        let path = std::env::temp_dir().join(format!("gristmill-memory-{}-{name}", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        Temporary(path)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Holds a peak against the bytes read; a LIBSVM file may take its dense rows as well.
fn check(name: &str, way: &str, bytes: usize, (result, peak): (Result<Dataset>, usize)) {
    let dense = match &result {
        Ok(data) if name.contains(".svm") => 4 * data.x.rows() * data.x.columns(),
        _ => 0,
    };
    let most = 8 * bytes + (1 << 20) + dense;
    let answer =
        result.map_or_else(|error| error.to_string(), |data| format!("{}×{}", data.x.rows(), data.x.columns()));
    assert!(peak <= most, "{name}, {way}: {peak} bytes at once, at most {most} allowed; {answer}");
}

#[test]
fn no_file_takes_more_than_eight_times_its_bytes() {
    // The thread pool and the hash keys are made once and stay.
    rayon::join(|| (), || ());
    let _ = Dataset::parse("t.csv", b"a,b\n1,x\n", &ReadOptions::default());
    let options = ReadOptions::default().missing(Missing::Keep);
    for (name, content) in files() {
        let bytes = content.len();
        check(name, "from memory", bytes, peak(|| Dataset::parse(name, &content, &options)));
        let packed = gzip(&content);
        check(name, "compressed", bytes, peak(|| Dataset::parse(name, &packed, &options)));
        if name.ends_with(".svm") {
            let sparse = options.clone().sparse(true);
            check(name, "sparse", bytes, peak(|| Dataset::parse(name, &content, &sparse)));
        }
        let file = Temporary::new(name, &content);
        check(name, "from a file", bytes, peak(|| Dataset::read_with(&file.0, &options)));
    }
    a_line_of_a_gigabyte_is_an_error();
    a_stream_needs_a_chunk_and_some_blocks();
}

/// A sparse file: it takes no room on the disk.
fn a_line_of_a_gigabyte_is_an_error() {
    for name in ["line.csv", "line.svm"] {
        let file = Temporary::new(name, b"");
        std::fs::OpenOptions::new().write(true).open(&file.0).unwrap().set_len(1 << 30).unwrap();
        let (result, peak) = peak(|| Dataset::read(&file.0));
        assert!(matches!(&result, Err(Error::Data { line: Some(1), .. })), "{name}: {result:?}");
        assert!(peak < 256 << 20, "{name}: {peak} bytes");
    }
}

fn a_stream_needs_a_chunk_and_some_blocks() {
    let line = (0..32).map(|column| format!("{}.25", column * 37)).collect::<Vec<_>>().join(",") + "\n";
    let rows = 300_000;
    let file = Temporary::new("stream.csv", line.repeat(rows).as_bytes());
    let (count, peak) = peak(|| {
        let chunks = CsvChunks::open(&file.0, &ReadOptions::default(), 10_000).unwrap();
        chunks.map(|chunk| chunk.unwrap().rows()).sum::<usize>()
    });
    assert_eq!(count, rows);
    assert!(peak < 64 << 20, "{peak} bytes at once for {} bytes of file", line.len() * rows);
}
