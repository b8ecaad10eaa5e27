mod dense;
mod gather_batch;
mod latent;
mod loss;
mod norms;
mod tie;
mod update;
