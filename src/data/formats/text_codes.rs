//! The distinct texts of a column, numbered as they come.

use std::hash::{BuildHasher, RandomState};

use crate::data::formats::source::reserve_gently;

/// Texts by code. They lie end to end in one string, since a column can hold as many short ones as it has rows.
#[derive(Clone, Debug, Default)]
pub(in crate::data) struct TextCodes {
    text: String,
    /// Where each text ends.
    ends: Vec<u32>,
    /// Open addressing: a code plus one, or 0. A power of two in length, at most three quarters full.
    table: Vec<u32>,
    hasher: RandomState,
}

impl TextCodes {
    /// Codes beyond this have no place in an `f32`.
    pub(in crate::data) const MOST: usize = 1 << 24;

    /// Number of texts.
    pub(in crate::data) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The text of a code.
    pub(in crate::data) fn get(&self, code: usize) -> &str {
        let start = if code == 0 { 0 } else { self.ends[code - 1] as usize };
        &self.text[start..self.ends[code] as usize]
    }

    /// All texts by code.
    pub(in crate::data) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|code| self.get(code))
    }

    /// Bytes that the names will take as strings beside what they take here.
    pub(in crate::data) fn cost(&self) -> u64 {
        let strings = self.len() * size_of::<String>() + self.text.len();
        (strings + self.text.capacity() + 4 * (self.ends.capacity() + self.table.capacity())) as u64
    }

    /// The code of a text, a new one if it is new; nothing when there are too many.
    pub(in crate::data) fn code(&mut self, text: &str) -> Option<u32> {
        if 4 * (self.len() + 1) > 3 * self.table.len() {
            self.grow();
        }
        let mask = self.table.len() - 1;
        let mut at = self.hasher.hash_one(text) as usize & mask;
        while self.table[at] != 0 {
            let code = self.table[at] - 1;
            if self.get(code as usize) == text {
                return Some(code);
            }
            at = (at + 1) & mask;
        }
        let end = u32::try_from(self.text.len() + text.len()).ok().filter(|_| self.len() < Self::MOST)?;
        if self.text.len() + text.len() > self.text.capacity() {
            self.text.reserve_exact(text.len().max(self.text.len() / 2));
        }
        self.text.push_str(text);
        reserve_gently(&mut self.ends, 1);
        self.ends.push(end);
        self.table[at] = self.ends.len() as u32;
        Some(self.ends.len() as u32 - 1)
    }

    fn grow(&mut self) {
        let size = (2 * self.table.len()).max(8);
        // The old table is given up first: the texts are enough to make the new one.
        self.table = vec![];
        self.table = vec![0; size];
        for code in 0..self.len() {
            let mut at = self.hasher.hash_one(self.get(code)) as usize & (size - 1);
            while self.table[at] != 0 {
                at = (at + 1) & (size - 1);
            }
            self.table[at] = code as u32 + 1;
        }
    }

    /// The names in their order, numbers by value and texts by alphabet, and the place of each code in it.
    pub(in crate::data) fn in_order(mut self) -> (Vec<String>, Vec<u32>) {
        self.table = vec![];
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        let number = |code: u32| self.get(code as usize).parse::<f64>().ok().filter(|value| value.is_finite());
        if order.iter().all(|code| number(*code).is_some()) {
            // Equal numbers that are written differently stay apart, in the order of their texts.
            order.sort_unstable_by(|left, right| {
                let by_text = || self.get(*left as usize).cmp(self.get(*right as usize));
                number(*left).partial_cmp(&number(*right)).map_or_else(by_text, |order| order.then_with(by_text))
            });
        } else {
            order.sort_unstable_by(|left, right| self.get(*left as usize).cmp(self.get(*right as usize)));
        }
        let names = order.iter().map(|code| self.get(*code as usize).to_string()).collect();
        let mut place = vec![0; order.len()];
        order.iter().zip(0..).for_each(|(code, at)| place[*code as usize] = at);
        (names, place)
    }
}
