// The features of each node that may have its best split, with their cells: whose upper bound is not below the best
// lower bound. A workgroup takes a node; the first LISTED features it meets are copied, and all are counted.
// The host reads them together and settles the winner from the exact sums; what was not listed it asks for again.
//#import tree_searches
@group(0) @binding(2) var<storage, read> features: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> slots: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> bounds: array<vec2<f32>>;
// For each node two words of four: the count and the listed features, then 256 cells for each of them.
@group(0) @binding(5) var<storage, read_write> shortlist: array<vec4<u32>>;

const LISTED = 4u;

var<workgroup> lowest: array<f32, 64>;
var<workgroup> listed: atomic<u32>;
var<workgroup> chosen: array<u32, LISTED>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let number = group.y * groups.x + group.x;
    if (number < params.searches) {
        let search = SEARCH_WORDS * number;
        let first = plan[search + 1u];
        let end = first + plan[search + 2u];
        var least = NOTHING;
        for (var task = first + lane; task < end; task += 64u) {
            least = max(least, bounds[task].x);
        }
        lowest[lane] = least;
        if (lane < LISTED) {
            chosen[lane] = 0u;
        }
        if (lane == 0u) {
            atomicStore(&listed, 0u);
        }
        for (var half = 32u; half > 0u; half /= 2u) {
            workgroupBarrier();
            if (lane < half) {
                lowest[lane] = max(lowest[lane], lowest[lane + half]);
            }
        }
        workgroupBarrier();
        least = lowest[0];
        for (var task = first + lane; task < end; task += 64u) {
            let highest = bounds[task].y;
            if (highest > 0.5 * NOTHING && highest >= least) {
                let place = atomicAdd(&listed, 1u);
                if (place < LISTED) {
                    chosen[place] = plan[params.tasks_first + 2u * task + 1u];
                }
            }
        }
        workgroupBarrier();
        let count = atomicLoad(&listed);
        let out = number * (2u + 256u * LISTED);
        if (lane == 0u) {
            shortlist[out] = vec4(count, 0u, 0u, 0u);
            shortlist[out + 1u] = vec4(chosen[0], chosen[1], chosen[2], chosen[3]);
        }
        for (var place = 0u; place < LISTED; place += 1u) {
            let feature = features[chosen[place]];
            let cells = feature.y + feature.z - select(0u, 1u, feature.w != 0xffffffffu);
            let source = plan[search] * params.cells + feature.x;
            for (var cell = lane; cell < 256u; cell += 64u) {
                var sums = vec4<u32>();
                if (place < count && cell < cells) {
                    sums = slots[source + cell];
                }
                shortlist[out + 2u + 256u * place + cell] = sums;
            }
        }
    }
    mark_done(lane);
}
