//! NPY and IDX files.

use gristmill::data::{Dataset, Missing, ReadOptions};
use gristmill::{Error, Result};

use super::{Temporary, gzip, parse, place};

/// An NPY file of version 1.
fn npy(descr: &str, fortran: &str, shape: &str, body: &[u8]) -> Vec<u8> {
    npy_of_version(1, descr, fortran, shape, body)
}

fn npy_of_version(version: u8, descr: &str, fortran: &str, shape: &str, body: &[u8]) -> Vec<u8> {
    let text = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}          \n");
    let mut file = b"\x93NUMPY".to_vec();
    file.extend([version, 0]);
    match version {
        1 => file.extend((text.len() as u16).to_le_bytes()),
        _ => file.extend((text.len() as u32).to_le_bytes()),
    }
    file.extend(text.bytes());
    file.extend(body);
    file
}

fn idx(kind: u8, sizes: &[u32], body: &[u8]) -> Vec<u8> {
    let mut file = vec![0, 0, kind, sizes.len() as u8];
    sizes.iter().for_each(|size| file.extend(size.to_be_bytes()));
    file.extend(body);
    file
}

fn bytes<const SIZE: usize>(numbers: impl IntoIterator<Item = [u8; SIZE]>) -> Vec<u8> {
    numbers.into_iter().flatten().collect()
}

/// Reads from memory, from a file and compressed, which are three ways through the reader.
fn read(name: &str, content: &[u8]) -> Result<Dataset> {
    let file = Temporary::new(name, content);
    let result = Dataset::read(&file.0);
    let path = file.0.display().to_string();
    assert_eq!(parse(&path, content), result);
    // The length of a compressed array is not known before it is read, so that its faults can have another order.
    let packed = parse(&path, gzip(content));
    assert!(packed == result || (packed.is_err() && result.is_err()), "{packed:?}");
    result
}

#[test]
fn every_number_type_and_byte_order_is_read() {
    let cases: Vec<(&str, Vec<u8>, [f32; 4])> = vec![
        ("<f4", bytes([1.5_f32, -2.0, 0.0, 3e38].map(f32::to_le_bytes)), [1.5, -2.0, 0.0, 3e38]),
        (">f4", bytes([1.5_f32, -2.0, 0.0, 3e38].map(f32::to_be_bytes)), [1.5, -2.0, 0.0, 3e38]),
        ("<f8", bytes([0.1_f64, -2.0, 1e-300, 4.0].map(f64::to_le_bytes)), [0.1, -2.0, 0.0, 4.0]),
        (">f8", bytes([0.1_f64, -2.0, 1e-300, 4.0].map(f64::to_be_bytes)), [0.1, -2.0, 0.0, 4.0]),
        ("|u1", vec![0, 1, 128, 255], [0.0, 1.0, 128.0, 255.0]),
        ("|i1", vec![0, 1, 128, 255], [0.0, 1.0, -128.0, -1.0]),
        ("|b1", vec![0, 1, 1, 0], [0.0, 1.0, 1.0, 0.0]),
        ("<i2", bytes([-1_i16, 2, 3, 300].map(i16::to_le_bytes)), [-1.0, 2.0, 3.0, 300.0]),
        (">i2", bytes([-1_i16, 2, 3, 300].map(i16::to_be_bytes)), [-1.0, 2.0, 3.0, 300.0]),
        ("<u2", bytes([65_535_u16, 2, 3, 300].map(u16::to_le_bytes)), [65_535.0, 2.0, 3.0, 300.0]),
        ("<i4", bytes([-70_000_i32, 2, 3, 4].map(i32::to_le_bytes)), [-70_000.0, 2.0, 3.0, 4.0]),
        (">u4", bytes([3_000_000_000_u32, 2, 3, 4].map(u32::to_be_bytes)), [3e9, 2.0, 3.0, 4.0]),
        ("<i8", bytes([-1_i64 << 40, 2, 3, 4].map(i64::to_le_bytes)), [-(2_f32.powi(40)), 2.0, 3.0, 4.0]),
        ("<u8", bytes([u64::MAX, 2, 3, 4].map(u64::to_le_bytes)), [2_f32.powi(64), 2.0, 3.0, 4.0]),
    ];
    for (number, (descr, body, wanted)) in cases.into_iter().enumerate() {
        let rows = read(&format!("{number}c.npy"), &npy(descr, "False", "(2, 2)", &body)).unwrap();
        assert_eq!(rows.x.as_slice(), wanted, "{descr}");
        let columns = read(&format!("{number}f.npy"), &npy(descr, "True", "(2, 2)", &body)).unwrap();
        assert_eq!(columns.x.as_slice(), [wanted[0], wanted[2], wanted[1], wanted[3]], "{descr}");
    }
}

