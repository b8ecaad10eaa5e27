//! An n-gram as one number.

/// The codes of an n-gram, the first one highest, so that n-grams are in the order of their codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key<const W: usize>([u64; W]);

/// How codes lie in a key.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Packing {
    pub order: usize,
    pub bits: u32,
}

impl Packing {
    /// Words of 64 bits that a key takes.
    pub fn words(self) -> usize {
        (self.order * self.bits as usize).div_ceil(64)
    }
}

impl<const W: usize> Key<W> {
    pub const ZERO: Key<W> = Key([0; W]);

    /// The key of codes, the first one highest.
    pub fn of(codes: &[u32], bits: u32) -> Key<W> {
        codes.iter().fold(Key::ZERO, |key, code| key.followed_by(*code, bits))
    }

    /// The code behind all others; nothing is cut off above.
    #[inline]
    pub fn followed_by(self, code: u32, bits: u32) -> Key<W> {
        let mut words = self.0;
        for (at, word) in words.iter_mut().enumerate() {
            let below = if at + 1 < W { self.0[at + 1] >> (64 - bits) } else { u64::from(code) };
            *word = self.0[at] << bits | below;
        }
        Key(words)
    }

    /// The last `count` codes alone.
    #[inline]
    pub fn last(self, count: usize, bits: u32) -> Key<W> {
        let kept = count * bits as usize;
        let mut words = self.0;
        for (at, word) in words.iter_mut().enumerate() {
            let below = (W - 1 - at) * 64;
            match kept.saturating_sub(below) {
                0 => *word = 0,
                bits if bits < 64 => *word &= (1 << bits) - 1,
                _ => {}
            }
        }
        Key(words)
    }

    /// All but the last code.
    #[inline]
    pub fn without_last(self, bits: u32) -> Key<W> {
        let mut words = self.0;
        for (at, word) in words.iter_mut().enumerate() {
            let above = if at > 0 { self.0[at - 1] << (64 - bits) } else { 0 };
            *word = self.0[at] >> bits | above;
        }
        Key(words)
    }

    /// The last code.
    #[inline]
    pub fn last_code(self, bits: u32) -> u32 {
        (self.0[W - 1] & ((1 << bits) - 1)) as u32
    }

    /// The codes, the first one first.
    pub fn codes(self, order: usize, bits: u32) -> Vec<u32> {
        let mut codes = vec![0; order];
        let mut key = self;
        for code in codes.iter_mut().rev() {
            *code = key.last_code(bits);
            key = key.without_last(bits);
        }
        codes
    }
}
