mod dense;
mod gather_batch;
mod loss;
mod norms;
mod update;
