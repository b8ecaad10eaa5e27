//! Scores of classes.

use gristmill::Labels;
use gristmill::metrics::{self, Average, ConfusionMatrix};
use gristmill::metrics::{Weighted, weighted};

use super::fixtures::*;
use super::{all_near, is_not_finite, is_param, is_shape, near};

fn labels() -> (Labels, Labels) {
    (Labels::from_names(&TRUTH), Labels::from_names(&PREDICTED))
}

#[test]
fn single_numbers_equal_scikit_learn() -> gristmill::Result<()> {
    let (y, p) = labels();
    near(metrics::accuracy(&y, &p)?, ACCURACY);
    near(metrics::accuracy(weighted(&y, &WEIGHTS), &p)?, ACCURACY_WEIGHTED);
    near(metrics::balanced_accuracy(&y, &p)?, BALANCED_ACCURACY);
    near(metrics::balanced_accuracy(weighted(&y, &WEIGHTS), &p)?, BALANCED_ACCURACY_WEIGHTED);
    near(metrics::matthews_corrcoef(&y, &p)?, MATTHEWS);
    near(metrics::matthews_corrcoef(weighted(&y, &WEIGHTS), &p)?, MATTHEWS_WEIGHTED);
    Ok(())
}

#[test]
fn averages_equal_scikit_learn() -> gristmill::Result<()> {
    let (y, p) = labels();
    for (weights, expected) in [(None, AVERAGES), (Some(&WEIGHTS[..]), AVERAGES_WEIGHTED)] {
        for (at, average) in [Average::Macro, Average::Micro, Average::Weighted].into_iter().enumerate() {
            near(metrics::precision(Weighted { y: &y, weights }, &p, average)?, expected[at]);
            near(metrics::recall(Weighted { y: &y, weights }, &p, average)?, expected[3 + at]);
            near(metrics::f1(Weighted { y: &y, weights }, &p, average)?, expected[6 + at]);
        }
    }
    near(metrics::f1(&y, &p, Average::Macro)?, AVERAGES[6]);
    near(metrics::precision(&y, &p, Average::Weighted)?, AVERAGES[2]);
    near(metrics::recall(&y, &p, Average::Weighted)?, AVERAGES[5]);
    Ok(())
}

#[test]
fn scores_of_each_class_equal_scikit_learn() -> gristmill::Result<()> {
    let (y, p) = labels();
    for (weights, expected) in [(None, CLASS_SCORES), (Some(&WEIGHTS[..]), CLASS_SCORES_WEIGHTED)] {
        let scores = metrics::class_scores(Weighted { y: &y, weights }, &p)?;
        let names: Vec<&str> = scores.iter().map(|score| score.class.as_str()).collect();
        assert_eq!(names, ["aster", "clover", "fern", "lily", "moss"]);
        for (at, score) in scores.iter().enumerate() {
            let expected: Vec<f64> = expected.iter().copied().skip(at).step_by(5).collect();
            all_near(&[score.precision, score.recall, score.f1, score.support], &expected);
        }
    }
    assert_eq!(metrics::class_scores(&y, &p)?, metrics::class_scores(weighted(&y, &[1.0; 30]), &p)?);
    Ok(())
}

#[test]
fn a_confusion_matrix_equals_scikit_learn() -> gristmill::Result<()> {
    let (y, p) = labels();
    let confusion = ConfusionMatrix::new(&y, &p)?;
    assert_eq!(confusion.counts(), CONFUSION);
    assert_eq!(confusion.get(2, 3), confusion.row(2)[3]);
    all_near(ConfusionMatrix::new(weighted(&y, &WEIGHTS), &p)?.counts(), &CONFUSION_WEIGHTED);
    Ok(())
}

#[test]
fn classes_are_matched_by_name_and_not_by_code() -> gristmill::Result<()> {
    let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
    let y = Labels::from_codes(vec![0, 1, 1], names(&["b", "a", "unused"]))?;
    let p = Labels::from_codes(vec![2, 1, 0], names(&["z", "a", "b"]))?;
    near(metrics::accuracy(&y, &p)?, 2.0 / 3.0);
    let confusion = ConfusionMatrix::new(&y, &p)?;
    assert_eq!(confusion.classes(), ["b", "a", "z"]);
    assert_eq!(confusion.counts(), [1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
    Ok(())
}

#[test]
fn classes_keep_the_order_of_the_longer_list() -> gristmill::Result<()> {
    let (y, p) = (Labels::from(&[2_u32, 10][..]), Labels::from(&[2_u32, 3][..]));
    let all = Labels::from_codes(vec![1, 0], ["2", "3", "10"].map(String::from).to_vec())?;
    assert_eq!(ConfusionMatrix::new(&y, &all)?.classes(), ["2", "3", "10"]);
    assert_eq!(ConfusionMatrix::new(&y, &p)?.classes(), ["2", "10", "3"]);
    Ok(())
}

#[test]
fn as_many_classes_as_rows_cost_no_square_table() -> gristmill::Result<()> {
    let numbers: Vec<u32> = (0..100_000).collect();
    let y = Labels::from(&numbers[..]);
    assert_eq!(metrics::accuracy(&y, &y)?, 1.0);
    assert_eq!(metrics::f1(&y, &y, Average::Macro)?, 1.0);
    assert_eq!(metrics::matthews_corrcoef(&y, &y)?, 1.0);
    Ok(())
}

#[test]
fn one_class_throughout_has_no_correlation() -> gristmill::Result<()> {
    let y = Labels::from_names(&["a", "a"]);
    assert_eq!(metrics::matthews_corrcoef(&y, &y)?, 0.0);
    assert_eq!(metrics::balanced_accuracy(&y, &Labels::from_names(&["a", "b"]))?, 0.5);
    Ok(())
}

#[test]
fn what_does_not_fit_is_refused() {
    let (y, p) = labels();
    let short = Labels::from_names(&["aster"]);
    let none = Labels::from_names::<&str>(&[]);
    is_shape(metrics::accuracy(&y, &short));
    is_shape(metrics::accuracy(&none, &none));
    is_shape(ConfusionMatrix::new(&short, &y));
    is_shape(metrics::classification_report(&none, &none));
    is_shape(metrics::f1(weighted(&y, &[1.0]), &p, Average::Macro));
    is_param(metrics::accuracy(weighted(&y, &[0.0; 30]), &p));
    let mut weights = WEIGHTS;
    weights[7] = -1.0;
    is_param(metrics::accuracy(weighted(&y, &weights), &p));
    weights[7] = f32::NAN;
    is_not_finite(metrics::accuracy(weighted(&y, &weights), &p), (7, 0));
}
