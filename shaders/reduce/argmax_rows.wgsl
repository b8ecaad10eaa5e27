// The largest value of each row and its column; the lowest column where values are equal.
// lib/extreme_rows.wgsl divides the work.
// Exact, so the same on every device.
//#import extreme_rows
fn key(bits: u32) -> u32 {
    return ~order_key(bits);
}