#[test]
fn shapes_and_versions() {
    let body: Vec<u8> = (0..12).collect();
    let shape = |text: &str| read(&format!("shape{}.npy", text.len()), &npy("|u1", "False", text, &body)).unwrap();
    assert_eq!((shape("(12,)").x.rows(), shape("(12,)").x.columns()), (12, 1));
    assert_eq!((shape("(3, 4)").x.rows(), shape("(3, 4)").x.columns()), (3, 4));
    assert_eq!((shape("(3, 2, 2)").x.rows(), shape("(3, 2, 2)").x.columns()), (3, 4));
    for version in [1, 2, 3] {
        let file = npy_of_version(version, "|u1", "False", "(3, 4)", &body);
        assert_eq!(read(&format!("v{version}.npy"), &file).unwrap().x.row(1), [4.0, 5.0, 6.0, 7.0]);
    }
}

#[test]
fn a_large_array_is_read_by_all_cores_in_both_orders() {
    let (rows, columns) = (3001, 401);
    let value = |row: usize, column: usize| (row * 1000 + column) as f64;
    let by_row = bytes((0..rows * columns).map(|at| value(at / columns, at % columns).to_le_bytes()));
    let by_column = bytes((0..rows * columns).map(|at| (value(at % rows, at / rows) as f32).to_le_bytes()));
    let first = read("rows.npy", &npy("<f8", "False", "(3001, 401)", &by_row)).unwrap();
    let second = read("columns.npy", &npy("<f4", "True", "(3001, 401)", &by_column)).unwrap();
    assert!(first.x.as_slice().iter().enumerate().all(|(at, x)| f64::from(*x) == value(at / columns, at % columns)));
    assert_eq!(first, second);
}

#[test]
fn numbers_beyond_f32_are_refused_with_row_and_column() {
    let mut numbers = [1.0_f64; 12];
    numbers[7] = -1e39;
    let (_, column, why) =
        place(read("beyond.npy", &npy("<f8", "False", "(4, 3)", &bytes(numbers.map(f64::to_le_bytes)))));
    assert_eq!(column.as_deref(), Some("2"));
    assert!(why.contains("row 3") && why.contains("-1e39"), "{why}");
    let (_, column, why) =
        place(read("beyond2.npy", &npy("<f8", "True", "(4, 3)", &bytes(numbers.map(f64::to_le_bytes)))));
    assert_eq!(column.as_deref(), Some("2"));
    assert!(why.contains("row 4"), "{why}");
    let (_, column, why) =
        place(read("inf.npy", &npy("<f4", "False", "(3,)", &bytes([1.0, 2.0, f32::INFINITY].map(f32::to_le_bytes)))));
    assert!(column.as_deref() == Some("1") && why.contains("row 3"), "{why}");
}

#[test]
fn missing_numbers_are_refused_or_kept() {
    let file = npy("<f4", "False", "(2, 2)", &bytes([1.0, 2.0, f32::NAN, 4.0].map(f32::to_le_bytes)));
    let (_, column, why) = place(read("nan.npy", &file));
    assert!(column.as_deref() == Some("1") && why.contains("row 2"), "{why}");
    let options = ReadOptions::default().missing(Missing::Keep);
    assert!(Dataset::parse("nan.npy", &file, &options).unwrap().x.get(1, 0).is_nan());
    let options = ReadOptions::default().drop(["1"]);
    assert_eq!(Dataset::parse("nan.npy", &file, &options).unwrap().x.as_slice(), [2.0, 4.0]);
}

#[test]
fn columns_of_an_array_are_chosen_and_coded_by_number() {
    let file = npy("|u1", "False", "(3, 3)", &[9, 1, 0, 5, 2, 1, 9, 3, 1]);
    let options = ReadOptions::default().categorical(["1"]).target("-1");
    let data = Dataset::parse("t.npy", &file, &options).unwrap();
    assert_eq!(data.x.as_slice(), [1.0, 1.0, 0.0, 2.0, 1.0, 3.0]);
    assert_eq!(data.categories(), [Some(vec!["5".to_string(), "9".to_string()]), None]);
    assert_eq!(data.labels().unwrap().codes(), [0, 1, 1]);
}

