use std::collections::{HashMap, HashSet};

use gristmill::prelude::*;
use gristmill::sequence::{Ngram, Smoothing, Tokens};

/// nltk's `KneserNeyInterpolated` written out: counts of every order, continuation counts below the highest, one discount,
/// no discount for single tokens.
struct Reference {
    order: usize,
    discount: f64,
    /// Context to token to count.
    counts: HashMap<Vec<char>, HashMap<char, f64>>,
    /// Context to token to the different tokens before both.
    before: HashMap<Vec<char>, HashMap<char, HashSet<char>>>,
}

impl Reference {
    fn new(text: &[char], order: usize, discount: f64) -> Reference {
        let padded: Vec<char> = vec!['\u{2}'; order - 1].into_iter().chain(text.iter().copied()).collect();
        let mut found = Reference { order, discount, counts: HashMap::new(), before: HashMap::new() };
        for (at, token) in padded.iter().enumerate().skip(order - 1) {
            for length in 0..order {
                let context = padded[at - length..at].to_vec();
                *found.counts.entry(context.clone()).or_default().entry(*token).or_default() += 1.0;
                if length + 1 < order {
                    let before = found.before.entry(context).or_default().entry(*token).or_default();
                    before.insert(padded[at - length - 1]);
                }
            }
        }
        found
    }

    fn probability(&self, context: &[char], token: char) -> f64 {
        let counted = |token: char| match context.len() + 1 == self.order {
            true => self.counts[context].get(&token).copied().unwrap_or(0.0),
            false => self.before[context].get(&token).map_or(0.0, |before| before.len() as f64),
        };
        let total = || match context.len() + 1 == self.order {
            true => self.counts[context].values().sum::<f64>(),
            false => self.before[context].values().map(|before| before.len() as f64).sum(),
        };
        if context.is_empty() {
            return counted(token) / total();
        }
        let Some(followers) = self.counts.get(context) else { return self.probability(&context[1..], token) };
        let alpha = (counted(token) - self.discount).max(0.0) / total();
        let gamma = self.discount * followers.len() as f64 / total();
        alpha + gamma * self.probability(&context[1..], token)
    }

    fn perplexity(&self, text: &[char]) -> f64 {
        let padded: Vec<char> = vec!['\u{2}'; self.order - 1].into_iter().chain(text.iter().copied()).collect();
        let one = |at: usize| self.probability(&padded[at + 1 - self.order..at], padded[at]).ln();
        (-(self.order - 1..padded.len()).map(one).sum::<f64>() / text.len() as f64).exp()
    }
}

/// Plain letters of a text that comes with the project.
fn text() -> (String, String) {
    let text: String = include_str!("../../LICENSE-APACHE").to_lowercase();
    let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut = text.len() * 9 / 10;
    // What is only in the test part has no code.
    let (train, test) = text.split_at(cut);
    let known: HashSet<char> = train.chars().collect();
    (train.to_string(), test.chars().filter(|letter| known.contains(letter)).collect())
}

#[test]
fn kneser_ney_is_that_of_the_reference() {
    let (train, test) = text();
    let [train_letters, test_letters] = [&train, &test].map(|text| text.chars().collect::<Vec<char>>());
    for (order, discount) in [(2, 0.75), (5, 0.1), (5, 0.75)] {
        let smoothing = Smoothing::KneserNey(Some(discount));
        let model = Ngram::new(order).tokens(Tokens::Characters).smoothing(smoothing).fit(&train).unwrap();
        let found = model.score(&test).unwrap().perplexity();
        let expected = Reference::new(&train_letters, order, discount).perplexity(&test_letters);
        assert!((found / expected - 1.0).abs() < 0.01, "order {order}: {found}, {expected}");
    }
    // Discounts from the counts of counts are better than a poor one.
    let estimated = Ngram::new(5).tokens(Tokens::Characters).fit(&train).unwrap().score(&test).unwrap().perplexity();
    let poor = Reference::new(&train_letters, 5, 0.1).perplexity(&test_letters);
    assert!(estimated < poor, "{estimated}, {poor}");
}

