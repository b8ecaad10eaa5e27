use gristmill::ops::neural::*;
use gristmill::prelude::*;

use crate::support::{devices, numbers};

#[test]
fn a_convolution_is_the_sum_over_its_windows_in_f64() {
    let windows = Windows { height: 6, width: 7, channels: 3, size: [3, 2], step: 2, padding: 1 };
    let shape = ConvolutionShape { first: 4, windows, filters: 8 };
    let (images, depth) = (5, windows.depth());
    let x = numbers(images * windows.image_stride(), 1);
    let parameters = numbers(4 + shape.parameters(), 2);
    for (name, device) in devices() {
        let mut stream = device.stream();
        let on = |values: &[f32]| DeviceVec::from_slice(values, device).unwrap();
        let mut out = zeros(&mut stream, images * shape.output_stride()).unwrap();
        let relu = Tail { activation: Activation::Relu, dropout: None };
        convolution_forward(&mut stream, &on(&x), (&on(&parameters), shape), images, &mut out, relu).unwrap();
        let out = out.to_vec(&mut stream).unwrap();
        for (at, found) in out.iter().enumerate() {
            let (image, pixel, filter) = (at / shape.output_stride(), at % shape.output_stride() / 8, at % 8);
            let mut sum = f64::from(parameters[4 + depth * 8 + filter]);
            for number in 0..depth {
                let (tap, channel) = (number / 3, number % 3);
                let y = (pixel / windows.columns() * 2 + tap / 2) as isize - 1;
                let z = (pixel % windows.columns() * 2 + tap % 2) as isize - 1;
                if (0..6).contains(&y) && (0..7).contains(&z) {
                    let place = (y * 7 + z) as usize * 3 + channel;
                    let value = x[image * windows.image_stride() + place];
                    sum += f64::from(value) * f64::from(parameters[4 + number * 8 + filter]);
                }
            }
            assert!((f64::from(*found) - sum.max(0.0)).abs() < 1e-5, "{name} {at}: {found} for {sum}");
        }
    }
}

#[test]
fn filters_that_are_no_multiple_of_four_and_slopes_by_odd_channels_are_refused() {
    let mut stream = Device::Cpu.stream();
    let x = DeviceVec::from_slice(&[0.0_f32; 64], &Device::Cpu).unwrap();
    let mut out = zeros(&mut stream, 64).unwrap();
    let windows = Windows { height: 4, width: 4, channels: 1, size: [2, 2], step: 1, padding: 0 };
    let odd = ConvolutionShape { first: 0, windows, filters: 3 };
    let tail = Tail::default();
    assert!(convolution_forward(&mut stream, &x, (&x, odd), 1, &mut out, tail).is_err());
    let even = ConvolutionShape { filters: 4, ..odd };
    assert!(convolution_input_slope(&mut stream, &x, (&x, even), 1, &mut out, (tail, &x)).is_err());
}
