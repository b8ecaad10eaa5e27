//! Networks: what they learn, and what studies of them show.

use gristmill::datasets::notes;
use gristmill::neural::studies::{BooleanMemoriser, random_features_study, xor_by_hand};
use gristmill::neural::{Activation, Autoencoder, Decoder, MlpClassifier, VariationalAutoencoder};
use gristmill::prelude::*;

use super::page::Page;

pub fn show(page: &mut Page, gpu: Option<&Device>) -> Result<()> {
    page.section("Networks, on the digits, 30 % for testing");
    let mut digits = datasets::digits()?;
    digits.x.as_mut_slice().iter_mut().for_each(|pixel| *pixel /= 16.0);
    let (train, test) = digits.split(0.7, 1)?;
    let mlp = MlpClassifier::default().hidden_layer_sizes(vec![64]).learning_rate_init(5e-3).max_iter(15);
    for device in [Some(&Device::Cpu), gpu].into_iter().flatten() {
        let model = mlp.fit(&train.x.to(device)?, train.labels()?)?;
        let right = 100.0 * model.score(&test.x, test.labels()?)?;
        let (loss, epochs) = (model.losses().last().copied().unwrap_or(f64::NAN), model.iterations());
        let found = format!("64-64-10: {right:.1} % right after {epochs} epochs, loss {loss:.3}");
        page.fact(&device.info().name, found);
    }
    let autoencoder = Autoencoder::new(8).hidden_layer_sizes(vec![32]).activation(Activation::Tanh);
    let model = autoencoder.learning_rate_init(5e-3).batch_size(64).max_iter(30).fit(&train.x)?;
    let error = model.reconstruction_error(&test.x)?;
    page.fact("autoencoder", format!("64 pixels through 8 numbers and back: squared error {error:.3} a pixel"));
    let vae = VariationalAutoencoder::new(2).hidden_layer_sizes(vec![32]).decoder(Decoder::Bernoulli);
    let model = vae.learning_rate_init(5e-3).max_iter(10).fit(&train.x)?;
    let few = test.x.select(&(0..100).collect::<Vec<_>>())?;
    let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
    let (bound, likelihood) = (mean(model.elbo(&few, 10)?), mean(model.log_likelihood(&few, 10)?));
    page.fact("variational autoencoder", format!("ELBO {bound:.1}, log-likelihood {likelihood:.1} nats a row"));
    page.section("Networks under study");
    page.fact("XOR by hand", format!("{:.0} of 4 corners right", 4.0 * xor_by_hand()?.accuracy));
    let parity = BooleanMemoriser::new(8, |bits| bits.iter().product::<f32>() > 0.0)?;
    let (units, mistakes) = (parity.units(), parity.mistakes()?);
    page.fact("parity of 8 inputs", format!("{units} sign units, {mistakes} mistakes on all 256 inputs"));
    let (train, test) = notes::noisy_xor(60, 2)?;
    let study = random_features_study((&train, &test), &[15, 30, 60, 120, 300], 3, 0)?;
    page.fact("double descent", format!("60 rows: the test error peaks at {} random features", study.peak()));
    Ok(())
}
