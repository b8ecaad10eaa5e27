//! Values, categories and whole rows in bins.

use gristmill::cpu::tree::{SplitRule, UNKNOWN};
use gristmill::prelude::*;
use gristmill::tree::bins::{BinnedMatrix, Bins, Categories, CategoryTargets, thresholds};

/// The bin of a value.
fn bin_of(bins: &Bins, feature: usize, value: f32) -> u16 {
    match value.is_nan() {
        true => bins.present(feature),
        false => bins.thresholds(feature).partition_point(|threshold| value > *threshold) as u16,
    }
}

#[test]
fn codes_are_the_bins_of_the_values_and_missing_ones_come_last() {
    let column: Vec<f32> =
        (0..3000).map(|row| if row % 11 == 0 { f32::NAN } else { (row * 17 % 999) as f32 }).collect();
    let x = Matrix::from_vec(3000, 1, column).unwrap();
    for most in [2, 7, 255] {
        let bins = Bins::fit(&x, None, most, &CategoryTargets::Columns(&[])).unwrap();
        let binned = BinnedMatrix::new(&x, &bins);
        assert!(bins.thresholds(0).len() < most && bins.has_missing(0));
        for (row, value) in x.as_slice().iter().enumerate() {
            let below = bins.thresholds(0).iter().filter(|threshold| value > *threshold).count();
            let want = if value.is_nan() { bins.thresholds(0).len() + 1 } else { below };
            assert_eq!(
                (binned.bins()[row * binned.stride()] as usize, bin_of(&bins, 0, *value) as usize),
                (want, want)
            );
            assert_eq!(binned.view().columns[row] as usize, want);
        }
    }
}

#[test]
fn codes_are_the_same_for_values_of_all_sizes() {
    // Even, dense in the middle, over many orders of magnitude, and so far apart that a difference overflows.
    let shapes: [fn(f32) -> f32; 4] = [|at| at, |at| at.powi(5), |at| (20.0 * at).exp(), |at| at * f32::MAX];
    for (number, shape) in shapes.iter().enumerate() {
        let column: Vec<f32> = (0..2999).map(|row| shape((row * 1009 % 2999) as f32 / 1499.0 - 1.0)).collect();
        let x = Matrix::from_vec(2999, 1, column).unwrap();
        for most in [2, 3, 100, 255] {
            let bins = Bins::fit(&x, None, most, &CategoryTargets::Columns(&[])).unwrap();
            let binned = BinnedMatrix::new(&x, &bins);
            for (value, code) in x.as_slice().iter().zip(binned.view().columns) {
                assert_eq!(u16::from(*code), bin_of(&bins, 0, *value), "{number} {most} {value}");
            }
        }
    }
}

#[test]
fn rows_of_weight_zero_decide_no_bin() {
    let x = Matrix::from_vec(4, 1, vec![1.0, 2.0, 900.0, 3.0]).unwrap();
    let bins = Bins::fit(&x, Some(&[1.0, 1.0, 0.0, 1.0]), 255, &CategoryTargets::Columns(&[])).unwrap();
    assert_eq!(bins.thresholds(0), [1.5, 2.5]);
    assert!(Bins::fit(&x, None, 256, &CategoryTargets::Columns(&[])).is_err());
}

#[test]
fn few_values_have_a_bin_each_with_thresholds_midway() {
    assert_eq!(thresholds(&mut [3.0, 1.0, 1.0, 2.0, -0.0, 0.0], 255), [0.5, 1.5, 2.5]);
    let (low, high) = (1.0_f32, 1.0_f32.next_up());
    assert_eq!(thresholds(&mut [high, low], 255), [low]);
    assert_eq!(thresholds(&mut [f32::MAX, f32::MIN], 2), [0.0]);
    assert!(thresholds(&mut [], 255).is_empty() && thresholds(&mut [7.0; 5], 255).is_empty());
}

#[test]
fn many_values_make_bins_of_nearly_equal_counts() {
    let mut values: Vec<f32> = (0..10_000).map(|value| (value * 7919 % 10_000) as f32).collect();
    let cuts = thresholds(&mut values, 100);
    assert_eq!(cuts.len(), 99);
    let mut last = 0;
    for cut in cuts {
        let below = values.iter().filter(|value| **value <= cut).count();
        assert_eq!(below - last, 100);
        last = below;
    }
}

