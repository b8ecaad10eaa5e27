//! Chapters and experiments, as text and as one page of HTML.

use gristmill::plot::Figure;
use serde::Serialize;

use crate::report::{Html, table};

/// An experiment of the notes.
#[derive(Serialize)]
pub struct Experiment {
    /// Where it is in the notes.
    place: &'static str,
    title: &'static str,
    /// What the notes print or say.
    notes: String,
    /// What this run found.
    ours: String,
    /// Why the two differ, where they do.
    why: String,
    #[serde(skip)]
    figures: Vec<Figure>,
}

impl Experiment {
    /// An experiment that agrees.
    pub fn new(
        place: &'static str,
        title: &'static str,
        notes: impl Into<String>,
        ours: impl Into<String>,
    ) -> Experiment {
        Experiment { place, title, notes: notes.into(), ours: ours.into(), why: String::new(), figures: vec![] }
    }

    /// With why it differs from the notes.
    pub fn why(mut self, why: impl Into<String>) -> Experiment {
        self.why = why.into();
        self
    }

    /// With a picture.
    pub fn figure(mut self, figure: Figure) -> Experiment {
        self.figures.push(figure);
        self
    }
}

/// A chapter with its experiments.
#[derive(Serialize)]
pub struct Chapter {
    pub title: &'static str,
    pub experiments: Vec<Experiment>,
}

impl Chapter {
    /// The chapter as a table.
    pub fn text(&self) -> String {
        let mut shown = table(&["experiment", "the notes", "here"]);
        for one in &self.experiments {
            let ours = if one.why.is_empty() { one.ours.clone() } else { format!("{} ({})", one.ours, one.why) };
            shown.add_row([format!("{} [{}]", one.title, one.place), one.notes.clone(), ours]);
        }
        format!("\n{}\n{shown}", self.title)
    }
}

/// All chapters as one page: nothing beside it is needed to read it.
pub fn page(book: &[Chapter]) -> String {
    let mut page = Html::new("The lecture notes, reproduced");
    page.open("header");
    page.element("h1", "The lecture notes, reproduced");
    page.element("p", "What the notes print, what gristmill finds, and why the two differ where they do.");
    page.close("header");
    page.open("main");
    for chapter in book {
        page.section(chapter.title);
        let row = |one: &Experiment| {
            vec![one.title.to_string(), one.place.to_string(), one.notes.clone(), one.ours.clone(), one.why.clone()]
        };
        page.table(
            &["experiment", "place", "the notes", "here", "why they differ"],
            chapter.experiments.iter().map(row),
        );
        page.pictures(chapter.experiments.iter().flat_map(|one| &one.figures));
        page.close("section");
    }
    page.close("main");
    page.finish()
}
