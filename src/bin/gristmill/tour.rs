//! `gristmill tour`: what the crate does, in the order in which it was built.

use std::time::Duration;

use gristmill::device::DEVICE_VARIABLE;
use gristmill::ops::{self, Layout};
use gristmill::prelude::*;
use gristmill::preprocessing::StandardScaler;
use gristmill::selection::{Folds, GridSearch};

use super::measure::{Effort, measure, seconds, speed};
use super::{Everywhere, devices, print, profile, suite, table};

const EFFORT: Effort = Effort { time: Duration::from_millis(150), least: 3 };

/// The sizes that a tour has time for.
const SHOWN: [(&str, &str); 7] = [
    ("cluster/assign", "200000x32, k=64"),
    ("neighbors/nearest", "2000x2000x64, 10"),
    ("linalg/gemm", "1024x1024x1024"),
    ("linalg/transpose", "4096x4096"),
    ("distance/sq_euclidean", "4096x4096x64"),
    ("reduce/argmin_rows", "4096x4096"),
    ("reduce/sum", "10000000"),
];

pub fn run(everywhere: &Everywhere) -> Result<()> {
    print("Gristmill: classical machine learning on any GPU.\n\nThe devices of this machine\n");
    print(&devices::describe(&Device::list()));
    let gpu = compared(everywhere)?;
    first_steps(gpu.as_ref())?;
    kernels(gpu.as_ref())?;
    models(gpu.as_ref())?;
    if let (true, Some(gpu)) = (everywhere.profile, &gpu) {
        gpu.profile(true);
        for case in shown() {
            case.prepare(gpu)?()?;
        }
        print("\nOne run of each kernel, profiled\n");
        print(&profile::describe(&gpu.profile_report()));
    }
    Ok(())
}

/// The device to compare the CPU with: the one asked for, or the best GPU there is, or none.
fn compared(everywhere: &Everywhere) -> Result<Option<Device>> {
    let variable = std::env::var(DEVICE_VARIABLE).ok().filter(|wanted| !wanted.trim().is_empty());
    let device = match everywhere.device.clone().or(variable) {
        Some(wanted) => Device::open(wanted.trim())?,
        None if Device::list().len() == 1 => Device::Cpu,
        None => Device::open("gpu").unwrap_or_else(|refused| {
            print(&format!("\n{refused}"));
            Device::Cpu
        }),
    };
    Ok(Some(device).filter(|device| !matches!(device, Device::Cpu)))
}

/// The same few lines on both devices.
fn first_steps(gpu: Option<&Device>) -> Result<()> {
    print("\nFour points, their squared distances, and each one's nearest other, on each device\n");
    let points = Matrix::from_rows(&[[0.0, 0.0], [3.0, 4.0], [3.0, 3.0], [10.0, 10.0]])?;
    for device in [Some(&Device::Cpu), gpu].into_iter().flatten() {
        let mut stream = device.stream();
        let x = points.to(device)?;
        let squares = ops::sq_euclidean(&mut stream, &x, &x)?.to_matrix(&mut stream)?;
        let product = ops::gemm(&mut stream, Layout::NT, &x, &x)?.to_matrix(&mut stream)?;
        let nearest = |i: usize| {
            let others = (0..4).filter(|j| *j != i);
            others.min_by(|a, b| squares.get(i, *a).total_cmp(&squares.get(i, *b))).unwrap_or(i)
        };
        let nearest: Vec<usize> = (0..4).map(nearest).collect();
        let row = squares.row(0);
        print(&format!(
            "{:<24} from the first: {row:?}; nearest: {nearest:?}; x₁·x₂ = {}",
            device.info().name,
            product.get(1, 2)
        ));
    }
    Ok(())
}

fn kernels(gpu: Option<&Device>) -> Result<()> {
    print("\nThe kernels: each has a WGSL shader and a CPU twin that gives the same answer\n");
    let devices: Vec<Device> = [Some(Device::Cpu), gpu.cloned()].into_iter().flatten().collect();
    let mut rows = table(&["kernel", "size", "CPU", "", "GPU", "", "GPU / CPU"]);
    for case in shown() {
        let timings = measure(&case, &devices, EFFORT)?;
        let mut row = vec![case.kernel.to_string(), case.size.clone()];
        for timing in &timings {
            let (rate, unit) = speed(case.work, *timing);
            row.extend([seconds(timing.minimum), format!("{rate:.1} {unit}")]);
        }
        match timings.get(1) {
            Some(gpu) => row.push(format!("{:.2}×", gpu.minimum / timings[0].minimum)),
            None => row.extend(["–", "–", "–"].map(String::from)),
        }
        rows.add_row(row);
    }
    print(&rows.to_string());
    match gpu.map(Device::info) {
        None => print("On the CPU alone: the CPU twins do all the work, and nothing is missing."),
        Some(info) if info.kind == gristmill::DeviceKind::Software => {
            print(
                "The GPU here is a driver that runs shaders on the CPU: it proves them right, and is no measure of a card.",
            );
        }
        Some(_) => {}
    }
    Ok(())
}

