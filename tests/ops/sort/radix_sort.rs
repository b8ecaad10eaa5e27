use gristmill::ops;
use gristmill::prelude::*;

use crate::support::{devices, gpu_with};

fn sort(device: &Device, keys: &[u32]) -> Result<(Vec<u32>, Vec<u32>)> {
    let mut stream = device.stream();
    let payload: Vec<u32> = (0..keys.len() as u32).collect();
    let payload = DeviceVec::from_slice(&payload, device)?;
    let (keys, payload) = ops::radix_sort(&mut stream, &DeviceVec::from_slice(keys, device)?, &payload)?;
    Ok((keys.to_vec(&mut stream)?, payload.to_vec(&mut stream)?))
}

/// A stable order is unique, so the payload says all.
fn oracle(keys: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut pairs: Vec<(u32, u32)> = keys.iter().copied().zip(0..).collect();
    pairs.sort_by_key(|(key, _)| *key);
    pairs.into_iter().unzip()
}

fn random(count: usize) -> Vec<u32> {
    (0..count as u32).map(|at| at.wrapping_add(7).wrapping_mul(2_654_435_761) ^ (at << 13)).collect()
}

#[test]
fn keys_are_sorted_stably_at_edge_sizes() {
    for (name, device) in devices() {
        for count in [0, 1, 2, 63, 64, 65, 255, 256, 257, 1000, 16_383, 16_385, 70_000, 400_000] {
            let keys = random(count);
            assert!(sort(device, &keys).unwrap() == oracle(&keys), "{name}: {count} random keys");
            let few: Vec<u32> = keys.iter().map(|key| key % 5).collect();
            assert!(sort(device, &few).unwrap() == oracle(&few), "{name}: {count} keys of five kinds");
        }
    }
}

#[test]
fn sorted_reversed_and_extreme_keys_are_sorted() {
    for (name, device) in devices() {
        let ascending: Vec<u32> = (0..10_000).collect();
        let descending: Vec<u32> = (0..10_000).rev().map(|key| key << 18).collect();
        let extreme: Vec<u32> = (0..10_000).map(|at| if at % 3 == 0 { u32::MAX } else { at % 2 }).collect();
        for keys in [ascending, descending, extreme, vec![42; 10_000]] {
            assert!(sort(device, &keys).unwrap() == oracle(&keys), "{name}");
        }
    }
}

#[test]
fn chunks_do_not_show_and_what_does_not_fit_is_a_limit() {
    let keys = random(50_000);
    for blocks in [1, 7] {
        let device = gpu_with(DeviceOptions::default().chunk_rows(blocks).mark_outputs(true));
        assert_eq!(sort(&device, &keys).unwrap(), oracle(&keys), "{blocks} blocks");
    }
    let device = gpu_with(DeviceOptions::default().memory_budget(1 << 20));
    assert!(matches!(sort(&device, &random(1_000_000)), Err(Error::Limit { .. })));
    assert_eq!(sort(&device, &random(5000)).unwrap(), oracle(&random(5000)), "the device is not spoilt");
}

#[test]
fn a_payload_of_another_length_is_an_error() {
    for (name, device) in devices() {
        let keys = DeviceVec::from_slice(&[1_u32, 2], device).unwrap();
        let payload = DeviceVec::from_slice(&[1_u32], device).unwrap();
        let refused = ops::radix_sort(&mut device.stream(), &keys, &payload).unwrap_err();
        assert!(matches!(refused, Error::Shape { op: "radix_sort", .. }), "{name}: {refused}");
    }
}
