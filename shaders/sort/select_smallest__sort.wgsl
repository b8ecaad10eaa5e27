// Brings the selected keys into order, equal ones by index, and writes their indices.
// One workgroup sorts them in workgroup memory (bitonic, SIZE a power of two); where fewer were eligible, 2³² − 1 follows.
// A selection is small, so one workgroup is enough.
//#import selection
override SIZE: u32 = 2048u;

@group(0) @binding(1) var<storage, read> selection: array<u32>;
@group(0) @binding(2) var<storage, read> selected: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read_write> out: array<u32>;

var<workgroup> entries: array<vec2<u32>, 2048>;

fn after(a: vec2<u32>, b: vec2<u32>) -> bool {
    return a.x > b.x || (a.x == b.x && a.y > b.y);
}

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) lane: u32) {
    let places = selection[3];
    for (var at = lane; at < SIZE; at += 256u) {
        var entry = vec2(0xffffffffu);
        if (at < places) {
            entry = selected[at];
        }
        entries[at] = entry;
    }
    for (var run = 2u; run <= SIZE; run *= 2u) {
        for (var reach = run / 2u; reach > 0u; reach /= 2u) {
            workgroupBarrier();
            for (var pair = lane; pair < SIZE / 2u; pair += 256u) {
                let low = 2u * pair - (pair & (reach - 1u));
                let high = low + reach;
                let ascending = (low & run) == 0u;
                let a = entries[low];
                let b = entries[high];
                if (after(a, b) == ascending) {
                    entries[low] = b;
                    entries[high] = a;
                }
            }
        }
    }
    workgroupBarrier();
    for (var at = lane; at < params.count; at += 256u) {
        out[params.keys_first + at] = entries[at].y;
    }
    mark_done(lane);
}
