//! Losses and what they estimate.

use gristmill::theory::{MarginLoss, cross_entropy, minkowski, minkowski_figure, minkowski_minimiser};

#[test]
fn each_loss_is_least_at_its_minimiser() {
    for loss in MarginLoss::ALL {
        for eta in [0.05, 0.3, 0.5, 0.7, 0.99] {
            let best = loss.risk(loss.minimiser(eta).unwrap(), eta);
            let others = (-1000..=1000).map(|at| loss.risk(f64::from(at) / 100.0, eta));
            let least = others.fold(f64::INFINITY, f64::min);
            assert!(best <= least + 1e-12, "{loss:?} at {eta}: {best} and {least}");
        }
        assert!(loss.minimiser(0.0).is_err() && loss.minimiser(1.0).is_err() && loss.minimiser(f64::NAN).is_err());
    }
}

#[test]
fn losses_have_the_values_of_their_formulas_and_bound_the_zero_one_loss() {
    let close = |loss: MarginLoss, margin: f64, expected: f64| {
        assert!((loss.value(margin) - expected).abs() < 1e-15, "{loss:?} at {margin}");
    };
    close(MarginLoss::Hinge, -0.5, 1.5);
    close(MarginLoss::SquaredHinge, -0.5, 2.25);
    close(MarginLoss::Squared, 2.0, 1.0);
    close(MarginLoss::Perceptron, -2.0, 2.0);
    close(MarginLoss::Logistic, 0.0, 2_f64.ln());
    close(MarginLoss::Exponential, 0.0, 1.0);
    close(MarginLoss::ZeroOne, 0.0, 1.0);
    assert!((MarginLoss::Logistic.value(-1e4) - 1e4).abs() < 1e-9);
    for at in -300..300 {
        let margin = f64::from(at) / 100.0;
        let zero_one = MarginLoss::ZeroOne.value(margin);
        for loss in [MarginLoss::Squared, MarginLoss::Hinge, MarginLoss::SquaredHinge, MarginLoss::Exponential] {
            assert!(loss.value(margin) >= zero_one, "{loss:?} at {margin}");
        }
        assert!(MarginLoss::Logistic.value(margin) / 2_f64.ln() >= zero_one); // in bits
        assert!(MarginLoss::Hinge.value(margin) >= MarginLoss::Perceptron.value(margin));
    }
}

#[test]
fn minkowski_finds_mean_median_and_mode() {
    let values = [3.0, 1.0, 1.0, 7.0, 2.5, 1.0, 9.0];
    let mean = values.iter().sum::<f64>() / 7.0;
    assert!((minkowski_minimiser(&values, 2.0).unwrap() - mean).abs() < 1e-12);
    assert!((minkowski_minimiser(&values, 1.0).unwrap() - 2.5).abs() < 1e-12);
    assert_eq!(minkowski_minimiser(&values, 0.01).unwrap(), 1.0);
    assert!((minkowski_minimiser(&values, 60.0).unwrap() - 5.0).abs() < 0.15); // the middle of the range
    // An even number: midway between the two middle ones.
    assert!((minkowski_minimiser(&[1.0, 2.0, 4.0, 9.0], 1.0).unwrap() - 3.0).abs() < 1e-9);
    assert_eq!(minkowski_minimiser(&[5.0], 1.5).unwrap(), 5.0);
    // No other number is better.
    for power in [0.3, 0.9, 1.0, 1.5, 2.0, 3.0] {
        let sum = |centre: f64| values.iter().map(|value| minkowski(value - centre, power)).sum::<f64>();
        let best = sum(minkowski_minimiser(&values, power).unwrap());
        assert!((0..=1000).all(|at| best <= sum(f64::from(at) / 100.0) + 1e-9), "{power}");
    }
    assert!(minkowski_minimiser(&[], 2.0).is_err() && minkowski_minimiser(&[1.0], 0.0).is_err());
    assert!(minkowski_minimiser(&[f64::NAN], 1.0).is_err());
}

#[test]
fn cross_entropy_is_least_at_the_target() {
    let target = [0.2, 0.5, 0.3];
    let entropy: f64 = target.iter().map(|q: &f64| -q * q.ln()).sum();
    assert!((cross_entropy(&target, &target).unwrap() - entropy).abs() < 1e-15);
    for shift in [-0.1, -0.01, 0.01, 0.1] {
        assert!(cross_entropy(&target, &[0.2 + shift, 0.5 - shift, 0.3]).unwrap() > entropy);
    }
    assert!((cross_entropy(&[0.0, 1.0], &[0.75, 0.25]).unwrap() - 4_f64.ln()).abs() < 1e-15);
    assert!(cross_entropy(&[0.5, 0.5], &[1.0, 0.0]).unwrap().is_infinite());
    assert!(cross_entropy(&[0.5], &[0.5, 0.5]).is_err() && cross_entropy(&[1.5], &[0.5]).is_err());
    // Two classes: the logistic loss of the log-odds.
    let p: f64 = 0.3;
    assert!(
        (cross_entropy(&[1.0, 0.0], &[p, 1.0 - p]).unwrap() - MarginLoss::Logistic.value((p / (1.0 - p)).ln())).abs()
            < 1e-12
    );
}

#[test]
fn the_pictures_name_every_loss() {
    let svg = MarginLoss::figure().to_svg();
    assert!(MarginLoss::ALL.iter().all(|loss| svg.contains(&format!(">{}<", loss.name()))));
    assert!(minkowski_figure(&[0.3, 1.0, 2.0]).to_svg().contains(">q = 0.3<"));
}
