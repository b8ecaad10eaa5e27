//! Devices, benches and the tour.

use std::process::Command;

use super::{gristmill, text};

/// No driver is found, as on a machine that has none.
fn without_driver(command: &mut Command) -> &mut Command {
    command.env("VK_DRIVER_FILES", "nothing.json").env("VK_ICD_FILENAMES", "nothing.json")
}

#[test]
fn devices_shows_the_cpu_and_the_adapter_with_one_default() {
    let output = gristmill(&["devices"]).output().unwrap();
    let (shown, _) = text(&output);
    assert!(output.status.success());
    for word in ["CPU", "backend", "driver", "subgroup", "* the default"] {
        assert!(shown.contains(word), "{word} in {shown}");
    }
}

#[test]
fn devices_as_json_has_every_field() {
    let output = gristmill(&["devices", "--json"]).output().unwrap();
    let devices: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let devices = devices.as_array().unwrap();
    assert!(devices.len() >= 2, "the tests need a GPU or a software driver");
    assert_eq!(devices[0]["kind"], "cpu");
    let defaults = devices.iter().filter(|device| device["default"] == true).count();
    assert_eq!(defaults, 1);
    for key in ["backend", "driver", "kind", "subgroup_sizes", "max_binding_bytes", "max_buffer_bytes"] {
        assert!(devices[1].get(key).is_some(), "{key}");
    }
}

#[test]
fn the_instruction_set_is_shown_and_can_be_chosen() {
    let mut command = gristmill(&["devices", "--json"]);
    let output = command.env("GRISTMILL_SIMD", "scalar").output().unwrap();
    let devices: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(devices[0]["driver"].as_str().unwrap().starts_with("scalar, "), "{devices}");
    let output = gristmill(&["devices"]).env("GRISTMILL_SIMD", "avx9000").output().unwrap();
    let (_, errors) = text(&output);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors.contains("GRISTMILL_SIMD") && errors.contains("scalar") && errors.contains("avx9000"), "{errors}");
}

#[test]
fn bench_as_json_has_the_promised_form() {
    let arguments = ["bench", "sum", "--json", "--seconds", "0.01", "--compare", "cpu,gpu,portable"];
    let output = gristmill(&arguments).output().unwrap();
    let (shown, errors) = text(&output);
    assert!(output.status.success(), "{errors}");
    let report: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert!(report["machine"]["peak_gflops"].as_f64().unwrap() > 0.0);
    assert!(report["machine"]["simd"].is_string());
    assert!(report["machine"]["peak_gb_s"].as_f64().unwrap() > 0.0);
    let results = report["results"].as_array().unwrap();
    let lines_of = |device: &str| results.iter().filter(|line| line["device"] == device).count();
    assert!(lines_of("cpu") > 0 && lines_of("cpu") == lines_of("gpu") && lines_of("gpu") == lines_of("portable"));
    for line in results {
        assert!(line["min_s"].as_f64().unwrap() <= line["median_s"].as_f64().unwrap());
        assert!(line["gb_s"].as_f64().unwrap() > 0.0 && line["share"].as_f64().unwrap() > 0.0);
        assert!(line["kernel"].is_string() && line["size"].is_string());
    }
}

#[test]
fn bench_as_markdown_is_a_table_and_profile_adds_the_counts() {
    let arguments = ["bench", "sum", "--markdown", "--seconds", "0.01", "--profile"];
    let (shown, errors) = text(&gristmill(&arguments).output().unwrap());
    assert!(shown.starts_with("| kernel |") && shown.contains("|---|"), "{shown} {errors}");
    assert!(shown.contains("submits") && shown.contains("read-backs"), "{shown}");
}

#[test]
fn a_wrong_filter_names_the_kernels() {
    let output = gristmill(&["bench", "nothing-like-this"]).output().unwrap();
    let (_, errors) = text(&output);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors.contains("linalg/gemm"), "{errors}");
}

#[test]
fn wrong_usage_ends_with_2_and_a_hint() {
    let output = gristmill(&["devces"]).output().unwrap();
    let (_, errors) = text(&output);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors.contains("devices"), "{errors}");
}

