//! Rows on a GPU have a length that is a multiple of four.

use gristmill::array::{pad, padded, unpad};

#[test]
fn padding_comes_off_as_it_went_on_in_pieces_of_any_length() {
    for columns in [1, 2, 3, 4, 5, 7, 8] {
        let values: Vec<f32> = (0..5 * columns).map(|value| value as f32).collect();
        let words = 5 * padded(columns);
        for piece in [1, 2, 3, 5, words] {
            let mut back = vec![];
            let mut at = 0;
            for first in (0..words).step_by(piece) {
                let mut part = vec![7; piece.min(words - first)];
                pad(&values, columns, first, &mut part);
                at = unpad(&part, padded(columns), columns, at, &mut back);
            }
            assert_eq!(back, values, "{columns} columns in pieces of {piece}");
        }
    }
}
