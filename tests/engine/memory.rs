//! Where memory comes from and what happens when there is less than was thought; how much work a dispatch holds.

use std::time::Duration;

use gristmill::DeviceKind;
use gristmill::device::pace::Pace;
use gristmill::ops::{self, Layout};
use gristmill::prelude::*;

use crate::support::{bits, gpu, matrix, numbers, open_gpu};

#[test]
fn the_budget_comes_from_the_machine_and_is_seen_in_the_list() {
    let info = gpu().info();
    let budget = gpu().memory().1;
    assert_eq!(info.memory_budget, Some(budget));
    assert!(budget >= 256 << 20);
    if matches!(info.kind, DeviceKind::Integrated | DeviceKind::Software) {
        assert_eq!(Device::list()[info.index].memory_budget, Some(budget));
    }
    if cfg!(target_os = "linux") && info.kind == DeviceKind::Software {
        let text = std::fs::read_to_string("/proc/meminfo").unwrap();
        let total: u64 = text.split_whitespace().nth(1).unwrap().parse().unwrap();
        assert!(budget <= (total << 10) / 2);
    }
    assert_eq!(Device::list()[0].memory_budget, None);
    assert_eq!(open_gpu(DeviceOptions::default().memory_budget(7 << 20)).info().memory_budget, Some(7 << 20));
}

#[test]
fn an_array_for_which_the_driver_has_no_memory_stays_on_the_host() {
    let x = matrix(2000, 300, 91);
    let product = |options: DeviceOptions| {
        let device = open_gpu(options);
        let mut stream = device.stream();
        let x = x.to(&device).unwrap();
        let product = ops::gemm(&mut stream, Layout::NT, &x, &x).unwrap();
        let (index, value) = ops::argmax_rows(&mut stream, &product).unwrap();
        let found = (index.to_vec(&mut stream).unwrap(), bits(&value.to_vec(&mut stream).unwrap()));
        (found, bits(product.to_matrix(&mut stream).unwrap().as_slice()), device.memory().0)
    };
    let budget = DeviceOptions::default().memory_budget(64 << 20);
    let (found, all, used) = product(budget.clone());
    assert!(used > 12 << 20);
    // The product takes 16 MB; blocks of it are 4 MiB, staging chunks as much.
    let (found_there, all_there, used) = product(budget.driver_memory(30 << 20));
    assert!(found == found_there && all == all_there);
    assert!(used <= 30 << 20, "{used}");
}

#[test]
fn mapped_and_copied_arrays_have_the_same_values() {
    for count in [0, 1, 4095, 4096, 4097, 300_001] {
        let values = numbers(count, 92);
        for maps in [false, true] {
            let device = open_gpu(DeviceOptions::default().map_arrays(maps));
            let uploaded = DeviceVec::from_slice(&values, &device).unwrap();
            assert_eq!(bits(&uploaded.to_vec(&mut device.stream()).unwrap()), bits(&values), "{count} {maps}");
            drop(uploaded);
            // From the pool now, over the values of before.
            let other = numbers(count, 93);
            let uploaded = DeviceVec::from_slice(&other, &device).unwrap();
            assert_eq!(bits(&uploaded.to_vec(&mut device.stream()).unwrap()), bits(&other), "{count} {maps}");
        }
    }
}

#[test]
fn work_in_a_dispatch_grows_towards_thirty_milliseconds_and_shrinks_from_above() {
    let pace = Pace::default();
    let first = pace.operations();
    // 16,384 lanes from the first dispatch on in k-means with 1024 centres of 32 numbers, three operations each: 128 rows for
    // 256 lanes.
    assert!(first / (3 * 1024 * 32) / 128 * 256 >= 16_384, "{first}");
    // A card that does 10¹² operations a second.
    let mut submits = 0;
    while pace.operations() < 30_000_000_000 {
        let operations = 2 * pace.operations();
        pace.observe(operations, Duration::from_secs_f64(operations as f64 / 1e12));
        submits += 1;
        assert!(submits < 10);
    }
    assert_eq!(pace.operations(), 30_000_000_000);
    // A small submit says nothing.
    pace.observe(1_000_000, Duration::from_secs(1));
    assert_eq!(pace.operations(), 30_000_000_000);
    // The next kernel is a thousand times slower: a quarter each time, but never nothing.
    for _ in 0..20 {
        let operations = 2 * pace.operations();
        pace.observe(operations, Duration::from_secs_f64(operations as f64 / 1e9));
    }
    assert!(pace.operations() < first && pace.operations() >= 10_000_000, "{}", pace.operations());
}

#[test]
fn results_do_not_depend_on_how_much_a_dispatch_holds() {
    // A new device cuts this work into many dispatches, and one that has learnt its pace into others.
    let device = open_gpu(DeviceOptions::default());
    let x = matrix(3000, 100, 94).to(&device).unwrap();
    let mut stream = device.stream();
    let mut run = || {
        let distances = ops::sq_euclidean(&mut stream, &x, &x).unwrap();
        let sums = ops::row_sums(&mut stream, &distances).unwrap();
        let columns = ops::column_sums(&mut stream, &distances).unwrap();
        (bits(&sums.to_vec(&mut stream).unwrap()), columns)
    };
    let first = run();
    for _ in 0..3 {
        assert!(run() == first);
    }
}
