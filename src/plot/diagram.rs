//! Trees of boxes with arrows between them.

use super::colour::{FAINT, INK, class_tint, ink_on_scale, scale_colour};
use super::figure::Figure;
use super::svg::{Anchor, Svg, number, shortened, text_width};

/// Boxes side by side at most, unless a depth is asked for.
const MOST_ENDS: usize = 64;
/// Height of a line of text and of a box of three.
const LINE: f64 = 15.0;
const BOX: f64 = 3.0 * LINE + 10.0;
/// From one depth to the next, and from one box to the next.
const STEP: f64 = BOX + 44.0;
const GAP: f64 = 14.0;
const MARGIN: f64 = 16.0;
const TITLE: f64 = 30.0;
/// The narrowest picture: it has room for a title.
const NARROW: f64 = 160.0;
/// Where along an arrow its text stands.
const ALONG: f64 = 0.65;

/// A box of a [`Figure::tree`].
#[derive(Debug, Clone, PartialEq)]
pub struct DiagramNode {
    /// The text, at most three lines, the first one bold.
    pub lines: Vec<String>,
    /// The colour of the box.
    pub colour: NodeColour,
    /// The number of each child among the nodes, and the text on the arrow to it.
    pub children: Vec<(usize, String)>,
}

/// What the colour of a box shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NodeColour {
    /// A class, by its code.
    Class(usize),
    /// A number between the smallest, 0, and the largest, 1: the larger, the darker.
    Share(f64),
}

/// Boxes at their places.
#[derive(Debug, Clone)]
pub(super) struct Diagram {
    boxes: Vec<Placed>,
    /// Width of every box.
    width: f64,
}

#[derive(Debug, Clone)]
struct Placed {
    lines: Vec<String>,
    colour: NodeColour,
    /// The middle of its upper edge.
    x: f64,
    depth: usize,
    /// Whether its children are left out.
    cut: bool,
    /// The place of each child among the boxes, and the text on the arrow to it.
    children: Vec<(usize, String)>,
}

impl Figure {
    /// A tree of boxes from the first node down; children come after their parents. Below `max_depth` boxes are left
    /// out; without it, where more than 64 would stand side by side.
    ///
    /// ```
    /// use gristmill::plot::{DiagramNode, Figure, NodeColour};
    /// let leaf = |name: &str, class| DiagramNode {
    ///     lines: vec![name.to_string()],
    ///     colour: NodeColour::Class(class),
    ///     children: vec![],
    /// };
    /// let root = DiagramNode { children: vec![(1, "yes".into()), (2, "no".into())], ..leaf("raining?", 0) };
    /// let svg = Figure::tree(&[root, leaf("stay", 0), leaf("play", 1)], None).title("To play or not").to_svg();
    /// assert!(svg.contains(">play<") && svg.contains(">no<"));
    /// ```
    pub fn tree(nodes: &[DiagramNode], max_depth: Option<usize>) -> Figure {
        let mut boxes = place(nodes, max_depth.unwrap_or_else(|| fitting_depth(nodes)));
        let texts = boxes.iter().flat_map(|placed| &placed.lines).map(|text| text_width(text, 12.0));
        let width = texts.fold(60.0, f64::max) + 14.0;
        // Places count boxes until their width is known.
        boxes.iter_mut().for_each(|placed| placed.x = MARGIN + width / 2.0 + placed.x * (width + GAP));
        let right = boxes.iter().map(|placed| placed.x).fold(0.0, f64::max) + width / 2.0 + MARGIN;
        let deepest = boxes.iter().map(|placed| placed.depth).max().unwrap_or(0);
        let mut figure = Figure::new();
        figure.width = right.max(NARROW);
        figure.height = MARGIN + TITLE + deepest as f64 * STEP + BOX + MARGIN + LINE;
        figure.diagram = Some(Diagram { boxes, width });
        figure
    }
}

