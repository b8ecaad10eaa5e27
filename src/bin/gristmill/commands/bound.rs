//! `gristmill bound`: what theory says of an error, with the formula and what the numbers mean.

use gristmill::theory::catalog::{self, BoundEntry, Given};
use serde::Serialize;

use crate::arguments::{GlobalArgs, split_list};
use crate::report::{
    CliError, CommandResult, hanging, number, paragraph, print, print_json, show, table, wrapped_example,
};

const EXAMPLES: &str = "Examples:
  gristmill bound                     every bound, a line each
  gristmill bound vc-gap              its formula, conditions and parameters
  gristmill bound vc-gap --set dimension=3 --set rows=1000 --set delta=0.05
  gristmill bound vc-gap --set dimension=3 --set epsilon=0.1 --set delta=0.05
  gristmill bound realisable --set conjunctions=10 --set epsilon=0.1 --set delta=0.05
  gristmill bound binomial --set rows=100 --set observed=0.01 --set delta=0.05
  gristmill bound adaboost --set errors=0.3,0.2,0.25";

/// What `bound` takes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct BoundArgs {
    /// The bound; without one all are listed
    name: Option<String>,
    /// A number that is given, such as rows=1000; what is left open is computed
    #[arg(long, value_name = "KEY=NUMBER", requires = "name")]
    set: Vec<String>,
}

#[derive(Serialize)]
struct BoundReport {
    name: &'static str,
    about: &'static str,
    formula: &'static str,
    conditions: &'static str,
    parameters: Vec<BoundParameter>,
    /// What was given.
    given: Vec<(String, Vec<f64>)>,
    found: Vec<BoundNumber>,
}

#[derive(Serialize)]
struct BoundParameter {
    name: &'static str,
    help: &'static str,
}

#[derive(Serialize)]
struct BoundNumber {
    name: String,
    /// Null where it is infinite.
    value: f64,
    meaning: String,
}

pub fn run(args: &BoundArgs, global: &GlobalArgs) -> CommandResult {
    let Some(name) = &args.name else {
        list(global);
        return Ok(());
    };
    let misused = |error: gristmill::Error| CliError::Usage(error.to_string());
    let entry = catalog::find(name).map_err(misused)?;
    let settings = args.set.iter().map(|text| parse(text)).collect::<CommandResult<Vec<_>>>()?;
    let given = settings.iter().fold(Given::default(), |given, (name, values)| given.with(name, values));
    // Without numbers there is nothing to compute: the formula and an example are shown.
    let found = if settings.is_empty() { vec![] } else { entry.solve(&given).map_err(misused)? };
    let found =
        found.into_iter().map(|found| BoundNumber { name: found.name, value: found.value, meaning: found.meaning });
    let report = BoundReport {
        name: entry.name,
        about: entry.about,
        formula: entry.formula,
        conditions: entry.conditions,
        parameters: entry.parameters.iter().map(|(name, help)| BoundParameter { name, help }).collect(),
        given: settings,
        found: found.collect(),
    };
    show(global, &report, |report| describe(report, entry));
    Ok(())
}

fn list(global: &GlobalArgs) {
    if global.json {
        let bounds: Vec<_> = catalog::entries()
            .map(|entry| serde_json::json!({ "name": entry.name, "about": entry.about, "formula": entry.formula }))
            .collect();
        print_json(&serde_json::json!({ "bounds": bounds }));
        return;
    }
    let mut shown = table(&["bound", "what it says"]);
    catalog::entries().for_each(|entry| {
        shown.add_row([entry.name, entry.about]);
    });
    print(&format!("{shown}\ngristmill bound NAME shows its formula; --set KEY=NUMBER gives it numbers."));
}

/// `key=number`, or `key=number,number,…`.
fn parse(text: &str) -> CommandResult<(String, Vec<f64>)> {
    let wrong = || CliError::Usage(format!("--set takes KEY=NUMBER, such as rows=1000; got {text:?}"));
    let (key, list) = text.split_once('=').ok_or_else(wrong)?;
    let number = |piece: &str| piece.trim().parse::<f64>().map_err(|_| wrong());
    Ok((key.trim().to_string(), split_list(list).into_iter().map(number).collect::<CommandResult<_>>()?))
}

fn describe(report: &BoundReport, entry: &BoundEntry) -> String {
    let mut lines = vec![
        paragraph(&format!("{}: {}", report.name, report.about)),
        String::new(),
        hanging("    ", report.formula),
        String::new(),
        hanging("Holds when: ", report.conditions),
    ];
    if report.found.is_empty() {
        let width = report.parameters.iter().map(|parameter| parameter.name.len()).max().unwrap_or(0);
        lines.push(String::new());
        let one = |parameter: &BoundParameter| hanging(&format!("    {:width$}   ", parameter.name), parameter.help);
        lines.extend(report.parameters.iter().map(one));
        let list = |values: &[f64]| values.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
        let set = |(name, values): &(&str, &[f64])| format!(" --set {name}={}", list(values));
        let example: String = entry.example.iter().map(set).collect();
        lines.push(format!("\n{}", wrapped_example(&format!("  gristmill bound {}{example}", report.name))));
        return lines.join("\n");
    }
    let list = |values: &[f64]| values.iter().map(|value| number(*value)).collect::<Vec<_>>().join(", ");
    let given: Vec<String> = report.given.iter().map(|(name, values)| format!("{name} = {}", list(values))).collect();
    lines.push(hanging("Given: ", &format!("{}\n", given.join("; "))));
    let one = |found: &BoundNumber| hanging(&format!("{} = {}: ", found.name, exact(found.value)), &found.meaning);
    lines.extend(report.found.iter().map(one));
    lines.join("\n")
}

/// Six digits that count, as tables of bounds are printed.
fn exact(value: f64) -> String {
    match value.abs() {
        size if value.is_infinite() || (value.fract() == 0.0 && size < 1e15) => number(value),
        size @ 1e-4..1e6 => format!("{value:.*}", (5 - size.log10().floor() as i32).max(0) as usize),
        _ => format!("{value:.5e}"),
    }
}
