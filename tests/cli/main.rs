//! The command, run as a person would run it.

mod bound;
mod choose;
mod config;
mod cv;
mod data;
mod decide;
mod dialect;
mod engine;
mod evaluate;
mod explain;
mod export;
mod files;
mod fit;
mod folds;
mod help;
mod inspect;
mod large_numbers;
mod lectures;
mod models;
mod page;
mod pictures;
mod placement;
mod predict;
mod refit;
mod report;
mod safety;
mod sparse;
mod steps;
mod stream;
mod text_command;
mod transform;
mod wrong;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;

/// The command with these arguments, in the folder of the crate, where `data/` is.
fn gristmill(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gristmill"));
    command.args(arguments).env_remove("GRISTMILL_DEVICE").current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

fn text(output: &Output) -> (String, String) {
    let read = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (read(&output.stdout), read(&output.stderr))
}

/// Runs the command, which must succeed, and returns what it said.
#[track_caller]
fn run(arguments: &[&str]) -> (String, String) {
    let output = gristmill(arguments).output().unwrap();
    let (shown, errors) = text(&output);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    (shown, errors)
}

/// Runs the command on the CPU with `--json`, and returns its one object.
#[track_caller]
fn json(arguments: &[&str]) -> Value {
    let (shown, _) = run(&[arguments, &["--json", "--device", "cpu"]].concat());
    serde_json::from_str(&shown).unwrap()
}

/// Runs the command, which must fail with this exit code, and returns what it said on standard error.
#[track_caller]
fn refused(code: i32, arguments: &[&str]) -> String {
    let output = gristmill(arguments).output().unwrap();
    let (shown, errors) = text(&output);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {shown}{errors}");
    assert!(!errors.contains("panicked"), "{errors}");
    errors
}

/// A folder of a test's own, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("gristmill-cli-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// The path of a file in it.
    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    /// Writes a file into it and returns its path.
    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        std::fs::write(self.0.join(name), content).unwrap();
        self.path(name)
    }

    /// The names of the files in it, sorted.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(&self.0)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn read(path: impl AsRef<Path>) -> String {
    std::fs::read_to_string(path).unwrap()
}

/// People with a text column, and what kind they are.
const PEOPLE: &str = "age,city,height,kind\n30,Ulm,1.7,a\n41,Bern,1.8,b\n22,Ulm,1.6,a\n53,Graz,1.9,b\n35,Bern,1.75,a\n\
                      28,Graz,1.65,a\n60,Ulm,1.82,b\n47,Bern,1.79,b\n";
