//! Pictures of trees that divide by all levels at once.

use std::path::Path;

use super::colour::{FAINT, INK, class_tint};
use super::scale::short;
use super::svg::{Anchor, Svg, shortened, text_width};
use super::tree::{BOX, GAP, LEVEL, MARGIN, MOST_ENDS, NAME, TITLE, draw_arrow, draw_lines};
use crate::error::Result;
use crate::model_file::write_atomically;
use crate::tree::{Id3ClassifierModel, level_name};

/// Where along an arrow its level stands.
const ALONG: f64 = 0.65;

/// An ID3 tree as boxes with arrows: what is asked, the level on each arrow, and what the leaves say.
///
/// Boxes have the colour of the commonest class. A tree that is wider than 64 boxes is cut off at a depth.
///
/// ```
/// use gristmill::plot::NominalTreeFigure;
/// use gristmill::prelude::*;
/// use gristmill::tree::Id3Classifier;
/// let days = datasets::play_tennis()?;
/// let model = Id3Classifier::default().fit(&days.x, days.labels()?)?;
/// let svg = NominalTreeFigure::new(&model, &days.categories()).title("To play or not").to_svg();
/// assert!(svg.contains("outlook?") && svg.contains(">Sunny<") && svg.contains("0.247 bits"));
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct NominalTreeFigure<'a> {
    model: &'a Id3ClassifierModel,
    levels: &'a [Option<Vec<String>>],
    features: &'a [String],
    title: String,
}

/// A box: the middle of its upper edge counts boxes, then pixels.
struct Placed {
    node: u32,
    x: f64,
    depth: usize,
    cut: bool,
    /// Each child's place among the boxes, and the level that leads there.
    children: Vec<(usize, u32)>,
}

