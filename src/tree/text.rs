//! A tree as text.

use super::tree::Tree;

/// Draws a tree with lines from parent to child.
pub(super) fn draw(tree: &Tree, names: Option<&[String]>) -> String {
    let mut text = String::new();
    // Number of the node, what stands before its line, what stands before its children's.
    let mut waiting = vec![(0_u32, String::new(), String::new())];
    while let Some((number, before, below)) = waiting.pop() {
        let node = &tree.nodes()[number as usize];
        let label = match node.feature {
            None => {
                let values: Vec<String> = tree.value(number).iter().map(f64::to_string).collect();
                format!("{}  [{} rows]", values.join(" "), node.count)
            }
            Some(feature) => {
                let name = names.and_then(|names| names.get(feature as usize)).cloned();
                let missing = if node.missing_left { "yes" } else { "no" };
                let name = name.unwrap_or_else(|| format!("feature {feature}"));
                format!("{name} ≤ {} (missing: {missing})", node.threshold)
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
