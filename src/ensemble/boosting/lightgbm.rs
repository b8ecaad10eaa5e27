//! Boosted trees in LightGBM's text format, for whatever reads that: LightGBM itself, Treelite, ONNX converters.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::boosted::Boosted;
use crate::tree::{Node, Tree};

/// Bits of a split's kind: whether it is by category, whether missing values go left, and that they are NaN.
const BY_CATEGORY: u32 = 1;
const DEFAULT_LEFT: u32 = 2;
const MISSING_IS_NAN: u32 = 2 << 2;
/// The range that LightGBM notes for a feature; here all that an f32 can be.
const RANGE: &str = "[-3.4028235e38:3.4028235e38]";

/// The model as text; `objective` is LightGBM's name of the loss, none for raw scores. Features have the names given,
/// or their numbers.
pub(super) fn to_text(model: &Boosted, baseline: &[f64], objective: Option<&str>, names: &[String]) -> String {
    let (outputs, features) = (model.outputs(), model.features());
    let names = names_of(features, names);
    // Without a round there is still the baseline to write.
    let lone: Vec<Tree> = (0..outputs).map(|_| Tree::leaf(1, Node::default())).collect();
    let trees = if model.trees().is_empty() { &lone[..] } else { model.trees() };
    let blocks: Vec<String> = trees.iter().enumerate().map(|(number, tree)| block(baseline, number, tree)).collect();
    let list = |item: &dyn Fn(usize) -> String| (0..features).map(item).collect::<Vec<_>>().join(" ");
    let mut text = format!(
        "tree\nversion=v4\nnum_class={outputs}\nnum_tree_per_iteration={outputs}\nlabel_index=0\nmax_feature_idx={}\n",
        features.saturating_sub(1)
    );
    if let Some(objective) = objective {
        text += &format!("objective={objective}\n");
    }
    text += &format!("feature_names={}\n", names.join(" "));
    text += &format!("feature_infos={}\n", list(&|_| RANGE.to_string()));
    let sizes: Vec<String> = blocks.iter().map(|block| block.len().to_string()).collect();
    text += &format!("tree_sizes={}\n\n", sizes.join(" "));
    text += &blocks.concat();
    text += "end of trees\n\nfeature_importances:\n";
    let mut splits: Vec<(usize, u64)> = model.split_counts().into_iter().enumerate().collect();
    splits.sort_by_key(|(feature, splits)| (std::cmp::Reverse(*splits), *feature));
    for (feature, splits) in splits.into_iter().filter(|(_, splits)| *splits > 0) {
        text += &format!("{}={splits}\n", names[feature]);
    }
    text + "\nparameters:\nend of parameters\n\npandas_categorical:null\n"
}

/// A name for each feature that LightGBM takes: without blanks and without the signs of JSON. Numbers where names are
/// not given, or would not tell features apart.
fn names_of(features: usize, given: &[String]) -> Vec<String> {
    let allowed = |letter: char| if letter.is_whitespace() || "[]{}\",:=".contains(letter) { '_' } else { letter };
    let names: Vec<String> = given.iter().map(|name| name.chars().map(allowed).collect()).collect();
    let different: BTreeSet<&String> = names.iter().filter(|name| !name.is_empty()).collect();
    if names.len() == features && different.len() == features {
        return names;
    }
    (0..features).map(|feature| format!("Column_{feature}")).collect()
}

