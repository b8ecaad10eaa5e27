//! Cost-complexity pruning: the paths are scikit-learn's, and trees shrink along them.

use gristmill::prelude::*;
use gristmill::tree::{Criterion, PruningPath, RegressionCriterion};

fn close(found: &[f64], wanted: &[f64], tolerance: f64) -> bool {
    found.len() == wanted.len()
        && found.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() <= tolerance * wanted.abs().max(1e-3))
}

fn check(what: &str, path: &PruningPath, alphas: &[f64], impurities: &[f64]) {
    assert!(close(&path.alphas, alphas, 1e-6), "{what}: {:?}", path.alphas);
    assert!(close(&path.impurities, impurities, 1e-6), "{what}: {:?}", path.impurities);
}

#[test]
fn paths_of_classes_are_those_of_scikit_learn() {
    let exact = DecisionTreeClassifier::default().max_depth(3).max_bins(None);
    let (iris, cancer) = (datasets::iris().unwrap(), datasets::breast_cancer().unwrap());
    let path = |criterion: Criterion, data: &Dataset| {
        let tree = exact.clone().criterion(criterion);
        tree.cost_complexity_pruning_path(&data.x, data.labels().unwrap()).unwrap()
    };
    check(
        "iris by Gini",
        &path(Criterion::Gini, &iris),
        &[0.0, 0.004154589, 0.029660494, 0.259796028, 0.333333333],
        &[0.039722222, 0.043876812, 0.073537305, 0.333333333, 0.666666667],
    );
    check(
        "iris by entropy",
        &path(Criterion::Entropy, &iris),
        &[0.0, 0.027970488, 0.076741355, 0.460106914, 0.918295834],
        &[0.10184791, 0.129818398, 0.206559753, 0.666666667, 1.584962501],
    );
    check(
        "breast cancer by Gini",
        &path(Criterion::Gini, &cancer),
        &[0.0, 0.003420449, 0.003454104, 0.014738628, 0.018038525, 0.05007101, 0.32521088],
        &[0.037857837, 0.041278286, 0.04473239, 0.074209646, 0.092248171, 0.142319181, 0.467530061],
    );
    check(
        "breast cancer by entropy",
        &path(Criterion::Entropy, &cancer),
        &[0.0, 0.016763572, 0.021073266, 0.022637195, 0.042511981, 0.073372218, 0.09141501, 0.561986885],
        &[0.122874995, 0.139638567, 0.160711833, 0.183349028, 0.225861009, 0.299233227, 0.390648237, 0.952635122],
    );
}

#[test]
fn paths_of_numbers_are_those_of_scikit_learn() {
    let data = datasets::diabetes().unwrap();
    let exact = DecisionTreeRegressor::default().max_depth(3).max_bins(None);
    let path = |criterion: RegressionCriterion| {
        let tree = exact.clone().criterion(criterion);
        tree.cost_complexity_pruning_path(&data.x, data.values().unwrap()).unwrap()
    };
    check(
        "squared error",
        &path(RegressionCriterion::SquaredError),
        &[0.0, 61.694425724, 62.555057499, 93.026184246, 181.816955139, 335.636763452, 505.389605938, 1728.808430844],
        &[
            2960.957474067,
            3022.651899792,
            3085.206957291,
            3178.233141537,
            3360.050096676,
            3695.686860128,
            4201.076466066,
            5929.88489691,
        ],
    );
    check(
        "absolute error",
        &path(RegressionCriterion::AbsoluteError),
        &[0.0, 0.459276018, 0.536199095, 0.63800905, 1.162895928, 2.477375566, 4.49321267, 12.475113122],
        &[42.800904977, 43.260180995, 43.79638009, 44.43438914, 45.597285068, 48.074660633, 52.567873303, 65.042986425],
    );
}

#[test]
fn a_tree_shrinks_along_its_path_down_to_the_root() {
    let data = datasets::breast_cancer().unwrap();
    let y = data.labels().unwrap();
    let tree = DecisionTreeClassifier::default();
    let path = tree.cost_complexity_pruning_path(&data.x, y).unwrap();
    assert!(path.alphas.is_sorted() && path.impurities.is_sorted());
    assert_eq!(path.alphas.len(), path.impurities.len());
    let mut before = usize::MAX;
    for (alpha, impurity) in path.alphas.iter().zip(&path.impurities).filter(|(alpha, _)| **alpha > 0.0) {
        let model = tree.clone().ccp_alpha(*alpha).fit(&data.x, y).unwrap();
        let nodes = model.tree().nodes();
        let left = nodes.iter().filter(|node| node.feature.is_none());
        let cost: f64 = left.map(|node| node.weight / nodes[0].weight * node.impurity).sum();
        // Several subtrees may be worth the same; the last of them has this impurity.
        assert!(cost >= impurity - 1e-12 && model.tree().leaves() <= before);
        before = model.tree().leaves();
        let again = DecisionTreeClassifierModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(again.tree(), model.tree());
    }
    assert_eq!(before, 1);
    let refused = tree.ccp_alpha(-0.1).fit(&data.x, y);
    assert!(matches!(refused, Err(Error::Param { name: "ccp_alpha", .. })));
}