#[test]
fn probabilities_sum_to_one_with_every_smoothing_pruned_or_not() {
    let text = "a b c a b d\nb c a a\nd d a b c\na b\nc\n";
    let all = [
        Smoothing::MaximumLikelihood,
        Smoothing::AddK(0.5),
        Smoothing::KneserNey(None),
        Smoothing::KneserNey(Some(0.3)),
    ];
    for smoothing in all {
        for (order, min_count, rare) in [(1, 1, 1), (2, 1, 1), (3, 1, 1), (3, 2, 1), (4, 3, 1), (3, 1, 4), (9, 1, 1)] {
            let model =
                Ngram::new(order).smoothing(smoothing).min_count(min_count).min_token_count(rare).fit(text).unwrap();
            for context in [vec![], vec!["a"], vec!["a", "b"], vec!["b", "c", "a"], vec!["d", "c", "d"]] {
                let found = match model.next_probabilities(&context) {
                    Err(Error::Context { .. }) if smoothing == Smoothing::MaximumLikelihood => continue,
                    found => found.unwrap(),
                };
                let sum: f64 = found.iter().map(|(_, probability)| probability).sum();
                assert!((sum - 1.0).abs() < 1e-12, "{smoothing:?} {order} {min_count} {rare} {context:?}: {sum}");
                // The one asked for alone is the one in the list.
                if let Some((_, probability)) = found.iter().find(|(token, _)| token == "a") {
                    let alone = model.probability(&context, "a").unwrap();
                    assert!((alone - probability).abs() < 1e-14, "{smoothing:?} {order} {context:?}");
                }
            }
        }
    }
}

#[test]
fn counts_are_those_of_a_slow_count_and_pruning_leaves_out_the_rare() {
    let (train, _) = text();
    for order in [1, 3, 8] {
        let model = Ngram::new(order).tokens(Tokens::Characters).fit(&train).unwrap();
        let padded: Vec<char> = vec!['\u{2}'; order - 1].into_iter().chain(train.chars()).collect();
        for length in 1..=order {
            let ends = order - 1..padded.len();
            let different: HashSet<&[char]> = ends.map(|end| &padded[end + 1 - length..=end]).collect();
            assert_eq!(model.ngrams()[length - 1], different.len(), "{order} {length}");
        }
        let pruned = Ngram::new(order).tokens(Tokens::Characters).min_count(3).fit(&train).unwrap();
        assert!(order == 1 || pruned.ngrams()[order - 1] < model.ngrams()[order - 1] / 2);
        assert_eq!(pruned.ngrams()[0], model.ngrams()[0]);
    }
}

#[test]
fn a_text_in_pieces_is_the_same_text_and_words_beyond_any_code_are_counted() {
    struct Drop<'a>(&'a [u8]);
    impl std::io::Read for Drop<'_> {
        fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
            let count = self.0.len().min(3).min(out.len());
            out[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }
    let text = "für Äpfel  und Birnen\n\n日本 und Äpfel";
    for tokens in [Tokens::Words, Tokens::Characters] {
        let params = Ngram::new(3).tokens(tokens);
        assert_eq!(params.fit_reader(Drop(text.as_bytes()), "drops").unwrap(), params.fit(text).unwrap());
    }
    // More words than 16 bits have codes, so that keys grow while they are counted.
    let many: String = (0..70_000).map(|word| format!("w{word} w{} w{word}\n", word / 2)).collect();
    let model = Ngram::new(4).smoothing(Smoothing::MaximumLikelihood).fit(&many).unwrap();
    assert_eq!(model.vocabulary().len(), 70_000);
    assert_eq!(model.corpus_tokens(), 280_000);
    assert_eq!(model.probability(&["w69000", "w34500"], "w69000").unwrap(), 1.0);
    assert_eq!(model.probability(&["w3"], "w1").unwrap(), 1.0);
}

