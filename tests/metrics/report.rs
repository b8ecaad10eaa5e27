//! What is printed.

use gristmill::Labels;
use gristmill::metrics::weighted;
use gristmill::metrics::{self, ConfusionMatrix};

use super::fixtures::*;
use super::near;

fn flowers() -> (Labels, Labels) {
    let truth: Vec<&str> = [["setosa"; 3], ["versicolor"; 3], ["virginica"; 3]].concat();
    let mut predicted = truth.clone();
    predicted[5] = "virginica";
    (Labels::from_names(&truth), Labels::from_names(&predicted))
}

#[test]
fn a_report_prints_an_aligned_table() -> gristmill::Result<()> {
    let (y, p) = flowers();
    let expected = "                  precision     recall         f1  support
──────────────────────────────────────────────────────────
setosa               1.0000     1.0000     1.0000        3
versicolor           1.0000     0.6667     0.8000        3
virginica            0.7500     1.0000     0.8571        3
──────────────────────────────────────────────────────────
accuracy                                   0.8889        9
macro average        0.9167     0.8889     0.8857        9
weighted average     0.9167     0.8889     0.8857        9";
    assert_eq!(metrics::classification_report(&y, &p)?.to_string(), expected);
    Ok(())
}

#[test]
fn a_confusion_matrix_prints_an_aligned_table() -> gristmill::Result<()> {
    let (y, p) = flowers();
    let expected = "             predicted
target       setosa  versicolor  virginica
──────────────────────────────────────────
setosa            3           ·          ·
versicolor        ·           2          1
virginica         ·           ·          3";
    assert_eq!(ConfusionMatrix::new(&y, &p)?.to_string(), expected);
    Ok(())
}

#[test]
fn long_names_and_line_breaks_do_not_tear_a_table() -> gristmill::Result<()> {
    let y = Labels::from_names(&["a name of many letters", "two\nlines"]);
    for text in [ConfusionMatrix::new(&y, &y)?.to_string(), metrics::classification_report(&y, &y)?.to_string()] {
        assert!(text.contains("a name of many …") && text.contains("two lines"), "{text}");
    }
    Ok(())
}

#[test]
fn a_weighted_report_has_weighted_scores() -> gristmill::Result<()> {
    let (y, p) = (Labels::from_names(&TRUTH), Labels::from_names(&PREDICTED));
    let report = metrics::classification_report(weighted(&y, &WEIGHTS), &p)?;
    near(report.accuracy, ACCURACY_WEIGHTED);
    near(report.macro_average.precision, AVERAGES_WEIGHTED[0]);
    near(report.weighted_average.f1, AVERAGES_WEIGHTED[8]);
    near(report.classes[1].support, CLASS_SCORES_WEIGHTED[16]);
    Ok(())
}
