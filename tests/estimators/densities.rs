use gristmill::bayes::{BayesClassifier, GaussianNaiveBayes, MultinomialNaiveBayes};
use gristmill::cluster::{BisectingKMeans, Init, KMeans};
use gristmill::metric_learning::{ContrastiveMetric, Lmnn, NeighborhoodComponents};
use gristmill::mixture::{
    CovarianceType, GaussianDensity, GaussianMixture, KernelDensity, MixtureStart, NeighborDensity,
};
use gristmill::prelude::*;

use crate::support::{baseline, devices, gpu};

#[test]
fn mixtures_on_a_gpu_are_those_of_the_cpu() {
    let iris = datasets::iris().unwrap().x;
    let kinds = [CovarianceType::Full, CovarianceType::Tied, CovarianceType::Diag, CovarianceType::Spherical];
    for kind in kinds {
        let mixture = GaussianMixture::new(3).covariance_type(kind).tol(1e-7).max_iter(60);
        let known = mixture.fit(&iris).unwrap();
        for device in [gpu(), baseline()] {
            let on = iris.to(device).unwrap();
            let found = mixture.fit(&on).unwrap();
            let last = |curve: &[f64]| *curve.last().unwrap();
            let apart = (last(found.log_likelihoods()) - last(known.log_likelihoods())).abs();
            assert!(apart < 1e-4, "{kind:?}: {apart}");
            let falls = found.log_likelihoods().windows(2).map(|pair| pair[0] - pair[1]).fold(0.0, f64::max);
            assert!(falls < 1e-4, "{kind:?} falls by {falls}");
            let (logs, own) = (found.score_samples(&on).unwrap(), found.score_samples(&iris).unwrap());
            assert!(logs.iter().zip(own).all(|(a, b)| (a - b).abs() < 1e-3 * b.abs().max(1.0)), "{kind:?}");
            assert_eq!(found.predict(&on).unwrap(), found.predict(&iris).unwrap(), "{kind:?}");
        }
    }
}

#[test]
fn a_step_of_expectation_waits_for_the_gpu_once() {
    let iris = datasets::iris().unwrap().x;
    let waits = |steps: usize| {
        let device = crate::support::gpu_with(DeviceOptions::default());
        let on = iris.to(&device).unwrap();
        device.profile(true);
        let start = GaussianMixture::new(3).tol(0.0).max_iter(steps).init_params(MixtureStart::RandomRows);
        start.fit(&on).unwrap();
        device.profile_report().readbacks
    };
    // The start is the same; a step more is one wait more.
    assert_eq!(waits(12) - waits(4), 8);
}

#[test]
fn densities_and_classifiers_take_rows_of_a_gpu() {
    let iris = datasets::iris().unwrap();
    let y = iris.labels().unwrap();
    for (name, device) in devices() {
        let x = iris.x.to(device).unwrap();
        let kernel = KernelDensity::default().bandwidth(0.5).fit(&x).unwrap().score_samples(&x).unwrap();
        assert!((kernel[0] + 2.49424353).abs() < 1e-4, "{name}: {}", kernel[0]);
        let near = NeighborDensity::new(5).fit(&x).unwrap().score_samples(&x).unwrap();
        assert!(near.iter().all(|log| log.is_finite()));
        let outliers = GaussianDensity::default().contamination(0.1).fit(&x).unwrap().predict(&x).unwrap();
        assert_eq!(outliers.iter().filter(|label| **label == -1).count(), 15, "{name}");
        assert_eq!(GaussianNaiveBayes::default().fit(&x, y).unwrap().score(&x, y).unwrap(), 0.96, "{name}");
        assert!(MultinomialNaiveBayes::default().fit(&x, y).unwrap().score(&x, y).unwrap() > 0.9, "{name}");
        for shared in [false, true] {
            let model = BayesClassifier::default().shared(shared).fit(&x, y).unwrap();
            assert_eq!(model.score(&x, y).unwrap(), 0.98, "{name}");
        }
    }
}

