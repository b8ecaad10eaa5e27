//! Bounds of single kinds of learners.

use super::{BoundEntry, Found, percent, vacuous};
use crate::theory::{boosting, neighbors, voting};

pub(super) const ENTRIES: &[BoundEntry] = &[
    BoundEntry {
        name: "cover-hart",
        about: "error of the nearest neighbour by the least possible error",
        formula: "R* ≤ R ≤ R*(2 − R*·c/(c − 1)), for two classes 2R*(1 − R*)",
        conditions: "The number of rows grows without bound.",
        parameters: &[
            ("bayes_error", "least possible error R*"),
            ("error", "the nearest neighbour's error R, to find the least R*"),
            ("classes", "number of classes c"),
        ],
        example: &[("bayes_error", &[0.1]), ("classes", &[2.0])],
        solve: |given| {
            let classes = given.count("classes")?;
            if given.has("error") {
                let least = neighbors::least_bayes_error(given.number("error")?, classes)?;
                return Ok(vec![Found::new(
                    "bayes_error",
                    least,
                    format!("no classifier errs less than {}", percent(least)),
                )]);
            }
            let error = neighbors::cover_hart(given.number("bayes_error")?, classes)?;
            Ok(vec![Found::new(
                "error",
                error,
                format!("with many rows the nearest neighbour errs at most {}", percent(error)),
            )])
        },
    },
    BoundEntry {
        name: "k-nn",
        about: "expected squared error of k nearest neighbours at a point",
        formula: "σ² + σ²/k + (f(x) − (1/k)Σf(xᵢ))²",
        conditions: "Targets are f(x) plus independent noise of variance σ²; neighbours are chosen by the rows alone.",
        parameters: &[
            ("noise_variance", "variance σ² of the noise"),
            ("neighbors", "k"),
            ("bias", "f(x) less the mean of f at the neighbours"),
        ],
        example: &[("noise_variance", &[0.25]), ("neighbors", &[5.0]), ("bias", &[0.1])],
        solve: |given| {
            let (noise, k, bias) = (given.number("noise_variance")?, given.count("neighbors")?, given.number("bias")?);
            let error = neighbors::regression_error(noise, k, bias)?;
            let (variance, square) = (noise / k as f64, bias * bias);
            let meaning = format!(
                "noise {noise:.6}, variance {variance:.6}, squared bias {square:.6}: more neighbours lower the second and raise the third"
            );
            Ok(vec![Found::new("error", error, meaning)])
        },
    },
    BoundEntry {
        name: "breiman",
        about: "error of a forest by the strength of its trees and how alike they are",
        formula: "R ≤ ρ(1 − s²)/s²",
        conditions: "Many trees, drawn independently given the rows; the mean margin s is above 0.",
        parameters: &[
            ("correlation", "mean correlation ρ of the trees' margins"),
            ("strength", "mean margin s"),
            ("error", "an error, to find the ρ for it"),
        ],
        example: &[("correlation", &[0.1]), ("strength", &[0.6])],
        solve: |given| {
            let strength = given.number("strength")?;
            if given.has("error") {
                let correlation = voting::correlation_for(given.number("error")?, strength)?;
                return Ok(vec![Found::new(
                    "correlation",
                    correlation,
                    "up to this correlation the bound is no larger",
                )]);
            }
            let bound = voting::breiman(given.number("correlation")?, strength)?;
            Ok(vec![Found::new(
                "error",
                bound,
                format!("the forest errs at most {}{}", percent(bound), vacuous(bound)),
            )])
        },
    },
    BoundEntry {
        name: "adaboost",
        about: "AdaBoost's training error by the errors of its rounds",
        formula: "Π 2√(ε_t(1 − ε_t)) ≤ exp(−2Σγ_t²), γ_t = ½ − ε_t    T ≥ ln(1/ε)/2γ²",
        conditions: "Two classes, learning rate 1, every ε_t below ½. It says nothing of new rows.",
        parameters: &[
            ("errors", "weighted error of each round, such as 0.3,0.2,0.25"),
            ("gamma", "how much better than ½ each round is"),
            ("error", "a training error, to find the rounds for it"),
        ],
        example: &[("gamma", &[0.1]), ("error", &[0.001])],
        solve: |given| {
            if given.has("errors") {
                let errors = given.list("errors")?;
                let (product, exponential) = (boosting::training_error(errors)?, boosting::exponential(errors)?);
                let rounds = errors.len();
                return Ok(vec![
                    Found::new(
                        "training_error",
                        product,
                        format!("what the training error after {rounds} rounds cannot pass"),
                    ),
                    Found::new("exponential", exponential, "the same by the exponential bound"),
                ]);
            }
            let rounds = boosting::rounds(given.number("gamma")?, given.number("error")?)?;
            let meaning =
                format!("{} rounds are enough; with an error below 1/n no training row is wrong", rounds.whole());
            Ok(vec![Found::new("rounds", rounds.exact, meaning)])
        },
    },
    BoundEntry {
        name: "majority",
        about: "probability that the majority of independent voters is right",
        formula: "Σ_{k > n/2} C(n, k) p^k (1 − p)^(n−k)",
        conditions: "Voters err independently of each other, each is right with probability p. A tie is no majority.",
        parameters: &[
            ("voters", "number of voters n"),
            ("accuracy", "probability p that one is right"),
            ("wanted", "a probability, to find the voters for it"),
        ],
        example: &[("voters", &[100.0]), ("accuracy", &[0.6])],
        solve: |given| {
            let accuracy = given.number("accuracy")?;
            if given.has("wanted") {
                let wanted = given.number("wanted")?;
                let voters = voting::voters_for(accuracy, wanted)?;
                return Ok(vec![Found::new(
                    "voters",
                    voters as f64,
                    format!("the least odd number whose majority is right in {} of cases", percent(wanted)),
                )]);
            }
            let right = voting::majority(given.count("voters")?, accuracy)?;
            Ok(vec![Found::new("right", right, format!("the majority is right in {} of cases", percent(right)))])
        },
    },
    BoundEntry {
        name: "correlated-mean",
        about: "variance of the mean of members that are alike",
        formula: "ρσ² + (1 − ρ)σ²/B",
        conditions: "Members of equal variance σ² and equal pairwise correlation ρ.",
        parameters: &[
            ("variance", "variance σ² of a member"),
            ("correlation", "correlation ρ of two members"),
            ("members", "number of members B"),
            ("wanted", "a variance, to find the members for it"),
        ],
        example: &[("variance", &[1.0]), ("correlation", &[0.3]), ("members", &[50.0])],
        solve: |given| {
            let (variance, correlation) = (given.number("variance")?, given.number("correlation")?);
            if given.has("wanted") {
                let members = voting::members_for(variance, correlation, given.number("wanted")?)?;
                return Ok(vec![Found::new("members", members as f64, "so many members are enough")]);
            }
            let mean = voting::correlated_mean(variance, correlation, given.count("members")?)?;
            let floor = correlation * variance;
            Ok(vec![Found::new(
                "variance_of_mean",
                mean,
                format!("{floor:.6} of it stays however many members there are"),
            )])
        },
    },
];
