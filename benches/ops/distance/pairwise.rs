//! All pairs of a matrix with itself, by each distance.

use gristmill::ops;
use gristmill::prelude::*;

use super::super::case::{Case, Job, Work, uniform};

/// The distance of all pairs of rows.
type Distances = fn(&mut Stream, &DeviceMatrix) -> Result<DeviceMatrix>;

const SIZES: [[usize; 2]; 3] = [[512, 64], [2048, 64], [1024, 784]];

pub fn cases() -> Vec<Case> {
    let squares: Distances = |stream, x| ops::sq_euclidean(stream, x, x);
    let distances: [(&'static str, u64, &[[usize; 2]], Distances); 6] = [
        ("distance/chebyshev", 3, &SIZES, |stream, x| ops::chebyshev(stream, x, x)),
        ("distance/cosine", 2, &SIZES, |stream, x| ops::cosine(stream, x, x)),
        ("distance/mahalanobis", 3, &SIZES, |stream, x| {
            let whitening = uniform(x.columns(), x.columns())?.to(stream.device())?;
            ops::mahalanobis(stream, x, x, &whitening)
        }),
        ("distance/manhattan", 3, &SIZES, |stream, x| ops::manhattan(stream, x, x)),
        ("distance/minkowski", 40, &[[256, 64], [1024, 64], [512, 784]], |stream, x| ops::minkowski(stream, x, x, 2.5)),
        ("distance/sq_euclidean", 3, &[[1024, 64], [4096, 64], [8192, 64], [2048, 784]], squares),
    ];
    let cases = distances.into_iter().flat_map(|(name, operations, sizes, distance)| {
        sizes.iter().map(move |&[rows, columns]| {
            let work = Work::Operations(operations * (rows * rows * columns) as u64);
            Case::new(name, format!("{rows}x{rows}x{columns}"), work, move |device| {
                let x = uniform(rows, columns)?.to(device)?;
                let mut stream = device.stream();
                let job: Job = Box::new(move || {
                    distance(&mut stream, &x)?;
                    stream.finish()
                });
                Ok(job)
            })
        })
    });
    cases.collect()
}
