//! `gristmill lectures`: the experiments of the lecture notes, reproduced: what they print, what this crate finds, and why
//! the two differ where they do.

mod book;
mod choice;
mod classifiers;
mod first;
mod gram;
mod linear;
mod mnist;
mod networks;
mod penalties;
mod representation;
mod sequences;
mod trees;

use std::path::PathBuf;

use gristmill::model_file::write_atomically;
use gristmill::prelude::*;

use self::book::{Chapter, Experiment};
use crate::arguments::GlobalArgs;
use crate::report::{CliError, CommandResult, guarded, print, print_json};

const EXAMPLES: &str = "Examples:
  gristmill lectures
  gristmill lectures --plot pictures        a page with all pictures: pictures/lectures.html
  gristmill lectures --mnist mnist          with the experiments on MNIST's files in this folder
  gristmill lectures --chapter choice --json";

/// What `lectures` takes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct LecturesArgs {
    /// Writes a page with all experiments and their pictures, lectures.html, into this folder, which is made if it is not there
    #[arg(long, value_name = "FOLDER")]
    plot: Option<PathBuf>,
    /// The folder with the files of MNIST, for the experiments on its first hundred images
    #[arg(long, value_name = "FOLDER")]
    mnist: Option<PathBuf>,
    /// Only chapters whose title contains this
    #[arg(long, value_name = "WORD")]
    chapter: Option<String>,
}

/// A chapter's title, and its experiments.
type Contents = (&'static str, fn() -> Result<Vec<Experiment>>);

const CHAPTERS: &[Contents] = &[
    ("Learning from examples", first::experiments),
    ("Linear models", linear::experiments),
    ("Penalties and priors", penalties::experiments),
    ("Linear classifiers and margins", classifiers::experiments),
    ("Kernels", gram::experiments),
    ("Choice of a model, and theory", choice::experiments),
    ("Trees and ensembles", trees::experiments),
    ("Networks", networks::experiments),
    ("Density and representation", representation::experiments),
    ("Sequences and decisions", sequences::experiments),
];

pub fn run(args: &LecturesArgs, global: &GlobalArgs) -> CommandResult {
    let wanted =
        |title: &str| args.chapter.as_ref().is_none_or(|word| title.to_lowercase().contains(&word.to_lowercase()));
    if !CHAPTERS.iter().any(|(title, _)| wanted(title)) {
        let titles: Vec<&str> = CHAPTERS.iter().map(|(title, _)| *title).collect();
        return Err(CliError::Usage(format!("--chapter takes a part of a title: {}", titles.join("; "))));
    }
    let mut book: Vec<Chapter> = vec![];
    for (title, experiments) in CHAPTERS.iter().filter(|(title, _)| wanted(title)) {
        book.push(Chapter { title, experiments: guarded(experiments)? });
        if !global.json {
            print(&book[book.len() - 1].text());
        }
    }
    if let Some(folder) = &args.mnist {
        book.push(Chapter { title: "A hundred images", experiments: guarded(|| mnist::experiments(folder))? });
        if !global.json {
            print(&book[book.len() - 1].text());
        }
    }
    if let Some(folder) = &args.plot {
        let io = |error: std::io::Error| Error::Io {
            path: folder.display().to_string(),
            why: format!("cannot be made: {error}"),
        };
        std::fs::create_dir_all(folder).map_err(io)?;
        let path = folder.join("lectures.html");
        write_atomically(&path, book::page(&book).as_bytes())?;
        if !global.json {
            print(&format!("\npage: {}", path.display()));
        }
    }
    if global.json {
        print_json(&serde_json::json!({ "chapters": book }));
    }
    Ok(())
}
