//! Pictures: well-formed, finite, deterministic, whole on disk.

mod figures;
mod fits;
mod models;
mod raster;
mod regions;
mod saving;

/// The numbers and tags of a picture, checked as far as a reader would: tags that close, no NaN, no infinity.
#[track_caller]
fn check(svg: &str) {
    let mut open: Vec<&str> = vec![];
    for (at, _) in svg.match_indices('<') {
        let tag = &svg[at + 1..at + svg[at..].find('>').expect("a tag that ends")];
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
        assert!(tag.matches('"').count().is_multiple_of(2), "{tag}");
        match (tag.starts_with('/'), tag.ends_with('/')) {
            (true, _) => assert_eq!(open.pop(), Some(name)),
            (false, true) => {}
            (false, false) => open.push(name),
        }
    }
    assert!(open.is_empty(), "{open:?} stayed open");
    assert!(!svg.contains("NaN") && !svg.contains("inf\"") && !svg.contains("inf "), "a number that is none");
    assert!(
        !svg.replace("&amp;", "")
            .replace("&lt;", "")
            .replace("&gt;", "")
            .replace("&quot;", "")
            .replace("&#39;", "")
            .contains('&')
    );
}

fn count(svg: &str, what: &str) -> usize {
    svg.matches(what).count()
}
