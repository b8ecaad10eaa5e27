//! Numbers as they are written: the bits of the standard library, and what is no number.

use gristmill::data::{Dataset, Missing, ReadOptions};
use gristmill::{Error, Result};

const BEYOND: &str = "beyond the range of f32";

/// One cell below a number, so that text is one that does not belong.
fn cell(text: &str) -> Result<f32> {
    let options = ReadOptions::default().missing(Missing::Keep);
    let data = Dataset::parse("t.csv", format!("x,y\n1,1\n\"{text}\",2\n").as_bytes(), &options)?;
    Ok(data.x.get(1, 0))
}

/// All of them, which are finite, in one table.
fn agree(texts: &[String]) {
    let data = super::parse("t.csv", texts.join("\n")).unwrap();
    assert_eq!(data.x.rows(), texts.len());
    for (text, value) in texts.iter().zip(data.x.as_slice()) {
        assert_eq!(value.to_bits(), text.parse::<f32>().unwrap().to_bits(), "{text}");
    }
}

/// The refusal of a cell must say so.
fn is_refused(text: &str, wanted: &str) {
    let refused = cell(text);
    assert!(matches!(&refused, Err(Error::Data { why, .. }) if why.contains(wanted)), "{text}: {refused:?}");
}

#[test]
fn numbers_have_the_bits_of_the_library() {
    let cases = "0 -0 1 -1 1.5 .5 5. 1e10 1E-10 +3 16777217 16777216.5 16777219 33554434.999999999 \
        3.4028235e38 3.4028236e38 3.40282357e38 1e39 -1e39 1e-38 1.1754943e-38 1e-45 7e-46 1e-60 \
        9007199254740993 9007199254740992 1234567890123456789 12345678901234567890 0.1 0.3 2.5e-3 \
        1.00000005960464477539062 1.000000059604644775390625 1.00000005960464477539063 1e22 1e23 1e9999 1e-9999 \
        0.000000000000000000000000001 8388608.5 8388609.5 4194304.25 4194304.75 1e+5";
    let cases = cases.split_whitespace().map(String::from);
    let (finite, beyond): (Vec<_>, Vec<_>) = cases.partition(|text| text.parse::<f32>().unwrap().is_finite());
    agree(&finite);
    beyond.iter().for_each(|text| is_refused(text, BEYOND));
}

#[test]
fn numbers_near_the_middle_of_two_floats_round_right() {
    let mut texts = vec![];
    for step in 0..20_000_u32 {
        let low = f32::from_bits(0x3f80_0000 + step * 8191);
        let middle = (f64::from(low) + f64::from(f32::from_bits(low.to_bits() + 1))) / 2.0;
        texts.extend((6..18).map(|digits| format!("{middle:.digits$}")));
        texts.push(format!("{middle:e}"));
    }
    agree(&texts);
}

#[test]
fn what_is_not_a_number_is_missing_or_text() {
    for missing in ["", "NA", "na", "nan", "NaN", "-nan", "?", "-", ".", "null", "N/A", "None", "\\N"] {
        assert!(cell(missing).unwrap().is_nan(), "{missing}");
    }
    ["inf", "-Infinity", "+inf", "1e400"].into_iter().for_each(|text| is_refused(text, BEYOND));
    for text in ["a", "--", "..", "1x", "1e", "1e+", "0x10", "1_000", "--1", "1 2", "none", "N-A", "e5", "1,5"] {
        is_refused(text, "expected a number");
    }
}