/// One tree. The baseline is part of the leaves of the first round.
fn block(baseline: &[f64], number: usize, tree: &Tree) -> String {
    let nodes = tree.nodes();
    let base = baseline.get(number).copied().unwrap_or(0.0);
    let (leaves, inner): (Vec<usize>, Vec<usize>) = (0..nodes.len()).partition(|node| nodes[*node].feature.is_none());
    let mut places = vec![0_i64; nodes.len()];
    inner.iter().zip(0..).for_each(|(node, place)| places[*node] = place);
    leaves.iter().zip(0..).for_each(|(node, place)| places[*node] = -1 - place);
    let sets = LightGbmSets::new(tree, &inner);
    let mut text = format!("Tree={number}\nnum_leaves={}\nnum_cat={}\n", leaves.len(), sets.sets.len());
    let mut line = |name: &str, nodes: &[usize], item: &dyn Fn(usize) -> String| {
        let items: Vec<String> = nodes.iter().map(|node| item(*node)).collect();
        // Writing to a string does not fail.
        let _ = writeln!(text, "{name}={}", items.join(" "));
    };
    let value = |node: usize| format!("{:e}", tree.value(node as u32)[0] + base);
    let weight = |node: usize| format!("{:e}", nodes[node].weight);
    let count = |node: usize| nodes[node].count.to_string();
    if !inner.is_empty() {
        line("split_feature", &inner, &|node| nodes[node].feature.unwrap_or(0).to_string());
        line("split_gain", &inner, &|node| format!("{:e}", nodes[node].gain));
        let child = |node: usize, side: usize| {
            let side = if sets.is_turned(&nodes[node]) { 1 - side } else { side };
            places[nodes[node].children[side] as usize].to_string()
        };
        line("threshold", &inner, &|node| {
            sets.place(node).map_or_else(|| threshold(&nodes[node]), |at| at.to_string())
        });
        line("decision_type", &inner, &|node| decision_type(&nodes[node]).to_string());
        line("left_child", &inner, &|node| child(node, 0));
        line("right_child", &inner, &|node| child(node, 1));
    }
    line("leaf_value", &leaves, &value);
    if !inner.is_empty() {
        line("leaf_weight", &leaves, &weight);
        line("leaf_count", &leaves, &count);
        line("internal_value", &inner, &value);
        line("internal_weight", &inner, &weight);
        line("internal_count", &inner, &count);
    }
    text += &sets.to_text();
    text + "is_linear=0\nshrinkage=1\n\n\n"
}

/// How a node splits.
fn decision_type(node: &Node) -> u32 {
    match node.category_set {
        Some(_) => MISSING_IS_NAN + BY_CATEGORY,
        None => MISSING_IS_NAN + if node.missing_left { DEFAULT_LEFT } else { 0 },
    }
}

/// The categories that go left at each node that splits them: bits of 32-bit words.
///
/// LightGBM sends missing and unknown categories right. Where they go left here, the children change places, and the
/// set has the categories of the other side.
struct LightGbmSets {
    /// The node and the words of its set.
    sets: Vec<(usize, Vec<u32>)>,
}

impl LightGbmSets {
    fn new(tree: &Tree, inner: &[usize]) -> LightGbmSets {
        let set = |node: &usize| {
            let at = *node as u32;
            let turned = tree.nodes()[*node].missing_left;
            let categories = if turned { tree.right_categories(at) } else { tree.left_categories(at) }?;
            let mut words = vec![0_u32; categories.last().map_or(1, |last| *last as usize / 32 + 1)];
            categories.iter().for_each(|category| words[*category as usize / 32] |= 1 << (category % 32));
            Some((*node, words))
        };
        LightGbmSets { sets: inner.iter().filter_map(set).collect() }
    }

    /// The number of a node's set.
    fn place(&self, node: usize) -> Option<usize> {
        self.sets.iter().position(|(own, _)| *own == node)
    }

    fn is_turned(&self, node: &Node) -> bool {
        node.category_set.is_some() && node.missing_left
    }

    fn to_text(&self) -> String {
        if self.sets.is_empty() {
            return String::new();
        }
        let mut ends = vec![0];
        self.sets.iter().for_each(|(_, words)| ends.push(ends[ends.len() - 1] + words.len()));
        let join = |numbers: Vec<String>| numbers.join(" ");
        let ends = join(ends.iter().map(usize::to_string).collect());
        let words = join(self.sets.iter().flat_map(|(_, words)| words).map(u32::to_string).collect());
        format!("cat_boundaries={ends}\ncat_threshold={words}\n")
    }
}

/// Values up to this one go left. A threshold behind all numbers parts them from missing values.
fn threshold(node: &Node) -> String {
    let threshold = f64::from(node.threshold);
    if threshold.is_finite() { format!("{threshold:e}") } else { format!("{:e}", f64::MAX.copysign(threshold)) }
}
