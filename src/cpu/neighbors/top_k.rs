//! The k smallest values with their indices, kept while values stream by.

use bytemuck::cast;
use pulp::{Simd, WithSimd};

use crate::cpu::simd::arch;

/// The longest list that is kept in order; longer ones are cut back now and then.
pub(super) const SORTED: usize = 64;
/// Vectors compared with the bound at once.
const VECTORS: usize = 4;

/// The k smallest of the pairs `(value, index)` offered so far; values are not negative, equal ones go by index.
pub(super) struct TopK {
    k: usize,
    /// The bits of the value above those of the index: they order like the pair.
    keys: Vec<u64>,
    /// The k-th smallest value so far or more than that; nothing above it is wanted.
    bound: f32,
    /// Whether k pairs are known, so that the bound holds.
    full: bool,
}

impl TopK {
    /// An empty list for `k ≥ 1` pairs.
    pub(super) fn new(k: usize) -> Self {
        let room = if k <= SORTED { k } else { k + k / 2 };
        Self { k, keys: Vec::with_capacity(room), bound: f32::INFINITY, full: false }
    }

    /// The largest value still wanted; infinity while there is room.
    pub(super) fn bound(&self) -> f32 {
        self.bound
    }

    /// Whether k pairs are known.
    pub(super) fn is_full(&self) -> bool {
        self.full
    }

    /// How many pairs are held.
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Takes the pair if it belongs to the k smallest.
    #[inline(always)]
    pub(super) fn offer(&mut self, value: f32, index: u32) {
        self.take(key(value, index));
    }

    /// Takes all pairs of another list.
    pub(super) fn join(&mut self, other: Self) {
        other.keys.into_iter().for_each(|key| self.take(key));
    }

    /// Takes the values of the rows from `first` on. Their indices are all above those offered before.
    pub(super) fn offer_rising(&mut self, first: u32, values: &[f32]) {
        let open = if self.full { 0 } else { self.fill(first, values) };
        let first = first + open as u32;
        arch().dispatch(Below {
            list: self,
            values: &values[open..],
            take: |list: &mut Self, place, value| list.offer(value, first + place as u32),
            bound: |list: &Self| list.bound,
        });
    }

    /// Takes values until the list is full; how many it took.
    fn fill(&mut self, first: u32, values: &[f32]) -> usize {
        let mut taken = 0;
        while taken < values.len() && !self.full {
            self.offer(values[taken], first + taken as u32);
            taken += 1;
        }
        taken
    }

    #[inline(always)]
    fn take(&mut self, key: u64) {
        if self.k <= SORTED {
            self.insert(key);
        } else {
            self.push(key);
        }
    }

    /// A short list: the key goes to its place, the last one falls out.
    fn insert(&mut self, key: u64) {
        if self.full {
            if self.keys.last().is_some_and(|&last| last <= key) {
                return;
            }
            self.keys.pop();
        }
        let place = self.keys.iter().rposition(|&other| other < key).map_or(0, |place| place + 1);
        self.keys.insert(place, key);
        self.full = self.keys.len() == self.k;
        if self.full {
            self.bound = self.keys.last().map_or(self.bound, |&last| value(last));
        }
    }

    /// A long list: half as many again are collected, then the k smallest are kept.
    fn push(&mut self, key: u64) {
        self.keys.push(key);
        if self.keys.len() == self.k + self.k / 2 {
            self.cut();
        }
    }

    fn cut(&mut self) {
        if self.keys.len() >= self.k {
            let (_, &mut last, _) = self.keys.select_nth_unstable(self.k - 1);
            self.keys.truncate(self.k);
            self.bound = value(last);
            self.full = true;
        }
    }

    /// The pairs in order: k, or as many as were offered.
    pub(super) fn into_pairs(mut self) -> impl Iterator<Item = (f32, u32)> {
        self.cut();
        self.keys.sort_unstable();
        self.keys.into_iter().map(|key| (value(key), key as u32))
    }
}

fn key(value: f32, index: u32) -> u64 {
    u64::from(value.to_bits()) << 32 | u64::from(index)
}

fn value(key: u64) -> f32 {
    f32::from_bits((key >> 32) as u32)
}

/// Calls `take` for the values below the bound, which may sink on the way: a vector of comparisons passes over the rest.
pub(super) struct Below<'a, List, Take, Bound> {
    pub(super) list: &'a mut List,
    pub(super) values: &'a [f32],
    pub(super) take: Take,
    pub(super) bound: Bound,
}

impl<List, Take: FnMut(&mut List, usize, f32), Bound: Fn(&List) -> f32> WithSimd for Below<'_, List, Take, Bound> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let (head, _) = S::as_simd_f32s(self.values);
        let (groups, _) = head.as_chunks::<VECTORS>();
        let group = VECTORS * S::F32_LANES;
        if const { size_of::<S::m32s>() == size_of::<u16>() } {
            // A comparison gives a bit for each lane.
            for (index, vectors) in groups.iter().enumerate() {
                let bound = simd.splat_f32s((self.bound)(self.list));
                let bits = |vector: &S::f32s| u64::from(cast::<S::m32s, u16>(simd.less_than_f32s(*vector, bound)));
                let mut below = vectors.iter().rev().fold(0, |below, vector| below << S::F32_LANES | bits(vector));
                while below != 0 {
                    let place = index * group + below.trailing_zeros() as usize;
                    self.some(place, place + 1);
                    below &= below - 1;
                }
            }
            return self.some(groups.len() * group, self.values.len());
        }
        for (index, vectors) in groups.iter().enumerate() {
            let smallest = vectors.iter().skip(1).fold(vectors[0], |least, &next| simd.min_f32s(least, next));
            if simd.reduce_min_f32s(smallest) < (self.bound)(self.list) {
                for (place, &vector) in vectors.iter().enumerate() {
                    if simd.reduce_min_f32s(vector) < (self.bound)(self.list) {
                        let start = (index * VECTORS + place) * S::F32_LANES;
                        self.some(start, start + S::F32_LANES);
                    }
                }
            }
        }
        self.some(groups.len() * group, self.values.len());
    }
}

impl<List, Take: FnMut(&mut List, usize, f32), Bound: Fn(&List) -> f32> Below<'_, List, Take, Bound> {
    #[inline(always)]
    fn some(&mut self, start: usize, end: usize) {
        for (place, &value) in self.values[start..end].iter().enumerate() {
            if value < (self.bound)(self.list) {
                (self.take)(self.list, start + place, value);
            }
        }
    }
}
