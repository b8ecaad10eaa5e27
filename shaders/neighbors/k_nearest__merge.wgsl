// The layers' lists of the k nearest made into one, and its distances and indices written out.
// A lane takes a query and inserts the other layers' entries into the first layer's list, each until one is too far.
// With SHORTLIST only queries of tiles that were left open.
//#import metric
//#import k_nearest_list
//#import status
struct Params {
    rows: u32,
    list_rows: u32,
    neighbors: u32,
    layers: u32,
    index_first: u32,
    distance_first: u32,
    distance_stride: u32,
    order: f32,
}

override SHORTLIST: u32 = 0u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> list: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read_write> index: array<u32>;
@group(0) @binding(3) var<storage, read_write> distance: array<f32>;
// For each tile of 128 queries whether it was left open.
@group(0) @binding(4) var<storage, read> flags: array<vec4<u32>>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let row = (group.y * groups.x + group.x) * 64u + lane;
    var open = row < params.rows;
    if (SHORTLIST == 1u && open) {
        open = flags[row / 128u].x != 0u;
    }
    if (open) {
        list_merge(row, params.list_rows, params.neighbors, params.layers);
        for (var slot = 0u; slot < params.neighbors; slot += 1u) {
            let entry = list[slot * params.list_rows + row];
            index[params.index_first + row * params.neighbors + slot] = entry.y;
            distance[params.distance_first + row * params.distance_stride + slot] =
                metric_root(bitcast<f32>(entry.x), params.order);
        }
        for (var slot = params.neighbors; slot < params.distance_stride; slot += 1u) {
            distance[params.distance_first + row * params.distance_stride + slot] = 0.0;
        }
    }
    mark_done(lane);
}
