//! Bounds by the size of a class.

use super::{BoundEntry, Found, Given, percent};
use crate::error::{Error, Result};
use crate::theory::{
    HypothesisCount, VC_DIMENSIONS, VcDimension, agnostic, binomial, hoeffding, margin, pac, realisable, tree, vapnik,
};

const ROWS: (&str, &str) = ("rows", "number of training rows");
const EPSILON: (&str, &str) = ("epsilon", "how far the error on new rows may be above the training error");
const DELTA: (&str, &str) = ("delta", "the probability that the bound fails, over draws of the rows");
const INDEPENDENT: &str =
    "Rows are drawn independently from one distribution; the class is fixed before they are seen.";

pub(super) const ENTRIES: &[BoundEntry] = &[
    BoundEntry {
        name: "realisable",
        about: "error of a hypothesis without training errors, from a finite class that holds a perfect one",
        formula: "m ≥ ln(|H|/δ)/ε    ε = ln(|H|/δ)/m    δ = |H|·e^(−εm)",
        conditions: "Some hypothesis of the class is always right, and the chosen one makes no training error. Rows are drawn independently from one distribution.",
        parameters: &[
            ROWS,
            EPSILON,
            DELTA,
            ("hypotheses", "size of the class"),
            ("ln_hypotheses", "the logarithm of its size, for classes beyond all numbers"),
            ("conjunctions", "attributes M of conjunctions: |H| = 3^M"),
            ("boolean", "attributes M of all Boolean functions: |H| = 2^(2^M)"),
        ],
        example: &[("conjunctions", &[10.0]), ("epsilon", &[0.1]), ("delta", &[0.05])],
        solve: |given| finite(given, hypotheses(given)?, Kind::Realisable),
    },
    BoundEntry {
        name: "agnostic",
        about: "gap between training error and error on new rows, for all hypotheses of a finite class",
        formula: "ε = √((ln|H| + ln 1/δ)/2m)    m ≥ (ln|H| + ln 1/δ)/2ε²    δ = |H|·e^(−2mε²)",
        conditions: INDEPENDENT,
        parameters: &[
            ROWS,
            EPSILON,
            DELTA,
            ("hypotheses", "size of the class"),
            ("ln_hypotheses", "the logarithm of its size, for classes beyond all numbers"),
            ("conjunctions", "attributes M of conjunctions: |H| = 3^M"),
            ("boolean", "attributes M of all Boolean functions: |H| = 2^(2^M)"),
        ],
        example: &[("hypotheses", &[1000.0]), ("epsilon", &[0.1]), ("delta", &[0.05])],
        solve: |given| finite(given, hypotheses(given)?, Kind::Agnostic),
    },
    BoundEntry {
        name: "rule-of-thumb",
        about: "rows for d parameters with W values each: about as many rows as parameters",
        formula: "n ≥ (d·ln W + ln 1/δ)/ε",
        conditions: "As realisable, with |H| = W^d.",
        parameters: &[
            ROWS,
            EPSILON,
            DELTA,
            ("values", "values W of each parameter"),
            ("parameters", "number of parameters d"),
        ],
        example: &[("values", &[256.0]), ("parameters", &[10.0]), ("epsilon", &[0.1]), ("delta", &[0.05])],
        solve: |given| {
            let count = HypothesisCount::grid(given.count("values")?, given.count("parameters")?)?;
            finite(given, count, Kind::Realisable)
        },
    },
    BoundEntry {
        name: "sparse",
        about: "rows for a linear model with s of d weights not 0, all whole numbers from −W to W",
        formula: "|H| = (2W)^s·C(d, s)    n ≥ ln(|H|/δ)/ε, about (s·ln(d/s) + s·ln 2W)/ε",
        conditions: "As realisable. Without sparsity the count is (2W + 1)^d.",
        parameters: &[
            ROWS,
            EPSILON,
            DELTA,
            ("largest", "largest weight W"),
            ("dimensions", "number of weights d"),
            ("nonzero", "weights that are not 0, s"),
        ],
        example: &[
            ("largest", &[10.0]),
            ("dimensions", &[1000.0]),
            ("nonzero", &[5.0]),
            ("epsilon", &[0.1]),
            ("delta", &[0.05]),
        ],
        solve: |given| {
            let (largest, dimensions) = (given.count("largest")?, given.count("dimensions")?);
            let sparse = HypothesisCount::sparse(largest, dimensions, given.count("nonzero")?)?;
            let dense = HypothesisCount::grid(2 * largest + 1, dimensions)?;
            let mut found = finite(given, sparse, Kind::Realisable)?;
            let (few, all) = (sparse.ln(), dense.ln());
            found.push(Found::new(
                "ln_hypotheses",
                few,
                format!("the class has e^{few:.2} members; without sparsity e^{all:.2}"),
            ));
            Ok(found)
        },
    },
    BoundEntry {
        name: "hoeffding",
        about: "how far the expectation can be above the mean of numbers from 0 to 1",
        formula: "P(E[X] − mean > ε) ≤ e^(−2nε²)    n ≥ ln(1/δ)/2ε²    ε = √(ln(1/δ)/2n)",
        conditions: "Independent numbers from 0 to 1, such as errors of one model on rows that had no part in choosing it.",
        parameters: &[ROWS, EPSILON, DELTA],
        example: &[("rows", &[1000.0]), ("delta", &[0.05])],
        solve: |given| given.solve_for_the_third(hoeffding::gap, hoeffding::sample_size, hoeffding::delta),
    },
    BoundEntry {
        name: "binomial",
        about: "exact probability that a model with error ε shows a rate of η or less on n rows",
        formula: "Σ_{k=0}^{⌊ηn⌋} C(n, k) ε^k (1 − ε)^(n−k)",
        conditions: "Independent rows that had no part in choosing the model. The notes print the sum from 1; it starts at 0.",
        parameters: &[
            ("rows", "number of test rows n"),
            ("observed", "observed rate of errors η"),
            ("epsilon", "error of the model"),
            ("delta", "the probability of so few errors"),
        ],
        example: &[("rows", &[100.0]), ("observed", &[0.01]), ("epsilon", &[0.02])],
        solve: solve_binomial,
    },
    BoundEntry {
        name: "vc-gap",
        about: "gap between training error and error on new rows, for a class of VC dimension h",
        formula: "ε = √((h(ln(2N/h) + 1) + ln(4/δ))/N)",
        conditions: "Rows drawn independently from one distribution, 2N ≥ h; the class is fixed before they are seen.",
        parameters: &[ROWS, EPSILON, DELTA, ("dimension", "VC dimension h; vc-dimension has a table")],
        example: &[("dimension", &[3.0]), ("rows", &[1000.0]), ("delta", &[0.05])],
        solve: |given| {
            let h = given.count("dimension")?;
            given.solve_for_the_third(
                |rows, delta| vapnik::gap(h, rows, delta),
                |epsilon, delta| vapnik::sample_size(h, epsilon, delta),
                |rows, epsilon| vapnik::delta(h, rows, epsilon),
            )
        },
    },
    BoundEntry {
        name: "vc-sample-size",
        about: "rows that make every hypothesis without training errors nearly right, for VC dimension h",
        formula: "N ≥ (4·log₂(2/δ) + 8h·log₂(13/ε))/ε",
        conditions: "Some hypothesis of the class is always right, and the chosen one makes no training error.",
        parameters: &[ROWS, EPSILON, DELTA, ("dimension", "VC dimension h; vc-dimension has a table")],
        example: &[("dimension", &[3.0]), ("epsilon", &[0.1]), ("delta", &[0.05])],
        solve: |given| {
            let h = given.count("dimension")?;
            given.solve_for_the_third(
                |rows, delta| pac::gap(h, rows, delta),
                |epsilon, delta| pac::sample_size(h, epsilon, delta),
                |rows, epsilon| pac::delta(h, rows, epsilon),
            )
        },
    },
    BoundEntry {
        name: "vc-dimension",
        about: "the table of VC dimensions",
        formula: "the most points that the class can label in all 2^h ways; at most log₂|H|",
        conditions: "A property of the class alone; rows have no part in it.",
        parameters: &[("d", "columns, attributes or edges")],
        example: &[("d", &[2.0])],
        solve: |given| {
            let d = given.count("d")?;
            let row = |entry: &crate::theory::VcEntry| {
                let dimension = entry.dimension(d);
                let value = match dimension {
                    VcDimension::Exactly(value) => value as f64,
                    VcDimension::OrderOf(value) => value,
                    VcDimension::Infinite => f64::INFINITY,
                };
                let meaning =
                    format!("{}: {} = {dimension} for {d} {}; {}", entry.class, entry.formula, entry.d, entry.why);
                Found::new(entry.name, value, meaning)
            };
            Ok(VC_DIMENSIONS.iter().map(row).collect())
        },
    },
    BoundEntry {
        name: "margin",
        about: "VC dimension of hyperplanes that keep a margin",
        formula: "h ≤ min(R²/Δ², d) + 1",
        conditions: "All rows lie in a ball of radius R, and none is nearer to the hyperplane than Δ.",
        parameters: &[
            ("radius", "radius R of a ball around the rows"),
            ("margin", "distance Δ of the nearest row"),
            ("dimensions", "columns d; infinitely many if left out"),
            ("dimension", "h, to find the margin for it"),
        ],
        example: &[("radius", &[1.0]), ("margin", &[0.2]), ("dimensions", &[100.0])],
        solve: |given| {
            let radius = given.number("radius")?;
            if given.has("dimension") {
                let margin = margin::margin(radius, given.number("dimension")?)?;
                return Ok(vec![Found::new("margin", margin, "the margin from which on the dimension is no larger")]);
            }
            let d = if given.has("dimensions") { Some(given.count("dimensions")?) } else { None };
            let h = margin::dimension(radius, given.number("margin")?, d)?;
            Ok(vec![Found::new(
                "dimension",
                h,
                "what the VC dimension cannot pass; a wide margin makes it small in any number of columns",
            )])
        },
    },
    BoundEntry {
        name: "tree",
        about: "gap of a decision tree by the length of its description",
        formula: "ε = √(((n + 1)·log₂(d + 3) + log₂(2/δ))/2m), with probability 1 − δ",
        conditions: "Rows drawn independently; the d questions are fixed before they are seen. Holds for trees of all sizes at once.",
        parameters: &[
            ROWS,
            EPSILON,
            DELTA,
            ("nodes", "nodes of the tree n"),
            ("questions", "questions a node can ask d"),
        ],
        example: &[("nodes", &[7.0]), ("questions", &[2.0]), ("rows", &[1000.0]), ("delta", &[0.05])],
        solve: |given| {
            let (n, d) = (given.count("nodes")?, given.count("questions")?);
            given.solve_for_the_third(
                |rows, delta| tree::gap(n, d, rows, delta),
                |epsilon, delta| tree::sample_size(n, d, epsilon, delta),
                |rows, epsilon| tree::delta(n, d, rows, epsilon),
            )
        },
    },
];

