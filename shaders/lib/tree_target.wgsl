// What a row adds to one word of its cells, 64 bits as two words, for the variants of tree/target_histogram.
// Classes: the first words of `packed` are the rows' classes, and a row adds its weight and count to the word of its
// class and to no other. Numbers: WORDS words a row, one for each word of a cell.
//#import tree_pieces
override BY_CLASS: u32 = 1u;
override WORDS: u32 = 2u;

fn row_word(first: u32, row: u32) -> vec2<u32> {
    if (BY_CLASS == 1u) {
        let own = packed[row] == params.word;
        let place = first + 2u * row;
        return select(vec2(0u), vec2(packed[place], packed[place + 1u]), own);
    }
    let place = first + 2u * (row * WORDS + params.word);
    return vec2(packed[place], packed[place + 1u]);
}
