//! Folds that keep the rows of a group together.

use crate::data::Labels;
use crate::error::{Error, Result};

/// Rows of each group, and how many groups have a row; a group for each row is needed.
fn sizes(groups: &[u32], rows: usize, n_splits: usize) -> Result<Vec<usize>> {
    if groups.len() != rows {
        return Err(Error::shape("Folds::split", format!("a group for each of {rows} rows"), groups.len()));
    }
    let count = groups.iter().max().map_or(0, |last| *last as usize + 1);
    let mut sizes = vec![0; count];
    groups.iter().for_each(|group| sizes[*group as usize] += 1);
    let found = sizes.iter().filter(|size| **size > 0).count();
    if n_splits < 2 || n_splits > found {
        return Err(Error::param("n_splits", format!("from 2 to the number of groups, {found}"), n_splits));
    }
    Ok(sizes)
}

/// The test fold of each row: the largest group first, each to the fold that has the fewest rows so far. scikit-learn's
/// `GroupKFold`.
pub(super) fn group_folds(groups: &[u32], rows: usize, n_splits: usize) -> Result<Vec<u32>> {
    let sizes = sizes(groups, rows, n_splits)?;
    let mut order: Vec<usize> = (0..sizes.len()).filter(|group| sizes[*group] > 0).collect();
    order.sort_by_key(|group| sizes[*group]);
    let (mut filled, mut fold_of) = (vec![0_usize; n_splits], vec![0_u32; sizes.len()]);
    for group in order.into_iter().rev() {
        let lightest = (0..n_splits).min_by_key(|fold| filled[*fold]).unwrap_or(0);
        filled[lightest] += sizes[group];
        fold_of[group] = lightest as u32;
    }
    Ok(groups.iter().map(|group| fold_of[*group as usize]).collect())
}

/// The same, each fold with its share of every class as nearly as whole groups allow: the groups that are most uneven in
/// their classes first, each to the fold where the shares of classes stay most even. scikit-learn's
/// `StratifiedGroupKFold`.
pub(super) fn stratified_group_folds(groups: &[u32], labels: &Labels, n_splits: usize) -> Result<Vec<u32>> {
    let sizes = sizes(groups, labels.len(), n_splits)?;
    let (classes, totals) = (labels.classes(), labels.counts());
    let largest = totals.iter().copied().max().unwrap_or(0);
    if n_splits > largest {
        let rule = format!("at most the number of rows in the largest class, {largest}");
        return Err(Error::param("n_splits", rule, n_splits));
    }
    let mut of_group = vec![vec![0.0_f64; classes]; sizes.len()];
    for (group, code) in groups.iter().zip(labels.codes()) {
        of_group[*group as usize][*code as usize] += 1.0;
    }
    let mut order: Vec<usize> = (0..sizes.len()).filter(|group| sizes[*group] > 0).collect();
    let uneven: Vec<f64> = of_group.iter().map(|counts| deviation(counts.iter().copied())).collect();
    order.sort_by(|left, right| uneven[*right].total_cmp(&uneven[*left]));
    let (mut of_fold, mut fold_of) = (vec![vec![0.0_f64; classes]; n_splits], vec![0_u32; sizes.len()]);
    for group in order {
        let add = |fold: &mut Vec<f64>, sign: f64| {
            fold.iter_mut().zip(&of_group[group]).for_each(|(own, more)| *own += sign * more);
        };
        let (mut best, mut least, mut rows) = (0, f64::INFINITY, f64::INFINITY);
        for fold in 0..n_splits {
            add(&mut of_fold[fold], 1.0);
            let share = |class: usize| deviation(of_fold.iter().map(|own| own[class] / totals[class].max(1) as f64));
            let spread = (0..classes).map(share).sum::<f64>() / classes as f64;
            let own: f64 = of_fold[fold].iter().sum();
            add(&mut of_fold[fold], -1.0);
            let tie = (spread - least).abs() < 1e-12;
            if (!tie && spread < least) || (tie && own < rows) {
                (best, least, rows) = (fold, spread, own);
            }
        }
        add(&mut of_fold[best], 1.0);
        fold_of[group] = best as u32;
    }
    Ok(groups.iter().map(|group| fold_of[*group as usize]).collect())
}

fn deviation(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let count = values.clone().count().max(1) as f64;
    let mean = values.clone().sum::<f64>() / count;
    (values.map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt()
}
