use gristmill::decomposition::Pca;
use gristmill::estimator::Model;
use gristmill::linalg::Svd;
use gristmill::neural::*;
use gristmill::ops::neural::zeros;
use gristmill::prelude::*;
use gristmill::solvers::{Rate, UpdateRule};
use nalgebra::DMatrix;

use crate::support::{devices, gpu_with, matrix};

/// Rows near a plane, columns of different spread, not centred.
fn flat_rows(rows: usize) -> Matrix {
    let (codes, noise) = (matrix(rows, 2, 1), matrix(rows, 5, 2));
    let directions = [[1.0, 0.5, -0.3, 0.2, 0.0], [-0.2, 0.4, 0.9, 0.0, 0.6]];
    let value = |row: usize, column: usize| {
        let plane = 2.0 * codes.get(row, 0) * directions[0][column] + 1.2 * codes.get(row, 1) * directions[1][column];
        plane + 0.2 * noise.get(row, column) + 0.5
    };
    Matrix::from_vec(rows, 5, (0..rows * 5).map(|at| value(at / 5, at % 5)).collect()).unwrap()
}

/// The sine of the largest principal angle between the rows of both (k×d).
fn largest_angle(first: &DMatrix<f64>, second: &DMatrix<f64>) -> f64 {
    let basis = |rows: &DMatrix<f64>| rows.transpose().qr().q();
    let (a, b) = (basis(first), basis(second));
    let apart = &b - &a * (a.transpose() * &b);
    Svd::factor(&apart).unwrap().values()[0]
}

#[test]
fn a_linear_autoencoder_spans_the_plane_of_the_principal_components() {
    let x = flat_rows(120);
    let wanted = Pca::default().n_components(2).fit(&x).unwrap().components();
    for tied in [false, true] {
        let autoencoder = Autoencoder::new(2).tied(tied).batch_size(120).learning_rate_init(0.02);
        let model = autoencoder.tol(0.0).n_iter_no_change(3000).max_iter(2500).fit(&x).unwrap();
        let decoder = model.weights().unwrap()[1].to_dmatrix();
        let angle = largest_angle(&decoder, &wanted);
        assert!(angle <= 1e-3, "tied {tied}: {angle}");
    }
}

#[test]
fn tied_weights_stay_equal_and_their_gradient_is_the_sum_of_both() {
    let x = flat_rows(30);
    let autoencoder = Autoencoder::new(2).hidden_layer_sizes(vec![7, 3]).tied(true).max_iter(3).batch_size(16);
    for (name, device) in devices() {
        let model = autoencoder.fit(&x.to(device).unwrap()).unwrap();
        let weights = model.weights().unwrap();
        for layer in 0..3 {
            let (one, other) = (&weights[layer], &weights[5 - layer]);
            for (row, column) in (0..one.rows()).flat_map(|row| (0..one.columns()).map(move |column| (row, column))) {
                assert_eq!(one.get(row, column).to_bits(), other.get(column, row).to_bits(), "{name}, layer {layer}");
            }
        }
        assert!(model.losses()[2] < model.losses()[0], "{name}");
    }
    let network = || {
        let plain = Network::new(Shape::Flat(5), OutputLoss::Squared);
        let plain = plain.layer(Dense::new(3, Activation::Tanh)).unwrap();
        plain.layer(Dense::new(5, Activation::Identity)).unwrap()
    };
    let tied = network().tied(0, 2).unwrap();
    let start = tied.start(4);
    assert!(network().tied(0, 1).is_err() && network().tied(0, 0).is_err());
    for (name, device) in devices() {
        let rows = x.to(device).unwrap();
        let free = check_gradient(&network(), &start, &rows, (&x, false), [0.0; 2]).unwrap();
        let both = check_gradient(&tied, &start, &rows, (&x, false), [0.0; 2]).unwrap();
        let block = |gradient: &[f32], at: usize| network().block(gradient, at).unwrap();
        for (row, column) in (0..5).flat_map(|row| (0..3).map(move |column| (row, column))) {
            let wanted = block(&free.gradient, 0).get(row, column) + block(&free.gradient, 2).get(column, row);
            let found = block(&both.gradient, 0).get(row, column);
            assert!((found - wanted).abs() < 1e-4, "{name}: {found} for {wanted}");
            assert_eq!(found, block(&both.gradient, 2).get(column, row), "{name}");
        }
    }
}

