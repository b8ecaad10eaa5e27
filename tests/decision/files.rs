//! Processes and what was learnt in files: what was saved comes back, what was changed is refused.

use gristmill::decision::{
    ActionValues, CartPole, Control, GridWorld, LearnedWeights, Learning, MarkovDecisionProcess, Rate,
};
use gristmill::model_file::Persist;

use crate::support::refused_when_changed as changed;

#[test]
fn processes_and_what_was_learnt_come_back_as_they_were() {
    let world = GridWorld::notes().slip(0.1).unwrap();
    let process = world.process(0.9).unwrap();
    assert_eq!(MarkovDecisionProcess::from_bytes(&process.to_bytes().unwrap()).unwrap(), process);
    let learned = Learning::new(0.9).episodes(20).control(Control::Sarsa, &world).unwrap();
    assert_eq!(ActionValues::from_bytes(&learned.to_bytes().unwrap()).unwrap(), learned);
    let learning = Learning::new(0.9).episodes(3).rate(Rate::Constant(0.1));
    let weights = learning.approximate(Control::QLearning, &CartPole::new(), |x| Ok(x.clone())).unwrap();
    assert_eq!(LearnedWeights::from_bytes(&weights.to_bytes().unwrap()).unwrap(), weights);
    assert!(LearnedWeights::from_bytes(&learned.to_bytes().unwrap()).is_err());
}

#[test]
fn forged_processes_are_refused() {
    let process = GridWorld::notes().process(0.9).unwrap();
    assert!(changed::<_, u32>(&process, "offsets", |offsets| offsets[3] = u32::MAX));
    assert!(changed::<_, u32>(&process, "targets", |targets| targets[0] = 16));
    assert!(changed::<_, f64>(&process, "probabilities", |values| values[0] = 0.5));
    assert!(changed::<_, f64>(&process, "rewards", |values| values.push(0.0)));
    assert!(changed::<_, u8>(&process, "terminal", |values| values[0] = 1));
    let learned = Learning::new(0.9).episodes(5).control(Control::Sarsa, &GridWorld::notes()).unwrap();
    assert!(changed::<_, u32>(&learned, "lengths", |values| values.push(1)));
}
