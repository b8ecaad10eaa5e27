//! The one error type of the crate.

/// What every fallible function here returns.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong, and where; the message says what to do about it.
///
/// Errors can be cloned, because the first error of a device is what every later caller of that device gets.
/// Its `Debug` is the message too, so that `fn main() -> Result<()>` prints it.
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Sizes that do not fit together, or a model that cannot do what was asked.
    #[error("{op}: expected {expected}, got {got}")]
    Shape {
        /// The operation that refused.
        op: &'static str,
        /// What would have fitted.
        expected: String,
        /// What was given.
        got: String,
    },
    /// A parameter outside its range.
    #[error("{name} must be {rule}, got {got}")]
    Param {
        /// The parameter's name.
        name: &'static str,
        /// The rule it must keep.
        rule: String,
        /// The value that was given.
        got: String,
    },
    /// Columns that are not those that a model was fitted on.
    #[error("{}", columns(fitted, found))]
    Columns {
        /// The names that were fitted, in their order.
        fitted: Vec<String>,
        /// The names that came.
        found: Vec<String>,
    },
    /// A category that was not fitted.
    #[error(
        "row {row}, column {column:?}: {value:?} is no category that was fitted ({}); replace it, or let the encoder ignore unknown \
         categories (UnknownCategory::Ignore, --unknown ignore)",
        categories(known)
    )]
    Category {
        /// The row of the category, from 0.
        row: usize,
        /// The name of its column, or its number from 0.
        column: String,
        /// The category that came.
        value: String,
        /// The categories that were fitted.
        known: Vec<String>,
    },
    /// Sparse rows, given to what takes dense ones.
    #[error(
        "{op} takes {takes}; this data is sparse ({rows}×{columns}, {} nonzero): make it dense with --dense or \
         SparseMatrix::to_dense, which needs {}",
        share(*rows, *columns, *nonzero), bytes(*rows, *columns)
    )]
    Sparse {
        /// What refused.
        op: &'static str,
        /// What it takes: `dense rows`, or when it would not need them.
        takes: String,
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        columns: usize,
        /// How many numbers are not zero.
        nonzero: usize,
    },
    /// An infinity, a missing value where none is accepted, or a number beyond the range of `f32`.
    #[error("row {row}, column {column}: {value} is {}", describe(*value))]
    NotFinite {
        /// Row of the first such value, from 0.
        row: usize,
        /// Column of the first such value, from 0.
        column: usize,
        /// The value itself.
        value: f64,
    },
    /// The same in a column that the steps of a pipeline made.
    #[error("row {row}, column {column:?} behind the steps: {value} is {}", describe(*value))]
    NotFiniteBehindSteps {
        /// Row of the first such value, from 0.
        row: usize,
        /// The name of its column.
        column: String,
        /// The value itself.
        value: f64,
    },
    /// A target that is missing or not finite.
    #[error(
        "the target of row {row} is {value}: leave such rows out (ReadOptions::drop_unlabelled, fit --drop-unlabelled)"
    )]
    Target {
        /// Row of the first such target, from 0.
        row: usize,
        /// The value itself.
        value: f64,
    },
    /// A result beyond the range of `f32`, of numbers that are all within it.
    #[error(
        "row {row}: {what} is beyond the range of f32; bring the columns to a common scale first (StandardScaler, --scale)"
    )]
    Overflow {
        /// The row it was computed for, from 0.
        row: usize,
        /// What was computed.
        what: String,
    },
    /// The device that was asked for is not here or not fit for use.
    #[error("no device for \"{wanted}\": {why}. Found: {}. {advice}", list(found))]
    NoDevice {
        /// What was asked for.
        wanted: String,
        /// Why it cannot be had.
        why: String,
        /// What this machine has.
        found: Vec<String>,
        /// What to do about it.
        advice: String,
    },
    /// More than the device, the memory budget or the address range can hold.
    #[error("{what}: {need} needed, {have} available; use smaller blocks, a larger memory budget, or the CPU")]
    Limit {
        /// What was to be made.
        what: String,
        /// How much of it.
        need: u64,
        /// How much there can be.
        have: u64,
    },
    /// The device had room in its budget and still refused to allocate.
    #[error("the device is out of memory: {what}; close other programs or set a smaller memory budget")]
    OutOfMemory {
        /// What was to be allocated.
        what: String,
    },
    /// The device went away: driver reset, unplugged, destroyed. Open it again.
    #[error("the device was lost: {why}; open it again with Device::open")]
    DeviceLost {
        /// The driver's reason.
        why: String,
    },
    /// The device did not finish in time.
    #[error("the device did not finish {what} within {seconds} s")]
    Timeout {
        /// What it was doing.
        what: String,
        /// How long it was given.
        seconds: u64,
    },
    /// A result came back without the proof that every kernel before it ran and wrote.
    #[error("a result cannot be trusted: {why}; this is a fault of the driver or of a kernel, please report it")]
    UnverifiedResult {
        /// What the proof lacked.
        why: String,
    },
    /// A shader that the driver or wgpu refused.
    #[error("kernel {kernel} was refused: {why}")]
    Kernel {
        /// The kernel's name.
        kernel: String,
        /// The compiler's message.
        why: String,
    },
    /// A system of equations without one trustworthy solution.
    #[error(
        "{what} (condition about {condition:.1e}); add regularisation (a larger alpha or jitter), drop collinear or \
         constant columns, or solve by SVD with truncation"
    )]
    Singular {
        /// What is singular, and where it showed.
        what: String,
        /// The estimated condition number; infinite where there is no estimate.
        condition: f64,
    },
    /// A model file that is broken or not valid, or a model that could not be read again if it were written.
    #[error("cannot use {path} as a model: {why}")]
    Model {
        /// The file, or what stands for it when the bytes are in memory.
        path: String,
        /// What is wrong with it, and what to do.
        why: String,
    },
    /// A file that cannot be opened, read or written.
    #[error("{path}: {why}")]
    Io {
        /// The file.
        path: String,
        /// What was tried, and the system's reason.
        why: String,
    },
    /// A data file whose content is not what it should be.
    #[error("{path}{}: {why}", place(*line, column.as_deref()))]
    Data {
        /// The file.
        path: String,
        /// The line, counted from 1, in formats that have lines.
        line: Option<u64>,
        /// The column's name or number, where one is to blame.
        column: Option<String>,
        /// What was found, what was expected, and what to do.
        why: String,
    },
    /// A symbol that a model of sequences does not know.
    #[error(
        "sequence {sequence}, position {position}: {symbol:?} is none of the {known} symbols that were fitted; leave it out, or fit \
         on sequences that have it"
    )]
    Symbol {
        /// The sequence, or the line of a text, from 0.
        sequence: usize,
        /// The place in it, from 0.
        position: usize,
        /// The symbol that came.
        symbol: String,
        /// How many symbols are known.
        known: usize,
    },
    /// A context that was never seen, so that nothing is known of what follows it.
    #[error("nothing is known of what follows {context:?}: it was never seen; fit with smoothing or back-off")]
    Context {
        /// The symbols of the context, the oldest first.
        context: Vec<String>,
    },
    /// A decision process without one answer, such as rows that are no probabilities.
    #[error("{place}: {why}")]
    Process {
        /// The state and the action, by name.
        place: String,
        /// What is wrong there, and what to do.
        why: String,
    },
    /// A model inside another could not be fitted or used.
    #[error("{what}: {error}")]
    Nested {
        /// Which one: `bag 3`, `estimators.1 (ridge)`.
        what: String,
        /// What went wrong there.
        error: Box<Error>,
    },
    /// The observer asked to stop, and there was nothing yet worth returning.
    #[error("{what} was stopped")]
    Stopped {
        /// What was running.
        what: &'static str,
    },
    /// Arrays that live on different devices, or work recorded on another stream and not yet submitted.
    #[error("{op}: {why}")]
    WrongDevice {
        /// The operation that refused.
        op: &'static str,
        /// Which array is where.
        why: String,
    },
}

