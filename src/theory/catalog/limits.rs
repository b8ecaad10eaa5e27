//! What no learner passes.

use super::{BoundEntry, Found, percent};
use crate::theory::{dimension, two_gaussians_error};

pub(super) const ENTRIES: &[BoundEntry] = &[
    BoundEntry {
        name: "curse",
        about: "the curse of dimensionality: how wide a cube with a share of the rows is",
        formula: "e = r^(1/p)    r = e^p    diagonal √p",
        conditions: "Rows spread evenly over the unit cube of p dimensions.",
        parameters: &[
            ("dimensions", "dimensions p"),
            ("share", "share r of the rows"),
            ("edge", "an edge e, to find the share within it"),
        ],
        example: &[("dimensions", &[10.0]), ("share", &[0.1])],
        solve: |given| {
            let p = given.count("dimensions")?;
            let diagonal = Found::new("diagonal", dimension::diagonal(p)?, "the longest way through the cube");
            if given.has("edge") {
                let edge = given.number("edge")?;
                let share = dimension::share(edge, p)?;
                return Ok(vec![
                    Found::new("share", share, format!("a cube of edge {edge} holds {} of the rows", percent(share))),
                    diagonal,
                ]);
            }
            let share = given.number("share")?;
            let edge = dimension::edge(share, p)?;
            let meaning = format!(
                "a neighbourhood with {} of the rows spans {} of each column's range",
                percent(share),
                percent(edge)
            );
            Ok(vec![Found::new("edge", edge, meaning), diagonal])
        },
    },
    BoundEntry {
        name: "bayes-gaussians",
        about: "least possible error for two normal classes with one covariance",
        formula: "Φ(−Δ/2) for equal priors, Δ the Mahalanobis distance of the means",
        conditions: "Both classes are normal with the same covariance.",
        parameters: &[("distance", "Mahalanobis distance Δ"), ("prior", "share of the first class; 0.5 if left out")],
        example: &[("distance", &[2.0]), ("prior", &[0.5])],
        solve: |given| {
            let prior = if given.has("prior") { given.number("prior")? } else { 0.5 };
            let error = two_gaussians_error(given.number("distance")?, prior)?;
            Ok(vec![Found::new("error", error, format!("no classifier errs less than {}", percent(error)))])
        },
    },
];
