//! `//#import` lines.

use gristmill::kernel::source::expand;

#[test]
fn an_import_is_inserted_once() {
    let text = expand("//#import status\n//#import status\nfn main() {}\n").unwrap();
    assert_eq!(text.matches("fn mark_done").count(), 1);
    assert!(text.ends_with("fn main() {}\n"));
}

#[test]
fn an_unknown_import_is_named() {
    assert!(expand("//#import nothing_here").unwrap_err().contains("nothing_here"));
}
