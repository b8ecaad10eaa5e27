use gristmill::ops::neural::{TiedBlocks, tie_slopes};
use gristmill::prelude::*;

use crate::support::{bits, devices, numbers};

#[test]
fn both_slopes_of_a_tied_weight_become_their_sum() {
    for (rows, columns) in [(1_usize, 1_usize), (3, 5), (64, 65), (257, 20)] {
        let firsts = [8, 16 + rows * columns.next_multiple_of(4)];
        let blocks = TiedBlocks { rows, columns, firsts };
        let before = numbers(firsts[1] + columns * rows.next_multiple_of(4) + 4, 3);
        let mut wanted = before.clone();
        for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
            let [one, other] = blocks.places(row, column);
            (wanted[one], wanted[other]) = (before[one] + before[other], before[one] + before[other]);
        }
        for (name, device) in devices() {
            let mut stream = device.stream();
            let mut gradient = DeviceVec::from_slice(&before, device).unwrap();
            tie_slopes(&mut stream, &mut gradient, blocks).unwrap();
            assert_eq!(bits(&gradient.to_vec(&mut stream).unwrap()), bits(&wanted), "{name}");
            let beyond = TiedBlocks { firsts: [8, before.len()], ..blocks };
            assert!(tie_slopes(&mut stream, &mut gradient, beyond).is_err());
        }
    }
}
