//! One node of all rows, 256 codes a column: two classes, or one number.

use gristmill::cpu::tree::ClassRows;
use gristmill::cpu::tree::TargetRows;
use gristmill::cpu::tree::ValueRows;
use gristmill::ops::tree::target_histogram::target_histogram;
use gristmill::ops::tree::{GrowState, HistogramFill};

use super::super::super::case::{Case, Job, Work};
use super::binned;

pub fn cases() -> Vec<Case> {
    [("classes", 20_000), ("classes", 500_000), ("numbers", 500_000)].map(case).to_vec()
}

fn case((what, rows): (&'static str, usize)) -> Case {
    let columns = 28;
    let work = Work::Operations((rows * columns) as u64);
    Case::new("tree/forest/target_histogram", format!("{what} {rows}x{columns}"), work, move |device| {
        let mut stream = device.stream();
        let binned = binned(&mut stream, rows, columns)?;
        let words: &'static [u64] = Vec::leak(vec![1 << 20 | 1; rows]);
        let target = match what {
            "classes" => {
                let codes: &'static [u32] = Vec::leak((0..rows as u32).map(|row| row % 7 % 2).collect());
                TargetRows::Classes(ClassRows { codes, words, classes: 2 })
            }
            _ => {
                let values: &'static [i64] = Vec::leak((0..rows as i64).map(|row| row % 30_011 - 15_000).collect());
                TargetRows::Values(ValueRows { values, words, count_bits: 20, outputs: 1 })
            }
        };
        let mut state = GrowState::new(&stream);
        state.begin_targets(&mut stream, &mut (0..rows as u32).collect(), &[target])?;
        let job: Job = Box::new(move || {
            let fill = HistogramFill { tree: 0, rows: 0..rows, slot: 0, parent: None };
            target_histogram(&mut stream, &binned, &mut state, &[target], &[fill])?;
            stream.finish()
        });
        Ok(job)
    })
}
