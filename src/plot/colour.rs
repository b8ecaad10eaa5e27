//! Colours that colour-blind readers can tell apart.

/// Okabe and Ito's colours (2008). Grey stands for their black, which is our text, and the yellow is darkened, as it
/// lies on white here. Two dark ones of Tol's follow, so that ten digits have ten colours.
const CLASSES: [[u8; 3]; 10] = [
    [0x00, 0x72, 0xb2],
    [0xd5, 0x5e, 0x00],
    [0x00, 0x9e, 0x73],
    [0xcc, 0x79, 0xa7],
    [0xe6, 0x9f, 0x00],
    [0x56, 0xb4, 0xe9],
    [0x7f, 0x7f, 0x7f],
    [0xbf, 0xae, 0x00],
    [0x33, 0x22, 0x88],
    [0x88, 0x22, 0x55],
];
/// The ends of the scale of a heat map, from little to much: lightness falls all the way.
const SCALE: [[u8; 3]; 4] = [[0xf7, 0xfb, 0xff], [0x9e, 0xca, 0xe1], [0x31, 0x82, 0xbd], [0x08, 0x30, 0x6b]];
/// How much white a region has, so that points of its class stand out.
const WHITE: f64 = 0.68;

/// Text and axes.
pub(super) const INK: &str = "#222222";
/// What should not draw attention.
pub(super) const FAINT: &str = "#888888";
/// Lines behind the data.
pub(super) const GRID: &str = "#e6e6e6";

/// The colour of a class or series.
pub(super) fn class_colour(code: usize) -> String {
    hexadecimal(CLASSES[code % CLASSES.len()])
}

/// The same, pale, for areas behind points.
pub(super) fn class_tint(code: usize) -> String {
    let colour = CLASSES[code % CLASSES.len()];
    hexadecimal(colour.map(|part| mixed(part, 255, WHITE)))
}

/// The colour of a share from 0 to 1.
pub(super) fn scale_colour(share: f64) -> String {
    let place = share.clamp(0.0, 1.0) * (SCALE.len() - 1) as f64;
    let first = (place as usize).min(SCALE.len() - 2);
    let part = place - first as f64;
    let (low, high) = (SCALE[first], SCALE[first + 1]);
    hexadecimal([0, 1, 2].map(|at| mixed(low[at], high[at], part)))
}

/// From a low value to a high one over grey: blue to vermilion, and the grey of nothing for NaN.
pub(super) fn value_colour(share: f64) -> String {
    const MIDDLE: [u8; 3] = [0xc8, 0xbe, 0xc8];
    if share.is_nan() {
        return FAINT.to_string();
    }
    let (low, high, part) = match share.clamp(0.0, 1.0) {
        share if share < 0.5 => (CLASSES[0], MIDDLE, 2.0 * share),
        share => (MIDDLE, CLASSES[1], 2.0 * share - 1.0),
    };
    hexadecimal([0, 1, 2].map(|at| mixed(low[at], high[at], part)))
}

/// The colour of a text on [`scale_colour`].
pub(super) fn ink_on_scale(share: f64) -> &'static str {
    if share > 0.5 { "#ffffff" } else { INK }
}

fn mixed(low: u8, high: u8, part: f64) -> u8 {
    (low as f64 + (high as f64 - low as f64) * part).round() as u8
}

fn hexadecimal([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}