enum Kind {
    Realisable,
    Agnostic,
}

fn finite(given: &Given, count: HypothesisCount, kind: Kind) -> Result<Vec<Found>> {
    match kind {
        Kind::Realisable => given.solve_for_the_third(
            |rows, delta| realisable::gap(count, rows, delta),
            |epsilon, delta| realisable::sample_size(count, epsilon, delta),
            |rows, epsilon| realisable::delta(count, rows, epsilon),
        ),
        Kind::Agnostic => given.solve_for_the_third(
            |rows, delta| agnostic::gap(count, rows, delta),
            |epsilon, delta| agnostic::sample_size(count, epsilon, delta),
            |rows, epsilon| agnostic::delta(count, rows, epsilon),
        ),
    }
}

/// The size of the class, given in one of four ways.
fn hypotheses(given: &Given) -> Result<HypothesisCount> {
    let attributes = |name| Ok::<u32, Error>(given.count(name)?.min(u64::from(u32::MAX)) as u32);
    let ways = ["hypotheses", "ln_hypotheses", "conjunctions", "boolean"];
    let named: Vec<&str> = ways.into_iter().filter(|name| given.has(name)).collect();
    match named[..] {
        ["hypotheses"] => HypothesisCount::of(given.count("hypotheses")?),
        ["ln_hypotheses"] => HypothesisCount::from_ln(given.number("ln_hypotheses")?),
        ["conjunctions"] => Ok(HypothesisCount::conjunctions(attributes("conjunctions")?)),
        ["boolean"] => HypothesisCount::from_ln(HypothesisCount::boolean_functions(attributes("boolean")?).ln()),
        _ => Err(Error::param("class", format!("given by one of {}", ways.join(", ")), named.len())),
    }
}

