// Finds the digit of the k-th smallest from the counts of all digits, and clears the counts for the next pass.
// One workgroup, a lane a digit: a prefix sum through workgroup memory shows where the rank falls.
// Where fewer than k keys are eligible, the last of them takes the place of the k-th.
//#import selection
@group(0) @binding(1) var<storage, read_write> selection: array<u32>;

var<workgroup> sums: array<u32, 256>;

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) lane: u32) {
    let count = selection[COUNTS + lane];
    let rank = selection[2];
    sums[lane] = count;
    for (var reach = 1u; reach < 256u; reach *= 2u) {
        workgroupBarrier();
        let below = sums[select(0u, lane - reach, lane >= reach)];
        workgroupBarrier();
        if (lane >= reach) {
            sums[lane] += below;
        }
    }
    workgroupBarrier();
    let wanted = min(rank, sums[255]);
    let before = sums[lane] - count;
    selection[COUNTS + lane] = 0u;
    if (before < wanted && wanted <= sums[lane]) {
        let word = params.of_index;
        selection[word] |= lane << params.shift;
        selection[2] = wanted - before;
    }
    if (lane == 0u && params.of_index == 0u && params.shift == 24u) {
        selection[3] = wanted;
    }
    mark_done(lane);
}
