//! The CPU twins with each instruction set that this processor has.

use std::process::Command;

use gristmill::cpu::simd;

/// Tests of what has lanes, those of the register tile with the wide sets: with one lane they are slow.
const TILE: &[&str] = &["cpu::gemm", "cpu::cluster", "cpu::distance", "cpu::neighbors_by_product"];
const LOOPS: &[&str] = &["cpu::reduce", "cpu::linalg", "cpu::elementary", "of_equal"];

/// Tests of one set run in a process of its own: a set is chosen once, before anything is computed.
#[test]
fn the_twins_keep_their_promises_with_every_instruction_set() {
    if std::env::var_os(simd::VARIABLE).is_some() {
        return;
    }
    for set in simd::available().into_iter().filter(|&set| set != simd::name()) {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(if set == "scalar" { LOOPS } else { TILE })
            .env(simd::VARIABLE, set)
            .output()
            .unwrap();
        assert!(output.status.success(), "{set}: {}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn the_set_in_use_is_the_one_that_was_named() {
    let named = std::env::var(simd::VARIABLE).ok();
    assert_eq!(simd::name(), named.as_deref().unwrap_or(simd::available().pop().unwrap()));
    assert!(simd::check().is_ok());
}
