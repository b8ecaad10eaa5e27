// Which rows of a node go left: a bit for each row, from the code of one column and a table of 256 bits.
// A lane takes a run of up to 32 rows and writes one word; many nodes at once.
// The later passes read the bits instead of the scattered codes.
//#import tree_cuts
@group(0) @binding(2) var<storage, read> codes: array<u32>;
@group(0) @binding(3) var<storage, read> order: array<u32>;
@group(0) @binding(4) var<storage, read_write> flags: array<u32>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let run = (group.y * groups.x + group.x) * 64u + lane;
    if (run < params.runs) {
        let cut = CUT_WORDS * cut_of(run);
        let column = cuts[cut + 3u];
        let group_of_8 = column / 8u - params.group_first;
        // Columns in other buffers have a dispatch of their own.
        if (group_of_8 < params.groups_of_8) {
            let places = places_of(run, cut);
            let first = params.codes_first + 2u * group_of_8 * params.rows + (column / 4u) % 2u;
            let shift = 8u * (column % 4u);
            var word = 0u;
            for (var at = 0u; at < places.y; at += 1u) {
                let code = (codes[first + 2u * order[places.x + 8u * at]] >> shift) & 255u;
                let left = (cuts[cut + 4u + code / 32u] >> (code % 32u)) & 1u;
                word |= left << at;
            }
            flags[run] = word;
        }
    }
    mark_done(lane);
}