impl<'a> NominalTreeFigure<'a> {
    /// A tree whose levels have these names, as a [`Dataset`](crate::Dataset) has them; an empty list shows codes.
    pub fn new(model: &'a Id3ClassifierModel, levels: &'a [Option<Vec<String>>]) -> NominalTreeFigure<'a> {
        NominalTreeFigure { model, levels, features: &[], title: String::new() }
    }

    /// Names columns that have no names of their own.
    pub fn feature_names(mut self, names: &'a [String]) -> NominalTreeFigure<'a> {
        self.features = names;
        self
    }

    /// Sets the title.
    pub fn title(mut self, title: impl Into<String>) -> NominalTreeFigure<'a> {
        self.title = title.into();
        self
    }

    /// The picture as text.
    pub fn to_svg(&self) -> String {
        let mut placed = self.place(self.fitting_depth());
        let texts: Vec<[String; 3]> = placed.iter().map(|placed| self.texts(placed.node)).collect();
        let width = texts.iter().flatten().map(|text| text_width(text, 12.0)).fold(60.0, f64::max) + 14.0;
        placed.iter_mut().for_each(|placed| placed.x = MARGIN + width / 2.0 + placed.x * (width + GAP));
        let top = if self.title.is_empty() { MARGIN } else { MARGIN + TITLE };
        let right = placed.iter().map(|placed| placed.x).fold(0.0, f64::max) + width / 2.0 + MARGIN;
        let deepest = placed.iter().map(|placed| placed.depth).max().unwrap_or(0);
        let y_of = |placed: &Placed| top + placed.depth as f64 * LEVEL;
        let mut svg = Svg::default();
        if !self.title.is_empty() {
            let attributes = format!("font-size=\"15\" font-weight=\"bold\" fill=\"{INK}\"");
            svg.text((right / 2.0, 24.0), Anchor::Middle, &attributes, &self.title);
        }
        // Names of neighbours stand as far apart as their arrows are there.
        let letters = (ALONG * (width + GAP) / text_width("x", 11.0)) as usize;
        let mut names = vec![];
        for parent in &placed {
            for (child, level) in &parent.children {
                let (from, to) = ((parent.x, y_of(parent) + BOX), (placed[*child].x, y_of(&placed[*child])));
                draw_arrow(&mut svg, from, to);
                let name = level_name(self.levels, self.model.tree().nodes()[parent.node as usize].column, *level);
                let at = (from.0 + ALONG * (to.0 - from.0), from.1 + ALONG * (to.1 - from.1));
                names.push((at, shortened(&name, letters)));
            }
        }
        // Above all arrows, on white, so that no arrow runs through a name.
        for ((x, y), name) in names {
            let wide = text_width(&name, 11.0) + 4.0;
            svg.rectangle(x - wide / 2.0, y - 9.0, wide, 13.0, "fill=\"#ffffff\"");
            svg.text((x, y + 1.0), Anchor::Middle, &format!("fill=\"{INK}\" font-size=\"11\""), &name);
        }
        for (placed, texts) in placed.iter().zip(&texts) {
            let fill = class_tint(self.model.commonest(placed.node));
            let attributes = format!("rx=\"5\" fill=\"{fill}\" stroke=\"{FAINT}\"");
            svg.rectangle(placed.x - width / 2.0, y_of(placed), width, BOX, &attributes);
            draw_lines(&mut svg, (placed.x, y_of(placed)), INK, texts);
            if placed.cut {
                svg.text((placed.x, y_of(placed) + BOX + 15.0), Anchor::Middle, &format!("fill=\"{INK}\""), "…");
            }
        }
        let wide = right.max(text_width(&self.title, 15.0) + 2.0 * MARGIN);
        svg.into_picture(wide, top + deepest as f64 * LEVEL + BOX + MARGIN + 15.0)
    }

    /// Writes the picture, whole or not at all.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        write_atomically(path, self.to_svg().as_bytes())
    }

    /// What stands in a box: the question and what it tells, or the answer; then the rows.
    fn texts(&self, number: u32) -> [String; 3] {
        let node = &self.model.tree().nodes()[number as usize];
        let rows = format!("{} rows, {} bits", node.count, short(node.entropy));
        match node.column {
            Some(column) => {
                let name = shortened(&self.model.column_name(column, self.features), NAME);
                [format!("{name}?"), format!("tells {:.3} bits", node.gain), rows]
            }
            None => [shortened(&self.model.answer(number), NAME), rows, String::new()],
        }
    }

    /// The largest depth at which there are not too many boxes side by side.
    fn fitting_depth(&self) -> usize {
        let nodes = self.model.tree().nodes();
        let (mut level, mut ends, mut depth) = (vec![0_u32], 1, 0);
        loop {
            let inner: Vec<u32> = level.into_iter().filter(|node| nodes[*node as usize].column.is_some()).collect();
            let next: Vec<u32> =
                inner.iter().flat_map(|node| nodes[*node as usize].children()).map(|pair| pair.1).collect();
            ends += next.len() - inner.len();
            if ends > MOST_ENDS || next.is_empty() {
                return depth;
            }
            (level, depth) = (next, depth + 1);
        }
    }

    /// Ends side by side in their order, parents midway above their children; places count boxes.
    fn place(&self, depth: usize) -> Vec<Placed> {
        let nodes = self.model.tree().nodes();
        let mut placed: Vec<Placed> = vec![];
        let mut waiting = vec![(0_u32, 0_usize, None::<(usize, u32)>)];
        let mut ends = 0.0;
        while let Some((number, level, parent)) = waiting.pop() {
            let (own, node) = (placed.len(), &nodes[number as usize]);
            if let Some((parent, by)) = parent {
                placed[parent].children.push((own, by));
            }
            let shown = node.column.is_some() && level < depth;
            if shown {
                let children: Vec<(u32, u32)> = node.children().collect();
                waiting.extend(children.into_iter().rev().map(|(by, child)| (child, level + 1, Some((own, by)))));
            }
            let cut = node.column.is_some() && !shown;
            placed.push(Placed { node: number, x: ends, depth: level, cut, children: vec![] });
            ends += if shown { 0.0 } else { 1.0 };
        }
        // Children come behind their parents.
        for at in (0..placed.len()).rev() {
            if let (Some((first, _)), Some((last, _))) = (placed[at].children.first(), placed[at].children.last()) {
                placed[at].x = (placed[*first].x + placed[*last].x) / 2.0;
            }
        }
        placed
    }
}
