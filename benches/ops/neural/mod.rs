mod dense;
mod gather_batch;
mod latent;
mod loss;
mod norms;
mod tie;
mod update;

use super::case::Case;

pub fn cases() -> Vec<Case> {
    let first = [dense::cases(), gather_batch::cases(), latent::cases(), loss::cases()].concat();
    [first, norms::cases(), tie::cases(), update::cases()].concat()
}
