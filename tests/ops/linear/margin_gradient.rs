use gristmill::ops::linear::margin_gradient::*;
use gristmill::prelude::*;

use crate::support::{EPS, devices, gpu_with, matrix, numbers};

/// A problem with its planes.
struct Problem {
    x: Matrix,
    classes: Vec<u32>,
    weights: Option<Vec<f32>>,
    coef: Vec<f32>,
    intercept: Vec<f32>,
    loss: MarginLoss,
}

fn problem(rows: usize, columns: usize, planes: usize, loss: MarginLoss, weighted: bool) -> Problem {
    let classes = (0..rows).map(|row| ((row * 7 + row / 3) % planes.max(2)) as u32).collect();
    let weights = weighted.then(|| numbers(rows, 5).iter().map(|weight| (4.0 * weight).max(0.0)).collect());
    let coef = numbers(planes * columns, 6).iter().map(|value| value / (columns as f32).sqrt()).collect();
    Problem { x: matrix(rows, columns, 7), classes, weights, coef, intercept: numbers(planes, 8), loss }
}

fn found(device: &Device, problem: &Problem) -> MarginGradient {
    let x = problem.x.to(device).unwrap();
    let rows = ClassRows { classes: &problem.classes, weights: problem.weights.as_deref() };
    let targets = ClassTargets::new(&x, rows).unwrap();
    let planes = ClassPlanes { coef: &problem.coef, intercept: &problem.intercept };
    margin_gradient(&mut device.stream(), &x, &targets, planes, problem.loss).unwrap()
}

/// The sums in f64, row by row, and beside each the sum of the sizes of its terms.
fn oracle(problem: &Problem) -> (MarginGradient, MarginGradient) {
    let (columns, planes) = (problem.x.columns(), problem.intercept.len());
    let (mut sums, mut sizes) = (MarginGradient::new(columns, planes), MarginGradient::new(columns, planes));
    for row in 0..problem.x.rows() {
        let x: Vec<f64> = problem.x.row(row).iter().copied().map(f64::from).collect();
        let weight = problem.weights.as_ref().map_or(1.0, |weights| f64::from(weights[row]));
        let class = problem.classes[row] as usize;
        let margins: Vec<f64> = (0..planes)
            .map(|plane| {
                let coef = &problem.coef[plane * columns..][..columns];
                let product: f64 = coef.iter().zip(&x).map(|(coef, x)| f64::from(*coef) * x).sum();
                product + f64::from(problem.intercept[plane])
            })
            .collect();
        let own = |plane: usize| if planes == 1 { class == 1 } else { class == plane };
        let slopes: Vec<f64> = match problem.loss {
            MarginLoss::SquaredHinge => {
                let short = |plane: usize| {
                    let sign = if own(plane) { 1.0 } else { -1.0 };
                    (sign, (1.0_f64 - sign * margins[plane]).max(0.0))
                };
                sums.loss += (0..planes).map(|plane| weight * short(plane).1.powi(2)).sum::<f64>();
                (0..planes).map(|plane| -2.0 * short(plane).0 * short(plane).1).collect()
            }
            MarginLoss::Softmax if planes == 1 => {
                let signed = if class == 1 { margins[0] } else { -margins[0] };
                sums.loss += weight * (1.0 + (-signed).exp()).ln();
                let wrong = 1.0 / (1.0 + signed.exp());
                vec![if class == 1 { -wrong } else { wrong }]
            }
            MarginLoss::Softmax => {
                let total: f64 = margins.iter().map(|margin| margin.exp()).sum();
                sums.loss += weight * (total.ln() - margins[class]);
                (0..planes).map(|plane| margins[plane].exp() / total - f64::from(u8::from(own(plane)))).collect()
            }
        };
        sizes.loss += weight * 4.0;
        for (plane, slope) in slopes.iter().enumerate() {
            sums.intercept[plane] += weight * slope;
            sizes.intercept[plane] += weight * (slope.abs() + 1.0);
            for (column, x) in x.iter().enumerate() {
                sums.coef[plane * columns + column] += weight * slope * x;
                sizes.coef[plane * columns + column] += weight * (slope.abs() + 1.0) * x.abs();
            }
        }
    }
    (sums, sizes)
}

