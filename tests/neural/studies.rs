use gristmill::datasets::notes;
use gristmill::neural::studies::*;
use gristmill::neural::{Activation, MlpClassifier, Start, regions_over_epochs, tiles};
use gristmill::prelude::*;

#[test]
fn two_relu_units_set_by_hand_are_xor() {
    let hand = xor_by_hand().unwrap();
    assert_eq!(hand.accuracy, 1.0);
    let figures = hand.figures().unwrap();
    assert_eq!(figures.len(), 3); // what comes out, and two hidden units
}

#[test]
fn xor_is_learnt_by_the_best_of_five_seeds() {
    let data = notes::xor(200, 1).unwrap();
    let trained: Vec<XorNetwork> = (0..5).map(|seed| xor_trained(&data, 4, 2500, seed).unwrap()).collect();
    let best = trained.iter().map(|network| network.accuracy).fold(0.0, f64::max);
    assert!(best >= 0.99, "{best}");
    assert_eq!(trained[0].figures().unwrap().len(), 6);
}

#[test]
fn the_memoriser_is_every_boolean_function() {
    // All functions of up to three inputs.
    for n in 1..=3 {
        for function in 0_u32..1 << (1 << n) {
            let value = |bits: &[f32]| {
                let row: usize = bits.iter().enumerate().map(|(at, bit)| usize::from(*bit > 0.0) << at).sum();
                function >> row & 1 == 1
            };
            assert_eq!(BooleanMemoriser::new(n, value).unwrap().mistakes().unwrap(), 0, "{n}, {function}");
        }
    }
    // Parity and a random function of up to ten, on all inputs.
    for n in 4..=10 {
        let parity = BooleanMemoriser::new(n, |bits| bits.iter().product::<f32>() > 0.0).unwrap();
        assert_eq!((parity.mistakes().unwrap(), parity.units()), (0, 1 << (n - 1)));
        let mixed = |bits: &[f32]| {
            let seen = bits.iter().fold(17_u64, |seen, bit| seen.wrapping_mul(31).wrapping_add(u64::from(*bit > 0.0)));
            seen.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63 == 1
        };
        assert_eq!(BooleanMemoriser::new(n, mixed).unwrap().mistakes().unwrap(), 0, "{n}");
    }
    let constant = BooleanMemoriser::new(5, |_| false).unwrap();
    assert_eq!((constant.mistakes().unwrap(), constant.units()), (0, 1));
    assert!(BooleanMemoriser::new(0, |_| true).is_err() && BooleanMemoriser::new(15, |_| true).is_err());
    assert!(constant.figure().unwrap().to_svg().contains("memoriser"));
}

#[test]
fn wider_networks_learn_faster_and_lazy_ones_hardly_move() {
    let data = notes::xor(100, 1).unwrap();
    let plain = width_study(&data, &[2, 8, 64], 300, false, 0).unwrap();
    let last = |study: &WidthStudy, at: usize| study.losses[at][299];
    assert!(last(&plain, 2) < last(&plain, 0), "{} and {}", last(&plain, 2), last(&plain, 0));
    let lazy = width_study(&data, &[4, 32, 256], 300, true, 0).unwrap();
    let changes = &lazy.relative_changes;
    assert!(changes[2] < 0.5 * changes[0], "{changes:?}");
    assert_eq!(plain.figures().len(), 2);
}

#[test]
fn the_test_error_of_random_features_peaks_where_parameters_meet_rows() {
    let (train, test) = notes::noisy_xor(60, 2).unwrap();
    let features = [5, 15, 30, 45, 60, 90, 150, 300, 600];
    let study = random_features_study((&train, &test), &features, 5, 0).unwrap();
    assert_eq!(study.peak(), 60);
    let at = |features: usize| study.test[study.parameters.iter().position(|count| *count == features).unwrap()];
    assert!(at(60) > 3.0 * at(15) && at(60) > 3.0 * at(600), "{:?}", study.test);
    assert!(study.train[5..].iter().all(|error| *error < 1e-6), "{:?}", study.train);
    assert!(study.figure().unwrap().to_svg().contains("Double descent"));
    assert!(random_features_study((&train, &test), &[0], 1, 0).is_err());
}

