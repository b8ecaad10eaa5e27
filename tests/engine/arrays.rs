use gristmill::ops::{self, Layout};
use gristmill::prelude::*;
use nalgebra::DMatrix;

use crate::support::{bits, gpu, matrix, open_gpu};

fn devices() -> [(&'static str, &'static Device); 2] {
    [("cpu", &Device::Cpu), ("gpu", gpu())]
}

#[test]
fn a_matrix_comes_back_as_it_went_at_edge_sizes() {
    for (name, device) in devices() {
        for (rows, columns) in
            [(0, 0), (0, 3), (3, 0), (1, 1), (2, 3), (63, 64), (65, 5), (257, 255), (70_000, 1), (3, 70_001)]
        {
            let x = matrix(rows, columns, 31);
            let back = x.to(device).unwrap().read_back(&mut device.stream()).unwrap();
            assert!(back == x, "{name}: {rows}×{columns}");
        }
    }
}

#[test]
fn a_matrix_larger_than_many_staging_chunks_comes_back_whole() {
    let x = matrix(100_003, 51, 32);
    for budget in [2_u64 << 20, 300 << 20] {
        let device = open_gpu(DeviceOptions::default().memory_budget(budget));
        let back = x.to(&device).unwrap().read_back(&mut device.stream()).unwrap();
        assert!(back == x, "budget {budget}");
    }
}

#[test]
fn the_first_infinity_is_an_error_with_its_place() {
    for (name, device) in devices() {
        let mut x = matrix(300, 200, 33);
        x.as_mut_slice()[123 * 200 + 45] = f32::NEG_INFINITY;
        x.as_mut_slice()[250 * 200] = f32::INFINITY;
        let refused = x.to(device).unwrap_err();
        assert!(matches!(refused, Error::NotFinite { row: 123, column: 45, .. }), "{name}: {refused}");
    }
}

#[test]
fn missing_values_are_remembered_and_come_back() {
    for (name, device) in devices() {
        let mut x = matrix(300, 200, 34);
        x.as_mut_slice()[7 * 200 + 8] = f32::NAN;
        x.as_mut_slice()[7 * 200 + 9] = f32::NAN;
        let uploaded = x.to(device).unwrap();
        assert_eq!(uploaded.missing(), Some((7, 8)), "{name}");
        assert!(uploaded.read_back(&mut device.stream()).unwrap() == x, "{name}");
        let mut stream = device.stream();
        let refused = ops::argmin_rows(&mut stream, &uploaded).unwrap_err();
        assert!(matches!(refused, Error::NotFinite { row: 7, column: 8, .. }), "{name}: {refused}");
        let turned = ops::transpose(&mut stream, &uploaded).unwrap();
        assert!(turned.missing().is_some(), "{name}: a rearrangement is still missing values");
    }
}

#[test]
fn a_changed_matrix_is_checked_again() {
    let mut x = matrix(2, 2, 35);
    assert_eq!(x.check_finite().unwrap(), None);
    x.as_mut_slice()[3] = f32::INFINITY;
    assert!(x.check_finite().is_err());
}

#[test]
fn narrowing_reports_what_does_not_fit() {
    let refused = Matrix::from_f64(2, 2, &[1.0, 2.0, -1e39, 3.0]).unwrap_err();
    assert!(matches!(refused, Error::NotFinite { row: 1, column: 0, value: -1e39 }), "{refused}");
    assert!(refused.to_string().contains("beyond the range of f32"));
    let kept = Matrix::from_f64(1, 2, &[f64::NAN, 0.1]).unwrap();
    assert!(kept.get(0, 0).is_nan() && kept.get(0, 1) == 0.1);
    assert!(matches!(Matrix::from_f64(1, 2, &[1.0]), Err(Error::Shape { .. })));
}

