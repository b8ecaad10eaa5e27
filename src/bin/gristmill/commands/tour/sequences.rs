//! Sequences and decisions.

use gristmill::decision::{Control, GridWorld, Learning, Rate, Solve};
use gristmill::nalgebra::DMatrix;
use gristmill::prelude::*;
use gristmill::sequence::{
    Emissions, HiddenMarkov, HiddenMarkovModel, LanguageNetwork, MarkovChain, NeuralLanguage, Ngram, Tokens,
};

use super::page::Page;

/// A text that comes with the crate.
const TEXT: &str = include_str!("../../../../../README.md");

pub fn show(page: &mut Page) -> Result<()> {
    page.section("Sequences: chains, language models, hidden states");
    let rows = [[0.9, 0.075, 0.025], [0.15, 0.8, 0.05], [0.25, 0.25, 0.5]];
    let market = MarkovChain::from_probabilities(&["bull", "bear", "flat"], &[1.0, 0.0, 0.0], &rows)?;
    let shares: Vec<String> = market.stationary()?.probabilities.iter().map(|share| format!("{share:.4}")).collect();
    page.fact(
        "a Markov chain",
        format!("in the long run {}; within 1 % of it after {} steps", shares.join(", "), market.mixing_time(0.01)?),
    );
    let cut = (0..=TEXT.len() * 9 / 10).rev().find(|at| TEXT.is_char_boundary(*at)).unwrap_or(0);
    let (train, test) = TEXT.split_at(cut);
    let rows = [1, 2, 3, 5].map(|order| -> Result<Vec<String>> {
        let letters = Ngram::new(order).tokens(Tokens::Characters).min_token_count(2).fit(train)?;
        let score = letters.score(test)?;
        let text = letters.generate("The ", 40, 0.8, 1)?.replace('\n', " ");
        Ok(vec![order.to_string(), format!("{:.2}", score.perplexity()), text])
    });
    let rows = rows.into_iter().collect::<Result<Vec<_>>>()?;
    page.table(&["order", "perplexity of new letters", "what it writes after \"The \""], rows);
    let gru = NeuralLanguage::new(LanguageNetwork::Gru).tokens(Tokens::Characters).units(32).width(16).steps(32);
    let gru = gru.batch_size(16).epochs(2).learning_rate(0.02).min_token_count(2).fit(train)?;
    page.fact(
        "a recurrent network",
        format!(
            "32 gated units, {} parameters, after two epochs a perplexity of {:.2} on the same new letters",
            gru.parameter_count(),
            gru.score(test)?.perplexity()
        ),
    );
    let emissions = Emissions::discrete(
        &[1, 2, 3, 4, 5, 6],
        DMatrix::from_fn(2, 6, |state, face| match (state, face) {
            (0, _) => 1.0 / 6.0,
            (_, 5) => 0.5,
            _ => 0.1,
        }),
    )?;
    let dice =
        HiddenMarkovModel::new(vec![0.5, 0.5], DMatrix::from_row_slice(2, 2, &[0.95, 0.05, 0.1, 0.9]), emissions)?;
    let (rolls, states) = dice.sample(2000, 1)?;
    let fitted = HiddenMarkov::new(2).n_iter(100).tol(1e-3).fit(&rolls)?;
    let (_, paths) = dice.decode(&rolls)?;
    let right = paths[0].iter().zip(&states).filter(|(found, state)| found == state).count();
    page.fact(
        "a hidden Markov model",
        format!(
            "2000 rolls of two dice: Viterbi tells {:.0} % of the dice, Baum and Welch take {} iterations",
            right as f64 / 20.0,
            fitted.history().len()
        ),
    );
    page.text("At the shell: gristmill text fit letters.gm corpus.txt --tokens characters --order 5");
    decisions(page)
}

fn decisions(page: &mut Page) -> Result<()> {
    page.section("Decisions: a grid that is known, and a cliff that is found out");
    let process = GridWorld::notes().process(0.9)?;
    let (values, policies) =
        (process.value_iteration(&Solve::default())?, process.policy_iteration(&Solve::default())?);
    page.fact(
        "the grid of the notes",
        format!(
            "value iteration takes {} sweeps, policy iteration {} policies; both find {:.4} in the corner",
            values.iterations, policies.iterations, values.values[0]
        ),
    );
    let cliff = GridWorld::cliff();
    let algorithms = [
        ("Monte Carlo, first visit", Control::MonteCarlo { first_visit: true }, 0.1),
        ("SARSA", Control::Sarsa, 0.5),
        ("expected SARSA", Control::ExpectedSarsa, 0.5),
        ("Q-learning", Control::QLearning, 0.5),
        ("double Q-learning", Control::DoubleQLearning, 0.5),
    ];
    let mut rows = vec![];
    for (name, control, rate) in algorithms {
        let learning = Learning::new(1.0).episodes(1000).max_steps(1000).rate(Rate::Constant(rate));
        let found = learning.control(control, &cliff)?;
        let edge = (1..11).filter(|column| found.policy().action(cliff.state_at(2, *column)) == 1).count();
        rows.push(vec![name.to_string(), format!("{:.1}", found.mean_return(200)), format!("{edge} of 10")]);
    }
    page.table(&["on the cliff", "mean of the last 200 returns", "cells of the edge walked along"], rows);
    page.text("At the shell: gristmill decide grid.json --plot policy.svg");
    Ok(())
}
