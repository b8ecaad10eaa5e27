// Philox4x32-10: four random numbers from a counter and a key.
// Number i is the same whoever asks for it and in whatever order, and the same as the host's.
// A shader that draws imports this; random/philox fills vectors.
//#import wide
fn philox_of(counter: vec4<u32>, first_key: vec2<u32>) -> vec4<u32> {
    var c = counter;
    var key = first_key;
    for (var round = 0u; round < 10u; round += 1u) {
        let first = multiply(c.x, 0xd2511f53u);
        let second = multiply(c.z, 0xcd9e8d57u);
        c = vec4(second.x ^ c.y ^ key.x, second.y, first.x ^ c.w ^ key.y, first.y);
        key += vec2(0x9e3779b9u, 0xbb67ae85u);
    }
    return c;
}
