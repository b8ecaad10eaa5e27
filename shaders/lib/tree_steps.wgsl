// Which way a value goes at a step of a tree. Values are compared as integers in the order of the numbers, so that tiny
// ones are not taken for zero. `category_word` is the importer's: at the place of a set where the bins of its categories
// begin and how many categories have one, then the set's eight words.

// Integers in the order of the numbers that the bits stand for; −0 is below 0, and thresholds are never −0.
fn ordered(bits: u32) -> u32 {
    return select(bits | 0x80000000u, ~bits, bits >= 0x80000000u);
}

const UNKNOWN = 255u;
const ONE = 0x3f800000u;
const MOST_LEVELS = 0x4b800000u;

// Whether the set at a place has the bin of a level; what is no code of one has the bin of the unknown.
fn in_set(place: u32, bits: u32) -> bool {
    var bin = UNKNOWN;
    let is_zero = (bits & 0x7fffffffu) == 0u;
    if (is_zero || (bits >= ONE && bits < MOST_LEVELS)) {
        let value = bitcast<f32>(bits);
        let code = u32(value);
        if (code < category_word(place + 1u) && f32(code) == value) {
            bin = (category_word(category_word(place) + code / 4u) >> (8u * (code % 4u))) & 255u;
        }
    }
    return ((category_word(place + 2u + bin / 32u) >> (bin % 32u)) & 1u) == 1u;
}

// A step: threshold as an ordered integer, or the place of a set of categories; feature, in the highest bit whether missing
// goes left, in the next whether a set does; the two children.
fn next_step(step: vec4<u32>, bits: u32) -> u32 {
    let is_missing = (bits & 0x7fffffffu) > 0x7f800000u;
    var left = select(ordered(bits) <= step.x, step.y >= 0x80000000u, is_missing);
    if ((step.y & 0x40000000u) != 0u) {
        left = in_set(step.x, bits);
    }
    return select(step.w, step.z, left);
}