#[test]
fn nalgebra_matrices_convert_both_ways() {
    let there = DMatrix::from_row_slice(2, 3, &[1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let x = Matrix::try_from(&there).unwrap();
    assert_eq!(x.row(1), [4.0, 5.0, 6.0]);
    assert_eq!(DMatrix::<f32>::from(&x), there);
    let wide = Matrix::from_dmatrix_f64(&x.to_dmatrix()).unwrap();
    assert!(wide == x);
}

#[test]
fn vectors_of_rows_convert_and_ragged_ones_do_not() {
    let x = Matrix::try_from(vec![vec![1.0, 2.0], vec![3.0, 4.0]]).unwrap();
    assert_eq!(x.as_slice(), [1.0, 2.0, 3.0, 4.0]);
    let refused = Matrix::try_from(vec![vec![1.0, 2.0], vec![3.0]]).unwrap_err();
    assert!(refused.to_string().contains("row 1"), "{refused}");
    let named = x.with_names(["height", "weight"]).unwrap();
    assert_eq!(named.names().unwrap()[1], "weight");
    assert!(matches!(named.with_names(["one"]), Err(Error::Shape { .. })));
}

#[cfg(feature = "ndarray")]
#[test]
fn ndarray_matrices_convert_both_ways_in_any_order() {
    let there = ndarray::array![[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0]];
    let x = Matrix::try_from(&there).unwrap();
    assert_eq!(ndarray::Array2::<f32>::from(&x), there);
    let turned = Matrix::try_from(&there.t().to_owned()).unwrap();
    assert_eq!(turned.row(0), [1.0, 4.0]);
}

#[test]
fn products_that_no_memory_holds_are_errors() {
    // 2²⁴ × 2²⁴ results would be 2⁵⁰ bytes.
    let x = Matrix::zeros(1 << 24, 1).unwrap();
    for (name, device) in devices() {
        let mut stream = device.stream();
        let x = x.to(device).unwrap();
        let refused = ops::gemm(&mut stream, Layout::NT, &x, &x).unwrap_err();
        assert!(matches!(refused, Error::OutOfMemory { .. } | Error::Limit { .. }), "{name}: {refused}");
        let refused = ops::sq_euclidean(&mut stream, &x, &x).unwrap_err();
        assert!(matches!(refused, Error::OutOfMemory { .. } | Error::Limit { .. }), "{name}: {refused}");
    }
    assert!(matches!(Matrix::zeros(usize::MAX, 3), Err(Error::OutOfMemory { .. })));
    assert!(matches!(Matrix::from_vec(usize::MAX, 3, vec![0.0]), Err(Error::Shape { .. })));
}

#[test]
fn a_vector_comes_back_as_it_went() {
    for (name, device) in devices() {
        for count in [0, 1, 2, 63, 64, 65, 4095, 4096, 4097, 70_000] {
            let codes: Vec<u32> = (0..count).map(|at| at ^ 0x5555).collect();
            let back = DeviceVec::from_slice(&codes, device).unwrap().to_vec(&mut device.stream()).unwrap();
            assert_eq!(back, codes, "{name}");
            let signed: Vec<i32> = codes.iter().map(|code| -(*code as i32)).collect();
            let back = DeviceVec::from_slice(&signed, device).unwrap().to_vec(&mut device.stream()).unwrap();
            assert_eq!(back, signed, "{name}");
        }
    }
}

#[test]
fn results_of_one_op_feed_the_next_without_a_read_back() {
    let x = matrix(50, 6, 36);
    let nearest = |device: &Device| {
        let mut stream = device.stream();
        let x = x.to(device).unwrap();
        let distances = ops::sq_euclidean(&mut stream, &x, &x).unwrap();
        let doubled = ops::gemm(&mut stream, Layout::NN, &distances, &distances).unwrap();
        let (index, _) = ops::argmin_rows(&mut stream, &distances).unwrap();
        (index.to_vec(&mut stream).unwrap(), bits(doubled.to_matrix(&mut stream).unwrap().as_slice()).len())
    };
    assert_eq!(nearest(&Device::Cpu), nearest(gpu()));
    assert_eq!(nearest(gpu()).0, (0..50).collect::<Vec<u32>>());
}

#[test]
fn an_empty_view_at_the_end_is_no_crash_and_one_past_it_an_error() {
    let device = open_gpu(DeviceOptions::default().chunk_rows(1));
    let x = matrix(2, 3, 37).to(&device).unwrap();
    let mut stream = device.stream();
    assert!(x.view(&mut stream, 2..2).is_ok());
    assert!(matches!(x.view(&mut stream, 1..3), Err(Error::Shape { .. })));
}

#[test]
fn a_result_that_overflowed_to_nan_is_an_error_not_a_missing_value() {
    for (name, device) in devices() {
        let mut stream = device.stream();
        let a = Matrix::from_rows(&[[1e30, 1e30]]).unwrap().to(device).unwrap();
        let b = Matrix::from_rows(&[[1e30, -1e30]]).unwrap().to(device).unwrap();
        let refused = ops::gemm(&mut stream, Layout::NT, &a, &b).unwrap().to_matrix(&mut stream).unwrap_err();
        assert!(matches!(refused, Error::NotFinite { row: 0, column: 0, .. }), "{name}: {refused}");
    }
}

#[test]
fn counts_that_no_memory_holds_are_errors() {
    use gristmill::ops::random::philox::Draw;
    for (name, device) in devices() {
        let mut stream = device.stream();
        let refused = ops::random_bits(&mut stream, Draw::new(1, 1), usize::MAX / 2).unwrap_err();
        assert!(matches!(refused, Error::OutOfMemory { .. }), "{name}: {refused}");
        let wide = Matrix::zeros(1, 1 << 22).unwrap().to(device).unwrap();
        assert!(ops::syrk(&mut stream, &wide, None, None).is_err(), "{name}");
    }
}
