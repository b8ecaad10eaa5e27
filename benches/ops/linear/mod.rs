mod coordinate_descent;
mod margin_gradient;

use super::case::Case;

pub fn cases() -> Vec<Case> {
    let mut cases = coordinate_descent::cases();
    cases.extend(margin_gradient::cases());
    cases
}
