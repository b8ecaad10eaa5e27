//! Neural language models.

use gristmill::estimator::{Flow, Report};
use gristmill::model_file::Persist;
use gristmill::prelude::*;
use gristmill::sequence::{LanguageNetwork, NeuralLanguage, NeuralLanguageModel, Tokens};

use crate::support::refused_when_changed as changed;

use LanguageNetwork::{Gru, Lstm, Window};

/// A sentence in which every letter follows from the last few.
fn rhyme(times: usize) -> String {
    "ring a ring o roses, a pocket full of posies\n".repeat(times)
}

fn letters(network: LanguageNetwork) -> NeuralLanguage {
    let small = NeuralLanguage::new(network).tokens(Tokens::Characters).units(16).width(8).steps(12).batch_size(4);
    small.epochs(6).learning_rate(0.03)
}

#[test]
fn scores_of_parts_side_by_side_are_those_of_one_sequence() {
    let text = rhyme(250);
    assert!(text.len() > 2 * 4096);
    let model = letters(Gru).epochs(1).fit(&rhyme(40)).unwrap();
    let whole = model.score(&text).unwrap();
    let twice = model.score(&rhyme(60)).unwrap();
    // A rhyme is as likely here as there, but for the first one.
    let mean = |score: gristmill::sequence::TextScore| score.log_likelihood / score.tokens as f64;
    assert_eq!(whole.tokens, text.len());
    assert!((mean(whole) - mean(twice)).abs() < 0.02, "{} and {}", mean(whole), mean(twice));
}

#[test]
fn probabilities_sum_to_one_and_words_have_vectors() {
    let text =
        "the students opened their books\nthe students opened their minds\nthe pupils opened their books\n".repeat(8);
    for network in [Window, Lstm] {
        let params = NeuralLanguage::new(network).width(4).units(8).window(3).steps(8).batch_size(4).epochs(30);
        let model = params.learning_rate(0.05).fit(&text).unwrap();
        let next = model.next_probabilities(&["students", "opened", "their"]).unwrap();
        assert!((next.iter().map(|(_, share)| share).sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(next[0].0 == "books" || next[0].0 == "minds", "{network:?}: {next:?}");
        assert_eq!(next.len(), 8); // seven words and the end of a line
        let vectors = model.vectors().unwrap();
        assert_eq!((vectors.rows(), vectors.columns()), (7, 4));
        let picture = model.vectors_plot(&[]).unwrap().to_svg();
        assert!(picture.contains("students") && picture.contains("minds"));
        assert!(matches!(model.vectors_plot(&["the", "their", "none"]), Err(Error::Symbol { .. })));
        assert!(matches!(model.vectors_plot(&["the", "their"]), Err(Error::Param { .. })));
        let lines = model.generate("the", 12, 0.5, 3).unwrap();
        assert!(lines.contains('\n') && lines.contains("opened their"), "{lines}");
        assert!(model.generate("the students\nthe", 2, 0.5, 3).is_ok());
    }
}

#[test]
fn a_saved_model_predicts_to_the_same_bits_and_a_forged_one_is_refused() {
    let model = letters(Gru).epochs(1).fit(&rhyme(3)).unwrap();
    let again = NeuralLanguageModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(again, model);
    assert_eq!(again.score(&rhyme(1)).unwrap(), model.score(&rhyme(1)).unwrap());
    assert_eq!(letters(Gru).epochs(1).fit(&rhyme(3)).unwrap(), model, "same seed, same bits");
    assert!(changed::<_, f32>(&model, "parameters", |values| values.push(0.0)));
    assert!(changed::<_, u64>(&model, "symbols.ends", |ends| ends[0] = 9));
}

#[test]
fn what_cannot_be_learnt_or_read_is_refused_with_its_place() {
    let fit = |params: NeuralLanguage| params.fit("a b a").err();
    let words = || NeuralLanguage::new(Lstm).epochs(1);
    assert!(matches!(fit(words().units(6)), Some(Error::Param { name: "units", .. })));
    assert!(matches!(fit(words().width(3)), Some(Error::Param { name: "width", .. })));
    assert!(matches!(fit(words().dropout(1.0)), Some(Error::Param { name: "dropout", .. })));
    assert!(matches!(fit(words().steps(0)), Some(Error::Param { name: "steps", .. })));
    assert!(matches!(fit(words().learning_rate(f64::NAN)), Some(Error::Param { name: "learning_rate", .. })));
    for (text, params) in [("", words()), (" \n\n", words()), ("a b c", words().min_token_count(2))] {
        assert!(matches!(params.fit(text), Err(Error::Data { .. })), "{text:?}");
    }
    let broken = words().fit_reader(&b"one\ntwo \xff\n"[..], "f", &Device::Cpu, &mut |_: &Report| Flow::Continue);
    assert!(matches!(broken, Err(Error::Data { line: Some(2), .. })));
    let model = words().units(4).width(4).fit("a b\na c\n").unwrap();
    match model.score("a b\na d") {
        Err(Error::Symbol { sequence: 1, position: 1, symbol, known: 3 }) => assert_eq!(symbol, "d"),
        other => panic!("{other:?}"),
    }
    assert!(matches!(model.score(""), Err(Error::Data { .. })));
    assert!(matches!(model.generate("a", 1, 0.0, 0), Err(Error::Param { name: "temperature", .. })));
    assert!(matches!(model.generate("z", 1, 1.0, 0), Err(Error::Symbol { .. })));
    let open = words().units(4).width(4).min_token_count(2).fit("a b\na c\n").unwrap();
    assert_eq!(open.score("a b").unwrap().unknown, 1);
    let stopped = words().fit_reader("a b".as_bytes(), "f", &Device::Cpu, &mut |_: &Report| Flow::Stop);
    assert!(matches!(stopped, Err(Error::Stopped { .. })));
}
