//! Which of the 2ⁿ labelings of n points a class of hypotheses can realise.

use crate::array::Matrix;
use crate::cpu::random::HostRng;
use crate::error::{Error, Result};

/// Labelings are enumerated up to this many points.
const MOST_POINTS: usize = 20;
/// The random numbers of drawn points.
const STREAM: u32 = 0x5348_4154;

/// The result of a shattering test: how many labelings of the points a class realises. Points are shattered if all are;
/// the VC dimension of the class is the size of the largest set of points that it shatters.
///
/// ```
/// use gristmill::{Matrix, theory::{self, Shattering}};
/// let triangle = Matrix::from_rows(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])?;
/// assert!(Shattering::of(&triangle, theory::linearly_separable)?.is_complete());
/// let aligned = Matrix::from_rows(&[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])?;
/// let lines = Shattering::of(&aligned, theory::linearly_separable)?;
/// assert_eq!((lines.realised, lines.missing.unwrap()), (6, vec![false, true, false]));
/// # Ok::<(), gristmill::Error>(())
/// ```
///
/// Any classifier can be asked: it realises a labeling if it is right on all points after being fitted to them.
///
/// ```
/// use gristmill::{prelude::*, theory::Shattering};
/// let points = Matrix::from_rows(&[[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])?;
/// let tree = DecisionTreeClassifier::default();
/// let found = Shattering::of(&points, |points, labels| {
///     let y = Labels::from(labels.iter().map(|label| u32::from(*label)).collect::<Vec<_>>().as_slice());
///     Ok(tree.fit(points, &y)?.score(points, &y)? == 1.0)
/// })?;
/// assert!(found.is_complete()); // a tree on {0, 1}² has VC dimension 2²
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shattering {
    /// The number of points, n.
    pub points: usize,
    /// Labelings that some hypothesis of the class gives, of 2ⁿ.
    pub realised: u64,
    /// The first labeling that none gives.
    pub missing: Option<Vec<bool>>,
}

impl Shattering {
    /// Tries all labelings of n×d points, n at most 20; `realises` says whether some hypothesis gives the labels.
    pub fn of(points: &Matrix, realises: impl Fn(&Matrix, &[bool]) -> Result<bool>) -> Result<Shattering> {
        let count = points.rows();
        if count > MOST_POINTS {
            return Err(Error::param("points", format!("at most {MOST_POINTS}: all labelings are tried"), count));
        }
        let (mut realised, mut missing) = (0, None);
        for code in 0..1_u64 << count {
            let labels: Vec<bool> = (0..count).map(|at| code >> at & 1 == 1).collect();
            if realises(points, &labels)? {
                realised += 1;
            } else if missing.is_none() {
                missing = Some(labels);
            }
        }
        Ok(Shattering { points: count, realised, missing })
    }

    /// Whether every labeling is realised.
    pub fn is_complete(&self) -> bool {
        self.missing.is_none()
    }
}

/// The largest number of random points, up to `most`, that a class was seen to shatter: a lower bound of its VC
/// dimension. `draws` sets of each size are drawn evenly from the unit cube of so many dimensions; the search ends at
/// the first size of which none is shattered.
pub fn most_shattered(
    dimensions: usize,
    most: usize,
    draws: usize,
    seed: u64,
    realises: impl Fn(&Matrix, &[bool]) -> Result<bool>,
) -> Result<usize> {
    let mut rng = HostRng::new(seed, STREAM);
    for count in 1..=most {
        let mut found = false;
        for _ in 0..draws {
            let values = (0..count * dimensions).map(|_| rng.uniform() as f32).collect();
            if Shattering::of(&Matrix::from_vec(count, dimensions, values)?, &realises)?.is_complete() {
                found = true;
                break;
            }
        }
        if !found {
            return Ok(count - 1);
        }
    }
    Ok(most)
}
