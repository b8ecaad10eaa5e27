//! Targets in fixed point: criteria, weights, gains, histograms.

use gristmill::cpu::tree::target::{
    ClassTarget, Criterion, FixedValues, FixedWeights, NodeSummary, SummarySource, TargetTotals, TreeTarget, log2,
    weighted_median,
};
use gristmill::cpu::tree::target_histogram::{CountedColumn, class_histogram, value_histogram};
use gristmill::cpu::tree::target_squares::target_squares;
use gristmill::cpu::tree::{BinnedRows, ClassRows, TargetRows, ValueRows};

#[test]
fn the_logarithm_agrees_with_the_systems() {
    let numbers = (1..4000).map(|step| f64::from(step) * 0.37).chain((0..60).map(|power| 2_f64.powi(power) + 1.0));
    for number in numbers {
        let (got, want) = (log2(number), number.log2());
        assert!((got - want).abs() <= 4.0 * f64::EPSILON * want.abs().max(1.0), "{number}: {got} {want}");
    }
    assert_eq!((log2(1.0), log2(2.0), log2(1024.0)), (0.0, 1.0, 10.0));
}

#[test]
fn impurities_are_those_of_the_textbook() {
    let even = [5.0, 5.0];
    assert_eq!(Criterion::Gini.impurity(&even), 0.5);
    assert_eq!(Criterion::Entropy.impurity(&even), 1.0);
    assert_eq!(Criterion::Misclassification.impurity(&even), 0.5);
    let thirds = [2.0, 2.0, 2.0];
    assert!((Criterion::Gini.impurity(&thirds) - 2.0 / 3.0).abs() < 1e-15);
    assert!((Criterion::Entropy.impurity(&thirds) - 3_f64.log2()).abs() < 1e-15);
    for criterion in [Criterion::Gini, Criterion::Entropy, Criterion::Misclassification] {
        assert_eq!(criterion.impurity(&[7.0, 0.0]), 0.0);
        assert_eq!(criterion.impurity(&[0.0, 0.0]), 0.0);
        assert!((1..2000).all(|weight| criterion.impurity(&[0.0, f64::from(weight) * 0.7]) == 0.0));
    }
}

#[test]
fn whole_weights_stay_as_they_are() {
    let weights = FixedWeights::new("test", 3, Some(&[2.0, 0.0, 5.0]), 32).unwrap();
    assert_eq!((weights.unit, weights.count_bits), (1.0, 2));
    assert_eq!(weights.words, [2 << 2 | 1, 0, 5 << 2 | 1]);
    let sum = weights.words.iter().sum();
    assert_eq!((weights.weight(sum), weights.count(sum)), (7.0, 2));
}

#[test]
fn other_weights_keep_their_ratios_and_never_vanish() {
    let weights = FixedWeights::new("test", 3, Some(&[0.5, 1e-30, 0.75]), 16).unwrap();
    let of = |row: usize| weights.weight(weights.words[row]);
    assert_eq!((of(0) / of(2), of(1)), (2.0 / 3.0, 1.0));
    assert_eq!(of(2) * weights.unit, 0.75);
    assert!(of(2) <= 65536.0 && of(2) > 32768.0);
}

#[test]
fn repeated_rows_weigh_more_and_count_once() {
    let weights = FixedWeights::new("test", 3, None, 32).unwrap().repeated(&[3, 0, 1]);
    let sum = weights.words.iter().sum();
    assert_eq!((weights.weight(sum), weights.count(sum)), (4.0, 2));
}

/// The gain of a split of rows with these classes, those of `left` on the left.
fn gain(criterion: Criterion, codes: &[u32], left: &[usize]) -> f64 {
    let weights = FixedWeights::new("test", codes.len(), None, 32).unwrap();
    let target = ClassTarget::new(codes, 3, weights, criterion);
    let (mut all, mut side, mut totals) = (vec![0; 3], vec![0; 3], TargetTotals::default());
    (0..codes.len()).for_each(|row| target.add(row, &mut all));
    left.iter().for_each(|row| target.add(*row, &mut side));
    target.totals(&all, &mut totals);
    target.gain(&totals, &side)
}

