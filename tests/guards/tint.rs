//! A second opinion: `tint`, the compiler of Chrome, where it is installed. It is stricter than naga about uniformity.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::module::check_every_kernel;

/// The refusal, if tint refuses.
pub fn refusal(text: &str) -> Option<String> {
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    let number = ASKED.fetch_add(1, Ordering::Relaxed);
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("tint-{}-{number}.wgsl", std::process::id()));
    let written = source.with_extension("out.wgsl");
    fs::write(&source, text).expect("a file for tint");
    let ran = Command::new("tint").args(["--format", "wgsl", "-o"]).arg(&written).arg(&source).output();
    let output = ran.expect("tint runs");
    fs::remove_file(&source).expect("the file for tint");
    // Not there if tint refused.
    let _ = fs::remove_file(&written);
    let said = [output.stderr, output.stdout].concat();
    (!output.status.success()).then(|| format!("tint refuses it:\n{}", String::from_utf8_lossy(&said)))
}

pub fn installed() -> bool {
    static FOUND: LazyLock<bool> = LazyLock::new(|| Command::new("tint").arg("--help").output().is_ok());
    if !*FOUND {
        println!("tint is not on the PATH: its opinion was not asked");
    }
    *FOUND
}

#[test]
fn tint_accepts_every_kernel_where_it_is_installed() {
    if !installed() {
        return;
    }
    check_every_kernel(|_, parsed| refusal(&parsed.text).into_iter().collect());
}

#[test]
fn tint_refuses_a_barrier_that_some_lanes_miss() {
    if !installed() {
        return;
    }
    let text = "@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) lane: u32) {
        if (lane < 5u) { workgroupBarrier(); }
    }";
    assert!(refusal(text).is_some_and(|why| why.contains("uniform control flow")));
}
