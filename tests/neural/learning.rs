use gristmill::neural::*;
use gristmill::prelude::*;
use gristmill::solvers::{Rate, UpdateRule};

use crate::support::{bits, devices, gpu_with, matrix};

fn options() -> TrainingOptions {
    TrainingOptions {
        batch_size: 16,
        rule: UpdateRule::ADAM,
        rate: Rate::Constant(0.01),
        l1: 0.0,
        l2: 0.0,
        clip_norm: None,
        noise: 0.0,
        shuffle: true,
        seed: 3,
    }
}

fn network(dropout: f64) -> Network {
    Network::new(Shape::Flat(5), OutputLoss::Squared)
        .layer(Dense::new(9, Activation::Tanh).dropout(dropout))
        .unwrap()
        .layer(Dense::new(6, Activation::Relu).dropout(dropout))
        .unwrap()
        .layer(Dense::new(2, Activation::Identity))
        .unwrap()
}

/// Parameters and losses after some epochs.
fn learnt(device: &Device, network: &Network, options: TrainingOptions, epochs: usize) -> (Vec<f32>, Vec<f64>) {
    let (x, y) = (matrix(50, 5, 1).to(device).unwrap(), matrix(50, 2, 2).to(device).unwrap());
    let targets = TargetLayout { classes: false, weight: None, columns: 2 };
    let rows = TrainingRows { x: &x, y: &y, targets };
    let indices: Vec<u32> = (0..50).collect();
    let indices = DeviceVec::from_slice(&indices, device).unwrap();
    let state = LearnerState::new(network.start(1));
    let mut learner = Learner::new(device, network.clone(), options, &state, (50, 2)).unwrap();
    let mut stream = device.stream();
    let losses = (0..epochs).map(|_| learner.epoch(&mut stream, (rows, &indices), None).unwrap().loss).collect();
    (learner.state(&mut stream).unwrap().parameters, losses)
}

#[test]
fn devices_learn_the_same_network_with_every_optimiser() {
    let rules = [
        UpdateRule::Gradient,
        UpdateRule::MOMENTUM,
        UpdateRule::NESTEROV,
        UpdateRule::ADAGRAD,
        UpdateRule::RMS_PROP,
        UpdateRule::ADAM,
        UpdateRule::ADAM_W,
    ];
    for rule in rules {
        let with = TrainingOptions { rule, l2: 0.01, l1: 0.01, clip_norm: Some(0.5), ..options() };
        let (wanted, losses) = learnt(&Device::Cpu, &network(0.0), with, 4);
        assert!(losses[3] < losses[0], "{rule:?}: {losses:?}");
        for (name, device) in &devices()[1..] {
            let (found, _) = learnt(device, &network(0.0), with, 4);
            let error = wanted.iter().zip(&found).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(error < 2e-3, "{rule:?} on {name}: {error}");
        }
    }
}

#[test]
fn dropout_and_noise_draw_the_same_on_every_device() {
    let with = TrainingOptions { rule: UpdateRule::Gradient, noise: 0.3, ..options() };
    let (wanted, _) = learnt(&Device::Cpu, &network(0.4), with, 3);
    let (without, _) = learnt(&Device::Cpu, &network(0.0), with, 3);
    assert!(wanted != without);
    for (name, device) in &devices()[1..] {
        let (found, _) = learnt(device, &network(0.4), with, 3);
        let error = wanted.iter().zip(&found).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(error < 1e-4, "{name}: {error}");
    }
}

#[test]
fn the_same_seed_gives_the_same_bits_for_any_number_of_threads() {
    for (name, device) in devices() {
        let (first, _) = learnt(device, &network(0.2), options(), 3);
        let (again, _) = learnt(device, &network(0.2), options(), 3);
        assert_eq!(bits(&first), bits(&again), "{name}");
    }
    let wide = Network::new(Shape::Flat(5), OutputLoss::Squared).layer(Dense::new(700, Activation::Relu).dropout(0.1));
    let wide =
        wide.unwrap().layer(Dense::new(300, Activation::Tanh)).unwrap().layer(Dense::new(2, Activation::Identity));
    let wide = wide.unwrap();
    let all = TrainingOptions { batch_size: 50, ..options() };
    let (wanted, _) = learnt(&Device::Cpu, &wide, all, 2);
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (found, _) = pool.install(|| learnt(&Device::Cpu, &wide, all, 2));
        assert_eq!(bits(&wanted), bits(&found), "{threads} threads");
    }
}

#[test]
fn an_epoch_on_a_gpu_reads_once_uploads_nothing_and_dispatches_little() {
    // A device of its own: others would be in the profile.
    let device = &gpu_with(DeviceOptions::default());
    let network = network(0.2);
    let (x, y) = (matrix(640, 5, 1).to(device).unwrap(), matrix(640, 2, 2).to(device).unwrap());
    let targets = TargetLayout { classes: false, weight: None, columns: 2 };
    let rows = TrainingRows { x: &x, y: &y, targets };
    let indices: Vec<u32> = (0..640).collect();
    let indices = DeviceVec::from_slice(&indices, device).unwrap();
    let state = LearnerState::new(network.start(1));
    let mut learner = Learner::new(device, network, options(), &state, (640, 2)).unwrap();
    let mut stream = device.stream();
    learner.epoch(&mut stream, (rows, &indices), None).unwrap();
    device.profile(true);
    learner.epoch(&mut stream, (rows, &indices), None).unwrap();
    let profile = device.profile_report();
    device.profile(false);
    assert_eq!((profile.readbacks, profile.uploads), (1, 0), "{profile:?}");
    let of_steps: u64 = ["dense", "gather_batch", "loss", "update"]
        .iter()
        .map(|name| profile.kernels[&format!("neural/{name}")].dispatches)
        .sum();
    let (steps, layers) = (40, 3);
    assert!(of_steps <= steps * (4 * layers + 2), "{of_steps}");
    assert_eq!(profile.kernels["neural/dense"].dispatches, steps * 8);
}
