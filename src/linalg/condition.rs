//! The 1-norm of an inverse, estimated from a handful of solves.

/// Steps of Higham's iteration; it nearly always stops after two.
const STEPS: usize = 5;

/// Estimates ‖A⁻¹‖₁ of a `size`×`size` matrix from solves with A and Aᵀ, which work in place.
///
/// Never too large, seldom more than three times too small. Costs at most eleven solves, O(size²) each given a factor;
/// the condition number is this times ‖A‖₁. A solve that overflows gives infinity; an empty matrix gives 1.
///
/// Hager (1984), as improved by Higham, *ACM Transactions on Mathematical Software* 14 (1988), algorithm 674.
///
/// ```
/// use gristmill::linalg::inverse_norm_1;
/// let halve = |x: &mut [f64]| x.iter_mut().for_each(|value| *value /= 4.0);
/// assert_eq!(inverse_norm_1(3, halve, halve), 0.25);
/// ```
pub fn inverse_norm_1(
    size: usize,
    mut solve: impl FnMut(&mut [f64]),
    mut solve_transposed: impl FnMut(&mut [f64]),
) -> f64 {
    if size == 0 {
        return 1.0;
    }
    let mut x = vec![1.0 / size as f64; size];
    let mut estimate = 0.0_f64;
    let mut last_unit = size;
    for _ in 0..STEPS {
        let mut y = x.clone();
        solve(&mut y);
        let norm = norm_1(&y);
        if !norm.is_finite() {
            return f64::INFINITY;
        }
        if norm <= estimate {
            break;
        }
        estimate = norm;
        // The subgradient of ‖A⁻¹x‖₁ is A⁻ᵀ sign(y); move to the unit vector along which it is steepest.
        let mut slope: Vec<f64> = y.iter().map(|value| if *value < 0.0 { -1.0 } else { 1.0 }).collect();
        solve_transposed(&mut slope);
        let here: f64 = slope.iter().zip(&x).map(|(a, b)| a * b).sum();
        let unit = steepest(&slope);
        if unit == last_unit || slope[unit].abs() <= here {
            break;
        }
        last_unit = unit;
        x.fill(0.0);
        x[unit] = 1.0;
    }
    estimate.max(alternating(size, &mut solve))
}

/// Higham's guard against the matrices that defeat the iteration: ‖A⁻¹v‖₁ for an alternating, growing v.
fn alternating(size: usize, solve: &mut impl FnMut(&mut [f64])) -> f64 {
    let step = 1.0 / (size.max(2) - 1) as f64;
    let mut v: Vec<f64> = (0..size).map(|i| (1.0 + i as f64 * step) * if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let before = norm_1(&v);
    solve(&mut v);
    let norm = norm_1(&v) / before;
    if norm.is_finite() { norm } else { f64::INFINITY }
}

fn steepest(slope: &[f64]) -> usize {
    let mut best = 0;
    for (index, value) in slope.iter().enumerate() {
        if value.abs() > slope[best].abs() {
            best = index;
        }
    }
    best
}

fn norm_1(x: &[f64]) -> f64 {
    x.iter().map(|value| value.abs()).sum()
}
