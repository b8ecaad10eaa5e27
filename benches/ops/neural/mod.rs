mod activate;
mod augment;
mod convolution;
mod dense;
mod embedding;
mod gather_batch;
mod latent;
mod loss;
mod normalise;
mod norms;
mod pool;
mod recurrent;
mod tie;
mod update;

use super::case::Case;

pub fn cases() -> Vec<Case> {
    [
        activate::cases(),
        augment::cases(),
        convolution::cases(),
        dense::cases(),
        embedding::cases(),
        gather_batch::cases(),
        latent::cases(),
        loss::cases(),
        normalise::cases(),
        norms::cases(),
        pool::cases(),
        recurrent::cases(),
        tie::cases(),
        update::cases(),
    ]
    .concat()
}
