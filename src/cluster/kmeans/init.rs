//! Where the centres start.

use serde::{Deserialize, Serialize};

use crate::array::{DeviceMatrix, DeviceVec, Matrix};
use crate::cpu::random::HostRng;
use crate::device::Stream;
use crate::error::{Error, Result};
use crate::ops;

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
                    Some(weights) => rng.weighted(&weights.to_vec(stream)?, clusters),
                };
                x.rows_at(stream, &rows)
            }
            Init::KMeansPlusPlus => ops::plus_plus(stream, x, weights, clusters, (seed, STREAM.wrapping_add(number))),
        }
    }
}
