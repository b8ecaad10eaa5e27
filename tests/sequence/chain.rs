use gristmill::prelude::*;
use gristmill::sequence::{MarkovChain, MarkovChainModel};

fn sentences() -> Vec<Vec<&'static str>> {
    let lines = [
        "as the proctor started the clock the students opened their exams",
        "the students opened their books",
        "the students opened their books",
        "the students opened their minds",
        "the teacher opened their books",
    ];
    lines.iter().map(|line| line.split(' ').collect()).collect()
}

#[test]
fn the_students_opened_their_as_in_the_notes() {
    let chain = MarkovChain::new(3).fit(&sentences()).unwrap();
    let after = |word| chain.probability(&["students", "opened", "their"], word).unwrap();
    assert_eq!([after("books"), after("minds"), after("exams"), after("clock")], [0.5, 0.25, 0.25, 0.0]);
    // What came earlier does not count.
    assert_eq!(chain.probability(&["clock", "the", "students", "opened", "their"], "exams").unwrap(), 0.25);
    // First symbols over the number of sequences, and the last state is not in the denominator.
    assert_eq!(chain.initial_probabilities().unwrap().iter().sum::<f64>(), 1.0);
    assert_eq!(chain.probability(&[], "the").unwrap(), 0.8);
    let bigrams = MarkovChain::new(1).fit(&sentences()).unwrap();
    assert_eq!(bigrams.probability(&["students"], "opened").unwrap(), 1.0);
    assert_eq!(bigrams.probability(&["the"], "students").unwrap(), 4.0 / 7.0);
}

#[test]
fn the_estimate_is_likelier_than_every_perturbation() {
    let sequences = ["abbacabbac", "bacbca", "ccab"].map(|text| text.chars().collect::<Vec<char>>());
    let fitted = MarkovChain::new(1).fit(&sequences).unwrap();
    let best = fitted.log_likelihood(&sequences).unwrap();
    let names = fitted.symbols().to_vec();
    let rows: Vec<Vec<f64>> = names.iter().map(|name| fitted.next_probabilities(&[name]).unwrap()).collect();
    let initial = fitted.initial_probabilities().unwrap();
    let same = MarkovChain::from_probabilities(&names, &initial, &rows).unwrap();
    assert!((same.log_likelihood(&sequences).unwrap() - best).abs() < 1e-12);
    let moved = |row: &[f64], from: usize, to: usize| {
        let mut row = row.to_vec();
        let step = 0.01_f64.min(row[from]);
        row[from] -= step;
        row[to] += step;
        row
    };
    let mut tried = 0;
    for from in 0..3 {
        for to in (0..3).filter(|to| *to != from) {
            for state in (0..3).filter(|state| rows[*state][from] > 0.0) {
                let mut other = rows.clone();
                other[state] = moved(&rows[state], from, to);
                let chain = MarkovChain::from_probabilities(&names, &initial, &other).unwrap();
                assert!(chain.log_likelihood(&sequences).unwrap() < best, "{state}: {from} to {to}");
                tried += 1;
            }
        }
    }
    assert!(tried > 10);
}

#[test]
fn rows_sum_to_one_with_smoothing_and_back_off_whatever_the_context() {
    let text: Vec<Vec<char>> = ["abracadabra", "alakazam"].map(|word| word.chars().collect()).to_vec();
    for order in [1, 2, 4] {
        for (smoothing, back_off) in [(0.0, true), (0.5, false), (0.1, true)] {
            let chain = MarkovChain::new(order).smoothing(smoothing).back_off(back_off).fit(&text).unwrap();
            for context in ["", "a", "zzzz", "bra", "abra", "mmm", "kaza"] {
                let context: Vec<char> = context.chars().collect();
                let sum: f64 = chain.next_probabilities(&context).unwrap().iter().sum();
                assert!((sum - 1.0).abs() < 1e-12, "{order} {smoothing} {back_off} {context:?}: {sum}");
            }
        }
    }
    // Back-off takes the longest ending that was seen.
    let chain = MarkovChain::new(2).back_off(true).fit(&text).unwrap();
    let longest = MarkovChain::new(1).fit(&text).unwrap();
    assert_eq!(chain.next_probabilities(&['z', 'b']).unwrap(), longest.next_probabilities(&['b']).unwrap());
}

#[test]
fn what_is_not_known_is_named() {
    let chain = MarkovChain::new(2).fit(&[["a", "b", "c"]]).unwrap();
    let unseen = chain.probability(&["c", "a"], "b").unwrap_err();
    assert_eq!(unseen, Error::Context { context: vec!["c".into(), "a".into()] });
    let unknown = chain.log_likelihood(&[vec!["a", "b"], vec!["a", "x"]]).unwrap_err();
    assert_eq!(unknown, Error::Symbol { sequence: 1, position: 1, symbol: "x".into(), known: 3 });
    assert!(unknown.to_string().contains("sequence 1, position 1: \"x\""));
    assert!(matches!(MarkovChain::new(0).fit(&[["a"]]), Err(Error::Param { name: "order", .. })));
    let smoothing = MarkovChain::new(1).smoothing(f64::NAN).fit(&[["a"]]);
    assert!(matches!(smoothing, Err(Error::Param { name: "smoothing", .. })));
    assert!(matches!(MarkovChain::new(1).fit::<&str>(&[[]; 0]), Err(Error::Shape { .. })));
    let row = MarkovChain::from_probabilities(&["a", "b"], &[1.0, 0.0], &[[0.5, 0.4], [0.0, 1.0]]).unwrap_err();
    assert!(row.to_string().contains("from \"a\"") && row.to_string().contains("sum to 0.9"), "{row}");
    assert_eq!(chain.log_likelihood(&[["b"]]).unwrap(), f64::NEG_INFINITY);
}

