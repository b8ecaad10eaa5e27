//! Quantiles and Huber means.

use gristmill::ensemble::boosting::robust::{huber_delta, huber_mean, quantile};

fn with(weights: &[f32], numbers: &[f64]) -> impl Iterator<Item = (f64, f32)> + Clone {
    numbers.iter().copied().zip(weights.iter().copied()).collect::<Vec<_>>().into_iter()
}

#[test]
fn weights_are_repeated_numbers() {
    let numbers = [3.0, -1.0, 7.0, 2.0, 2.0, 11.0];
    let weights = [2.0, 1.0, 3.0, 1.0, 0.0, 1.0];
    let repeated = [3.0, 3.0, -1.0, 7.0, 7.0, 7.0, 2.0, 11.0];
    for share in [0.1, 0.25, 0.5, 0.625, 0.9] {
        let plain = quantile(with(&[1.0; 8], &repeated), share);
        assert_eq!(quantile(with(&weights, &numbers), share), plain, "{share}");
    }
    assert_eq!(quantile(with(&[1.0; 8], &repeated), 0.5), 5.0);
    assert_eq!(quantile(with(&[0.5; 3], &[5.0, 1.0, 4.0]), 0.5), 4.0);
    assert_eq!(quantile(with(&[], &[]), 0.5), 0.0);
}

#[test]
fn the_delta_is_above_zero_where_an_error_is() {
    let sizes = [0.0, 0.0, 0.0, 0.0, 0.0, 3.0, 0.5, 0.25];
    assert_eq!(huber_delta(with(&[1.0; 8], &sizes), 0.5), 0.25);
    assert_eq!(huber_delta(with(&[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0], &sizes), 0.5), 0.5);
    assert_eq!(huber_delta(with(&[1.0; 8], &sizes), 0.9), 3.0);
    assert_eq!(huber_delta(with(&[1.0; 3], &[0.0; 3]), 0.9), 0.0);
}

#[test]
fn the_huber_mean_has_no_neighbour_of_less_loss() {
    let numbers = [0.5, 9.0, -3.0, 2.5, 2.0, 40.0, 1.0];
    let weights = [1.0, 2.0, 0.5, 1.0, 1.0, 1.0, 3.0];
    for delta in [0.3, 1.0, 5.0, 100.0] {
        let loss = |centre: f64| {
            let one = |(number, weight): (f64, f32)| {
                let error = (number - centre).abs();
                let loss = if error <= delta { 0.5 * error * error } else { delta * (error - 0.5 * delta) };
                f64::from(weight) * loss
            };
            with(&weights, &numbers).map(one).sum::<f64>()
        };
        let best = huber_mean(with(&weights, &numbers), delta);
        assert!(loss(best) <= loss(best + 1e-4) && loss(best) <= loss(best - 1e-4), "{delta}: {best}");
    }
    let mean = (0.5 + 18.0 - 1.5 + 2.5 + 2.0 + 40.0 + 3.0) / 9.5;
    assert!((huber_mean(with(&weights, &numbers), 100.0) - mean).abs() < 1e-12);
}
