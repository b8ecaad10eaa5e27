//! Kernels: 000 §3.3, 001 §4, 004 §4.

use gristmill::datasets::notes;
use gristmill::kernel_methods::{Kernel, mercer_check, tangent_weights};
use gristmill::prelude::*;

use super::book::Experiment;

pub fn experiments() -> Result<Vec<Experiment>> {
    Ok(vec![explicit_map()?, mercer()?, dual()?, tangent()?])
}

fn explicit_map() -> Result<Experiment> {
    let map = |x: [f32; 2]| [x[0] * x[0], 2_f32.sqrt() * x[0] * x[1], x[1] * x[1]];
    let (x, y) = ([0.3_f32, -1.2], [2.0_f32, 0.7]);
    let product: f32 = map(x).iter().zip(map(y)).map(|(a, b)| a * b).sum();
    let kernel = (x[0] * y[0] + x[1] * y[1]).powi(2);
    let ours = format!("⟨φ(x), φ(y)⟩ = {product:.6}, ⟨x, y⟩² = {kernel:.6}");
    Ok(Experiment::new("000 §3.3.3", "The map of ⟨x, y⟩² in the plane", "(x₁², √2·x₁x₂, x₂²)", ours))
}

fn mercer() -> Result<Experiment> {
    let x = datasets::iris()?.x;
    let distance = Kernel::function("distance", |x, y| x.iter().zip(y).map(|(x, y)| f64::from(x - y).powi(2)).sum());
    let tanh =
        Kernel::function("tanh", |x, y| (x.iter().zip(y).map(|(x, y)| f64::from(x * y)).sum::<f64>() - 30.0).tanh());
    let word = |kernel: &Kernel| if mercer_check(kernel, &x).is_ok() { "accepted" } else { "refused" };
    let ours = format!(
        "‖x − y‖² {}, tanh(⟨x, y⟩ − 30) {}, Gaussian {}",
        word(&distance),
        word(&tanh),
        word(&Kernel::rbf(0.5))
    );
    Ok(Experiment::new(
        "001 §4.2, 004 §4",
        "Functions that are no kernels",
        "‖x − y‖² and tanh fail Mercer's condition",
        ours,
    ))
}

fn dual() -> Result<Experiment> {
    let data = notes::wide(0)?;
    let primal = Ridge::new(2.0).fit_intercept(false).fit(&data.x, data.values()?)?.predict(&data.x)?;
    let dual =
        KernelRidge::default().alpha(2.0).kernel(Kernel::Linear).fit(&data.x, data.values()?)?.predict(&data.x)?;
    let apart = primal.as_slice().iter().zip(dual.as_slice()).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    Ok(Experiment::new(
        "001 §4.3",
        "Ridge, primal and dual",
        "the same predictions",
        format!("{apart:.0e} apart at most"),
    )
    .why("with 000's objective, a mean of squares and λ/2, the dual needs λn/2"))
}

/// What the gradients of a random network say about its weights before it is trained.
fn tangent() -> Result<Experiment> {
    let (data, _) = notes::noisy_xor(200, 0)?;
    let weights = tangent_weights(&data.x, 100, 0)?;
    let shifted = data.x.as_slice().iter().map(|value| value + 4.0).collect();
    let far = tangent_weights(&Matrix::from_vec(200, 2, shifted)?, 100, 0)?;
    let mut sizes = weights.influence.clone();
    sizes.sort_by(f64::total_cmp);
    let ours = format!(
        "of 300 weights the largest Σφ is {:.0} times the median; no row reaches {}, and {} where all rows lie on one side",
        sizes[299] / sizes[150],
        weights.blind.len(),
        far.blind.len()
    );
    Ok(Experiment::new(
        "000 §5.4.5",
        "Tangent kernel: influential weights and blind spots (noisy XOR, 100 units)",
        "Σφ(x)[j] large, or near 0",
        ours,
    )
    .why("φ is the gradient of the network, not of its loss"))
}
