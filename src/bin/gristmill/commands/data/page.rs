//! The description of a file as a person reads it.

use super::column::{Column, Count};
use super::{DataDescription, Sparse};
use crate::report::{number, paragraph, table_of};

/// Columns that a table shows; JSON has all.
const MOST_SHOWN: usize = 200;
/// Categories of a column that the table names.
const MOST_NAMED: usize = 5;
/// Columns whose correlations are named.
const MOST_CORRELATED: usize = 10;

pub fn page(described: &DataDescription) -> String {
    // Numbers and texts have little in common, and side by side they would not fit a terminal.
    let table_of_columns = |what: &str, columns: &[Column]| {
        let (text, numbers): (Vec<&Column>, Vec<&Column>) = columns.iter().partition(|column| column.kind == "text");
        let mut tables = vec![];
        if !numbers.is_empty() {
            let header = [what, "type", "missing", "distinct", "mean", "deviation"];
            tables.push(table_of(&header, numbers.iter().map(|column| moments_row(column))));
            let header = [what, "min", "25 %", "median", "75 %", "max"];
            tables.push(table_of(&header, numbers.iter().map(|column| quantiles_row(column))));
        }
        if !text.is_empty() {
            tables.push(table_of(&[what, "type", "missing", "categories"], text.into_iter().map(text_row)));
        }
        tables.join("\n")
    };
    let (rows, columns) = (described.rows, described.columns.len());
    let mut page = match &described.sparse {
        Some(Sparse { columns, nonzero }) => {
            format!("{}: {rows} sparse rows × {columns} columns, {nonzero} values that are not 0", described.file)
        }
        None => {
            let shown = table_of_columns("column", &described.columns[..columns.min(MOST_SHOWN)]);
            format!("{}: {rows} rows × {columns} columns\n{shown}", described.file)
        }
    };
    if columns > MOST_SHOWN {
        page += &format!("\n… {} more columns; --json has all", columns - MOST_SHOWN);
    }
    let constant: Vec<&str> =
        described.columns.iter().filter(|column| column.distinct == 1).map(|column| column.name.as_str()).collect();
    if rows > 1 && !constant.is_empty() {
        page += &format!("\n{}", paragraph(&format!("One value in all rows: {}", constant.join(", "))));
    }
    match described.duplicates {
        0 => {}
        1 => page += "\n1 row is the same as an earlier one",
        count => page += &format!("\n{count} rows are the same as an earlier one"),
    }
    if let Some(correlations) = correlations(&described.columns) {
        page += &format!("\n{}", paragraph(&correlations));
    }
    let Some(target) = &described.target else { return page };
    if let Some(classes) = target.classes.as_ref().filter(|classes| classes.len() <= MOST_SHOWN) {
        let share = |count: usize| format!("{:.1} %", 100.0 * count as f64 / rows as f64);
        let counts = classes.iter().map(|class| [class.name.clone(), class.count.to_string(), share(class.count)]);
        let shown = table_of(&["class", "rows", "share"], counts);
        page += &format!("\nThe target as {} classes\n{shown}", classes.len());
    }
    if !target.numbers.is_empty() {
        page += &format!("\nThe target as numbers\n{}", table_of_columns("target", &target.numbers));
    }
    page
}

/// The columns that go most with the target, the first ones first.
fn correlations(columns: &[Column]) -> Option<String> {
    let mut known: Vec<(&str, f64)> =
        columns.iter().filter_map(|column| Some((column.name.as_str(), column.correlation?))).collect();
    known.sort_by(|one, other| other.1.abs().total_cmp(&one.1.abs()));
    let more = match known.len() {
        0 => return None,
        count if count > MOST_CORRELATED => format!(" (top {MOST_CORRELATED} of {count})"),
        _ => String::new(),
    };
    let named = known.iter().take(MOST_CORRELATED).map(|(name, correlation)| format!("{name} {correlation:.3}"));
    Some(format!("Correlation with the target: {}{more}", named.collect::<Vec<_>>().join(", ")))
}

/// A number of a column; of large ones the digits before the point are what tells them apart.
fn shown(value: f64) -> String {
    match value.abs() {
        _ if value.fract() == 0.0 => number(value),
        1e6..1e15 => format!("{value:.0}"),
        1e3..1e6 => format!("{value:.1}"),
        _ => number(value),
    }
}

fn or_nothing(value: Option<f64>) -> String {
    value.map_or_else(String::new, shown)
}

fn moments_row(column: &Column) -> [String; 6] {
    let (mean, deviation) = (or_nothing(column.mean), or_nothing(column.deviation));
    let [missing, distinct] = [column.missing, column.distinct].map(|count| count.to_string());
    [column.name.clone(), column.kind.to_string(), missing, distinct, mean, deviation]
}

fn quantiles_row(column: &Column) -> [String; 6] {
    let quartile = |at: usize| or_nothing(column.quartiles.map(|quartiles| quartiles[at]));
    let (min, max) = (or_nothing(column.min), or_nothing(column.max));
    [column.name.clone(), min, quartile(0), quartile(1), quartile(2), max]
}

fn text_row(column: &Column) -> [String; 4] {
    let mut order: Vec<&Count> = column.categories.iter().flatten().collect();
    order.sort_by_key(|category| std::cmp::Reverse(category.count));
    let named: Vec<String> =
        order.iter().take(MOST_NAMED).map(|Count { name, count }| format!("{name} ({count})")).collect();
    let more = if order.len() > MOST_NAMED { ", …" } else { "" };
    let categories = format!("{}: {}{more}", order.len(), named.join(", "));
    [column.name.clone(), column.kind.to_string(), column.missing.to_string(), categories]
}
