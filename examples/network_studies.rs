//! Studies of networks: XOR by hand and trained with its hidden units, width, double descent, lottery tickets, an untrained
//! network, depth, decision regions over epochs; with MNIST's files also tickets and a variational autoencoder on its images.
//!
//! `cargo run --release --example network_studies [FILE.svg] [FOLDER OF MNIST]`

use std::path::Path;

use gristmill::datasets::notes;
use gristmill::neural::studies::*;
use gristmill::neural::{
    Activation, Decoder, MlpClassifier, Start, VariationalAutoencoder, regions_over_epochs, tiles,
};
use gristmill::plot::Panels;
use gristmill::prelude::*;

fn main() -> gristmill::Result<()> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "network_studies.svg".to_string());
    draw(&path)?.iter().for_each(|line| println!("{line}"));
    larger(&beside(&path, "larger"))?.iter().for_each(|line| println!("{line}"));
    println!("{path}");
    if let Some(folder) = std::env::args().nth(2) {
        mnist(Path::new(&folder), &path)?.iter().for_each(|line| println!("{line}"));
    }
    Ok(())
}

/// The name of another picture beside one.
fn beside(path: &str, what: &str) -> String {
    path.replace(".svg", &format!("_{what}.svg"))
}

/// Draws what a second shows, and returns its numbers.
pub fn draw(path: &str) -> gristmill::Result<Vec<String>> {
    let mut panels = Panels::new(4)?.title("Networks");
    let corners = notes::xor(200, 1)?;
    let trained = xor_trained(&corners, 4, 1500, 0)?;
    for figure in trained.figures()? {
        panels = panels.figure(figure);
    }
    let widths = width_study(&corners, &[2, 8, 32, 128], 200, false, 0)?;
    for figure in widths.figures() {
        panels = panels.figure(figure);
    }
    let (train, test) = notes::noisy_xor(60, 2)?;
    let features = random_features_study((&train, &test), &[5, 15, 30, 45, 60, 90, 150, 300], 3, 0)?;
    panels = panels.figure(features.figure()?);
    let starts = [
        (Activation::Logistic, Start::Glorot),
        (Activation::Tanh, Start::Glorot),
        (Activation::Relu, Start::He),
        (Activation::Relu, Start::Normal(1.0)),
    ];
    for figure in depth_study(&corners, (&[1, 2, 3, 5, 8, 12, 20, 30], 16), &starts, 0)?.figures() {
        panels = panels.figure(figure);
    }
    let moons = datasets::moons(100, 0.2, 1)?;
    let mlp = MlpClassifier::default().hidden_layer_sizes(vec![32]).learning_rate_init(0.02).tol(0.0);
    for figure in regions_over_epochs(&mlp, (&moons.x, moons.labels()?), &[1, 10, 100], 40)? {
        panels = panels.figure(figure);
    }
    panels.save(path)?;
    Ok(vec![
        format!("XOR trained: {:.1} % right", 100.0 * trained.accuracy),
        format!("random features on 60 rows: the test error peaks at {} parameters", features.peak()),
    ])
}

