//! Elements of a page, with every text escaped.

use gristmill::plot::Figure;

use super::style::STYLE;

/// A growing page.
pub struct Html(String);

impl Html {
    /// A page of this title, open at its body.
    pub fn new(title: &str) -> Html {
        let title = escaped(title);
        let head = "<meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">";
        Html(format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head>{head}<title>{title}</title>\n<style>{STYLE}</style></head>\n<body>\n"
        ))
    }

    /// Opens an element, with its attributes.
    pub fn open(&mut self, element: &str) {
        self.0 += &format!("<{element}>\n");
    }

    pub fn close(&mut self, name: &str) {
        self.0 += &format!("</{name}>\n");
    }

    /// An element with text in it.
    pub fn element(&mut self, name: &str, text: &str) {
        self.0 += &format!("<{name}>{}</{name}>\n", escaped(text));
    }

    /// What is HTML or SVG already.
    pub fn raw(&mut self, html: &str) {
        self.0 += html;
        self.0.push('\n');
    }

    /// Opens a section under a heading.
    pub fn section(&mut self, title: &str) {
        self.open("section");
        self.element("h2", title);
    }

    /// A table; without a header if its names are empty.
    pub fn table(&mut self, header: &[&str], rows: impl Iterator<Item = Vec<String>>) {
        let named = header.iter().any(|name| !name.is_empty());
        self.open(if named { "table" } else { "table class=\"facts\"" });
        if named {
            let cells: String = header.iter().map(|name| format!("<th>{}</th>", escaped(name))).collect();
            self.raw(&format!("<tr>{cells}</tr>"));
        }
        for row in rows {
            let cells: String = row.iter().map(|cell| format!("<td>{}</td>", escaped(cell))).collect();
            self.raw(&format!("<tr>{cells}</tr>"));
        }
        self.close("table");
    }

    /// Pictures beside each other.
    pub fn pictures<'a>(&mut self, figures: impl IntoIterator<Item = &'a Figure>) {
        self.open("div class=\"pictures\"");
        for figure in figures {
            self.open("figure");
            self.raw(&figure.to_svg());
            self.close("figure");
        }
        self.close("div");
    }

    pub fn finish(self) -> String {
        self.0 + "</body></html>\n"
    }
}

/// Text as it may stand in HTML.
pub fn escaped(text: &str) -> String {
    let replaced = text.chars().map(|letter| match letter {
        '&' => "&amp;".to_string(),
        '<' => "&lt;".to_string(),
        '>' => "&gt;".to_string(),
        '"' => "&quot;".to_string(),
        letter => letter.to_string(),
    });
    replaced.collect()
}