#[test]
fn headers_that_lie_are_refused_before_anything_is_allocated() {
    let body = [1; 16];
    for (number, shape) in [
        "(1099511627776, 1)",
        "(1099511627776,)",
        "(4294967296, 4294967296)",
        "(18446744073709551615, 2)",
        "(17,)",
        "(15,)",
        "(0, 4)",
        "(4, 0)",
        "()",
        "(99999999999999999999999,)",
        "(4, -4)",
        "(2, 2, 4294967296, 4294967296, 4294967296)",
    ]
    .into_iter()
    .enumerate()
    {
        let (_, _, why) = place(read(&format!("lie{number}.npy"), &npy("|u1", "False", shape, &body)));
        assert!(why.contains("expected") || why.contains("promises") || why.contains("shape"), "{shape}: {why}");
    }
    for descr in ["<f2", "<c8", "|O", "|S4", "<U3", "<M8[ns]", "", "é", "<"] {
        assert!(place(parse("t.npy", npy(descr, "False", "(4, 4)", &body))).2.contains("type"), "{descr}");
    }
    assert!(place(parse("t.npy", npy("|u1", "True", "(2, 2, 4)", &body))).2.contains("Fortran"));
    assert!(place(parse("t.npy", npy_of_version(9, "|u1", "False", "(4, 4)", &body))).2.contains("version 9"));
    assert!(place(parse("t.npy", "a,b\n1,2\n3,4\n")).2.contains("not an NPY file"));
}

#[test]
fn an_array_cut_off_anywhere_is_refused() {
    let file = npy("<f4", "False", "(2, 3)", &[0; 24]);
    (0..file.len()).for_each(|end| assert!(parse("t.npy", &file[..end]).is_err(), "{end}"));
    assert!(parse("t.npy", &file).is_ok());
    let file = idx(0x0d, &[2, 3], &[0; 24]);
    (0..file.len()).for_each(|end| assert!(parse("t.idx", &file[..end]).is_err(), "{end}"));
    assert!(parse("t.idx", &file).is_ok());
    let mut longer = file.clone();
    longer.push(0);
    assert!(place(read("long.idx", &longer)).2.contains("too long"));
}

#[test]
fn idx_arrays_of_every_type_are_rows_of_what_lies_behind_the_first_size() {
    let data = read("images-idx3-ubyte", &idx(0x08, &[2, 2, 3], &(0..12).collect::<Vec<u8>>())).unwrap();
    assert_eq!((data.x.rows(), data.x.row(1)), (2, &[6.0, 7.0, 8.0, 9.0, 10.0, 11.0][..]));
    let cases: Vec<(u8, Vec<u8>)> = vec![
        (0x09, vec![1, 254]),
        (0x0b, bytes([1_i16, -2].map(i16::to_be_bytes))),
        (0x0c, bytes([1_i32, -2].map(i32::to_be_bytes))),
        (0x0d, bytes([1_f32, -2.0].map(f32::to_be_bytes))),
        (0x0e, bytes([1_f64, -2.0].map(f64::to_be_bytes))),
    ];
    for (kind, body) in cases {
        let data = read(&format!("{kind}.bin"), &idx(kind, &[2], &body)).unwrap();
        assert_eq!(data.x.as_slice(), [1.0, -2.0], "{kind:#x}");
    }
}

#[test]
fn idx_headers_that_lie_are_refused() {
    for (kind, sizes) in [
        (0x08, vec![u32::MAX; 4]),
        (0x08, vec![u32::MAX; 2]),
        (0x0e, vec![1 << 30]),
        (0x08, vec![0, 3]),
        (0x0a, vec![1]),
    ] {
        assert!(read("lie.idx", &idx(kind, &sizes, &[1, 2, 3])).is_err(), "{sizes:?}");
    }
    assert!(matches!(
        Dataset::parse("t.idx", &idx(0x08, &[1000], &[0; 1000]), &ReadOptions::default().budget(100)),
        Err(Error::Limit { need: 4000, have: 100, .. })
    ));
}

/// Reads a file with this description.
fn described(text: &str, body: &[u8]) -> Result<Dataset> {
    let file = [b"\x93NUMPY\x01\x00", &(text.len() as u16).to_le_bytes()[..], text.as_bytes(), body].concat();
    parse("t.npy", file)
}

#[test]
fn descriptions_are_read_in_any_order_and_spacing() {
    let numbers = bytes((0..6).map(|number| f64::from(number).to_le_bytes()));
    let data = described("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }  \n", &numbers).unwrap();
    assert_eq!((data.x.rows(), data.x.as_slice()), (2, &[0.0, 2.0, 4.0, 1.0, 3.0, 5.0][..]));
    let data = described("{\"shape\":(7L,),'fortran_order':False,'descr':'|u1'}", &[1, 2, 3, 4, 5, 6, 7]).unwrap();
    assert_eq!((data.x.columns(), data.x.as_slice()), (1, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0][..]));
}

#[test]
fn strange_descriptions_are_refused() {
    let good = "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 4)}";
    assert!(described(good, &[0; 96]).is_ok());
    for end in 0..good.len() {
        assert!(described(&good[..end], &[0; 96]).is_err(), "{}", &good[..end]);
    }
    assert!(described("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,)}", &[0; 12]).is_err());
    assert!(described("{'descr': '<f8', 'fortran_order': False, 'shape': (-3,)}", &[0; 24]).is_err());
    let long = "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999999,)}";
    assert!(described(long, &[0; 24]).is_err());
}
