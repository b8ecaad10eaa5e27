use std::time::{Duration, Instant};

use gristmill::estimator::{Flow, Report};
use gristmill::prelude::*;

use crate::support::{devices, matrix};

#[test]
fn a_fit_can_be_stopped_or_finished_early() {
    let x = matrix(20_000, 8, 71);
    for (name, device) in devices() {
        let x = x.to(device).unwrap();
        let params = KMeans::new(50).tol(0.0).max_iter(1000);
        let mut stop = |_: &Report| Flow::Stop;
        let stopped = params.fit_with(&x, Fit::default().observer(&mut stop));
        assert!(matches!(stopped, Err(Error::Stopped { .. })), "{name}");
        let mut finish = |_: &Report| Flow::StopEarly;
        let model = params.fit_with(&x, Fit::default().observer(&mut finish)).unwrap();
        assert!(!model.converged() && model.iterations() == 1, "{name}");
        assert_eq!(model.predict(&x).unwrap(), model.labels(), "{name}");
    }
}

#[test]
fn reports_come_in_order_and_end_at_the_whole() {
    let (x, queries) = (matrix(3000, 8, 72), matrix(3000, 8, 73));
    for (name, device) in devices() {
        let model = NearestNeighbors::new(3).fit(&x.to(device).unwrap()).unwrap();
        let mut fractions = vec![];
        let mut observer = |report: &Report| {
            fractions.push(report.fraction);
            Flow::Continue
        };
        let watched = model.kneighbors_with(&queries.to(device).unwrap(), &mut observer).unwrap();
        assert!(fractions.windows(2).all(|pair| pair[0] < pair[1]), "{name}");
        assert_eq!(fractions.last(), Some(&1.0), "{name}");
        assert_eq!(watched, model.kneighbors(&queries.to(device).unwrap()).unwrap(), "{name}");
    }
}

#[test]
fn a_long_prediction_stops_when_asked() {
    let x = matrix(30_000, 64, 74);
    let model = NearestNeighbors::new(5).metric(Metric::Manhattan).fit(&x).unwrap();
    let begun = Instant::now();
    let mut stop =
        |_: &Report| if begun.elapsed() > Duration::from_millis(50) { Flow::StopEarly } else { Flow::Continue };
    let result = model.kneighbors_with(&x, &mut stop);
    assert!(matches!(result, Err(Error::Stopped { what: "nearest neighbours" })));
}

#[test]
fn progress_writes_a_line() {
    let mut out = vec![];
    let x = matrix(500, 3, 75);
    KMeans::new(4).fit_with(&x, Fit::default().observer(&mut Progress::new(&mut out))).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(text.contains("k-means:") && text.ends_with('\n'), "{text:?}");
}
