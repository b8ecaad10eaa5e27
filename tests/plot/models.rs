//! Pictures of nominal trees and of Shapley values.

use gristmill::ensemble::{AdaBoostClassifier, BaggingClassifier};
use gristmill::estimator::{InputColumns, Model, PictureInput};
use gristmill::plot;
use gristmill::prelude::*;
use gristmill::tree::{Id3Classifier, NominalTreeFigure, TreeFigure, along_pruning, pruning_path};

use super::{check, count};

#[test]
fn a_nominal_tree_shows_splits_categories_and_predictions() -> gristmill::Result<()> {
    let days = datasets::play_tennis()?;
    let model = Id3Classifier::default().fit(&days.x, days.labels()?)?;
    let svg = NominalTreeFigure::new(&model, &days.categories()).title("To play or not").to_svg();
    check(&svg);
    for word in ["outlook?", "humidity?", "wind?", ">Overcast<", ">Rain<", ">Sunny<", "tells 0.247 bits", "Yes (1.000)"]
    {
        assert!(svg.contains(word), "{word}");
    }
    // Eight boxes beside the page, and an arrow to each but the first.
    assert_eq!((count(&svg, "rx=\"5\""), count(&svg, "<polygon")), (8, 7));
    let codes = NominalTreeFigure::new(&model, &[]).to_svg();
    assert!(codes.contains(">2<") && !codes.contains("Sunny"));
    Ok(())
}

#[test]
fn a_wide_nominal_tree_is_cut_off() -> gristmill::Result<()> {
    let rows = 900_usize;
    let x = Matrix::from_vec(rows, 2, (0..rows).flat_map(|row| [(row % 30) as f32, (row / 30) as f32]).collect())?;
    let y = Labels::from((0..rows).map(|row| (row * row / 7 % 3) as u32).collect::<Vec<u32>>().as_slice());
    let model = Id3Classifier::default().fit(&x, &y)?;
    let svg = NominalTreeFigure::new(&model, &[]).to_svg();
    check(&svg);
    assert_eq!(count(&svg, "rx=\"5\""), 31);
    assert!(svg.contains("…"));
    Ok(())
}

#[test]
fn a_summary_of_shapley_values_has_a_row_a_feature_the_largest_on_top() -> gristmill::Result<()> {
    let rows = 200_usize;
    let value = |row: usize, column: usize| if row == 3 { f32::NAN } else { ((row * (3 + column)) % 17) as f32 };
    let x = Matrix::from_vec(rows, 3, (0..rows * 3).map(|at| value(at / 3, at % 3)).collect())?;
    let x = x.with_names(["small", "large", "middle"])?;
    let sizes = [0.1, 5.0, 1.0];
    let values: Vec<f32> = (0..rows * 3).map(|at| sizes[at % 3] * ((at / 3 % 11) as f32 - 5.0)).collect();
    let values = Matrix::from_vec(rows, 3, values)?;
    let svg = plot::shapley_summary(&values, &x, 10)?.to_svg();
    check(&svg);
    let place = |name: &str| svg.find(&format!(">{name}<")).unwrap();
    assert!(place("large") < place("middle") && place("middle") < place("small"));
    assert_eq!(count(&svg, "<circle"), 600);
    assert!(svg.contains("high value") && svg.contains("missing") && !svg.contains("a category"));
    let two = plot::shapley_summary(&values, &x, 2)?.to_svg();
    assert!(!two.contains(">small<") && count(&two, "<circle") == 400);
    assert!(plot::shapley_summary(&values, &x.select(&[0, 1])?, 2).is_err());
    assert!(plot::shapley_summary(&Matrix::zeros(4, 1)?, &Matrix::zeros(4, 1)?, 5)?.to_svg().contains("x0"));
    Ok(())
}

#[test]
fn a_summary_shows_categories_in_one_colour_and_what_is_missing_only_if_something_is() -> gristmill::Result<()> {
    let x = Matrix::from_vec(30, 2, (0..60).map(|at| (at % 5) as f32).collect())?.with_categories([1])?;
    let values = Matrix::from_vec(30, 2, (0..60).map(|at| (at % 7) as f32 - 3.0).collect())?;
    let svg = plot::shapley_summary(&values, &x, 10)?.to_svg();
    check(&svg);
    assert!(svg.contains("a category") && svg.contains("low value") && !svg.contains("missing"));
    let only = x.select_columns(&[1])?.with_categories([0])?;
    let svg = plot::shapley_summary(&values.select_columns(&[1])?, &only, 10)?.to_svg();
    assert!(svg.contains("a category") && !svg.contains("low value"));
    Ok(())
}

