use gristmill::bayes::{BayesClassifier, BernoulliNaiveBayes, GaussianNaiveBayes, MultinomialNaiveBayes};
use gristmill::mixture::{CovarianceType, GaussianDensity, GaussianMixture, KernelDensity, NeighborDensity};
use gristmill::prelude::*;

fn close(found: f64, known: f64, tolerance: f64) {
    assert!((found - known).abs() <= tolerance * known.abs().max(1.0), "{found} is not {known}");
}

#[test]
fn naive_bayes_has_scikit_learns_numbers() {
    let iris = datasets::iris().unwrap();
    let model = GaussianNaiveBayes::default().fit(&iris.x, iris.labels().unwrap()).unwrap();
    close(model.score(&iris.x, iris.labels().unwrap()).unwrap(), 0.96, 1e-9);
    let chances = model.predict_proba(&iris.x.select(&[70, 83]).unwrap()).unwrap();
    for (found, known) in chances.as_slice().iter().zip([0.0, 0.154494085, 0.845505915, 0.0, 0.612159845, 0.387840155])
    {
        close(f64::from(*found), known, 1e-5);
    }
    for (found, known) in model.variances(1).iter().zip([0.261104, 0.0965, 0.2164, 0.038324]) {
        close(*found, known, 1e-6);
    }
    let digits = datasets::digits().unwrap();
    let y = digits.labels().unwrap();
    let model = MultinomialNaiveBayes::default().fit(&digits.x, y).unwrap();
    close(model.score(&digits.x, y).unwrap(), 0.9053978853644964, 1e-9);
    for (found, known) in model.feature_log_prob(3).iter().zip([-10.9369389, -6.15781541, -3.60000199, -3.07598254]) {
        close(*found, known, 1e-7);
    }
    let first = digits.x.select(&[0]).unwrap();
    let scores = model.decision_function(&first).unwrap();
    for (found, known) in scores.as_slice().iter().zip([-1036.24926803, -1235.19109303, -1272.73021716]) {
        close(f64::from(*found), known, 1e-6);
    }
    let few = MultinomialNaiveBayes::default().alpha(0.1).fit_prior(false).fit(&digits.x, y).unwrap();
    close(few.score(&digits.x, y).unwrap(), 0.9048414023372288, 1e-9);
    close(f64::from(few.decision_function(&first).unwrap().get(0, 9)), -1142.48837173, 1e-6);
    let there = BernoulliNaiveBayes::default().binarize(8.0).fit(&digits.x, y).unwrap();
    close(there.score(&digits.x, y).unwrap(), 0.8953811908736784, 1e-9);
    close(f64::from(there.decision_function(&first).unwrap().get(0, 0)), -10.81811691, 1e-6);
    close(there.feature_log_prob(3)[3], -0.03297002, 1e-6);
    for (data, known) in [
        (datasets::wine().unwrap(), 0.9887640449438202),
        (datasets::breast_cancer().unwrap(), 0.9420035149384886),
        (digits, 0.8580968280467446),
    ] {
        let (x, y) = (&data.x, data.labels().unwrap());
        let score = GaussianNaiveBayes::default().fit(x, y).unwrap().score(x, y).unwrap();
        // A row on the border may go either way.
        close(score, known, 2e-3);
    }
}

#[test]
fn chunks_sparse_rows_and_weights_give_the_model_of_all_rows() {
    let digits = datasets::digits().unwrap();
    let (x, y) = (&digits.x, digits.labels().unwrap());
    let sparse = SparseMatrix::from_dense(x).unwrap();
    let part = |from: usize, to: usize| {
        let rows: Vec<usize> = (from..to).collect();
        (x.select(&rows).unwrap(), y.select(&rows).unwrap())
    };
    let chunks = [part(0, 700), part(700, 1797)];
    let queries = &chunks[0].0;

    let (count, there) = (MultinomialNaiveBayes::default(), BernoulliNaiveBayes::default().binarize(8.0));
    let gaussian = GaussianNaiveBayes::default();
    let (mut counted, mut seen, mut clouds) = (None, None, None);
    for (x, y) in &chunks {
        counted = Some(count.partial_fit(counted, x, y).unwrap());
        seen = Some(there.partial_fit(seen, &SparseMatrix::from_dense(x).unwrap(), y).unwrap());
        clouds = Some(gaussian.partial_fit(clouds, x, y).unwrap());
    }
    assert_eq!(counted.unwrap(), count.fit(&sparse, y).unwrap());
    assert_eq!(seen.unwrap(), there.fit(x, y).unwrap());
    let (chunked, whole) = (clouds.unwrap(), gaussian.fit(x, y).unwrap());
    for class in 0..10 {
        chunked.variances(class).iter().zip(whole.variances(class)).for_each(|(a, b)| close(*a, b, 1e-9));
    }
    assert_eq!(
        count.fit(x, y).unwrap().predict(&SparseMatrix::from_dense(queries).unwrap()).unwrap(),
        count.fit(x, y).unwrap().predict(queries).unwrap()
    );

    let twice: Vec<usize> = (0..1797).chain(0..700).collect();
    let weights: Vec<f32> = (0..1797).map(|row| if row < 700 { 2.0 } else { 1.0 }).collect();
    let doubled = gaussian.fit(&x.select(&twice).unwrap(), &y.select(&twice).unwrap()).unwrap();
    let weighted = gaussian.fit_with(x, y, Fit::default().sample_weight(&weights)).unwrap();
    doubled.variances(4).iter().zip(weighted.variances(4)).for_each(|(a, b)| close(*a, b, 1e-6));
    let doubled = count.fit(&x.select(&twice).unwrap(), &y.select(&twice).unwrap()).unwrap();
    let weighted = count.fit_with(x, y, Fit::default().sample_weight(&weights)).unwrap();
    assert_eq!(doubled.feature_log_prob(2), weighted.feature_log_prob(2));
}