#[test]
fn pruned_trees_and_forests_have_the_size_of_scikit_learns() {
    let data = datasets::breast_cancer().unwrap();
    let rows: Vec<usize> = (0..data.x.rows()).filter(|row| row % 4 != 0).collect();
    let train = data.select(&rows).unwrap();
    let y = train.labels().unwrap();
    // scikit-learn's tree, and the mean of its forest of fifty.
    for (alpha, leaves, mean) in [(0.0, 17, 17.68), (0.005, 9, 9.7), (0.01, 6, 5.68), (0.02, 4, 3.86), (0.05, 2, 2.5)] {
        let tree = DecisionTreeClassifier::default().max_bins(None).ccp_alpha(alpha).fit(&train.x, y).unwrap();
        assert!(tree.tree().leaves().abs_diff(leaves) <= 1, "{alpha}: {}", tree.tree().leaves());
        let forest = RandomForestClassifier::new(50).ccp_alpha(alpha).fit(&train.x, y).unwrap();
        let found = forest.trees().iter().map(|tree| tree.leaves() as f64).sum::<f64>() / 50.0;
        assert!((found - mean).abs() < 0.15 * mean, "{alpha}: {found} {mean}");
    }
}

#[test]
fn the_bound_of_the_notes_falls_with_the_rows_and_rises_with_the_nodes() {
    let rows = 20_000_u32;
    let x = Matrix::from_vec(rows as usize, 2, (0..2 * rows).map(|at| ((at / 2) >> (at % 2) & 1) as f32).collect());
    let x = x.unwrap();
    let y = Labels::from((0..rows).map(|row| row & (row >> 1) & 1).collect::<Vec<u32>>().as_slice());
    let bound = |model: &DecisionTreeClassifierModel, delta: f64| model.generalization_bound(2, delta).unwrap();
    let whole = DecisionTreeClassifier::default().fit(&x, &y).unwrap();
    let nodes = whole.tree().nodes().len() as f64;
    let wanted = (((nodes + 1.0) * 5_f64.log2() + 40_f64.log2()) / (2.0 * f64::from(rows))).sqrt();
    assert!((bound(&whole, 0.05) - wanted).abs() < 1e-12);
    assert!(bound(&whole, 0.01) > bound(&whole, 0.05));
    let root = DecisionTreeClassifier::default().max_depth(0).fit(&x, &y).unwrap();
    // The root is wrong on a quarter of the rows.
    assert!((bound(&root, 0.05) - 0.25) < wanted && bound(&root, 0.05) > 0.25);
    assert!(whole.generalization_bound(2, 0.0).is_err() && whole.generalization_bound(2, f64::NAN).is_err());
}

#[test]
fn alphas_ascend_from_zero_whatever_rounding_does() {
    // Both sides have the shares of the whole: the division is worth nothing, and rounding made it worth less.
    let x = Matrix::from_vec(15, 1, (0..15).map(|row| if row < 3 { 0.0 } else { 1.0 }).collect()).unwrap();
    let codes: Vec<u32> = (0..15).map(|row| if row < 3 { u32::from(row > 0) } else { u32::from(row > 6) }).collect();
    let y = Labels::from(&codes[..]);
    for criterion in [Criterion::Gini, Criterion::Entropy, Criterion::Misclassification] {
        let path = DecisionTreeClassifier::default().criterion(criterion).max_depth(1);
        let path = path.cost_complexity_pruning_path(&x, &y).unwrap();
        assert!(path.alphas[0] == 0.0 && (0.0..1e-15).contains(&path.alphas[1]), "{criterion:?} {:?}", path.alphas);
    }
    let drawn = crate::support::numbers(900, 31);
    let x = Matrix::from_vec(300, 2, drawn[..600].to_vec()).unwrap();
    let y = Labels::from(&(0..300).map(|row| u32::from(drawn[600 + row] > 0.1)).collect::<Vec<u32>>()[..]);
    for criterion in [Criterion::Gini, Criterion::Entropy, Criterion::Misclassification] {
        let path = DecisionTreeClassifier::default().criterion(criterion).cost_complexity_pruning_path(&x, &y).unwrap();
        assert!(path.alphas.is_sorted() && path.alphas[0] == 0.0, "{criterion:?} {:?}", path.alphas);
    }
}

#[test]
fn weighted_paths_are_those_of_repeated_rows() {
    let iris = datasets::iris().unwrap();
    let diabetes = datasets::diabetes().unwrap();
    let weights = |rows: usize| (0..rows).map(|row| (row % 3) as f32).collect::<Vec<f32>>();
    let repeated = |data: &Dataset| {
        let rows: Vec<usize> = (0..data.x.rows()).flat_map(|row| vec![row; row % 3]).collect();
        data.select(&rows).unwrap()
    };
    let (own, tree) = (weights(150), DecisionTreeClassifier::default().max_depth(4));
    let options = Fit::default().sample_weight(&own);
    let weighted = tree.cost_complexity_pruning_path_with(&iris.x, iris.labels().unwrap(), options).unwrap();
    let other = repeated(&iris);
    let plain = tree.cost_complexity_pruning_path(&other.x, other.labels().unwrap()).unwrap();
    check("classes", &weighted, &plain.alphas, &plain.impurities);
    let own = weights(diabetes.x.rows());
    let (options, tree) = (Fit::default().sample_weight(&own), DecisionTreeRegressor::default().max_depth(4));
    let weighted = tree.cost_complexity_pruning_path_with(&diabetes.x, diabetes.values().unwrap(), options).unwrap();
    let other = repeated(&diabetes);
    let plain = tree.cost_complexity_pruning_path(&other.x, other.values().unwrap()).unwrap();
    check("numbers", &weighted, &plain.alphas, &plain.impurities);
}
