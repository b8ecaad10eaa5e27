//! How far apart two rows are.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// A distance between two rows.
///
/// ```
/// use gristmill::Metric;
/// assert_eq!(Metric::default(), Metric::Euclidean);
/// assert_eq!("manhattan".parse::<Metric>()?, Metric::Manhattan);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Metric {
    /// (Σ (x − y)²)^½.
    #[default]
    Euclidean,
    /// Σ |x − y|.
    Manhattan,
    /// The largest |x − y|.
    Chebyshev,
    /// (Σ |x − y|^p)^(1/p), for an order `p` of at least 1.
    Minkowski(f32),
    /// 1 − x·y / (|x|·|y|), held in [0, 2]; a row of zeros is at distance 1 from every row.
    Cosine,
}

impl Metric {
    /// Refuses a Minkowski order below 1 or not finite, and gives the simple names to the orders 1 and 2.
    pub fn checked(self) -> Result<Metric> {
        match self {
            Metric::Minkowski(1.0) => Ok(Metric::Manhattan),
            Metric::Minkowski(2.0) => Ok(Metric::Euclidean),
            Metric::Minkowski(p) if !(p >= 1.0 && p.is_finite()) => {
                Err(Error::param("p", "a finite number of at least 1", p))
            }
            metric => Ok(metric),
        }
    }
}

/// `euclidean`, `minkowski:3`: what [`FromStr`](std::str::FromStr) reads.
impl std::fmt::Display for Metric {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Metric::Euclidean => formatter.write_str("euclidean"),
            Metric::Manhattan => formatter.write_str("manhattan"),
            Metric::Chebyshev => formatter.write_str("chebyshev"),
            Metric::Minkowski(p) => write!(formatter, "minkowski:{p}"),
            Metric::Cosine => formatter.write_str("cosine"),
        }
    }
}

impl From<Metric> for String {
    fn from(metric: Metric) -> String {
        metric.to_string()
    }
}

impl TryFrom<String> for Metric {
    type Error = Error;

    fn try_from(name: String) -> Result<Metric> {
        name.parse()
    }
}

impl std::str::FromStr for Metric {
    type Err = Error;

    /// `euclidean`, `manhattan`, `chebyshev`, `cosine`, or `minkowski:3` with its order.
    fn from_str(name: &str) -> Result<Metric> {
        let rule = "euclidean, manhattan, chebyshev, cosine or minkowski:P";
        let refuse = || Error::param("metric", rule.to_string(), name);
        match name {
            "euclidean" => Ok(Metric::Euclidean),
            "manhattan" => Ok(Metric::Manhattan),
            "chebyshev" => Ok(Metric::Chebyshev),
            "cosine" => Ok(Metric::Cosine),
            _ => {
                let order = name.strip_prefix("minkowski:").and_then(|order| order.parse().ok());
                Metric::Minkowski(order.ok_or_else(refuse)?).checked().map_err(|_| refuse())
            }
        }
    }
}
