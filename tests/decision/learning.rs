use gristmill::decision::{
    ActionValues, Bandit, CartPole, Control, Environment, Exploration, GridWorld, Learning, Prediction, Rate, Solve,
    learning_curves, policy_picture,
};
use gristmill::kernel_methods::RandomFourierFeatures;
use gristmill::prelude::*;

const CONTROLS: [Control; 6] = [
    Control::MonteCarlo { first_visit: true },
    Control::MonteCarlo { first_visit: false },
    Control::Sarsa,
    Control::ExpectedSarsa,
    Control::QLearning,
    Control::DoubleQLearning,
];

/// The largest error of a value over the largest value.
fn error(found: &ActionValues, world: &GridWorld, discount: f64) -> f64 {
    let best = world.process(discount).unwrap().value_iteration(&Solve::default()).unwrap();
    let size =
        best.action_values.iter().filter(|value| !value.is_nan()).fold(0.0_f64, |most, value| most.max(value.abs()));
    let pairs = found.values().iter().zip(&best.action_values).filter(|(_, best)| !best.is_nan());
    pairs.map(|(found, best)| (found - best).abs()).fold(0.0, f64::max) / size
}

#[test]
fn q_learning_finds_the_optimal_values_with_rates_of_1_over_t() {
    for (world, discount) in [(GridWorld::notes(), 0.9), (GridWorld::notes().slip(0.2).unwrap(), 0.8)] {
        let learning =
            Learning::new(discount).rate(Rate::Visits(10.0)).exploration(Exploration::Random).episodes(20_000);
        for control in [Control::QLearning, Control::DoubleQLearning] {
            let found = learning.control(control, &world).unwrap();
            let error = error(&found, &world, discount);
            assert!(error < 0.05, "{control:?}: {error}");
        }
    }
    // With 1/t alone the first, poor estimates weigh for long.
    let learning = Learning::new(0.9).rate(Rate::Visits(1.0)).exploration(Exploration::Random).episodes(20_000);
    let found = error(&learning.control(Control::QLearning, &GridWorld::notes()).unwrap(), &GridWorld::notes(), 0.9);
    assert!(found < 0.05, "{found}");
}

#[test]
fn sarsa_finds_the_optimal_policy_as_exploration_fades() {
    let world = GridWorld::notes();
    let process = world.process(0.9).unwrap();
    let best = process.value_iteration(&Solve::default()).unwrap();
    for control in CONTROLS {
        let learning = Learning::new(0.9)
            .rate(Rate::Visits(20.0))
            .exploration(Exploration::EpsilonDecay(1.0))
            .episodes(20_000)
            .seed(2);
        if matches!(control, Control::QLearning | Control::DoubleQLearning) {
            let values = learning.control(control, &world).unwrap().state_values();
            for state in (0..16).filter(|state| !world.is_wall(*state) && !world.is_terminal(*state)) {
                let worst = (values[state] - best.values[state]).abs();
                assert!(worst < 0.05, "{control:?}, {state}: {} instead of {}", values[state], best.values[state]);
            }
            continue;
        }
        // The others tell the policies that were followed; the last one is scored.
        let found = learning.rate(Rate::Constant(0.05)).control(control, &world).unwrap();
        let values = process.evaluate(&found.policy()).unwrap();
        let sum = |values: &[f64]| values.iter().sum::<f64>();
        assert!(sum(&values) > 0.95 * sum(&best.values), "{control:?}: {values:?}");
    }
}

/// The cells that a policy walks through from the start.
fn path(world: &GridWorld, found: &ActionValues) -> Vec<usize> {
    let policy = found.policy();
    let mut random = gristmill::decision::Random::new(0, 0);
    let mut walked = world.clone();
    walked.reset(&mut random);
    let mut cells = vec![];
    while cells.len() < 60 {
        let state = Environment::state(&walked);
        cells.push(state);
        if walked.step(policy.action(state), &mut random).terminal {
            break;
        }
    }
    cells
}

