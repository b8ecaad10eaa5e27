//! `gristmill text`.

use super::{Folder, json, refused, run};

#[test]
fn a_model_is_fitted_scored_and_sampled() {
    let folder = Folder::new();
    let model = folder.path("letters.gm");
    let fitted = json(&["text", "fit", &model, "LICENSE-MIT", "--tokens", "characters", "--order", "4"]);
    assert_eq!(fitted["ngrams"].as_array().unwrap().len(), 4);
    assert!(fitted["tokens"].as_u64().unwrap() > 900 && fitted["saved"] == model);
    let score = json(&["text", "score", &model, "LICENSE-MIT"]);
    assert!(score["perplexity"].as_f64().unwrap() < 3.0, "{score}");
    let (shown, _) = run(&["text", "score", &model, "LICENSE-MIT"]);
    assert!(shown.contains("perplexity") && shown.contains("a token"), "{shown}");
    let sample = |seed: &str| run(&["text", "sample", &model, "--prompt", "The ", "--length", "40", "--seed", seed]).0;
    assert!(sample("1").starts_with("The ") && sample("1") == sample("1") && sample("1") != sample("2"));
    assert!(
        run(&["inspect", &model, "--tensors"]).0.contains("ngram") && json(&["inspect", &model])["kind"] == "ngram"
    );
    let words = folder.path("words.gm");
    let (shown, _) = run(&["text", "fit", &words, "LICENSE-MIT", "--smoothing", "add-k", "--k", "0.5"]);
    assert!(shown.contains("tokens") && shown.contains("n-grams"), "{shown}");
}

#[test]
fn what_cannot_be_done_is_said_with_its_place() {
    let folder = Folder::new();
    let (model, text, broken) = (folder.path("a.gm"), folder.path("a.txt"), folder.path("b.txt"));
    std::fs::write(&text, "one two\ntwo one\n").unwrap();
    std::fs::write(&broken, b"one\ntwo \xff\n").unwrap();
    assert!(refused(1, &["text", "fit", &model, &broken]).contains("line 2: byte 5"));
    std::fs::write(&broken, "\n\n").unwrap();
    assert!(refused(1, &["text", "fit", &model, &broken]).contains("no tokens"));
    run(&["text", "fit", &model, &text, "--order", "2"]);
    std::fs::write(&broken, "one two\none three\n").unwrap();
    let unknown = refused(1, &["text", "score", &model, &broken]);
    assert!(unknown.contains("line 2") && unknown.contains("token 2, \"three\""), "{unknown}");
    assert!(refused(2, &["text", "fit", &model, &text, "--order", "0"]).contains("order must be from 1"));
    assert!(
        refused(2, &["text", "fit", &model, &text, "--smoothing", "add-k", "--discount", "0.5"]).contains("--discount")
    );
    assert!(refused(2, &["text", "fit", &text, &text]).contains("write to another"));
    assert!(refused(2, &["text", "sample", &model, "--temperature", "0"]).contains("temperature"));
    assert!(refused(1, &["text", "score", "no.gm", &text]).contains("no.gm"));
}

#[test]
fn a_network_is_learnt_scored_and_sampled() {
    let folder = Folder::new();
    let (model, picture) = (folder.path("net.gm"), folder.path("vectors.svg"));
    let small = ["--units", "16", "--width", "8", "--epochs", "2", "--steps", "16", "--batch-size", "4"];
    for kind in ["window", "recurrent", "gru", "lstm"] {
        let fit = ["text", "fit", &model, "LICENSE-MIT", "--model", kind, "--tokens", "characters", "--plot", &picture];
        let fitted = json(&[&fit[..], &small[..]].concat());
        assert_eq!(fitted["model"], kind);
        assert_eq!(fitted["losses"].as_array().unwrap().len(), 2);
        assert!(super::read(&picture).contains("space"));
        let score = json(&["text", "score", &model, "LICENSE-MIT"]);
        assert!(score["perplexity"].as_f64().unwrap() < 60.0, "{score}");
        let sample = || run(&["text", "sample", &model, "--prompt", "The ", "--length", "20", "--seed", "1"]).0;
        assert!(sample().starts_with("The ") && sample() == sample());
        assert_eq!(json(&["inspect", &model])["kind"], "neural-language");
    }
    let shown = run(&[&["text", "fit", &model, "LICENSE-MIT", "--model", "gru"][..], &small[..]].concat()).0;
    assert!(shown.contains("parameters") && shown.contains("perplexity"), "{shown}");
    assert!(refused(2, &["text", "fit", &model, "LICENSE-MIT", "--plot", &picture]).contains("--plot"));
    assert!(refused(2, &["text", "fit", &model, "LICENSE-MIT", "--model", "gru", "--units", "6"]).contains("units"));
}
