//! Model files of any bytes, and well-formed files whose contents are anything: an answer, never a panic.
#![no_main]

use gristmill::estimator::Task;
use gristmill::model_file::{Container, Element, ElementType};
use gristmill::prelude::*;
use gristmill::registry;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = AnyModel::from_bytes(data);
    // Bytes alone hardly ever get past the checksum, so a real file is taken apart and put together differently.
    let Some((&choice, rest)) = data.split_first() else { return };
    let files = files();
    let file = &files[choice as usize % files.len()];
    let Ok(container) = Container::from_bytes(file) else { return };
    if let Ok(changed) = change(&container, &mut rest.iter().copied())
        && let Ok(bytes) = changed.to_bytes()
        && let Ok(model) = AnyModel::from_bytes(&bytes)
    {
        let rows = Matrix::zeros(3, 2).unwrap();
        let _ = model.predict(&rows);
        let _ = model.predict_proba(&rows);
    }
});

/// A small file of every kind of model.
fn files() -> &'static Vec<Vec<u8>> {
    static FILES: std::sync::OnceLock<Vec<Vec<u8>>> = std::sync::OnceLock::new();
    FILES.get_or_init(|| {
        let x = Matrix::from_rows(&[[0.0, 2.0], [1.0, 1.0], [4.0, 4.0], [5.0, 3.0], [9.0, 0.0], [8.0, 2.0]]).unwrap();
        let target = gristmill::Target::from_numbers(Matrix::from_vec(6, 1, vec![0.0, 1.0, 0.0, 1.0, 0.0, 1.0]).unwrap());
        let data = Dataset::new(x, target).unwrap();
        let fit = |entry: &registry::Entry| {
            let mut estimator = entry.estimator();
            let tree = if entry.task == Task::Regression { "decision-tree-regressor" } else { "decision-tree-classifier" };
            let numbers = [("n_clusters", 2), ("n_neighbors", 2), ("n_estimators", 2), ("cv", 2)];
            let numbers = numbers.map(|(name, value)| (name, value.into()));
            let trees = ["estimator", "estimators", "final_estimator"].map(|name| (name, tree.into()));
            for (name, value) in numbers.into_iter().chain(trees) {
                if estimator.has(name) {
                    estimator = estimator.set(name, value).unwrap();
                }
            }
            Pipeline::from(estimator).fit(&data).unwrap().to_bytes().unwrap()
        };
        registry::entries().iter().map(fit).collect()
    })
}

/// The container with some of its arrays cut, stretched or filled with other values.
fn change(container: &Container, bytes: &mut dyn Iterator<Item = u8>) -> gristmill::Result<Container> {
    let mut changed = container.clone();
    for (name, tensor) in container.tensors() {
        let action = bytes.next().unwrap_or(0);
        if action & 3 == 0 {
            continue;
        }
        let old = tensor.shape();
        let mut shape = old.to_vec();
        if action & 1 == 1 && let Some(axis) = shape.first_mut() {
            *axis = (*axis + bytes.next().unwrap_or(0) as usize % 4).saturating_sub(1);
        }
        let others = action & 2 == 2;
        match tensor.element() {
            ElementType::U8 => refill(&mut changed, name, old, &shape, others, bytes, |byte| byte)?,
            ElementType::U32 => refill(&mut changed, name, old, &shape, others, bytes, u32::from)?,
            ElementType::U64 => refill(&mut changed, name, old, &shape, others, bytes, u64::from)?,
            ElementType::I32 => refill(&mut changed, name, old, &shape, others, bytes, i32::from)?,
            ElementType::F32 => refill(&mut changed, name, old, &shape, others, bytes, f32::from)?,
            ElementType::F64 => refill(&mut changed, name, old, &shape, others, bytes, f64::from)?,
        }
    }
    for (name, model) in container.models() {
        changed.take_container(name)?;
        changed.insert_container(name, change(model, bytes)?)?;
    }
    Ok(changed)
}

/// Puts an array of another shape, and of other values where `others`, in the place of the old one.
fn refill<T: Element + Clone>(
    container: &mut Container,
    name: &str,
    old: &[usize],
    shape: &[usize],
    others: bool,
    bytes: &mut dyn Iterator<Item = u8>,
    value: fn(u8) -> T,
) -> gristmill::Result<()> {
    let mut values: Vec<T> = container.take_with_missing(name, old)?;
    values.resize(shape.iter().product(), value(1));
    if others {
        values.iter_mut().for_each(|place| *place = value(bytes.next().unwrap_or(0)));
    }
    container.insert_with_missing(name, shape, values)
}
