// What the passes of a radix selection share: which keys may still be the k-th, and which digit is looked at.
// The words of `selection`: key and index of the k-th as far as they are known, its rank among those in the running,
// how many are selected, how many have been gathered; from 8 on the count of each digit.
//#import order
//#import status
struct Params {
    count: u32,
    keys_first: u32,
    mask_first: u32,
    base: u32,
    shift: u32,
    of_index: u32,
}

// 1: only keys whose mask is not zero.
override MASKED: u32 = 0u;

const COUNTS = 8u;

@group(0) @binding(0) var<uniform> params: Params;

// Whether the digits above the one at `shift` are those found so far.
fn agrees(word: u32, found: u32) -> bool {
    return params.shift == 24u || (word >> ((params.shift + 8u) & 31u)) == (found >> ((params.shift + 8u) & 31u));
}

fn in_running(key: u32, index: u32, found: vec2<u32>) -> bool {
    if (params.of_index == 0u) {
        return agrees(key, found.x);
    }
    return key == found.x && agrees(index, found.y);
}

fn digit(key: u32, index: u32) -> u32 {
    return (select(key, index, params.of_index == 1u) >> params.shift) & 255u;
}
