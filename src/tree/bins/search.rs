//! The bin of a number.

use crate::cpu::tree::FeaturePlace;
use crate::cpu::vectorised;

/// Stretches of equal length that the range of the thresholds is cut into.
const STRETCHES: usize = 1024;

/// The thresholds of a feature, for a search without a branch.
///
/// A number's stretch says how many thresholds lie in the stretches before it; only those in the same one are compared. Where
/// some stretch has too many, as with numbers of very different sizes, bisection in eight steps is faster.
pub(super) struct ThresholdSearch {
    thresholds: [f32; 256],
    missing: u16,
    low: f32,
    /// Stretches a unit.
    scale: f32,
    /// The thresholds before each stretch, and the most in one.
    before: [u8; STRETCHES],
    most: usize,
}

impl ThresholdSearch {
    /// Of at most 254 thresholds, ascending.
    pub fn new(own: &[f32]) -> ThresholdSearch {
        let mut thresholds = [f32::INFINITY; 256];
        thresholds[..own.len()].copy_from_slice(own);
        let (low, high) = (own.first().copied().unwrap_or(0.0), own.last().copied().unwrap_or(0.0));
        let (scale, missing) = ((STRETCHES - 1) as f32 / (high - low), own.len() as u16 + 1);
        let mut search = ThresholdSearch { thresholds, missing, low, scale, before: [0; STRETCHES], most: 0 };
        let mut counts = [0; STRETCHES];
        own.iter().for_each(|threshold| counts[search.stretch(*threshold)] += 1);
        let mut sum = 0;
        for (before, count) in search.before.iter_mut().zip(counts) {
            *before = sum as u8;
            sum += count;
            search.most = search.most.max(count);
        }
        search
    }

    /// Never falls as the value rises, whatever is rounded, so thresholds of earlier stretches are below the value. 0 for what is
    /// not a number.
    #[inline(always)]
    fn stretch(&self, value: f32) -> usize {
        (((value - self.low) * self.scale) as i32).clamp(0, STRETCHES as i32 - 1) as usize
    }

    /// Writes the codes of one feature's values.
    pub fn encode<'a>(&self, values: impl Iterator<Item = &'a f32>, place: &FeaturePlace, codes: &mut [u8]) {
        let mut values = values;
        match self.most {
            0 | 1 => vectorised!(encode(&mut values, (place, self.missing), codes, |value| self.near::<1>(value))),
            2 => vectorised!(encode(&mut values, (place, self.missing), codes, |value| self.near::<2>(value))),
            3 | 4 => vectorised!(encode(&mut values, (place, self.missing), codes, |value| self.near::<4>(value))),
            _ => vectorised!(encode(&mut values, (place, self.missing), codes, |value| self.bisect(value))),
        }
    }

    /// The thresholds below a value, where at most `MOST` share its stretch.
    #[inline(always)]
    fn near<const MOST: usize>(&self, value: f32) -> usize {
        let mut place = self.before[self.stretch(value)] as usize;
        for _ in 0..MOST {
            place += usize::from(value > self.thresholds[place & 255]);
        }
        place
    }

    /// The same anywhere.
    #[inline(always)]
    fn bisect(&self, value: f32) -> usize {
        let mut place = 0;
        for step in [128, 64, 32, 16, 8, 4, 2, 1] {
            place += step * usize::from(value > self.thresholds[(place + step - 1) & 255]);
        }
        place
    }
}

#[inline(always)]
fn encode<'a>(
    values: &mut impl Iterator<Item = &'a f32>,
    (place, missing): (&FeaturePlace, u16),
    codes: &mut [u8],
    bin: impl Fn(f32) -> usize,
) {
    for (value, code) in values.zip(codes) {
        let bin = if value.is_nan() { missing } else { bin(*value) as u16 };
        if let Some(own) = place.code(bin) {
            *code = own;
        }
    }
}
