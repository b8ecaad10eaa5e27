//! The elements of a picture as text.

use std::fmt::Write;

/// The letters' width over their height, on average; there are no fonts here to ask.
const LETTER_WIDTH: f64 = 0.6;

/// Where a text stands to its point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A growing piece of SVG.
#[derive(Default)]
pub(super) struct Svg(String);

impl Svg {
    /// An element with attributes and nothing in it.
    pub(super) fn element(&mut self, name: &str, attributes: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "<{name} {attributes}/>");
    }

    pub(super) fn open(&mut self, name: &str, attributes: &str) {
        let _ = writeln!(self.0, "<{name} {attributes}>");
    }

    pub(super) fn close(&mut self, name: &str) {
        let _ = writeln!(self.0, "</{name}>");
    }

    pub(super) fn rectangle(&mut self, x: f64, y: f64, width: f64, height: f64, attributes: &str) {
        let (x, y, width, height) = (number(x), number(y), number(width), number(height));
        self.element("rect", &format!("x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" {attributes}"));
    }

    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), attributes: &str) {
        let ends = [from.0, from.1, to.0, to.1].map(number);
        let [x1, y1, x2, y2] = ends;
        self.element("line", &format!("x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" {attributes}"));
    }

    pub(super) fn text(&mut self, at: (f64, f64), anchor: Anchor, attributes: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let (x, y, text) = (number(at.0), number(at.1), escaped(text));
        let _ = writeln!(self.0, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" {attributes}>{text}</text>");
    }

    /// The whole picture around this.
    pub(super) fn into_picture(self, width: f64, height: f64) -> String {
        let (width, height) = (number(width), number(height));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n{}</svg>\n",
            self.0
        )
    }
}

/// A coordinate with at most two digits behind the point, and no trailing zeros.
pub(super) fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_string() } else { text.to_string() }
}

/// About how wide a text is.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * LETTER_WIDTH
}

/// A text that fits in some number of letters.
pub(crate) fn shortened(text: &str, letters: usize) -> String {
    if text.chars().count() <= letters {
        return text.to_string();
    }
    text.chars().take(letters.saturating_sub(1)).chain(['…']).collect()
}

/// Text as it may stand in XML, which knows no control characters at all.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            letter if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => escaped.push(' '),
            letter => escaped.push(letter),
        }
    }
    escaped
}
