//! Files in formats that are not read, named for what they are.

use super::number::trim;

/// How files of a format begin, what they are, and what to do about them.
const SIGNATURES: &[(&[u8], &str, &str)] = &[
    (b"BZh", "a bzip2 file", "unpack it with bunzip2, or compress it with gzip"),
    (b"\xfd7zXZ", "an xz file", "unpack it with unxz, or compress it with gzip"),
    (b"\x28\xb5\x2f\xfd", "a zstd file", "unpack it with unzstd, or compress it with gzip"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip file", "unpack it first"),
    (b"PK\x03\x04", "a zip file", "unpack it first"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook", "save the sheet as CSV"),
    (b"FEA1", "a Feather file of the first version", "write it as Feather of the second, or Parquet"),
    (b"\x89HDF", "an HDF5 file", "save the table as CSV or NPY"),
    (b"SQLite format 3\0", "an SQLite database", "export the table as CSV"),
    (b"%PDF", "a PDF document", "save the table as CSV"),
    (b"\xff\xd8\xff", "a JPEG picture", "save its values as NPY"),
    (
        b"@relation",
        "an ARFF file",
        "read it with --format csv --header no --skip-lines N, N being the lines up to @data",
    ),
    (b"\x89PNG", "a PNG picture", "save its values as NPY"),
];
/// Workbooks are zip files of documents.
const WORKBOOKS: &[(&str, &str)] = &[("xl/", "an Excel workbook (xlsx)"), ("opendocument", "an OpenDocument workbook")];

/// What a file is that is not read, and what to do about it; nothing if it may be one that is.
pub(super) fn named(head: &[u8], name: &str) -> Option<String> {
    let found = SIGNATURES.iter().find(|(signature, ..)| head.starts_with(signature));
    if let Some((signature, what, remedy)) = found {
        let text = String::from_utf8_lossy(head);
        let book = WORKBOOKS.iter().find(|(inside, _)| signature.starts_with(b"PK") && text.contains(inside));
        let by_name = signature.starts_with(b"PK") && (name.ends_with(".xlsx") || name.ends_with(".ods"));
        return Some(match (book, by_name) {
            (Some((_, what)), _) => format!("this is {what}; save the sheet as CSV"),
            (None, true) => "this is a workbook; save the sheet as CSV".to_string(),
            (None, false) => format!("this is {what}; {remedy}"),
        });
    }
    let text = trim_lines(head);
    let object = text.starts_with(b"{") && matches!(trim_lines(&text[1..]), [b'"' | b'}', ..] | []);
    let list = text.starts_with(b"[") && matches!(trim_lines(&text[1..]), [b'{' | b'[', ..]);
    if object || list || name.ends_with(".json") {
        return Some("this is JSON; save the table as CSV, or as JSON lines, an object for each row".to_string());
    }
    let html = text.len() > 5 && (text[..5].eq_ignore_ascii_case(b"<html") || text[..5].eq_ignore_ascii_case(b"<!doc"));
    html.then(|| "this is a page of HTML, perhaps an error in place of the data; download it again".to_string())
}

fn trim_lines(mut bytes: &[u8]) -> &[u8] {
    while let [b'\n' | b'\r' | b' ' | b'\t', rest @ ..] = bytes {
        bytes = rest;
    }
    trim(bytes)
}
