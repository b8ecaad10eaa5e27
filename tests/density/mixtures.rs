use gristmill::mixture::{Bandwidth, CovarianceType, GaussianDensity, GaussianMixture, KernelDensity, MixtureStart};
use gristmill::prelude::*;

const TYPES: [CovarianceType; 4] =
    [CovarianceType::Full, CovarianceType::Tied, CovarianceType::Diag, CovarianceType::Spherical];

fn three(kind: CovarianceType) -> GaussianMixture {
    GaussianMixture::new(3).covariance_type(kind).tol(1e-8).max_iter(1000).n_init(3)
}

#[test]
fn iris_has_scikit_learns_likelihoods_and_criteria() {
    let x = datasets::iris().unwrap().x;
    let known = [
        (-180.18547781918818, 580.8389085786116, 448.37095563837636),
        (-256.3540433528652, 632.9633337640405, 560.7080867057304),
        (-307.1775723808459, 744.6316624081944, 666.3551447616918),
        (-384.314095524751, 853.8089910491383, 802.628191049502),
    ];
    for (kind, (likelihood, bic, aic)) in TYPES.into_iter().zip(known) {
        let model = three(kind).fit(&x).unwrap();
        let found: f64 = model.score_samples(&x).unwrap().iter().sum();
        assert!((found - likelihood).abs() < 0.01, "{kind:?}: {found} is not {likelihood}");
        assert!((model.bic(&x).unwrap() - bic).abs() < 0.02 && (model.aic(&x).unwrap() - aic).abs() < 0.02, "{kind:?}");
        assert!((model.weights().iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn the_log_likelihood_does_not_fall_from_any_start() {
    let x = datasets::wine().unwrap().x;
    for kind in TYPES {
        for start in [MixtureStart::KMeans, MixtureStart::KMeansPlusPlus, MixtureStart::RandomRows] {
            let model = GaussianMixture::new(4).covariance_type(kind).init_params(start).tol(0.0).max_iter(30).fit(&x);
            let curve = model.unwrap().log_likelihoods().to_vec();
            let falls = curve.windows(2).map(|pair| pair[0] - pair[1]).fold(0.0, f64::max);
            assert!(falls < 1e-4 * curve[0].abs(), "{kind:?} from {start:?} falls by {falls}");
        }
    }
}

#[test]
fn densities_are_those_of_f64_also_far_from_zero() {
    let iris = datasets::iris().unwrap().x;
    let far = Matrix::from_vec(150, 4, iris.as_slice().iter().map(|value| value + 1000.0).collect()).unwrap();
    for (x, tolerance) in [(&iris, 2e-4), (&far, 5e-2)] {
        let model = three(CovarianceType::Full).fit(x).unwrap();
        let logs = model.score_samples(x).unwrap();
        let shares = model.predict_proba(x).unwrap();
        for row in [0, 77, 149] {
            let value = x.to_dmatrix().row(row).transpose();
            let parts: Vec<f64> = (0..3)
                .map(|at| {
                    let covariance = model.covariance(at).unwrap();
                    let apart = &value - model.means().row(at).transpose();
                    let square = (apart.transpose() * covariance.clone().try_inverse().unwrap() * &apart)[0];
                    let scale = (2.0 * std::f64::consts::PI).powi(4) * covariance.determinant();
                    model.weights()[at] * (-0.5 * square).exp() / scale.sqrt()
                })
                .collect();
            let density: f64 = parts.iter().sum();
            assert!((logs[row] - density.ln()).abs() < tolerance, "{} is not {}", logs[row], density.ln());
            for (at, part) in parts.iter().enumerate() {
                assert!((f64::from(shares.get(row, at)) - part / density).abs() < tolerance);
            }
        }
    }
}

#[test]
fn a_row_of_weight_two_counts_as_two_and_order_does_not_matter() {
    let iris = datasets::iris().unwrap().x;
    let twice: Vec<usize> = (0..150).chain(0..50).collect();
    let weights: Vec<f32> = (0..150).map(|row| if row < 50 { 2.0 } else { 1.0 }).collect();
    let mixture = three(CovarianceType::Full).init_params(MixtureStart::KMeans);
    let doubled = mixture.fit(&iris.select(&twice).unwrap()).unwrap();
    let weighted = mixture.fit_with(&iris, Fit::default().sample_weight(&weights)).unwrap();
    let last = |model: &gristmill::mixture::GaussianMixtureModel| *model.log_likelihoods().last().unwrap();
    assert!((last(&doubled) - last(&weighted)).abs() < 1e-5);
    let turned: Vec<usize> = (0..150).rev().collect();
    let turned = mixture.fit(&iris.select(&turned).unwrap()).unwrap();
    assert!((last(&turned) - last(&mixture.fit(&iris).unwrap())).abs() < 1e-5);
}

#[test]
fn a_sample_has_the_means_of_the_mixture() {
    let x = Matrix::from_rows(&[[0.0, 0.0], [0.1, 0.2], [0.2, -0.1], [9.0, 9.0], [9.2, 9.1], [8.9, 9.3]]).unwrap();
    for kind in TYPES {
        let model = GaussianMixture::new(2).covariance_type(kind).fit(&x).unwrap();
        let (rows, of) = model.sample(4000, 7).unwrap();
        for at in 0..2 {
            let own: Vec<usize> = (0..4000).filter(|row| of[*row] == at).collect();
            let mean = own.iter().map(|row| f64::from(rows.get(*row, 0))).sum::<f64>() / own.len() as f64;
            assert!((mean - model.means()[(at as usize, 0)]).abs() < 0.05 && own.len() > 1800, "{kind:?}");
        }
        assert_eq!(model.sample(10, 7).unwrap().0.as_slice(), &rows.as_slice()[..20]);
    }
}

#[test]
fn singular_covariances_and_too_many_components_are_errors_or_regularised() {
    let constant = Matrix::from_rows(&[[1.0, 5.0], [2.0, 5.0], [3.0, 5.0], [4.0, 5.0]]).unwrap();
    let message = GaussianMixture::new(1).reg_covar(0.0).fit(&constant).unwrap_err().to_string();
    assert!(message.contains("reg_covar"), "{message}");
    assert!(GaussianMixture::new(1).fit(&constant).is_ok());
    assert!(GaussianMixture::new(5).fit(&constant).unwrap_err().to_string().contains("at most the number of rows"));
    let equal = Matrix::from_rows(&[[1.0, 2.0]; 6]).unwrap();
    assert!(GaussianMixture::new(2).fit(&equal).unwrap().score_samples(&equal).unwrap()[0].is_finite());
    let one = Matrix::from_rows(&[[1.0, 2.0]]).unwrap();
    assert!(GaussianDensity::default().fit(&one).unwrap().score_samples(&one).unwrap()[0].is_finite());
    assert!(GaussianMixture::new(1).fit_with(&constant, Fit::default().sample_weight(&[0.0; 4])).is_err());
}

#[test]
fn one_gaussian_is_the_maximum_likelihood_and_marks_its_share_of_outliers() {
    let iris = datasets::iris().unwrap().x;
    let model = GaussianDensity::default().contamination(0.1).reg_covar(0.0).fit(&iris).unwrap();
    assert_eq!(model.predict(&iris).unwrap().iter().filter(|label| **label == -1).count(), 15);
    let mixture = GaussianMixture::new(1).reg_covar(0.0).fit(&iris).unwrap();
    for (own, other) in model.score_samples(&iris).unwrap().iter().zip(mixture.score_samples(&iris).unwrap()) {
        assert!((own - other).abs() < 1e-3);
    }
    let ball = GaussianDensity::default().covariance_type(CovarianceType::Spherical).reg_covar(0.0).fit(&iris).unwrap();
    // Σ‖x − mean‖²/(n·d), not /n.
    let total: f64 = (0..4).map(|at| model.covariance()[(at, at)]).sum();
    assert!((ball.covariance()[(0, 0)] - total / 4.0).abs() < 1e-9);
    let strict = GaussianDensity::default().threshold(1e9).fit(&iris).unwrap();
    assert!(strict.predict(&iris).unwrap().iter().all(|label| *label == -1));
}

#[test]
fn kernel_densities_are_scikit_learns_and_finite_far_away() {
    let iris = datasets::iris().unwrap().x;
    let model = KernelDensity::default().bandwidth(0.5).fit(&iris).unwrap();
    let logs = model.score_samples(&iris).unwrap();
    for (found, known) in logs.iter().zip([-2.49424353, -2.68072478, -2.63781156]) {
        assert!((found - known).abs() < 1e-4, "{found} is not {known}");
    }
    let scott = KernelDensity::default().bandwidth(Bandwidth::Scott).fit(&iris).unwrap().score_samples(&iris).unwrap();
    assert!((scott[0] + 2.71170203).abs() < 1e-4 && (scott[1] + 2.88495983).abs() < 1e-4);
    let silverman = KernelDensity::default().bandwidth(Bandwidth::Silverman).fit(&iris).unwrap();
    assert!((silverman.bandwidth() - 0.5081327481546147).abs() < 1e-9);
    let far = Matrix::from_rows(&[[500.0, 0.0, 0.0, 0.0]]).unwrap();
    let found = model.score_samples(&far).unwrap()[0];
    assert!(found.is_finite() && found < -400_000.0, "{found}");
    assert!(KernelDensity::default().bandwidth(0.0).fit(&iris).is_err());
    assert_eq!(model.sample(5, 3).unwrap().rows(), 5);
}

#[test]
fn weights_and_means_of_rows_like_old_faithful_come_back() {
    // Two Gaussians as published for the geyser's 272 eruptions; so many rows that their errors are small.
    use gristmill::ops::{random::philox::Draw, random_normals};
    let n = 20_000;
    let mut stream = Device::Cpu.stream();
    let normals = random_normals(&mut stream, Draw::new(1, 0), 2 * n).unwrap().to_vec(&mut stream).unwrap();
    let row = |at: usize| {
        let (mean, [a, b, c]) = if at % 1000 < 356 {
            ([2.036, 54.48], [0.263, 1.654, 5.566])
        } else {
            ([4.290, 79.97], [0.412, 2.282, 5.553])
        };
        [mean[0] + a * normals[2 * at], mean[1] + b * normals[2 * at] + c * normals[2 * at + 1]]
    };
    let x = Matrix::from_rows(&(0..n).map(row).collect::<Vec<_>>()).unwrap();
    let model = GaussianMixture::new(2).tol(1e-6).fit(&x).unwrap();
    let short = if model.means()[(0, 0)] < model.means()[(1, 0)] { 0 } else { 1 };
    assert!((model.weights()[short] - 0.356).abs() < 0.003, "{:?}", model.weights());
    assert!((model.means()[(short, 1)] - 54.48).abs() < 0.2 && (model.means()[(1 - short, 1)] - 79.97).abs() < 0.2);
    assert!((model.covariance(short).unwrap()[(0, 1)] - 0.263 * 1.654).abs() < 0.03);
}

#[test]
fn held_out_digits_score_as_with_scikit_learn_from_the_same_start() {
    let digits = datasets::digits().unwrap().x;
    let (own, rest): (Vec<usize>, Vec<usize>) = (0..digits.rows()).partition(|row| *row < 1300);
    let (x, held_out) = (digits.select(&own).unwrap(), digits.select(&rest).unwrap());
    let table = x.to_dmatrix();
    let means: Vec<Vec<f64>> = (0..3).map(|row| table.row(row).iter().copied().collect()).collect();
    let precision: Vec<f64> = table.column_iter().map(|column| 1.0 / (column.variance() + 1.0)).collect();
    let mixture = GaussianMixture::new(3).covariance_type(CovarianceType::Diag).tol(0.0).max_iter(30);
    let start = mixture.weights_init(vec![1.0 / 3.0; 3]).means_init(means).precisions_init(vec![precision; 3]);
    let model = start.fit(&x).unwrap();
    let mean = |logs: &[f64]| logs.iter().sum::<f64>() / logs.len() as f64;
    let fitted = mean(&model.score_samples(&x).unwrap());
    assert!((fitted + 65.1826).abs() < 0.01, "{fitted}");
    let mut logs = model.score_samples(&held_out).unwrap();
    // One of 497 rows has ink where no row of its component has: that alone is -1006 of the mean.
    assert!((mean(&logs) + 1068.495).abs() < 0.1, "{}", mean(&logs));
    logs.sort_by(f64::total_cmp);
    assert!((logs[497 / 2] + 61.976).abs() < 0.01 && (logs[0] + 500_063.8).abs() < 1.0, "{} {}", logs[248], logs[0]);
}

#[test]
fn a_given_start_is_where_the_search_begins() {
    let x = datasets::iris().unwrap().x;
    let model = GaussianMixture::new(3).max_iter(5).tol(0.0).fit(&x).unwrap();
    let means: Vec<Vec<f64>> = (0..3).map(|at| model.means().row(at).iter().copied().collect()).collect();
    let precision = |at: usize| model.covariance(at).unwrap().try_inverse().unwrap().as_slice().to_vec();
    let given = GaussianMixture::new(3)
        .weights_init(model.weights().to_vec())
        .means_init(means.clone())
        .precisions_init((0..3).map(precision).collect::<Vec<_>>());
    let on = given.clone().max_iter(1).fit(&x).unwrap();
    assert!((on.log_likelihoods()[0] - model.log_likelihoods()[5]).abs() < 1e-5);
    // The means alone: weights and covariances are those of the start.
    assert!(GaussianMixture::new(3).means_init(means.clone()).fit(&x).is_ok());
    for kind in [CovarianceType::Tied, CovarianceType::Diag, CovarianceType::Spherical] {
        let rows = match kind {
            CovarianceType::Tied => vec![precision(0)],
            CovarianceType::Diag => vec![vec![1.0; 4]; 3],
            _ => vec![vec![1.0]; 3],
        };
        assert!(given.clone().covariance_type(kind).precisions_init(rows).fit(&x).is_ok(), "{kind:?}");
        assert!(given.clone().covariance_type(kind).fit(&x).is_err() || kind == CovarianceType::Full, "{kind:?}");
    }
    let message = |mixture: GaussianMixture| mixture.fit(&x).unwrap_err().to_string();
    assert!(message(given.clone().weights_init(vec![0.5, 0.6, 0.1])).contains("weights_init"));
    assert!(message(given.clone().means_init(vec![vec![0.0; 3]; 3])).contains("means_init"));
    assert!(message(given.precisions_init(vec![vec![-1.0; 16]; 3])).contains("positive definite"));
}
