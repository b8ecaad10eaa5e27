//! Kernels that misbehave, made for these tests.

use std::time::{Duration, Instant};

use gristmill::device::Dispatch;
use gristmill::kernel::{Access, Field, Grid, Kernel, Work};
use gristmill::prelude::*;

use crate::support::{Shared, open_gpu};

const PARAMS: &[Field] = &[Field { name: "turns", offset: 0 }];

/// Ends before it says so.
const SILENT: Kernel = Kernel {
    name: "test/silent",
    source: "//#import status
        struct Params { turns: u32 }
        @group(0) @binding(0) var<uniform> params: Params;
        @group(0) @binding(1) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(64)
        fn main(@builtin(local_invocation_index) lane: u32) {
            if (params.turns == 0u) { return; }
            out[lane] = lane;
            mark_done(lane);
        }",
    buffers: &[Access::Write],
    params: PARAMS,
    params_size: 16,
};

/// Says that it is done and has not written half of its output.
const LAZY: Kernel = Kernel {
    name: "test/lazy",
    source: "//#import status
        struct Params { turns: u32 }
        @group(0) @binding(0) var<uniform> params: Params;
        @group(0) @binding(1) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(64)
        fn main(@builtin(local_invocation_index) lane: u32) {
            if (lane < 32u) { out[lane] = params.turns; }
            mark_done(lane);
        }",
    ..SILENT
};

/// Takes its time.
const SLOW: Kernel = Kernel {
    name: "test/slow",
    source: "//#import status
        struct Params { turns: u32 }
        @group(0) @binding(0) var<uniform> params: Params;
        @group(0) @binding(1) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(64)
        fn main(@builtin(local_invocation_index) lane: u32) {
            var state = lane;
            for (var turn = 0u; turn < params.turns; turn += 1u) { state = state * 1664525u + 1013904223u; }
            out[lane] = state;
            mark_done(lane);
        }",
    ..SILENT
};

const BROKEN: Kernel = Kernel { name: "test/broken", source: "fn main() { nonsense }", ..SILENT };

/// An array that only a kernel has written: the result of an op, so its buffer was never uploaded to.
fn fresh_output(stream: &mut Stream) -> Result<DeviceVec<u32>> {
    let rows = Matrix::zeros(64, 1)?.to(stream.device())?;
    Ok(gristmill::ops::argmin_rows(stream, &rows)?.0)
}

fn run(device: &Device, kernel: &Kernel, turns: u32) -> Result<Vec<u32>> {
    let mut stream = device.stream();
    let out = fresh_output(&mut stream)?;
    let view = out.view(&mut stream)?;
    let params = [turns, 0, 0, 0];
    stream.dispatch(
        kernel,
        Dispatch {
            params: bytemuck::cast_slice(&params),
            buffers: &[view.buffer()],
            grid: Grid::linear(1)?,
            overrides: &[],
            work: Work::default(),
        },
    )?;
    out.to_vec(&mut stream)
}

#[test]
fn a_kernel_that_ends_early_is_detected_at_the_read_back() {
    let device = open_gpu(DeviceOptions::default());
    assert_eq!(run(&device, &SILENT, 1).unwrap(), (0..64).collect::<Vec<u32>>());
    let detected = run(&device, &SILENT, 0).unwrap_err();
    assert!(matches!(detected, Error::UnverifiedResult { .. }), "{detected}");
    assert!(detected.to_string().contains("1 workgroups"), "{detected}");
}

#[test]
fn a_kernel_that_does_not_write_its_output_is_detected_when_outputs_are_marked() {
    let device = open_gpu(DeviceOptions::default().mark_outputs(true));
    let mut stream = device.stream();
    let unwritten = DeviceVec::<u32>::unwritten(&mut stream, 64).unwrap();
    let view = unwritten.view(&mut stream).unwrap();
    let params = [7_u32, 0, 0, 0];
    let dispatch = Dispatch {
        params: bytemuck::cast_slice(&params),
        buffers: &[view.buffer()],
        grid: Grid::linear(1).unwrap(),
        overrides: &[],
        work: Work::default(),
    };
    stream.dispatch(&LAZY, dispatch).unwrap();
    let detected = unwritten.to_vec(&mut stream).unwrap_err();
    assert!(matches!(detected, Error::UnverifiedResult { .. }), "{detected}");
    assert!(detected.to_string().contains("never written"), "{detected}");
}

#[test]
fn a_device_that_takes_too_long_is_given_up() {
    // A loop of some seconds on a software driver and well above 0.1 s on any card.
    let device = open_gpu(DeviceOptions::default().timeout(Duration::from_millis(100)));
    let late = run(&device, &SLOW, 150_000_000).unwrap_err();
    assert!(matches!(late, Error::Timeout { .. }), "{late}");
}

#[test]
fn a_shader_that_does_not_compile_is_an_error_and_spoils_nothing() {
    let device = open_gpu(DeviceOptions::default());
    let refused = run(&device, &BROKEN, 1).unwrap_err();
    assert!(matches!(&refused, Error::Kernel { kernel, .. } if kernel == "test/broken"), "{refused}");
    assert_eq!(run(&device, &SILENT, 1).unwrap().len(), 64);
}

#[test]
fn a_dispatch_that_does_not_fit_its_kernel_is_an_error() {
    let device = open_gpu(DeviceOptions::default());
    let mut stream = device.stream();
    let wrong = Dispatch {
        params: &[0; 4],
        buffers: &[],
        grid: Grid::linear(1).unwrap(),
        overrides: &[],
        work: Work::default(),
    };
    assert!(matches!(stream.dispatch(&SILENT, wrong), Err(Error::Shape { .. })));
    assert!(matches!(Device::Cpu.stream().dispatch(&SILENT, wrong), Err(Error::WrongDevice { .. })));
}

/// The same kernel in submits of its own, one after the other, before the first read-back.
fn run_in_submits(device: &Device, submits: usize, turns: u32) -> Result<Vec<u32>> {
    let mut stream = device.stream();
    let out = fresh_output(&mut stream)?;
    let view = out.view(&mut stream)?;
    let params = [turns, 0, 0, 0];
    for _ in 0..submits {
        let dispatch = Dispatch {
            params: bytemuck::cast_slice(&params),
            buffers: &[view.buffer()],
            grid: Grid::linear(1)?,
            overrides: &[],
            work: Work::default(),
        };
        stream.dispatch(&SLOW, dispatch)?;
        stream.flush()?;
    }
    out.to_vec(&mut stream)
}

#[test]
fn the_timeout_counts_from_the_last_submit_that_came_to_its_end() {
    let first = open_gpu(DeviceOptions::default());
    run(&first, &SLOW, 1).unwrap();
    // A busy machine may give one submit much less than another: then it is tried again.
    let mut late = None;
    for _ in 0..4 {
        let begun = Instant::now();
        run(&first, &SLOW, 100_000_000).unwrap();
        let one = begun.elapsed();
        let device = open_gpu(DeviceOptions::default().timeout(one * 2));
        match run_in_submits(&device, 3, 100_000_000) {
            Ok(_) => return,
            Err(error) => late = Some(error),
        }
    }
    panic!("{late:?}");
}

#[test]
fn a_poisoned_shared_device_is_opened_again() {
    static SHARED: Shared = Shared::new(|| DeviceOptions::default().destroy_at_submit(4));
    let device = SHARED.device();
    assert!(device.same(SHARED.device()));
    while run(device, &SLOW, 10).is_ok() {}
    assert!(!device.same(SHARED.device()));
}