#[test]
fn metrics_are_learnt_on_every_device() {
    let wine = datasets::wine().unwrap();
    let host = StandardScaler::default().fit(&wine.x).unwrap().transform(&wine.x).unwrap();
    let y = wine.labels().unwrap();
    for (name, device) in devices() {
        let x = host.to(device).unwrap();
        let score =
            |mapped: DeviceMatrix| KNeighborsClassifier::new(3).fit(&mapped, y).unwrap().score(&mapped, y).unwrap();
        let lmnn = Lmnn::default().n_components(4).max_iter(10).fit(&x, &wine.target).unwrap();
        assert!(score(lmnn.transform(&x).unwrap()) > 0.98, "{name}");
        let pairs = ContrastiveMetric::default().rounds(2).max_iter(10).fit(&x, &wine.target).unwrap();
        assert!(score(pairs.transform(&x).unwrap()) > 0.98, "{name}");
        let components = NeighborhoodComponents::default().n_components(2).max_iter(10).fit(&x, &wine.target).unwrap();
        assert!(score(components.transform(&x).unwrap()) > 0.96, "{name}");
    }
}

#[test]
fn splitting_shifting_and_bisecting_find_the_clusters() {
    let iris = datasets::iris().unwrap().x;
    for (name, device) in devices() {
        let x = iris.to(device).unwrap();
        let split = KMeans::new(3).init(Init::Splitting).fit(&x).unwrap();
        assert!((split.inertia() - 78.8514414).abs() < 0.1, "{name}: {}", split.inertia());
        for k in [1, 5, 16] {
            let model = KMeans::new(k).init(Init::Splitting).fit(&x).unwrap();
            assert_eq!(model.cluster_centers().rows(), k, "{name}");
            let shifted = KMeans::new(k).init(Init::Random).n_init(1).n_shifts(5).seed(3).fit(&x).unwrap();
            let plain = KMeans::new(k).init(Init::Random).n_init(1).seed(3).fit(&x).unwrap();
            assert!(shifted.inertia() <= plain.inertia() * (1.0 + 1e-6), "{name}, {k}");
            let halved = BisectingKMeans::new(k).fit(&x).unwrap();
            assert_eq!(halved.cluster_centers().rows(), k, "{name}");
            // scikit-learn's come to 152.3 for two clusters; more splits cost less.
            assert!(halved.inertia() < 1.6 * model.inertia() + 1e-3, "{name}, {k}: {}", halved.inertia());
        }
        let two = BisectingKMeans::new(2).fit(&x).unwrap().inertia();
        assert!((two - 152.347951).abs() < 0.1, "{name}: {two}");
        // Two kinds of rows alone: no third cluster.
        let equal = Matrix::from_rows(&[[1.0], [1.0], [4.0], [4.0]]).unwrap().to(device).unwrap();
        assert_eq!(BisectingKMeans::new(3).fit(&equal).unwrap().cluster_centers().rows(), 2, "{name}");
        assert!(BisectingKMeans::new(5).fit(&equal).is_err());
    }
}

#[test]
fn what_has_no_density_is_an_error_or_regularised_on_every_device() {
    let constant = Matrix::from_rows(&[[1.0, 5.0], [2.0, 5.0], [3.0, 5.0], [4.0, 5.0]]).unwrap();
    let equal = Matrix::from_rows(&[[1.0, 2.0]; 6]).unwrap();
    let one = Matrix::from_rows(&[[1.0, 2.0]]).unwrap();
    for (name, device) in devices() {
        let on = constant.to(device).unwrap();
        let message = GaussianMixture::new(1).reg_covar(0.0).fit(&on).unwrap_err().to_string();
        assert!(message.contains("reg_covar"), "{name}: {message}");
        assert!(GaussianMixture::new(2).fit(&on).is_ok(), "{name}");
        assert!(GaussianMixture::new(5).fit(&on).unwrap_err().to_string().contains("at most the number of rows"));
        assert!(GaussianMixture::new(1).fit_with(&on, Fit::default().sample_weight(&[0.0; 4])).is_err(), "{name}");
        let same = equal.to(device).unwrap();
        assert!(GaussianMixture::new(2).fit(&same).unwrap().score_samples(&same).unwrap()[0].is_finite(), "{name}");
        let alone = one.to(device).unwrap();
        assert!(GaussianMixture::new(1).fit(&alone).unwrap().score_samples(&alone).unwrap()[0].is_finite(), "{name}");
        assert!(KernelDensity::default().fit(&alone).unwrap().score_samples(&alone).unwrap()[0].is_finite(), "{name}");
    }
}
