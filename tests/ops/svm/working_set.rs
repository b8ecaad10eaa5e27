use gristmill::ops::svm::working_set::{Limits, SET, Standing, WorkingSets};
use gristmill::prelude::*;

use crate::support::{devices, gpu_with, numbers};

/// Variables of a machine, the points they belong to, and the first of the second group.
struct Problem {
    x: Vec<f32>,
    limits: Vec<Limits>,
    group_first: usize,
}

impl Problem {
    /// Rows on a line with a Gaussian kernel, and two variables a row where `twice` is set.
    fn new(rows: usize, twice: bool, ridge: f32, seed: u64) -> Problem {
        let x = numbers(rows, seed).iter().map(|value| 3.0 * value).collect::<Vec<_>>();
        let count = if twice { 2 * rows } else { rows };
        let limits = |at: usize| {
            let sign = if (twice && at < rows) || (!twice && x[at].sin() > 0.1) { 1.0 } else { -1.0_f32 };
            [sign.min(0.0) * 2.0, sign.max(0.0) * 2.0, ridge, -sign + 0.05 * x[at % rows]]
        };
        let limits = (0..count).map(limits).collect();
        Problem { x, limits, group_first: count }
    }

    fn kernel(&self, a: usize, b: usize) -> f64 {
        (-f64::from(self.x[a] - self.x[b]).powi(2)).exp()
    }

    /// The kernel matrix of some rows with others.
    fn matrix(&self, a: &[usize], b: &[usize]) -> Matrix {
        let values = a.iter().flat_map(|a| b.iter().map(|b| self.kernel(*a, *b) as f32)).collect();
        Matrix::from_vec(a.len(), b.len(), values).unwrap()
    }

    /// The slopes of given variables in f64.
    fn slopes(&self, beta: &[f32]) -> Vec<f64> {
        let n = self.x.len();
        let slope = |at: usize| {
            let sum: f64 = (0..beta.len()).map(|b| f64::from(beta[b]) * self.kernel(at % n, b % n)).sum();
            sum + f64::from(self.limits[at][2] * beta[at] + self.limits[at][3])
        };
        (0..beta.len()).map(slope).collect()
    }
}

/// Rounds until the violation is small: the variables, the last standing, and the objective after each round.
fn solved(device: &Device, problem: &Problem, tol: f32) -> (Vec<f32>, Vec<f32>, Standing, Vec<f64>) {
    let mut stream = device.stream();
    let n = problem.x.len();
    let start = vec![0.0; problem.limits.len()];
    let mut sets = WorkingSets::new(device, (n, problem.group_first), &problem.limits, &start).unwrap();
    let mut standing = sets.follow(&mut stream, None, [0.0; 2]).unwrap();
    let mut objectives = vec![standing.objective];
    let all: Vec<usize> = (0..n).collect();
    for _ in 0..200 {
        let (least, most) = standing.extremes[0];
        if most - least <= f64::from(tol) {
            break;
        }
        let middle = (0.5 * (least + most)) as f32;
        let rows = sets.choose(&mut stream, [Some(middle), None]).unwrap().to_vec(&mut stream).unwrap();
        let rows: Vec<usize> = rows.into_iter().map(|row| row as usize).collect();
        let square = problem.matrix(&rows, &rows).to(device).unwrap();
        let change = sets.solve(&mut stream, &square, 0.5 * tol, 1000).unwrap().to_matrix(&mut stream).unwrap();
        // K·change, by the host.
        let wide = problem.matrix(&all, &rows);
        let sum = |row: usize| wide.row(row).iter().zip(change.as_slice()).map(|(k, c)| k * c).sum::<f32>();
        let sums = Matrix::from_vec(n, 1, all.iter().map(|row| sum(*row)).collect()).unwrap().to(device).unwrap();
        let offset = 0.5 * (least + most);
        standing = sets.follow(&mut stream, Some(&sums), [offset, 0.0]).unwrap();
        objectives.push(standing.objective);
    }
    // The gap at the offset of the last round; without sums nothing moves.
    let (least, most) = standing.extremes[0];
    if least.is_finite() && most.is_finite() {
        standing = sets.follow(&mut stream, None, [0.5 * (least + most), 0.0]).unwrap();
    }
    let beta = sets.beta().to_vec(&mut stream).unwrap();
    (beta, sets.slope().to_vec(&mut stream).unwrap(), standing, objectives)
}

#[test]
fn rounds_end_where_the_conditions_hold_on_every_device() {
    for (name, device) in devices() {
        for rows in [2, 3, 63, 64, 65, 255, 256, 257, 1000] {
            for (twice, ridge) in [(false, 0.0), (false, 0.25), (true, 0.0)] {
                let problem = Problem::new(rows, twice, ridge, rows as u64);
                let (beta, slope, standing, objectives) = solved(device, &problem, 1e-3);
                let what = format!("{name}: {rows} rows, twice {twice}, ridge {ridge}");
                let exact = problem.slopes(&beta);
                let size: f64 = beta.iter().map(|beta| f64::from(beta.abs())).sum::<f64>() + 3.0;
                let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
                for (at, slope_exact) in exact.iter().enumerate() {
                    assert!((slope_exact - f64::from(slope[at])).abs() < 1e-5 * size, "{what}: slope {at}");
                    let [low, high, ..] = problem.limits[at];
                    assert!(beta[at] >= low && beta[at] <= high, "{what}: {}", beta[at]);
                    least = if beta[at] < high { least.min(*slope_exact) } else { least };
                    most = if beta[at] > low { most.max(*slope_exact) } else { most };
                }
                assert!(most - least <= 1e-3 + 2e-5 * size, "{what}: violation {}", most - least);
                assert!(beta.iter().map(|beta| f64::from(*beta)).sum::<f64>().abs() < 1e-4 * size, "{what}");
                let objective: f64 = (0..beta.len())
                    .map(|at| 0.5 * f64::from(beta[at]) * (exact[at] + f64::from(problem.limits[at][3])))
                    .sum();
                assert!((objective - standing.objective).abs() < 1e-4 * size, "{what}: {objective} {standing:?}");
                // Where no pair can move there is no offset to measure a gap at.
                let paired = standing.extremes[0].0.is_finite() && standing.extremes[0].1.is_finite();
                let closed = standing.gap > -1e-4 * size && standing.gap < 2e-2 * size;
                assert!(closed || !paired, "{what}: {standing:?}");
                assert!(objectives.is_sorted_by(|before, after| after <= &(before + 1e-5 * size)), "{what}");
                assert!(standing.steps >= 1.0 || objectives.len() == 1, "{what}");
            }
        }
    }
}

