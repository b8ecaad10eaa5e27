//! Arrays written in place, reads that overlap with work, and dispatches whose size the device decides.

use gristmill::device::Dispatch;
use gristmill::kernel::{Access, Field, Grid, Kernel, Work};
use gristmill::ops::{self, Map};
use gristmill::prelude::*;

use crate::support::{bits, devices, gpu, matrix, numbers, open_gpu};

/// The CPU, GPUs that map and copy, and GPUs that split and stream.
fn all() -> Vec<(String, Device)> {
    let options = DeviceOptions::default();
    let more = [
        ("split", options.clone().chunk_rows(3)),
        ("on the host", options.clone().memory_budget(1 << 20)),
        ("mapped", options.map_arrays(true)),
    ];
    let more = more.map(|(name, options)| (name.to_string(), open_gpu(options)));
    devices().into_iter().map(|(name, device)| (name.to_string(), device.clone())).chain(more).collect()
}

#[test]
fn a_vector_is_written_in_place_between_two_uses() {
    for (name, device) in all() {
        let mut stream = device.stream();
        let before = numbers(100_001, 1);
        let mut x = DeviceVec::from_slice(&before, &device).unwrap();
        let old = ops::sum(&mut stream, &x).unwrap();
        let change = numbers(70_000, 2);
        x.write(&mut stream, 12_345, &change).unwrap();
        x.write(&mut stream, 0, &[9.0]).unwrap();
        let mut after = before.clone();
        after[12_345..82_345].copy_from_slice(&change);
        after[0] = 9.0;
        assert_eq!(bits(&x.to_vec(&mut stream).unwrap()), bits(&after), "{name}");
        let fresh = DeviceVec::from_slice(&after, &device).unwrap();
        let (new, alone) = (ops::sum(&mut stream, &x).unwrap(), ops::sum(&mut stream, &fresh).unwrap());
        assert!(new == alone && new != old, "{name}");
        // Recorded before the write, so it sees what was there.
        let mut copy = DeviceVec::from_slice(&vec![0.0; 100_001], &device).unwrap();
        copy.copy_from(&mut stream, &x).unwrap();
        x.write(&mut stream, 0, &before).unwrap();
        assert_eq!(bits(&copy.to_vec(&mut stream).unwrap()), bits(&after), "{name}");
        assert_eq!(bits(&x.to_vec(&mut stream).unwrap()), bits(&before), "{name}");
    }
}

#[test]
fn rows_are_written_in_place_and_a_clone_keeps_its_own() {
    for (name, device) in all() {
        let mut stream = device.stream();
        let start = matrix(600, 151, 3);
        let mut x = start.to(&device).unwrap();
        let kept = x.clone();
        let rows = matrix(100, 151, 4);
        x.write_rows(&mut stream, 450, &rows).unwrap();
        let written = x.to_matrix(&mut stream).unwrap();
        assert!(
            (0..600)
                .all(|row| written.row(row)
                    == if (450..550).contains(&row) { rows.row(row - 450) } else { start.row(row) }),
            "{name}"
        );
        assert!(kept.read_back(&mut stream).unwrap() == start, "{name}");
        x.write_rows(&mut stream, 0, &start).unwrap();
        assert!(x.to_matrix(&mut stream).unwrap() == start, "{name}");
    }
}

#[test]
fn what_does_not_fit_or_is_not_finite_is_not_written() {
    for (name, device) in devices() {
        let mut stream = device.stream();
        let mut x = DeviceVec::from_slice(&[1.0, 2.0, 3.0], device).unwrap();
        for first in [2, 3, usize::MAX] {
            assert!(matches!(x.write(&mut stream, first, &[1.0, 2.0]), Err(Error::Shape { .. })), "{name}");
        }
        let refused = x.write(&mut stream, 0, &[1.0, f32::INFINITY]).unwrap_err();
        assert!(matches!(refused, Error::NotFinite { row: 1, .. }), "{name}: {refused}");
        assert_eq!(x.to_vec(&mut stream).unwrap(), [1.0, 2.0, 3.0], "{name}");
        x.write(&mut stream, 1, &[f32::NAN]).unwrap();
        assert!(matches!(ops::sum(&mut stream, &x), Err(Error::NotFinite { row: 1, .. })), "{name}");
        let mut rows = matrix(3, 2, 5).to(device).unwrap();
        for (first, wrong) in [(2, matrix(2, 2, 6)), (0, matrix(1, 3, 7))] {
            assert!(matches!(rows.write_rows(&mut stream, first, &wrong), Err(Error::Shape { .. })), "{name}");
        }
        let other = DeviceVec::from_slice(&[1.0], device).unwrap();
        assert!(matches!(x.copy_from(&mut stream, &other), Err(Error::Shape { .. })), "{name}");
    }
}

