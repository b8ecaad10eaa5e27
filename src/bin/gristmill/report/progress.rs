//! Progress bars, and what Ctrl-C does.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gristmill::estimator::{Flow, Observer, Report};
use indicatif::{ProgressBar, ProgressStyle};

use crate::arguments::GlobalArgs;

/// The exit code of a program that Ctrl-C has ended: 128 and the signal's number.
const INTERRUPTED: i32 = 130;

/// Whether something runs that can end early with a result, or must not be torn.
static GUARDED: AtomicBool = AtomicBool::new(false);
/// Whether Ctrl-C has been pressed, or the program was asked to end (SIGTERM).
static ASKED: AtomicBool = AtomicBool::new(false);

/// From here on the first Ctrl-C, SIGTERM or SIGHUP lets what is [`guarded`] come to its end; without it, or the second time, it ends the
/// program at once.
pub fn listen() {
    let heard = || {
        let first = !ASKED.swap(true, Ordering::SeqCst);
        if !first || !GUARDED.load(Ordering::SeqCst) {
            std::process::exit(INTERRUPTED);
        }
        eprintln!("gristmill: stopping; Ctrl-C again ends it at once");
    };
    if let Err(error) = ctrlc::set_handler(heard) {
        log::warn!("Ctrl-C ends the program without saving: {error}");
    }
}

/// Whether Ctrl-C has been pressed.
pub fn interrupted() -> bool {
    ASKED.load(Ordering::SeqCst)
}

/// Whether Ctrl-C has ended the work before; what comes now is not to end for it too.
pub fn take_interrupted() -> bool {
    ASKED.swap(false, Ordering::SeqCst)
}

/// Runs a job that the first Ctrl-C does not cut short.
pub fn guarded<T>(job: impl FnOnce() -> T) -> T {
    GUARDED.store(true, Ordering::SeqCst);
    let result = job();
    GUARDED.store(false, Ordering::SeqCst);
    result
}

/// Shows how far a fit or prediction has come, on a terminal; asks it to finish once Ctrl-C has been pressed.
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar on standard error; nothing when it is no terminal, or with `--quiet` or `--json`.
    pub fn new(global: &GlobalArgs) -> Progress {
        if global.quiet || global.json || !std::io::stderr().is_terminal() {
            return Progress { bar: ProgressBar::hidden() };
        }
        let bar = ProgressBar::new(1000);
        if let Ok(style) =
            ProgressStyle::with_template("{prefix} {wide_bar} {percent:>3} %  {elapsed}, {eta} left  {msg}")
        {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Progress { bar }
    }

    /// Shows how many rows have been read, where nobody knows how many there are.
    pub fn count(&self, what: &'static str, rows: usize) {
        self.bar.set_prefix(what);
        self.bar.set_message(format!("{rows} rows"));
    }
}

impl Observer for Progress {
    fn report(&mut self, report: &Report) -> Flow {
        self.bar.set_prefix(report.what);
        self.bar.set_position((1000.0 * report.fraction.clamp(0.0, 1.0)) as u64);
        let loss = report.loss.map_or_else(String::new, |loss| format!(", loss {loss:.5e}"));
        self.bar.set_message(format!("step {}{loss}", report.iteration));
        if interrupted() { Flow::StopEarly } else { Flow::Continue }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