#[test]
fn the_gradient_of_a_gaussian_loss_is_that_of_central_differences() {
    let network = Network::new(Shape::Flat(4), OutputLoss::Gaussian);
    let network = network.layer(Dense::new(6, Activation::Tanh)).unwrap();
    for columns in [1, 3, 40] {
        let network = network.clone().layer(Dense::new(2 * columns, Activation::Identity)).unwrap();
        let (x, y) = (matrix(9, 4, 3), matrix(9, columns, 8));
        for (name, device) in devices() {
            let check = check_gradient(&network, &network.start(5), &x.to(device).unwrap(), (&y, false), [0.0; 2]);
            let error = check.unwrap().largest_error();
            assert!(error < 1e-4, "{name}, {columns}: {error}");
        }
    }
}

/// −ELBO as a mean over rows in f64, for codes of fixed normals.
fn negative_elbo(parameters: &[f64], (x, normals): (&Matrix, &[f64]), [d, h, k]: [usize; 3], gaussian: bool) -> f64 {
    let mut total = 0.0;
    let dense = |place: &mut usize, input: &[f64], outputs: usize, tanh: bool| -> Vec<f64> {
        let stride = outputs.next_multiple_of(4);
        let at = |row: usize, unit: usize| parameters[*place + row * stride + unit];
        let sum = |unit: usize| {
            input.iter().enumerate().map(|(row, value)| value * at(row, unit)).sum::<f64>() + at(input.len(), unit)
        };
        let made = (0..outputs).map(|unit| if tanh { sum(unit).tanh() } else { sum(unit) }).collect();
        *place += (input.len() + 1) * stride;
        made
    };
    let outputs = if gaussian { 2 * d } else { d };
    for row in 0..x.rows() {
        let input: Vec<f64> = x.row(row).iter().copied().map(f64::from).collect();
        let place = &mut 0;
        let hidden = dense(place, &input, h, true);
        let code = dense(place, &hidden, 2 * k, false);
        let z: Vec<f64> = (0..k).map(|at| code[at] + (0.5 * code[k + at]).exp() * normals[row * k + at]).collect();
        let hidden = dense(place, &z, h, true);
        let sums = dense(place, &hidden, outputs, false);
        total += divergence(&code, k);
        for (column, x) in input.iter().enumerate() {
            total += match gaussian {
                true => {
                    let variance = 1e-3 + sums[d + column].exp();
                    0.5 * ((std::f64::consts::TAU * variance).ln() + (sums[column] - x).powi(2) / variance)
                }
                false => sums[column].max(0.0) - sums[column] * x + (-sums[column].abs()).exp().ln_1p(),
            };
        }
    }
    total / x.rows() as f64
}

fn divergence(code: &[f64], k: usize) -> f64 {
    let one = |at: usize| 0.5 * (code[at].powi(2) + code[k + at].exp() - 1.0 - code[k + at]);
    (0..k).map(one).sum()
}

#[test]
fn gradient_and_loss_of_a_variational_autoencoder_are_those_in_f64() {
    let (rows, d, h, k) = (7, 5, 6, 3);
    let raw = matrix(rows, d, 3);
    let x = Matrix::from_vec(rows, d, raw.as_slice().iter().map(|value| 0.5 + 0.4 * value).collect()).unwrap();
    for gaussian in [false, true] {
        let (outputs, last, loss) = match gaussian {
            true => (2 * d, Activation::Identity, OutputLoss::Gaussian),
            false => (d, Activation::Logistic, OutputLoss::BinaryCrossEntropy),
        };
        let network = Network::new(Shape::Flat(d), loss).layer(Dense::new(h, Activation::Tanh)).unwrap();
        let network = network.layer(Dense::new(2 * k, Activation::Identity)).unwrap();
        let network = network.layer(Latent { columns: k }).unwrap().layer(Dense::new(h, Activation::Tanh)).unwrap();
        let network = network.layer(Dense::new(outputs, last)).unwrap();
        let start = network.start(2);
        for (name, device) in devices() {
            let mut stream = device.stream();
            let stream = &mut stream;
            let mut buffers = Buffers::new(stream, &network, rows, d).unwrap();
            let padded: Vec<f32> = (0..rows).flat_map(|row| x.row(row).iter().copied().chain([0.0; 3])).collect();
            buffers.values[0].write(stream, 0, &padded).unwrap();
            buffers.targets.write(stream, 0, &padded).unwrap();
            let parameters = DeviceVec::from_slice(&start, device).unwrap();
            let (mut gradient, mut sums) = (zeros(stream, start.len()).unwrap(), zeros(stream, 16).unwrap());
            let random = (9, 4);
            network.forward(stream, &parameters, &mut buffers, rows, (true, random)).unwrap();
            let targets = TargetLayout { classes: false, weight: None, columns: d };
            network.output_loss(stream, &mut buffers, (rows, targets), (&mut sums, 0)).unwrap();
            network.backward(stream, (&parameters, &mut gradient), &mut buffers, rows, (false, random)).unwrap();
            let (code, z) = (buffers.values[2].to_vec(stream).unwrap(), buffers.values[3].to_vec(stream).unwrap());
            let normal = |row: usize, at: usize| {
                let (mean, spread) = (f64::from(code[row * 8 + at]), f64::from(code[row * 8 + k + at]));
                (f64::from(z[row * 4 + at]) - mean) / (0.5 * spread).exp()
            };
            let normals: Vec<f64> = (0..rows * k).map(|at| normal(at / k, at % k)).collect();
            assert!(normals.iter().any(|value| value.abs() > 0.5), "{name}: codes are drawn");
            let mut at: Vec<f64> = start.iter().copied().map(f64::from).collect();
            let value = |at: &[f64]| negative_elbo(at, (&x, &normals), [d, h, k], gaussian);
            let read = sums.to_vec(stream).unwrap();
            let found = f64::from(read[0]) / rows as f64;
            assert!((found - value(&at)).abs() < 1e-4 * found.abs().max(1.0), "{name}: {found} for {}", value(&at));
            for (place, found) in gradient.to_vec(stream).unwrap().into_iter().enumerate() {
                let before = at[place];
                at[place] = before + 1e-5;
                let above = value(&at);
                at[place] = before - 1e-5;
                let wanted = (above - value(&at)) / 2e-5;
                at[place] = before;
                let error = (f64::from(found) - wanted).abs() / wanted.abs().max(1.0);
                assert!(error < 1e-4, "{name}, gaussian {gaussian}, {place}: {found} for {wanted}");
            }
        }
    }
}

