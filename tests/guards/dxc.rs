//! A second opinion on HLSL: `dxc`, the compiler that DX12 uses, where it is installed.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use naga::back::hlsl::ShaderModel;

use super::module::check_every_kernel;
use super::translate::high_level;

/// The refusal, if dxc refuses the text. The entry point is `main`; wgpu calls it with `-Ges` too.
fn refusal(text: &str) -> Option<String> {
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    let number = ASKED.fetch_add(1, Ordering::Relaxed);
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("dxc-{}-{number}.hlsl", std::process::id()));
    fs::write(&source, text).expect("a file for dxc");
    let ran = Command::new("dxc").args(["-T", "cs_6_0", "-E", "main", "-Ges"]).arg(&source).output();
    let output = ran.expect("dxc runs");
    fs::remove_file(&source).expect("the file for dxc");
    let said = [output.stderr, output.stdout].concat();
    (!output.status.success()).then(|| format!("dxc refuses it:\n{}", String::from_utf8_lossy(&said)))
}

fn installed() -> bool {
    static FOUND: LazyLock<bool> = LazyLock::new(|| Command::new("dxc").arg("--version").output().is_ok());
    if !*FOUND {
        println!("dxc is not on the PATH: its opinion was not asked");
    }
    *FOUND
}

#[test]
fn dxc_compiles_every_kernel_where_it_is_installed() {
    if !installed() {
        return;
    }
    check_every_kernel(|_, parsed| {
        let (module, info) = parsed.resolved();
        match high_level(&module, &info, ShaderModel::V6_0) {
            Ok(text) => refusal(&text).into_iter().collect(),
            Err(why) => vec![why],
        }
    });
}

#[test]
fn dxc_refuses_what_is_no_hlsl() {
    if !installed() {
        return;
    }
    assert!(refusal("[numthreads(1, 1, 1)] void main() { nonsense(); }").is_some());
}
