// Ends every submit: writes a number that only this submit knows next to the count of finished workgroups.
// One invocation. A read-back that does not find the number did not come from its submit.
// Nothing else in a submit runs after it, because dispatches keep their order.
//#import status
struct Params {
    nonce: u32,
}

@group(0) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(1)
fn main() {
    atomicStore(&status[1], params.nonce);
    mark_done(0u);
}
