//! Progress of a long fit or prediction, reported to an observer, which may end it.

use std::io::Write;
use std::time::Duration;

use crate::clock::Instant;
use crate::error::{Error, Result};

/// How far a fit or prediction has come.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// What is running: `k-means`, `nearest neighbours`.
    pub what: &'static str,
    /// Iterations, rounds or blocks done.
    pub iteration: usize,
    /// The loss after them, where it is known without extra work: of the fitted rows, or, for boosting, of the validation rows.
    pub loss: Option<f64>,
    /// How much of the longest possible run is done, from 0 to 1; an iterative fit may end sooner.
    pub fraction: f64,
}

/// What to do after a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Continue,
    /// End now and return what there is, as if the iterations had run out; [`Error::Stopped`] if that is nothing yet.
    StopEarly,
    /// End now with [`Error::Stopped`].
    Stop,
}

/// Gets a progress report after every iteration, round or block, and decides whether to go on. A closure will do.
///
/// ```
/// use gristmill::estimator::{Flow, Report};
/// use gristmill::prelude::*;
/// let mut lines = vec![];
/// let mut observer = |report: &Report| {
///     lines.push(format!("{} {}", report.what, report.iteration));
///     Flow::Continue
/// };
/// let x = Matrix::from_rows(&[[0.0], [1.0], [9.0]])?;
/// KMeans::new(2).fit_with(&x, Fit::default().observer(&mut observer))?;
/// assert!(lines[0].starts_with("k-means"));
/// # Ok::<(), gristmill::Error>(())
/// ```
pub trait Observer {
    /// Takes a report and returns what to do next.
    fn report(&mut self, report: &Report) -> Flow;
}

/// A closure can observe.
impl<F: FnMut(&Report) -> Flow> Observer for F {
    fn report(&mut self, report: &Report) -> Flow {
        self(report)
    }
}

/// Goes on, whatever happens.
pub(crate) struct Unobserved;

impl Observer for Unobserved {
    fn report(&mut self, _: &Report) -> Flow {
        Flow::Continue
    }
}

/// One running job as its algorithm sees it: reports in, decisions out.
pub(crate) struct Reporter<'a> {
    what: &'static str,
    observer: &'a mut dyn Observer,
}

impl<'a> Reporter<'a> {
    pub(crate) fn new(what: &'static str, observer: &'a mut dyn Observer) -> Reporter<'a> {
        Reporter { what, observer }
    }

    /// Reports; true if the fit is to end with what there is.
    pub(crate) fn report(&mut self, iteration: usize, loss: Option<f64>, fraction: f64) -> Result<bool> {
        match self.observer.report(&Report { what: self.what, iteration, loss, fraction }) {
            Flow::Continue => Ok(false),
            Flow::StopEarly => Ok(true),
            Flow::Stop => Err(Error::Stopped { what: self.what }),
        }
    }

    /// Reports from a job that has nothing to return before its end.
    pub(crate) fn check_stopped(&mut self, iteration: usize, fraction: f64) -> Result<()> {
        if self.report(iteration, None, fraction)? { Err(Error::Stopped { what: self.what }) } else { Ok(()) }
    }
}

/// An observer that writes progress as one line and rewrites it, at most ten times a second.
#[derive(Debug)]
pub struct Progress<W: Write> {
    out: W,
    last: Option<Instant>,
    written: bool,
}

impl Progress<std::io::Stderr> {
    /// Progress on standard error.
    pub fn stderr() -> Self {
        Progress::new(std::io::stderr())
    }
}

impl<W: Write> Progress<W> {
    /// Progress to any writer.
    pub fn new(out: W) -> Self {
        Progress { out, last: None, written: false }
    }
}

impl<W: Write> Observer for Progress<W> {
    fn report(&mut self, report: &Report) -> Flow {
        let due = self.last.is_none_or(|last| last.elapsed() >= Duration::from_millis(100));
        if due || report.fraction >= 1.0 {
            let loss = report.loss.map_or(String::new(), |loss| format!(", loss {loss:.6e}"));
            let percent = 100.0 * report.fraction.clamp(0.0, 1.0);
            let line = format!("\r{}: {percent:3.0} %, step {}{loss}\x1b[K", report.what, report.iteration);
            // Progress that cannot be written is no reason to end the work.
            self.written |= self.out.write_all(line.as_bytes()).and_then(|()| self.out.flush()).is_ok();
            self.last = Some(Instant::now());
        }
        Flow::Continue
    }
}

impl<W: Write> Drop for Progress<W> {
    fn drop(&mut self) {
        if self.written {
            // The line is complete as it is; only the cursor would stay behind.
            let _ = self.out.write_all(b"\n");
        }
    }
}
