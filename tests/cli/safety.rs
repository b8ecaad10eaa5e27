//! What must not happen to files: killed, interrupted, full disks, folders that cannot be written, closed pipes.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::{Folder, gristmill, read, refused, run, text};

/// A CSV file of numbers that look random, in columns c0, c1, ….
fn numbers(folder: &Folder, name: &str, rows: u32, columns: u32) -> String {
    let cell = |row: u32, column: u32| (row * columns + column).wrapping_mul(2_654_435_761) >> 16;
    let line = |row: u32| (0..columns).map(|column| cell(row, column).to_string()).collect::<Vec<_>>().join(",");
    let header = (0..columns).map(|column| format!("c{column}")).collect::<Vec<_>>().join(",");
    folder.file(name, format!("{header}\n{}", (0..rows).map(|row| line(row) + "\n").collect::<String>()))
}

#[test]
fn a_save_that_is_killed_leaves_the_old_file_or_the_new() {
    let folder = Folder::new();
    let (data, model) = (numbers(&folder, "x.csv", 20_000, 8), folder.path("model.gm"));
    let save = |neighbors: u32, path: &str| {
        let set = format!("n_neighbors={neighbors}");
        let fit = ["fit", "kneighbors-regressor", &data, "--target", "1", "--device", "cpu", "--set", &set];
        let mut command = gristmill(&[&fit[..], &["--save", path]].concat());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let whole: Vec<Vec<u8>> = [3, 4]
        .map(|neighbors| {
            assert!(save(neighbors, &model).status().unwrap().success());
            std::fs::read(&model).unwrap()
        })
        .to_vec();
    let begun = Instant::now();
    assert!(save(3, &model).status().unwrap().success());
    // How long to wait is learned: a little longer after a kill that came too early, shorter after one too late.
    let (mut wait, mut state) = (begun.elapsed().as_secs_f64(), 88_172_645_463_325_252_u64);
    let (mut kills, mut complete) = (0, 0);
    let begun = Instant::now();
    // Two hundred, on a machine that has time for them.
    while kills < 200 && (kills < 25 || begun.elapsed() < Duration::from_secs(15)) {
        let before = std::fs::read(&model).unwrap();
        let neighbors = if before == whole[0] { 4 } else { 3 };
        let mut child = save(neighbors, &model).spawn().unwrap();
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let jitter = 0.9 + 0.2 * (state >> 11) as f64 / (1_u64 << 53) as f64;
        std::thread::sleep(Duration::from_secs_f64(wait * jitter));
        child.kill().unwrap();
        child.wait().unwrap();
        let after = std::fs::read(&model).unwrap();
        assert!(whole.contains(&after), "kill {kills}: {} bytes, torn", after.len());
        wait *= if after == before { 1.03 } else { 0.97 };
        (kills, complete) = (kills + 1, complete + u32::from(after != before));
    }
    let torn = folder.names().iter().filter(|name| name.ends_with(".tmp")).count();
    println!("{kills} kills: {complete} after the save, {torn} in its midst");
    assert!(complete > 0 && complete < kills, "{complete} of {kills}");
    assert!(save(3, &model).status().unwrap().success(), "what killed processes left behind is in the way");
    let left = std::fs::read_dir(std::path::Path::new(&model).parent().unwrap()).unwrap();
    let left = left.filter(|entry| entry.as_ref().unwrap().path().extension().is_some_and(|end| end == "tmp")).count();
    assert_eq!(left, 0, "the next save removes what killed ones left behind");
    run(&["inspect", &model]);
}

/// Waits for an end that must come.
fn end_of(mut child: Child) -> std::process::Output {
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            panic!("it did not end");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.wait_with_output().unwrap()
}

fn signal(child: &Child, signal: &str) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

/// A fit that would take hours, interrupted after a while.
fn interrupted(arguments: &[&str], wait: f64) -> std::process::Output {
    signalled(arguments, wait, "-INT")
}

fn signalled(arguments: &[&str], wait: f64, with: &str) -> std::process::Output {
    let mut command = gristmill(arguments);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_secs_f64(wait));
    signal(&child, with);
    end_of(child)
}

#[test]
fn sigterm_ends_a_fit_as_ctrl_c_does() {
    let folder = Folder::new();
    let (data, model) = (numbers(&folder, "x.csv", 2000, 8), folder.path("model.gm"));
    let set = ["--set", "n_clusters=50", "--set", "init=random", "--set", "n_init=100000000", "--device", "cpu"];
    let fit = [&["fit", "kmeans", &data], &set[..], &["--save", &model]].concat();
    for wait in [1.0, 3.0, 9.0] {
        let output = signalled(&fit, wait, "-TERM");
        if output.status.code() == Some(130) {
            continue;
        }
        assert_eq!(output.status.code(), Some(0), "{}", text(&output).1);
        run(&["predict", &model, &data]);
        return;
    }
    panic!("it never came to the fit");
}

