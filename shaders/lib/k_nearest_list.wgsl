// The sorted list of the nearest so far: entries of a distance's bits and an index, in ascending order of both.
// Distances are never negative, so their bits order as they do; other values come as their order keys.
// An entry lies `stride` from the one before, so that lanes with neighbouring rows touch neighbouring memory.
const NO_INDEX = 0xffffffffu;

fn entry_less(a: vec2<u32>, b: vec2<u32>) -> bool {
    return a.x < b.x || (a.x == b.x && a.y < b.y);
}

// Puts an entry that is less than the last one in its place; the last one falls out.
fn list_insert(first: u32, stride: u32, last: u32, entry: vec2<u32>) {
    var place = last;
    while (place > 0u) {
        let before = list[first + (place - 1u) * stride];
        if (!entry_less(entry, before)) {
            break;
        }
        list[first + place * stride] = before;
        place -= 1u;
    }
    list[first + place * stride] = entry;
}

// Puts the lists of other layers into that of the first. They took other columns, so entries are compared by both words.
fn list_merge(row: u32, stride: u32, length: u32, layers: u32) {
    let last = length - 1u;
    for (var layer = 1u; layer < layers; layer += 1u) {
        for (var slot = 0u; slot < length; slot += 1u) {
            let entry = list[(layer * length + slot) * stride + row];
            if (!entry_less(entry, list[last * stride + row])) {
                break;
            }
            list_insert(row, stride, last, entry);
        }
    }
}
