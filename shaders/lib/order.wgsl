// Numbers as integers that order as they do, so that no driver's flushing of tiny numbers or fast arithmetic decides.
// The bits of a negative number are turned over, those of others lie above them.
// Both zeros are one.
fn order_key(bits: u32) -> u32 {
    if (bits << 1u == 0u) {
        return 0x80000000u;
    }
    return select(bits | 0x80000000u, ~bits, bits >> 31u == 1u);
}