#[test]
fn plug_in_classifiers_are_the_discriminants_and_naive_bayes() {
    let iris = datasets::iris().unwrap();
    let (x, y) = (&iris.x, iris.labels().unwrap());
    let plug_in = |density: GaussianDensity, shared: bool| {
        let classifier = BayesClassifier::default().density(AnyEstimator::new(density.reg_covar(0.0))).shared(shared);
        classifier.fit(x, y).unwrap().predict_proba(x).unwrap()
    };
    let near = |a: &Matrix, b: &Matrix| a.as_slice().iter().zip(b.as_slice()).all(|(a, b)| (a - b).abs() < 2e-3);
    let own = QuadraticDiscriminantAnalysis::default().fit(x, y).unwrap().predict_proba(x).unwrap();
    assert!(near(&plug_in(GaussianDensity::default(), false), &own));
    let diagonal = GaussianDensity::default().covariance_type(CovarianceType::Diag);
    let naive = GaussianNaiveBayes::default().var_smoothing(0.0).fit(x, y).unwrap().predict_proba(x).unwrap();
    assert!(near(&plug_in(diagonal, false), &naive));
    // Linear discriminants, which divide by n − k instead of n in scikit-learn's solver and ours, agree in classes.
    let linear = LinearDiscriminantAnalysis::default().fit(x, y).unwrap();
    let shared = BayesClassifier::default().shared(true).fit(x, y).unwrap();
    let differing =
        (0..150).filter(|row| linear.predict(x).unwrap().name(*row) != shared.predict(x).unwrap().name(*row));
    assert!(differing.count() <= 1);
}

#[test]
fn every_density_classifies_iris_and_wine() {
    let densities: [(AnyEstimator, f64); 4] = [
        (AnyEstimator::new(GaussianMixture::new(2)), 0.96),
        (AnyEstimator::new(KernelDensity::default().bandwidth(0.4)), 0.96),
        (AnyEstimator::new(NeighborDensity::new(8)), 0.94),
        (AnyEstimator::new(GaussianDensity::default()), 0.96),
    ];
    for data in [datasets::iris().unwrap(), datasets::wine().unwrap()] {
        let y = data.labels().unwrap();
        let x = StandardScaler::default().fit(&data.x).unwrap().transform(&data.x).unwrap();
        for (density, least) in &densities {
            let model = BayesClassifier::default().density(density.clone()).fit(&x, y).unwrap();
            let score = model.score(&x, y).unwrap();
            assert!(score >= *least, "{}: {score}", density.name());
        }
    }
}

/// Standard normal numbers, the same every time.
fn normals(count: usize, seed: u64) -> Vec<f32> {
    use gristmill::ops::{random::philox::Draw, random_normals};
    let mut stream = Device::Cpu.stream();
    random_normals(&mut stream, Draw::new(seed, 0), count).unwrap().to_vec(&mut stream).unwrap()
}

/// Two Gaussians of covariance I whose means are `apart` from each other along the first column.
fn two_gaussians(n: usize, d: usize, apart: f32, seed: u64) -> (Matrix, Labels) {
    let mut values = normals(n * d, seed);
    let codes: Vec<u32> = (0..n as u32).map(|row| row % 2).collect();
    (0..n).for_each(|row| values[row * d] += apart * codes[row] as f32);
    (Matrix::from_vec(n, d, values).unwrap(), Labels::from(&codes[..]))
}

