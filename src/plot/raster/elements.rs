//! The elements of our SVG, one after the other.

/// An element, or the end of one.
pub(super) struct Element<'a> {
    pub name: &'a str,
    attributes: &'a str,
    /// Whether it has others inside.
    pub opens: bool,
    /// Whether it is the end of one that had.
    pub closes: bool,
    /// What a text says.
    pub text: String,
}

impl<'a> Element<'a> {
    /// The value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&'a str> {
        let start = self.attributes.match_indices(name).find(|(at, _)| {
            let before = self.attributes[..*at].chars().next_back().is_none_or(|letter| letter == ' ');
            before && self.attributes[at + name.len()..].starts_with("=\"")
        })?;
        let value = &self.attributes[start.0 + name.len() + 2..];
        value.split('"').next()
    }

    /// The same as a number.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.attribute(name)?.parse().ok()
    }
}

/// All of them, in their order. A text is one element; others are open until they are closed.
pub(super) fn elements(svg: &str) -> Vec<Element<'_>> {
    let mut found: Vec<Element<'_>> = vec![];
    for piece in svg.split('<').skip(1) {
        let (tag, after) = piece.split_once('>').unwrap_or((piece, ""));
        if let Some(name) = tag.strip_prefix('/') {
            if name != "text" {
                found.push(Element { name, attributes: "", opens: false, closes: true, text: String::new() });
            }
            continue;
        }
        let alone = tag.ends_with('/');
        let (name, attributes) = tag.trim_end_matches('/').split_once(' ').unwrap_or((tag, ""));
        let is_text = name == "text";
        let text = if is_text { unescaped(after) } else { String::new() };
        found.push(Element { name, attributes, opens: !alone && !is_text, closes: false, text });
    }
    found
}

/// Text as it was before it was escaped.
fn unescaped(text: &str) -> String {
    let marks = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    marks.iter().fold(text.to_string(), |text, (mark, letter)| text.replace(mark, letter))
}
