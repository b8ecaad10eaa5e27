//! Support vector machines as wholes, on the CPU.
//!
//! `cargo bench --bench svm_models -- classes ROWS.npy CLASSES.npy C KERNEL [QUERIES.npy CLASSES.npy]` times a fit and
//! predictions, `search ROWS.npy CLASSES.npy` a grid of five costs, three widths and five folds on 3,000 rows,
//! `one-class ROWS.npy` a share of 0.1 with a width of 0.01; `budget` makes its own rows, 100,000×20 under 64 MiB.

use std::time::Instant;

use gristmill::data::Target;
use gristmill::estimator::Model;
use gristmill::prelude::*;
use gristmill::selection::{Folds, GridSearch};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match &words[..] {
        [] => Ok(()),
        ["classes", x, y, c, kernel, queries @ ..] => classes((x, y), (c, kernel), queries),
        ["search", x, y] => search(x, y),
        ["one-class", x] => one_class(x),
        ["budget"] => budget(),
        other => panic!("no case {other:?}"),
    }
}

fn rows(path: &str) -> Result<Matrix> {
    Ok(Dataset::read(path)?.x)
}

fn labels(path: &str) -> Result<Labels> {
    let codes: Vec<i64> = rows(path)?.as_slice().iter().map(|value| *value as i64).collect();
    Ok(Labels::from(&codes[..]))
}

/// The least and the median of the seconds of three runs, and what the last one gave.
fn timed<T>(work: impl Fn() -> Result<T>) -> Result<([f64; 2], T)> {
    let mut seconds = vec![];
    let mut last = None;
    for _ in 0..3 {
        let begun = Instant::now();
        last = Some(work()?);
        seconds.push(begun.elapsed().as_secs_f64());
    }
    seconds.sort_by(f64::total_cmp);
    Ok(([seconds[0], seconds[1]], last.expect("there are three runs")))
}

fn told(name: &str, [least, median]: [f64; 2], report: &gristmill::estimator::FitReport) {
    let number = |name: &str| report.number(name).unwrap_or(f64::NAN);
    let steps = report.iterations.as_ref().map_or(0, |iterations| iterations.count);
    println!(
        "{name}: {least:.3} s (median {median:.3}), objective {:.4}, gap {:.1e}, {} support vectors, {steps} steps, {} rounds, {:.2e} kernel values",
        number("objective"),
        number("gap"),
        number("support"),
        number("rounds"),
        number("kernel_evaluations"),
    );
}

fn classes((x, y): (&str, &str), (c, kernel): (&str, &str), queries: &[&str]) -> Result<()> {
    let (x, y) = (rows(x)?, labels(y)?);
    let svc = Svc::default().c(c.parse().expect("a cost")).kernel(kernel.parse()?).cache_size(2000.0);
    let (seconds, model) = timed(|| svc.fit(&x, &y))?;
    told("fit", seconds, &model.report());
    if let [x, y] = queries {
        let (x, y) = (rows(x)?, labels(y)?);
        let (seconds, score) = timed(|| model.score(&x, &y))?;
        let [least, median] = seconds;
        println!("predictions: {least:.3} s (median {median:.3}), {:.2} % right", 100.0 * score);
    }
    Ok(())
}

fn search(x: &str, y: &str) -> Result<()> {
    let some: Vec<usize> = (0..3000).collect();
    let data = Dataset::new(rows(x)?.select(&some)?, Target::Classes(labels(y)?.select(&some)?))?;
    let search = GridSearch::new(Pipeline::new(Svc::default()))
        .parameter("c", [0.1, 1.0, 10.0, 100.0, 1000.0])
        .parameter("kernel", ["rbf(gamma=0.001)", "rbf(gamma=0.01)", "rbf(gamma=0.1)"]);
    let begun = Instant::now();
    let found = search.fit(&data, &Folds::stratified(5))?;
    let (seconds, best) = (begun.elapsed().as_secs_f64(), found.best());
    println!("search: {seconds:.3} s, {:?} with {:.4}", best.parameters, best.score().mean);
    Ok(())
}

fn one_class(x: &str) -> Result<()> {
    let x = rows(x)?;
    let svm = OneClassSvm::default().nu(0.1).kernel(Kernel::rbf(0.01));
    let (seconds, model) = timed(|| svm.fit(&x))?;
    told("one class", seconds, &model.report());
    let outliers = model.predict(&x)?.iter().filter(|side| **side < 0).count();
    println!("{:.1} % outliers", 100.0 * outliers as f64 / x.rows() as f64);
    Ok(())
}

fn budget() -> Result<()> {
    let data = datasets::blobs(100_000, 20, 8, 1)?;
    let codes: Vec<u32> = data.labels()?.codes().iter().map(|code| code % 2).collect();
    let begun = Instant::now();
    let model = Svc::default().cache_size(64.0).fit(&data.x, &Labels::from(&codes[..]))?;
    told("100,000 rows under 64 MiB", [begun.elapsed().as_secs_f64(); 2], &model.report());
    Ok(())
}
