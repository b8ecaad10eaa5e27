// Nodes whose best split is wanted, for the passes of tree/forest/target_split.
// A search has its slot, or the first place of its rows; its rows; its tree, below six bits that say how many bits of a word are a
// count; the bit from which on what is found goes. From word 4 on the node's own cell, then, for criteria that ask for it, its purity
// in f64; then, for thresholds at random, its path from the root in two words and the number of its tree among all.
// Behind the searches the features that each tries, two to a word; behind them, in f64, 1/1, 1/3, 1/5 and so on.
//#import status
struct Params {
    searches: u32,
    // The first task of this dispatch, and the end of its tasks: a node and one of its features each.
    task_begin: u32,
    tasks: u32,
    // Features of a node, where its list may have room for some that are none.
    width: u32,
    lists_first: u32,
    // Words of a list; 0 where all nodes try the same features.
    list_words: u32,
    search_words: u32,
    reciprocals_first: u32,
    cells: u32,
    // Of the random numbers of thresholds.
    key_low: u32,
    key_high: u32,
    // The least rows of a child.
    min_rows: u32,
    // Of the codes, where rows are counted; where the words of the first tree's rows begin, how many words further the next tree's
    // are, and where the counts of its draws begin.
    rows: u32,
    words_first: u32,
    words_step: u32,
    drawn_first: u32,
    group_first: u32,
    groups_of_8: u32,
    codes_first: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> plan: array<u32>;

// 64-bit words of a cell.
override WORDS: u32 = 2u;

// What a task found has 4 + 2·WORDS words: the gain in f64, whether there is a split and its bin and whether missing values go
// left, the next bin that has rows; then the sums of the left child.
const FOUND = 0x80000000u;
const MISSING_LEFT = 0x40000000u;
const NO_DEFAULT = 0xffffffffu;
const NO_FEATURE = 0xffffu;
const TREE_BITS = 26u;

fn search_place(number: u32) -> u32 {
    return params.search_words * number;
}

fn found_place(task: u32) -> u32 {
    return (4u + 2u * WORDS) * task;
}

fn pair(place: u32) -> vec2<u32> {
    return vec2(plan[place], plan[place + 1u]);
}

// A feature of a node, or NO_FEATURE.
fn feature_of(number: u32, at: u32) -> u32 {
    let word = plan[params.lists_first + number * params.list_words + at / 2u];
    return (word >> (16u * (at % 2u))) & 0xffffu;
}

fn count_bits_of(search: u32) -> u32 {
    return plan[search + 2u] >> TREE_BITS;
}

// A word of the node's own cell.
fn own_word(search: u32, word: u32) -> vec2<u32> {
    return pair(search + 4u + 2u * word);
}

// The weight stands above the count.
fn weight_of(word: vec2<u32>, count_bits: u32) -> vec2<u32> {
    return vec2((word.x >> count_bits) | (word.y << (32u - count_bits)), word.y >> count_bits);
}