#[test]
fn the_error_on_two_gaussians_comes_near_that_of_bayes() {
    // Φ(−1) for a distance of 2.
    let bayes = 0.158_655_254;
    let (test, truth) = two_gaussians(40_000, 3, 2.0, 99);
    let mut before = 1.0_f64;
    for n in [20, 200, 4000] {
        let (x, y) = two_gaussians(n, 3, 2.0, 7);
        let model = BayesClassifier::default().shared(true).fit(&x, &y).unwrap();
        let error = 1.0 - model.score(&test, &truth).unwrap();
        assert!(error > bayes - 0.006 && error <= before + 0.004, "{n}: {error}");
        before = error;
    }
    assert!((before - bayes).abs() < 0.006, "{before}");
}

#[test]
fn the_error_of_one_nearest_neighbour_is_within_cover_and_harts_bounds() {
    // η(x) = P(1 | x) is known: x uniform on [0, 1), η = 0.9 on the right half and 0.2 on the left.
    let draw = |n: usize, seed: u64| {
        use gristmill::ops::{random::philox::Draw, random_uniforms};
        let mut stream = Device::Cpu.stream();
        let numbers = random_uniforms(&mut stream, Draw::new(seed, 0), 2 * n).unwrap().to_vec(&mut stream).unwrap();
        let eta = |x: f32| if x < 0.5 { 0.2 } else { 0.9 };
        let codes: Vec<u32> = (0..n).map(|row| u32::from(numbers[n + row] < eta(numbers[row]))).collect();
        (Matrix::from_vec(n, 1, numbers[..n].to_vec()).unwrap(), Labels::from(&codes[..]))
    };
    let (x, y) = draw(20_000, 1);
    let (test, truth) = draw(20_000, 2);
    let error = 1.0 - KNeighborsClassifier::new(1).fit(&x, &y).unwrap().score(&test, &truth).unwrap();
    let bayes = 0.15;
    assert!(error >= bayes && error <= 2.0 * bayes * (1.0 - bayes) + 0.01, "{error}");
    // E[2·η·(1 − η)] is what it comes to: (0.32 + 0.18)/2.
    assert!((error - 0.25).abs() < 0.01, "{error}");
}

#[test]
fn what_cannot_be_fitted_is_refused_and_a_class_without_rows_is_never_predicted() {
    let x = Matrix::from_rows(&[[1.0, 5.0], [2.0, 5.0], [8.0, 5.0], [9.0, 5.0]]).unwrap();
    let y = Labels::from_codes(vec![0, 0, 2, 2], vec!["a".into(), "b".into(), "c".into()]).unwrap();
    for row in 0..4 {
        assert_eq!(GaussianNaiveBayes::default().fit(&x, &y).unwrap().predict(&x).unwrap().name(row), y.name(row));
        let plug_in = BayesClassifier::default().fit(&x, &y).unwrap().predict(&x).unwrap();
        assert_eq!(plug_in.name(row), y.name(row));
    }
    let counted = MultinomialNaiveBayes::default().fit(&x, &y).unwrap();
    assert!(counted.predict_proba(&x).unwrap().as_slice().iter().skip(1).step_by(3).all(|share| *share == 0.0));
    let message = |result: Result<()>| result.unwrap_err().to_string();
    let negative = Matrix::from_rows(&[[1.0, -2.0], [2.0, 5.0], [8.0, 5.0], [9.0, 5.0]]).unwrap();
    let found = message(MultinomialNaiveBayes::default().fit(&negative, &y).map(|_| ()));
    assert!(found.contains("row 0, column 1"), "{found}");
    let wrong = GaussianNaiveBayes::default().priors(vec![0.5, 0.6, 0.1]);
    assert!(message(wrong.fit(&x, &y).map(|_| ())).contains("add up to 1"));
    let none = Fit::default().sample_weight(&[0.0; 4]);
    assert!(GaussianNaiveBayes::default().fit_with(&x, &y, none).is_err());
    let singular = BayesClassifier::default().density(AnyEstimator::new(GaussianDensity::default().reg_covar(0.0)));
    assert!(message(singular.fit(&x, &y).map(|_| ())).contains("reg_covar"));
    let no_density = BayesClassifier::default().density(AnyEstimator::new(KMeans::new(2)));
    assert!(message(no_density.fit(&x, &y).map(|_| ())).contains("a density"));
    let too_many = BayesClassifier::default().density(AnyEstimator::new(NeighborDensity::new(5)));
    assert!(message(too_many.fit(&x, &y).map(|_| ())).contains("n_neighbors"));
    // Three equal rows of a class: a density of a point, large but a number.
    let equal = Matrix::from_rows(&[[1.0], [1.0], [1.0], [4.0], [5.0], [6.0]]).unwrap();
    let y = Labels::from(&[0_u32, 0, 0, 1, 1, 1][..]);
    for density in [AnyEstimator::new(NeighborDensity::new(2)), AnyEstimator::new(GaussianDensity::default())] {
        let model = BayesClassifier::default().density(density).fit(&equal, &y).unwrap();
        assert_eq!(model.predict(&equal).unwrap(), y);
    }
}
