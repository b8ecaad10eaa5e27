//! The rows of a batch, in the order of the epoch, with noise.

use rayon::prelude::*;

use crate::cpu::random::philox::Philox;
use crate::cpu::tile::with_buffer;

/// The random numbers of noise.
const STREAM: u32 = 0x4e44_0002;
/// Rows that a task takes.
const ROWS: usize = 32;
/// Numbers below which a second thread costs more than it saves.
const WORTH_THREADS: usize = 1 << 14;

/// Normal noise on the inputs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// Its deviation.
    pub deviation: f32,
    /// What the random numbers are of.
    pub key: u64,
    /// The step, modulo [`STEPS`](super::tail::STEPS).
    pub step: u32,
}

/// `out[i] = from[order[i]]`, rows of `columns` numbers into rows of the next multiple of 4.
pub fn gather(from: &[f32], columns: usize, order: &[u32], out: &mut [f32], noise: Option<Noise>) {
    let stride = columns.next_multiple_of(4);
    if columns == 0 {
        return;
    }
    let task = |(task, (out, order)): (usize, (&mut [f32], &[u32]))| {
        for (row, (place, from_row)) in out.chunks_exact_mut(stride).zip(order).enumerate() {
            let start = *from_row as usize * columns;
            place[..columns].copy_from_slice(&from[start..start + columns]);
            if let Some(noise) = noise {
                let first = (u64::from(noise.step) << 34) + ((task * ROWS + row) * stride) as u64;
                with_buffer(columns, |numbers| {
                    Philox::new(noise.key, STREAM).fill_normals(first, numbers);
                    let pairs = place.iter_mut().zip(numbers);
                    pairs.for_each(|(value, number)| *value += noise.deviation * *number);
                });
            }
        }
    };
    let out = &mut out[..order.len() * stride];
    if out.len() < WORTH_THREADS {
        out.chunks_mut(ROWS * stride).zip(order.chunks(ROWS)).enumerate().for_each(task);
    } else {
        out.par_chunks_mut(ROWS * stride).zip(order.par_chunks(ROWS)).enumerate().for_each(task);
    }
}
