//! Asking for memory before it is read.

/// Asks for the cache line of `data[index]`. The processor goes on at once, where a load that misses would soon hold it up; on
/// processors other than x86-64 it is such a load, for whose value nothing waits.
#[inline(always)]
pub(crate) fn prefetch<T: Copy>(data: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(sse) = pulp::core_arch::x86::Sse::try_new() {
        // To all caches. An address that is none is no fault.
        sse._mm_prefetch::<3>(data.as_ptr().wrapping_add(index).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    std::hint::black_box(data.get(index).copied());
}
