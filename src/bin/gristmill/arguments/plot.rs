//! Which pictures, and where they go.

use std::path::{Path, PathBuf};

use gristmill::plot::{Figure, Panels};

use super::global::check_folder;
use super::headings::OUTPUT;
use crate::report::{CliError, CommandResult};

/// The pictures of a run.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = OUTPUT)]
pub struct PlotArgs {
    /// Draws pictures into this file: SVG, or PNG if it ends in .png
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
    /// Draws only the pictures whose title contains this, such as roc, importances or "confusion matrix"
    #[arg(long, value_name = "TITLE", requires = "plot")]
    panel: Vec<String>,
}

impl PlotArgs {
    /// Refuses a picture that could not be written, or would not be what its name says, before the work is done.
    pub fn check(&self) -> CommandResult {
        let Some(path) = &self.plot else { return Ok(()) };
        let known = |ending: &std::ffi::OsStr| ["svg", "png"].iter().any(|known| ending.eq_ignore_ascii_case(known));
        match path.extension() {
            Some(ending) if !known(ending) => {
                let why = "--plot writes SVG or PNG: let the name end in .svg or .png, not as";
                Err(CliError::Usage(format!("{why} {}", path.display())))
            }
            _ => Ok(check_folder(path)?),
        }
    }

    /// Writes the figures that are asked for, side by side, or one alone; the path, if there is one.
    pub fn save(&self, figures: &[Figure]) -> CommandResult<Option<String>> {
        let Some(path) = &self.plot else { return Ok(None) };
        let chosen = self.chosen(figures)?;
        match &chosen[..] {
            [figure] => figure.save(path)?,
            chosen => {
                let columns = if chosen.len() == 4 { 2 } else { chosen.len().clamp(1, 3) };
                chosen.iter().cloned().fold(Panels::new(columns)?, Panels::figure).save(path)?;
            }
        }
        Ok(Some(shown(path)))
    }

    fn chosen(&self, figures: &[Figure]) -> CommandResult<Vec<Figure>> {
        if self.panel.is_empty() {
            return Ok(figures.to_vec());
        }
        let lower = |text: &str| text.to_lowercase();
        let mut chosen = vec![];
        for wanted in &self.panel {
            let fitting = figures.iter().filter(|figure| lower(figure.title_text()).contains(&lower(wanted)));
            let fitting: Vec<Figure> = fitting.cloned().collect();
            if fitting.is_empty() {
                let titles: Vec<String> = figures.iter().map(|figure| format!("{:?}", figure.title_text())).collect();
                let why = format!("--panel {wanted:?} is in the title of no picture; there are {}", titles.join(", "));
                return Err(CliError::Usage(why));
            }
            chosen.extend(fitting);
        }
        Ok(chosen)
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