#[test]
fn what_cannot_be_read_or_is_not_known_is_named_with_its_place() {
    let params = Ngram::new(2);
    let broken = params.fit_reader(&b"good line\nbad \xff line\n"[..], "corpus.txt").unwrap_err();
    assert!(broken.to_string().starts_with("corpus.txt, line 2: byte 5 of the line is not UTF-8"), "{broken}");
    let cut = params.fit_reader(&b"one\ntwo \xe6\x97"[..], "corpus.txt").unwrap_err();
    assert!(cut.to_string().contains("line 2"), "{cut}");
    for empty in ["", " \n \n"] {
        assert!(params.fit(empty).unwrap_err().to_string().contains("no tokens"));
    }
    let model = params.fit("a b\nb a").unwrap();
    let unknown = model.score("a b\na x b").unwrap_err();
    assert_eq!(unknown, Error::Symbol { sequence: 1, position: 1, symbol: "x".into(), known: 2 });
    assert!(model.score("").unwrap_err().to_string().contains("nothing to score"));
    let open = params.clone().min_token_count(2).fit("a b c\na b d").unwrap();
    let score = open.score("a x").unwrap();
    assert_eq!((score.tokens, score.unknown, score.impossible), (3, 1, 0));
    let likelihood = params.clone().smoothing(Smoothing::MaximumLikelihood).fit("a b\nb a").unwrap();
    let score = likelihood.score("a a").unwrap();
    assert_eq!((score.impossible, score.perplexity()), (1, f64::INFINITY));
    let refused = [
        Ngram::new(0),
        Ngram::new(65),
        Ngram::new(2).smoothing(Smoothing::AddK(0.0)),
        Ngram::new(2).smoothing(Smoothing::KneserNey(Some(1.0))),
        Ngram::new(2).min_count(0),
    ];
    refused.iter().for_each(|params| assert!(matches!(params.fit("a"), Err(Error::Param { .. })), "{params:?}"));
    assert!(params.fit_file("/no/such/file").unwrap_err().to_string().contains("cannot be opened"));
}

#[test]
fn generated_text_follows_the_seed_and_the_temperature() {
    let (train, _) = text();
    let model = Ngram::new(4).tokens(Tokens::Characters).fit(&train).unwrap();
    let drawn = |temperature, seed| model.generate("the ", 200, temperature, seed).unwrap();
    assert_eq!(drawn(1.0, 1), drawn(1.0, 1));
    assert_ne!(drawn(1.0, 1), drawn(1.0, 2));
    assert_eq!(drawn(1.0, 1).chars().count(), 200);
    let perplexity = |text: &str| model.score(text).unwrap().perplexity();
    assert!(perplexity(&drawn(0.3, 1)) < perplexity(&drawn(1.0, 1)));
    assert!(model.generate("", 5, 0.0, 0).is_err());
    let words = Ngram::new(2).fit("a b\nc d\n").unwrap();
    assert!(words.generate("", 40, 1.0, 0).unwrap().contains('\n'));
}

/// The large text is not part of the project: GRISTMILL_TINYSHAKESPEARE names it.
#[test]
fn kneser_ney_of_order_5_on_tinyshakespeare_is_that_of_the_reference() {
    let Some(path) = std::env::var_os("GRISTMILL_TINYSHAKESPEARE") else {
        println!("skipped: GRISTMILL_TINYSHAKESPEARE names no file");
        return;
    };
    let text = std::fs::read_to_string(path).unwrap();
    let (train, test) = text.split_at(1_003_854);
    let [train_letters, test_letters] = [train, test].map(|text| text.chars().collect::<Vec<char>>());
    let model = Ngram::new(5).tokens(Tokens::Characters).smoothing(Smoothing::KneserNey(Some(0.1))).fit(train).unwrap();
    let found = model.score(test).unwrap().perplexity();
    let expected = Reference::new(&train_letters, 5, 0.1).perplexity(&test_letters);
    println!("tinyshakespeare: {found}, reference {expected}");
    assert!((found / expected - 1.0).abs() < 0.01, "{found}, {expected}");
    let estimated = Ngram::new(5).tokens(Tokens::Characters).fit(train).unwrap().score(test).unwrap();
    println!("with estimated discounts {}", estimated.perplexity());
}
