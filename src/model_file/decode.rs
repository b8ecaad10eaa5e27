//! From the bytes of a model file to a container: nothing is believed, and nothing allocated, before it is checked.

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::Path;

use super::container::{Container, refusal};
use super::header::{self, Checksum, DIGITS, Entry, LONGEST, START};
use super::tensor::{ElementType, Tensor, Values, count};
use crate::error::{Error, Result};

/// What is read and added to the checksum at a time: it stays in the cache between the two.
const PIECE: usize = 1 << 18;

/// A tensor whose place and size have been checked against the file's length.
struct Place {
    name: String,
    element: ElementType,
    shape: Vec<usize>,
    count: usize,
}

/// Why reading stopped.
enum Refusal {
    Io(io::Error),
    Model(String),
}

impl From<String> for Refusal {
    fn from(why: String) -> Refusal {
        Refusal::Model(why)
    }
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Refusal {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Refusal::Model(cut_off()),
            _ => Refusal::Io(error),
        }
    }
}

fn cut_off() -> String {
    "the file is cut off; copy or save it again".to_string()
}

impl Container {
    /// Reads a container from the bytes of a model file, of whatever kind.
    pub fn from_bytes(bytes: &[u8]) -> Result<Container> {
        read(bytes, bytes.len() as u64, "the given bytes")
    }

    /// Reads a container from a model file, of whatever kind.
    pub fn load(path: impl AsRef<Path>) -> Result<Container> {
        let name = path.as_ref().display().to_string();
        let fail = |why: String| Error::Io { path: name.clone(), why };
        let cannot = |error: io::Error| fail(format!("cannot be read: {error}"));
        // Looked at before it is opened: opening a pipe would wait for a writer.
        if !fs::metadata(&path).map_err(cannot)?.is_file() {
            return Err(fail("is not a regular file; give the path of a model file".to_string()));
        }
        let file = File::open(&path).map_err(cannot)?;
        // The length of what was opened: another process may have replaced the file meanwhile.
        let length = file.metadata().map_err(cannot)?.len();
        read(BufReader::new(file), length, &name)
    }
}

fn read(mut reader: impl Read, length: u64, origin: &str) -> Result<Container> {
    let refuse = |why: String| refusal(origin, &why);
    let (description, tensors) = read_checked(&mut reader, length).map_err(|refusal| match refusal {
        Refusal::Io(error) => Error::Io { path: origin.to_string(), why: format!("cannot be read: {error}") },
        Refusal::Model(why) => refuse(why),
    })?;
    let header::Description { kind, parameters, version, .. } = description;
    let mut container = Container::described(origin.to_string(), &kind, version, parameters)?;
    container.held = tensors.iter().fold(0, |held, (place, _)| held + place.count);
    container.unfold_models(0)?;
    for (place, _) in &tensors {
        // An axis of 0 beside it lets a shape claim anything.
        place.shape.iter().try_for_each(|axis| container.size("along an axis", *axis as u64).map(drop))?;
    }
    for (place, values) in tensors {
        let tensor = Tensor::new(&place.shape, values);
        let tensor = tensor.map_err(|why| refuse(format!("tensor \"{}\": {why}", place.name.escape_debug())))?;
        container.add_from_file(&place.name, tensor)?;
    }
    Ok(container)
}

/// The description and the values of a file whose sizes and checksum are right.
fn read_checked(
    reader: &mut impl Read,
    length: u64,
) -> std::result::Result<(header::Description, Vec<(Place, Values)>), Refusal> {
    let mut start = [0; 8];
    reader.read_exact(&mut start)?;
    let header_length = u64::from_le_bytes(start);
    if header_length > LONGEST || header_length < (START.len() + DIGITS) as u64 || !header_length.is_multiple_of(8) {
        return Err("it does not begin like a model file: not a model, or damaged".to_string().into());
    }
    let data_length = length.checked_sub(8 + header_length).ok_or_else(cut_off)?;
    let mut header = vec![0; header_length as usize];
    reader.read_exact(&mut header)?;
    let text = str::from_utf8(&header).map_err(|_| "its header is not UTF-8: not a model, or damaged".to_string())?;
    let (description, entries) = header::parse(text)?;
    let places = check_places(entries, data_length)?;

    // `parse` has seen that the header begins with START, and the digits follow.
    let digits = &mut header[START.len()..][..DIGITS];
    let claimed = digits.to_vec();
    digits.fill(b'0');
    let mut checksum = Checksum::new();
    checksum.add(&start);
    checksum.add(&header);
    let mut tensors = Vec::with_capacity(places.len());
    for place in places {
        let mut values = Values::zeros(place.element, place.count)?;
        for piece in values.bytes_mut().chunks_mut(PIECE) {
            reader.read_exact(piece)?;
            checksum.add(piece);
        }
        values.swap_unless_little_endian();
        tensors.push((place, values));
    }
    if reader.read(&mut [0])? != 0 {
        return Err("it grew while it was read; wait until it is written".to_string().into());
    }
    if checksum.digits().as_bytes() != claimed {
        return Err("its checksum does not match: the file is damaged; copy or save it again".to_string().into());
    }
    Ok((description, tensors))
}

/// Checks that the tensors fill the data from end to end, in the one order in which they are written.
fn check_places(entries: Vec<(String, Entry)>, data_length: u64) -> std::result::Result<Vec<Place>, String> {
    let mut places: Vec<Place> = Vec::with_capacity(entries.len());
    let mut end = 0;
    for (name, Entry { dtype, shape, data_offsets }) in entries {
        let refuse = |why: String| format!("tensor \"{}\": {why}", name.escape_debug());
        let element = ElementType::from_name(&dtype)
            .ok_or_else(|| refuse(format!("type \"{}\" is not known", dtype.escape_debug())))?;
        let count = count(&shape).ok_or_else(|| refuse(format!("the shape {shape:?} is too large")))?;
        let size = (count as u64).checked_mul(element.size() as u64);
        let [from, to] = data_offsets;
        if from != end || size.is_none() || to.checked_sub(from) != size {
            return Err(refuse(format!("bytes {from} to {to} are not where {} {shape:?} belongs", element.name())));
        }
        if to > data_length {
            return Err(refuse(format!("it ends at byte {to} of {data_length}: {}", cut_off())));
        }
        if places.last().is_some_and(|last| header::order(last.element, &last.name) >= header::order(element, &name)) {
            return Err(refuse("it is there twice or out of order".to_string()));
        }
        end = to;
        places.push(Place { name, element, shape, count });
    }
    match data_length - end {
        0 => Ok(places),
        more => Err(format!("{more} bytes follow the last tensor: not as Gristmill wrote it")),
    }
}
