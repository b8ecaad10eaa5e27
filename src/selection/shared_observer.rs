//! One observer of many fits that run side by side.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::{Error, Result};
use crate::estimator::{Flow, Observer, Report};

/// How far all fits have come, and whether they are to stop.
pub(super) struct SharedObserver<'a> {
    what: &'static str,
    total: f64,
    state: Mutex<State<'a>>,
}

struct State<'a> {
    observer: Option<&'a mut (dyn Observer + Send)>,
    finished: usize,
    /// Fits that are done, and the fractions of those that run.
    done: f64,
    stops: bool,
}

impl<'a> SharedObserver<'a> {
    pub(super) fn new(
        what: &'static str,
        observer: Option<&'a mut (dyn Observer + Send)>,
        total: usize,
    ) -> SharedObserver<'a> {
        let state = State { observer, finished: 0, done: 0.0, stops: false };
        SharedObserver { what, total: total.max(1) as f64, state: Mutex::new(state) }
    }

    /// An observer for one of the fits.
    pub(super) fn fit(&self) -> FitObserver<'_, 'a> {
        FitObserver { shared: self, seen: 0.0 }
    }

    /// An error once the observer has asked to stop: half of the fits are worth nothing.
    pub(super) fn stopped(&self) -> Result<()> {
        if self.state().stops { Err(Error::Stopped { what: self.what }) } else { Ok(()) }
    }

    fn state(&self) -> MutexGuard<'_, State<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn advance(&self, by: f64, finished: usize) -> Flow {
        let mut state = self.state();
        let State { observer, finished: count, done, stops } = &mut *state;
        (*done, *count) = (*done + by, *count + finished);
        if let Some(observer) = observer {
            let report = Report { what: self.what, iteration: *count, loss: None, fraction: *done / self.total };
            *stops |= observer.report(&report) != Flow::Continue;
        }
        if *stops { Flow::Stop } else { Flow::Continue }
    }
}

/// The observer of one fit, which passes its progress on.
pub(super) struct FitObserver<'s, 'a> {
    shared: &'s SharedObserver<'a>,
    seen: f64,
}

impl FitObserver<'_, '_> {
    /// Counts the fit as done.
    pub(super) fn finish(self) {
        self.shared.advance(1.0 - self.seen, 1);
    }
}

impl Observer for FitObserver<'_, '_> {
    fn report(&mut self, report: &Report) -> Flow {
        // Parts of a fit that begin anew, such as the models of a stack, do not move it back.
        let more = (report.fraction.min(1.0) - self.seen).max(0.0);
        self.seen += more;
        self.shared.advance(more, 0)
    }
}
