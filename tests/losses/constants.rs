//! The constant scores of least loss.

use gristmill::losses::{Loss, huber_delta, huber_mean, log_shares, quantile};

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

#[test]
fn no_other_constant_has_less_loss() {
    let targets = [0.0, 1.0, 1.0, 0.0, 1.0, 3.0, 0.0, 2.0];
    let weights = [1.0, 2.0, 0.0, 1.0, 0.5, 1.0, 3.0, 1.0];
    for loss in [
        Loss::Squared,
        Loss::Absolute,
        Loss::Quantile { alpha: 0.3 },
        Loss::Huber { delta: 0.7 },
        Loss::Poisson,
        Loss::Logistic,
        Loss::Exponential,
    ] {
        let binary = matches!(loss, Loss::Logistic | Loss::Exponential);
        let targets = targets.map(|target: f32| if binary { target.min(1.0) } else { target });
        let total = |score: f64| {
            let rows = targets.iter().zip(weights);
            rows.map(|(target, weight)| f64::from(weight) * loss.value(score, f64::from(*target))).sum::<f64>()
        };
        let best = loss.best_constant(&targets, Some(&weights));
        assert!(total(best) <= total(best + 1e-3) && total(best) <= total(best - 1e-3), "{loss:?}: {best}");
    }
    let shares = log_shares(&[0, 1, 1, 2], 4, Some(&[1.0, 1.0, 2.0, 0.0]));
    assert_eq!([shares[0], shares[1]], [0.25_f64.ln(), 0.75_f64.ln()]);
    assert!(shares[2] == shares[3] && shares[3] < -16.0);
}
