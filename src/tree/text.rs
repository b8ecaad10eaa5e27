//! A tree as text.

use super::tree::Tree;
use super::trees::likeliest;

/// For each feature the names of its levels, by code, where they are known.
pub(crate) type LevelNames<'a> = &'a [Option<Vec<String>>];

/// Levels that a line names.
const NAMED_LEVELS: usize = 12;

/// Draws a tree with lines from parent to child; leaves show their values.
pub(super) fn draw(tree: &Tree, names: Option<&[String]>, levels: LevelNames<'_>) -> String {
    let values = |number: u32| tree.value(number).iter().map(f64::to_string).collect::<Vec<String>>().join(" ");
    draw_with(tree, names, levels, values)
}

/// The same for a tree of classes: leaves show the commonest class and its share.
pub(super) fn of_classes(tree: &Tree, names: Option<&[String]>, levels: LevelNames<'_>, classes: &[String]) -> String {
    draw_with(tree, names, levels, |number| {
        let chances = tree.value(number);
        let best = likeliest(chances, chances.len())[0] as usize;
        format!("{} ({:.3})", classes[best], chances[best])
    })
}

/// What a node asks of a level, with at most so many of them: `in {red, blue}`, or `not in {green}` where fewer levels
/// go right; codes where names are not known. Nothing for a node that divides numbers.
pub(crate) fn levels_asked(tree: &Tree, node: u32, levels: LevelNames<'_>, most: usize) -> Option<String> {
    let (left, right) = (tree.left_levels(node)?, tree.right_levels(node)?);
    let (word, codes) = if left.len() <= right.len() { ("in", left) } else { ("not in", right) };
    let names = tree.nodes()[node as usize].feature.and_then(|feature| levels.get(feature as usize)?.as_ref());
    let name = |code: &u32| names.and_then(|names| names.get(*code as usize).cloned());
    let named: Vec<String> = codes.iter().take(most).map(|code| name(code).unwrap_or(code.to_string())).collect();
    let more = if codes.len() > most { ", …" } else { "" };
    Some(format!("{word} {{{}{more}}}", named.join(", ")))
}

fn draw_with(tree: &Tree, names: Option<&[String]>, levels: LevelNames<'_>, leaf: impl Fn(u32) -> String) -> String {
    let mut text = String::new();
    // Number of the node, what stands before its line, what stands before its children's.
    let mut waiting = vec![(0_u32, String::new(), String::new())];
    while let Some((number, before, below)) = waiting.pop() {
        let node = &tree.nodes()[number as usize];
        let label = match node.feature {
            None => format!("{}  [{} rows]", leaf(number), node.count),
            Some(feature) => {
                let name = names.and_then(|names| names.get(feature as usize)).cloned();
                let missing = if node.missing_left { "yes" } else { "no" };
                let name = name.unwrap_or_else(|| format!("feature {feature}"));
                let asked = levels_asked(tree, number, levels, NAMED_LEVELS);
                let asked = asked.unwrap_or_else(|| format!("≤ {}", node.threshold));
                format!("{name} {asked} (missing: {missing})")
            }
        };
        text += &format!("{before}{label}\n");
        if node.feature.is_some() {
            let [left, right] = node.children;
            waiting.push((right, format!("{below}└─ no: "), format!("{below}   ")));
            waiting.push((left, format!("{below}├─ yes: "), format!("{below}│  ")));
        }
    }
    text
}