#[test]
fn gains_are_the_weighted_decrease_of_the_impurity() {
    let codes = [0, 0, 1, 1, 2, 0, 1, 2, 2, 0];
    let left = [0, 1, 2, 5, 7];
    let counts = |rows: &[usize]| {
        let mut counts = [0.0; 3];
        rows.iter().for_each(|row| counts[codes[*row] as usize] += 1.0);
        counts
    };
    let right: Vec<usize> = (0..10).filter(|row| !left.contains(row)).collect();
    let all: Vec<usize> = (0..10).collect();
    for criterion in [Criterion::Gini, Criterion::Entropy, Criterion::Misclassification] {
        let impurity = |rows: &[usize]| rows.len() as f64 * criterion.impurity(&counts(rows));
        let want = impurity(&all) - impurity(&left) - impurity(&right);
        let got = gain(criterion, &codes, &left);
        assert!((got - want).abs() < 1e-12, "{criterion:?}: {got} {want}");
    }
}

#[test]
fn a_split_that_tells_nothing_gains_nothing() {
    let codes = [0, 1, 0, 1, 2, 2];
    for criterion in [Criterion::Gini, Criterion::Entropy, Criterion::Misclassification] {
        assert_eq!(gain(criterion, &codes, &[0, 1, 4]), 0.0, "{criterion:?}");
    }
}

#[test]
fn gains_are_the_weighted_decrease_of_the_variance() {
    let numbers = [1.0, 4.0, -2.5, 1e3, 7.25, 0.1];
    let weights = [1.0, 2.5, 1.0, 0.25, 3.0, 1.0];
    let values = FixedValues::new("test", &numbers, 1, Some(&weights)).unwrap();
    let target = values.target(None);
    let (mut all, mut side, mut totals) = (vec![0; 2], vec![0; 2], TargetTotals::default());
    (0..6).for_each(|row| target.add(row, &mut all));
    [0, 2, 5].iter().for_each(|row| target.add(*row, &mut side));
    target.totals(&all, &mut totals);
    let got = target.gain(&totals, &side) * target.gain_unit();
    let spread = |rows: &[u32]| {
        let mut cell = vec![0; 2];
        rows.iter().for_each(|row| target.add(*row as usize, &mut cell));
        let NodeSummary { weight, impurity, .. } = target.summary(rows, &cell, &mut vec![]);
        weight * impurity
    };
    let want = spread(&[0, 1, 2, 3, 4, 5]) - spread(&[0, 2, 5]) - spread(&[1, 3, 4]);
    // Weights have 16 bits here.
    assert!((got - want).abs() < 1e-4 * want, "{got} {want}");
}

#[test]
fn means_and_variances_of_integers_are_those_of_the_rows() {
    let count = 1000;
    let numbers: Vec<f32> = (0..count).map(|row| 1e4 + ((row * 7919) % 1009) as f32 / 97.0).collect();
    let whole: Vec<f32> = (0..count).map(|row| (row % 4) as f32).collect();
    let parts: Vec<f32> = whole.iter().map(|weight| weight / 3.0).collect();
    for (weights, source) in
        [(None, SummarySource::Squares), (Some(&whole), SummarySource::Squares), (Some(&parts), SummarySource::Rows)]
    {
        let values = FixedValues::new("test", &numbers, 1, weights.map(|weights| &weights[..])).unwrap();
        let target = values.target(None);
        assert_eq!(target.summary_source(), source);
        for rows in [1..2_u32, 3..5, 17..40, 100..900] {
            let rows: Vec<u32> = rows.filter(|row| target.counts(*row as usize)).collect();
            let (mut cell, mut values) = (vec![0; 2], vec![]);
            rows.iter().for_each(|row| target.add(*row as usize, &mut cell));
            let summary = target.summary(&rows, &cell, &mut values);
            let of = |row: &u32| {
                let weight = weights.map_or(1.0, |weights| f64::from(weights[*row as usize]));
                (weight, f64::from(numbers[*row as usize]))
            };
            let weight: f64 = rows.iter().map(|row| of(row).0).sum();
            let mean = rows.iter().map(|row| of(row).0 * of(row).1).sum::<f64>() / weight;
            let variance = rows.iter().map(|row| of(row).0 * (of(row).1 - mean).powi(2)).sum::<f64>() / weight;
            assert!((summary.weight - weight).abs() < 1e-9, "{} {weight}", summary.weight);
            assert!((values[0] - mean).abs() < 1e-11 * mean, "{} {mean}", values[0]);
            assert!((summary.impurity - variance).abs() < 1e-8, "{} {variance}", summary.impurity);
            assert_eq!((summary.pure, values[0] == mean), (rows.len() == 1, rows.len() == 1 || values[0] == mean));
            if let (SummarySource::Squares, TargetRows::Values(of_rows)) = (source, target.rows()) {
                let (squares, mut others) = (target_squares(of_rows, &rows), vec![]);
                assert_eq!((target.summary_of_squares(&squares, &cell, &mut others), others), (summary, values));
            }
        }
    }
}

