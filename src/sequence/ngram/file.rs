//! Language models in model files.

use serde::{Deserialize, Serialize};

use super::levels::{Level, Levels};
use super::model::NgramModel;
use super::{MARKS, Ngram};
use crate::error::Result;
use crate::model_file::{Container, Persist};
use crate::sequence::symbols::Symbols;

#[derive(Serialize, Deserialize, PartialEq)]
struct Fitted {
    corpus: u64,
    discounts: Vec<[f64; 3]>,
}

impl Persist for NgramModel {
    const KIND: &'static str = "ngram";

    fn store(&self, container: &mut Container) -> Result<()> {
        container.set_estimator(&self.params)?;
        container.set_fitted(&Fitted { corpus: self.corpus, discounts: self.levels.discounts.clone() })?;
        container.insert_strings("symbols", self.vocabulary())?;
        for (level, length) in self.levels.levels.iter().zip(1..) {
            let name = |part: &str| format!("level{length}.{part}");
            container.insert_list(&name("offsets"), &level.offsets)?;
            container.insert_list(&name("totals"), &level.totals)?;
            container.insert_list(&name("gammas"), &level.gammas)?;
            container.insert_list(&name("words"), &level.words)?;
            container.insert_list(&name("counts"), &level.counts)?;
        }
        Ok(())
    }

    fn restore(container: &mut Container) -> Result<NgramModel> {
        let params: Ngram = container.estimator()?;
        params.check().map_err(|error| container.refuse(error.to_string()))?;
        let Fitted { corpus, discounts } = container.fitted()?;
        let names = Symbols::restore(container)?.names().to_vec();
        let fits =
            |found: &[f64; 3]| found.iter().zip(1..).all(|(value, most)| (0.0..=f64::from(most)).contains(value));
        if discounts.len() != params.order || !discounts.iter().all(fits) {
            return Err(container.refuse("there are not three discounts for each order, each below its count"));
        }
        let names: Vec<String> = MARKS.map(String::from).into_iter().chain(names).collect();
        let mut levels = Levels { levels: vec![], discounts };
        let mut contexts = 1;
        for length in 1..=params.order {
            let level = restored(container, length, contexts, names.len())?;
            contexts = level.words.len();
            levels.levels.push(level);
        }
        NgramModel::new(params, names, levels, corpus)
    }
}

/// A level above so many contexts.
fn restored(container: &mut Container, length: usize, contexts: usize, names: usize) -> Result<Level> {
    let name = |part: &str| format!("level{length}.{part}");
    let words: Vec<u32> = container.take_list(&name("words"))?;
    let level = Level {
        offsets: container.take(&name("offsets"), &[contexts + 1])?,
        totals: container.take(&name("totals"), &[contexts])?,
        gammas: container.take(&name("gammas"), &[contexts])?,
        counts: container.take(&name("counts"), &[words.len()])?,
        words,
    };
    let refused = |why: &str| Err(container.refuse(format!("the n-grams of {length} tokens: {why}")));
    let whole = level.offsets.first() == Some(&0) && level.offsets.last() == Some(&(level.words.len() as u32));
    if !whole || !level.offsets.is_sorted() {
        return refused("their places do not fit together");
    }
    if level.words.iter().any(|word| *word as usize >= names) {
        return refused("there are words that the vocabulary does not have");
    }
    if level.gammas.iter().any(|gamma| !(0.0..=1.0).contains(gamma)) {
        return refused("a weight is not from 0 to 1");
    }
    for context in 0..contexts {
        let (words, counts) = level.followers(context);
        let sum: u64 = counts.iter().map(|count| u64::from(*count)).sum();
        if !words.is_sorted_by(|a, b| a < b) || sum > u64::from(level.totals[context]) {
            return refused("words out of order, or counts above their total");
        }
    }
    Ok(level)
}
