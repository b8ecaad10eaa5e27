//! Subsets of columns: exact against exhaustive search, criteria against statsmodels.

use gristmill::cpu::random::philox::Philox;
use gristmill::prelude::*;
use gristmill::selection::{
    Criterion, backward_elimination, backward_subsets, best_subset, forward_selection, forward_subsets,
    recursive_elimination,
};

/// The least residual sum of squares of each size, by looking at every subset: columns are eliminated one after the
/// other, each from those behind it.
fn exhaustive(data: &Dataset) -> Vec<f64> {
    let (n, m) = (data.rows(), data.columns());
    let y = data.values().unwrap();
    let value = |row: usize, column: usize| f64::from(if column < m { data.x.get(row, column) } else { y.get(row, 0) });
    let mean = |column: usize| (0..n).map(|row| value(row, column)).sum::<f64>() / n as f64;
    let means: Vec<f64> = (0..=m).map(mean).collect();
    let product =
        |a: usize, b: usize| (0..n).map(|row| (value(row, a) - means[a]) * (value(row, b) - means[b])).sum::<f64>();
    let mut levels = vec![vec![0.0; (m + 1) * (m + 1)]; m + 1];
    for a in 0..=m {
        for b in 0..=m {
            levels[0][a * (m + 1) + b] = product(a, b);
        }
    }
    let mut best = vec![f64::INFINITY; m + 1];
    best[0] = levels[0][(m + 1) * (m + 1) - 1];
    visit(&mut levels, m, 0, 0, &mut best);
    best
}

fn visit(levels: &mut [Vec<f64>], m: usize, start: usize, size: usize, best: &mut [f64]) {
    let width = m + 1;
    for pivot in start..m {
        let (upper, lower) = levels.split_at_mut(1);
        let (own, child) = (&upper[0], &mut lower[0]);
        let scale = 1.0 / own[pivot * width + pivot];
        for a in pivot + 1..=m {
            let factor = own[a * width + pivot] * scale;
            for b in a..=m {
                let value = own[a * width + b] - factor * own[pivot * width + b];
                child[a * width + b] = value;
                child[b * width + a] = value;
            }
        }
        best[size + 1] = best[size + 1].min(child[m * width + m]);
        if pivot + 1 < m {
            visit(lower, m, pivot + 1, size + 1, best);
        }
    }
}

/// Correlated columns, of which some matter.
fn correlated(rows: usize, columns: usize, seed: u64) -> Dataset {
    let numbers = Philox::new(seed, 77);
    let mut x = Matrix::zeros(rows, columns).unwrap();
    let mut y = vec![0.0_f32; rows];
    for (row, target) in y.iter_mut().enumerate() {
        let common = numbers.normal((row * (columns + 2)) as u64);
        for column in 0..columns {
            let own = numbers.normal((row * (columns + 2) + column + 1) as u64);
            x.as_mut_slice()[row * columns + column] = own + 0.7 * common;
            *target += if column % 3 == 0 { own / (1.0 + column as f32 / 4.0) } else { 0.0 };
        }
        *target += 2.0 * numbers.normal((row * (columns + 2) + columns + 1) as u64);
    }
    Dataset::new(x, Target::from_numbers(Matrix::from_vec(rows, 1, y).unwrap())).unwrap()
}

#[track_caller]
fn agrees_with_exhaustive_search(data: &Dataset) {
    let (found, expected) = (best_subset(data).unwrap(), exhaustive(data));
    assert_eq!(found.subsets.len(), expected.len());
    for (size, (subset, residual)) in found.subsets.iter().zip(&expected).enumerate() {
        assert_eq!(subset.columns.len(), size);
        let relative = (subset.fit.residual / residual - 1.0).abs();
        assert!(relative < 1e-9, "{size} columns: {} instead of {residual}", subset.fit.residual);
    }
}

#[test]
fn the_best_subsets_are_those_of_exhaustive_search() {
    agrees_with_exhaustive_search(&gristmill::datasets::diabetes().unwrap());
    for seed in 0..6 {
        agrees_with_exhaustive_search(&correlated(40, 12, seed));
    }
    agrees_with_exhaustive_search(&correlated(9, 1, 1));
    agrees_with_exhaustive_search(&correlated(9, 2, 1));
}

