//! Neural language models on every device; what needs none is in `tests/sequence`.

use gristmill::estimator::{Flow, Report};
use gristmill::prelude::*;
use gristmill::sequence::LanguageNetwork::{Gru, Lstm, Recurrent, Window};
use gristmill::sequence::{LanguageNetwork, NeuralLanguage, Tokens};

use crate::support::{devices, open_gpu};

/// A sentence in which every letter follows from the last few.
fn rhyme(times: usize) -> String {
    "ring a ring o roses, a pocket full of posies\n".repeat(times)
}

fn letters(network: LanguageNetwork) -> NeuralLanguage {
    let small = NeuralLanguage::new(network).tokens(Tokens::Characters).units(16).width(8).steps(12).batch_size(4);
    small.epochs(6).learning_rate(0.03)
}

#[test]
fn every_network_learns_a_rhyme_and_recites_it_on_every_device() {
    let text = rhyme(12);
    for network in [Window, Recurrent, Gru, Lstm] {
        let mut scores = vec![];
        for (name, device) in devices() {
            // Of window models one step takes as many tokens.
            let epochs = if network == Window { 20 } else { 10 };
            let params = letters(network).epochs(epochs);
            let mut reports = 0;
            let mut observer = |report: &Report| {
                reports = report.iteration;
                Flow::Continue
            };
            let model = params.fit_reader(text.as_bytes(), "rhyme", device, &mut observer).unwrap();
            assert_eq!((reports, model.losses().len()), (epochs, epochs), "{network:?} on {name}");
            let score = model.score(&rhyme(4)).unwrap();
            assert_eq!((score.tokens, score.impossible), (rhyme(4).len(), 0));
            assert!(score.perplexity() < 2.5, "{network:?} on {name}: {}", score.perplexity());
            scores.push(score.perplexity());
            let written = model.generate("ring a ring o ", 5, 0.1, 1).unwrap();
            assert_eq!(written, "roses", "{network:?} on {name}");
            assert_eq!(written, model.generate("ring a ring o ", 5, 0.1, 1).unwrap());
        }
        assert!(scores.iter().all(|score| (score - scores[0]).abs() < 0.05 * scores[0]), "{network:?}: {scores:?}");
    }
}

#[test]
fn an_epoch_on_a_gpu_reads_once_and_sends_nothing_up() {
    // A device of its own: others would be in the profile.
    let device = &open_gpu(DeviceOptions::default());
    let run = |epochs: usize| {
        device.profile(true);
        let params = letters(Lstm).epochs(epochs);
        params.fit_reader(rhyme(6).as_bytes(), "rhyme", device, &mut |_: &Report| Flow::Continue).unwrap();
        let profile = device.profile_report();
        device.profile(false);
        (profile.readbacks, profile.uploads)
    };
    let (few, more) = (run(1), run(3));
    assert_eq!(more.0 - few.0, 2, "read-backs of {few:?} and {more:?}");
    assert_eq!(more.1, few.1, "uploads of {few:?} and {more:?}");
}
