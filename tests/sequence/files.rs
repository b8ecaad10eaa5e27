//! Models of sequences in files: what was saved comes back, what was changed is refused.

use gristmill::model_file::Persist;
use gristmill::sequence::{
    HiddenMarkov, HiddenMarkovModel, MarkovChain, MarkovChainModel, Ngram, NgramModel, Observations, Tokens,
};
use nalgebra::DMatrix;

use crate::support::refused_when_changed as changed;

#[test]
fn models_come_back_as_they_were() {
    let text: Vec<Vec<char>> = ["abracadabra", "alakazam"].map(|word| word.chars().collect()).to_vec();
    for (order, back_off) in [(1, false), (3, true)] {
        let chain = MarkovChain::new(order).smoothing(0.25).back_off(back_off).fit(&text).unwrap();
        assert_eq!(MarkovChainModel::from_bytes(&chain.to_bytes().unwrap()).unwrap(), chain);
    }
    for (order, rare) in [(1, 1), (4, 2)] {
        let model = Ngram::new(order).tokens(Tokens::Words).min_token_count(rare).fit("a b a\nb <unk> a <s>").unwrap();
        assert_eq!(NgramModel::from_bytes(&model.to_bytes().unwrap()).unwrap(), model);
    }
    let symbols = HiddenMarkov::new(2).fit(&Observations::symbols(&text)).unwrap();
    assert_eq!(HiddenMarkovModel::from_bytes(&symbols.to_bytes().unwrap()).unwrap(), symbols);
    let x = DMatrix::from_fn(30, 2, |row, column| (row % 7) as f64 + (row * column % 3) as f64);
    let numbers = HiddenMarkov::new(2).fit(&Observations::numbers(x)).unwrap();
    assert_eq!(HiddenMarkovModel::from_bytes(&numbers.to_bytes().unwrap()).unwrap(), numbers);
    assert!(NgramModel::from_bytes(&numbers.to_bytes().unwrap()).is_err());
}

#[test]
fn forged_models_are_refused() {
    let text = [["a", "b", "a", "c"]];
    let chain = MarkovChain::new(2).back_off(true).fit(&text).unwrap();
    assert!(changed::<_, u32>(&chain, "contexts2.codes", |codes| codes[0] = 9));
    assert!(changed::<_, u32>(&chain, "contexts1.followers", |codes| codes[0] = 3));
    assert!(changed::<_, u64>(&chain, "contexts1.offsets", |offsets| offsets[1] = u64::MAX));
    assert!(changed::<_, f64>(&chain, "contexts0.counts", |counts| counts[0] = -1.0));
    assert!(changed::<_, u64>(&chain, "symbols.ends", |ends| ends[0] = 9));
    let model = Ngram::new(3).fit("a b a c\nb a").unwrap();
    assert!(changed::<_, u32>(&model, "level3.words", |words| words[0] = 77));
    assert!(changed::<_, u32>(&model, "level2.offsets", |offsets| offsets[1] = u32::MAX));
    assert!(changed::<_, u32>(&model, "level1.counts", |counts| counts[1] = u32::MAX));
    assert!(changed::<_, u32>(&model, "level1.words", |words| words.reverse()));
    assert!(changed::<_, f64>(&model, "level2.gammas", |gammas| gammas[0] = 1.5));
    let hidden = HiddenMarkov::new(2).fit(&Observations::symbols(&text)).unwrap();
    assert!(changed::<_, f64>(&hidden, "transitions", |values| values[0] = 2.0));
    assert!(changed::<_, f64>(&hidden, "probabilities", |values| values[0] += 0.5));
    assert!(changed::<_, f64>(&hidden, "initial", |values| values.push(0.0)));
}
