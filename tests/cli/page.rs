//! `--report`: one page of HTML.

use super::{Folder, json, read, refused, run};

/// Every element of a page that is opened is closed, in its order.
#[track_caller]
fn check(page: &str) {
    let alone = ["meta", "!DOCTYPE"];
    let mut open: Vec<&str> = vec![];
    let body = page.split("</style>").nth(1).unwrap();
    for piece in body.split('<').skip(1) {
        let tag = piece.split('>').next().unwrap();
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap();
        match (tag.starts_with('/'), tag.ends_with('/') || alone.contains(&name)) {
            (true, _) => {
                let last = open.pop();
                assert!(last == Some(name) || (last.is_none() && ["head", "html", "body"].contains(&name)), "{tag}");
            }
            (false, true) => {}
            (false, false) => open.push(name),
        }
    }
    assert!(!page.contains("NaN") && !page.contains("src=") && !page.contains("href="), "nothing from elsewhere");
}

#[test]
fn a_fit_is_reported_on_one_page() {
    let folder = Folder::new();
    let path = folder.path("cancer.html");
    let fit = ["fit", "gradient-boosting-classifier", "data/breast_cancer.csv", "--target", "diagnosis"];
    let report = json(&[&fit[..], &["--split", "0.8", "--seed", "3", "--report", &path]].concat());
    assert_eq!(report["report"], path.as_str());
    let page = read(&path);
    check(&page);
    for word in
        ["gradient-boosting-classifier", "diagnosis from 30 columns of 569 rows", "Of 114 rows", "learning_rate"]
    {
        assert!(page.contains(word), "{word}");
    }
    for word in
        ["<h2>Scores", "<h2>Classes", "<h2>Importances", "<h2>Pictures", "<h2>Parameters", "ROC curve", "--seed 3"]
    {
        assert!(page.contains(word), "{word}");
    }
    assert!(page.contains("The top 20 of 30") && page.matches("<svg ").count() > 3);
    assert_eq!(folder.names(), ["cancer.html"]);
}

#[test]
fn names_of_a_file_cannot_write_into_the_page() {
    let folder = Folder::new();
    let row = |row: usize| format!("{row},{}\n", if row.is_multiple_of(2) { "<b>&\"x\"" } else { "plain" });
    let data =
        folder.file("odd.csv", "<script>alert(1)</script>,kind\n".to_string() + &(0..40).map(row).collect::<String>());
    let (path, model) = (folder.path("odd.html"), folder.path("odd.gm"));
    run(&["fit", "decision-tree-classifier", &data, "--target", "kind", "--report", &path, "--save", &model]);
    let page = read(&path);
    check(&page);
    assert!(!page.contains("<script>") && page.contains("&lt;script&gt;"));
    run(&["evaluate", &model, &data, "--report", &path, "--permutation-importance", "2"]);
    assert!(read(&path).contains("<h2>Permuted columns"));
}

#[test]
fn other_tasks_have_a_page_and_other_names_are_refused() {
    let folder = Folder::new();
    let path = folder.path("page.html");
    for fit in [
        &["fit", "kmeans", "data/iris.csv", "--drop", "species"][..],
        &["fit", "ridge", "data/diabetes.csv", "--target", "progression", "--split", "0.8"],
        &["fit", "standard-scaler", "data/iris.csv", "--drop", "species"],
    ] {
        run(&[fit, &["--report", &path]].concat());
        check(&read(&path));
    }
    let fit = ["fit", "kmeans", "data/iris.csv", "--drop", "species", "--report"];
    assert!(refused(2, &[&fit[..], &["page.pdf"]].concat()).contains(".html"));
    assert!(refused(2, &[&fit[..], &["data/iris.csv"]].concat()).contains("reads too"));
}
