// Two numbers of the standard normal distribution from two random ones, by Box and Muller.
// The radius comes from the first, the angle from the second, its quarter turns in integers.
// The importing shader imports elementary.
fn normal_pair(first: u32, second: u32) -> vec2<f32> {
    let probability = f32((first >> 8u) + 1u) * (1.0 / 16777216.0);
    let size = sqrt(max(-2.0 * LN_2 * logarithm2(probability), 0.0));
    let turn = i32(second >> 8u);
    let quarter = (turn + 2097152) >> 22u;
    let sc = sine_cosine(f32(turn - (quarter << 22u)) * (6.28318530717959 / 16777216.0));
    let xy = select(vec2(-sc.x, sc.y), sc.yx, (quarter & 1) == 0);
    return select(-size, size, (quarter & 2) == 0) * xy;
}
