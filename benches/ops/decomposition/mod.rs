mod contrast;
mod map_update;
mod row_descent;
mod sparse_code;

use super::case::Case;

pub fn cases() -> Vec<Case> {
    let mut cases = contrast::cases();
    cases.extend(map_update::cases());
    cases.extend(row_descent::cases());
    cases.extend(sparse_code::cases());
    cases
}
