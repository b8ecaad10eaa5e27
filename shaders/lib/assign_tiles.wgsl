// The nearest centre by tiles: rows of X against rows of centres, both from storage.
// The tile core's operands and step; squared distances by the direct form.
// For centres of any number and size.
//#import assign_rows
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> centers: array<vec4<f32>>;

fn tile_a(row: u32, vec4_index: u32) -> vec4<f32> {
    return x[params.x_first + min(row, params.rows - 1u) * params.vec4s + vec4_index];
}

fn tile_step(sum: vec4<f32>, a: f32, b: vec4<f32>) -> vec4<f32> {
    let difference = vec4(a) - b;
    return fma(difference, difference, sum);
}

// Past the last centre the last one is met again, which is never nearer than itself.
fn tile_b(column: u32, vec4_index: u32) -> vec4<f32> {
    return centers[params.center_first + min(column, params.centers - 1u) * params.vec4s + vec4_index];
}
