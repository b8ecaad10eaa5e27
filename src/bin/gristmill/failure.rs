//! How a command fails: used wrongly, or run without success.

use gristmill::Error;

/// Why a command did not do what it was asked.
#[derive(Debug)]
pub enum Failure {
    /// What was asked for makes no sense: exit code 2.
    Usage(String),
    /// It made sense and did not work: exit code 1.
    Run(Error),
}

/// What a command returns.
pub type Done<T = ()> = Result<T, Failure>;

impl Failure {
    /// The exit code for it.
    pub fn code(&self) -> u8 {
        match self {
            Failure::Usage(_) => 2,
            Failure::Run(_) => 1,
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Run(error)
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Usage(why) => formatter.write_str(why),
            Failure::Run(error) => error.fmt(formatter),
        }
    }
}

/// A parameter that is wrong in itself is wrong usage; a file that cannot be read is not.
pub fn misuse(error: Error) -> Failure {
    match error {
        Error::Param { .. } => Failure::Usage(error.to_string()),
        other => Failure::Run(other),
    }
}
