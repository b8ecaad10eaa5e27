use gristmill::DeviceKind;
use gristmill::device::self_test::{LANES, TURNS, judge, turned};
use gristmill::prelude::*;

use crate::support::{gpu, open_gpu};

#[test]
fn the_list_begins_with_the_cpu_and_has_one_default() {
    let devices = Device::list();
    assert_eq!(devices[0].kind, DeviceKind::Cpu);
    assert_eq!(devices.iter().filter(|info| info.default).count(), 1);
    assert!(devices.iter().enumerate().all(|(at, info)| info.index == at));
    let software_default = devices.iter().any(|info| info.default && info.kind == DeviceKind::Software);
    assert!(!software_default, "a software adapter is used only when asked for");
}

#[test]
fn a_device_opens_by_index_and_by_part_of_its_name() {
    let info = gpu().info();
    assert_eq!(Device::open(&info.index.to_string()).unwrap().info().name, info.name);
    let part = info.name.split_whitespace().next().unwrap().to_uppercase();
    assert_eq!(Device::open(&part).unwrap().info().name, info.name);
    assert_eq!(Device::open("cpu").unwrap().info().kind, DeviceKind::Cpu);
    for zero in ["0", "00", "+0"] {
        assert_eq!(Device::open(zero).unwrap().info().kind, DeviceKind::Cpu);
    }
}

#[test]
fn a_wrong_name_says_what_is_there_and_what_to_do() {
    for wanted in ["no such card", "99", ""] {
        let refused = Device::open(wanted).unwrap_err();
        assert!(matches!(refused, Error::NoDevice { .. }), "{refused}");
        let text = refused.to_string();
        assert!(text.contains(&gpu().info().name.to_lowercase()) && text.contains("gristmill devices"), "{text}");
    }
}

#[test]
fn arrays_of_another_device_are_refused() {
    let other = open_gpu(DeviceOptions::default());
    let x = Matrix::from_rows(&[[1.0, 2.0]]).unwrap();
    for (here, there) in [(&Device::Cpu, gpu()), (gpu(), &Device::Cpu), (gpu(), &other)] {
        let on_other = x.to(there).unwrap();
        let refused = on_other.to_matrix(&mut here.stream()).unwrap_err();
        assert!(matches!(refused, Error::WrongDevice { .. }), "{refused}");
        let refused = gristmill::ops::sq_euclidean(&mut here.stream(), &on_other, &on_other).unwrap_err();
        assert!(matches!(refused, Error::WrongDevice { .. }), "{refused}");
    }
}

/// What each lane counts.
fn all(turns: u32) -> Vec<u32> {
    (0..LANES).map(|lane| turned(lane, turns)).collect()
}

#[test]
fn a_driver_that_counts_to_the_end_passes() {
    assert!(judge(&all(TURNS), &Device::Cpu.info()).is_ok());
}

#[test]
fn a_driver_that_stops_at_65535_is_refused_with_advice() {
    let refused = judge(&all(65_535), &Device::Cpu.info()).unwrap_err();
    assert!(matches!(refused, Error::NoDevice { .. }));
    assert!(refused.to_string().contains("bookworm-backports"), "{refused}");
}