#[test]
fn the_mean_of_equal_numbers_is_that_number() {
    // Far from the others, which make the fixed point coarse.
    let numbers = [1e-7, 1e-7, 3e30, -2e30, 1e-7];
    let values = FixedValues::new("test", &numbers, 1, None).unwrap();
    let (target, mut cell, mut own) = (values.target(None), vec![0; 2], vec![]);
    [0, 1, 4].iter().for_each(|row| target.add(*row, &mut cell));
    let summary = target.summary(&[0, 1, 4], &cell, &mut own);
    assert_eq!((summary.impurity, summary.pure, own), (0.0, true, vec![f64::from(1e-7_f32)]));
}

#[test]
fn sums_of_the_heaviest_rows_do_not_overflow() {
    let values = FixedValues::new("test", &[-3e38, 3e38], 1, Some(&[1e-3, 0.7])).unwrap();
    let target = values.target(Some(&[0, 2]));
    let mut cell = vec![0; 2];
    (0..2).for_each(|row| target.add(row, &mut cell));
    assert_eq!(target.count(&cell), 1);
    assert!(cell[1] as i64 > 0, "{}", cell[1] as i64);
}

#[test]
fn every_row_is_counted_once_in_each_column() {
    let (rows, stride, classes) = (1500, 8, 3);
    let bins: Vec<u8> = (0..rows * stride).map(|at| (at * 31 % 251) as u8).collect();
    let codes: Vec<u32> = (0..rows as u32).map(|row| row * 7 % 3).collect();
    let words: Vec<u64> = (0..rows as u64).map(|row| (row % 5) << 20 | 1).collect();
    let columns = [0, 2, 3, 5, 6, 7].map(|column| CountedColumn { column, first: column * 256 });
    for count in 0..=columns.len() {
        let chosen: Vec<u32> = (0..rows as u32).filter(|row| row % 4 != 1).collect();
        let mut cells = vec![0; 8 * 256 * classes];
        let target = ClassRows { codes: &codes, words: &words, classes };
        class_histogram(
            BinnedRows { bins: &bins, stride, columns: &[] },
            &columns[..count],
            target,
            &chosen,
            &mut cells,
        );
        let mut want = vec![0; cells.len()];
        for &row in &chosen {
            for column in &columns[..count] {
                let code = bins[row as usize * stride + column.column as usize];
                want[(column.first as usize + code as usize) * classes + codes[row as usize] as usize] +=
                    words[row as usize];
            }
        }
        assert_eq!(cells, want, "{count} columns");
    }
}

#[test]
fn sums_are_those_of_the_rows_one_by_one() {
    let (rows, stride, outputs) = (700, 8, 2);
    let bins: Vec<u8> = (0..rows * stride).map(|at| (at * 13 % 97) as u8).collect();
    let values: Vec<i64> = (0..(rows * outputs) as i64).map(|at| (at * 7919) % 1001 - 500).collect();
    let words: Vec<u64> = (0..rows as u64).map(|row| (row % 3 + 1) << 10 | 1).collect();
    let target = ValueRows { values: &values, words: &words, count_bits: 10, outputs };
    let chosen: Vec<u32> = (0..rows as u32).filter(|row| row % 3 != 1).collect();
    let columns = [CountedColumn { column: 1, first: 0 }, CountedColumn { column: 4, first: 100 }];
    let mut cells = vec![0; 200 * 3];
    value_histogram(BinnedRows { bins: &bins, stride, columns: &[] }, &columns, target, &chosen, &mut cells);
    let mut want = vec![0; cells.len()];
    for &row in &chosen {
        for column in columns {
            let code = bins[row as usize * stride + column.column as usize];
            target.add(row as usize, &mut want[(column.first as usize + code as usize) * 3..][..3]);
        }
    }
    assert_eq!(cells, want);
    let counted: u64 = cells.chunks(3).take(100).map(|cell| cell[0] & 1023).sum();
    assert_eq!(counted, chosen.len() as u64);
}

#[test]
fn medians_are_between_the_two_in_the_middle_or_the_one() {
    assert_eq!(weighted_median(&mut [(3.0, 1), (1.0, 1), (2.0, 1)]), 2.0);
    assert_eq!(weighted_median(&mut [(3.0, 1), (1.0, 1), (2.0, 1), (9.0, 1)]), 2.5);
    assert_eq!(weighted_median(&mut [(3.0, 5), (1.0, 1), (2.0, 1)]), 3.0);
    assert_eq!(weighted_median(&mut [(3.0, 2), (1.0, 1), (2.0, 1)]), 2.5);
}
