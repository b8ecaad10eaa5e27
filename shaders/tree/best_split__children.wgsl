// What the children of nodes are searched by, from the splits that were just found: the cuts that partition the rows, the
// pieces of the smaller child, and the searches of both. So two levels of a tree are grown between two waits of the host.
// A workgroup takes a node: lanes write its words side by side. A node without a split keeps its rows where they are.
//#import status
//#import wide
struct Params {
    nodes: u32,
    features_first: u32,
    piece_rows: u32,
    jobs_first: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
// Sixteen words a node: its search, first place, rows, first run, first piece, pieces, its slot and that of the smaller
// child, for each child the first task and the tasks, the first packed word of its tree. Then four a feature: its column,
// the code of its first bin, its bins with a bit above for missing values, its default.
@group(0) @binding(1) var<storage, read> table: array<u32>;
@group(0) @binding(2) var<storage, read> winners: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> searches: array<u32>;
@group(0) @binding(4) var<storage, read_write> cuts: array<u32>;
@group(0) @binding(5) var<storage, read_write> pieces: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read_write> next_searches: array<u32>;

const NODE_WORDS = 16u;
const SEARCH_WORDS = 32u;
const CUT_WORDS = 12u;
const FOUND = 0x80000000u;
const MISSING_LEFT = 0x40000000u;
const FRESH = 0x80000000u;
const NO_DEFAULT = 0xffffffffu;

// Whether a code of the feature's column goes left.
fn goes_left(code: u32, feature: vec4<u32>, place: u32) -> bool {
    let bins = feature.z & 0xffffu;
    let all = bins + (feature.z >> 16u);
    var bin = code - feature.y;
    if (feature.w != NO_DEFAULT) {
        // Codes of the other features, below and behind, stand for the default.
        let is_other = code < feature.y || bin >= all - 1u;
        bin = select(bin + select(0u, 1u, bin >= feature.w), feature.w, is_other);
    }
    return select(bin <= (place & 0xffffu), (place & MISSING_LEFT) != 0u, bin == bins);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let number = group.y * groups.x + group.x;
    if (number < params.nodes) {
        let node = NODE_WORDS * number;
        let search = table[node];
        let start = table[node + 1u];
        let rows = table[node + 2u];
        let winner = winners[2u * search];
        let left = winners[2u * search + 1u];
        let is_split = winner.z >= FOUND;
        let left_rows = select(rows, left.z & 0x3ffffffu, is_split);
        let left_is_smaller = left_rows <= rows - left_rows;
        let own_feature = params.features_first + 4u * select(0u, winner.w, is_split);
        let feature =
            vec4(table[own_feature], table[own_feature + 1u], table[own_feature + 2u], table[own_feature + 3u]);
        if (lane < 4u) {
            cuts[CUT_WORDS * number + lane] = select(table[node + 1u + lane], feature.x, lane == 3u);
        } else if (lane < CUT_WORDS) {
            var word = 0xffffffffu;
            if (is_split) {
                word = 0u;
                for (var bit = 0u; bit < 32u; bit += 1u) {
                    word |= select(0u, 1u, goes_left(32u * (lane - 4u) + bit, feature, winner.z)) << bit;
                }
            }
            cuts[CUT_WORDS * number + lane] = word;
        }
        let smaller_first = select(start + left_rows, start, left_is_smaller);
        let smaller_rows = min(left_rows, rows - left_rows);
        for (var piece = lane; piece < table[node + 5u]; piece += 64u) {
            let first = min(piece * params.piece_rows, smaller_rows);
            let count = min(params.piece_rows, smaller_rows - first);
            pieces[table[node + 4u] + piece] = vec4(smaller_first + first, count, table[node + 12u], 0u);
        }
        let own_slot = table[node + 6u];
        let new_slot = table[node + 7u];
        if (lane == 0u) {
            pieces[params.jobs_first + number] = vec4(table[node + 4u], table[node + 5u], new_slot | FRESH, own_slot);
        }
        // The left child's 32 words, then the right one's.
        let side = lane / SEARCH_WORDS;
        let at = lane % SEARCH_WORDS;
        let parent = SEARCH_WORDS * search;
        var word = searches[parent + at];
        if (at == 0u) {
            word = select(own_slot, new_slot, (side == 0u) == left_is_smaller);
        } else if (at < 3u) {
            word = select(0u, table[node + 7u + 2u * side + at], is_split || at == 1u);
        } else if (at >= 4u && at < 8u) {
            let whole = vec4(
                searches[parent + 4u], searches[parent + 5u], searches[parent + 6u], searches[parent + 7u],
            );
            let right = vec4(wide_subtract(whole.xy, left.xy), wide_subtract(whole.zw, left.zw));
            let sums = select(left, right, vec4(side == 1u));
            word = select(0u, sums[at - 4u], is_split);
        }
        next_searches[2u * SEARCH_WORDS * number + lane] = word;
    }
    mark_done(lane);
}
