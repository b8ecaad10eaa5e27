use gristmill::ops::neural::*;
use gristmill::prelude::*;

use crate::support::devices;

#[test]
fn the_largest_of_equal_pixels_is_the_first_and_its_slope_goes_there() {
    let windows = Windows { height: 2, width: 4, channels: 1, size: [2, 2], step: 2, padding: 0 };
    let x = [1.0_f32, 3.0, 5.0, 5.0, 3.0, 2.0, 5.0, 4.0];
    for (name, device) in devices() {
        let mut stream = device.stream();
        let on = |values: &[f32]| DeviceVec::from_slice(values, device).unwrap();
        let mut out = zeros(&mut stream, 4).unwrap();
        let mut winners = zeros(&mut stream, 4).unwrap();
        let mut back = zeros(&mut stream, 8).unwrap();
        let (there, tail) = (on(&x), Tail::default());
        for (pooling, values, slopes) in [
            (Pooling::Max, [3.0, 5.0], [0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
            (Pooling::Mean, [2.25, 4.75], [0.25, 0.25, 0.5, 0.5, 0.25, 0.25, 0.5, 0.5]),
        ] {
            let how = (pooling, windows);
            pool_forward(&mut stream, &there, how, 1, (&mut out, &mut winners), tail).unwrap();
            let slope = on(&[1.0, 2.0, 0.0, 0.0]);
            pool_backward(&mut stream, (&slope, &mut winners), how, 1, &mut back, (tail, &there)).unwrap();
            assert_eq!(out.to_vec(&mut stream).unwrap(), [values[0], values[1], 0.0, 0.0], "{name}");
            assert_eq!(back.to_vec(&mut stream).unwrap(), slopes, "{name}");
        }
    }
}

#[test]
fn windows_larger_than_the_image_are_refused() {
    let mut stream = Device::Cpu.stream();
    let x = DeviceVec::from_slice(&[0.0_f32; 4], &Device::Cpu).unwrap();
    let windows = Windows { height: 2, width: 2, channels: 1, size: [3, 3], step: 1, padding: 0 };
    let (mut out, mut winners) = (zeros(&mut stream, 4).unwrap(), zeros(&mut stream, 4).unwrap());
    let made = (&mut out, &mut winners);
    assert!(pool_forward(&mut stream, &x, (Pooling::Max, windows), 1, made, Tail::default()).is_err());
}
