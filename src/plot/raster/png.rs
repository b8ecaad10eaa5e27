//! PNG files: 8-bit colours, each row as its difference from the one above.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::error::{Error, Result};

/// Pixels a metre at 96 a inch.
const PER_METRE: f64 = 3779.5;

/// The bytes of a file; `scale` pixels are one unit of 1/96 inch.
pub(super) fn encode(width: usize, height: usize, pixels: &[u8], scale: f64) -> Result<Vec<u8>> {
    let row = width * 3;
    let mut zipped = ZlibEncoder::new(vec![], Compression::new(8));
    let failed = |error: std::io::Error| Error::Io { path: "PNG".to_string(), why: error.to_string() };
    let mut line = vec![0; row + 1];
    for at in 0..height {
        // Filter 2: less the byte above.
        line[0] = 2;
        for byte in 0..row {
            let above = if at == 0 { 0 } else { pixels[(at - 1) * row + byte] };
            line[byte + 1] = pixels[at * row + byte].wrapping_sub(above);
        }
        zipped.write_all(&line).map_err(failed)?;
    }
    let data = zipped.finish().map_err(failed)?;
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    let sides = [(width as u32).to_be_bytes(), (height as u32).to_be_bytes()].concat();
    chunk(&mut png, b"IHDR", &[&sides[..], &[8, 2, 0, 0, 0]].concat());
    let density = ((PER_METRE * scale).round() as u32).to_be_bytes();
    chunk(&mut png, b"pHYs", &[&density[..], &density, &[1]].concat());
    chunk(&mut png, b"IDAT", &data);
    chunk(&mut png, b"IEND", &[]);
    Ok(png)
}

/// A length, a name, data, and their checksum.
fn chunk(png: &mut Vec<u8>, name: &[u8; 4], data: &[u8]) {
    png.extend((data.len() as u32).to_be_bytes());
    png.extend(name);
    png.extend(data);
    let mut sum = flate2::Crc::new();
    sum.update(name);
    sum.update(data);
    png.extend(sum.sum().to_be_bytes());
}
