use gristmill::ops;
use gristmill::prelude::*;

use crate::support::{devices, gpu, gpu_with, numbers};

fn select(device: &Device, keys: &[f32], mask: Option<&[u32]>, k: usize) -> Result<Vec<u32>> {
    let mut stream = device.stream();
    let keys = DeviceVec::from_slice(keys, device)?;
    let mask = mask.map(|mask| DeviceVec::from_slice(mask, device)).transpose()?;
    ops::select_smallest(&mut stream, &keys, mask.as_ref(), k)?.to_vec(&mut stream)
}

/// A stable sort of all that are eligible.
fn oracle(keys: &[f32], mask: Option<&[u32]>, k: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..keys.len() as u32).filter(|at| mask.is_none_or(|m| m[*at as usize] != 0)).collect();
    order.sort_by(|a, b| keys[*a as usize].partial_cmp(&keys[*b as usize]).unwrap());
    order.resize(order.len().max(k), u32::MAX);
    order.truncate(k);
    order
}

#[test]
fn the_smallest_are_found_in_order_at_edge_sizes() {
    for (name, device) in devices() {
        for count in [0, 1, 2, 63, 64, 65, 255, 256, 257, 1000, 4095, 4097, 70_000, 300_000] {
            let keys: Vec<f32> = numbers(count, 21).iter().map(|key| key * key * key * 1e3).collect();
            let few: Vec<f32> = keys.iter().map(|key| (key * 0.01).round()).collect();
            let mask: Vec<u32> = (0..count as u32).map(|at| u32::from(at % 3 != 1) << (at % 32)).collect();
            for k in [0, 1, 2, 100, 512, 2048] {
                for keys in [&keys, &few] {
                    for mask in [None, Some(&mask[..])] {
                        let found = select(device, keys, mask, k).unwrap();
                        assert!(found == oracle(keys, mask, k), "{name}: {k} of {count}, mask {}", mask.is_some());
                    }
                }
            }
        }
    }
}

#[test]
fn equal_keys_zeros_and_tiny_numbers_are_told_apart_by_index_and_bits() {
    for (name, device) in devices() {
        let same = vec![0.25; 200_000];
        assert_eq!(select(device, &same, None, 1000).unwrap(), (0..1000).collect::<Vec<u32>>(), "{name}");
        let last: Vec<u32> = (0..200_000).map(|at| u32::from(at >= 199_990)).collect();
        let found = select(device, &same, Some(&last), 20).unwrap();
        assert_eq!(
            found[..11],
            [199_990, 199_991, 199_992, 199_993, 199_994, 199_995, 199_996, 199_997, 199_998, 199_999, u32::MAX],
            "{name}"
        );
        let odd = [0.0, -0.0, 1e-40, -1e-40, f32::MAX, f32::MIN, f32::MIN_POSITIVE, 2e-40, -0.0];
        assert_eq!(select(device, &odd, None, 9).unwrap(), [5, 3, 0, 1, 8, 2, 7, 6, 4], "{name}");
        assert_eq!(select(device, &[1.0, 2.0], Some(&[0, 0]), 3).unwrap(), [u32::MAX; 3], "{name}");
    }
}

#[test]
fn chunks_and_budgets_do_not_show() {
    let keys: Vec<f32> = numbers(600_003, 22).iter().map(|key| (key * 300.0).round()).collect();
    let mask: Vec<u32> = (0..600_003).map(|at| at % 2).collect();
    let whole = oracle(&keys, Some(&mask), 777);
    assert!(select(gpu(), &keys, Some(&mask), 777).unwrap() == whole);
    let split = [1, 7, 1000].map(|blocks| DeviceOptions::default().chunk_rows(blocks));
    let tight = [1, 16].map(|mebibytes| DeviceOptions::default().memory_budget(mebibytes << 20));
    for options in split.into_iter().chain(tight) {
        let device = gpu_with(options.mark_outputs(true));
        assert!(select(&device, &keys, Some(&mask), 777).unwrap() == whole);
    }
}

#[test]
fn what_is_refused() {
    for (name, device) in devices() {
        let refused = select(device, &[1.0; 10], None, 2049).unwrap_err();
        assert!(matches!(refused, Error::Limit { need: 2049, have: 2048, .. }), "{name}: {refused}");
        let refused = select(device, &[1.0, f32::NAN], None, 1).unwrap_err();
        assert!(matches!(refused, Error::NotFinite { row: 1, .. }), "{name}: {refused}");
        let refused = select(device, &[1.0, 2.0], Some(&[1]), 1).unwrap_err();
        assert!(matches!(refused, Error::Shape { op: "select_smallest", .. }), "{name}: {refused}");
    }
}
