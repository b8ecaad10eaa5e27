//! A stable sort of u32 keys, each with a u32 payload.
//!
//! One pass through memory deals the pairs into buckets by the highest digit that varies; each bucket then fits a
//! cache, where it is sorted by the lower digits, the lowest first. A stable order is unique: any cut gives it.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

/// Most bits of the digit that makes the buckets: with more, every store would miss the table of pages.
const MOST_BUCKET_BITS: u32 = 9;
/// Pairs a bucket should have at least.
const BUCKET: usize = 1 << 14;
/// Bits of a digit inside a bucket.
const DIGIT_BITS: u32 = 8;
const DIGITS: usize = 1 << DIGIT_BITS;
/// Pairs sorted by one thread: two buffers of 512 KiB.
const SMALL: usize = 1 << 16;
/// Keys a task looks at, at least.
const KEYS_PER_TASK: usize = 1 << 15;
/// Pairs of working memory kept for the next call, 128 MiB: fresh pages cost as much as the sort itself.
const KEPT: usize = 1 << 24;

static BUFFER: Mutex<Vec<u64>> = Mutex::new(Vec::new());

/// Sorts `keys` upwards and takes `payload` along; pairs of equal keys keep their order.
///
/// Needs eight bytes a pair of working memory, of which up to 128 MiB stay for the next call, and sixteen when most
/// keys share their high digits. Digits that do not vary cost nothing.
pub fn radix_sort(keys: &mut [u32], payload: &mut [u32]) {
    debug_assert_eq!(keys.len(), payload.len());
    let count = keys.len();
    let Some(&first) = keys.first() else { return };
    with_buffer(count, |packed| sort_through(packed, first, keys, payload));
}

/// Runs `work` on `count` numbers of unspecified value, kept from an earlier call if no other call has them.
fn with_buffer(count: usize, work: impl FnOnce(&mut [u64])) {
    let mut buffer = std::mem::take(&mut *BUFFER.lock().unwrap_or_else(PoisonError::into_inner));
    if buffer.len() < count {
        buffer = vec![0; count];
    }
    work(&mut buffer[..count]);
    let mut kept = BUFFER.lock().unwrap_or_else(PoisonError::into_inner);
    if buffer.len() <= KEPT && buffer.len() > kept.len() {
        *kept = buffer;
    }
}

/// Sorts by way of `packed`, as long as the keys; `first` is the first key.
fn sort_through(packed: &mut [u64], first: u32, keys: &mut [u32], payload: &mut [u32]) {
    let count = keys.len();
    if count <= SMALL {
        let pairs = keys.iter().zip(&*payload);
        packed.iter_mut().zip(pairs).for_each(|(out, (&key, &payload))| *out = pack(key, payload));
        return sort_in_cache(packed, &mut vec![0; count], varying_bits(keys, first), keys, payload);
    }
    let varying = keys.par_chunks(KEYS_PER_TASK).map(|keys| varying_bits(keys, first)).reduce(|| 0, |a, b| a | b);
    let digit = Digit::highest(varying, count);
    let ends = deal(Source::Split { keys, payload }, digit, packed);
    sort_buckets(packed, &ends, digit.shift, keys, payload);
}

/// Key and payload in one number, so that a pair moves with one store.
#[inline(always)]
fn pack(key: u32, payload: u32) -> u64 {
    u64::from(key) << 32 | u64::from(payload)
}

/// The bits in which some key differs from `first`.
fn varying_bits(keys: &[u32], first: u32) -> u32 {
    keys.iter().fold(0, |bits, key| bits | (key ^ first))
}

/// The digit that makes the buckets; bits above it do not vary.
#[derive(Clone, Copy)]
struct Digit {
    shift: u32,
    bits: u32,
}

impl Digit {
    /// The digit that ends with the highest bit that varies, short enough for buckets worth a pass of their own.
    fn highest(varying: u32, count: usize) -> Self {
        let bits = (count / BUCKET).max(2).ilog2().min(MOST_BUCKET_BITS);
        Self { shift: (u32::BITS - varying.leading_zeros()).saturating_sub(bits), bits }
    }

    fn buckets(self) -> usize {
        1 << self.bits
    }

    #[inline(always)]
    fn of(self, key: u32) -> usize {
        (key >> self.shift) as usize & ((1 << self.bits) - 1)
    }

    #[inline(always)]
    fn of_pair(self, pair: u64) -> usize {
        self.of((pair >> 32) as u32)
    }
}

/// Pairs as they lie in memory.
#[derive(Clone, Copy)]
enum Source<'a> {
    Split { keys: &'a [u32], payload: &'a [u32] },
    Packed(&'a [u64]),
}

impl Source<'_> {
    fn len(self) -> usize {
        match self {
            Self::Split { keys, .. } => keys.len(),
            Self::Packed(pairs) => pairs.len(),
        }
    }

    fn part(self, start: usize, end: usize) -> Self {
        match self {
            Self::Split { keys, payload } => Source::Split { keys: &keys[start..end], payload: &payload[start..end] },
            Self::Packed(pairs) => Source::Packed(&pairs[start..end]),
        }
    }

    /// How many keys each bucket gets.
    fn histogram(self, digit: Digit) -> Vec<usize> {
        let mut counts = vec![0_usize; digit.buckets()];
        match self {
            Self::Split { keys, .. } => keys.iter().for_each(|&key| counts[digit.of(key)] += 1),
            Self::Packed(pairs) => pairs.iter().for_each(|&pair| counts[digit.of_pair(pair)] += 1),
        }
        counts
    }

    /// Writes each pair to the next place of its bucket.
    fn scatter(self, digit: Digit, places: &mut [std::slice::IterMut<'_, u64>]) {
        let mut put = |pair: u64| {
            if let Some(place) = places[digit.of_pair(pair)].next() {
                *place = pair;
            }
        };
        match self {
            Self::Split { keys, payload } => keys.iter().zip(payload).for_each(|(&key, &load)| put(pack(key, load))),
            Self::Packed(pairs) => pairs.iter().for_each(|&pair| put(pair)),
        }
    }
}

