// What a row adds to one word of its cells, 64 bits as two words, as often as its tree drew the row.
// `packed` begins with the rows' classes, where there are classes; then come words of the rows, the lower half first. Classes: a
// word a row, which it adds to that of its class and to no other. Numbers: WORDS words a row, one for each word of a cell.
// The shader that imports this binds `packed`, says WORDS and imports `wide`.

override BY_CLASS: u32 = 1u;

// The tree takes every row once, and no counts of draws stand anywhere.
const ONCE = 0xffffffffu;

fn times_of(word: vec2<u32>, times: u32) -> vec2<u32> {
    let low = multiply(word.x, times);
    return vec2(low.y, low.x + word.y * times);
}

// `first` is where the words of the tree's rows begin, `drawn` where the counts of its draws do, or ONCE.
fn row_word(first: u32, drawn: u32, row: u32, word: u32) -> vec2<u32> {
    let is_count = BY_CLASS == 1u || word == 0u;
    let place = first + 2u * select(row * WORDS + word, row, BY_CLASS == 1u);
    let own = vec2(packed[place], packed[place + 1u]);
    if (drawn == ONCE) {
        return own;
    }
    // A weight stands above a count of one, which stays one.
    let one = vec2(select(0u, 1u, is_count), 0u);
    return wide_add(times_of(wide_subtract(own, one), packed[drawn + row]), one);
}