impl std::fmt::Debug for Error {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{self}")
    }
}

impl Error {
    /// [`Error::Shape`]: what was expected, and what came.
    pub fn shape(op: &'static str, expected: impl Into<String>, got: impl ToString) -> Error {
        Error::Shape { op, expected: expected.into(), got: got.to_string() }
    }

    /// [`Error::Param`]: the rule of a parameter, and its value.
    pub fn param(name: &'static str, rule: impl Into<String>, got: impl ToString) -> Error {
        Error::Param { name, rule: rule.into(), got: got.to_string() }
    }

    /// Stands for a model whose name is not known where it refuses rows.
    pub(crate) const SOME_MODEL: &'static str = "this model";

    /// Columns with other names than those that were fitted, or in another order.
    pub(crate) fn columns(fitted: &[String], found: &[String]) -> Error {
        Error::Columns { fitted: fitted.to_vec(), found: found.to_vec() }
    }

    /// The same, with the name of the model that refused sparse rows.
    pub(crate) fn sparse_for(self, model: &'static str) -> Error {
        match self {
            Error::Sparse { op: Error::SOME_MODEL, takes, rows, columns, nonzero } => {
                Error::Sparse { op: model, takes, rows, columns, nonzero }
            }
            error => error,
        }
    }

    /// The same error as one of a model inside another; [`Error::Stopped`] stays as it is.
    pub(crate) fn inside(self, what: impl Into<String>) -> Error {
        match self {
            Error::Stopped { .. } => self,
            error => Error::Nested { what: what.into(), error: Box::new(error) },
        }
    }