#[test]
fn without_a_driver_the_cpu_does_everything() {
    let output = without_driver(&mut gristmill(&["devices"])).output().unwrap();
    let (shown, _) = text(&output);
    assert!(output.status.success() && shown.contains("No GPU driver found"), "{shown}");
    let output = without_driver(&mut gristmill(&["tour"])).output().unwrap();
    let (shown, errors) = text(&output);
    assert!(output.status.success() && shown.contains("On the CPU alone"), "{shown} {errors}");
}

#[test]
fn asking_for_a_gpu_that_is_not_there_says_what_to_do() {
    let mut command = gristmill(&["bench", "sum", "--device", "gpu", "--seconds", "0.01"]);
    let output = without_driver(&mut command).output().unwrap();
    let (_, errors) = text(&output);
    assert_eq!(output.status.code(), Some(1));
    assert!(errors.contains("Install a Vulkan driver") && errors.contains("GRISTMILL_DEVICE=cpu"), "{errors}");
}

#[test]
fn the_variable_chooses_the_default_and_the_flag_wins_over_it() {
    let default_of = |command: &mut Command| {
        let devices: serde_json::Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
        devices.as_array().unwrap().iter().position(|device| device["default"] == true)
    };
    assert_eq!(default_of(gristmill(&["devices", "--json"]).env("GRISTMILL_DEVICE", "cpu")), Some(0));
    assert_eq!(default_of(gristmill(&["devices", "--json"]).env("GRISTMILL_DEVICE", "1")), Some(1));
    let flagged = gristmill(&["tour", "--device", "cpu"]).env("GRISTMILL_DEVICE", "gpu").output().unwrap();
    assert!(text(&flagged).0.contains("On the CPU alone"));
    let wrong = gristmill(&["tour"]).env("GRISTMILL_DEVICE", "no such card").output().unwrap();
    assert_eq!(wrong.status.code(), Some(1));
    assert!(text(&wrong).1.contains("no such card"));
}

#[test]
fn a_closed_pipe_is_no_crash() {
    use std::process::Stdio;
    let mut child = gristmill(&["tour"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    let (_, errors) = text(&output);
    assert!(!errors.contains("panicked"), "{errors}");
}

#[test]
fn the_tour_shows_trees_and_ensembles_draws_them_and_speaks_json() {
    let folder = super::Folder::new();
    let pictures = folder.path("pictures");
    let told = super::json(&["tour", "--plot", &pictures]);
    let sections = told["sections"].as_array().unwrap();
    assert!(sections.len() > 6 && told["devices"].as_array().is_some_and(|devices| !devices.is_empty()));
    let fact = |name: &str| {
        let found = sections.iter().find_map(|section| section["facts"][name].as_str());
        found.unwrap_or_else(|| panic!("{name} in {told}")).to_string()
    };
    assert!(fact("out-of-bag score").contains("% right"));
    assert!(fact("variance of an average").starts_with("ρσ² + (1 − ρ)σ²/B"));
    assert!(fact("warm start").ends_with("the same bytes as 40 at once"));
    assert!(fact("monotone in bmi").starts_with("falls in 0 places"));
    assert!(fact("LightGBM's format").contains("LightGBM loads"));
    let kernels = |section: &serde_json::Value| section["rows"].to_string().contains("tree/forest/target_histogram");
    assert!(sections.iter().any(kernels) && told.to_string().contains("StackingClassifier"));
    let line = |words: &str| sections.iter().any(|section| section["lines"].to_string().contains(words));
    assert!(line("outlook? (0.247 bits)") && line("petal_length ≤ 2.45"), "{told}");
    let mut names: Vec<String> =
        std::fs::read_dir(&pictures).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let expected = [
        "bayesian_line.svg",
        "decision_views.svg",
        "density_views.svg",
        "ensemble_regions.svg",
        "kernel_ridge_fits.svg",
        "kernel_views.svg",
        "linear_views.svg",
        "network_studies.svg",
        "play_tennis.svg",
        "regression_views.svg",
        "representation_views.svg",
        "svm_margins.svg",
        "tree.svg",
        "tree_curves.svg",
        "tree_regions.svg",
    ]
    .map(String::from);
    assert_eq!(names, expected);
    let svg = super::read(format!("{pictures}/ensemble_regions.svg"));
    assert!(svg.contains("AdaBoost, 50 trees") && svg.contains("bagging, 1 tree:"));
}
