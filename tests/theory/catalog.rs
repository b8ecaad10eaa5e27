//! The bounds by name.

use gristmill::theory::catalog::{self, Given};

#[test]
fn every_example_can_be_solved_and_says_what_it_means() {
    for entry in catalog::entries() {
        let found = entry.solve(&entry.example()).unwrap_or_else(|error| panic!("{}: {error}", entry.name));
        assert!(!found.is_empty() && found.iter().all(|found| !found.meaning.is_empty()), "{}", entry.name);
        assert!(!entry.formula.is_empty() && !entry.conditions.is_empty());
    }
    let names: Vec<&str> = catalog::entries().map(|entry| entry.name).collect();
    let unique: std::collections::BTreeSet<&str> = names.iter().copied().collect();
    assert_eq!(names.len(), unique.len());
}

#[test]
fn two_numbers_give_the_third() {
    let vc = catalog::find("vc-gap").unwrap();
    let given = Given::default().with("dimension", &[3.0]).with("rows", &[1000.0]);
    let gap = &vc.solve(&given.clone().with("delta", &[0.05])).unwrap()[0];
    assert!((gap.value - 0.16398).abs() < 5e-6);
    let delta = &vc.solve(&given.with("epsilon", &[gap.value])).unwrap()[0];
    assert!((delta.value - 0.05).abs() < 1e-9);
    assert!(delta.meaning.contains("5 %"), "{}", delta.meaning);
    let rows = Given::default().with("dimension", &[3.0]).with("delta", &[0.05]).with("epsilon", &[gap.value]);
    assert!((vc.solve(&rows).unwrap()[0].value - 1000.0).abs() < 1e-6);
}

#[test]
fn wrong_names_and_numbers_are_refused_with_what_would_do() {
    let refused = |name: &str, given: Given| catalog::find(name).unwrap().solve(&given).unwrap_err().to_string();
    assert!(catalog::find("vc-gp").map(drop).unwrap_err().to_string().contains("vc-gap?"));
    assert!(refused("hoeffding", Given::default().with("row", &[1.0])).contains("rows?"));
    assert!(refused("hoeffding", Given::default().with("rows", &[1.0])).contains("two of rows, epsilon and delta"));
    assert!(refused("agnostic", Given::default().with("rows", &[1.0]).with("delta", &[0.1])).contains("class must be"));
    let given = Given::default().with("voters", &[1.5]).with("accuracy", &[0.6]);
    assert!(refused("majority", given).contains("voters must be a whole number"));
    let given = Given::default().with("rows", &[10.0]).with("delta", &[0.1, 0.2]);
    assert!(refused("hoeffding", given).contains("one number"));
}