    /// An index that points behind the last row.
    pub(crate) fn bad_index(index: u32) -> Error {
        Error::param("index", "below the number of rows", index)
    }
}

/// What is wrong with columns, and what to do; long lists are cut.
fn columns(fitted: &[String], found: &[String]) -> String {
    let list = |names: Vec<&String>| {
        let more = if names.len() > 8 { ", …" } else { "" };
        names.iter().take(8).map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ") + more
    };
    let without = |left: &[String], right: &[String]| -> String {
        let right: std::collections::HashSet<&String> = right.iter().collect();
        list(left.iter().filter(|name| !right.contains(name)).collect())
    };
    let (absent, unknown) = (without(fitted, found), without(found, fitted));
    let advice = "give the model its columns in their order, or a Dataset, whose columns are found by name";
    match (absent.is_empty(), unknown.is_empty()) {
        (true, true) => format!(
            "the columns are {}, and the model was fitted on {}: {advice}",
            list(found.iter().collect()),
            list(fitted.iter().collect())
        ),
        (true, false) => format!("the model was not fitted on the columns {unknown}: {advice}"),
        (false, true) => format!("the model was fitted on columns that are not here: {absent}"),
        (false, false) => format!("the model was fitted on columns that are not here: {absent}; not known: {unknown}"),
    }
}

fn describe(value: f64) -> &'static str {
    if value.is_nan() {
        "a missing value, which is not accepted here; drop or impute such rows first (SimpleImputer, fit --missing)"
    } else if value.is_infinite() {
        "infinite; remove it or clip the column"
    } else {
        "beyond the range of f32; rescale the column"
    }
}

/// The first few categories.
fn categories(known: &[String]) -> String {
    const MOST: usize = 8;
    let some: Vec<String> = known.iter().take(MOST).map(|name| format!("{name:?}")).collect();
    let more = if known.len() > MOST { ", …" } else { "" };
    format!("{}{more}", some.join(", "))
}

fn share(rows: usize, columns: usize, nonzero: usize) -> String {
    let percent = 100.0 * nonzero as f64 / (rows as f64 * columns as f64).max(1.0);
    if percent >= 0.1 || nonzero == 0 { format!("{percent:.1} %") } else { format!("{percent:.1e} %") }
}

/// The size of a dense matrix, in the largest unit of which there is one at least.
fn bytes(rows: usize, columns: usize) -> String {
    let bytes = 4.0 * rows as f64 * columns as f64;
    let units = [(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    let unit = units.into_iter().find(|(size, _)| bytes >= *size);
    unit.map_or_else(|| format!("{bytes} bytes"), |(size, unit)| format!("{:.1} {unit}", bytes / size))
}

fn place(line: Option<u64>, column: Option<&str>) -> String {
    let line = line.map_or(String::new(), |line| format!(", line {line}"));
    let column = column.map_or(String::new(), |column| format!(", column {column}"));
    line + &column
}

fn list(found: &[String]) -> String {
    if found.is_empty() { "nothing".to_string() } else { found.join(", ") }
}
