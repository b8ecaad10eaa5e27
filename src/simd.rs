//! Which vector instructions the CPU twins use: the widest that the processor has, or those that a variable names.

use std::sync::OnceLock;

use pulp::Arch;

use crate::error::{Error, Result};

/// The environment variable that names a set: `scalar`, `avx2`, `avx512`, `neon` or `simd128`.
pub const VARIABLE: &str = "GRISTMILL_SIMD";

/// The sets of this processor by name, the widest last.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn sets() -> Vec<(&'static str, Arch)> {
    let avx2 = pulp::x86::V3::try_new().map(|set| ("avx2", Arch::V3(set)));
    let avx512 = pulp::x86::V4::try_new().map(|set| ("avx512", Arch::V4(set)));
    [Some(("scalar", Arch::Scalar)), avx2, avx512].into_iter().flatten().collect()
}

/// The sets of this processor by name, the widest last.
#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
fn sets() -> Vec<(&'static str, Arch)> {
    let wide = if cfg!(target_arch = "aarch64") { "neon" } else { "simd128" };
    let widest = Arch::new();
    let mut sets = vec![("scalar", Arch::Scalar)];
    if !matches!(widest, Arch::Scalar) {
        sets.push((wide, widest));
    }
    sets
}

/// The names of the sets that this processor has, the widest last.
///
/// ```
/// assert_eq!(gristmill::cpu::simd::available()[0], "scalar");
/// ```
pub fn available() -> Vec<&'static str> {
    sets().into_iter().map(|(name, _)| name).collect()
}

/// The name of the set in use.
///
/// ```
/// use gristmill::cpu::simd;
/// assert!(simd::available().contains(&simd::name()));
/// ```
pub fn name() -> &'static str {
    chosen().0
}

/// The set in use, to run what is vectorised.
#[inline]
pub fn arch() -> Arch {
    chosen().1
}

/// Refuses a [`VARIABLE`] that names no set of this processor; without this check such a name only gets a warning.
pub fn check() -> Result<()> {
    named().map(|_| ())
}

/// The set that the variable names, if it is set.
fn named() -> Result<Option<(&'static str, Arch)>> {
    let Some(wanted) = std::env::var_os(VARIABLE).filter(|wanted| !wanted.is_empty()) else {
        return Ok(None);
    };
    let found = sets().into_iter().find(|(name, _)| wanted == *name);
    let rule = || format!("one of the instruction sets of this processor: {}", available().join(", "));
    found.map(Some).ok_or_else(|| Error::param(VARIABLE, rule(), wanted.display()))
}

#[inline]
fn chosen() -> &'static (&'static str, Arch) {
    static CHOSEN: OnceLock<(&'static str, Arch)> = OnceLock::new();
    CHOSEN.get_or_init(|| {
        let widest = sets().pop().unwrap_or(("scalar", Arch::Scalar));
        named()
            .unwrap_or_else(|error| {
                log::warn!("{error}; {} is used", widest.0);
                None
            })
            .unwrap_or(widest)
    })
}
