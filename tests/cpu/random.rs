use super::*;
use gristmill::cpu::random::permutation::permutation;
use gristmill::cpu::random::philox::{Philox, philox4x32};

#[test]
fn philox_gives_the_published_known_answers() {
    assert_eq!(philox4x32([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
    assert_eq!(philox4x32([!0; 4], [!0; 2]), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
    let pi = [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344];
    assert_eq!(philox4x32(pi, [0xa409_3822, 0x299f_31d0]), [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]);
}

#[test]
fn fills_agree_with_single_draws_from_any_index_on() {
    let philox = Philox::new(0x1234_5678_9abc_def0, 7);
    for count in SIZES.into_iter().chain([40_000, 100_001]) {
        for first in [0, 1, 2, 3, 5, 31, (1 << 34) - 40] {
            let (numbers, uniforms, below, normals) = in_pools(|| {
                let (mut a, mut b, mut c, mut d) = (vec![0; count], vec![0.0; count], vec![0; count], vec![0.0; count]);
                philox.fill_numbers(first, &mut a);
                philox.fill_uniforms(first, &mut b);
                philox.fill_below(first, 3_000_000_000, &mut c);
                philox.fill_normals(first, &mut d);
                (a, bits(&b), c, bits(&d))
            });
            for i in (0..count).filter(|i| i % 13 == 0 || count < 300) {
                let index = first + i as u64;
                assert_eq!(numbers[i], philox.number(index));
                assert_eq!(uniforms[i], philox.uniform(index).to_bits());
                assert_eq!(below[i], philox.below(index, 3_000_000_000));
                assert_eq!(normals[i], philox.normal(index).to_bits());
            }
        }
    }
}

#[test]
fn a_number_is_a_word_of_the_documented_counter() {
    let philox = Philox::new(5 << 32 | 9, 11);
    for index in [0_u64, 1, 2, 3, 4, 1 << 34, (1 << 40) + 3] {
        let block = philox4x32([(index / 4) as u32, (index >> 34) as u32, 11, 0], [9, 5]);
        assert_eq!(philox.number(index), block[index as usize % 4]);
        assert_eq!(philox.uniform(index), (block[index as usize % 4] >> 8) as f32 / 16_777_216.0);
    }
}

#[test]
fn integers_below_a_bound_reject_as_documented() {
    let philox = Philox::new(3, 4);
    let mut again = 0;
    for bound in [1_u32, 2, 3, 10, 1000, (1 << 31) + 1, 3 << 30, u32::MAX] {
        let limit = ((1_u64 << 32) % u64::from(bound)) as u32;
        for index in 0..2000_u64 {
            let word = |draw| philox4x32([(index / 4) as u32, 0, 4, draw], [3, 0])[index as usize % 4];
            let draw = (0..32).find(|&draw| word(draw).wrapping_mul(bound) >= limit).unwrap();
            again += draw;
            let want = ((u64::from(word(draw)) * u64::from(bound)) >> 32) as u32;
            assert_eq!(philox.below(index, bound), want);
            assert!(want < bound);
        }
    }
    assert!(again > 1000);
    assert_eq!(philox.below(3, 0), 0);
}

#[test]
fn uniforms_and_integers_are_uniform() {
    let count = 1 << 20;
    let mut uniforms = vec![0.0; count];
    Philox::new(42, 0).fill_uniforms(0, &mut uniforms);
    let mut integers = vec![0; count];
    Philox::new(42, 1).fill_below(0, 97, &mut integers);
    assert!(uniforms.iter().all(|u| (0.0..1.0).contains(u)));
    let chi = |bins: usize, of: &dyn Fn(usize) -> usize| {
        let mut counts = vec![0.0; bins];
        (0..count).for_each(|i| counts[of(i)] += 1.0);
        let expected = count as f64 / bins as f64;
        let chi: f64 = counts.iter().map(|c: &f64| (c - expected).powi(2) / expected).sum();
        (chi - (bins - 1) as f64) / (2.0 * (bins - 1) as f64).sqrt()
    };
    assert!(chi(1000, &|i| (uniforms[i] * 1000.0) as usize).abs() < 4.0);
    assert!(chi(97, &|i| integers[i] as usize).abs() < 4.0);
    // Neighbours: pairs fall evenly on a grid.
    assert!(
        chi(1024, &|i| {
            let next = uniforms[(i + 1) % count];
            (uniforms[i] * 32.0) as usize * 32 + (next * 32.0) as usize
        })
        .abs()
            < 4.0
    );
}

#[test]
fn normals_are_within_1e_5_of_the_f64_formula() {
    let philox = Philox::new(1, 2);
    let count = 1 << 21;
    let (mut numbers, mut normals) = (vec![0; count], vec![0.0; count]);
    philox.fill_numbers(0, &mut numbers);
    philox.fill_normals(0, &mut normals);
    let mut worst = 0.0_f64;
    for i in (0..count).step_by(2) {
        let radius = (-2.0 * (f64::from((numbers[i] >> 8) + 1) / 16_777_216.0).ln()).sqrt();
        let angle = std::f64::consts::TAU * f64::from(numbers[i + 1] >> 8) / 16_777_216.0;
        worst = worst.max((f64::from(normals[i]) - radius * angle.cos()).abs());
        worst = worst.max((f64::from(normals[i + 1]) - radius * angle.sin()).abs());
    }
    println!("normals: worst {worst:e}");
    assert!(worst < 3e-6, "{worst}");
    let moment = |p: i32| normals.iter().map(|&x| f64::from(x).powi(p)).sum::<f64>() / count as f64;
    assert!(moment(1).abs() < 0.003 && (moment(2) - 1.0).abs() < 0.005);
    assert!(moment(3).abs() < 0.01 && (moment(4) - 3.0).abs() < 0.03);
}

#[test]
fn a_permutation_is_the_stable_order_of_its_keys() {
    for count in SIZES.into_iter().chain([200_000]) {
        let got = in_pools(|| permutation(9, 3, count as u32));
        let philox = Philox::new(9, 3);
        let mut want: Vec<u32> = (0..count as u32).collect();
        want.sort_by_key(|&i| philox.number(u64::from(i)));
        assert_eq!(got, want);
    }
    // The first place is taken evenly.
    let mut counts = [0.0; 10];
    (0..10_000).for_each(|seed| counts[permutation(seed, 0, 10)[0] as usize] += 1.0);
    let chi: f64 = counts.iter().map(|c: &f64| (c - 1000.0).powi(2) / 1000.0).sum();
    assert!(chi < 30.0);
}
