use gristmill::device::memory::Memory;
use gristmill::ops::{self, Layout};
use gristmill::prelude::*;

use crate::support::{bits, gpu, matrix, numbers, open_gpu};

/// Resident memory of this process in MiB.
#[cfg(target_os = "linux")]
fn resident() -> f64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: f64 = statm.split_whitespace().nth(1).unwrap().parse().unwrap();
    pages * 4096.0 / (1 << 20) as f64
}

/// Other tests of this binary must not move the needle, so the ten thousand ops run in a process of their own.
#[cfg(target_os = "linux")]
#[test]
fn ten_thousand_small_ops_leave_memory_flat() {
    const CHILD: &str = "GRISTMILL_TEST_MEMORY";
    if std::env::var_os(CHILD).is_none() {
        let (_, module) = module_path!().split_once("::").unwrap();
        let name = format!("{module}::ten_thousand_small_ops_leave_memory_flat");
        let child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", &name, "--nocapture"])
            .env(CHILD, "1")
            .output()
            .unwrap();
        assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stderr));
        assert!(String::from_utf8_lossy(&child.stdout).contains("1 passed"), "no test is named {name}");
        return;
    }
    let device = open_gpu(DeviceOptions::default());
    let x = matrix(8, 8, 51);
    let small_op = || {
        let mut stream = device.stream();
        let uploaded = x.to(&device).unwrap();
        let product = ops::gemm(&mut stream, Layout::NT, &uploaded, &uploaded).unwrap();
        assert_eq!(product.to_matrix(&mut stream).unwrap().rows(), 8);
    };
    (0..500).for_each(|_| small_op());
    let (before, used) = (resident(), device.memory().0);
    (500..10_000).for_each(|_| small_op());
    let after = resident();
    assert!((after - before).abs() <= 5.0, "from {before:.1} to {after:.1} MiB");
    assert_eq!(device.memory().0, used, "the budget counts what is in use");
}

#[test]
fn eight_threads_get_the_same_bits_as_one() {
    let device = gpu();
    let job = |seed: u64| {
        let mut stream = device.stream();
        let x = matrix(60 + seed as usize, 33, seed).to(device).unwrap();
        let product = ops::gemm(&mut stream, Layout::NT, &x, &x).unwrap();
        let distances = ops::sq_euclidean(&mut stream, &x, &x).unwrap();
        let sum = ops::sum(&mut stream, &DeviceVec::from_slice(&numbers(20_000, seed), device).unwrap()).unwrap();
        let product = bits(product.to_matrix(&mut stream).unwrap().as_slice());
        (product, bits(distances.to_matrix(&mut stream).unwrap().as_slice()), sum.to_bits())
    };
    let alone: Vec<_> = (0..8).map(job).collect();
    for _ in 0..5 {
        let together: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|seed| scope.spawn(move || job(seed))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(together == alone);
    }
}

#[test]
fn a_budget_is_kept_and_given_back() {
    let budget = 4 << 20;
    let device = open_gpu(DeviceOptions::default().memory_budget(budget));
    let x = matrix(5000, 64, 52);
    let mut stream = device.stream();
    let uploaded = x.to(&device).unwrap();
    let distances = ops::sq_euclidean(&mut stream, &uploaded, &uploaded).unwrap();
    let (used, limit) = device.memory();
    assert!(limit == budget && used <= budget, "{used} of {limit}");
    // 100 MB of results passed through 4 MiB.
    let (index, value) = ops::argmin_rows(&mut stream, &distances).unwrap();
    assert!(value.to_vec(&mut stream).unwrap().iter().all(|value| *value == 0.0));
    assert_eq!(index.to_vec(&mut stream).unwrap(), (0..5000).collect::<Vec<u32>>());
}

#[test]
fn what_can_never_fit_is_a_limit_with_the_numbers() {
    let device = open_gpu(DeviceOptions::default().memory_budget(1 << 20));
    let wide = Matrix::zeros(1, 3 << 20).unwrap();
    let mut stream = device.stream();
    let x = wide.to(&device).unwrap();
    let refused = ops::sq_euclidean(&mut stream, &x, &x).unwrap_err();
    assert!(matches!(refused, Error::Limit { need, have, .. } if need > have), "{refused}");
    // The device is not spoilt by it.
    let small = matrix(3, 3, 53).to(&device).unwrap();
    assert!(ops::sq_euclidean(&mut stream, &small, &small).is_ok());
}

#[test]
fn a_reservation_comes_back_when_dropped() {
    let memory = Memory::new(100);
    let first = memory.reserve(60, 100).unwrap();
    assert!(memory.reserve(60, 100).is_none());
    assert!(memory.reserve(30, 80).is_none());
    drop(first);
    assert!(memory.reserve(100, u64::MAX).is_some());
    assert!(memory.reserve(u64::MAX, u64::MAX).is_none());
}