/// Draws the studies that take some seconds, and returns their numbers.
fn larger(path: &str) -> gristmill::Result<Vec<String>> {
    let mut panels = Panels::new(3)?.title("Networks, larger studies");
    let corners = notes::xor(200, 1)?;
    let widths = width_study(&corners, &[2, 4, 8, 16, 32, 64, 128], 1000, false, 0)?;
    let lazy = width_study(&corners, &[2, 4, 8, 16, 32, 64, 128], 1000, true, 0)?;
    let mut lines =
        vec![format!("relative change of the first layer, widths 2 to 128: {:.2?}", widths.relative_changes)];
    lines.push(format!("the same from the tangent kernel's start: {:.2?}", lazy.relative_changes));
    for figure in widths.figures() {
        panels = panels.figure(figure);
    }
    let (train, test) = notes::noisy_xor(200, 1)?;
    let counts = [5, 10, 25, 50, 100, 150, 180, 200, 220, 260, 350, 600, 1000, 2000];
    let features = random_features_study((&train, &test), &counts, 3, 0)?;
    lines.push(format!("random features on 200 rows: the test error peaks at {} parameters", features.peak()));
    let noisy = datasets::Classification::default().n_samples(600).n_features(10).n_informative(5).n_redundant(0);
    let noisy = noisy.flip_y(0.3).generate()?;
    let (train, test) = ((0..100).collect::<Vec<usize>>(), (100..600).collect::<Vec<usize>>());
    let widths = [1, 2, 3, 5, 7, 10, 15, 20, 50, 100, 300];
    let networks = trained_width_study((&noisy.select(&train)?, &noisy.select(&test)?), &widths, (4000, 3), 0)?;
    lines.push(format!("trained networks on 100 rows: the test error peaks at {} parameters", networks.peak()));
    panels = panels.figure(features.figure()?.title("Random relu features"));
    panels = panels.figure(networks.figure()?.title("Trained networks"));
    let mut digits = datasets::digits()?;
    digits.x.as_mut_slice().iter_mut().for_each(|pixel| *pixel /= 16.0);
    let (train, test) = digits.split(0.7, 1)?;
    let tickets = lottery_study((&train, &test), &LotteryOptions { learning_rate: 4e-3, ..Default::default() })?;
    lines.push(format!("tickets on digits: dense {:.3}, rewound {:.3?}", tickets.dense, tickets.rewound));
    let mask = untrained_mask_study((&train, &test), &[256], (0.5, 1000, 0.1), 0)?;
    let found = mask.accuracies.last().copied().unwrap_or(mask.before);
    lines.push(format!("half of an untrained network on digits: {:.3} before, {found:.3} chosen", mask.before));
    panels.figure(tickets.figure()).figure(mask.figure()).save(path)?;
    Ok(lines)
}

/// Tickets and a variational autoencoder on MNIST; pictures go beside `path`.
fn mnist(folder: &Path, path: &str) -> gristmill::Result<Vec<String>> {
    let images = |part: &str| -> Result<Matrix> {
        let mut x = Dataset::read(folder.join(format!("{part}-images-idx3-ubyte.gz")))?.x;
        x.as_mut_slice().iter_mut().for_each(|pixel| *pixel /= 255.0);
        Ok(x)
    };
    let with_digits = |part: &str| -> Result<Dataset> {
        let digits = Dataset::read(folder.join(format!("{part}-labels-idx1-ubyte.gz")))?.x;
        let codes: Vec<u32> = digits.as_slice().iter().map(|digit| *digit as u32).collect();
        Dataset::new(images(part)?, Target::Classes(Labels::from(codes.as_slice())))
    };
    let (train, test) = (with_digits("train")?, with_digits("t10k")?);
    let mut lines = vec![];
    let options = LotteryOptions { pruned: vec![0.5, 0.8, 0.9], steps: 2000, batch_size: 128, ..Default::default() };
    let tickets = lottery_study((&train, &test), &options)?;
    lines.push(format!(
        "tickets on MNIST at 50, 80 and 90 % pruned: dense {:.4}, rewound {:.4?}, redrawn {:.4?}",
        tickets.dense, tickets.rewound, tickets.redrawn
    ));
    let vae = VariationalAutoencoder::new(20).hidden_layer_sizes(vec![400]).decoder(Decoder::Bernoulli);
    let model = vae.batch_size(128).max_iter(5).fit(&train.x)?;
    let bounds = model.elbo(&test.x, 1)?;
    lines.push(format!("ELBO of MNIST's test images: {:.1} nats", bounds.iter().sum::<f64>() / bounds.len() as f64));
    let few = test.x.select(&(0..20).collect::<Vec<_>>())?;
    let back = model.decode(&model.encode(&few)?)?;
    let both = Matrix::from_vec(40, 784, [few.as_slice(), back.as_slice()].concat())?;
    tiles("Images, and what comes back", &both, [28, 28], 20)?.save(beside(path, "reconstructions"))?;
    tiles("Samples", &model.sample_means(60, 1)?, [28, 28], 20)?.save(beside(path, "samples"))?;
    tickets.figure().save(beside(path, "tickets"))?;
    Ok(lines)
}
