//! Where the centres start.

use serde::{Deserialize, Serialize};

use crate::array::{DeviceMatrix, DeviceVec, Matrix};
use crate::cpu::random::HostRng;
use crate::device::Stream;
use crate::error::{Error, Result};
use crate::ops;
use crate::solvers::lloyd::{Clusters, StoppingRule, lloyd};

/// The stream of random numbers for starts: each search of a fit has the next.
const STREAM: u32 = 0x6b6d_0000;

/// Where the centres start.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub enum Init {
    /// One after the other, each at a row drawn in proportion to its squared distance from the centres there are; the
    /// best of 2 + ⌊ln k⌋ draws, as scikit-learn does (greedy k-means++, Arthur and Vassilvitskii 2007).
    #[default]
    KMeansPlusPlus,
    /// k different rows.
    Random,
    /// The mean of all rows, then twice as many by splitting each in two, with some iterations between, up to k: those that cost
    /// most split first (Linde, Buzo and Gray 1980). Needs no luck, and no restarts.
    Splitting,
    /// These centres, k×d.
    Centers(Matrix),
}

/// A start as it is written: `k-means++`, `random`, `splitting`, or the rows of the centres.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Name(String),
    Rows(Vec<Vec<f32>>),
}

impl From<Init> for Written {
    fn from(init: Init) -> Written {
        match init {
            Init::KMeansPlusPlus => Written::Name("k-means++".to_string()),
            Init::Random => Written::Name("random".to_string()),
            Init::Splitting => Written::Name("splitting".to_string()),
            Init::Centers(centers) => Written::Rows((0..centers.rows()).map(|row| centers.row(row).to_vec()).collect()),
        }
    }
}

impl TryFrom<Written> for Init {
    type Error = Error;

    fn try_from(written: Written) -> Result<Init> {
        match written {
            Written::Name(name) if name == "k-means++" => Ok(Init::KMeansPlusPlus),
            Written::Name(name) if name == "random" => Ok(Init::Random),
            Written::Name(name) if name == "splitting" => Ok(Init::Splitting),
            Written::Name(got) => Err(Error::param(
                "init",
                "k-means++, random, splitting, or the centres (a .npy file on the command line)",
                got,
            )),
            Written::Rows(rows) => Ok(Init::Centers(Matrix::from_rows(&rows)?)),
        }
    }
}

impl Init {
    /// Refuses given centres that do not fit the data.
    pub(in crate::cluster) fn check(&self, clusters: usize, columns: usize) -> Result<()> {
        let Init::Centers(centers) = self else { return Ok(()) };
        if (centers.rows(), centers.columns()) != (clusters, columns) {
            let expected = format!("{clusters}×{columns} centres, one a cluster");
            return Err(Error::shape("KMeans init", expected, format!("{}×{}", centers.rows(), centers.columns())));
        }
        centers.refuse_missing()
    }

    /// The centres that search `number` of a fit begins with.
    pub(in crate::cluster) fn centers(
        &self,
        stream: &mut Stream,
        x: &DeviceMatrix,
        weights: Option<&DeviceVec<f32>>,
        clusters: usize,
        (seed, number): (u64, u32),
    ) -> Result<Matrix> {
        let mut rng = HostRng::new(seed, STREAM.wrapping_add(number));
        match self {
            Init::Centers(centers) => Ok(centers.clone()),
            Init::Random => {
                let rows = match weights {
                    None => rng.distinct(clusters, x.rows()),
                    Some(weights) => rng.weighted(&weights.to_vec(stream)?, clusters),
                };
                x.rows_at(stream, &rows)
            }
            Init::Splitting => split(stream, x, weights, clusters, &mut rng),
            Init::KMeansPlusPlus => ops::plus_plus(stream, x, weights, clusters, (seed, STREAM.wrapping_add(number))),
        }
    }
}

/// Iterations after each splitting, and how far halves are moved apart, in deviations of the columns.
const SETTLING: usize = 10;
const APART: f64 = 0.05;

/// Centres by splitting.
fn split(
    stream: &mut Stream,
    x: &DeviceMatrix,
    weights: Option<&DeviceVec<f32>>,
    clusters: usize,
    rng: &mut HostRng,
) -> Result<Matrix> {
    let moments = ops::column_moments(stream, x, weights)?;
    let d = x.columns();
    let mut centers = Matrix::from_f64(1, d, &moments.mean)?;
    let host_weights = weights.map(|weights| weights.to_vec(stream)).transpose()?;
    while centers.rows() < clusters {
        let rule = StoppingRule { max_iter: SETTLING, tolerance: 0.0 };
        let (found, _) = lloyd(stream, x, weights, &centers, rule, |_| Ok(false))?;
        let costs = costs_of(&found, host_weights.as_deref());
        let mut order: Vec<usize> = (0..costs.len()).collect();
        order.sort_by(|a, b| costs[*b].total_cmp(&costs[*a]));
        let splits = order.len().min(clusters - order.len());
        let mut values = found.centers.as_slice().to_vec();
        for &at in &order[..splits] {
            for column in 0..d {
                let sign = if rng.below(2) == 0 { 1.0 } else { -1.0 };
                let step = (sign * APART * moments.variance[column].sqrt()) as f32;
                let own = values[at * d + column];
                values[at * d + column] = own - step;
                values.push(own + step);
            }
        }
        centers = Matrix::from_vec(order.len() + splits, d, values)?;
    }
    Ok(centers)
}

/// Σ of the (weighted) squared distances of each cluster.
pub(super) fn costs_of(found: &Clusters, weights: Option<&[f32]>) -> Vec<f64> {
    let mut costs = vec![0.0; found.centers.rows()];
    for (row, (label, distance)) in found.labels.iter().zip(&found.distances).enumerate() {
        costs[*label as usize] += weights.map_or(1.0, |weights| f64::from(weights[row])) * f64::from(*distance);
    }
    costs
}
