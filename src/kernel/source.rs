//! `//#import name` lines, and the library they draw from.

use std::collections::HashSet;

macro_rules! library {
    ($($name:literal),*) => {
        &[$(($name, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/lib/", $name, ".wgsl")))),*]
    };
}

/// Every file of `shaders/lib`, by the name that an import line uses.
#[rustfmt::skip]
pub const LIBRARY: &[(&str, &str)] = library![
    "bias", "double", "elementary", "fixed_point", "k_nearest_list", "kernel_program", "layer_tail", "leaf_quantiles",
    "metric", "normals", "order", "pairs", "pairs_operands", "selection", "status", "target_scan",
    "target_searches", "target_tasks", "target_words", "tile", "tile_best", "tree_cuts", "tree_jobs", "tree_pieces",
    "tree_searches", "tree_steps", "wide"
];

/// The shader with each `//#import name` line replaced by that library file, the first time it is named.
///
/// An unknown name is the error, so that a misspelt import is found when the pipeline is built.
pub fn expand(source: &str) -> Result<String, String> {
    let mut text = String::with_capacity(source.len() * 2);
    append(source, &mut HashSet::new(), &mut text)?;
    Ok(text)
}

/// What adds one to the count of finished workgroups, in `shaders/lib/status.wgsl`.
const COUNT: &str = "atomicAdd(&status[0], 1u);";

/// A shader as it is compiled.
#[derive(Debug)]
pub(crate) struct Expanded {
    pub(crate) source: String,
    /// Whether it binds the status words.
    pub(crate) has_status: bool,
}

/// The expanded shader. Where its workgroups need not be counted `mark_done` does nothing, and the status words are bound
/// only if the shader calls `report_fault` or writes there itself.
pub(crate) fn expand_for(source: &str, counted: bool) -> Result<Expanded, String> {
    let text = expand(source)?;
    let status = LIBRARY.iter().find(|(name, _)| *name == "status").map_or("", |(_, body)| *body);
    let own = text.replace(status, "");
    let uses_status = own.contains("report_fault(") || own.contains("status[");
    let source = match (counted, uses_status) {
        (true, _) => text,
        (false, true) => text.replace(COUNT, ""),
        (false, false) => own + "fn mark_done(lane: u32) {}\n",
    };
    let has_status = source.contains("var<storage, read_write> status:");
    Ok(Expanded { source, has_status })
}

fn append<'a>(source: &'a str, seen: &mut HashSet<&'a str>, text: &mut String) -> Result<(), String> {
    for line in source.lines() {
        match line.trim().strip_prefix("//#import ") {
            None => {
                text.push_str(line);
                text.push('\n');
            }
            Some(name) if seen.insert(name.trim()) => {
                let found = LIBRARY.iter().find(|(known, _)| *known == name.trim());
                let (_, body) = found.ok_or_else(|| format!("no shaders/lib/{}.wgsl to import", name.trim()))?;
                append(body, seen, text)?;
            }
            Some(_) => {}
        }
    }
    Ok(())
}
