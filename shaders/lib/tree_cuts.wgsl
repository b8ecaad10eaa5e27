// Nodes to partition, for the passes of tree/partition: eight lanes take a block of 256 places of one node's rows, each of
// them every eighth, so that lanes side by side read rows side by side. What a lane takes is a run.
// A cut has twelve words: its first place, its rows, its first run, the column that is asked for, and eight words with a bit
// for each code of the column, set where the code goes left.
//#import status
struct Params {
    runs: u32,
    cuts: u32,
    rows: u32,
    group_first: u32,
    groups_of_8: u32,
    codes_first: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> cuts: array<u32>;

const CUT_WORDS = 12u;

// The cut of a run: the last one whose first run is not behind it.
fn cut_of(run: u32) -> u32 {
    var low = 0u;
    var high = params.cuts;
    while (high - low > 1u) {
        let middle = (low + high) / 2u;
        if (cuts[CUT_WORDS * middle + 2u] <= run) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

// The places of a run: the first, and how many follow at every eighth.
fn places_of(run: u32, cut: u32) -> vec2<u32> {
    let within = run - cuts[cut + 2u];
    let first = 256u * (within / 8u) + within % 8u;
    let rows = max(cuts[cut + 1u], first) - first;
    return vec2(cuts[cut] + first, min(32u, (rows + 7u) / 8u));
}
