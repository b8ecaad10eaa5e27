//! `gristmill lectures`.

use super::{Folder, json, refused, run};

#[test]
fn a_chapter_is_reproduced_with_its_page() {
    let folder = Folder::new();
    let pictures = folder.path("pictures");
    let found = json(&["lectures", "--chapter", "classifiers", "--plot", &pictures]);
    let chapter = &found["chapters"][0];
    assert_eq!(chapter["title"], "Linear classifiers and margins");
    let experiments = chapter["experiments"].as_array().unwrap();
    assert!(experiments.len() >= 4);
    for one in experiments {
        assert!(["place", "title", "notes", "ours"].iter().all(|key| !one[*key].as_str().unwrap().is_empty()), "{one}");
    }
    let page = std::fs::read_to_string(format!("{pictures}/lectures.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<svg") && page.contains("perceptron"));
    assert!(!page.contains("http://") || page.contains("http://www.w3.org/2000/svg"));
}

#[test]
fn trees_and_images_have_their_chapters() {
    let (shown, _) = run(&["lectures", "--chapter", "trees"]);
    assert!(shown.contains("outlook 0.2467") || shown.to_lowercase().contains("outlook 0.2467"), "{shown}");
    let error = refused(1, &["lectures", "--chapter", "trees", "--mnist", "no-such-folder"]);
    assert!(error.contains("MNIST is not part of the crate"), "{error}");
}
