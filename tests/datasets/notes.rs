//! The data of the lecture notes: sizes, ranges and what they are made of.

use gristmill::datasets::notes;

#[test]
fn sizes_and_ranges_are_those_of_the_notes() {
    let quartic = notes::quartic(3).unwrap();
    assert_eq!((quartic.rows(), quartic.columns()), (24, 1));
    assert!(quartic.x.as_slice().iter().all(|x| (-2.0..2.0).contains(x)));
    let (train, validation) = notes::sines(3).unwrap();
    assert_eq!((train.rows(), validation.rows()), (48, 48));
    assert_ne!(train.x.as_slice(), validation.x.as_slice());
    assert_eq!(notes::line_with_outlier(0).unwrap().rows(), 24);
    assert_eq!(notes::square_wave(0).unwrap().rows(), 20);
    let wide = notes::wide(0).unwrap();
    assert_eq!((wide.rows(), wide.columns()), notes::WIDE);
    // A share of 0.8·0.6 of the square.
    let many = notes::rectangle(20_000, 1).unwrap();
    let share = many.labels().unwrap().counts()[1] as f64 / 20_000.0;
    assert!((share - 0.48).abs() < 0.015, "{share}");
    assert!(notes::xor(0, 0).is_err() && notes::bayesian_line(0, 0).is_err());
}

#[test]
fn the_noise_has_the_deviation_of_the_notes() {
    let deviation = |pairs: &[(f64, f64)]| {
        (pairs.iter().map(|(y, truth)| (y - truth).powi(2)).sum::<f64>() / pairs.len() as f64).sqrt()
    };
    let of = |draw: &dyn Fn(u64) -> gristmill::Dataset, truth: &dyn Fn(&[f32]) -> f64| {
        let pairs = (0..100).flat_map(|seed| {
            let data = draw(seed);
            let y = data.values().unwrap().column(0);
            (0..data.rows()).map(|row| (f64::from(y[row]), truth(data.x.row(row)))).collect::<Vec<_>>()
        });
        deviation(&pairs.collect::<Vec<_>>())
    };
    let quartic = of(&|seed| notes::quartic(seed).unwrap(), &|row| notes::quartic_at(f64::from(row[0])));
    assert!((quartic - 0.2).abs() < 0.01, "{quartic}");
    let sines = of(&|seed| notes::sines(seed).unwrap().1, &|row| notes::sines_at(f64::from(row[0])));
    assert!((sines - 0.3).abs() < 0.01, "{sines}");
    let line = of(&|seed| notes::bayesian_line(30, seed).unwrap(), &|row| -0.3 + 0.5 * f64::from(row[0]));
    assert!((line - 0.2).abs() < 0.01, "{line}");
    let wide = of(&|seed| notes::wide(seed).unwrap(), &notes::wide_at);
    assert!((wide - 1.0).abs() < 0.03, "{wide}");
}

#[test]
fn labels_come_before_or_after_the_noise() {
    let clean = notes::xor(200, 5).unwrap();
    for row in 0..200 {
        let product = clean.x.get(row, 0) * clean.x.get(row, 1);
        assert_eq!(clean.labels().unwrap().codes()[row] == 1, product > 0.0);
    }
    // Noise of 0.7 moves a coordinate across 0 with probability Φ(−1/0.7) = 0.0766, so 14.1 % of the products change sign.
    let (train, test) = notes::noisy_xor(2000, 5).unwrap();
    for data in [train, test] {
        let moved = (0..2000).filter(|row| {
            let product = data.x.get(*row, 0) * data.x.get(*row, 1);
            (product > 0.0) != (data.labels().unwrap().codes()[*row] == 1)
        });
        let share = moved.count() as f64 / 2000.0;
        assert!((share - 0.141).abs() < 0.03, "{share}");
    }
}

#[test]
fn the_square_wave_has_all_four_branches_and_the_outlier_is_the_first() {
    assert_eq!([0.1, 0.3, 0.6, 0.9].map(notes::square_wave_at), [-1.0, 1.0, -1.0, 1.0]);
    let line = notes::line_with_outlier(1).unwrap();
    let y = line.values().unwrap();
    let excess = |row: usize| y.get(row, 0) - line.x.get(row, 0);
    assert!((20.0..=20.1).contains(&excess(0)) && (1..24).all(|row| (-1e-5..=0.1001).contains(&excess(row))));
    assert_eq!(notes::quartic_at(0.0), 5.23);
    assert!((notes::quartic_at(1.0) - (5.23 - 1.5 + 0.83 + 0.7 - 0.2)).abs() < 1e-12);
}

#[test]
fn the_same_seed_gives_the_same_rows() {
    assert_eq!(notes::quartic(9).unwrap().x.as_slice(), notes::quartic(9).unwrap().x.as_slice());
    assert_ne!(notes::quartic(9).unwrap().x.as_slice(), notes::quartic(8).unwrap().x.as_slice());
    assert_eq!(notes::two_moons(1).unwrap().rows(), 100);
}

#[test]
fn mnist_is_read_from_its_files_and_broken_files_are_refused() {
    let folder = std::env::temp_dir().join(format!("gristmill-notes-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    assert!(notes::mnist_100(&folder).unwrap_err().to_string().contains("MNIST is not part of the crate"));
    let labels: Vec<u8> =
        [0, 0, 8, 1, 0, 0, 0xc3, 0xb4].into_iter().chain((0..50_100_u32).map(|at| (at % 10) as u8)).collect();
    std::fs::write(folder.join("train-labels-idx1-ubyte"), &labels).unwrap();
    let header = [0, 0, 8, 3, 0, 0, 0xc3, 0xb4, 0, 0, 0, 1, 0, 0, 0, 2];
    let images: Vec<u8> = header.into_iter().chain((0..100_200_u32).map(|at| (at % 251) as u8)).collect();
    std::fs::write(folder.join("train-images-idx3-ubyte"), &images).unwrap();
    let (train, validation) = notes::mnist_100(&folder).unwrap();
    assert_eq!((train.rows(), train.columns(), validation.rows()), (100, 2, 100));
    assert_eq!(train.x.get(1, 0), 2.0 / 256.0);
    assert_eq!(validation.x.get(0, 0), (100_000 % 251) as f32 / 256.0);
    assert_eq!(validation.labels().unwrap().codes()[3], 3);
    std::fs::write(folder.join("train-images-idx3-ubyte"), &images[..images.len() - 1]).unwrap();
    assert!(notes::mnist_100(&folder).is_err());
    std::fs::remove_dir_all(&folder).unwrap();
}