#[test]
fn on_the_cliff_q_learning_takes_the_edge_and_sarsa_the_safe_path() {
    let world = GridWorld::cliff();
    let learning = Learning::new(1.0).episodes(4000).seed(1);
    let edge: Vec<usize> = [36].into_iter().chain(24..36).collect();
    for control in [Control::QLearning, Control::DoubleQLearning] {
        // Two tables are slower to spread what they know: they try more.
        let bold = learning.clone().exploration(Exploration::EpsilonGreedy(0.4)).episodes(10_000);
        let found = bold.control(control, &world).unwrap();
        assert_eq!(path(&world, &found), edge, "{control:?}");
    }
    for control in [Control::Sarsa, Control::ExpectedSarsa] {
        let found = learning.clone().rate(Rate::Constant(0.1)).control(control, &world).unwrap();
        let cells = path(&world, &found);
        // Up to the first or second row, away from the edge, and down at the end.
        assert!(cells.iter().any(|cell| *cell < 24), "{control:?}: {cells:?}");
        assert!(cells.len() < 60 && cells.iter().filter(|cell| (26..34).contains(*cell)).count() == 0, "{cells:?}");
        let q = learning.clone().rate(Rate::Constant(0.1)).control(Control::QLearning, &world).unwrap();
        assert!(found.mean_return(500) > q.mean_return(500));
    }
    // Q-learning knows the optimal values all the same.
    let found =
        learning.clone().exploration(Exploration::EpsilonGreedy(0.5)).control(Control::QLearning, &world).unwrap();
    let best = world.process(1.0).unwrap().value_iteration(&Solve::default()).unwrap();
    edge.iter().for_each(|cell| assert!((found.state_values()[*cell] - best.values[*cell]).abs() < 0.05 * 13.0));
}

#[test]
fn the_same_seed_is_the_same_run_and_environments_share_what_they_learn() {
    let world = GridWorld::cliff();
    for control in CONTROLS {
        let learning = Learning::new(0.95).episodes(60).max_steps(500).environments(4).seed(9);
        let found = learning.control(control, &world).unwrap();
        assert_eq!(found, learning.control(control, &world).unwrap(), "{control:?}");
        assert_ne!(found, learning.clone().seed(10).control(control, &world).unwrap(), "{control:?}");
        assert_eq!((found.returns().len(), found.lengths().len()), (60, 60));
    }
    let many = Learning::new(1.0).episodes(2000).environments(16).control(Control::QLearning, &world).unwrap();
    assert_eq!(path(&world, &many).len(), 13);
}

#[test]
fn predictions_are_those_of_the_linear_solve() {
    let world = GridWorld::notes().slip(0.3).unwrap();
    let process = world.process(0.9).unwrap();
    let best = process.value_iteration(&Solve::default()).unwrap();
    let exact = process.evaluate(&best.policy).unwrap();
    let all = [
        Prediction::MonteCarlo { first_visit: true },
        Prediction::MonteCarlo { first_visit: false },
        Prediction::TemporalDifference { lambda: 0.0 },
        Prediction::TemporalDifference { lambda: 0.8 },
    ];
    for prediction in all {
        let learning = Learning::new(0.9).episodes(20_000).rate(Rate::Visits(5.0)).environments(3);
        let found = learning.predict(prediction, &world, &best.policy).unwrap();
        for state in (0..16).filter(|state| found.visits[*state] > 500) {
            let off = (found.values[state] - exact[state]).abs();
            assert!(off < 0.05, "{prediction:?}, {state}: {} instead of {}", found.values[state], exact[state]);
        }
        assert_eq!(found, learning.predict(prediction, &world, &best.policy).unwrap());
    }
}