/// Deals the pairs into buckets on all threads, in order; returns where each bucket ends.
fn deal(source: Source<'_>, digit: Digit, out: &mut [u64]) -> Vec<usize> {
    let count = source.len();
    let tasks = (4 * rayon::current_num_threads()).min(count.div_ceil(KEYS_PER_TASK)).max(1);
    let per_task = count.div_ceil(tasks).max(1);
    let parts: Vec<Source<'_>> =
        (0..count).step_by(per_task).map(|start| source.part(start, count.min(start + per_task))).collect();
    let histograms: Vec<Vec<usize>> = parts.par_iter().map(|part| part.histogram(digit)).collect();
    // Bucket by bucket, and within it task by task, each task owns a run of places: that is what keeps the order.
    let mut places: Vec<Vec<std::slice::IterMut<'_, u64>>> =
        parts.iter().map(|_| Vec::with_capacity(digit.buckets())).collect();
    let mut ends = Vec::with_capacity(digit.buckets());
    let (mut rest, mut end) = (out, 0);
    for bucket in 0..digit.buckets() {
        for (places, histogram) in places.iter_mut().zip(&histograms) {
            let (run, others) = std::mem::take(&mut rest).split_at_mut(histogram[bucket]);
            places.push(run.iter_mut());
            rest = others;
            end += histogram[bucket];
        }
        ends.push(end);
    }
    parts.into_par_iter().zip(places).for_each(|(part, mut places)| part.scatter(digit, &mut places));
    ends
}

/// Sorts every bucket by the `bits` low bits of its keys, into its part of the output.
fn sort_buckets(packed: &mut [u64], ends: &[usize], bits: u32, keys: &mut [u32], payload: &mut [u32]) {
    let mut jobs = Vec::with_capacity(ends.len());
    let (mut pairs, mut keys, mut payload) = (packed, keys, payload);
    let mut start = 0;
    for &end in ends {
        let size = end - start;
        start = end;
        let (own_pairs, other_pairs) = pairs.split_at_mut(size);
        let (own_keys, other_keys) = keys.split_at_mut(size);
        let (own_payload, other_payload) = payload.split_at_mut(size);
        (pairs, keys, payload) = (other_pairs, other_keys, other_payload);
        if size > 0 {
            jobs.push((own_pairs, own_keys, own_payload));
        }
    }
    jobs.into_par_iter().for_each_init(Vec::new, |scratch, (pairs, keys, payload)| {
        let first = (pairs[0] >> 32) as u32;
        let low = ((1_u64 << bits) - 1) as u32;
        let varying = low & pairs.iter().fold(0, |bits, &pair| bits | ((pair >> 32) as u32 ^ first));
        if pairs.len() <= SMALL || varying == 0 {
            if scratch.len() < pairs.len() {
                scratch.resize(pairs.len(), 0);
            }
            return sort_in_cache(pairs, scratch, varying, keys, payload);
        }
        let digit = Digit::highest(varying, pairs.len());
        let mut dealt = vec![0; pairs.len()];
        let ends = deal(Source::Packed(pairs), digit, &mut dealt);
        sort_buckets(&mut dealt, &ends, digit.shift, keys, payload);
    });
}

/// Sorts by the digits that vary, the lowest first, on this thread; the last pass writes to the output.
fn sort_in_cache(pairs: &mut [u64], scratch: &mut [u64], varying: u32, keys: &mut [u32], payload: &mut [u32]) {
    let scratch = &mut scratch[..pairs.len()];
    let shifts: Vec<u32> = (0..u32::BITS)
        .step_by(DIGIT_BITS as usize)
        .filter(|&shift| (varying >> shift) as usize & (DIGITS - 1) != 0)
        .collect();
    let Some((&last, others)) = shifts.split_last() else {
        let out = keys.iter_mut().zip(payload);
        return out
            .zip(&*pairs)
            .for_each(|((key, payload), &pair)| (*key, *payload) = ((pair >> 32) as u32, pair as u32));
    };
    let (mut from, mut to) = (pairs, scratch);
    for &shift in others {
        let mut next = starts(from, shift);
        for &pair in from.iter() {
            let place = &mut next[digit(pair, shift)];
            to[*place as usize] = pair;
            *place += 1;
        }
        (from, to) = (to, from);
    }
    let mut next = starts(from, last);
    for &pair in from.iter() {
        let place = &mut next[digit(pair, last)];
        keys[*place as usize] = (pair >> 32) as u32;
        payload[*place as usize] = pair as u32;
        *place += 1;
    }
}

#[inline(always)]
fn digit(pair: u64, shift: u32) -> usize {
    (pair >> (32 + shift)) as usize & (DIGITS - 1)
}

/// The first place of each digit.
fn starts(pairs: &[u64], shift: u32) -> [u32; DIGITS] {
    let mut counts = [0_u32; DIGITS];
    pairs.iter().for_each(|&pair| counts[digit(pair, shift)] += 1);
    let mut sum = 0;
    for count in &mut counts {
        sum += std::mem::replace(count, sum);
    }
    counts
}
