//! The picture of a chain.

use super::model::MarkovChainModel;
use crate::error::Result;
use crate::plot::Figure;

/// Steps that are too unlikely to be drawn.
const FAINTEST: f64 = 0.005;
/// States drawn: the picture has room for no more.
const MOST_DRAWN: usize = 24;

impl MarkovChainModel {
    /// The graph of the chain: its states on a circle, an arrow for each step with its probability, and arrows from the
    /// start with the initial ones if `start` asks for them. Of a large chain the first states are drawn; steps below
    /// 0.5 % are left out.
    pub fn graph(&self, start: bool) -> Result<Figure> {
        let states = self.states()?;
        let drawn = states.contexts.len().min(MOST_DRAWN - usize::from(start));
        let mut names: Vec<String> =
            states.contexts[..drawn].iter().map(|context| self.named(context).join(" ")).collect();
        let text = |probability: f64| {
            let text = format!("{probability:.2}");
            text.trim_end_matches('0').trim_end_matches('.').to_string()
        };
        let mut arrows = vec![];
        for (from, steps) in states.steps.iter().enumerate().take(drawn) {
            let steps = steps.iter().filter(|(to, probability)| *to < drawn && *probability >= FAINTEST);
            arrows.extend(steps.map(|(to, probability)| (from, *to, *probability, text(*probability))));
        }
        if start {
            // A chain of higher order starts with fewer symbols than a state has: its first ones are drawn.
            let initial = self.initial_probabilities()?;
            for (symbol, probability) in (0..).zip(initial).filter(|(_, probability)| *probability >= FAINTEST) {
                let first = |context: &&Vec<u32>| context.last() == Some(&symbol) && context.len() == 1;
                let state = states.contexts[..drawn].iter().position(|context| first(&context));
                arrows.extend(state.map(|state| (drawn, state, probability, text(probability))));
            }
            names.push("start".to_string());
        }
        let more = states.contexts.len() - drawn;
        let title =
            if more > 0 { format!("Markov chain, {more} states not drawn") } else { "Markov chain".to_string() };
        Ok(Figure::network(&names, &arrows)?.title(title))
    }
}
