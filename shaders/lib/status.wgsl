// The status word: lane 0 of each workgroup adds one when the group is done.
// Before a read-back is believed, the host compares the count with the workgroups it dispatched.
// It proves that every group ran to its end; what the groups wrote is checked by the tests.
@group(0) @binding(7) var<storage, read_write> status: array<atomic<u32>, 4>;

fn mark_done(lane: u32) {
    if (lane == 0u) {
        atomicAdd(&status[0], 1u);
    }
}

// Tells the host of input that no kernel can work with: the offending number, which it reads with the next result.
fn report_fault(number: u32) {
    atomicMax(&status[2], max(number, 1u));
}
