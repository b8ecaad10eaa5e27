//! Lists that are written with commas.

/// The pieces between commas; commas inside brackets do not part them.
pub fn split_list(text: &str) -> Vec<&str> {
    let (mut pieces, mut depth, mut start) = (vec![], 0, 0);
    for (at, letter) in text.char_indices() {
        match letter {
            '[' | '{' => depth += 1,
            ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                pieces.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    pieces.push(&text[start..]);
    pieces
}
