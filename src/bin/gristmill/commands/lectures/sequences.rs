//! Sequences and decisions: 001 §6.5, 002.

use gristmill::decision::{Control, GridWorld, Learning, Rate, Solve, policy_picture};
use gristmill::prelude::*;
use gristmill::sequence::{MarkovChain, Ngram, Smoothing};

use super::book::Experiment;

/// What the notes' example could have counted.
const SENTENCES: [&str; 4] = [
    "as the proctor started the clock the students opened their exams",
    "the students opened their books",
    "the students opened their books",
    "the students opened their minds",
];

pub fn experiments() -> Result<Vec<Experiment>> {
    Ok(vec![chain()?, students()?, generated()?, grid()?, incremental_mean()])
}

fn chain() -> Result<Experiment> {
    let rows = [[0.9, 0.075, 0.025], [0.15, 0.8, 0.05], [0.25, 0.25, 0.5]];
    let market = MarkovChain::from_probabilities(&["bull", "bear", "flat"], &[0.5, 0.3, 0.2], &rows)?;
    let drawn = market.sample(20_000, 1)?;
    let fitted = MarkovChain::new(1).fit(&[&drawn[..]])?;
    let again = fitted.probability(&["bull"], "bull")?;
    let ours = format!("counts of 20,000 draws give back P(bull | bull) = 0.9 as {again:.3}; the graph below");
    Ok(Experiment::new("001 §6.5", "A chain and its graph", "π and a by counts", ours)
        .why("the notes divide first states by the number of states; the number of sequences is meant")
        .figure(market.graph(true)?))
}

fn students() -> Result<Experiment> {
    let words: Vec<Vec<&str>> = SENTENCES.iter().map(|sentence| sentence.split(' ').collect()).collect();
    let chain = MarkovChain::new(3).fit(&words)?;
    let after = |word: &str| chain.probability(&["students", "opened", "their"], word);
    let ours =
        format!("P(books) = {}, P(minds) = {}, P(exams) = {}", after("books")?, after("minds")?, after("exams")?);
    Ok(Experiment::new("001 §6.5.2", "The students opened their …", "counts of four words over counts of three", ours))
}

fn generated() -> Result<Experiment> {
    let text = include_str!("../../../../../LICENSE-APACHE");
    let mut found = vec![];
    for order in [1, 2, 3] {
        let model = Ngram::new(order).smoothing(Smoothing::MaximumLikelihood).fit(text)?;
        found.push(format!("order {order}: \"{}\"", model.generate("", 8, 1.0, 3)?.trim()));
    }
    Ok(Experiment::new(
        "001 §6.5.3",
        "Text from counts",
        "grammatical but meaningless; three words and more are needed",
        found.join("; "),
    ))
}

fn grid() -> Result<Experiment> {
    let world = GridWorld::notes();
    let process = world.process(0.9)?;
    let best = process.value_iteration(&Solve::default())?;
    let learned = Learning::new(0.9).episodes(4000).rate(Rate::Visits(10.0)).control(Control::QLearning, &world)?;
    let states = (0..process.states()).filter(|state| !world.is_wall(*state) && !world.is_terminal(*state));
    let worst = states.map(|state| (learned.state_values()[state] - best.values[state]).abs()).fold(0.0, f64::max);
    let ours = format!("Q-learning with rates c/(c + t) ends within {worst:.3} of the values of value iteration");
    Ok(Experiment::new("002", "A grid with walls, rewards by state and a teleport", "a program for SARSA", ours)
        .why("the listing of Q-learning is cut off; rewards belong to the state that is entered")
        .figure(policy_picture(&world, &best.values, &best.policy)?))
}

fn incremental_mean() -> Experiment {
    let draws = [3.0, 5.0, 10.0, 2.0];
    let mut mean = 0.0;
    for (t, draw) in draws.iter().enumerate() {
        mean += (draw - mean) / (t + 1) as f64;
    }
    let ours =
        format!("X ← X + (x − X)/t over 3, 5, 10, 2 gives {mean}, their mean {}", draws.iter().sum::<f64>() / 4.0);
    Experiment::new("002", "A mean, one number at a time", "S ← S + x, X ← X + α(x − X)", ours)
}
