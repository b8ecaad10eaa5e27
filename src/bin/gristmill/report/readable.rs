//! Text that any terminal can show: 80 columns, and ASCII where the locale knows nothing else.

use std::sync::OnceLock;

/// Columns of a line of help, and how far a description stands in.
const WIDTH: usize = 80;
const INDENT: usize = 10;

/// What stands for our signs where there is nothing but ASCII.
const SIGNS: &[(&str, &str)] = &[
    ("×", "x"),
    ("–", "-"),
    ("−", "-"),
    ("…", "..."),
    ("±", "+/-"),
    ("→", "->"),
    ("µs", "us"),
    ("R²", "R2"),
    ("├─", "|-"),
    ("└─", "`-"),
    ("│", "|"),
    ("─", "-"),
    ("·", "*"),
    ("≤", "<="),
    ("≥", ">="),
    ("≈", "~"),
    ("∈", "in"),
    ("∧", "and"),
    ("¬", "not "),
    ("∞", "infinity"),
    ("√", "sqrt"),
    ("½", "1/2"),
    ("‖", "||"),
    ("⟨", "<"),
    ("⟩", ">"),
    ("⌊", "floor("),
    ("⌋", ")"),
    ("§", "section "),
    ("Nyström", "Nystroem"),
    // Powers and indices: several digits of a power are one.
    ("²⁴", "^24"),
    ("⁻¹", "^-1"),
    ("¹", "^1"),
    ("²", "^2"),
    ("³", "^3"),
    ("⁴", "^4"),
    ("⁶", "^6"),
    ("ᵀ", "'"),
    ("₀", "0"),
    ("₁", "1"),
    ("₂", "2"),
    ("₊", "+"),
    ("ᵢ", "_i"),
    ("\u{302}", "^"),
    // Letters of formulas.
    ("α", "alpha"),
    ("β", "beta"),
    ("γ", "gamma"),
    ("δ", "delta"),
    ("Δ", "Delta"),
    ("ε", "epsilon"),
    ("η", "eta"),
    ("λ", "lambda"),
    ("ν", "nu"),
    ("π", "pi"),
    ("Π", "product "),
    ("ρ", "rho"),
    ("σ", "sigma"),
    ("Σ", "sum "),
    ("τ", "tau"),
    ("φ", "phi"),
    ("Φ", "Phi"),
];

/// Whether the locale says that only ASCII can be shown: it is set, and not to UTF-8.
pub fn is_ascii() -> bool {
    static ASCII: OnceLock<bool> = OnceLock::new();
    *ASCII.get_or_init(|| {
        let set = |name: &&str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(set);
        locale.is_some_and(|locale| !locale.to_lowercase().replace('-', "").contains("utf8"))
    })
}

/// The text with our own signs in ASCII, if need be; names and values stay as they are.
pub fn readable(text: &str) -> String {
    if !is_ascii() || text.is_ascii() {
        return text.to_string();
    }
    SIGNS.iter().fold(text.to_string(), |text, (sign, plain)| text.replace(sign, plain))
}

/// The command with help that fits 80 columns: a description below each argument.
pub fn wrapped_help(command: clap::Command) -> clap::Command {
    let command = command.mut_args(|argument| match described(&argument) {
        Some(help) if argument.get_action().takes_values() => {
            argument.next_line_help(true).help(help).hide_possible_values(true).hide_default_value(true)
        }
        Some(help) => argument.next_line_help(true).help(help),
        None => argument,
    });
    let after = command.get_after_help().map(|text| {
        let lines: Vec<String> = text.to_string().lines().map(wrapped_example).collect();
        readable(&lines.join("\n"))
    });
    let command = match after {
        Some(text) => command.after_help(text),
        None => command,
    };
    command.mut_subcommands(wrapped_help)
}

/// What an argument means, with its default and the values it takes.
fn described(argument: &clap::Arg) -> Option<String> {
    let mut text = argument.get_help()?.to_string();
    let default = argument.get_default_values().iter().map(|value| value.to_string_lossy());
    let default: Vec<_> = default.collect();
    if !default.is_empty() && !argument.is_hide_default_value_set() && argument.get_action().takes_values() {
        text += &format!(" [default: {}]", default.join(","));
    }
    let values = if argument.get_action().takes_values() { argument.get_possible_values() } else { vec![] };
    let values: Vec<_> = values.into_iter().filter(|value| !value.is_hide_set()).collect();
    if values.iter().all(|value| value.get_help().is_none()) {
        let names: Vec<&str> = values.iter().map(|value| value.get_name()).collect();
        text += &if names.is_empty() { String::new() } else { format!(" [{}]", names.join(", ")) };
        return Some(readable(&wrapped(&text, WIDTH - INDENT)));
    }
    let lines = values.iter().map(|value| {
        let help = value.get_help().map(ToString::to_string).unwrap_or_default();
        wrapped(&format!("- {}: {help}", value.get_name()), WIDTH - INDENT - 2).replace('\n', "\n  ")
    });
    let lines: Vec<String> = [wrapped(&text, WIDTH - INDENT)].into_iter().chain(lines).collect();
    Some(readable(&lines.join("\n")))
}

/// A line of 80 columns; one that is typed, behind two blanks, goes on after a backslash.
pub fn wrapped_example(line: &str) -> String {
    match line.strip_prefix("  ") {
        _ if line.chars().count() <= WIDTH => line.to_string(),
        Some(typed) => format!("  {}", wrapped(typed, WIDTH - 8).replace('\n', " \\\n      ")),
        None => wrapped(line, WIDTH),
    }
}

/// Text in lines of at most so many letters, broken at blanks.
pub fn wrapped(text: &str, width: usize) -> String {
    let (mut lines, mut line) = (vec![], String::new());
    for word in text.split(' ') {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line += word;
    }
    lines.push(line);
    lines.join("\n")
}
