//! Trees that can be read, and what trees and forests report.

use gristmill::prelude::*;
use gristmill::selection::{Scoring, permutation_importance};
use gristmill::tree::Id3Classifier;

use super::page::Page;

pub fn show(page: &mut Page) -> Result<()> {
    page.section("A decision tree in words: iris, two questions deep");
    let iris = datasets::iris()?;
    let tree = DecisionTreeClassifier::default().max_depth(2).fit(&iris.x, iris.labels()?)?;
    page.text(tree.to_text().trim_end());
    page.section("ID3 splits by all categories at once: PlayTennis, the textbook's tree");
    let days = datasets::play_tennis()?;
    let tree = Id3Classifier::default().fit(&days.x, days.labels()?)?;
    page.text(tree.to_text(&days.categories()).trim_end());
    page.section("What trees tell of themselves, on breast cancer, 30 % for testing");
    let (train, test) = datasets::breast_cancer()?.split(0.7, 1)?;
    pruning(page, &train, &test)?;
    forests(page, &train, &test)?;
    averaging(page)
}

/// The path of pruning, and the bound on the error of a tree.
fn pruning(page: &mut Page, train: &Dataset, test: &Dataset) -> Result<()> {
    let (x, y) = (&train.x, train.labels()?);
    let tree = DecisionTreeClassifier::default();
    let path = tree.cost_complexity_pruning_path(x, y)?;
    let (whole, pruned) = (tree.fit(x, y)?, tree.clone().ccp_alpha(0.01).fit(x, y)?);
    let score = |model: &gristmill::tree::DecisionTreeClassifierModel| -> Result<f64> {
        Ok(100.0 * model.score(&test.x, test.labels()?)?)
    };
    let (leaves, left) = (whole.tree().leaves(), pruned.tree().leaves());
    let (before, after) = (score(&whole)?, score(&pruned)?);
    let steps = path.alphas.len() - 1;
    page.fact(
        "cost-complexity pruning",
        format!("{steps} steps; at α = 0.01 {leaves} leaves become {left}, {before:.1} % right become {after:.1} %"),
    );
    let stump = tree.max_depth(1).fit(x, y)?;
    // A question for every threshold between two of a column's values; of many values, between bins.
    let thresholds = |column: usize| {
        let mut values: Vec<f32> = (0..x.rows()).map(|row| x.get(row, column)).collect();
        values.sort_by(f32::total_cmp);
        values.dedup();
        values.len().saturating_sub(1).min(254)
    };
    let bound = stump.generalization_bound((0..x.columns()).map(thresholds).sum(), 0.05)?;
    let error = 1.0 - stump.score(&test.x, test.labels()?)?;
    page.fact(
        "bound on the error",
        format!("a stump: at most {bound:.3} with 95 % probability; on new rows {error:.3}"),
    );
    Ok(())
}

/// Out-of-bag score, margins, strength, permuted columns and Shapley values of a forest.
fn forests(page: &mut Page, train: &Dataset, test: &Dataset) -> Result<()> {
    let (new, labels) = (&test.x, test.labels()?);
    let forest = RandomForestClassifier::new(100).oob_score(true).fit(&train.x, train.labels()?)?;
    let (inside, outside) = (forest.oob_score().unwrap_or(f64::NAN), forest.score(new, labels)?);
    page.fact(
        "out-of-bag score",
        format!("{:.1} % right without new rows; with them {:.1} %", 100.0 * inside, 100.0 * outside),
    );
    let margins = forest.margins(new, labels)?;
    let least = margins.iter().copied().fold(f64::INFINITY, f64::min);
    let strength = forest.strength(new, labels)?;
    let bound = strength.error_bound().map_or(String::new(), |bound| format!(", so an error of at most {bound:.2}"));
    let (mean, alike) = (strength.strength, strength.correlation);
    page.fact("margins", format!("{least:.2} at least, {mean:.2} on average, correlation {alike:.2}{bound}"));
    let lost = permutation_importance(&forest, new, &test.target, Scoring::Accuracy, 5, 0)?.means();
    let most = (1..lost.len()).fold(0, |most, column| if lost[column] > lost[most] { column } else { most });
    let name = new.names().map_or("", |names| names[most].as_str());
    page.fact("permutation importance", format!("{name} permuted costs {:.1} points", 100.0 * lost[most]));
    let (values, probabilities) = (forest.shapley_values(new)?, forest.predict_proba(new)?);
    let sum = |row: usize| values[1].row(row).iter().map(|value| f64::from(*value)).sum::<f64>();
    let apart = (0..new.rows()).map(|row| (sum(row) - f64::from(probabilities.get(row, 1))).abs()).fold(0.0, f64::max);
    page.fact("Shapley values", format!("add up to each row's probability: {apart:.0e} apart at most"));
    Ok(())
}

/// The variance of an average of trees: ρσ² + (1 − ρ)σ²/B.
fn averaging(page: &mut Page) -> Result<()> {
    let (train, test) = datasets::diabetes()?.split(0.7, 1)?;
    let forest = RandomForestRegressor::new(50).fit(&train.x, train.values()?)?;
    let found = forest.ensemble_variance(&test.x)?;
    let (correlation, variance, members) = (found.correlation, found.variance, found.members);
    let (formula, measured) = (found.by_formula(), found.of_average);
    page.fact(
        "variance of an average",
        format!("ρσ² + (1 − ρ)σ²/B = {formula:.0} for ρ = {correlation:.2}, σ² = {variance:.0}, B = {members}; measured {measured:.0} (diabetes)"),
    );
    Ok(())
}
