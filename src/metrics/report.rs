//! The scores of every class on one page.

use std::fmt;

use super::check::Weighted;
use super::classification::{Average, ClassScore, average_of, scores_of};
use super::confusion::{amount, shortened};
use super::confusion_counts::ConfusionCounts;
use crate::data::Labels;
use crate::error::Result;

/// What [`classification_report`] gives; prints as a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The scores of each class.
    pub classes: Vec<ClassScore>,
    /// The share of rows predicted right.
    pub accuracy: f64,
    /// The mean over the classes.
    pub macro_average: ClassScore,
    /// The mean over the classes, weighted by their support.
    pub weighted_average: ClassScore,
}

/// Precision, recall, F1 and support of every class, and their averages.
///
/// ```
/// use gristmill::{Labels, metrics};
/// let y = Labels::from_names(&["lily", "rose", "rose"]);
/// let report = metrics::classification_report(&y, &Labels::from_names(&["lily", "rose", "lily"]))?;
/// assert_eq!(report.macro_average.recall, 0.75);
/// println!("{report}");
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn classification_report<'a>(y: impl Into<Weighted<'a, Labels>>, predicted: &Labels) -> Result<Report> {
    let counts = ConfusionCounts::new("classification_report", y.into(), predicted)?;
    let classes = scores_of(&counts);
    let averaged = |name: &str, average: Average| ClassScore {
        class: name.to_string(),
        precision: average_of(&classes, &counts, average, |score| score.precision),
        recall: average_of(&classes, &counts, average, |score| score.recall),
        f1: average_of(&classes, &counts, average, |score| score.f1),
        support: counts.total,
    };
    let macro_average = averaged("macro average", Average::Macro);
    let weighted_average = averaged("weighted average", Average::Weighted);
    Ok(Report { accuracy: counts.accuracy(), macro_average, weighted_average, classes })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.classes.iter().map(|score| shortened(&score.class)).collect();
        let averages = [&self.macro_average, &self.weighted_average];
        let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let first = longest.max(averages[1].class.len());
        let supports = self.classes.iter().chain(averages).map(|score| amount(score.support).len());
        let last = supports.max().unwrap_or(0).max("support".len());
        let rule = "─".repeat(first + 3 * 11 + 2 + last);

        writeln!(f, "{:first$}  {:>9}  {:>9}  {:>9}  {:>last$}", "", "precision", "recall", "f1", "support")?;
        writeln!(f, "{rule}")?;
        let line = |f: &mut fmt::Formatter<'_>, name: &str, score: &ClassScore| {
            let (precision, recall, f1) = (score.precision, score.recall, score.f1);
            write!(f, "{name:first$}  {precision:>9.4}  {recall:>9.4}  {f1:>9.4}  {:>last$}", amount(score.support))
        };
        for (name, score) in names.iter().zip(&self.classes) {
            line(f, name, score)?;
            writeln!(f)?;
        }
        writeln!(f, "{rule}")?;
        let support = amount(self.macro_average.support);
        writeln!(f, "{:first$}  {:>9}  {:>9}  {:>9.4}  {support:>last$}", "accuracy", "", "", self.accuracy)?;
        line(f, &averages[0].class, averages[0])?;
        writeln!(f)?;
        line(f, &averages[1].class, averages[1])
    }
}