#[test]
fn reads_overlap_with_later_work_and_end_in_any_order() {
    for (name, device) in all() {
        let mut stream = device.stream();
        let mut x = DeviceVec::from_slice(&numbers(5000, 8), &device).unwrap();
        let mut wanted = numbers(5000, 8);
        let mut pending = vec![];
        for _ in 0..3 {
            pending.push((x.read_later(&mut stream).unwrap(), wanted.clone()));
            ops::map(&mut stream, Map::Line(2.0, 0.0), &mut x).unwrap();
            wanted.iter_mut().for_each(|value| *value *= 2.0);
        }
        for (read, wanted) in pending.into_iter().rev() {
            assert_eq!(bits(&read.finish(&mut stream).unwrap()), bits(&wanted), "{name}");
        }
        assert_eq!(bits(&x.to_vec(&mut stream).unwrap()), bits(&wanted), "{name}");
        // One that nobody finishes spoils nothing.
        drop(x.read_later(&mut stream).unwrap());
        assert_eq!(bits(&x.read_later(&mut stream).unwrap().finish(&mut device.stream()).unwrap()), bits(&wanted));
    }
    let pending = DeviceVec::from_slice(&[1.0], gpu()).unwrap().read_later(&mut gpu().stream()).unwrap();
    assert!(matches!(pending.finish(&mut Device::Cpu.stream()), Err(Error::WrongDevice { .. })));
}

#[test]
fn a_long_vector_is_read_later_too() {
    let device = open_gpu(DeviceOptions::default().memory_budget(4 << 20));
    let values = numbers(500_000, 9);
    let x = DeviceVec::from_slice(&values, &device).unwrap();
    let mut stream = device.stream();
    let pending = x.read_later(&mut stream).unwrap();
    assert_eq!(bits(&pending.finish(&mut stream).unwrap()), bits(&values));
}

/// Decides how many workgroups the next kernel has.
const DECIDE: Kernel = Kernel {
    name: "test/decide",
    source: "//#import status
        struct Params { groups: u32 }
        @group(0) @binding(0) var<uniform> params: Params;
        @group(0) @binding(1) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(1)
        fn main() {
            out[4] = params.groups;
            out[5] = 2u;
            out[6] = 1u;
            mark_done(0u);
        }",
    buffers: &[Access::Write],
    params: &[Field { name: "groups", offset: 0 }],
    params_size: 16,
};

/// Adds one for each of its workgroups.
const TALLY: Kernel = Kernel {
    name: "test/tally",
    source: "//#import status
        struct Params { groups: u32 }
        @group(0) @binding(0) var<uniform> params: Params;
        @group(0) @binding(1) var<storage, read_write> out: array<atomic<u32>>;
        @compute @workgroup_size(1)
        fn main() {
            atomicAdd(&out[0], params.groups);
            mark_done(0u);
        }",
    ..DECIDE
};

#[test]
fn the_device_decides_how_many_workgroups_run() {
    for options in [DeviceOptions::default(), DeviceOptions::default().mark_outputs(true)] {
        let device = open_gpu(options);
        let mut stream = device.stream();
        let groups = DeviceVec::from_slice(&[0_u32; 8], &device).unwrap();
        let tally = DeviceVec::from_slice(&[0_u32; 4], &device).unwrap();
        let (groups_view, tally_view) = (groups.view(&mut stream).unwrap(), tally.view(&mut stream).unwrap());
        let dispatch = |params: &'static [u32; 4], buffers| Dispatch {
            params: bytemuck::cast_slice(params),
            buffers,
            grid: Grid::linear(1).unwrap(),
            overrides: &[],
            work: Work::default(),
        };
        let (written, counted) = ([groups_view.buffer()], [tally_view.buffer()]);
        for (number, total) in [(&[3, 0, 0, 0], 6), (&[0, 0, 0, 0], 6), (&[500, 0, 0, 0], 1006)] {
            stream.dispatch(&DECIDE, dispatch(number, &written)).unwrap();
            let one = dispatch(&[1, 0, 0, 0], &counted);
            stream.dispatch_indirect(&TALLY, one, (groups_view.buffer(), 4)).unwrap();
            assert_eq!(tally.to_vec(&mut stream).unwrap()[0], total);
        }
        let own = dispatch(&[1, 0, 0, 0], &written);
        let refused = stream.dispatch_indirect(&TALLY, own, (groups_view.buffer(), 4)).unwrap_err();
        assert!(matches!(refused, Error::Param { .. }), "{refused}");
        let one = dispatch(&[1, 0, 0, 0], &counted);
        assert!(stream.dispatch_indirect(&TALLY, one, (groups_view.buffer(), 6)).is_err());
        assert!(Device::Cpu.stream().dispatch_indirect(&TALLY, one, (groups_view.buffer(), 4)).is_err());
    }
}