fn solve_binomial(given: &Given) -> Result<Vec<Found>> {
    let observed = given.number("observed")?;
    match (given.has("rows"), given.has("epsilon"), given.has("delta")) {
        (true, true, false) => {
            let (rows, epsilon) = (given.count("rows")?, given.number("epsilon")?);
            let delta = binomial::delta(rows, observed, epsilon)?;
            let (rate, probability) = (percent(observed), percent(delta));
            let meaning = format!(
                "a model with error {epsilon} shows {rate} errors or fewer on {rows} rows with probability {probability}"
            );
            Ok(vec![Found::new("delta", delta, meaning)])
        }
        (true, false, true) => {
            let (rows, delta) = (given.count("rows")?, given.number("delta")?);
            let epsilon = observed + binomial::gap(rows, observed, delta)?;
            let meaning = format!("with {} confidence the error is at most {epsilon:.6}", percent(1.0 - delta));
            Ok(vec![Found::new("epsilon", epsilon, meaning)])
        }
        (false, true, true) => {
            let (epsilon, delta) = (given.number("epsilon")?, given.number("delta")?);
            let rows = binomial::sample_size(observed, epsilon, delta)?;
            let meaning = format!(
                "on {rows} rows a model with error {epsilon} shows so few errors in {} of all draws at most",
                percent(delta)
            );
            Ok(vec![Found::new("rows", rows as f64, meaning)])
        }
        _ => Err(Error::param("parameters", "observed and two of rows, epsilon and delta", "others")),
    }
}
