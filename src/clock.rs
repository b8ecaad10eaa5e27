//! Time that also compiles to WebAssembly, where the standard library's clock panics.

#[cfg(not(target_family = "wasm"))]
pub(crate) use std::time::Instant;

/// A moment of a clock that stands still: nothing then takes long enough to be looked at.
#[cfg(target_family = "wasm")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Instant;

#[cfg(target_family = "wasm")]
impl Instant {
    pub(crate) fn now() -> Instant {
        Instant
    }

    pub(crate) fn elapsed(&self) -> std::time::Duration {
        std::time::Duration::ZERO
    }
}

#[cfg(target_family = "wasm")]
impl std::ops::Sub for Instant {
    type Output = std::time::Duration;

    fn sub(self, _: Instant) -> std::time::Duration {
        std::time::Duration::ZERO
    }
}
