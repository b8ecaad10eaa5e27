//! Model files: what is written reads back to the bit, and whatever is off is refused with a reason.

mod any;
mod columns;
mod files;
mod forge;
mod mutated;
mod mutator;
mod refused;
mod round_trip;

use gristmill::Result;
use gristmill::model_file::{Container, Persist};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    alpha: f64,
    rate: f32,
    depth: Option<u32>,
    seed: u64,
}

const SETTINGS: Settings = Settings { alpha: 0.1, rate: 0.1, depth: None, seed: u64::MAX };

#[derive(Debug, Clone, PartialEq)]
struct SmallModel {
    settings: Settings,
    weights: Vec<f32>,
}

impl Persist for SmallModel {
    const KIND: &'static str = "small";

    fn store(&self, container: &mut Container) -> Result<()> {
        container.set_parameters(&self.settings)?;
        container.insert("weights", &[self.weights.len()], self.weights.clone())
    }

    fn restore(container: &mut Container) -> Result<SmallModel> {
        let [count] = container.shape("weights")?;
        Ok(SmallModel { settings: container.parameters()?, weights: container.take("weights", &[count])? })
    }
}

/// Stores the same as `SmallModel`, one version later.
struct LaterModel(SmallModel);

impl Persist for LaterModel {
    const KIND: &'static str = "small";
    const VERSION: u32 = 2;

    fn store(&self, container: &mut Container) -> Result<()> {
        self.0.store(container)
    }

    fn restore(container: &mut Container) -> Result<LaterModel> {
        SmallModel::restore(container).map(LaterModel)
    }
}

#[derive(Debug, PartialEq)]
struct OtherModel;

impl Persist for OtherModel {
    const KIND: &'static str = "other";

    fn store(&self, _: &mut Container) -> Result<()> {
        Ok(())
    }

    fn restore(_: &mut Container) -> Result<OtherModel> {
        Ok(OtherModel)
    }
}

fn small() -> SmallModel {
    SmallModel { settings: SETTINGS, weights: vec![1.5, -0.0, f32::MIN_POSITIVE / 4.0, f32::MAX] }
}

/// One tensor of every type, one with missing values, one empty, texts and a model inside.
fn rich() -> Container {
    let mut container = Container::new("rich", 3).unwrap();
    container.set_parameters(&SETTINGS).unwrap();
    container.insert("a.f32", &[2, 2], vec![1.0f32, -0.0, 1e-45, f32::MAX]).unwrap();
    container.insert("b.f64", &[1], vec![f64::MIN_POSITIVE]).unwrap();
    container.insert("c.i32", &[3], vec![i32::MIN, 0, i32::MAX]).unwrap();
    container.insert("d.u32", &[], vec![u32::MAX]).unwrap();
    container.insert("e.u64", &[1, 1], vec![u64::MAX]).unwrap();
    container.insert("f.u8", &[3], vec![1u8, 2, 3]).unwrap();
    container.insert("g.empty", &[0, 7], Vec::<f32>::new()).unwrap();
    container.insert_with_missing("h.holes", &[2], vec![f32::NAN, 1.0]).unwrap();
    container.insert_strings("classes", &["setosa", "", "Ärger", "a\0b"]).unwrap();
    container.insert_model("inner", &small()).unwrap();
    container
}

fn reason(result: Result<impl std::fmt::Debug>) -> String {
    result.expect_err("this must be refused").to_string()
}
