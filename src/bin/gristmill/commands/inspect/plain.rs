//! Files of sequences and decisions, which are no estimators.

use gristmill::Result;
use gristmill::decision::{ActionValues, LearnedWeights, MarkovDecisionProcess};
use gristmill::model_file::{Container, Persist};
use gristmill::sequence::{HiddenMarkovModel, MarkovChainModel, NeuralLanguageModel, NgramModel};

/// A kind and what checks a file of it.
type Plain = (&'static str, fn(Container) -> Result<()>);

const PLAIN: &[Plain] = &[
    (MarkovChainModel::KIND, checked::<MarkovChainModel>),
    (NgramModel::KIND, checked::<NgramModel>),
    (NeuralLanguageModel::KIND, checked::<NeuralLanguageModel>),
    (HiddenMarkovModel::KIND, checked::<HiddenMarkovModel>),
    (MarkovDecisionProcess::KIND, checked::<MarkovDecisionProcess>),
    (ActionValues::KIND, checked::<ActionValues>),
    (LearnedWeights::KIND, checked::<LearnedWeights>),
];

fn checked<M: Persist>(container: Container) -> Result<()> {
    M::from_container(container).map(|_| ())
}

/// Whether files of a kind hold no estimator.
pub fn is_plain(kind: &str) -> bool {
    PLAIN.iter().any(|(plain, _)| *plain == kind)
}

/// Refuses a file whose parts do not fit together.
pub fn check(container: Container) -> Result<()> {
    let known = PLAIN.iter().find(|(plain, _)| *plain == container.kind());
    known.map_or(Ok(()), |(_, check)| check(container))
}