#[test]
fn twenty_five_columns_are_as_exact() {
    agrees_with_exhaustive_search(&correlated(120, 25, 3));
}

#[test]
fn forward_and_backward_are_never_better_and_nested() {
    let data = correlated(60, 14, 8);
    let best = best_subset(&data).unwrap();
    for path in [forward_subsets(&data).unwrap(), backward_subsets(&data).unwrap()] {
        assert_eq!(path.subsets.len(), 15);
        for (greedy, exact) in path.subsets.iter().zip(&best.subsets) {
            assert!(greedy.fit.residual >= exact.fit.residual * (1.0 - 1e-12));
        }
        for pair in path.subsets.windows(2) {
            assert!(pair[0].columns.iter().all(|column| pair[1].columns.contains(column)));
            assert!(pair[1].fit.residual <= pair[0].fit.residual * (1.0 + 1e-12));
        }
        // The empty model and the full one are the same for all.
        assert_eq!(path.subsets[0], best.subsets[0]);
        assert_eq!(path.subsets[14].columns, best.subsets[14].columns);
    }
}

#[test]
fn what_cannot_be_searched_is_refused() {
    assert!(best_subset(&correlated(100, 31, 0)).unwrap_err().to_string().contains("forward_subsets"));
    assert!(best_subset(&correlated(6, 5, 0)).is_err()); // no residual degree of freedom
    let constant = Dataset::new(
        Matrix::from_rows(&[[1.0, 2.0], [1.0, 3.0], [1.0, 5.0], [1.0, 7.0], [1.0, 1.0]]).unwrap(),
        Target::from_numbers(Matrix::from_vec(5, 1, vec![1.0, 2.0, 3.0, 4.0, 6.0]).unwrap()),
    );
    assert!(best_subset(&constant.unwrap()).unwrap_err().to_string().contains("column 1"));
    let twice: Vec<[f32; 2]> = (0..9).map(|row| [row as f32, 2.0 * row as f32]).collect();
    let target = Target::from_numbers(Matrix::from_vec(9, 1, (0..9).map(|row| (row * row) as f32).collect()).unwrap());
    let collinear = Dataset::new(Matrix::from_rows(&twice).unwrap(), target).unwrap();
    assert!(matches!(best_subset(&collinear), Err(Error::Singular { .. })));
    assert!(best_subset(&gristmill::datasets::iris().unwrap()).is_err()); // classes
    assert!("ciao".parse::<Criterion>().unwrap_err().to_string().contains("aic"));
}

#[test]
fn any_estimator_can_choose_its_columns() {
    let iris = gristmill::datasets::iris().unwrap();
    let folds = Folds::stratified(5).seed(0);
    let knn = Pipeline::new(KNeighborsClassifier::new(5));
    let forward = forward_selection(&knn, &iris, &folds, 4, CrossValidateOptions::default()).unwrap();
    assert_eq!(forward.steps.iter().map(|step| step.columns.len()).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert!(forward.best().score.mean >= forward.steps[3].score.mean);
    assert!(forward.smallest_within_one_error().columns.len() <= forward.best().columns.len());
    let backward = backward_elimination(&knn, &iris, &folds, 1, CrossValidateOptions::default()).unwrap();
    assert!(backward.steps[0].columns[0] >= 2, "a petal is left");
    // A forest reports importances, neighbours do not.
    let forest = Pipeline::new(RandomForestClassifier::new(20));
    for pipeline in [forest, knn] {
        let path = recursive_elimination(&pipeline, &iris, &folds, 2, CrossValidateOptions::default()).unwrap();
        assert_eq!(path.steps.len(), 3);
        assert_eq!(path.steps[0].columns, [2, 3]);
    }
    let none = forward_selection(&Pipeline::new(KNeighborsClassifier::new(5)), &iris, &folds, 0, Default::default());
    assert!(none.unwrap_err().to_string().contains("from 1 to 4"));
}
