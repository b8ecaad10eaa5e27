//! Pictures of decision trees.

use std::path::Path;

use super::colour::{FAINT, INK, class_tint, ink_on_scale, scale_colour};
use super::scale::short;
use super::svg::{Anchor, Svg, number, shortened, text_width};
use crate::error::Result;
use crate::model_file::write_atomically;
use crate::tree::{DecisionTreeClassifierModel, DecisionTreeRegressorModel, Tree, levels_asked};

/// Boxes side by side at most, unless a depth is asked for.
pub(super) const MOST_ENDS: usize = 64;
/// Levels that a box names.
const NAMED_LEVELS: usize = 4;
/// Letters of a name, and of what is asked of it.
pub(super) const NAME: usize = 28;
const ASKED: usize = 40;
/// Height of a line of text and of a box of three.
const LINE: f64 = 15.0;
pub(super) const BOX: f64 = 3.0 * LINE + 10.0;
/// From one level to the next, and from one box to the next.
pub(super) const LEVEL: f64 = BOX + 44.0;
pub(super) const GAP: f64 = 14.0;
pub(super) const MARGIN: f64 = 16.0;
pub(super) const TITLE: f64 = 30.0;

/// A decision tree as boxes with arrows: what is asked, how many rows came, and what the leaves say.
///
/// Boxes of classes have the colour of the commonest one, boxes of numbers are the darker the larger their value. Yes is
/// on the left. A tree that is wider than 64 boxes is cut off at a depth, unless one is asked for.
///
/// ```
/// use gristmill::plot::TreeFigure;
/// use gristmill::prelude::*;
/// let iris = datasets::iris()?;
/// let model = DecisionTreeClassifier::default().max_depth(2).fit(&iris.x, iris.labels()?)?;
/// let svg = TreeFigure::of_classifier(&model).title("Iris").to_svg();
/// assert!(svg.contains("petal_length ≤ 2.45") && svg.contains("virginica"));
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct TreeFigure<'a> {
    tree: &'a Tree,
    features: Option<&'a [String]>,
    levels: &'a [Option<Vec<String>>],
    classes: Option<&'a [String]>,
    title: String,
    max_depth: Option<usize>,
}

/// A box and its place: the middle of its upper edge.
struct Placed {
    node: u32,
    x: f64,
    depth: usize,
    /// Whether its children are left out.
    cut: bool,
    children: Option<[usize; 2]>,
}

