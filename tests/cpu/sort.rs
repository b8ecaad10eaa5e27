use super::*;
use gristmill::cpu::sort::select_smallest::select_smallest;
use gristmill::cpu::sort::{
    exclusive_scan::exclusive_scan, gather_rows::gather_rows, numbers::sort_numbers, radix_sort::radix_sort,
};

#[test]
fn exclusive_scan_wraps_and_returns_the_exact_total() {
    for count in SIZES.into_iter().chain([65_536, 65_537, 131_072, 131_073, 400_000]) {
        let x = words(count, 1);
        let (got, total) = in_pools(|| {
            let mut out = vec![7; count];
            let total = exclusive_scan(&x, &mut out);
            (out, total)
        });
        let mut sum = 0_u64;
        for (got, &x) in got.iter().zip(&x) {
            assert_eq!(*got, sum as u32);
            sum += u64::from(x);
        }
        assert_eq!(total, sum);
    }
}

fn check_sort(keys: Vec<u32>) {
    let count = keys.len();
    let (got, payload) = in_pools(|| {
        let (mut keys, mut payload) = (keys.clone(), (0..count as u32).collect::<Vec<_>>());
        radix_sort(&mut keys, &mut payload);
        (keys, payload)
    });
    let mut want: Vec<u32> = (0..count as u32).collect();
    want.sort_by_key(|&i| keys[i as usize]);
    assert!(payload == want, "not the stable order of {count}");
    assert!(got.iter().zip(&want).all(|(&key, &i)| key == keys[i as usize]));
}

#[test]
fn radix_sort_is_stable_for_all_kinds_of_keys() {
    for count in SIZES.into_iter().chain([131_071, 131_072, 131_073, 300_000, 1_000_003]) {
        let random = words(count, 2);
        check_sort(random.clone());
        check_sort(random.iter().map(|x| x % 10).collect());
        check_sort(random.iter().map(|x| x >> 31 << 31).collect());
        check_sort(random.iter().map(|x| x & 0x00ff_0000).collect());
        check_sort(vec![0xffff_ffff; count]);
        check_sort((0..count as u32).rev().collect());
        // Nearly all in one bucket, twice over.
        check_sort(random.iter().map(|x| if x % 1000 == 0 { *x } else { 0x1234_0000 | x >> 12 & 0xffff }).collect());
        check_sort(random.iter().map(|x| if x % 1000 == 0 { *x } else { 5 }).collect());
    }
}

#[test]
fn gathered_rows_are_the_rows() {
    for columns in [0, 1, 2, 63, 65, 1000] {
        for count in SIZES.into_iter().chain([20_000]) {
            let rows = 300;
            let x = numbers(rows * columns, 3);
            let index: Vec<u32> = words(count, 4).iter().map(|w| w % rows as u32).collect();
            let got = in_pools(|| {
                let mut out = vec![f32::NAN; count * columns];
                gather_rows(&x, columns, &index, &mut out);
                bits(&out)
            });
            for (i, &row) in index.iter().enumerate() {
                let row = row as usize * columns;
                assert_eq!(got[i * columns..(i + 1) * columns], bits(&x[row..row + columns]));
            }
        }
    }
}

#[test]
fn the_smallest_come_in_order_with_ties_by_index() {
    for count in SIZES {
        let keys: Vec<f32> = numbers(count, 9).iter().map(|key| (key * 20.0).round()).collect();
        let mask: Vec<u32> = words(count, 10).iter().map(|word| word % 3).collect();
        for k in [0, 1, 7, 64, 2000] {
            let mut order: Vec<u32> = (0..count as u32).filter(|at| mask[*at as usize] != 0).collect();
            order.sort_by(|a, b| keys[*a as usize].partial_cmp(&keys[*b as usize]).unwrap());
            order.resize(order.len().max(k), u32::MAX);
            assert_eq!(select_smallest(&keys, Some(&mask), k), order[..k]);
        }
    }
}

#[test]
fn numbers_are_sorted_by_total_order() {
    for count in [0, 1, 2, 4096, 4097, 70_000] {
        // Any bits: zeros of both signs, infinities and what is no number among them.
        let mut values: Vec<f32> = words(count, 5).into_iter().map(f32::from_bits).collect();
        values
            .iter_mut()
            .step_by(7)
            .zip([0.0, -0.0, f32::INFINITY, f32::NAN, -f32::NAN, 1.0, 1.0])
            .for_each(|(to, value)| *to = value);
        let mut want = values.clone();
        want.sort_by(f32::total_cmp);
        sort_numbers(&mut values);
        assert!(values.iter().zip(&want).all(|(value, want)| value.to_bits() == want.to_bits()), "{count}");
    }
}
