//! Scores of rankings.

use gristmill::metrics::{Weighted, weighted};
use gristmill::{Labels, metrics};

use super::fixtures::*;
use super::{all_near, is_not_finite, is_param, is_shape, near};

#[test]
fn curves_with_ties_equal_scikit_learn() -> gristmill::Result<()> {
    let y = Labels::from(&RANK_TRUTH[..]);
    let roc = metrics::roc_curve(&y, &RANK_SCORES)?;
    all_near(&roc.false_positive_rate, &ROC_FALSE);
    all_near(&roc.true_positive_rate, &ROC_TRUE);
    assert_eq!(roc.thresholds, ROC_THRESHOLDS);
    let curve = metrics::precision_recall_curve(&y, &RANK_SCORES)?;
    all_near(&curve.precision, &CURVE_PRECISION);
    all_near(&curve.recall, &CURVE_RECALL);
    assert_eq!(curve.thresholds.len() + 1, curve.recall.len());
    Ok(())
}

#[test]
fn weighted_curves_equal_scikit_learn() -> gristmill::Result<()> {
    let (y, weights) = (Labels::from(&RANK_TRUTH[..]), Some(&RANK_WEIGHTS[..]));
    let roc = metrics::roc_curve(Weighted { y: &y, weights }, &RANK_SCORES)?;
    all_near(&roc.false_positive_rate, &ROC_FALSE_WEIGHTED);
    all_near(&roc.true_positive_rate, &ROC_TRUE_WEIGHTED);
    assert_eq!(roc.thresholds, ROC_THRESHOLDS_WEIGHTED);
    let curve = metrics::precision_recall_curve(Weighted { y: &y, weights }, &RANK_SCORES)?;
    all_near(&curve.precision, &CURVE_PRECISION_WEIGHTED);
    all_near(&curve.recall, &CURVE_RECALL_WEIGHTED);
    Ok(())
}

#[test]
fn areas_equal_scikit_learn() -> gristmill::Result<()> {
    let (y, weights) = (Labels::from(&RANK_TRUTH[..]), Some(&RANK_WEIGHTS[..]));
    near(metrics::roc_auc(&y, &RANK_SCORES)?, ROC_AUC);
    near(metrics::roc_curve(&y, &RANK_SCORES)?.auc(), ROC_AUC);
    near(metrics::roc_auc(Weighted { y: &y, weights }, &RANK_SCORES)?, ROC_AUC_WEIGHTED);
    near(metrics::average_precision(&y, &RANK_SCORES)?, AVERAGE_PRECISION);
    near(metrics::average_precision(Weighted { y: &y, weights }, &RANK_SCORES)?, AVERAGE_PRECISION_WEIGHTED);
    Ok(())
}

#[test]
fn the_area_is_the_chance_that_a_pair_is_in_order() -> gristmill::Result<()> {
    let (mut wins, mut pairs) = (0.0, 0.0);
    for a in (0..24).filter(|row| RANK_TRUTH[*row] == 1) {
        for b in (0..24).filter(|row| RANK_TRUTH[*row] == 0) {
            let (a, b) = (RANK_SCORES[a], RANK_SCORES[b]);
            wins += if a == b { 0.5 } else { f64::from(a > b) };
            pairs += 1.0;
        }
    }
    near(metrics::roc_auc(&Labels::from(&RANK_TRUTH[..]), &RANK_SCORES)?, wins / pairs);
    Ok(())
}

#[test]
fn zero_and_minus_zero_are_a_tie() -> gristmill::Result<()> {
    assert_eq!(metrics::roc_auc(&Labels::from(&[0_u32, 1][..]), &[0.0, -0.0])?, 0.5);
    Ok(())
}

#[test]
fn the_last_of_two_classes_is_the_positive_one() -> gristmill::Result<()> {
    let names = ["a", "b", "c"].map(String::from).to_vec();
    let y = Labels::from_codes(vec![2, 0, 2, 0], names)?; // "b" has no rows
    assert_eq!(metrics::roc_auc(&y, &[0.9, 0.1, 0.8, 0.2])?, 1.0);
    Ok(())
}

#[test]
fn one_class_or_three_are_refused() {
    is_shape(metrics::roc_auc(&Labels::from(&[1_u32, 1][..]), &[0.1, 0.2]));
    is_shape(metrics::average_precision(&Labels::from(&[1_u32, 2, 3][..]), &[0.1, 0.2, 0.3]));
    is_shape(metrics::roc_curve(&Labels::from(&[0_u32, 1][..]), &[0.1]));
    is_shape(metrics::roc_curve(&Labels::from(&[] as &[u32]), &[]));
    let y = Labels::from(&[0_u32, 1][..]);
    is_param(metrics::roc_auc(weighted(&y, &[1.0, 0.0]), &[0.1, 0.2]));
    is_not_finite(metrics::roc_auc(&y, &[0.1, f32::NAN]), (1, 0));
}