#[test]
fn a_tree_names_the_categories_it_asks_for() -> gristmill::Result<()> {
    let days = datasets::play_tennis()?;
    let x = days.x.clone().with_categories(0..4)?;
    let model = DecisionTreeClassifier::default().fit(&x, days.labels()?)?;
    let svg = TreeFigure::of_classifier(&model).category_names(&days.categories()).to_svg();
    check(&svg);
    assert!(svg.contains("{Overcast}") && !svg.contains("{0}"));
    assert!(TreeFigure::of_classifier(&model).to_svg().contains("{0}"));
    Ok(())
}

#[test]
fn the_path_of_pruning_falls_from_all_leaves_to_one() -> gristmill::Result<()> {
    let cancer = datasets::breast_cancer()?;
    let model = DecisionTreeClassifier::default().fit(&cancer.x, cancer.labels()?)?;
    check(&pruning_path(model.tree()).to_svg());
    let leaves = along_pruning(model.tree(), |pruned| pruned.leaves() as f64);
    assert_eq!((leaves[0], leaves[leaves.len() - 1].1), ((0.0, model.tree().leaves() as f64), 1.0));
    assert!(leaves.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 > pair[1].1), "{leaves:?}");
    // A tree of one leaf has a path of one point.
    let root = model.tree().pruned(1.0);
    assert_eq!(along_pruning(&root, |pruned| pruned.leaves() as f64), [(0.0, 1.0)]);
    check(&pruning_path(&root).to_svg());
    Ok(())
}

#[test]
fn stages_end_in_the_whole_model() -> gristmill::Result<()> {
    let data = datasets::rectangle(150, 3)?;
    let (x, y) = (&data.x, data.labels()?);
    let ada = AdaBoostClassifier::default().n_estimators(20).fit(x, y)?;
    let staged = plot::staged_regions(x, y, 30, &[1, 20], |cells, rounds| ada.staged_predict(cells, rounds))?;
    let whole = plot::decision_regions(x, y, 30, |cells| ada.predict(cells))?;
    assert_eq!(staged[1].to_svg(), whole.to_svg());
    assert_ne!(staged[0].to_svg(), whole.to_svg());
    // The first bags of many are the bags of a fit of few.
    let bagging = BaggingClassifier::default();
    let (few, many) = (bagging.clone().n_estimators(3).fit(x, y)?, bagging.n_estimators(12).fit(x, y)?);
    assert_eq!(many.staged_predict(x, 3)?, few.predict(x)?);
    assert_eq!(many.staged_predict(x, usize::MAX)?, many.predict(x)?);
    Ok(())
}

#[test]
fn a_gram_matrix_is_drawn_by_class_and_names_each_class_once() -> gristmill::Result<()> {
    let iris = datasets::iris()?;
    // Every seventh row, in an order that mixes the classes.
    let some: Vec<usize> = (0..150).map(|row| row * 7 % 150).take(40).collect();
    let (x, labels) = (iris.x.select(&some)?, iris.labels()?.select(&some)?);
    let kernel = Kernel::rbf(0.5);
    let svg = gristmill::kernel_methods::gram_figure(&kernel, &x, &labels)?.to_svg();
    check(&svg);
    assert!(svg.contains("Gram matrix by class: rbf(gamma=0.5)"));
    for name in labels.names() {
        assert_eq!(count(&svg, &format!(">{name}<")), 2, "{name}: at both axes");
    }
    assert!(count(&svg, "<rect") >= 1600);
    assert!(gristmill::kernel_methods::gram_figure(&kernel, &x, &labels.select(&[0])?).is_err());
    let pictures = KernelPca::default().n_components(3).kernel(kernel).fit(&x)?;
    let input = PictureInput { columns: &InputColumns::default(), target_name: None, rows: None };
    assert_eq!(pictures.figures(&input)?.len(), 1);
    Ok(())
}
