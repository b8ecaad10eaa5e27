//! Buffers that outlive a call: fresh memory costs a page fault for every 4 KiB, as much as a small product.

use std::cell::RefCell;

/// Buffers kept by a thread; a product needs two, and a task may be stolen while another waits.
const KEPT: usize = 4;
/// Numbers in one cache line.
const LINE: usize = 16;

thread_local! {
    static BUFFERS: RefCell<Vec<Vec<f32>>> = const { RefCell::new(Vec::new()) };
}

/// Runs `work` on `length` numbers of unspecified value that start on a cache line.
///
/// The buffer is taken out of the thread's store while it is in use, so calls may nest: rayon can run another
/// task on this thread inside `work`.
pub fn with_buffer<Output>(length: usize, work: impl FnOnce(&mut [f32]) -> Output) -> Output {
    let mut buffer = BUFFERS.with_borrow_mut(|kept| {
        // The smallest that fits, so that small requests do not take the large buffers and make more of them.
        let fits =
            (0..kept.len()).filter(|&index| kept[index].len() >= length + LINE).min_by_key(|&index| kept[index].len());
        match fits {
            Some(index) => kept.swap_remove(index),
            None => kept.pop().unwrap_or_default(),
        }
    });
    if buffer.len() < length + LINE {
        buffer.resize(length + LINE, 0.0);
    }
    // `align_offset` may decline by answering usize::MAX; alignment is only speed.
    let start = buffer.as_ptr().align_offset(4 * LINE).min(LINE);
    let output = work(&mut buffer[start..start + length]);
    BUFFERS.with_borrow_mut(|kept| {
        if kept.len() < KEPT {
            kept.push(buffer);
        }
    });
    output
}