fn assert_close(name: &str, problem: &Problem) {
    let (found, (exact, sizes)) = (found(devices_named(name), problem), oracle(problem));
    // 150 roundings of the sums, and what (d/4 + 24) roundings of the margins do to each term.
    let bound = (150.0 + problem.x.columns() as f64 / 4.0 + 24.0) * EPS;
    let shape = format!("{name}: {}×{}, {} planes", problem.x.rows(), problem.x.columns(), problem.intercept.len());
    assert!((found.loss - exact.loss).abs() <= bound * sizes.loss, "{shape}: {} for {}", found.loss, exact.loss);
    let pairs = found.coef.iter().zip(&exact.coef).zip(&sizes.coef);
    for (at, ((found, exact), size)) in pairs.enumerate() {
        assert!((found - exact).abs() <= bound * size + 1e-12, "{shape}, {at}: {found} for {exact}");
    }
    let pairs = found.intercept.iter().zip(&exact.intercept).zip(&sizes.intercept);
    for (at, ((found, exact), size)) in pairs.enumerate() {
        assert!((found - exact).abs() <= bound * size + 1e-12, "{shape}, intercept {at}: {found} for {exact}");
    }
}

fn devices_named(name: &str) -> &'static Device {
    devices().into_iter().find(|(known, _)| *known == name).unwrap().1
}

#[test]
fn sums_at_edge_sizes_match_the_oracle() {
    for (name, _) in devices() {
        for rows in [1, 2, 63, 64, 65, 257, 511, 513, 1000, 2049] {
            for (columns, planes) in [(1, 1), (3, 2), (5, 3), (17, 1), (64, 1), (65, 10), (257, 4)] {
                assert_close(name, &problem(rows, columns, planes, MarginLoss::Softmax, rows % 2 == 1));
            }
            assert_close(name, &problem(rows, 20, 1, MarginLoss::SquaredHinge, true));
            assert_close(name, &problem(rows, 7, 5, MarginLoss::SquaredHinge, false));
        }
        assert_close(name, &problem(700, 1100, 32, MarginLoss::Softmax, true));
    }
}

#[test]
fn chunks_and_budgets_do_not_change_a_bit() {
    let problem = problem(3000, 37, 3, MarginLoss::Softmax, true);
    let whole = found(crate::support::gpu(), &problem);
    let split = [1, 2, 7, 64, 1000].map(|rows| DeviceOptions::default().chunk_rows(rows));
    let tight = [1, 16, 128].map(|mebibytes| DeviceOptions::default().memory_budget(mebibytes << 20));
    for options in split.into_iter().chain(tight) {
        assert_eq!(found(&gpu_with(options.mark_outputs(true)), &problem), whole);
    }
}

#[test]
fn margins_far_out_neither_overflow_nor_lose_their_loss() {
    for (name, device) in devices() {
        for loss in [MarginLoss::Softmax, MarginLoss::SquaredHinge] {
            let problem = Problem {
                x: Matrix::from_rows(&[[1e3], [-1e3]]).unwrap(),
                classes: vec![0, 0],
                weights: None,
                coef: vec![1.0],
                intercept: vec![0.0],
                loss,
            };
            let sums = found(device, &problem);
            let wanted = if loss == MarginLoss::Softmax { 1e3 } else { 1001.0 * 1001.0 };
            assert!((sums.loss / wanted - 1.0).abs() < 1e-6, "{name}: {}", sums.loss);
            assert!(sums.coef[0].is_finite(), "{name}");
        }
    }
}

#[test]
fn what_does_not_fit_together_is_an_error() {
    for (name, device) in devices() {
        let x = matrix(3, 2, 1).to(device).unwrap();
        assert!(ClassTargets::new(&x, ClassRows { classes: &[0, 1], weights: None }).is_err(), "{name}");
        let targets = ClassTargets::new(&x, ClassRows { classes: &[0, 1, 1], weights: None }).unwrap();
        let planes = ClassPlanes { coef: &[1.0; 3][..], intercept: &[0.0][..] };
        let refused = margin_gradient(&mut device.stream(), &x, &targets, planes, MarginLoss::Softmax);
        assert!(matches!(refused, Err(Error::Shape { .. })), "{name}");
    }
    let x = matrix(3, 2, 1).to(crate::support::gpu()).unwrap();
    let targets = ClassTargets::new(&x, ClassRows { classes: &[0, 1, 1], weights: None }).unwrap();
    let planes = ClassPlanes { coef: &[1.0; 66][..], intercept: &[0.0; 33][..] };
    let refused = margin_gradient(&mut crate::support::gpu().stream(), &x, &targets, planes, MarginLoss::Softmax);
    assert!(matches!(refused, Err(Error::Limit { .. })));
}
