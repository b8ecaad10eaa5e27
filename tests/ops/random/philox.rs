use gristmill::cpu::random::philox::philox4x32;
use gristmill::ops::random::philox::Draw;
use gristmill::{DeviceOptions, Error, ops};

use crate::support::{bits, devices, gpu_with};

#[test]
fn the_published_known_answers_are_met() {
    let known = [
        ([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
        ([u32::MAX; 4], [u32::MAX; 2], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
        (
            [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
            [0xa409_3822, 0x299f_31d0],
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
        ),
    ];
    for (counter, key, wanted) in known {
        assert_eq!(philox4x32(counter, key), wanted);
    }
    // The same through every device: number 0 of seed 0 and stream 0 is the first known answer.
    for (name, device) in devices() {
        let mut stream = device.stream();
        let found = ops::random_bits(&mut stream, Draw::new(0, 0), 4).unwrap().to_vec(&mut stream).unwrap();
        assert_eq!(found, known[0].2, "{name}");
    }
}

#[test]
fn bits_uniforms_and_integers_are_the_same_on_every_device() {
    for count in [0, 1, 2, 3, 4, 5, 63, 64, 65, 255, 256, 257, 1000, 70_000] {
        for first in [0, 1, 2, 3, 1_000_003, (1 << 34) - 7] {
            let draw = Draw { first, ..Draw::new(0xdead_beef_1234_5678, 9) };
            let all: Vec<_> = devices()
                .map(|(_, device)| {
                    let mut stream = device.stream();
                    let numbers = ops::random_bits(&mut stream, draw, count).unwrap().to_vec(&mut stream).unwrap();
                    let uniforms = ops::random_uniforms(&mut stream, draw, count).unwrap().to_vec(&mut stream).unwrap();
                    let integers = [1, 6, 1000, 3_000_000_000].map(|bound| {
                        let below = ops::random_integers(&mut stream, draw, count, bound).unwrap();
                        let below = below.to_vec(&mut stream).unwrap();
                        assert!(below.iter().all(|value| *value < bound));
                        below
                    });
                    (numbers, bits(&uniforms), integers)
                })
                .into();
            assert!(all[0] == all[1] && all[0] == all[2], "{count} from {first}");
        }
    }
}

#[test]
fn normals_agree_with_the_formula_in_f64_to_1e_5() {
    let draw = Draw::new(5, 6);
    for (name, device) in devices() {
        let mut stream = device.stream();
        let numbers = ops::random_bits(&mut stream, draw, 100_000).unwrap().to_vec(&mut stream).unwrap();
        let normals = ops::random_normals(&mut stream, draw, 100_000).unwrap().to_vec(&mut stream).unwrap();
        for (pair, found) in numbers.chunks(2).zip(normals.chunks(2)) {
            let chance = ((pair[0] >> 8) as f64 + 1.0) / 16_777_216.0;
            let (radius, turn) = ((-2.0 * chance.ln()).sqrt(), (pair[1] >> 8) as f64 / 16_777_216.0);
            let (sine, cosine) = (std::f64::consts::TAU * turn).sin_cos();
            for (value, exact) in found.iter().zip([radius * cosine, radius * sine]) {
                assert!((*value as f64 - exact).abs() <= 1e-5, "{name}: {value} for {exact}");
            }
        }
        let mean = normals.iter().map(|value| *value as f64).sum::<f64>() / 1e5;
        let variance = normals.iter().map(|value| (*value as f64).powi(2)).sum::<f64>() / 1e5;
        assert!(mean.abs() < 0.02 && (variance - 1.0).abs() < 0.02, "{name}: {mean}, {variance}");
    }
}

#[test]
fn a_permutation_is_the_same_on_every_device_and_holds_every_index_once() {
    for count in [0, 1, 2, 63, 64, 65, 257, 1000, 70_000] {
        let all = devices().map(|(_, device)| {
            let mut stream = device.stream();
            ops::permutation(&mut stream, Draw::new(7, 1), count).unwrap().to_vec(&mut stream).unwrap()
        });
        assert!(all[0] == all[1] && all[0] == all[2], "{count}");
        let mut sorted = all[0].clone();
        sorted.sort();
        assert!(sorted.into_iter().eq(0..count as u32), "{count}");
    }
}

#[test]
fn chunks_and_budgets_do_not_show() {
    let draw = |device: &gristmill::Device| {
        let mut stream = device.stream();
        ops::random_bits(&mut stream, Draw::new(3, 3), 300_001).unwrap().to_vec(&mut stream).unwrap()
    };
    let whole = draw(&gristmill::Device::Cpu);
    for options in [1, 7].map(|blocks| DeviceOptions::default().chunk_rows(blocks)) {
        assert!(draw(&gpu_with(options.mark_outputs(true))) == whole);
    }
    assert!(draw(&gpu_with(DeviceOptions::default().memory_budget(1 << 20).mark_outputs(true))) == whole);
}

#[test]
fn a_bound_of_zero_is_an_error() {
    for (name, device) in devices() {
        let refused = ops::random_integers(&mut device.stream(), Draw::new(1, 1), 5, 0).unwrap_err();
        assert!(matches!(refused, Error::Param { name: "bound", .. }), "{name}: {refused}");
    }
}
