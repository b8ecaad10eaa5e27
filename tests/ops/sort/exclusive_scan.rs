use gristmill::ops;
use gristmill::prelude::*;

use crate::support::{devices, gpu_with};

fn scan(device: &Device, x: &[u32]) -> Result<Vec<u32>> {
    let mut stream = device.stream();
    ops::exclusive_scan(&mut stream, &DeviceVec::from_slice(x, device)?)?.to_vec(&mut stream)
}

fn oracle(x: &[u32]) -> Vec<u32> {
    x.iter().scan(0_u32, |sum, value| Some(std::mem::replace(sum, sum.wrapping_add(*value)))).collect()
}

fn values(count: usize) -> Vec<u32> {
    (0..count as u32).map(|at| at.wrapping_mul(2_654_435_761) >> 20).collect()
}

#[test]
fn scans_at_edge_sizes_match_the_oracle() {
    for (name, device) in devices() {
        for count in [0, 1, 2, 63, 64, 65, 255, 256, 257, 1000, 4095, 4096, 4097, 70_000, 300_000, 5_000_000] {
            let x = values(count);
            assert!(scan(device, &x).unwrap() == oracle(&x), "{name}: {count}");
        }
    }
}

#[test]
fn sums_wrap_around() {
    let x = vec![u32::MAX - 5; 1000];
    for (name, device) in devices() {
        assert_eq!(scan(device, &x).unwrap(), oracle(&x), "{name}");
    }
}

#[test]
fn chunks_do_not_show_and_what_does_not_fit_is_a_limit() {
    let x = values(100_000);
    for blocks in [1, 7, 64] {
        let device = gpu_with(DeviceOptions::default().chunk_rows(blocks).mark_outputs(true));
        assert_eq!(scan(&device, &x).unwrap(), oracle(&x), "{blocks} blocks");
    }
    let device = gpu_with(DeviceOptions::default().memory_budget(1 << 20));
    assert_eq!(scan(&device, &values(10_000)).unwrap(), oracle(&values(10_000)));
    assert!(matches!(scan(&device, &values(2_000_000)), Err(Error::Limit { .. })));
}
