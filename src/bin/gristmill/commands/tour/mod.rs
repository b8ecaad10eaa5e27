//! `gristmill tour`: what the crate does, in the order in which it was built.

mod boosting;
mod catalog;
mod densities;
mod first_lecture;
mod kernels;
mod models;
mod networks;
mod page;
mod pictures;
mod representations;
mod sequences;
mod trees;

use std::path::PathBuf;

use gristmill::device::DEVICE_VARIABLE;
use gristmill::ops::{self, Layout};
use gristmill::prelude::*;

use super::devices;
use crate::arguments::GlobalArgs;
use crate::report::CommandResult;
use page::Page;

const EXAMPLES: &str = "Examples:
  gristmill tour
  gristmill tour --plot pictures
  gristmill tour --device cpu --json";

/// What `tour` takes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct TourArgs {
    /// Draws trees and ensembles into SVG files of this folder, which is made if it is not there
    #[arg(long, value_name = "FOLDER")]
    plot: Option<PathBuf>,
}

pub fn run(args: &TourArgs, global: &GlobalArgs) -> CommandResult {
    let mut page = Page::new(global, Device::list());
    page.say("Gristmill: classical machine learning on any GPU.\n\nThe devices of this machine\n");
    page.say(&devices::describe(page.devices()));
    let gpu = compared(global, &page)?;
    first_steps(&mut page, gpu.as_ref())?;
    kernels::show(&mut page, gpu.as_ref())?;
    models::show(&mut page, gpu.as_ref())?;
    trees::show(&mut page)?;
    boosting::show(&mut page, gpu.as_ref())?;
    representations::show(&mut page)?;
    densities::show(&mut page)?;
    networks::show(&mut page, gpu.as_ref())?;
    models::choosing(&mut page)?;
    first_lecture::show(&mut page)?;
    sequences::show(&mut page)?;
    catalog::show(&mut page)?;
    match &args.plot {
        Some(folder) => pictures::draw(&mut page, folder)?,
        None => page.say("\nPictures of trees and ensembles: gristmill tour --plot FOLDER"),
    }
    if let (true, Some(gpu)) = (global.profile, &gpu) {
        kernels::profile(&mut page, gpu)?;
    }
    page.finish();
    Ok(())
}

/// The device to compare the CPU with: the one asked for, or the best GPU there is, or none.
fn compared(global: &GlobalArgs, page: &Page) -> Result<Option<Device>> {
    let variable = std::env::var(DEVICE_VARIABLE).ok().filter(|wanted| !wanted.trim().is_empty());
    let device = match global.device.clone().or(variable) {
        Some(wanted) => Device::open(wanted.trim())?,
        None if page.devices().len() == 1 => Device::Cpu,
        None => Device::open("gpu").unwrap_or_else(|refused| {
            page.say(&format!("\n{refused}"));
            Device::Cpu
        }),
    };
    Ok(Some(device).filter(|device| !matches!(device, Device::Cpu)))
}

/// The same few lines on both devices.
fn first_steps(page: &mut Page, gpu: Option<&Device>) -> Result<()> {
    page.section("Four points, their squared distances, and each one's nearest other, on each device");
    let points = Matrix::from_rows(&[[0.0, 0.0], [3.0, 4.0], [3.0, 3.0], [10.0, 10.0]])?;
    for device in [Some(&Device::Cpu), gpu].into_iter().flatten() {
        let mut stream = device.stream();
        let x = points.to(device)?;
        let squares = ops::sq_euclidean(&mut stream, &x, &x)?.to_matrix(&mut stream)?;
        let product = ops::gemm(&mut stream, Layout::NT, &x, &x)?.to_matrix(&mut stream)?;
        let nearest = |i: usize| {
            let others = (0..4).filter(|j| *j != i);
            others.min_by(|a, b| squares.get(i, *a).total_cmp(&squares.get(i, *b))).unwrap_or(i)
        };
        let nearest: Vec<usize> = (0..4).map(nearest).collect();
        let (row, product) = (squares.row(0), product.get(1, 2));
        let found = format!("from the first: {row:?}; nearest: {nearest:?}; x₁·x₂ = {product}");
        page.fact(&device.info().name, found);
    }
    Ok(())
}