#[test]
fn an_interrupted_fit_saves_what_there_is() {
    let folder = Folder::new();
    let (data, model) = (numbers(&folder, "x.csv", 2000, 8), folder.path("model.gm"));
    let set = ["--set", "n_clusters=50", "--set", "init=random", "--set", "n_init=100000000", "--device", "cpu"];
    let fit = [&["fit", "kmeans", &data], &set[..]].concat();
    // A slow machine may still be starting: then it ends at once, and is asked again later.
    for wait in [1.0, 3.0, 9.0] {
        let output = interrupted(&[&fit[..], &["--save", &model, "--json"]].concat(), wait);
        if output.status.code() == Some(130) {
            continue;
        }
        let (shown, errors) = text(&output);
        assert_eq!(output.status.code(), Some(0), "{errors}");
        assert!(errors.contains("stopping") && errors.contains("saved to") && errors.contains("model.gm"), "{errors}");
        let report: serde_json::Value = serde_json::from_str(&shown).unwrap();
        assert_eq!(report["stopped"], true);
        run(&["predict", &model, &data]);
        let output = interrupted(&[&fit[..], &["--split", "0.8"]].concat(), wait);
        let (shown, errors) = text(&output);
        assert_eq!(output.status.code(), Some(0), "{errors}");
        assert_eq!(errors.matches("not saved").count(), 1, "{errors}");
        assert!(shown.contains("400 rows scored"), "{shown}{errors}");
        return;
    }
    panic!("it never came to the fit");
}

#[test]
fn a_stream_that_is_interrupted_saves_what_there_is() {
    let folder = Folder::new();
    let (data, model) = (numbers(&folder, "x.csv", 200_000, 8), folder.path("model.gm"));
    let set = ["--set", "n_clusters=256", "--chunk-rows", "256", "--device", "cpu", "--threads", "1"];
    for wait in [0.3, 0.1, 1.0, 3.0] {
        let fit = [&["fit", "mini-batch-kmeans", &data], &set[..], &["--save", &model, "--json"]].concat();
        let output = interrupted(&fit, wait);
        let (shown, errors) = text(&output);
        match output.status.code() {
            Some(0) if errors.contains("saved to") => {
                let report: serde_json::Value = serde_json::from_str(&shown).unwrap();
                assert!(report["rows"].as_u64().unwrap() < 200_000);
                run(&["inspect", &model]);
                return;
            }
            Some(0 | 130) => continue,
            other => panic!("{other:?}: {errors}"),
        }
    }
    println!("the fit was always too early or too late to be interrupted");
}

