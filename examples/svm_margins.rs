//! Support vector machines on two moons: a line, a polynomial and Gaussians of three widths with their margins and support
//! vectors; dual coordinate ascent on a square wave; the contours of one class.
//!
//! `cargo run --release --example svm_margins [FILE.svg]`

use gristmill::plot::{Figure, Grid, Panels, points};
use gristmill::prelude::*;
use gristmill::svm::{OneClassSvm, Svc, SvmSolver};

const CELLS: usize = 80;

fn main() -> gristmill::Result<()> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "svm_margins.svg".to_string());
    draw(&path)?.iter().for_each(|line| println!("{line}"));
    println!("{path}");
    Ok(())
}

/// Draws the picture, and tells how many support vectors each machine has.
pub fn draw(path: &str) -> gristmill::Result<Vec<String>> {
    let mut panels = Panels::new(4)?.title("Support vector machines");
    let mut told = vec![];
    for kernel in ["linear", "poly(degree=3)", "rbf(gamma=0.1)", "rbf(gamma=1)", "rbf(gamma=30)"] {
        let (figure, support) = margins(kernel)?;
        panels = panels.figure(figure);
        told.push(format!("{kernel}: {support} support vectors"));
    }
    panels.figure(square_wave()?).figure(one_class()?).save(path)?;
    Ok(told)
}

/// The values of a function at the middles of the cells.
fn heights(values: &Matrix) -> Vec<f64> {
    values.as_slice().iter().copied().map(f64::from).collect()
}

fn margins(kernel: &str) -> gristmill::Result<(Figure, usize)> {
    let moons = datasets::moons(150, 0.15, 1)?;
    let labels = moons.labels()?;
    let model = Svc::default().kernel(kernel.parse()?).c(5.0).fit(&moons.x, labels)?;
    let grid = Grid::around(&moons.x, [0, 1], CELLS, CELLS)?;
    let values = heights(&model.decision_function(&grid.points()?)?);
    let codes: Vec<u32> = values.iter().map(|value| u32::from(*value > 0.0)).collect();
    let mut margin = grid.contour(&values, -1.0)?;
    margin.extend(grid.contour(&values, 1.0)?);
    let all = points(&moons.x, [0, 1])?;
    let support: Vec<(f64, f64)> = model.support().iter().map(|row| all[*row as usize]).collect();
    let count = support.len();
    let figure = Figure::new().title(kernel).regions(&grid, &codes)?.scatter_classes(&moons.x, [0, 1], labels)?;
    let figure = figure.line("boundary", grid.contour(&values, 0.0)?).line("margin", margin);
    Ok((figure.crosses(&format!("support vectors ({count})"), support), count))
}

/// Twenty points of a square wave, learnt by ten epochs of coordinate ascent: f, what it should be, and the points.
fn square_wave() -> gristmill::Result<Figure> {
    let wave = |t: f64| if (t * 4.0) as i64 % 2 == 0 { -1.0 } else { 1.0 };
    let x: Vec<f32> = (0..20).map(|at| (at as f32 * 0.618_034).fract()).collect();
    let y: Vec<i64> = x.iter().map(|x| wave(f64::from(*x)) as i64).collect();
    let x = Matrix::from_vec(20, 1, x)?;
    let machine = Svc::default().solver(SvmSolver::Sdca).kernel(Kernel::rbf(100.0)).c(100.0).max_iter(10);
    let model = machine.fit(&x, &Labels::from(&y[..]))?;
    let times: Vec<f64> = (0..=50).map(|at| f64::from(at) / 50.0).collect();
    let places = Matrix::from_vec(51, 1, times.iter().map(|time| *time as f32).collect())?;
    let f = heights(&model.decision_function(&places)?);
    let figure = Figure::new().title("Coordinate ascent").x_label("t").y_label("f(t)");
    let figure = figure.line("f", times.iter().copied().zip(f)).dashed("truth", times.iter().map(|t| (*t, wave(*t))));
    // Stems from 0 to each point.
    let stems = x.as_slice().iter().flat_map(|x| {
        let x = f64::from(*x);
        [(x, 0.0), (x, wave(x)), (f64::NAN, f64::NAN)]
    });
    Ok(figure.line("rows", stems))
}

fn one_class() -> gristmill::Result<Figure> {
    let moons = datasets::moons(100, 0.1, 1)?;
    let model = OneClassSvm::default().c(0.02).kernel(Kernel::rbf(5.0)).fit(&moons.x)?;
    let grid = Grid::around(&moons.x, [0, 1], CELLS, CELLS)?;
    let values = heights(&model.decision_function(&grid.points()?)?);
    let inside: Vec<u32> = values.iter().map(|value| u32::from(*value >= 0.0)).collect();
    let mut others = vec![];
    let (low, high) = values.iter().fold((0.0_f64, 0.0_f64), |(low, high), value| (low.min(*value), high.max(*value)));
    for share in [0.33, 0.67] {
        others.extend(grid.contour(&values, share * low)?);
        others.extend(grid.contour(&values, share * high)?);
    }
    let figure = Figure::new().title("One class, nu = 0.5").regions(&grid, &inside)?;
    let figure = figure.line("boundary", grid.contour(&values, 0.0)?).line("equal values", others);
    Ok(figure.scatter("rows", points(&moons.x, [0, 1])?))
}