#[test]
fn an_epoch_of_a_variational_autoencoder_reads_once_and_uploads_nothing() {
    let device = &gpu_with(DeviceOptions::default());
    let network = Network::new(Shape::Flat(5), OutputLoss::Gaussian).layer(Dense::new(8, Activation::Relu)).unwrap();
    let network = network.layer(Dense::new(4, Activation::Identity)).unwrap().layer(Latent { columns: 2 }).unwrap();
    let network = network.layer(Dense::new(10, Activation::Identity)).unwrap();
    let x = matrix(96, 5, 1).to(device).unwrap();
    let targets = TargetLayout { classes: false, weight: None, columns: 5 };
    let rows = TrainingRows { x: &x, y: &x, targets };
    let indices: Vec<u32> = (0..96).collect();
    let indices = DeviceVec::from_slice(&indices, device).unwrap();
    let options = TrainingOptions {
        batch_size: 16,
        rule: UpdateRule::ADAM,
        rate: Rate::Constant(1e-3),
        l1: 0.0,
        l2: 0.0,
        clip_norm: None,
        noise: 0.0,
        shuffle: true,
        seed: 1,
    };
    let state = LearnerState::new(network.start(1));
    let mut learner = Learner::new(device, network, options, &state, (96, 5)).unwrap();
    let mut stream = device.stream();
    learner.epoch(&mut stream, (rows, &indices), None).unwrap();
    device.profile(true);
    learner.epoch(&mut stream, (rows, &indices), None).unwrap();
    let profile = device.profile_report();
    device.profile(false);
    assert_eq!((profile.readbacks, profile.uploads), (1, 0), "{profile:?}");
    assert_eq!(profile.kernels["neural/latent"].dispatches, 6 * 3); // both ways, and the divergence
}

/// The digits' first rows, within [0, 1].
fn digits(rows: usize) -> Matrix {
    let x = datasets::digits().unwrap().x.select(&(0..rows).collect::<Vec<_>>()).unwrap();
    Matrix::from_vec(rows, 64, x.as_slice().iter().map(|value| value / 16.0).collect()).unwrap()
}