/// The models there are, on data that everyone knows.
fn models(gpu: Option<&Device>) -> Result<()> {
    print("\nThe models: the same calls wherever the rows live\n");
    let (iris, digits) = (datasets::iris()?, datasets::digits()?);
    let (cancer, diabetes) = (datasets::breast_cancer()?, datasets::diabetes()?);
    let mut rows = table(&["model", "data", "device", "result", "time"]);
    for device in [Some(&Device::Cpu), gpu].into_iter().flatten() {
        let name = device.info().name;
        let mut add = |model: &str, data: &str, job: &dyn Fn() -> Result<String>| -> Result<()> {
            job()?; // the first run compiles shaders
            let begun = std::time::Instant::now();
            let result = job()?;
            let time = seconds(begun.elapsed().as_secs_f64());
            rows.add_row(vec![model.to_string(), data.to_string(), name.clone(), result, time]);
            Ok(())
        };
        let x = iris.x.to(device)?;
        add("KMeans, k = 3", "iris", &|| {
            let model = KMeans::new(3).n_init(10).fit(&x)?;
            Ok(format!("inertia {:.4} after {} iterations", model.inertia(), model.iterations()))
        })?;
        let (half, y) = (part(&digits.x, 0)?.to(device)?, digits.labels()?.select(&every_second(0, 898))?);
        let (rest, truth) = (part(&digits.x, 1)?.to(device)?, digits.labels()?.select(&every_second(1, 898))?);
        add("KNeighborsClassifier, k = 5", "digits, half for testing", &|| {
            let model = KNeighborsClassifier::new(5).fit(&half, &y)?;
            Ok(format!("{:.1} % right", 100.0 * model.score(&rest, &truth)?))
        })?;
        let (cancer_train, cancer_test) = cancer.split(0.7, 1)?;
        let (train, test) = (cancer_train.x.to(device)?, cancer_test.x.to(device)?);
        add("GradientBoostingClassifier, 30 rounds", "breast cancer, 30 % for testing", &|| {
            let model = GradientBoostingClassifier::default().n_estimators(30).fit(&train, cancer_train.labels()?)?;
            Ok(format!("{:.1} % right", 100.0 * model.score(&test, cancer_test.labels()?)?))
        })?;
        add("RandomForestClassifier, 50 trees", "breast cancer, 30 % for testing", &|| {
            let model = RandomForestClassifier::new(50).fit(&train, cancer_train.labels()?)?;
            Ok(format!("{:.1} % right", 100.0 * model.score(&test, cancer_test.labels()?)?))
        })?;
        let features = diabetes.x.to(device)?;
        add("Ridge", "diabetes", &|| {
            let model = Ridge::default().fit(&features, diabetes.values()?)?;
            Ok(format!("R² {:.3}", model.score(&features, diabetes.values()?)?))
        })?;
        let all = digits.x.to(device)?;
        add("LocalOutlierFactor", "digits", &|| {
            let labels = LocalOutlierFactor::default().fit_predict(&all)?;
            Ok(format!("{} outliers", labels.iter().filter(|label| **label < 0).count()))
        })?;
    }
    print(&rows.to_string());
    print("Pictures of them: cargo run --release --example kmeans_blobs, knn_regions and tree_regions.");
    choosing()
}

/// How a model is chosen.
fn choosing() -> Result<()> {
    print("\nChoosing one: every combination on five folds of wine, the columns scaled\n");
    let search = GridSearch::new(Pipeline::new(KNeighborsClassifier::default()).step(StandardScaler::default()));
    let search = search.parameter("n_neighbors", [1, 5, 15]).parameter("weights", ["uniform", "distance"]);
    let found = search.fit(&datasets::wine()?, &Folds::stratified(5).seed(0))?;
    let mut rows = table(&["n_neighbors", "weights", "accuracy"]);
    for candidate in &found.candidates {
        let word = |at: usize| candidate.parameters[at].1.to_string().replace('"', "");
        let score = candidate.score();
        rows.add_row([word(0), word(1), format!("{:.3} ± {:.3}", score.mean, score.deviation)]);
    }
    print(&rows.to_string());
    print(
        "At the shell: gristmill fit kneighbors-classifier data/digits.csv --target digit --split 0.8 --plot digits.svg",
    );
    Ok(())
}

fn every_second(first: usize, count: usize) -> Vec<usize> {
    (0..count).map(|row| 2 * row + first).collect()
}

fn part(x: &Matrix, first: usize) -> Result<Matrix> {
    Matrix::from_rows(&every_second(first, 898).into_iter().map(|row| x.row(row)).collect::<Vec<_>>())
}

fn shown() -> Vec<suite::case::Case> {
    let wanted = |case: &suite::case::Case| SHOWN.contains(&(case.kernel, case.size.as_str()));
    suite::cases().into_iter().filter(wanted).collect()
}
