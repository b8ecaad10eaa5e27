mod argmax_rows;
mod argmin_rows;
mod column_moments;
mod column_sums;
mod minimum;
mod row_sums;
mod sum;

use super::case::Case;

pub fn cases() -> Vec<Case> {
    [
        argmax_rows::cases(),
        argmin_rows::cases(),
        column_moments::cases(),
        column_sums::cases(),
        minimum::cases(),
        row_sums::cases(),
        sum::cases(),
    ]
    .concat()
}
