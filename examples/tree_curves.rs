//! The path of pruning, the errors of boosting after each round, which columns matter, and what they add to each
//! prediction, on the breast cancer table.
//!
//! `cargo run --release --example tree_curves [FILE.svg]`

use gristmill::ensemble::AdaBoostClassifier;
use gristmill::plot::{self, Figure, Panels};
use gristmill::prelude::*;
use gristmill::selection::{Scoring, permutation_importance};
use gristmill::tree::{pruning_curves, pruning_path};

fn main() -> gristmill::Result<()> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "tree_curves.svg".to_string());
    draw(&path)?.iter().for_each(|line| println!("{line}"));
    println!("{path}");
    Ok(())
}

/// Draws the picture, and tells of the forest's margins.
pub fn draw(path: &str) -> gristmill::Result<Vec<String>> {
    let (train, test) = datasets::breast_cancer()?.split(0.6, 1)?;
    let (leaves, scores) = pruning(&train, &test)?;
    let forest = RandomForestClassifier::default().fit(&train.x, train.labels()?)?;
    let names = train.x.names().unwrap_or_default().to_vec();
    let permuted = permutation_importance(&forest, &test.x, &test.target, Scoring::Accuracy, 10, 0)?;
    let by_gain = plot::importances(&names, &forest.feature_importances())?.title("Importances by gain");
    let by_loss = plot::importances(&names, &permuted.means())?.title("Accuracy lost when permuted");
    let margins = forest.margins(&test.x, test.labels()?)?;
    let strength = forest.strength(&test.x, test.labels()?)?;
    let least = margins.iter().copied().fold(1.0, f64::min);
    let lines = vec![
        format!("margins: {least:.3} at least, {:.3} on average", strength.strength),
        format!("correlation {:.3}, error {:.3}", strength.correlation, strength.error),
    ];
    let panels = Panels::new(3)?.title("Trees on breast cancer").figure(leaves).figure(scores);
    let boosted = GradientBoostingClassifier::default().fit(&train.x, train.labels()?)?;
    let explained = boosted.shapley_values(&test.x)?;
    let values = explained[0].select_columns(&(0..test.x.columns()).collect::<Vec<usize>>())?;
    let summary =
        plot::shapley_summary(&values, &test.x, 10)?.x_label("what the column adds to the log-odds of malignant");
    panels.figure(stages(&train, &test)?).figure(by_gain).figure(by_loss).figure(summary).save(path)?;
    Ok(lines)
}

/// Leaves and accuracies along the path of pruning.
fn pruning(train: &Dataset, test: &Dataset) -> gristmill::Result<(Figure, Figure)> {
    let tree = DecisionTreeClassifier::default();
    let (y, target) = (train.labels()?, test.labels()?);
    let (mut seen, mut new) = (vec![], vec![]);
    for alpha in tree.cost_complexity_pruning_path(&train.x, y)?.alphas {
        let model = tree.clone().ccp_alpha(alpha).fit(&train.x, y)?;
        seen.push((alpha, model.score(&train.x, y)?));
        new.push((alpha, model.score(&test.x, target)?));
    }
    let accuracies = pruning_curves(&[("fitted rows", seen), ("new rows", new)]);
    let accuracies = accuracies.title("Accuracy along the path of pruning").y_label("accuracy");
    Ok((pruning_path(tree.fit(&train.x, y)?.tree()), accuracies))
}

/// Errors after each round, of AdaBoost and of gradient boosting, and AdaBoost's bound.
fn stages(train: &Dataset, test: &Dataset) -> gristmill::Result<Figure> {
    let (y, target) = (train.labels()?, test.labels()?);
    let ada = AdaBoostClassifier::default().n_estimators(60).fit(&train.x, y)?;
    let gradient = GradientBoostingClassifier::default().n_estimators(60).fit(&train.x, y)?;
    let rounds = |errors: Vec<f64>| (1..).zip(errors).map(|(round, error)| (f64::from(round), error));
    let error = |predicted: &Labels| Ok(1.0 - metrics::accuracy(target, predicted)?);
    let staged = |round: usize| error(&ada.staged_predict(&test.x, round)?);
    let ada_new = (1..=ada.members().len()).map(staged).collect::<gristmill::Result<Vec<f64>>>()?;
    let gradient_new = gradient.staged_predict(&test.x)?.map(|predicted| error(&predicted?));
    let gradient_new = gradient_new.collect::<gristmill::Result<Vec<f64>>>()?;
    let factor = |error: &f64| 2.0 * (error * (1.0 - error)).sqrt();
    let bound: Vec<f64> = ada
        .estimator_errors()
        .iter()
        .map(factor)
        .scan(1.0, |bound, next| {
            *bound *= next;
            Some(*bound)
        })
        .collect();
    let figure = Figure::new().title("Errors after each round").x_label("round").y_label("share wrong");
    let figure =
        figure.line("AdaBoost, fitted", rounds(ada.train_errors().to_vec())).line("AdaBoost, new", rounds(ada_new));
    let figure = figure.dashed("AdaBoost's bound", rounds(bound)).line("gradient, new", rounds(gradient_new));
    figure.y_range(0.0, 0.15)
}