fn weather() -> MarkovChainModel {
    let rows = [[0.9, 0.075, 0.025], [0.15, 0.8, 0.05], [0.25, 0.25, 0.5]];
    MarkovChain::from_probabilities(&["bull", "bear", "stagnant"], &[1.0, 0.0, 0.0], &rows).unwrap()
}

#[test]
fn the_stationary_distribution_stays_and_is_that_of_the_textbook() {
    let found = weather().stationary().unwrap();
    for (share, expected) in found.probabilities.iter().zip([0.625, 0.3125, 0.0625]) {
        assert!((share - expected).abs() < 1e-14);
    }
    assert_eq!(found.period, 1);
    // A chain of order 2: its states are pairs, and letters of a long sample come as often as they should.
    let text: Vec<char> = "abaabbabababbaaabab".chars().collect();
    let chain = MarkovChain::new(2).smoothing(0.3).fit(&[&text]).unwrap();
    let long_run = chain.stationary().unwrap();
    let share = |wanted: &str| {
        let pairs = long_run.states.iter().zip(&long_run.probabilities);
        pairs.filter(|(state, _)| state[1] == wanted).map(|(_, share)| share).sum::<f64>()
    };
    let sample = chain.sample(60_000, 3).unwrap();
    let seen = sample.iter().filter(|symbol| *symbol == "a").count() as f64 / 6e4;
    assert!((seen - share("a")).abs() < 0.01, "{seen} and {}", share("a"));
}

#[test]
fn chains_that_cannot_have_one_long_run_say_so() {
    let split = MarkovChain::from_probabilities(&["a", "b"], &[0.5, 0.5], &[[1.0, 0.0], [0.0, 1.0]]).unwrap();
    assert!(matches!(split.stationary(), Err(Error::Process { .. })));
    let wheel = MarkovChain::new(1).fit(&[["a", "b", "c", "a"]]).unwrap();
    let found = wheel.stationary().unwrap();
    assert_eq!((found.period, found.probabilities.len()), (3, 3));
    assert!(wheel.mixing_time(0.1).unwrap_err().to_string().contains("period 3"));
    // A symbol that only ends sequences has no row.
    let ended = MarkovChain::new(1).fit(&[["a", "b"]]).unwrap();
    assert_eq!(ended.stationary().unwrap_err(), Error::Context { context: vec!["b".into()] });
    // One that is left for ever has no share.
    let left = MarkovChain::from_probabilities(&["a", "b"], &[1.0, 0.0], &[[0.5, 0.5], [0.0, 1.0]]).unwrap();
    assert_eq!(left.stationary().unwrap().probabilities, [0.0, 1.0]);
}

#[test]
fn the_mixing_time_is_the_first_power_that_is_near_enough() {
    let chain = weather();
    for epsilon in [0.25, 0.01, 1e-6] {
        let steps = chain.mixing_time(epsilon).unwrap();
        let mut rows: Vec<Vec<f64>> =
            chain.symbols().iter().map(|name| chain.next_probabilities(&[name]).unwrap()).collect();
        let step = rows.clone();
        let distance = |rows: &[Vec<f64>]| {
            let one = |row: &Vec<f64>| row.iter().zip([0.625, 0.3125, 0.0625]).map(|(a, b)| (a - b).abs()).sum::<f64>();
            rows.iter().map(one).fold(0.0, f64::max) / 2.0
        };
        let mut taken = 1;
        while distance(&rows) > epsilon {
            let product = |row: &Vec<f64>, to: usize| (0..3).map(|at| row[at] * step[at][to]).sum();
            rows = rows.iter().map(|row| (0..3).map(|to| product(row, to)).collect()).collect();
            taken += 1;
        }
        assert_eq!(steps, taken, "{epsilon}");
    }
}

#[test]
fn samples_follow_the_seed_and_the_graph_shows_states_and_arrows() {
    let chain = weather();
    assert_eq!(chain.sample(50, 7).unwrap(), chain.sample(50, 7).unwrap());
    assert_ne!(chain.sample(50, 7).unwrap(), chain.sample(50, 8).unwrap());
    assert_eq!(chain.sample_after(&["bear"], 0, 7).unwrap().len(), 0);
    let svg = chain.graph(true).unwrap().to_svg();
    assert!([">bull<", ">start<", ">0.9<", ">0.03<"].iter().all(|text| svg.contains(text)), "{svg}");
    assert!(chain.graph(false).unwrap().to_png().unwrap().len() > 1000);
}
