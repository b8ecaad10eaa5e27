// Numbers as integers that order as they do, so that no driver's flushing of tiny numbers or fast arithmetic decides.
// The bits of a negative number are turned over, those of others lie above them.
// Both zeros are one.
fn order_key(bits: u32) -> u32 {
    if (bits << 1u == 0u) {
        return 0x80000000u;
    }
    return select(bits | 0x80000000u, ~bits, bits >> 31u == 1u);
}

// The bits of a number, or of 0 where it is below the normal ones, as some drivers make it.
fn without_tiny(bits: u32) -> u32 {
    return select(bits, 0u, (bits & 0x7f800000u) == 0u);
}

// The bits of which this is the key.
fn order_bits(key: u32) -> u32 {
    return select(~key, key & 0x7fffffffu, key >> 31u == 1u);
}
