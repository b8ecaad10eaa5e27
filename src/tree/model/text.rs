//! A tree as text.

use super::tree::Tree;
use super::trees::likeliest;

/// For each feature the names of its categories, by code, where they are known.
pub(crate) type CategoryNames<'a> = &'a [Option<Vec<String>>];

/// Categories that a line names.
const NAMED_CATEGORIES: usize = 12;

/// Draws a tree with lines from parent to child. Leaves show the commonest class and its share, or their values where
/// there are no classes, with what the targets were moved by.
pub(crate) fn draw(
    tree: &Tree,
    names: Option<&[String]>,
    categories: CategoryNames<'_>,
    classes: &[String],
    shift: &[f64],
) -> String {
    let leaf = |number: u32| {
        let values = tree.value(number);
        if classes.is_empty() {
            let shifts = shift.iter().copied().chain(std::iter::repeat(0.0));
            let moved = values.iter().zip(shifts).map(|(value, shift)| (value + shift).to_string());
            return moved.collect::<Vec<String>>().join(" ");
        }
        let best = likeliest(values, values.len())[0] as usize;
        format!("{} ({:.3})", classes[best], values[best])
    };
    draw_lines(|number| {
        let node = &tree.nodes()[number as usize];
        let Some(feature) = node.feature else {
            return (format!("{}  [{} rows]", leaf(number), node.count), vec![]);
        };
        let name = names.and_then(|names| names.get(feature as usize)).cloned();
        let name = name.unwrap_or_else(|| format!("feature {feature}"));
        let asked = categories_asked(tree, number, categories, NAMED_CATEGORIES);
        let asked = asked.unwrap_or_else(|| format!("≤ {}", node.threshold));
        let missing = if node.missing_left { "yes" } else { "no" };
        let children = ["yes", "no"].map(str::to_string).into_iter().zip(node.children).collect();
        (format!("{name} {asked} (missing: {missing})"), children)
    })
}

/// What a node asks of a category, with at most so many of them: `in {red, blue}`, or `not in {green}` where fewer
/// categories go right; codes where names are not known. Nothing for a node that splits numbers.
pub(crate) fn categories_asked(tree: &Tree, node: u32, categories: CategoryNames<'_>, most: usize) -> Option<String> {
    let (left, right) = (tree.left_categories(node)?, tree.right_categories(node)?);
    let (word, codes) = if left.len() <= right.len() { ("in", left) } else { ("not in", right) };
    let names = tree.nodes()[node as usize].feature.and_then(|feature| categories.get(feature as usize)?.as_ref());
    let name = |code: &u32| names.and_then(|names| names.get(*code as usize).cloned());
    let named: Vec<String> = codes.iter().take(most).map(|code| name(code).unwrap_or(code.to_string())).collect();
    let more = if codes.len() > most { ", …" } else { "" };
    Some(format!("{word} {{{}{more}}}", named.join(", ")))
}

/// Lines from parent to child, from node 0 on: `node` gives what a node's line says, and its children with their names.
pub(crate) fn draw_lines(node: impl Fn(u32) -> (String, Vec<(String, u32)>)) -> String {
    let mut text = String::new();
    // Number of the node, what stands before its line, what stands before its children's.
    let mut waiting = vec![(0, String::new(), String::new())];
    while let Some((number, before, below)) = waiting.pop() {
        let (label, children) = node(number);
        text += &format!("{before}{label}\n");
        let last = children.len().wrapping_sub(1);
        for (at, (name, child)) in children.into_iter().enumerate().rev() {
            let (turn, line) = if at == last { ("└─", "   ") } else { ("├─", "│  ") };
            waiting.push((child, format!("{below}{turn} {name}: "), format!("{below}{line}")));
        }
    }
    text
}