#[test]
fn the_bound_is_below_the_importance_sampled_log_likelihood_and_rises_with_learning() {
    let x = digits(90);
    for decoder in [Decoder::Bernoulli, Decoder::Gaussian] {
        let vae = VariationalAutoencoder::new(3).hidden_layer_sizes(vec![16]).decoder(decoder).batch_size(30);
        for (name, device) in devices() {
            let model = vae.clone().learning_rate_init(5e-3).max_iter(12).fit(&x.to(device).unwrap()).unwrap();
            let elbos = model.elbos();
            assert!(elbos[11] > elbos[0] + 1.0, "{name}: {elbos:?}");
            let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
            let bound = mean(model.elbo(&x, 50).unwrap());
            let likelihood = mean(model.log_likelihood(&x, 50).unwrap());
            assert!(bound <= likelihood && likelihood < bound + 10.0, "{name}, {decoder:?}: {bound}, {likelihood}");
            // Epochs tell the bound while it rises: what was reached lies between the last and the next.
            let longer = vae.clone().learning_rate_init(5e-3).max_iter(13).fit(&x.to(device).unwrap()).unwrap();
            let (last, next, margin) = (elbos[11], longer.elbos()[12], 0.15 * bound.abs() + 3.0);
            let between = last.min(next) - margin < bound && bound < last.max(next) + margin;
            assert!(between, "{name}: {bound} beside {last} and {next}");
        }
    }
}

#[test]
fn codes_samples_and_files_of_autoencoders_fit_each_other() {
    let x = digits(60);
    for decoder in [Decoder::Bernoulli, Decoder::Gaussian] {
        let vae = VariationalAutoencoder::new(2).hidden_layer_sizes(vec![8]).decoder(decoder).max_iter(4);
        let model = vae.fit(&x).unwrap();
        let same = VariationalAutoencoderModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(model.to_bytes().unwrap(), same.to_bytes().unwrap());
        let z = model.encode(&x).unwrap();
        assert_eq!((z.rows(), z.columns()), (60, 2));
        assert_eq!(z.as_slice(), same.transform(&x).unwrap().as_slice());
        assert_eq!(model.decode(&z).unwrap().columns(), 64);
        let drawn = model.sample(20, 5).unwrap();
        assert_eq!(drawn.as_slice(), same.sample(20, 5).unwrap().as_slice());
        assert_ne!(drawn.as_slice(), model.sample(20, 6).unwrap().as_slice());
        if decoder == Decoder::Bernoulli {
            assert!(drawn.as_slice().iter().all(|value| *value == 0.0 || *value == 1.0));
        }
        let [_, variances] = model.encode_distribution(&x).unwrap();
        assert!(variances.as_slice().iter().all(|value| *value > 0.0));
        assert_eq!(Model::report(&model).curves.len(), 2);
    }
    let autoencoder = Autoencoder::new(4).hidden_layer_sizes(vec![16]).tied(true).max_iter(4);
    let model = autoencoder.clone().loss(ReconstructionLoss::BinaryCrossEntropy).fit(&x).unwrap();
    let same = AutoencoderModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(model.to_bytes().unwrap(), same.to_bytes().unwrap());
    let back = same.inverse_transform(&same.encode(&x).unwrap()).unwrap();
    assert!(back.as_slice().iter().all(|value| (0.0..=1.0).contains(value)));
}

#[test]
fn autoencoders_refuse_what_they_cannot_learn_from() {
    let x = digits(4);
    let refused = |vae: VariationalAutoencoder, x: &Matrix| vae.fit(x).unwrap_err().to_string();
    let vae = VariationalAutoencoder::new(2).decoder(Decoder::Bernoulli).max_iter(1);
    assert!(refused(vae.clone().hidden_layer_sizes(vec![0]), &x).contains("at least one input and one output"));
    assert!(refused(vae.clone().n_components(0), &x).contains("n_components"));
    assert!(refused(vae.clone(), &x.select(&[0]).unwrap()).contains("two rows"));
    let beyond = Matrix::from_rows(&[[0.5, 2.0], [0.1, 0.2]]).unwrap();
    assert!(refused(vae.clone(), &beyond).contains("[0, 1]"));
    let missing = Matrix::from_rows(&[[0.5, f32::NAN], [0.1, 0.2]]).unwrap();
    assert!(vae.fit(&missing).is_err() && Autoencoder::new(1).fit(&missing).is_err());
    assert!(Autoencoder::new(1).hidden_layer_sizes(vec![3, 0]).fit(&beyond).is_err());
    assert!(Autoencoder::new(1).fit(&beyond.select(&[0]).unwrap()).is_err());
    // Columns far from the unit scale: learnt slowly, or stopped with the first weights, and no number is lost.
    let wide = Matrix::from_vec(40, 3, matrix(40, 3, 5).as_slice().iter().map(|value| 1e4 * value).collect()).unwrap();
    let gaussian = vae.clone().decoder(Decoder::Gaussian).max_iter(30).learning_rate_init(0.5).fit(&wide).unwrap();
    assert!(gaussian.encode(&wide).unwrap().as_slice().iter().all(|value| value.is_finite()));
    let model = vae.fit(&x).unwrap();
    assert!(model.elbo(&x, 0).is_err() && model.decode(&x).is_err());
}
