use gristmill::decision::{Bandit, CartPole, Environment, GridWorld, Random, Solve};

#[test]
fn a_grid_moves_as_its_process_says() {
    let world = GridWorld::notes().slip(0.3).unwrap();
    let process = world.process(0.9).unwrap();
    let mut random = Random::new(3, 0);
    let mut played = world.clone();
    for _ in 0..300 {
        played.reset(&mut random);
        let state = Environment::state(&played);
        assert!(!world.is_wall(state) && !world.is_terminal(state));
        let allowed: Vec<usize> = (0..5).filter(|action| world.is_allowed(state, *action)).collect();
        let action = allowed[random.below(allowed.len())];
        assert!(process.is_allowed(state, action));
        let step = played.step(action, &mut random);
        assert_eq!(step.terminal, process.is_terminal(Environment::state(&played)));
    }
    // The wall is no neighbour, the edge neither; the teleport is one action in one cell.
    let allowed = |row, column| {
        (0..5).filter(|action| world.is_allowed(world.state_at(row, column), *action)).collect::<Vec<_>>()
    };
    assert_eq!(allowed(0, 0), [1, 2]);
    assert_eq!(allowed(1, 0), [0, 2]);
    assert_eq!(allowed(3, 0), [0, 1, 4]);
    assert_eq!(allowed(0, 3), [0; 0]);
    // The reward belongs to the cell that is entered.
    let mut played = GridWorld::notes().start((0, 2)).unwrap();
    played.reset(&mut random);
    let step = played.step(1, &mut random);
    assert!(step.reward == 1.0 && step.terminal);
}

#[test]
fn grids_are_read_from_json_and_refused_with_the_place() {
    let read = |text: &str| GridWorld::from_json(text, "g.json");
    let text = r##"{"discount": 0.9, "grid": ["..+", ".#T"], "terminal": "+", "rewards": {"+": 1, ".": -0.1},
        "teleports": [{"from": [1, 2], "to": [0, 0]}], "slip": 0.2}"##;
    let (world, discount) = read(text).unwrap();
    assert!(world.is_wall(4) && world.is_terminal(2) && discount == 0.9 && world.actions() == 5);
    assert!(world.process(discount).unwrap().value_iteration(&Solve::default()).unwrap().converged);
    let wrong = |text: &str| read(text).unwrap_err().to_string();
    assert!(wrong(r#"{"discount": 0.9, "grid": ["..", "."]}"#).contains("grid[1]: 1 letters"));
    assert!(wrong(r#"{"discount": 0.9, "grid": []}"#).contains("cells"));
    assert!(wrong(r#"{"discount": 0.9, "grid": [".."], "rewards": {"x": 1}}"#).contains("'x' is no letter"));
    assert!(wrong(r#"{"discount": 0.9, "grid": [".."], "slip": 2}"#).contains("slip"));
    assert!(wrong(r###"{"discount": 0.9, "grid": ["##"]}"###).contains("begin"));
    assert!(
        wrong(r#"{"discount": 0.9, "grid": [".."], "teleports": [{"from": [0, 0], "to": [5, 0]}]}"#)
            .contains("teleports[0]")
    );
}

#[test]
fn the_cliff_leads_back_and_the_bandit_pays_around_its_means() {
    let mut random = Random::new(1, 0);
    let mut cliff = GridWorld::cliff();
    cliff.reset(&mut random);
    let fall = cliff.step(1, &mut random);
    assert_eq!((fall.reward, fall.terminal, Environment::state(&cliff)), (-100.0, false, 36));
    let mut bandit = Bandit::new(&[1.0, -2.0], 0.5).unwrap();
    let mean = (0..4000).map(|_| bandit.step(1, &mut random).reward).sum::<f64>() / 4000.0;
    assert!((mean + 2.0).abs() < 0.05, "{mean}");
    assert!(Bandit::new(&[], 1.0).is_err() && Bandit::new(&[1.0], -1.0).is_err());
    assert_eq!(Bandit::testbed(0), Bandit::testbed(0));
}

/// Gymnasium's CartPole-v1 from rest: the first steps of its equations.
#[test]
fn the_pole_falls_as_in_gymnasium() {
    let mut random = Random::new(0, 0);
    let mut pole = CartPole::new();
    pole.step(1, &mut random);
    let seen = pole.observation();
    assert!((f64::from(seen[1]) - 0.195_121_951).abs() < 1e-6, "{seen:?}");
    assert!((f64::from(seen[3]) + 0.292_682_927).abs() < 1e-6, "{seen:?}");
    let steps = (1..).find(|_| pole.step(1, &mut random).terminal).unwrap();
    assert!((5..12).contains(&steps), "{steps}");
}