#[test]
fn a_heavy_value_has_a_bin_to_itself() {
    let mut values: Vec<f32> = (0..1000).map(|value| value as f32).chain([500.25; 9000]).collect();
    let cuts = thresholds(&mut values, 10);
    assert!(cuts.contains(&500.125) && cuts.contains(&500.625), "{cuts:?}");
    assert!(cuts.len() <= 9 && cuts.len() >= 7, "{cuts:?}");
}

/// One-hot columns of two codes, a dense column, a constant one, and one that is mostly missing.
fn table(rows: usize) -> Matrix {
    let value = |row: usize, column: usize| match column {
        0..5 => f32::from(u8::from(row % 6 == column)),
        5..8 => {
            if row * 7 % 10 == column {
                row as f32 % 3.0 + 1.0
            } else {
                0.0
            }
        }
        8 => (row * 31 % 97) as f32,
        9 => 4.0,
        _ => {
            if row % 6 == 5 {
                (row % 4) as f32
            } else {
                f32::NAN
            }
        }
    };
    let values = (0..rows).flat_map(|row| (0..11).map(move |column| value(row, column))).collect();
    Matrix::from_vec(rows, 11, values).unwrap()
}

#[test]
fn features_that_exclude_each_other_share_a_column_and_none_loses_a_row() {
    let x = table(5000);
    let bins = Bins::fit(&x, None, 255, &CategoryTargets::Columns(&[])).unwrap();
    let binned = BinnedMatrix::new(&x, &bins);
    let layout = binned.layout();
    let columns: Vec<Option<u32>> = layout.places().iter().map(|place| place.column).collect();
    assert!(columns[..5].iter().all(|column| *column == columns[0]), "{columns:?}");
    assert!(columns[5..8].iter().all(|column| *column == columns[5]) && columns[9].is_none());
    assert_eq!((layout.columns(), columns[10]), (3, columns[0]));
    // Each feature's bin can be told from its column's code, by the routes of all its splits.
    for (feature, place) in (0_u32..).zip(layout.places()) {
        let Some(column) = place.column else { continue };
        for bin in 0..place.bins {
            for missing_left in [false, true] {
                let route = layout.route(&SplitRule { missing_left, ..SplitRule::at(feature, bin, 0.0) });
                for row in 0..x.rows() {
                    let own = bin_of(&bins, feature as usize, x.get(row, feature as usize));
                    let want = if own == place.bins { missing_left } else { own <= bin };
                    assert_eq!(route.goes_left(binned.bins()[row * binned.stride() + column as usize]), want);
                }
            }
        }
    }
}

#[test]
fn one_row_in_common_keeps_two_features_apart() {
    let mut values = vec![0.0; 2000];
    (0..300).for_each(|row| values[2 * row] = 1.0);
    (299..500).for_each(|row| values[2 * row + 1] = 1.0);
    let x = Matrix::from_vec(1000, 2, values).unwrap();
    let binned = BinnedMatrix::new(&x, &Bins::fit(&x, None, 255, &CategoryTargets::Columns(&[])).unwrap());
    assert_eq!(binned.layout().columns(), 2);
}

#[test]
fn rare_categories_share_the_last_bin_and_what_was_not_fitted_is_unknown() {
    let codes = [7.0, 7.0, 7.0, 2.0, 2.0, 0.0, 5.0, 9.0, f32::NAN, 4.0];
    let x = Matrix::from_vec(10, 1, codes.to_vec()).unwrap().with_categories([0]).unwrap();
    let weights = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0];
    let categories = Categories::fit(&x, Some(&weights), 4, &CategoryTargets::Columns(&[])).unwrap();
    let bins = categories.feature(0).unwrap();
    // 7 and 2 are frequent, then 0 by its code; 5 and 9 are left.
    assert_eq!([0.0, 2.0, 7.0, 5.0, 9.0].map(|code| bins.bin(code)), [0, 1, 2, 3, 3]);
    assert_eq!([4.0, 1.0, 10.0, 1e9, -1.0, 0.5, f32::NAN].map(|value| bins.bin(value)), [UNKNOWN; 7]);
    assert_eq!((bins.count(), bins.bin(-0.0)), (4, 0));
    let all = Categories::fit(&x, Some(&weights), 5, &CategoryTargets::Columns(&[])).unwrap();
    assert_eq!([0.0, 2.0, 5.0, 7.0, 9.0].map(|code| all.feature(0).unwrap().bin(code)), [0, 1, 2, 3, 4]);
}