#[test]
fn the_test_error_of_trained_networks_peaks_where_parameters_meet_rows() {
    let problem = datasets::Classification::default().n_samples(400).n_features(10).n_informative(5).n_redundant(0);
    let data = problem.flip_y(0.3).generate().unwrap();
    let (train, test) = ((0..100).collect::<Vec<usize>>(), (100..400).collect::<Vec<usize>>());
    let (train, test) = (data.select(&train).unwrap(), data.select(&test).unwrap());
    let study = trained_width_study((&train, &test), &[2, 10, 100], (4000, 1), 0).unwrap();
    assert_eq!(study.parameters, [25, 121, 1201]);
    assert_eq!(study.peak(), 121, "{:?}", study.test);
    assert!(study.test[1] > 2.0 * study.test[0] && study.test[1] > 1.5 * study.test[2], "{:?}", study.test);
    assert!(study.train[1] < 0.1 && study.train[2] < 1e-6, "{:?}", study.train);
    assert!(trained_width_study((&train, &test), &[1], (1, 0), 0).is_err());
}

/// The digits, pixels within [0, 1].
fn digits() -> (Dataset, Dataset) {
    let mut data = datasets::digits().unwrap();
    data.x.as_mut_slice().iter_mut().for_each(|value| *value /= 16.0);
    data.split(0.7, 1).unwrap()
}

#[test]
fn a_winning_ticket_is_no_worse_than_the_dense_network() {
    let (train, test) = digits();
    let pruned = vec![0.4, 0.65, 0.8];
    let options = LotteryOptions { hidden: vec![64], pruned, steps: 300, learning_rate: 5e-3, ..Default::default() };
    let study = lottery_study((&train, &test), &options).unwrap();
    assert!(study.dense > 0.9, "{study:?}");
    assert!(study.rewound[2] >= study.dense - 0.015, "{study:?}");
    assert_eq!(study.redrawn.len(), 3);
    assert!(study.figure().to_svg().contains("rewound"));
    let falling = LotteryOptions { pruned: vec![0.5, 0.2], ..options };
    assert!(lottery_study((&train, &test), &falling).is_err());
}

#[test]
fn an_untrained_network_holds_a_good_predictor() {
    let (train, test) = digits();
    let study = untrained_mask_study((&train, &test), &[128], (0.5, 400, 0.1), 0).unwrap();
    let best = study.accuracies[study.accuracies.len() - 1];
    assert!(study.before < 0.4 && best > 0.85, "{study:?}");
    assert!(untrained_mask_study((&train, &test), &[8], (1.0, 1, 0.1), 0).is_err());
}

#[test]
fn gradients_vanish_with_depth_for_the_logistic_and_not_for_relu_with_its_start() {
    let data = notes::xor(100, 1).unwrap();
    let activations =
        [(Activation::Logistic, Start::Glorot), (Activation::Relu, Start::He), (Activation::Relu, Start::Normal(1.0))];
    let study = depth_study(&data, (&[1, 10, 20], 32), &activations, 0).unwrap();
    let first = |activation: usize, depth: usize| study.norms[activation][depth][0];
    assert!(first(0, 2) < 1e-8 * first(0, 0), "{} and {}", first(0, 2), first(0, 0));
    assert!(first(1, 2) > 1e-2 * first(1, 0) && first(1, 2) < 1e2 * first(1, 0), "{}", first(1, 2));
    assert!(first(2, 2) > 1e6 * first(2, 0), "{}", first(2, 2));
    assert_eq!(study.norms[0][2].len(), 21);
    assert_eq!(study.figures().len(), 2);
}

#[test]
fn pictures_of_networks_are_images_and_regions() {
    let digits = datasets::digits().unwrap();
    let few = digits.x.select(&[0, 1, 2]).unwrap();
    assert!(tiles("Three", &few, [8, 8], 2).unwrap().to_svg().contains("Three"));
    assert!(tiles("None", &few, [8, 7], 2).is_err());
    let moons = datasets::moons(40, 0.1, 1).unwrap();
    let mlp = MlpClassifier::default().hidden_layer_sizes(vec![8]);
    let rows = (&moons.x, moons.labels().unwrap());
    assert_eq!(regions_over_epochs(&mlp, rows, &[1, 5, 9], 20).unwrap().len(), 3);
    assert!(regions_over_epochs(&mlp, rows, &[3, 3], 20).is_err());
}
