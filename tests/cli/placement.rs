//! Which device is chosen and why, and what doctor says of it.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{gristmill, json, refused, run, text};

fn parsed(shown: &str) -> Value {
    serde_json::from_str(shown).unwrap()
}

/// The jobs of `bench --predict` that go to the GPU, by card.
fn on_gpu(card: &str) -> BTreeSet<String> {
    let report = parsed(&run(&["bench", "--predict", card, "--json"]).0);
    assert_eq!(report["prediction"], true);
    let jobs = report["predictions"].as_array().unwrap().iter();
    let on_gpu = jobs.filter(|job| job["device"] == "gpu").map(|job| job["job"].as_str().unwrap().to_string());
    on_gpu.collect()
}

#[test]
fn on_every_card_small_work_stays_on_the_cpu_and_large_tiles_go_to_the_gpu() {
    for card in ["RTX 4070", "RX 7800 XT", "M2", "Arc A770", "UHD 620"] {
        let chosen = on_gpu(card);
        for stays in ["k-means, iris", "5-NN, digits", "ridge, 500k×128"] {
            assert!(!chosen.contains(stays), "{stays} on {card}");
        }
        // Forests have been worth it since all their nodes are searched on the device.
        let forest = "forest, 100k×28, 100 trees";
        for goes in ["5-NN, 60k×784, 10k queries", "k-means, 10⁶×32, k = 1024", forest] {
            assert_eq!(chosen.contains(goes), card != "UHD 620", "{goes} on {card}");
        }
    }
}

#[test]
fn a_prediction_says_that_it_is_one_and_knows_its_cards() {
    let (shown, _) = run(&["bench", "--predict", "4070"]);
    assert!(shown.starts_with("PREDICTION, not a measurement: RTX 4070"), "{shown}");
    let refused = refused(2, &["bench", "--predict", "Voodoo"]);
    assert!(refused.contains("--predict") && refused.contains("UHD 620"), "{refused}");
}

#[test]
fn a_report_says_where_the_work_ran_and_why() {
    let fit = ["fit", "kmeans", "data/iris.csv", "--drop", "species"];
    let named = json(&fit);
    assert_eq!((named["device"].as_str(), named["why"].as_str()), (Some("CPU"), Some("asked for by name")));
    let arguments = [&fit[..], &["--json"]].concat();
    let variable = gristmill(&arguments).env("GRISTMILL_DEVICE", "cpu").output().unwrap();
    assert_eq!(parsed(&text(&variable).0)["why"], "GRISTMILL_DEVICE names it");
    let auto = parsed(&run(&[&arguments[..], &["--device", "auto"]].concat()).0);
    assert_eq!(auto["device"], "CPU", "iris stays on the CPU");
    let why = auto["why"].as_str().unwrap();
    assert!(why == "there is no hardware GPU" || why.starts_with("too little work for a GPU"), "{why}");
    let cv = json(&["cv", "kneighbors-classifier", "data/iris.csv", "--target", "species"]);
    assert_eq!(cv["why"], "asked for by name");
}

#[test]
fn doctor_passes_the_gpu_and_keeps_what_it_measured() {
    let folder = std::env::temp_dir().join(format!("gristmill-doctor-{}", std::process::id()));
    let output = gristmill(&["doctor", "--json"]).env("XDG_CACHE_HOME", &folder).output().unwrap();
    let (shown, errors) = text(&output);
    assert!(output.status.success(), "{shown} {errors}");
    let report = parsed(&shown);
    assert_eq!(report["passed"], true);
    let checks: Vec<&str> =
        report["checks"].as_array().unwrap().iter().map(|check| check["name"].as_str().unwrap()).collect();
    for name in ["atomics", "workgroup barriers", "storage barriers", "denormals", "elementary functions", "product"] {
        assert!(checks.contains(&name), "{name}");
    }
    for rate in ["tile_gflops", "stream_gb_s", "upload_gb_s", "sync_us"] {
        assert!(report["speeds"]["gpu"][rate].as_f64().unwrap() > 0.0, "{rate}");
    }
    let kept = std::fs::read_to_string(folder.join("gristmill/devices.json")).unwrap();
    let kept = parsed(&kept);
    let (key, gpu) = kept["gpu"].as_object().unwrap().iter().next().unwrap();
    assert!(key.contains(report["device"]["name"].as_str().unwrap()), "{key}");
    assert!(key.contains(report["device"]["driver"].as_str().unwrap()), "{key}");
    assert_eq!(gpu["failed"].as_array().map(Vec::len), Some(0));
    assert_eq!(kept["version"], env!("CARGO_PKG_VERSION"));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn doctor_reports_a_failure_once_and_needs_no_cache() {
    // No folder can be made below a file.
    let nowhere = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml/cache");
    let output = gristmill(&["doctor", "--json", "--fail", "atomics"]).env("XDG_CACHE_HOME", nowhere).output().unwrap();
    let (shown, errors) = text(&output);
    assert_eq!(output.status.code(), Some(1));
    let report = parsed(&shown);
    assert_eq!(report["passed"], false);
    assert!(errors.contains("checks failed: atomics"), "{errors}");
    let output = gristmill(&["doctor", "--fail", "product"]).env("XDG_CACHE_HOME", nowhere).output().unwrap();
    let (shown, _) = text(&output);
    assert!(shown.contains("FAILED") && shown.contains("the CPU does its work"), "{shown}");
}
