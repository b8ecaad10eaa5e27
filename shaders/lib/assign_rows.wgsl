// Operands and results of the nearest centre: rows of X against the centres, the running best of each row in registers.
// A workgroup keeps its rows and walks over all centres, so the distances are never stored. The importing shader binds
// X at 1 and the centres at 2.
// Squared distances by the direct form: right far off-centre. Ties go to the lowest centre.
//#import status
struct Params {
    rows: u32,
    centers: u32,
    row_tiles: u32,
    center_tiles: u32,
    x_first: u32,
    center_first: u32,
    vec4s: u32,
    label_first: u32,
    distance_first: u32,
    changed_at: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read_write> labels: array<u32>;
@group(0) @binding(4) var<storage, read_write> distances: array<u32>;
@group(0) @binding(5) var<storage, read_write> history: array<atomic<u32>>;

const FARTHEST = 3.4028234e38;

// Stores what was found for a row, and returns 1 if its label is another one than before.
fn assign_row(row: u32, label: u32, distance: f32) -> u32 {
    if (row >= params.rows) {
        return 0u;
    }
    let old = labels[params.label_first + row];
    labels[params.label_first + row] = label;
    // Where every distance overflowed none was found: the read-back must meet an infinity, here by its bits.
    let bits = bitcast<u32>(distance);
    distances[params.distance_first + row] = select(bits, 0x7f800000u, bits >= 0x7f7fffffu);
    return select(0u, 1u, old != label);
}

fn count_changed(count: u32) {
    if (count > 0u) {
        atomicAdd(&history[params.changed_at], count);
    }
}
