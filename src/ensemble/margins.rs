//! What the votes of an ensemble say of its errors (Breiman, "Random forests", 2001).

use crate::data::Labels;
use crate::error::{Error, Result};

/// How sure an ensemble is on average, how alike its members vote, and what follows for its error (Breiman 2001, §2.2).
///
/// A member's raw margin at a row is 1 where it votes for the right class, −1 where it votes for the commonest wrong one,
/// and 0 else; the [margin](crate::ensemble::RandomForestClassifierModel::margins) of the row is their mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ForestStrength {
    /// s: the mean margin of the rows.
    pub strength: f64,
    /// ρ̄: the variance of the margins over the squared mean of the members' deviations of their raw margins; 0 where no
    /// member ever varies.
    pub correlation: f64,
    /// The share of rows whose margin is negative: the error of the vote, ties aside.
    pub error: f64,
}

impl ForestStrength {
    /// ρ̄·(1 − s²)/s²: what the error of many such members cannot exceed on the distribution of the rows, by Chebyshev's
    /// inequality; nothing unless s is above 0. Often above 1, and then it says nothing.
    pub fn error_bound(&self) -> Option<f64> {
        let square = self.strength * self.strength;
        (self.strength > 0.0).then(|| self.correlation * (1.0 - square) / square)
    }
}

/// The class that each member gives each row.
#[derive(Debug)]
pub struct Votes {
    /// Codes, n×members.
    codes: Vec<u32>,
    members: usize,
    classes: usize,
}

impl Votes {
    /// The votes of `members` members for `classes` classes, n×members.
    pub fn new(codes: Vec<u32>, members: usize, classes: usize) -> Votes {
        Votes { codes, members, classes }
    }

    /// The share of votes for the right class minus the largest share for another; `names` are the classes of the votes.
    pub fn margins(&self, op: &'static str, names: &[String], y: &Labels) -> Result<Vec<f64>> {
        let targets = self.targets(op, names, y)?;
        let margin = |(right, rival): (Option<u32>, u32), votes: &[u32]| {
            let raw = |vote: &u32| i64::from(Some(*vote) == right) - i64::from(*vote == rival);
            votes.iter().map(raw).sum::<i64>() as f64 / self.members as f64
        };
        Ok(self.with_rivals(&targets).map(|(pair, votes)| margin(pair, votes)).collect())
    }

    /// Strength and correlation of the members.
    pub fn strength(&self, op: &'static str, names: &[String], y: &Labels) -> Result<ForestStrength> {
        let targets = self.targets(op, names, y)?;
        let rows = targets.len() as f64;
        let (mut sums, mut squares) = (vec![0_i64; self.members], vec![0_i64; self.members]);
        let mut margins = Vec::with_capacity(targets.len());
        for ((right, rival), votes) in self.with_rivals(&targets) {
            let mut margin = 0;
            for (member, vote) in votes.iter().enumerate() {
                let raw = i64::from(Some(*vote) == right) - i64::from(*vote == rival);
                sums[member] += raw;
                squares[member] += raw * raw;
                margin += raw;
            }
            margins.push(margin as f64 / self.members as f64);
        }
        let strength = margins.iter().sum::<f64>() / rows;
        let variance = margins.iter().map(|margin| (margin - strength) * (margin - strength)).sum::<f64>() / rows;
        let deviation = |(sum, square): (&i64, &i64)| {
            let mean = *sum as f64 / rows;
            (*square as f64 / rows - mean * mean).max(0.0).sqrt()
        };
        let mean_deviation = sums.iter().zip(&squares).map(deviation).sum::<f64>() / self.members as f64;
        let correlation = if mean_deviation > 0.0 { variance / (mean_deviation * mean_deviation) } else { 0.0 };
        let error = margins.iter().filter(|margin| **margin < 0.0).count() as f64 / rows;
        Ok(ForestStrength { strength, correlation, error })
    }

    /// Each row's right class in the codes of the votes; none for a class that has no code.
    fn targets(&self, op: &'static str, names: &[String], y: &Labels) -> Result<Vec<Option<u32>>> {
        let rows = self.codes.len() / self.members.max(1);
        if y.len() != rows || rows == 0 {
            let expected = format!("a class for each of {rows} rows, of which there is one at least");
            return Err(Error::shape(op, expected, y.len()));
        }
        let code_of = |name: &String| names.iter().position(|known| known == name).map(|code| code as u32);
        let codes: Vec<Option<u32>> = y.names().iter().map(code_of).collect();
        Ok(y.codes().iter().map(|code| codes[*code as usize]).collect())
    }

    /// Each row's right class, its commonest wrong one (the lowest of equals), and its votes. Of one class the rival is a
    /// code that nobody has.
    fn with_rivals<'a>(
        &'a self,
        targets: &'a [Option<u32>],
    ) -> impl Iterator<Item = ((Option<u32>, u32), &'a [u32])> + 'a {
        self.codes.chunks_exact(self.members).zip(targets).map(|(votes, right)| {
            let mut counts = vec![0_u32; self.classes];
            votes.iter().for_each(|vote| counts[*vote as usize] += 1);
            let wrong = (0..self.classes as u32).filter(|class| Some(*class) != *right);
            let more = |best: Option<u32>, class: u32| match best {
                Some(best) if counts[class as usize] <= counts[best as usize] => Some(best),
                _ => Some(class),
            };
            ((*right, wrong.fold(None, more).unwrap_or(u32::MAX)), votes)
        })
    }
}
