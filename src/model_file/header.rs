//! The JSON header of a model file: written by hand in one fixed form, read with suspicion.
//!
//! The safetensors crate would do half of this: it lets duplicate names pass (0.8), it wants the whole file in memory
//! beside the tensors, and it does not say where in the header the checksum stands.

use std::cmp::Reverse;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde_json::{Map, Value};
use twox_hash::XxHash3_128;

use super::container::Container;
use super::tensor::{ElementType, Tensor};

/// The layout that this module writes and reads.
const FORMAT: u64 = 1;

/// How every header begins. The checksum's digits follow, so they are always in the same place.
pub(super) const START: &str = r#"{"__metadata__":{"gristmill":"{\"checksum\":\""#;

/// Digits of the checksum.
pub(super) const DIGITS: usize = 32;

/// The most bytes a header may take. Long lists belong into tensors.
pub(super) const LONGEST: u64 = 16 << 20;

/// The most memory that the parsed parameters may take: for small objects it is a hundred times their text.
const LARGEST_PARSED: usize = 128 << 20;

/// The checksum of a file: XXH3, 128 bits. It is there against accidents, not forgery: two different files agree with
/// a probability of 2⁻¹²⁸, where a CRC-32 lets one damaged file in four thousand million pass, and it runs at memory speed.
/// The crate is small, alive and has no dependencies.
pub(super) struct Checksum(XxHash3_128);

impl Checksum {
    pub(super) fn new() -> Checksum {
        Checksum(XxHash3_128::new())
    }

    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    pub(super) fn digits(&self) -> String {
        format!("{:032x}", self.0.finish_128())
    }
}

/// Tensors stand in ascending order of this, in the header and after it. Wide elements first keeps every tensor
/// aligned, since the format allows no gaps between them.
pub(super) fn order(element: ElementType, name: &str) -> (Reverse<usize>, &str) {
    (Reverse(element.size()), name)
}

/// One tensor as the header has it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    pub(super) dtype: String,
    pub(super) shape: Vec<usize>,
    pub(super) data_offsets: [u64; 2],
}

/// The header's value of `gristmill`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Description {
    #[serde(rename = "checksum")]
    _checksum: String,
    #[serde(rename = "format")]
    _format: u64,
    pub(super) kind: String,
    pub(super) parameters: Map<String, Value>,
    pub(super) version: u32,
}

/// The header's text with zeros for the checksum, padded with spaces so that the tensors begin at a multiple of 8.
pub(super) fn render(container: &Container, tensors: &[(String, &Tensor)]) -> Result<String, String> {
    let unfit = |error: serde_json::Error| format!("the parameters do not fit into JSON: {error}");
    let parameters = serde_json::to_string(&sorted(container.file_parameters())).map_err(unfit)?;
    let description = format!(
        r#"{{"checksum":"{}","format":{FORMAT},"kind":"{}","parameters":{parameters},"version":{}}}"#,
        "0".repeat(DIGITS),
        container.kind,
        container.version
    );
    // What cannot be read again, such as lists in lists a thousand deep, must not be written.
    describe(&description)?;
    let mut text =
        format!(r#"{{"__metadata__":{{"gristmill":{}}}"#, serde_json::to_string(&description).map_err(unfit)?);
    let mut begin = 0;
    for (name, tensor) in tensors {
        let end = begin + tensor.byte_count() as u64;
        let axes: Vec<String> = tensor.shape().iter().map(usize::to_string).collect();
        text.push_str(&format!(
            r#","{name}":{{"dtype":"{}","shape":[{}],"data_offsets":[{begin},{end}]}}"#,
            tensor.element().name(),
            axes.join(",")
        ));
        begin = end;
    }
    text.push('}');
    text.push_str(&" ".repeat(text.len().next_multiple_of(8) - text.len()));
    match text.len() as u64 {
        length if length > LONGEST => Err(format!("its header would take {length} bytes, the most is {LONGEST}")),
        _ => Ok(text),
    }
}

/// The header taken apart: the description, and the tensors in the order in which they stand.
pub(super) fn parse(text: &str) -> Result<(Description, Vec<(String, Entry)>), String> {
    let header: Header = serde_json::from_str(text)
        .map_err(|error| format!("its header is not that of a safetensors file ({error}): no model, or damaged"))?;
    let metadata = header.metadata.unwrap_or(Pairs(Vec::new())).0;
    let Some((_, description)) = metadata.iter().find(|(key, _)| key == "gristmill") else {
        return Err("it is a safetensors file, but not one that Gristmill wrote".to_string());
    };
    let description = describe(description)?;
    if metadata.len() != 1 {
        return Err("its metadata has more than the one key gristmill: not as Gristmill wrote it".to_string());
    }
    if !text.starts_with(START) {
        return Err("its header is not laid out as Gristmill writes it; save the model again".to_string());
    }
    Ok((description, header.tensors))
}

fn describe(text: &str) -> Result<Description, String> {
    /// All that a later format has to keep.
    #[derive(Deserialize)]
    struct Format {
        format: u64,
    }
    // About 640 bytes an object, and 64 for each value in a list that has grown by doubling.
    let parsed =
        text.bytes().map(|byte| if byte == b'{' { 640 } else { 64 * usize::from(byte == b',') }).sum::<usize>();
    if parsed > LARGEST_PARSED {
        return Err("its parameters have too many parts; long lists belong into tensors".to_string());
    }
    let unfit = |error: serde_json::Error| format!("its metadata is not what Gristmill writes: {error}");
    match serde_json::from_str(text).map_err(unfit)? {
        Format { format } if format > FORMAT => {
            Err(format!("written by a newer Gristmill (format {format}); this one reads {FORMAT}: update"))
        }
        Format { format: FORMAT } => serde_json::from_str(text).map_err(unfit),
        Format { format } => Err(format!("format {format} was never written by Gristmill: the file is damaged")),
    }
}

/// The same value with the keys of every object sorted, whichever map serde_json was built with.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut pairs: Vec<(String, Value)> = map.into_iter().map(|(key, value)| (key, sorted(value))).collect();
            pairs.sort_by(|left, right| left.0.cmp(&right.0));
            Value::Object(pairs.into_iter().collect())
        }
        Value::Array(values) => Value::Array(values.into_iter().map(sorted).collect()),
        other => other,
    }
}

struct Header {
    metadata: Option<Pairs>,
    tensors: Vec<(String, Entry)>,
}

/// A JSON object of texts, in order, with every duplicate kept so that it can be refused.
struct Pairs(Vec<(String, String)>);

struct HeaderVisitor;

struct PairsVisitor;

impl<'de> Visitor<'de> for HeaderVisitor {
    type Value = Header;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("an object of tensors")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Header, A::Error> {
        let mut header = Header { metadata: None, tensors: Vec::new() };
        while let Some(key) = map.next_key::<String>()? {
            if key != "__metadata__" {
                header.tensors.push((key, map.next_value()?));
            } else if header.metadata.replace(map.next_value()?).is_some() {
                return Err(A::Error::custom("__metadata__ is there twice"));
            }
        }
        Ok(header)
    }
}

impl<'de> Visitor<'de> for PairsVisitor {
    type Value = Pairs;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("an object of texts")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(Pairs(pairs))
    }
}

impl<'de> Deserialize<'de> for Header {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Header, D::Error> {
        deserializer.deserialize_map(HeaderVisitor)
    }
}

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Pairs, D::Error> {
        deserializer.deserialize_map(PairsVisitor)
    }
}
