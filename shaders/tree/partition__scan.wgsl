// How many rows of a node go left before each run, and in all.
// A team of TEAM lanes takes a node: each adds a stretch of runs, hears of the others' through workgroup memory, and adds
// it again from there. One lane suits drivers for which barriers are dear, 64 a card: the host chooses.
//#import tree_cuts
@group(0) @binding(2) var<storage, read> flags: array<u32>;
@group(0) @binding(3) var<storage, read_write> places: array<u32>;
@group(0) @binding(4) var<storage, read_write> lefts: array<u32>;

override TEAM: u32 = 64u;

var<workgroup> sums: array<u32, 64>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let wanted = (group.y * groups.x + group.x) * (64u / TEAM) + lane / TEAM;
    let cut = CUT_WORDS * min(wanted, params.cuts - 1u);
    let member = lane % TEAM;
    let runs = (cuts[cut + 1u] + 31u) / 32u;
    let stretch = (runs + TEAM - 1u) / TEAM;
    let begin = cuts[cut + 2u] + min(member * stretch, runs);
    let end = cuts[cut + 2u] + min((member + 1u) * stretch, runs);
    var before = 0u;
    if (TEAM > 1u) {
        var own = 0u;
        for (var run = begin; run < end; run += 1u) {
            own += countOneBits(flags[run]);
        }
        sums[lane] = own;
        workgroupBarrier();
        for (var other = lane - member; other < lane; other += 1u) {
            before += sums[other];
        }
    }
    if (wanted < params.cuts) {
        for (var run = begin; run < end; run += 1u) {
            places[run] = before;
            before += countOneBits(flags[run]);
        }
        if (member == TEAM - 1u) {
            lefts[wanted] = before;
        }
    }
    mark_done(lane);
}
