//! Nodes of 28 features of 256 bins.

use gristmill::cpu::tree::GradientSums;
use gristmill::cpu::tree::best_split::GradientRules;
use gristmill::ops::tree::best_split::best_split;
use gristmill::ops::tree::histogram::{histogram, read};
use gristmill::ops::tree::{HistogramFill, SplitSearch};

use super::super::case::{Case, Job, Work};
use super::{binned, state};

pub fn cases() -> Vec<Case> {
    [2, 64].map(case).to_vec()
}

fn case(nodes: usize) -> Case {
    let (rows, columns) = (20_000, 28);
    let work = Work::Operations(50 * (nodes * columns * 256) as u64);
    Case::new("tree/best_split", format!("{nodes}x{columns}"), work, move |device| {
        let mut stream = device.stream();
        let (binned, mut state) = (binned(&mut stream, rows, columns)?, state(&mut stream, rows)?);
        let fill = |slot: usize| HistogramFill { tree: 0, rows: 0..rows - slot, slot, parent: None };
        histogram(&mut stream, &binned, &mut state, &(0..nodes).map(fill).collect::<Vec<_>>())?;
        let rules =
            GradientRules { units: [1e-3; 2], l1: 0.0, l2: 1.0, min_hessian: 1e-3, min_count: 20, min_gain: 0.0 };
        let mut searches = vec![];
        for slot in 0..nodes {
            let made = read(&mut stream, &binned, &mut state, slot)?;
            let node = made.range(0..256).fold(GradientSums::default(), GradientSums::plus);
            searches.push(SplitSearch { slot, node, rules, features: (0..columns as u32).collect(), monotone: None });
        }
        let job: Job = Box::new(move || best_split(&mut stream, &binned, &mut state, &searches).map(|_| ()));
        Ok(job)
    })
}
