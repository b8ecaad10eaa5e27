mod dense;
mod gather_batch;
mod loss;
mod norms;
mod update;

use super::case::Case;

pub fn cases() -> Vec<Case> {
    [dense::cases(), gather_batch::cases(), loss::cases(), norms::cases(), update::cases()].concat()
}