#[test]
fn exploration_decides_what_a_bandit_earns() {
    let bandit = Bandit::new(&[0.0, 0.5, 1.0, 2.0], 1.0).unwrap();
    let earned = |exploration, rate| {
        let learning = Learning::new(1.0).episodes(3000).exploration(exploration).rate(rate);
        learning.control(Control::QLearning, &bandit).unwrap()
    };
    let mean = |found: &ActionValues| found.mean_return(1000);
    let rate = Rate::Visits(1.0);
    let random = earned(Exploration::Random, rate);
    assert!((mean(&random) - 0.875).abs() < 0.15, "{}", mean(&random));
    assert!((random.value(0, 3) - 2.0).abs() < 0.15);
    for exploration in [Exploration::EpsilonGreedy(0.1), Exploration::EpsilonDecay(0.5), Exploration::Softmax(0.2)] {
        let found = earned(exploration, rate);
        assert!(mean(&found) > 1.6, "{exploration:?}: {}", mean(&found));
        assert_eq!(found.policy().action(0), 3);
    }
    // Pure exploitation never tries most of the arms again.
    let greedy = earned(Exploration::Greedy, rate);
    assert!(greedy.visits().iter().any(|visits| *visits < 100));
}

#[test]
fn planes_over_any_transformer_balance_the_pole() {
    let pole = CartPole::new();
    // What is seen, on a common scale, then random cosines.
    let spread = Matrix::from_rows(&[[-1.0, -1.0, -0.1, -1.0], [1.0, 1.0, 0.1, 1.0]]).unwrap();
    let scaler = StandardScaler::default().fit(&spread).unwrap();
    let cosines = RandomFourierFeatures::default()
        .gamma(0.3)
        .n_components(150)
        .seed(1)
        .fit(&scaler.transform(&spread).unwrap())
        .unwrap();
    let features = |x: &Matrix| cosines.transform(&scaler.transform(x)?);
    let learning = Learning::new(0.99)
        .rate(Rate::Constant(0.1))
        .exploration(Exploration::EpsilonDecay(0.3))
        .episodes(250)
        .max_steps(200)
        .environments(4);
    let learned = learning.approximate(Control::Sarsa, &pole, features).unwrap();
    assert_eq!(learned.returns().len(), 250);
    let late: f64 = learned.returns()[200..].iter().sum::<f64>() / 50.0;
    let early: f64 = learned.returns()[..20].iter().sum::<f64>() / 20.0;
    assert!(late > 3.0 * early && late > 100.0, "{early}, {late}");
    assert!(learned.trial(&pole, features, 200, 1).unwrap() > 100.0);
    assert_eq!(learned, learning.approximate(Control::Sarsa, &pole, features).unwrap());
    assert!(learning.approximate(Control::DoubleQLearning, &pole, features).is_err());
    assert!(learning.control(Control::Sarsa, &pole).unwrap_err().to_string().contains("approximate"));
}

#[test]
fn wrong_parameters_are_refused_and_curves_and_policies_are_drawn() {
    let world = GridWorld::notes();
    let refused = [
        Learning::new(1.5),
        Learning::new(0.9).rate(Rate::Constant(0.0)),
        Learning::new(0.9).rate(Rate::Visits(0.5)),
        Learning::new(0.9).exploration(Exploration::EpsilonGreedy(2.0)),
        Learning::new(0.9).exploration(Exploration::Softmax(0.0)),
        Learning::new(0.9).episodes(0),
        Learning::new(0.9).environments(0),
    ];
    let wrong = |learning: &Learning| matches!(learning.control(Control::Sarsa, &world), Err(Error::Param { .. }));
    assert!(refused.iter().all(wrong));
    let found = Learning::new(0.9).control(Control::QLearning, &world).unwrap();
    let wrong = Prediction::TemporalDifference { lambda: 1.5 };
    assert!(Learning::new(0.9).predict(wrong, &world, &found.policy()).is_err());
    let svg = policy_picture(&world, &found.state_values(), &found.policy()).unwrap().to_svg();
    assert!(svg.contains("Values and policy") && svg.contains("#d55e00"));
    let curves = learning_curves(&[("Q-learning", found.returns())], 20).to_svg();
    assert!(curves.contains("Q-learning") && curves.contains(">episode<"));
    assert!(policy_picture(&world, &[0.0], &found.policy()).is_err());
}
