//! Counting n-grams as tokens come, in memory that grows with the different ones.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::key::{Key, Packing};
use super::levels::Levels;
use super::table::Table;
use super::tokens::Token;
use super::{BEGIN, END, MARKS, Ngram, NgramModel, Tokens, UNKNOWN};
use crate::error::{Error, Result};

/// n-grams that are sorted at once.
const RUN: usize = 1 << 22;

/// A multiply for each eight bytes: names of tokens come from the user's own text, and lookups are most of the work.
#[derive(Default)]
pub(super) struct TokenHasher(u64);

impl Hasher for TokenHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            let mixed = (self.0.rotate_left(5) ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            self.0 = mixed ^ mixed >> 29;
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

pub(super) type Codes = HashMap<String, u32, BuildHasherDefault<TokenHasher>>;

/// n-grams of a packing that fits in `W` words.
struct Counter<const W: usize> {
    packing: Packing,
    /// The last `order` codes.
    rolling: Key<W>,
    fresh: Vec<Key<W>>,
    counted: Table<W>,
    /// Runs that wait for the counted ones to be as few as they are.
    runs: Table<W>,
}

impl<const W: usize> Counter<W> {
    fn new(packing: Packing) -> Counter<W> {
        let (fresh, counted, runs) = (vec![], Table::default(), Table::default());
        Counter { packing, rolling: begun(packing), fresh, counted, runs }
    }

    #[inline]
    fn push(&mut self, code: u32) {
        let Packing { order, bits } = self.packing;
        self.rolling = self.rolling.last(order - 1, bits).followed_by(code, bits);
        self.fresh.push(self.rolling);
        if self.fresh.len() >= RUN {
            self.sort();
        }
        if code == END {
            self.rolling = begun(self.packing);
        }
    }

    /// Sorts what came in; the large table is only merged with one of its size, so each n-gram moves a few times.
    fn sort(&mut self) {
        let run = Table::of_keys(std::mem::take(&mut self.fresh));
        self.runs = std::mem::take(&mut self.runs).merged(run);
        if self.runs.len() >= self.counted.len() / 2 {
            self.counted = std::mem::take(&mut self.counted).merged(std::mem::take(&mut self.runs));
        }
    }

    fn table(mut self) -> Table<W> {
        self.sort();
        self.counted.merged(self.runs)
    }

    /// The same with codes of more bits.
    fn repacked<const V: usize>(self, packing: Packing) -> Counter<V> {
        let Packing { order, bits } = self.packing;
        let wider = |key: Key<W>| Key::<V>::of(&key.codes(order, bits), packing.bits);
        let rolling = wider(self.rolling);
        let table = self.table();
        let keys = table.keys.into_iter().map(wider).collect();
        let counted = Table { keys, counts: table.counts, before: vec![] };
        Counter { packing, rolling, fresh: vec![], counted, runs: Table::default() }
    }
}

/// `order` times the begin.
fn begun<const W: usize>(packing: Packing) -> Key<W> {
    Key::of(&vec![BEGIN; packing.order], packing.bits)
}

/// Counters by the size of their keys.
enum BySize {
    One(Counter<1>),
    Two(Counter<2>),
    Four(Counter<4>),
    Eight(Counter<8>),
    Sixteen(Counter<16>),
}

macro_rules! each_size {
    ($sized:expr, $counter:ident => $body:expr) => {
        match $sized {
            BySize::One($counter) => $body,
            BySize::Two($counter) => $body,
            BySize::Four($counter) => $body,
            BySize::Eight($counter) => $body,
            BySize::Sixteen($counter) => $body,
        }
    };
}

/// Counts n-grams and gives tokens their codes.
pub(super) struct AnyCounter {
    sized: BySize,
    packing: Packing,
    codes: Codes,
    names: Vec<String>,
    tokens: u64,
}

impl AnyCounter {
    pub fn new(order: usize, tokens: Tokens) -> Result<AnyCounter> {
        let bits = if tokens == Tokens::Characters { 8 } else { 16 };
        let packing = Packing { order, bits };
        let names: Vec<String> = MARKS.map(String::from).to_vec();
        // The marks have no text: a token of their name is a token.
        let sized = sized::<1>(Counter::new(Packing { order: 1, bits }), packing)?;
        Ok(AnyCounter { sized, packing, codes: Codes::default(), names, tokens: 0 })
    }

    pub fn take(&mut self, token: Token<'_>) -> Result<()> {
        let code = match token {
            Token::End => END,
            Token::Text(text) => match self.codes.get(text) {
                Some(code) => *code,
                None => self.add(text)?,
            },
        };
        self.tokens += 1;
        each_size!(&mut self.sized, counter => counter.push(code));
        Ok(())
    }

    fn add(&mut self, text: &str) -> Result<u32> {
        let code = self.names.len() as u32;
        if code >> self.packing.bits > 0 {
            let packing = Packing { bits: self.packing.bits + 4, ..self.packing };
            let empty = BySize::One(Counter::new(Packing { order: 1, bits: 8 }));
            let old = std::mem::replace(&mut self.sized, empty);
            self.sized = each_size!(old, counter => sized(counter, packing))?;
            self.packing = packing;
        }
        self.names.push(text.to_string());
        self.codes.insert(text.to_string(), code);
        Ok(code)
    }

    /// The model of what was counted.
    pub fn finish(self, params: &Ngram, name: &str) -> Result<NgramModel> {
        let empty = |why: &str| Error::Data { path: name.to_string(), line: None, column: None, why: why.to_string() };
        if self.codes.is_empty() {
            return Err(empty("there are no tokens in it: a language model needs some text"));
        }
        if self.tokens > u64::from(u32::MAX) {
            let what = "tokens of a corpus".to_string();
            return Err(Error::Limit { what, need: self.tokens, have: u64::from(u32::MAX) });
        }
        let (packing, mut names) = (self.packing, self.names);
        let levels = each_size!(self.sized, counter => {
            let table = counter.table();
            let (table, kept) = without_rare(table, packing, params.min_token_count, &names);
            names = kept;
            Levels::build(table, packing, params, names.len())
        })?;
        NgramModel::new(params.clone(), names, levels, self.tokens)
    }
}

/// The counter for a packing, with what an old one has counted.
fn sized<const W: usize>(old: Counter<W>, packing: Packing) -> Result<BySize> {
    let fresh = old.packing.order != packing.order;
    macro_rules! made {
        ($variant:ident) => {
            BySize::$variant(if fresh { Counter::new(packing) } else { old.repacked(packing) })
        };
    }
    Ok(match packing.words() {
        0..=1 => made!(One),
        2 => made!(Two),
        3..=4 => made!(Four),
        5..=8 => made!(Eight),
        9..=16 => made!(Sixteen),
        words => {
            let what = "bits of an n-gram, its order times those of a token".to_string();
            return Err(Error::Limit { what, need: 64 * words as u64, have: 1024 });
        }
    })
}

/// Tokens that were seen too few times become `<unk>`; the others keep their order.
fn without_rare<const W: usize>(
    table: Table<W>,
    packing: Packing,
    least: u32,
    names: &[String],
) -> (Table<W>, Vec<String>) {
    let Packing { order, bits } = packing;
    if least <= 1 {
        return (table, names.to_vec());
    }
    let mut seen = vec![0_u64; names.len()];
    for (key, count) in table.keys.iter().zip(&table.counts) {
        seen[key.last_code(bits) as usize] += u64::from(*count);
    }
    let mut codes: Vec<u32> = vec![UNKNOWN; names.len()];
    let mut kept = vec![];
    for (at, name) in names.iter().enumerate() {
        if at < MARKS.len() || seen[at] >= u64::from(least) {
            codes[at] = kept.len() as u32;
            kept.push(name.clone());
        }
    }
    let renamed = |key: &Key<W>| {
        let own: Vec<u32> = key.codes(order, bits).iter().map(|code| codes[*code as usize]).collect();
        Key::<W>::of(&own, bits)
    };
    let pairs = table.keys.iter().map(renamed).zip(table.counts).collect();
    let Table { keys, counts, .. } = Table::of_pairs(pairs);
    (Table { keys, counts, before: vec![] }, kept)
}