impl Diagram {
    /// Draws arrows, then boxes, below the title.
    pub(super) fn draw(&self, svg: &mut Svg) {
        let top = |placed: &Placed| MARGIN + TITLE + placed.depth as f64 * STEP;
        // Texts of neighbours stand as far apart as their arrows are there.
        let letters = (ALONG * (self.width + GAP) / text_width("x", 11.0)) as usize;
        let mut texts = vec![];
        for parent in &self.boxes {
            for (child, text) in &parent.children {
                let child = &self.boxes[*child];
                let (from, to) = ((parent.x, top(parent) + BOX), (child.x, top(child)));
                draw_arrow(svg, from, to);
                texts.push(((from.0 + ALONG * (to.0 - from.0), from.1 + ALONG * (to.1 - from.1)), text));
            }
        }
        // Above all arrows, with a white edge, so that no arrow runs through a text.
        let edge =
            format!("fill=\"{INK}\" font-size=\"11\" stroke=\"#ffffff\" stroke-width=\"4\" paint-order=\"stroke\"");
        for ((x, y), text) in texts {
            svg.text((x, y + 1.0), Anchor::Middle, &edge, &shortened(text, letters));
        }
        for placed in &self.boxes {
            let (fill, ink) = match placed.colour {
                NodeColour::Class(code) => (class_tint(code), INK),
                NodeColour::Share(share) => (scale_colour(share), ink_on_scale(share)),
            };
            let attributes = format!("rx=\"5\" fill=\"{fill}\" stroke=\"{FAINT}\"");
            svg.rectangle(placed.x - self.width / 2.0, top(placed), self.width, BOX, &attributes);
            draw_lines(svg, (placed.x, top(placed)), ink, &placed.lines);
            if placed.cut {
                svg.text((placed.x, top(placed) + BOX + LINE), Anchor::Middle, &format!("fill=\"{INK}\""), "…");
            }
        }
    }
}

/// The largest depth at which there are not too many boxes side by side.
fn fitting_depth(nodes: &[DiagramNode]) -> usize {
    let (mut level, mut ends, mut depth) = (vec![0], 1, 0);
    loop {
        let parents: Vec<usize> = level.into_iter().filter(|at| !nodes[*at].children.is_empty()).collect();
        let next: Vec<usize> = parents.iter().flat_map(|at| &nodes[*at].children).map(|child| child.0).collect();
        ends += next.len() - parents.len();
        if ends > MOST_ENDS || next.is_empty() {
            return depth;
        }
        (level, depth) = (next, depth + 1);
    }
}

/// Ends side by side in their order, parents midway above their children; places count boxes.
fn place(nodes: &[DiagramNode], depth: usize) -> Vec<Placed> {
    let mut placed: Vec<Placed> = vec![];
    let mut waiting = vec![(0, 0, None::<(usize, &String)>)];
    let mut ends = 0.0;
    while let Some((at, level, parent)) = waiting.pop() {
        let (own, node) = (placed.len(), &nodes[at]);
        if let Some((parent, text)) = parent {
            placed[parent].children.push((own, text.clone()));
        }
        let (inner, shown) = (!node.children.is_empty(), !node.children.is_empty() && level < depth);
        if shown {
            waiting.extend(node.children.iter().rev().map(|(child, text)| (*child, level + 1, Some((own, text)))));
        }
        let (lines, colour) = (node.lines.clone(), node.colour);
        placed.push(Placed { lines, colour, x: ends, depth: level, cut: inner && !shown, children: vec![] });
        ends += if shown { 0.0 } else { 1.0 };
    }
    for at in (0..placed.len()).rev() {
        if let (Some((first, _)), Some((last, _))) = (placed[at].children.first(), placed[at].children.last()) {
            placed[at].x = (placed[*first].x + placed[*last].x) / 2.0;
        }
    }
    placed
}

/// The lines of a box, the first one bold, in its middle.
fn draw_lines(svg: &mut Svg, (x, y): (f64, f64), ink: &str, lines: &[String]) {
    let first = y + BOX / 2.0 - (lines.len() as f64 - 1.0) * LINE / 2.0 + 4.0;
    for (at, line) in lines.iter().enumerate() {
        let weight = if at == 0 { "font-weight=\"bold\"" } else { "" };
        svg.text((x, first + at as f64 * LINE), Anchor::Middle, &format!("fill=\"{ink}\" {weight}"), line);
    }
}

/// An arrow from a box to the one below it.
fn draw_arrow(svg: &mut Svg, from: (f64, f64), to: (f64, f64)) {
    svg.line(from, to, &format!("stroke=\"{FAINT}\" stroke-width=\"1.5\""));
    let head =
        [(0.0, 0.0), (-4.0, -7.0), (4.0, -7.0)].map(|(x, y)| format!("{},{}", number(to.0 + x), number(to.1 + y)));
    svg.element("polygon", &format!("points=\"{}\" fill=\"{FAINT}\"", head.join(" ")));
}
