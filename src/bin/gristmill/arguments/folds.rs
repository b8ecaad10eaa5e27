//! How rows are split into those that are fitted and those that are scored.

use gristmill::data::{Missing, ReadOptions};
use gristmill::estimator::Task;
use gristmill::selection::Folds;
use gristmill::{Dataset, Labels};

use super::{DataArgs, ReadArgs, SCORING, of_flag};
use crate::report::{CliError, CommandResult};

/// The files of the data, and how they are read.
pub type File<'a> = (&'a DataArgs, &'a ReadArgs);

/// The folds of `cv`.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = SCORING)]
pub struct FoldArgs {
    /// Number of folds, stratified for classes; `loo` leaves out one row at a time
    #[arg(long, value_name = "K", default_value = "5")]
    folds: String,
    /// The column whose rows of one value stay in one fold, as those of a patient; the model does not learn from it
    #[arg(long, value_name = "COL", allow_negative_numbers = true)]
    group: Option<String>,
    /// Tests each fold by a model of earlier rows alone, in the order of this column; the model does not learn from it
    #[arg(long, value_name = "COL", allow_negative_numbers = true, conflicts_with = "group")]
    time: Option<String>,
    /// Tests each fold by a model of earlier rows alone, in the order of the file
    #[arg(long, conflicts_with_all = ["group", "time"])]
    ordered: bool,
    /// Rows between those that are fitted and those that are tested, with --time or --ordered
    #[arg(long, value_name = "ROWS", default_value_t = 0, hide_default_value = true)]
    gap: usize,
    /// Repeats the folds this many times, shuffled anew each time
    #[arg(long, value_name = "TIMES", conflicts_with_all = ["group", "time", "ordered"])]
    repeats: Option<usize>,
}

impl FoldArgs {
    /// The data without the columns that say how it is split.
    pub fn without_columns(&self, data: &DataArgs) -> DataArgs {
        let mut data = data.clone();
        let columns = [("--group", &self.group), ("--time", &self.time)];
        data.set_aside.extend(columns.into_iter().filter_map(|(flag, column)| Some((flag, column.clone()?))));
        data
    }

    /// The folds: shuffled with the seed, and stratified where there are classes.
    pub fn of(&self, file: File<'_>, rows: usize, task: Task, seed: u64) -> CommandResult<Folds> {
        if self.gap > 0 && self.time.is_none() && !self.ordered {
            return Err(CliError::Usage("--gap needs --time or --ordered".to_string()));
        }
        if self.folds == "loo" {
            if self.repeats.is_some() || self.group.is_some() || self.time.is_some() || self.ordered {
                return Err(CliError::Usage("--folds loo goes with no other way to make folds".to_string()));
            }
            return Ok(Folds::LeaveOneOut);
        }
        let wrong = || CliError::Usage(format!("--folds takes a number of at least 2, or loo; got {:?}", self.folds));
        let count = self.folds.parse::<usize>().ok().filter(|count| *count >= 2).ok_or_else(wrong)?;
        if let Some(column) = &self.group {
            let groups = texts(file, column, "--group", rows)?;
            return Ok(match task == Task::Classification {
                true => Folds::stratified_group(count, &groups),
                false => Folds::group(count, &groups),
            });
        }
        if self.ordered || self.time.is_some() {
            return Ok(Folds::time_series(count, self.gap));
        }
        let folds = if task == Task::Classification { Folds::stratified(count) } else { Folds::k_fold(count) };
        let folds = folds.seed(seed);
        Ok(self.repeats.map_or(folds.clone(), |times| folds.repeated(times)))
    }

    /// The order of the rows in time, if a column tells it. Dates as text sort as dates where the year comes first.
    pub fn order(&self, file: File<'_>, rows: usize) -> CommandResult<Option<Vec<usize>>> {
        let Some(column) = &self.time else { return Ok(None) };
        let times = read_column(file, column, "--time", rows, file.1.options())?;
        let mut order: Vec<usize> = (0..rows).collect();
        order.sort_by(|left, right| times.x.get_f64(*left, 0).total_cmp(&times.x.get_f64(*right, 0)));
        Ok(Some(order))
    }
}

/// A column of the data that is no feature, as texts.
fn texts(file: File<'_>, column: &str, flag: &'static str, rows: usize) -> CommandResult<Labels> {
    let read = read_column(file, column, flag, rows, file.1.options().categorical([column]))?;
    let names = read.x.categories(0).unwrap_or_default();
    let name = |row: usize| match read.x.get(row, 0) {
        code if code.is_nan() => "",
        code => names[code as usize].as_str(),
    };
    Ok(Labels::from_names(&(0..rows).map(name).collect::<Vec<&str>>()))
}

fn read_column(
    file: File<'_>,
    column: &str,
    flag: &'static str,
    rows: usize,
    options: ReadOptions,
) -> CommandResult<Dataset> {
    let mut options = options.features([column]).missing(Missing::Keep);
    options.dates = vec![];
    let (read, _) = Dataset::read_all(&file.0.files(), &options).map_err(of_flag(flag))?;
    if read.rows() != rows {
        let why = format!("{flag} needs every row: leave out --missing drop and --drop-unlabelled");
        return Err(CliError::Usage(why));
    }
    Ok(read)
}

/// Words for rows that are fitted and rows that are scored.
const FITTED: [&str; 6] = ["train", "training", "fit", "0", "false", "no"];
const SCORED: [&str; 8] = ["test", "testing", "valid", "validation", "holdout", "1", "true", "yes"];

/// The rows to fit and to score by what a column says of each.
pub fn split_by_column(file: File<'_>, column: &str, rows: usize) -> CommandResult<(Vec<usize>, Vec<usize>)> {
    let parts = texts(file, column, "--split-column", rows)?;
    let is = |words: &[&str], name: &str| words.iter().any(|word| word.eq_ignore_ascii_case(name));
    if let Some(name) = parts.names().iter().find(|name| !is(&FITTED, name) && !is(&SCORED, name)) {
        let why = format!("--split-column takes a column of train and test (or 0 and 1), and {column} has {name:?}");
        return Err(CliError::Usage(why));
    }
    let (scored, fitted): (Vec<usize>, Vec<usize>) = (0..rows).partition(|row| is(&SCORED, parts.name(*row)));
    if scored.is_empty() || fitted.is_empty() {
        return Err(CliError::Usage(format!("--split-column needs rows of both parts, and {column} has one alone")));
    }
    Ok((fitted, scored))
}

/// The first share of the rows to fit, the last to score.
pub fn split_last(rows: usize, share: f64) -> CommandResult<(Vec<usize>, Vec<usize>)> {
    let fitted = (share * rows as f64).floor();
    if !(share > 0.0 && share < 1.0) || fitted < 1.0 || fitted as usize >= rows {
        let why =
            format!("--split takes a share between 0 and 1 that leaves rows on both sides; got {share} of {rows}");
        return Err(CliError::Usage(why));
    }
    Ok(((0..fitted as usize).collect(), (fitted as usize..rows).collect()))
}
