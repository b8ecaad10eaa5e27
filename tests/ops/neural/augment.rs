use gristmill::ops::neural::*;
use gristmill::prelude::*;

use crate::support::{devices, numbers};

#[test]
fn every_device_flips_and_shifts_alike_and_each_image_is_one_of_the_possible_ones() {
    let (height, width, channels) = (4, 5, 3);
    let how = Augmentation { height, width, channels, flip: true, shift: 2, key: 0x1234_5678_9abc, step: 9 };
    let (images, stride) = (60, how.stride());
    let x = numbers(images * stride, 4);
    let mut wanted: Option<Vec<f32>> = None;
    for (name, device) in devices() {
        let mut stream = device.stream();
        let there = DeviceVec::from_slice(&x, device).unwrap();
        let mut out = zeros(&mut stream, images * stride).unwrap();
        augment(&mut stream, &there, images, how, &mut out).unwrap();
        let found = out.to_vec(&mut stream).unwrap();
        assert_eq!(wanted.get_or_insert_with(|| found.clone()), &found, "{name}");
    }
    let found = wanted.unwrap();
    let moved = |image: &[f32], flip: bool, down: isize, right: isize| -> Vec<f32> {
        let pixel = |at: usize| {
            let (row, column) = ((at / width) as isize, (at % width) as isize);
            let column = if flip { width as isize - 1 - column } else { column };
            let (row, column) = (row - down, column - right);
            let inside = (0..height as isize).contains(&row) && (0..width as isize).contains(&column);
            inside.then_some((row * width as isize + column) as usize)
        };
        let number = |at: usize| pixel(at / channels).map_or(0.0, |pixel| image[pixel * channels + at % channels]);
        (0..height * width * channels).map(number).collect()
    };
    let (mut flips, mut seen) = (0, std::collections::BTreeSet::new());
    for (image, found) in x.chunks(stride).zip(found.chunks(stride)) {
        let all = (0..50).map(|at| (at >= 25, at % 25 / 5 - 2, at % 5 - 2));
        let mut fits = all.filter(|(flip, down, right)| moved(image, *flip, *down, *right) == found);
        let (flip, down, right) = fits.next().expect("an image that was flipped and shifted");
        flips += usize::from(flip);
        seen.insert((down, right));
    }
    assert!((15..45).contains(&flips) && seen.len() > 15, "{flips} flips, {} shifts", seen.len());
}

#[test]
fn shifts_out_of_the_image_are_refused() {
    let mut stream = Device::Cpu.stream();
    let x = DeviceVec::from_slice(&[0.0_f32; 16], &Device::Cpu).unwrap();
    let mut out = zeros(&mut stream, 16).unwrap();
    let how = Augmentation { height: 4, width: 4, channels: 1, flip: false, shift: 4, key: 1, step: 1 };
    assert!(augment(&mut stream, &x, 1, how, &mut out).is_err());
}
