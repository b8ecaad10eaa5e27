// Selected variables take their places in the working set: their numbers, the rows they belong to, and when they came.
// One workgroup, a lane a variable. A place that is left free has the number of no variable, and the first row.
// The host is not asked: the numbers that were selected stay on the device.
//#import status
struct Params {
    count: u32,
    selected_first: u32,
    place: u32,
    rows: u32,
    tag: u32,
    index_first: u32,
    rows_first: u32,
    tags_first: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> selected: array<u32>;
@group(0) @binding(2) var<storage, read_write> index: array<u32>;
@group(0) @binding(3) var<storage, read_write> row_index: array<u32>;
@group(0) @binding(4) var<storage, read_write> tags: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) lane: u32) {
    if (lane < params.count) {
        let variable = selected[params.selected_first + lane];
        let used = variable != 0xffffffffu;
        index[params.index_first + params.place + lane] = variable;
        row_index[params.rows_first + params.place + lane] = select(0u, variable % params.rows, used);
        if (used) {
            tags[params.tags_first + variable] = params.tag;
        }
    }
    mark_done(lane);
}
