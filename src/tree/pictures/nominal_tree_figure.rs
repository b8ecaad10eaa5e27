//! A tree with a branch for every category, as boxes with arrows.

use std::path::Path;

use super::tree_figure::NAME;
use crate::error::Result;
use crate::plot::{DiagramNode, Figure, NodeColour, short_number, shortened};
use crate::tree::{Id3ClassifierModel, category_name};

/// An ID3 tree as boxes with arrows: the column that each node splits by, the category on each arrow, and the
/// predictions of the leaves.
///
/// Boxes have the colour of the commonest class. A tree that is wider than 64 boxes is cut off at a depth.
///
/// ```
/// use gristmill::prelude::*;
/// use gristmill::tree::{Id3Classifier, NominalTreeFigure};
/// let days = datasets::play_tennis()?;
/// let model = Id3Classifier::default().fit(&days.x, days.labels()?)?;
/// let svg = NominalTreeFigure::new(&model, &days.categories()).title("To play or not").to_svg();
/// assert!(svg.contains("outlook?") && svg.contains(">Sunny<") && svg.contains("0.247 bits"));
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct NominalTreeFigure<'a> {
    model: &'a Id3ClassifierModel,
    categories: &'a [Option<Vec<String>>],
    features: &'a [String],
    title: String,
}

impl<'a> NominalTreeFigure<'a> {
    /// A tree whose categories have these names, as a [`Dataset`](crate::Dataset) has them; an empty list shows codes.
    pub fn new(model: &'a Id3ClassifierModel, categories: &'a [Option<Vec<String>>]) -> NominalTreeFigure<'a> {
        NominalTreeFigure { model, categories, features: &[], title: String::new() }
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

    /// The picture.
    pub fn figure(&self) -> Figure {
        let count = self.model.tree().nodes().len() as u32;
        let nodes: Vec<DiagramNode> = (0..count).map(|node| self.node(node)).collect();
        Figure::tree(&nodes, None).title(self.title.clone())
    }

    /// The picture as text.
    pub fn to_svg(&self) -> String {
        self.figure().to_svg()
    }

    /// Writes the picture, whole or not at all.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        self.figure().save(path)
    }

    fn node(&self, number: u32) -> DiagramNode {
        let node = &self.model.tree().nodes()[number as usize];
        let rows = format!("{} rows, {} bits", node.count, short_number(node.entropy));
        let lines = match node.column {
            Some(column) => {
                let name = shortened(&self.model.column_name(column, self.features), NAME);
                vec![format!("{name}?"), format!("tells {:.3} bits", node.gain), rows]
            }
            None => vec![shortened(&self.model.answer(number), NAME), rows],
        };
        let child =
            |(category, child): (u32, u32)| (child as usize, category_name(self.categories, node.column, category));
        let children = if node.column.is_some() { node.children().map(child).collect() } else { vec![] };
        DiagramNode { lines, colour: NodeColour::Class(self.model.commonest(number)), children }
    }
}
