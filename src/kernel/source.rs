//! `//#import name` lines, and the library they draw from.

use std::collections::HashSet;

/// Every file of `shaders/lib`, by the name that an import line uses.
pub const LIBRARY: &[(&str, &str)] = &[
    ("assign_rows", include_str!("../../shaders/lib/assign_rows.wgsl")),
    ("assign_tiles", include_str!("../../shaders/lib/assign_tiles.wgsl")),
    ("carry", include_str!("../../shaders/lib/carry.wgsl")),
    ("cluster_runs", include_str!("../../shaders/lib/cluster_runs.wgsl")),
    ("columns", include_str!("../../shaders/lib/columns.wgsl")),
    ("elementary", include_str!("../../shaders/lib/elementary.wgsl")),
    ("extreme_rows", include_str!("../../shaders/lib/extreme_rows.wgsl")),
    ("int64", include_str!("../../shaders/lib/int64.wgsl")),
    ("k_nearest", include_str!("../../shaders/lib/k_nearest.wgsl")),
    ("k_nearest_list", include_str!("../../shaders/lib/k_nearest_list.wgsl")),
    ("kept_rows", include_str!("../../shaders/lib/kept_rows.wgsl")),
    ("label_runs", include_str!("../../shaders/lib/label_runs.wgsl")),
    ("metric", include_str!("../../shaders/lib/metric.wgsl")),
    ("metric_root", include_str!("../../shaders/lib/metric_root.wgsl")),
    ("pairs", include_str!("../../shaders/lib/pairs.wgsl")),
    ("pairs_int64", include_str!("../../shaders/lib/pairs_int64.wgsl")),
    ("pairs_operands", include_str!("../../shaders/lib/pairs_operands.wgsl")),
    ("pairs_portable", include_str!("../../shaders/lib/pairs_portable.wgsl")),
    ("pairs_subgroup", include_str!("../../shaders/lib/pairs_subgroup.wgsl")),
    ("pairs_subgroup_main", include_str!("../../shaders/lib/pairs_subgroup_main.wgsl")),
    ("radius_neighbors", include_str!("../../shaders/lib/radius_neighbors.wgsl")),
    ("status", include_str!("../../shaders/lib/status.wgsl")),
    ("tile", include_str!("../../shaders/lib/tile.wgsl")),
    ("tile_eight", include_str!("../../shaders/lib/tile_eight.wgsl")),
    ("tile_subgroup", include_str!("../../shaders/lib/tile_subgroup.wgsl")),
    ("tile_subgroup_wide", include_str!("../../shaders/lib/tile_subgroup_wide.wgsl")),
    ("tree_cuts", include_str!("../../shaders/lib/tree_cuts.wgsl")),
    ("tree_int64", include_str!("../../shaders/lib/tree_int64.wgsl")),
    ("tree_jobs", include_str!("../../shaders/lib/tree_jobs.wgsl")),
    ("tree_pieces", include_str!("../../shaders/lib/tree_pieces.wgsl")),
    ("tree_searches", include_str!("../../shaders/lib/tree_searches.wgsl")),
    ("tree_target", include_str!("../../shaders/lib/tree_target.wgsl")),
    ("uniform_rows", include_str!("../../shaders/lib/uniform_rows.wgsl")),
];

/// The shader with each `//#import name` line replaced by that library file, the first time it is named.
///
/// An unknown name is the error, so that a misspelt import is found when the pipeline is built.
pub fn expand(source: &str) -> Result<String, String> {
    let mut text = String::with_capacity(source.len() * 2);
    append(source, &mut HashSet::new(), &mut text)?;
    Ok(text)
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
