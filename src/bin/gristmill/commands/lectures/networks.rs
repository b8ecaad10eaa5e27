//! Networks: 000 §5, 001 §6, 002 (variational autoencoder).

use gristmill::datasets::notes;
use gristmill::neural::studies::{
    BooleanMemoriser, XorNetwork, untrained_mask_study, width_study, xor_by_hand, xor_trained,
};
use gristmill::neural::{Activation, Decoder, VariationalAutoencoder, tiles};
use gristmill::plot::Figure;
use gristmill::prelude::*;

use super::book::Experiment;

pub fn experiments() -> Result<Vec<Experiment>> {
    Ok(vec![by_hand()?, trained()?, memoriser()?, width()?, untrained()?, variational()?])
}

fn with_figures(experiment: Experiment, figures: Vec<Figure>) -> Experiment {
    figures.into_iter().fold(experiment, Experiment::figure)
}

fn by_hand() -> Result<Experiment> {
    let network = xor_by_hand()?;
    let ours = format!("sign(relu(x₁ + x₂) + relu(−x₁ − x₂) − 1): {:.0} of 4 corners right", 4.0 * network.accuracy);
    let experiment = Experiment::new("000 §5.2", "XOR by hand, two relu units and a sign", "an exercise", ours);
    Ok(with_figures(experiment.why("the notes' label is + on equal signs"), network.figures()?))
}

fn trained() -> Result<Experiment> {
    let data = notes::xor(200, 1)?;
    let runs: Vec<XorNetwork> = (0..5).map(|seed| xor_trained(&data, 4, 2500, seed)).collect::<Result<_>>()?;
    let accuracies: Vec<String> = runs.iter().map(|run| format!("{:.1}", 100.0 * run.accuracy)).collect();
    let best = (1..runs.len()).fold(0, |best, at| if runs[at].accuracy > runs[best].accuracy { at } else { best });
    let ours = format!("{} % right from five starts", accuracies.join(", "));
    let notes = "maps of the output and of the four hidden units";
    let experiment = Experiment::new("000 §5.2", "XOR trained: 2–4–1, relu, 2500 steps", notes, ours);
    Ok(with_figures(experiment.why("some starts stick"), runs[best].figures()?))
}

fn memoriser() -> Result<Experiment> {
    let mut wrong = 0;
    for n in 1..=10 {
        wrong += BooleanMemoriser::new(n, |bits| bits.iter().product::<f32>() > 0.0)?.mistakes()?;
        wrong += BooleanMemoriser::new(n, |bits| bits.iter().sum::<f32>() > 0.0)?.mistakes()?;
    }
    let ours = format!("parity and majority of 1 to 10 inputs: {wrong} mistakes on all 2ⁿ inputs");
    let parity = BooleanMemoriser::new(4, |bits| bits.iter().product::<f32>() > 0.0)?;
    let notes = "one hidden layer of k sign units is any {±1}ⁿ → {±1}";
    Ok(Experiment::new("000 §5.4.1, 001", "Boolean memoriser", notes, ours).figure(parity.figure()?))
}

fn width() -> Result<Experiment> {
    let data = notes::xor(200, 1)?;
    let widths = [2, 8, 32, 128];
    let study = width_study(&data, &widths, 600, false, 0)?;
    let lazy = width_study(&data, &widths, 600, true, 0)?;
    let words = |values: &[f64]| values.iter().map(|value| format!("{value:.2}")).collect::<Vec<_>>().join(" ");
    let losses: Vec<f64> = study.losses.iter().map(|losses| losses[losses.len() - 1]).collect();
    let ours = format!(
        "widths 2, 8, 32, 128: loss {}, relative change {}; {} with the kernel's start",
        words(&losses),
        words(&study.relative_changes),
        words(&lazy.relative_changes)
    );
    let experiment = Experiment::new("000 §5.4.3–4", "Effect of width", "wider trains faster and changes less?", ours);
    let why = "with 1/√n on both layers ‖W₁‖ begins at √2 for every width, so the change levels off";
    Ok(with_figures(experiment.why(why), study.figures()))
}

fn untrained() -> Result<Experiment> {
    let mut digits = datasets::digits()?;
    digits.x.as_mut_slice().iter_mut().for_each(|pixel| *pixel /= 16.0);
    let (train, test) = digits.split(0.7, 1)?;
    let study = untrained_mask_study((&train, &test), &[128], (0.5, 400, 0.1), 0)?;
    let best = study.accuracies.last().copied().unwrap_or(study.before);
    let ours = format!(
        "digits: {:.1} % right as drawn, {:.1} % with the half of the weights that scores keep; no weight moved",
        100.0 * study.before,
        100.0 * best
    );
    let notes = "\"can yield a good predictor\"";
    Ok(Experiment::new("000 §5.4.6", "Pruning an untrained network", notes, ours).figure(study.figure()))
}

fn variational() -> Result<Experiment> {
    let mut digits = datasets::digits()?;
    digits.x.as_mut_slice().iter_mut().for_each(|pixel| *pixel /= 16.0);
    let vae = VariationalAutoencoder::new(8).hidden_layer_sizes(vec![128]).decoder(Decoder::Gaussian);
    let vae = vae.activation(Activation::Tanh).batch_size(64).learning_rate_init(2e-3).max_iter(40);
    let model = vae.fit(&digits.x)?;
    let few = digits.x.select(&(0..100).collect::<Vec<_>>())?;
    let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
    let (bound, likelihood) = (mean(model.elbo(&few, 20)?), mean(model.log_likelihood(&few, 20)?));
    let ours = format!("digits: ELBO {bound:.1} ≤ log-likelihood by importance sampling {likelihood:.1} nats a row");
    let codes = Figure::new().title("Codes of the digits, two columns of eight");
    let codes = codes.scatter_classes(&model.encode(&digits.x)?, [0, 1], digits.labels()?)?;
    let notes = "μ and Σ of x given z, sampling; no number";
    Ok(Experiment::new("002, VAE", "Variational autoencoder with a Gaussian decoder", notes, ours)
        .figure(codes)
        .figure(tiles("Sampled digits (means)", &model.sample_means(40, 1)?, [8, 8], 10)?))
}
