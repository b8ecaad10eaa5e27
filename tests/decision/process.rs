use gristmill::SparseMatrix;
use gristmill::decision::{GridWorld, MarkovDecisionProcess, Outcome, Policy, Rewards, Solve};
use gristmill::prelude::*;
use nalgebra::DMatrix;

use crate::support::numbers;

/// Random outcomes: three for each action.
fn outcomes(states: usize, actions: usize, seed: u64) -> Vec<Outcome> {
    let draws = numbers(states * actions * 6, seed);
    let mut found = vec![];
    for row in 0..states * actions {
        let own = &draws[6 * row..6 * row + 6];
        let weights: Vec<f64> = own[..3].iter().map(|draw| 1.5 + f64::from(*draw)).collect();
        let total: f64 = weights.iter().sum();
        for (weight, draw) in weights.iter().zip(&own[3..]) {
            let next = ((f64::from(*draw) + 1.0) / 2.0 * states as f64) as usize;
            found.push((row / actions, row % actions, next.min(states - 1), weight / total));
        }
    }
    found
}

fn random_process(states: usize, actions: usize, discount: f64, seed: u64) -> MarkovDecisionProcess {
    let rewards = numbers(states * actions, seed + 1).iter().map(|draw| f64::from(*draw)).collect();
    let outcomes = outcomes(states, actions, seed);
    MarkovDecisionProcess::new(states, actions, outcomes, Rewards::Action(rewards), discount).unwrap()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn the_linear_solve_equals_iteration_and_both_iterations_agree() {
    for (states, actions, discount) in [(1, 1, 0.5), (2, 3, 0.0), (50, 4, 0.9), (300, 2, 0.99), (2000, 3, 0.95)] {
        let process = random_process(states, actions, discount, states as u64);
        let options = Solve::default();
        let by_values = process.value_iteration(&options).unwrap();
        let by_policies = process.policy_iteration(&options).unwrap();
        assert!(by_values.converged && by_policies.converged);
        let name = format!("{states}×{actions}, {discount}");
        assert!(distance(&by_values.values, &by_policies.values) < 1e-8, "{name}");
        assert!(distance(&process.evaluate(&by_values.policy).unwrap(), &by_values.values) < 1e-8, "{name}");
        assert!(by_values.residual < 1e-8 && by_values.error_bound < 1e-6, "{name}: {}", by_values.residual);
        // Q follows from V, and V is its largest.
        let again = process.action_values(&by_values.values);
        assert_eq!(again, by_values.action_values);
        let states = by_policies.action_values.chunks(actions).zip(&by_policies.values);
        states.for_each(|(row, value)| {
            let best = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            assert!((best - value).abs() < 1e-8, "{name}");
        });
        // No other policy is better anywhere.
        let other = Policy::of_actions(actions, &vec![0; process.states()]).unwrap();
        let worse = process.evaluate(&other).unwrap();
        assert!(worse.iter().zip(&by_values.values).all(|(other, best)| *other <= best + 1e-8), "{name}");
    }
}

#[test]
fn dense_and_sparse_transitions_are_the_same_process() {
    let (states, actions) = (20, 3);
    let found = outcomes(states, actions, 4);
    let mut matrices = vec![DMatrix::zeros(states, states); actions];
    found.iter().for_each(|(state, action, next, probability)| matrices[*action][(*state, *next)] += probability);
    let sparse: Vec<SparseMatrix> = (0..actions)
        .map(|action| {
            let own = (0..states * states).map(|at| (at / states, at % states));
            let own = own.map(|(row, column)| (row, column, matrices[action][(row, column)] as f32));
            SparseMatrix::from_triplets(states, states, own).unwrap()
        })
        .collect();
    let rewards = || Rewards::State((0..states).map(|state| state as f64).collect());
    let options = Solve::default();
    let solved = |process: Result<MarkovDecisionProcess>| process.unwrap().value_iteration(&options).unwrap();
    let dense = solved(MarkovDecisionProcess::dense(&matrices, rewards(), 0.9));
    let from_sparse = solved(MarkovDecisionProcess::sparse(&sparse, rewards(), 0.9));
    let from_outcomes = solved(MarkovDecisionProcess::new(states, actions, found, rewards(), 0.9));
    assert!(distance(&dense.values, &from_outcomes.values) < 1e-8);
    assert!(distance(&dense.values, &from_sparse.values) < 1e-4);
    assert_eq!(dense.policy, from_sparse.policy);
}

#[test]
fn rewards_by_state_by_action_and_by_the_state_entered() {
    let outcomes = || [(0, 0, 1, 0.25), (0, 0, 0, 0.75), (1, 0, 1, 1.0)];
    let value = |rewards: Rewards| {
        let process = MarkovDecisionProcess::new(2, 1, outcomes(), rewards, 0.5).unwrap();
        process.evaluate(&Policy::of_actions(1, &[0, 0]).unwrap()).unwrap()
    };
    // V(1) = 2·r(1); V(0) = r(0) + ½(¾V(0) + ¼V(1)).
    assert!(distance(&value(Rewards::State(vec![1.0, 3.0])), &[2.8, 6.0]) < 1e-12);
    assert!(distance(&value(Rewards::Action(vec![1.0, 3.0])), &[2.8, 6.0]) < 1e-12);
    // Entering 1 pays 3, entering 0 pays 1: r(0) = ¾ + ¾.
    assert!(distance(&value(Rewards::Entered(vec![1.0, 3.0])), &[3.6, 6.0]) < 1e-12);
    // A mixed policy has the mean of its actions.
    let process =
        MarkovDecisionProcess::new(1, 2, [(0, 0, 0, 1.0), (0, 1, 0, 1.0)], Rewards::Action(vec![1.0, 3.0]), 0.5);
    let mixed = Policy::of_probabilities(2, vec![0.5, 0.5]).unwrap();
    assert!(distance(&process.unwrap().evaluate(&mixed).unwrap(), &[4.0]) < 1e-12);
}

#[test]
fn without_a_discount_values_are_sums_to_the_end() {
    let world = GridWorld::cliff();
    let process = world.process(1.0).unwrap();
    let best = process.value_iteration(&Solve::default()).unwrap();
    // Up, eleven to the right along the edge, down; entering the end costs a step too.
    assert!((best.values[world.state_at(3, 0)] + 13.0).abs() < 1e-9);
    assert_eq!(best.policy.action(world.state_at(3, 0)), 0);
    assert!((1..11).all(|column| best.policy.action(world.state_at(2, column)) == 1));
    let exact = process.policy_iteration(&Solve::default()).unwrap();
    assert!(distance(&best.values, &exact.values) < 1e-9);
    assert!(best.residuals.len() == best.iterations && best.residual == 0.0);
}

#[test]
fn endless_paths_without_a_discount_are_named() {
    // 1 can only stay, 0 can end.
    let outcomes = || [(0, 0, 2, 1.0), (1, 0, 1, 1.0), (2, 0, 2, 1.0)];
    let process = |discount| {
        let rewards = Rewards::State(vec![0.0; 3]);
        MarkovDecisionProcess::new(3, 1, outcomes(), rewards, discount).unwrap().terminal(&[2]).unwrap()
    };
    let refused = process(1.0).value_iteration(&Solve::default()).unwrap_err();
    assert!(refused.to_string().starts_with("state \"1\"") && refused.to_string().contains("endless"), "{refused}");
    assert!(matches!(process(1.0).policy_iteration(&Solve::default()), Err(Error::Process { .. })));
    assert!(process(0.9).value_iteration(&Solve::default()).is_ok());
    // A policy that never ends, where another would.
    let two = [(0, 0, 0, 1.0), (0, 1, 1, 1.0)];
    let process = MarkovDecisionProcess::new(2, 2, two, Rewards::State(vec![-1.0, 0.0]), 1.0).unwrap();
    let process = process.terminal(&[1]).unwrap();
    let stays = Policy::of_actions(2, &[0, 0]).unwrap();
    assert!(process.evaluate(&stays).unwrap_err().to_string().contains("never leads"));
    assert_eq!(process.value_iteration(&Solve::default()).unwrap().values, [-1.0, 0.0]);
    // Rewards that add up without end.
    let earns = MarkovDecisionProcess::new(2, 2, two, Rewards::State(vec![1.0, 0.0]), 1.0).unwrap();
    let grows = earns.terminal(&[1]).unwrap().value_iteration(&Solve::default().max_iter(200)).unwrap_err();
    assert!(grows.to_string().contains("state \"0\"") && grows.to_string().contains("without end"), "{grows}");
}

#[test]
fn what_is_no_process_is_refused_with_its_place() {
    let make = |outcomes: &[Outcome], rewards, discount| {
        MarkovDecisionProcess::new(2, 2, outcomes.iter().copied(), rewards, discount)
    };
    let fine: &[Outcome] = &[(0, 0, 0, 1.0), (1, 1, 0, 1.0)];
    let zero = || Rewards::State(vec![0.0, 0.0]);
    let row = make(&[(0, 0, 0, 1.0), (1, 1, 0, 0.5), (1, 1, 1, 0.4)], zero(), 0.9).unwrap_err();
    assert_eq!(
        row.to_string(),
        "state 1, action 1: the probabilities sum to 0.900000000, not to 1; divide them by their sum"
    );
    assert!(make(&[(0, 0, 0, -1.0), (0, 0, 1, 2.0)], zero(), 0.9).unwrap_err().to_string().contains("no probability"));
    assert!(matches!(make(fine, zero(), 1.5), Err(Error::Param { name: "discount", .. })));
    assert!(matches!(make(fine, Rewards::State(vec![0.0]), 0.9), Err(Error::Shape { .. })));
    assert!(make(fine, Rewards::State(vec![0.0, f64::NAN]), 0.9).unwrap_err().to_string().contains("state 1"));
    assert!(make(&[(0, 0, 2, 1.0)], zero(), 0.9).is_err());
    let stuck = make(&[(0, 0, 1, 1.0)], zero(), 0.9).unwrap().value_iteration(&Solve::default()).unwrap_err();
    assert!(stuck.to_string().contains("state \"1\": no action can be taken"), "{stuck}");
    let process = make(fine, zero(), 0.9).unwrap();
    assert!(process.clone().terminal(&[5]).is_err());
    assert!(
        process.evaluate(&Policy::of_actions(2, &[1, 1]).unwrap()).unwrap_err().to_string().contains("cannot be taken")
    );
    assert!(process.evaluate(&Policy::of_actions(2, &[0]).unwrap()).is_err());
    assert!(Policy::of_actions(2, &[2]).is_err() && Policy::of_probabilities(2, vec![0.5, 0.4]).is_err());
    assert!(process.value_iteration(&Solve::default().tol(0.0)).is_err());
    let few = process.value_iteration(&Solve::default().max_iter(1)).unwrap();
    assert!(few.iterations == 1);
}

#[test]
fn json_is_read_and_its_mistakes_are_named() {
    let text = |transitions: &str| {
        format!(
            r#"{{"discount": 0.5, "states": ["a", "b"], "actions": ["go", "stay"], "terminal": ["b"],
            "rewards": {{"entered": {{"b": 4}}, "state": {{"a": 1}}}}, "transitions": {transitions}}}"#
        )
    };
    let good = text(r#"{"a": {"go": {"a": 0.5, "b": 0.5}, "stay": {"a": 1}}}"#);
    let process = MarkovDecisionProcess::from_json(&good, "p.json").unwrap();
    let best = process.value_iteration(&Solve::default()).unwrap();
    // V = 1 + ½·4 + ½·½·V.
    assert!((best.values[0] - 4.0).abs() < 1e-8 && best.values[1] == 0.0);
    assert_eq!((process.state_name(1), process.action_name(0)), ("b".to_string(), "go".to_string()));
    let wrong =
        |transitions: &str| MarkovDecisionProcess::from_json(&text(transitions), "p.json").unwrap_err().to_string();
    assert_eq!(
        wrong(r#"{"a": {"go": {"a": 0.5, "b": 0.4}}}"#),
        "p.json, column transitions.a.go: the probabilities sum to 0.900000000, not to 1"
    );
    assert!(wrong(r#"{"c": {}}"#).contains("\"c\" is no state"));
    assert!(wrong(r#"{"a": {"run": {"a": 1}}}"#).contains("transitions.a: \"run\" is no action"));
    assert!(wrong(r#"{"a": {"go": {"z": 1}}}"#).contains("transitions.a.go: \"z\" is no state"));
    assert!(wrong("{").contains("line 2"));
    assert!(wrong("[1]").starts_with("p.json, line 2"));
    assert!(MarkovDecisionProcess::from_json("{}", "p.json").unwrap_err().to_string().contains("discount"));
}
