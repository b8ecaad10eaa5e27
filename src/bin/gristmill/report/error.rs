//! How a command fails: used wrongly, or run without success.

use gristmill::Error;

/// Why a command did not do what it was asked.
#[derive(Debug)]
pub enum CliError {
    /// What was asked for makes no sense: exit code 2.
    Usage(String),
    /// It made sense and did not work: exit code 1.
    Run(Error),
    /// The same, in words of the command's own.
    Unfit(String),
    /// The same, after a report that says so.
    Reported(String),
}

/// What a command returns.
pub type CommandResult<T = ()> = Result<T, CliError>;

impl CliError {
    /// The exit code for it.
    pub fn code(&self) -> u8 {
        match self {
            CliError::Usage(_) => 2,
            CliError::Run(_) | CliError::Unfit(_) | CliError::Reported(_) => 1,
        }
    }
}

/// A parameter that is wrong is wrong usage, also one of a model inside; a file that cannot be read is not.
impl From<Error> for CliError {
    fn from(error: Error) -> CliError {
        match is_misuse(&error) {
            true => CliError::Usage(as_typed(error).to_string()),
            false => CliError::Run(from_one(error)),
        }
    }
}

/// What a person typed for parameters that the library calls otherwise.
const FLAGS: &[(&str, &str)] = &[
    ("n_splits", "--folds"),
    ("share", "--split"),
    ("values", "--grid"),
    ("grid", "--grid"),
    ("repeats", "--permutation-importance"),
    ("scoring", "--scoring"),
    ("target", "--target"),
    ("features", "--features"),
    ("drop", "--drop"),
    ("categorical", "--categorical"),
    ("dates", "--dates"),
    ("delimiter", "--delimiter"),
    ("decimal", "--decimal"),
    ("thousands", "--thousands"),
    ("rows", "--chunk-rows"),
    ("set", "--set"),
    ("plot", "--plot"),
    ("sample_weight", "--weight"),
    ("predict", "--predict"),
];

/// The same error with the name of the flag.
fn as_typed(error: Error) -> Error {
    match error {
        Error::Param { name, rule, got } => {
            let flag = FLAGS.iter().find(|(known, _)| *known == name).map_or(name, |(_, flag)| flag);
            Error::Param { name: flag, rule, got }
        }
        other => other,
    }
}

fn is_misuse(error: &Error) -> bool {
    match error {
        Error::Param { .. } => true,
        Error::Nested { error, .. } => is_misuse(error),
        _ => false,
    }
}

/// Rows and columns of a file are counted from 1, as everywhere in the command.
fn from_one(error: Error) -> Error {
    match error {
        Error::NotFinite { row, column, value } => Error::NotFinite { row: row + 1, column: column + 1, value },
        Error::NotFiniteBehindSteps { row, column, value } => {
            Error::NotFiniteBehindSteps { row: row + 1, column, value }
        }
        Error::Target { row, value } => Error::Target { row: row + 1, value },
        Error::Overflow { row, what } => Error::Overflow { row: row + 1, what },
        Error::Category { row, column, value, known } => Error::Category { row: row + 1, column, value, known },
        Error::Nested { what, error } => Error::Nested { what, error: Box::new(from_one(*error)) },
        other => other,
    }
}

impl std::fmt::Display for CliError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CliError::Usage(why) | CliError::Unfit(why) | CliError::Reported(why) => formatter.write_str(why),
            CliError::Run(error) => error.fmt(formatter),
        }
    }
}