#[test]
fn two_groups_keep_their_sums_and_are_solved_side_by_side() {
    for (name, device) in devices() {
        let mut problem = Problem::new(300, false, 0.0, 5);
        problem.group_first = 140;
        for (at, limits) in problem.limits.iter_mut().enumerate() {
            *limits = [0.0, 1.0, 0.0, if at % 7 == 0 { 0.3 } else { -0.2 }];
        }
        let mut stream = device.stream();
        let start: Vec<f32> = (0..300).map(|at| if at < 40 || (140..170).contains(&at) { 1.0 } else { 0.0 }).collect();
        let mut sets = WorkingSets::new(device, (300, 140), &problem.limits, &start).unwrap();
        let all: Vec<usize> = (0..300).collect();
        let whole = problem.matrix(&all, &all);
        let product = |factors: &[f32], rows: &[usize]| {
            let sum = |row: usize| rows.iter().zip(factors).map(|(at, f)| whole.get(row, *at) * f).sum::<f32>();
            Matrix::from_vec(300, 1, (0..300).map(sum).collect()).unwrap().to(device).unwrap()
        };
        let mut standing = sets.follow(&mut stream, Some(&product(&start, &all)), [0.0; 2]).unwrap();
        for _ in 0..100 {
            let middles =
                standing.extremes.map(|(least, most)| (least + 1e-3 < most).then_some((0.5 * (least + most)) as f32));
            if middles == [None; 2] {
                break;
            }
            let rows = sets.choose(&mut stream, middles).unwrap().to_vec(&mut stream).unwrap();
            let rows: Vec<usize> = rows.into_iter().map(|row| row as usize).collect();
            let square = problem.matrix(&rows, &rows).to(device).unwrap();
            let change = sets.solve(&mut stream, &square, 5e-4, 1000).unwrap().to_matrix(&mut stream).unwrap();
            standing = sets.follow(&mut stream, Some(&product(change.as_slice(), &rows)), [0.0; 2]).unwrap();
        }
        assert!(standing.extremes.iter().all(|(least, most)| most - least <= 1e-3), "{name}: {standing:?}");
        let beta = sets.beta().to_vec(&mut stream).unwrap();
        let sums = [&beta[..140], &beta[140..]].map(|part| part.iter().sum::<f32>());
        assert!((sums[0] - 40.0).abs() < 1e-3 && (sums[1] - 30.0).abs() < 1e-3, "{name}: {sums:?}");
    }
}

#[test]
fn many_variables_stand_in_several_blocks() {
    for (name, device) in devices() {
        let count = 70_000;
        let values = numbers(count, 9);
        let limits: Vec<Limits> = values.iter().map(|value| [-1.0, 1.0, 0.0, *value]).collect();
        let mut sets = WorkingSets::new(device, (count, count), &limits, &vec![0.0; count]).unwrap();
        let mut stream = device.stream();
        let standing = sets.follow(&mut stream, None, [0.0; 2]).unwrap();
        let least = values.iter().copied().fold(f32::INFINITY, f32::min);
        let most = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        assert_eq!(standing.extremes[0], (f64::from(least), f64::from(most)), "{name}");
        assert_eq!(standing.free[0].1, count as f64, "{name}");
        let gap: f64 = values.iter().map(|value| f64::from(value.abs())).sum();
        assert!((standing.gap / gap - 1.0).abs() < 1e-5, "{name}: {} is not {gap}", standing.gap);
        let rows = sets.choose(&mut stream, [Some(0.0), None]).unwrap().to_vec(&mut stream).unwrap();
        let mut order: Vec<u32> = (0..count as u32).collect();
        order.sort_by(|a, b| values[*a as usize].total_cmp(&values[*b as usize]));
        assert_eq!(rows[..SET / 4], order[..SET / 4], "{name}");
    }
}

#[test]
fn shapes_that_do_not_belong_together_are_refused() {
    let limits = [[0.0, 1.0, 0.0, 0.0]; 4];
    for device in [&Device::Cpu, &gpu_with(DeviceOptions::default())] {
        assert!(matches!(WorkingSets::new(device, (3, 4), &limits, &[0.0; 4]), Err(Error::Shape { .. })));
        assert!(matches!(WorkingSets::new(device, (4, 4), &limits, &[0.0; 3]), Err(Error::Shape { .. })));
        let mut sets = WorkingSets::new(device, (4, 4), &limits, &[0.0; 4]).unwrap();
        let small = Matrix::zeros(4, 4).unwrap().to(device).unwrap();
        assert!(matches!(sets.solve(&mut device.stream(), &small, 1e-3, 1), Err(Error::Shape { .. })));
        assert!(matches!(sets.follow(&mut device.stream(), Some(&small), [0.0; 2]), Err(Error::Shape { .. })));
    }
}
