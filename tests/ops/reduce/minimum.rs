use gristmill::ops;
use gristmill::prelude::*;

use crate::support::{devices, gpu_with, numbers};

fn minimum(device: &Device, x: &[f32]) -> Option<(f32, usize)> {
    ops::minimum(&mut device.stream(), &DeviceVec::from_slice(x, device).unwrap()).unwrap()
}

/// Value and index, left on the device and then read.
fn minimum_into(device: &Device, x: &[f32]) -> Result<(f32, usize)> {
    let mut stream = device.stream();
    let mut value = DeviceVec::from_slice(&[0.0], device)?;
    let mut index = DeviceVec::from_slice(&[0_u32], device)?;
    ops::minimum_into(&mut stream, &DeviceVec::from_slice(x, device)?, &mut value, &mut index)?;
    Ok((value.to_vec(&mut stream)?[0], index.to_vec(&mut stream)?[0] as usize))
}

fn oracle(x: &[f32]) -> Option<(f32, usize)> {
    x.iter().enumerate().fold(None, |best, (at, value)| match best {
        Some((least, _)) if least <= *value => best,
        _ => Some((*value, at)),
    })
}

#[test]
fn the_smallest_value_is_found_at_edge_sizes() {
    for (name, device) in devices() {
        for count in [0, 1, 2, 63, 64, 65, 255, 256, 257, 1000, 16_383, 16_384, 16_385, 70_000, 1_000_000] {
            let x = numbers(count, 81);
            assert_eq!(minimum(device, &x), oracle(&x), "{name}: {count}");
            assert_eq!(minimum_into(device, &x).ok(), oracle(&x), "{name}: {count}");
        }
    }
}

#[test]
fn ties_go_to_the_lowest_index() {
    for (name, device) in devices() {
        let mut x = vec![1.0; 100_000];
        assert_eq!(minimum(device, &x), Some((1.0, 0)), "{name}");
        for at in [99_999, 70_001, 16_500, 16_437] {
            x[at] = -2.0;
            assert_eq!(minimum(device, &x), Some((-2.0, at)), "{name}");
            assert_eq!(minimum_into(device, &x).unwrap(), (-2.0, at), "{name}");
        }
    }
}

#[test]
fn chunks_and_budgets_do_not_show() {
    let x = numbers(300_003, 82);
    for options in [1, 7, 1000].map(|blocks| DeviceOptions::default().chunk_rows(blocks)) {
        let device = gpu_with(options.mark_outputs(true));
        assert_eq!(minimum(&device, &x), oracle(&x));
        assert_eq!(minimum_into(&device, &x).ok(), oracle(&x));
    }
    for options in [1, 16].map(|mebibytes| DeviceOptions::default().memory_budget(mebibytes << 20)) {
        let device = gpu_with(options.mark_outputs(true));
        assert_eq!(minimum(&device, &x), oracle(&x));
        assert_eq!(minimum_into(&device, &x).ok(), oracle(&x));
    }
}
