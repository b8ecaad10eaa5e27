//! Where the centres start.

use serde::{Deserialize, Serialize};

use crate::array::{DeviceMatrix, DeviceVec, Matrix};
use crate::cpu::random::HostRng;
use crate::device::Stream;
use crate::error::{Error, Result};
use crate::ops;
use crate::ops::cluster::min_distance_update::{BLOCK, MinDistanceUpdate};

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
    /// These centres, k×d.
    Centers(Matrix),
}

/// A start as it is written: `k-means++`, `random`, or the rows of the centres.
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
            Written::Name(got) => {
                Err(Error::param("init", "k-means++, random, or the centres (a .npy file on the command line)", got))
            }
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
                    Some(weights) => heavy_rows(&mut rng, &weights.to_vec(stream)?, clusters),
                };
                x.rows_at(stream, &rows)
            }
            Init::KMeansPlusPlus => plus_plus(stream, x, weights, clusters, &mut rng),
        }
    }
}

/// Different rows, drawn in proportion to their weights; rows of weight 0 only when no others are left.
fn heavy_rows(rng: &mut HostRng, weights: &[f32], count: usize) -> Vec<usize> {
    // The largest of log(u)/w, one u a row (Efraimidis and Spirakis 2006).
    let mut key = |weight: f32| {
        let drawn = rng.uniform().max(f64::MIN_POSITIVE).ln();
        if weight > 0.0 { drawn / f64::from(weight) } else { f64::NEG_INFINITY }
    };
    let keys: Vec<f64> = weights.iter().map(|weight| key(*weight)).collect();
    let mut rows: Vec<usize> = (0..weights.len()).collect();
    rows.sort_by(|a, b| keys[*b].total_cmp(&keys[*a]).then(a.cmp(b)));
    rows.truncate(count);
    rows
}

fn plus_plus(
    stream: &mut Stream,
    x: &DeviceMatrix,
    weights: Option<&DeviceVec<f32>>,
    clusters: usize,
    rng: &mut HostRng,
) -> Result<Matrix> {
    let host_weights = weights.map(|weights| weights.to_vec(stream)).transpose()?;
    let first = match &host_weights {
        None => rng.below(x.rows()),
        Some(weights) => heavy_rows(rng, weights, 1)[0],
    };
    let trials = 2 + (clusters as f64).ln() as usize;
    let candidates = x.rows_at(stream, &[first])?;
    let mut centers = candidates.as_slice().to_vec();
    let mut chosen = 0;
    let mut closest = ops::min_distance_update(stream, x, &candidates.to(stream.device())?, None, weights)?;
    let mut sums = closest.sums(stream)?.swap_remove(chosen);
    while centers.len() < clusters * x.columns() {
        let mut rows = vec![];
        for _ in 0..trials {
            rows.push(draw_row(stream, &closest, chosen, &sums, host_weights.as_deref(), rng)?);
        }
        let candidates = x.rows_at(stream, &rows)?;
        let device_candidates = candidates.to(stream.device())?;
        let next = ops::min_distance_update(stream, x, &device_candidates, Some((&closest, chosen)), weights)?;
        let mut next_sums = next.sums(stream)?;
        let totals: Vec<f64> = next_sums.iter().map(|sums| sums.iter().sum()).collect();
        // The first of the best.
        chosen = (1..trials).fold(0, |best, candidate| if totals[candidate] < totals[best] { candidate } else { best });
        centers.extend_from_slice(candidates.row(chosen));
        sums = next_sums.swap_remove(chosen);
        closest = next;
    }
    Matrix::from_vec(clusters, x.columns(), centers)
}

/// A row drawn in proportion to its weighted squared distance: first its block, then the row in the block.
fn draw_row(
    stream: &mut Stream,
    closest: &MinDistanceUpdate,
    candidate: usize,
    sums: &[f64],
    weights: Option<&[f32]>,
    rng: &mut HostRng,
) -> Result<usize> {
    let total: f64 = sums.iter().sum();
    let rows = closest.rows();
    if total <= 0.0 {
        // Every row is a centre already: any will do.
        return Ok(rng.below(rows));
    }
    let mut left = rng.uniform() * total;
    let block = position(sums.iter().copied(), &mut left);
    let first = block * BLOCK;
    let distances = closest.block(stream, candidate, block)?;
    let weight = |at: usize| weights.map_or(1.0, |weights| f64::from(weights[first + at]));
    let terms = distances.iter().enumerate().map(|(at, distance)| weight(at) * f64::from(*distance));
    Ok(first + position(terms, &mut left))
}

/// The term in which the running sum passes `left`, or the last positive one; `left` becomes what remains within it.
fn position(terms: impl Iterator<Item = f64>, left: &mut f64) -> usize {
    let mut last = 0;
    for (at, term) in terms.enumerate() {
        if term > 0.0 {
            last = at;
            if *left < term {
                return at;
            }
            *left -= term;
        }
    }
    last
}