impl<'a> TreeFigure<'a> {
    /// A tree without names: features have numbers, and nodes show their values.
    pub fn new(tree: &'a Tree) -> TreeFigure<'a> {
        TreeFigure { tree, features: None, levels: &[], classes: None, title: String::new(), max_depth: None }
    }

    /// The tree of a classifier with its names.
    pub fn of_classifier(model: &'a DecisionTreeClassifierModel) -> TreeFigure<'a> {
        let (features, classes) = (model.column_names(), Some(model.classes()));
        TreeFigure { features, classes, ..TreeFigure::new(model.tree()) }
    }

    /// The tree of a regressor with its names.
    pub fn of_regressor(model: &'a DecisionTreeRegressorModel) -> TreeFigure<'a> {
        TreeFigure { features: model.column_names(), ..TreeFigure::new(model.tree()) }
    }

    /// Names the features.
    pub fn feature_names(mut self, names: &'a [String]) -> TreeFigure<'a> {
        self.features = Some(names);
        self
    }

    /// Names the levels of categorical columns by their codes, as a [`Dataset`](crate::Dataset) has them; nothing for a
    /// column of numbers. Without names boxes show codes.
    pub fn level_names(mut self, levels: &'a [Option<Vec<String>>]) -> TreeFigure<'a> {
        self.levels = levels;
        self
    }

    /// Names the classes whose chances the nodes' values are.
    pub fn class_names(mut self, names: &'a [String]) -> TreeFigure<'a> {
        self.classes = Some(names);
        self
    }

    /// Sets the title.
    pub fn title(mut self, title: impl Into<String>) -> TreeFigure<'a> {
        self.title = title.into();
        self
    }

    /// Sets the depth below which boxes are left out.
    pub fn max_depth(mut self, max_depth: usize) -> TreeFigure<'a> {
        self.max_depth = Some(max_depth);
        self
    }

    /// The picture as text.
    pub fn to_svg(&self) -> String {
        let depth = self.max_depth.unwrap_or_else(|| self.fitting_depth());
        let texts: Vec<[String; 3]> = (0..self.tree.nodes().len() as u32).map(|node| self.texts(node)).collect();
        let mut placed = self.place(depth);
        let longest = placed.iter().flat_map(|placed| &texts[placed.node as usize]).map(|text| text_width(text, 12.0));
        let width = longest.fold(60.0, f64::max) + 14.0;
        // Places count boxes until their width is known.
        placed.iter_mut().for_each(|placed| placed.x = MARGIN + width / 2.0 + placed.x * (width + GAP));
        let top = if self.title.is_empty() { MARGIN } else { MARGIN + TITLE };
        let right = placed.iter().map(|placed| placed.x).fold(0.0, f64::max) + width / 2.0 + MARGIN;
        let bottom =
            top + placed.iter().map(|placed| placed.depth).max().unwrap_or(0) as f64 * LEVEL + BOX + MARGIN + LINE;
        let mut svg = Svg::default();
        if !self.title.is_empty() {
            let attributes = format!("font-size=\"15\" font-weight=\"bold\" fill=\"{INK}\"");
            svg.text((right / 2.0, 24.0), Anchor::Middle, &attributes, &self.title);
        }
        placed.iter().for_each(|parent| draw_arrows(&mut svg, parent, &placed, top));
        placed.iter().for_each(|placed| self.draw_box(&mut svg, placed, &texts[placed.node as usize], width, top));
        let wide = right.max(text_width(&self.title, 15.0) + 2.0 * MARGIN);
        svg.into_picture(wide, bottom)
    }

    /// Writes the picture, whole or not at all.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        write_atomically(path, self.to_svg().as_bytes())
    }

    /// The largest depth at which there are not too many boxes side by side.
    fn fitting_depth(&self) -> usize {
        let nodes = self.tree.nodes();
        let mut level = vec![0_u32];
        let (mut ends, mut depth) = (1, 0);
        while !level.is_empty() {
            let children = level.iter().filter(|node| nodes[**node as usize].feature.is_some());
            let next: Vec<u32> = children.flat_map(|node| nodes[*node as usize].children).collect();
            ends += next.len() / 2;
            if ends > MOST_ENDS || next.is_empty() {
                break;
            }
            (level, depth) = (next, depth + 1);
        }
        depth
    }

    /// Ends side by side in their order, parents midway above their children; places count boxes.
    fn place(&self, depth: usize) -> Vec<Placed> {
        let mut placed: Vec<Placed> = vec![];
        let mut waiting = vec![(0_u32, 0, None)];
        let mut ends = 0.0;
        while let Some((node, level, parent)) = waiting.pop() {
            let own = placed.len();
            let inner = &self.tree.nodes()[node as usize];
            let (cut, shown) = (inner.feature.is_some() && level == depth, inner.feature.is_some() && level < depth);
            if let Some((parent, side)) = parent {
                let parent: &mut Placed = &mut placed[parent];
                parent.children.get_or_insert([own; 2])[side] = own;
            }
            if shown {
                waiting.push((inner.children[1], level + 1, Some((own, 1))));
                waiting.push((inner.children[0], level + 1, Some((own, 0))));
            }
            placed.push(Placed { node, x: ends, depth: level, cut, children: None });
            ends += if shown { 0.0 } else { 1.0 };
        }
        // Children come behind their parents.
        for at in (0..placed.len()).rev() {
            if let Some([left, right]) = placed[at].children {
                placed[at].x = (placed[left].x + placed[right].x) / 2.0;
            }
        }
        placed
    }

    /// The class of the largest chance in a node.
    fn commonest(&self, node: u32) -> usize {
        let chances = self.tree.value(node);
        (1..chances.len()).fold(0, |best, class| if chances[class] > chances[best] { class } else { best })
    }

    /// What stands in a box: the question or the answer, the rows, the impurity.
    fn texts(&self, number: u32) -> [String; 3] {
        let node = &self.tree.nodes()[number as usize];
        let answer = match self.classes {
            Some(classes) => {
                let best = self.commonest(number);
                let name = classes.get(best).map_or_else(|| best.to_string(), |name| shortened(name, NAME));
                format!("{name} ({})", short(self.tree.value(number)[best]))
            }
            None => {
                let values: Vec<String> = self.tree.value(number).iter().take(4).map(|value| short(*value)).collect();
                values.join(", ")
            }
        };
        let rows = format!("{} rows, impurity {}", node.count, short(node.impurity));
        match node.feature {
            Some(feature) => {
                let name = self.features.and_then(|names| names.get(feature as usize));
                let name = name.map_or_else(|| format!("feature {feature}"), |name| shortened(name, NAME));
                let asked = levels_asked(self.tree, number, self.levels, NAMED_LEVELS);
                let asked = asked.unwrap_or_else(|| format!("≤ {}", plain(node.threshold)));
                [format!("{name} {}", shortened(&asked, ASKED)), answer, rows]
            }
            None => [answer, rows, String::new()],
        }
    }

    fn draw_box(&self, svg: &mut Svg, placed: &Placed, texts: &[String; 3], width: f64, top: f64) {
        let (fill, ink) = self.colours(placed.node);
        let y = top + placed.depth as f64 * LEVEL;
        let attributes = format!("rx=\"5\" fill=\"{fill}\" stroke=\"{FAINT}\"");
        svg.rectangle(placed.x - width / 2.0, y, width, BOX, &attributes);
        draw_lines(svg, (placed.x, y), ink, texts);
        if placed.cut {
            svg.text((placed.x, y + BOX + LINE), Anchor::Middle, &format!("fill=\"{INK}\""), "…");
        }
    }

    /// The colours of a box and of its text.
    fn colours(&self, node: u32) -> (String, &'static str) {
        if self.classes.is_some() {
            return (class_tint(self.commonest(node)), INK);
        }
        let first = |node: u32| self.tree.value(node).first().copied().unwrap_or(0.0);
        let values = || (0..self.tree.nodes().len() as u32).map(first);
        let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
        let share = if high > low { (first(node) - low) / (high - low) } else { 0.0 };
        (scale_colour(share), ink_on_scale(share))
    }
}

/// The lines of a box, the first one bold, in its middle; those that are empty are left out.
pub(super) fn draw_lines(svg: &mut Svg, (x, y): (f64, f64), ink: &str, texts: &[String; 3]) {
    let lines: Vec<&String> = texts.iter().filter(|text| !text.is_empty()).collect();
    let first = y + BOX / 2.0 - (lines.len() as f64 - 1.0) * LINE / 2.0 + 4.0;
    for (at, line) in lines.into_iter().enumerate() {
        let weight = if at == 0 { "font-weight=\"bold\"" } else { "" };
        svg.text((x, first + at as f64 * LINE), Anchor::Middle, &format!("fill=\"{ink}\" {weight}"), line);
    }
}

/// An arrow from a box to the one below it.
pub(super) fn draw_arrow(svg: &mut Svg, from: (f64, f64), to: (f64, f64)) {
    svg.line(from, to, &format!("stroke=\"{FAINT}\" stroke-width=\"1.5\""));
    let head =
        [(0.0, 0.0), (-4.0, -7.0), (4.0, -7.0)].map(|(x, y)| format!("{},{}", number(to.0 + x), number(to.1 + y)));
    svg.element("polygon", &format!("points=\"{}\" fill=\"{FAINT}\"", head.join(" ")));
}

fn draw_arrows(svg: &mut Svg, parent: &Placed, placed: &[Placed], top: f64) {
    let Some(children) = parent.children else { return };
    let from = (parent.x, top + parent.depth as f64 * LEVEL + BOX);
    for (child, word) in children.into_iter().zip(["yes", "no"]) {
        let to = (placed[child].x, top + placed[child].depth as f64 * LEVEL);
        draw_arrow(svg, from, to);
        let (side, anchor) = if word == "yes" { (-6.0, Anchor::End) } else { (6.0, Anchor::Start) };
        let middle = ((from.0 + to.0) / 2.0 + side, (from.1 + to.1) / 2.0);
        svg.text(middle, anchor, &format!("fill=\"{INK}\" font-size=\"11\""), word);
    }
}

/// A threshold with at most six digits that count.
fn plain(threshold: f32) -> String {
    let threshold = f64::from(threshold);
    let text = match threshold.abs() {
        size if size == 0.0 || (1e-4..1e7).contains(&size) => {
            let digits = (5 - size.max(1e-4).log10().floor() as i32).clamp(0, 9) as usize;
            let text = format!("{threshold:.digits$}");
            if digits == 0 { text } else { text.trim_end_matches('0').trim_end_matches('.').to_string() }
        }
        _ => format!("{threshold:.4e}"),
    };
    text.replace('-', "−")
}
