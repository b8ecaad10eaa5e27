//! Densities as lines: the moons by five components, eruptions of a geyser by two, the moons by a kernel; and what three nearest neighbours
//! say before and after a metric was learnt.
//!
//! `cargo run --release --example density_views [FILE.svg]`

use gristmill::estimator::{InputColumns, Model, PictureInput, PictureRows};
use gristmill::metric_learning::Lmnn;
use gristmill::mixture::{CovarianceType, GaussianMixture, KernelDensity};
use gristmill::ops::{random::philox::Draw, random_normals};
use gristmill::plot::{Figure, Panels};
use gristmill::prelude::*;

fn main() -> gristmill::Result<()> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "density_views.svg".to_string());
    draw(&path)?.iter().for_each(|line| println!("{line}"));
    println!("{path}");
    Ok(())
}

/// Draws the picture, and tells what was found.
pub fn draw(path: &str) -> gristmill::Result<Vec<String>> {
    let moons = datasets::moons(300, 0.1, 4)?;
    let five = GaussianMixture::new(5).covariance_type(CovarianceType::Diag).n_init(5).fit(&moons.x)?;
    let geyser = eruptions(400)?;
    let two = GaussianMixture::new(2).fit(&geyser)?;
    let kernel = KernelDensity::default().bandwidth(0.2).fit(&moons.x)?;
    let (x, target) = hidden(300)?;
    let metric = Lmnn::default().fit(&x, &target)?;
    let figures = [
        first(&five, &moons.x, &Target::None)?.title("Moons by five components"),
        first(&two, &geyser, &Target::None)?.title("Waiting against eruption, two components"),
        first(&kernel, &moons.x, &Target::None)?.title("Moons by a kernel"),
    ];
    let panels = figures.into_iter().fold(Panels::new(3)?.title("Densities and a metric"), Panels::figure);
    let learnt = drawn(&metric, &x, &target)?;
    learnt.into_iter().fold(panels, Panels::figure).save(path)?;
    let labels = target.labels()?;
    let error = |x: &Matrix| -> gristmill::Result<f64> {
        let data = Dataset::new(x.clone(), target.clone())?;
        let (train, test) = data.split(0.5, 1)?;
        Ok(1.0 - KNeighborsClassifier::new(3).fit(&train.x, train.labels()?)?.score(&test.x, test.labels()?)?)
    };
    let weights: Vec<String> = two.weights().iter().map(|weight| format!("{weight:.3}")).collect();
    Ok(vec![
        format!("eruptions: weights {}", weights.join(" and ")),
        format!(
            "three neighbours of {} rows: error {:.3} before, {:.3} after",
            labels.len(),
            error(&x)?,
            error(&metric.transform(&x)?)?
        ),
    ])
}

/// The pictures that a model has of itself on these rows.
fn drawn(model: &impl Model, x: &Matrix, target: &Target) -> gristmill::Result<Vec<Figure>> {
    let names: Vec<String> = (0..x.columns()).map(|column| format!("x{column}")).collect();
    let columns = InputColumns::named(&names);
    let rows = Some(PictureRows { x, target, fitted: true, device: &Device::Cpu, plane: None });
    model.figures(&PictureInput { columns: &columns, target_name: None, rows })
}

fn first(model: &impl Model, x: &Matrix, target: &Target) -> gristmill::Result<Figure> {
    Ok(drawn(model, x, target)?.into_iter().next().unwrap_or_default())
}

/// Random rows like those of Old Faithful: minutes of an eruption, and minutes until the next, short ones and long ones.
pub fn eruptions(n: usize) -> gristmill::Result<Matrix> {
    let normal = normals(2 * n, 1)?;
    let row = |at: usize| {
        let short = (at * 356 / 1000) != ((at + 1) * 356 / 1000);
        let (mean, spread) =
            if short { ([2.04, 54.5], [0.26, 1.65, 5.56]) } else { ([4.29, 80.0], [0.41, 2.29, 5.55]) };
        let [a, b] = [normal[2 * at], normal[2 * at + 1]];
        [mean[0] + spread[0] * a, mean[1] + spread[1] * a + spread[2] * b]
    };
    Matrix::from_rows(&(0..n).map(row).collect::<Vec<_>>())
}

/// Two classes that differ in one of six columns; the others are noise.
fn hidden(n: usize) -> gristmill::Result<(Matrix, Target)> {
    let mut values = normals(6 * n, 2)?;
    let codes: Vec<u32> = (0..n as u32).map(|row| row % 2).collect();
    (0..n).for_each(|row| values[6 * row] = 0.25 * values[6 * row] + codes[row] as f32);
    Ok((Matrix::from_vec(n, 6, values)?, Target::Classes(Labels::from(&codes[..]))))
}

fn normals(count: usize, seed: u64) -> gristmill::Result<Vec<f32>> {
    let mut stream = Device::Cpu.stream();
    random_normals(&mut stream, Draw::new(seed, 0), count)?.to_vec(&mut stream)
}