#[test]
fn a_read_only_file_stays_as_it_was() {
    let folder = Folder::new();
    for (name, flag) in [("model.gm", "--save"), ("picture.svg", "--plot")] {
        let path = folder.file(name, "precious");
        let mut permissions = std::fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(true);
        std::fs::set_permissions(&path, permissions).unwrap();
        let errors = refused(1, &["fit", "kmeans", "data/iris.csv", "--drop", "species", flag, &path]);
        assert!(errors.contains(name) && errors.contains("read-only"), "{errors}");
        assert_eq!(read(&path), "precious");
    }
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let inside = folder.path("closed");
    std::fs::create_dir(&inside).unwrap();
    std::fs::write(format!("{inside}/model.gm"), "precious").unwrap();
    std::fs::set_permissions(&inside, std::fs::Permissions::from_mode(0o555)).unwrap();
    let path = format!("{inside}/model.gm");
    // Root may write anywhere; then there is nothing to see here.
    if std::fs::write(format!("{inside}/probe"), "").is_err() {
        let errors = refused(1, &["fit", "kmeans", "data/iris.csv", "--drop", "species", "--save", &path]);
        assert!(errors.contains("model.gm"), "{errors}");
        assert_eq!(read(&path), "precious");
    }
    std::fs::set_permissions(&inside, std::fs::Permissions::from_mode(0o755)).unwrap();
    let errors = refused(1, &["fit", "kmeans", "data/iris.csv", "--drop", "species", "--save", "/proc/model.gm"]);
    assert!(errors.contains("/proc/model.gm"), "{errors}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_and_the_old_file_stays() {
    let folder = Folder::new();
    let (data, model, out) = (numbers(&folder, "x.csv", 20_000, 8), folder.path("model.gm"), folder.path("out.csv"));
    let good = folder.path("good.gm");
    let fit = ["fit", "kneighbors-regressor", &data, "--target", "1", "--set", "n_neighbors=1", "--device", "cpu"];
    run(&[&fit[..], &["--save", &good]].concat());
    std::fs::write(&model, "precious").unwrap();
    std::fs::write(&out, "precious").unwrap();
    let before = folder.names();
    // No file may grow beyond some blocks, and the signal that would say so is ignored: writing fails half-way.
    let limited = |arguments: &[&str]| {
        let mut command = Command::new("sh");
        command.args(["-c", "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_gristmill")]);
        command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap()
    };
    let output = limited(&[&fit[..], &["--save", &model]].concat());
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).1.contains("model.gm: cannot be written"), "{}", text(&output).1);
    let output = limited(&["predict", &good, &data, "--out", &out, "--device", "cpu"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).1.contains("out.csv: cannot be written"), "{}", text(&output).1);
    assert_eq!((read(&model).as_str(), read(&out).as_str()), ("precious", "precious"));
    assert_eq!(folder.names(), before, "something was left behind");

    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    for arguments in [&["predict", &good, &data][..], &["data", "data/iris.csv"], &["models", "--json"]] {
        let output = gristmill(arguments).stdout(full()).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(text(&output).1.contains("standard output: cannot be written"), "{}", text(&output).1);
    }
    assert!(refused(1, &["predict", &good, &data, "--out", "/dev/full"]).contains("/dev/full"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_really_full_leaves_the_old_file() {
    let folder = Folder::new();
    let (data, disk) = (numbers(&folder, "x.csv", 20_000, 8), folder.path("disk"));
    std::fs::create_dir(&disk).unwrap();
    let script = "mount -t tmpfs -o size=64k none \"$1\" || exit 77; echo precious > \"$1/model.gm\"; \
                  \"$2\" fit kneighbors-regressor \"$3\" --target 1 --device cpu --save \"$1/model.gm\"; \
                  echo \"exit $?\"; cat \"$1/model.gm\"; ls -A \"$1\"";
    let arguments = ["-rm", "sh", "-c", script, "sh", &disk, env!("CARGO_BIN_EXE_gristmill"), &data];
    // A disk of its own in a namespace of its own, where the system lets us have one.
    match Command::new("unshare").args(arguments).output() {
        Ok(output) if output.status.success() => {
            let (shown, errors) = text(&output);
            assert_eq!(shown, "exit 1\nprecious\nmodel.gm\n", "{errors}");
            assert!(errors.contains("model.gm") && errors.contains("No space left"), "{errors}");
        }
        _ => println!("no disk of our own here"),
    }
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let folder = Folder::new();
    let (data, model) = (numbers(&folder, "x.csv", 20_000, 4), folder.path("model.gm"));
    run(&["fit", "kmeans", &data, "--save", &model]);
    for arguments in [&["predict", &model, &data][..], &["models"], &["fit", "kmeans", &data, "--json"]] {
        let mut child = gristmill(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), text(&output).1.as_str()), (Some(0), ""), "{arguments:?}");
    }
}

#[test]
fn an_output_that_is_an_input_is_refused_and_left_alone() {
    let folder = Folder::new();
    let data = folder.file("iris.csv", std::fs::read_to_string("data/iris.csv").unwrap());
    let (model, boosted) = (folder.path("m.gm"), folder.path("b.gm"));
    run(&["fit", "standard-scaler", &data, "--drop", "species", "--save", &model]);
    let boosting = ["fit", "gradient-boosting-classifier", &data, "--target", "species", "--set", "n_estimators=2"];
    run(&[&boosting[..], &["--save", &boosted]].concat());
    let svg = folder.file("rows.svg", std::fs::read_to_string("data/iris.csv").unwrap());
    let winding = folder.path("../").to_string() + &model[model.rfind("gristmill-cli").unwrap()..];
    let fit = ["fit", "kmeans", &data, "--drop", "species", "--set", "n_clusters=2"];
    let cases: [&[&str]; 9] = [
        &[&fit[..], &["--save", &data]].concat(),
        &["fit", "kmeans", &svg, "--drop", "species", "--set", "n_clusters=2", "--plot", &svg],
        &[&fit[..], &["--save", "same.svg", "--plot", "same.svg"]].concat(),
        &["cv", "kneighbors-classifier", &data, "--target", "species", "--save", &data],
        &["predict", &boosted, &data, "--out", &boosted],
        &["predict", &boosted, &data, "--out", &data],
        &["transform", &model, &data, "--out", &winding],
        &["export", &boosted, &boosted],
        &["evaluate", &boosted, &svg, "--plot", &svg],
    ];
    let before = [&data, &model, &boosted, &svg].map(|path| std::fs::read(path).unwrap());
    for case in cases {
        let errors = super::refused(2, case);
        assert!(errors.contains("write to another"), "{case:?}: {errors}");
    }
    assert_eq!([&data, &model, &boosted, &svg].map(|path| std::fs::read(path).unwrap()), before);
}
