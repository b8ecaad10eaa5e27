//! What is kept from one use to the next: buffers, bind groups, pipelines; and what runs without a count.

use gristmill::device::memory::size_class;
use gristmill::ops::{self, Layout};
use gristmill::prelude::*;

use crate::support::{bits, matrix, numbers, open_gpu};

#[test]
fn a_size_class_is_at_most_an_eighth_larger() {
    for bytes in (0..60).map(|bits| 1_u64 << bits).flat_map(|power| [power - 1, power, power + 1, power * 5 / 3]) {
        let class = size_class(bytes);
        assert!(class >= bytes && class.is_multiple_of(16), "{bytes}: {class}");
        assert!(class <= (bytes + bytes / 8 + 1).max(256), "{bytes}: {class}");
        assert_eq!(size_class(class), class, "{bytes}");
    }
}

/// Distances and their smallest in each row, which take a scratch buffer or two and several outputs.
fn loops(device: &Device, rounds: usize) -> Vec<u32> {
    let x = matrix(300, 20, 81).to(device).unwrap();
    let mut stream = device.stream();
    let mut found = vec![];
    for _ in 0..rounds {
        let distances = ops::sq_euclidean(&mut stream, &x, &x).unwrap();
        let (_, value) = ops::argmin_rows(&mut stream, &distances).unwrap();
        found = bits(&value.to_vec(&mut stream).unwrap());
    }
    found
}

#[test]
fn a_loop_makes_its_buffers_and_bind_groups_once() {
    let device = open_gpu(DeviceOptions::default());
    loops(&device, 3);
    device.profile(true);
    let first = loops(&device, 1);
    let made = device.profile_report();
    assert_eq!(loops(&device, 20), first);
    let profile = device.profile_report();
    assert!(profile.reused_buffers >= 40, "{profile:?}");
    assert_eq!(profile.new_buffers, made.new_buffers, "{profile:?}");
    assert!(profile.new_bind_groups <= made.new_bind_groups + 4, "{profile:?}");
}

#[test]
fn what_lies_idle_is_counted_and_goes_before_anything_is_refused() {
    let budget = 8 << 20;
    let device = open_gpu(DeviceOptions::default().memory_budget(budget));
    let mut stream = device.stream();
    // 1.5 MB, then 1.8 MB each in turn: what lies idle of one must make room for the other.
    for round in 0..20 {
        for rows in [600, 670, 300, 40] {
            let x = matrix(rows, 9, round).to(&device).unwrap();
            let distances = ops::sq_euclidean(&mut stream, &x, &x).unwrap();
            let (index, _) = ops::argmin_rows(&mut stream, &distances).unwrap();
            assert_eq!(index.to_vec(&mut stream).unwrap(), (0..rows as u32).collect::<Vec<_>>());
            assert!(device.memory().0 <= budget);
        }
    }
    assert!(device.memory().0 > 0);
}

#[test]
fn a_buffer_from_the_pool_is_marked_again() {
    let device = open_gpu(DeviceOptions::default().mark_outputs(true));
    let mut stream = device.stream();
    let values: Vec<u32> = (0..5000).collect();
    for _ in 0..3 {
        let written = DeviceVec::from_slice(&values, &device).unwrap();
        assert_eq!(written.to_vec(&mut stream).unwrap(), values);
    }
    let unwritten = DeviceVec::<u32>::unwritten(&mut stream, 5000).unwrap();
    let refused = unwritten.to_vec(&mut stream).unwrap_err();
    assert!(refused.to_string().contains("never written"), "{refused}");
}

#[test]
fn kernels_run_without_the_count_after_a_while_with_the_same_bits() {
    let x = matrix(130, 37, 82);
    // Until so many dispatches went uncounted: the form without the count is compiled while the other runs.
    let run = |count: u64, least: u64| {
        let device = open_gpu(DeviceOptions::default().count_dispatches(count));
        device.profile(true);
        let mut stream = device.stream();
        let x = x.to(&device).unwrap();
        let mut results = vec![];
        while results.len() < 6 || (device.profile_report().uncounted_dispatches < least && results.len() < 5000) {
            let product = ops::gemm(&mut stream, Layout::NT, &x, &x).unwrap();
            let turned = ops::transpose(&mut stream, &product).unwrap();
            results.push(bits(turned.to_matrix(&mut stream).unwrap().as_slice()));
        }
        let vector = DeviceVec::from_slice(&numbers(100_000, 83), &device).unwrap();
        (results, ops::sum(&mut stream, &vector).unwrap(), device.profile_report().uncounted_dispatches)
    };
    let (counted, counted_sum, none) = run(u64::MAX, 0);
    assert_eq!(none, 0);
    for (count, least) in [(0, 12), (3, 6)] {
        let (results, sum, uncounted) = run(count, least);
        assert!(results.iter().all(|result| *result == counted[0]) && sum == counted_sum, "after {count}");
        assert!(uncounted >= least, "after {count}: {uncounted}");
    }
}

#[test]
fn an_index_out_of_range_is_found_without_the_count_too() {
    let device = open_gpu(DeviceOptions::default().count_dispatches(0));
    let x = matrix(10, 3, 84).to(&device).unwrap();
    for _ in 0..3 {
        let mut stream = device.stream();
        let rows = DeviceVec::from_slice(&[1_u32, 10], &device).unwrap();
        assert!(ops::gather_rows(&mut stream, &x, &rows).is_err());
        let rows = DeviceVec::from_slice(&[1_u32, 9], &device).unwrap();
        assert!(ops::gather_rows(&mut stream, &x, &rows).is_ok());
    }
}

#[test]
fn every_kernel_compiles_with_and_without_the_count_on_many_threads() {
    let device = open_gpu(DeviceOptions::default());
    device.warm(&ops::kernels()).unwrap();
}

#[test]
fn a_device_can_go_while_its_kernels_are_being_compiled() {
    for _ in 0..3 {
        let device = open_gpu(DeviceOptions::default());
        device.begin_to_warm(&ops::kernels()).unwrap();
    }
}
