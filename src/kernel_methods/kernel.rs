//! Kernel functions as values.

use std::f64::consts::{PI, TAU};
use std::fmt;
use std::ops::{Add, Mul};
use std::sync::Arc;

use super::tangent::tangent_features;
use crate::error::{Error, Result};

/// A width: a number, or one that depends on the rows of the fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Gamma {
    /// 1/(d·variance of all values).
    Scale,
    /// 1/d.
    Auto,
    /// This number.
    Value(f64),
}

impl From<f64> for Gamma {
    fn from(value: f64) -> Gamma {
        Gamma::Value(value)
    }
}

/// A function of two rows.
type RowFunction = dyn Fn(&[f32], &[f32]) -> f64 + Send + Sync;

/// A function of two rows with a name, for the CPU.
pub struct PairFunction {
    pub(super) name: String,
    pub(super) value: Box<RowFunction>,
}

impl fmt::Debug for PairFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "function({})", self.name)
    }
}

/// A kernel function k(x, y): an inner product of x and y in some other space.
///
/// Kernels are added, multiplied, scaled by numbers ≥ 0, raised to whole powers and exponentiated; all of that gives
/// kernels again. From text, as the command line takes it:
///
/// ```
/// use gristmill::kernel_methods::Kernel;
/// let kernel: Kernel = "0.5*rbf(gamma=0.1)+poly(degree=2)^2".parse()?;
/// assert_eq!(kernel, 0.5 * Kernel::rbf(0.1) + Kernel::polynomial(2).powi(2));
/// assert_eq!(Kernel::rbf(0.5).value(&[0.0, 0.0], &[1.0, 1.0])?, (-1.0_f64).exp());
/// # Ok::<(), gristmill::Error>(())
/// ```
///
/// | text | k(x, y) |
/// |---|---|
/// | `linear` | x·y |
/// | `poly(gamma, coef0=1, degree=3)` | (gamma·x·y + coef0)^degree |
/// | `rbf(gamma)`, `rbf(sigma=2)` | exp(−gamma·‖x−y‖²), gamma = 1/(2·sigma²) |
/// | `laplacian(gamma)` | exp(−gamma·Σ\|xᵢ−yᵢ\|) |
/// | `sigmoid(gamma, coef0=1)` | tanh(gamma·x·y + coef0): not positive semi-definite |
/// | `cosine` | x·y/(‖x‖·‖y‖), 0 where a row is zero |
/// | `affine(weights=[1,2], offset=1)` | f(x)·f(y), f(x) = weights·x + offset |
/// | `waves(theta=1)` | Σ cos(theta·(xᵢ−yᵢ)) |
/// | `wave_series(terms=4)` | Σ over l = 0…terms of Σ cos(2π·l/terms·(xᵢ−yᵢ)) |
/// | `sinc` | Σ sin(2π(xᵢ−yᵢ))/(xᵢ−yᵢ), the limit of the series times 2π/terms |
/// | `tangent(layers=1)` | the tangent kernel of an infinitely wide relu network |
/// | `empirical_tangent(width=100, seed=0)` | ∇F(x)·∇F(y) of a random relu network of that width |
/// | `precomputed` | the rows are rows of the kernel matrix |
/// | `2`, `a+b`, `a*b`, `a^3`, `exp(a)` | a constant, sums, products, powers, exponentials |
///
/// `gamma` is a number, `scale` (1/(d·variance), the default) or `auto` (1/d), as in scikit-learn.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
#[allow(missing_docs)] // The table says what each is.
pub enum Kernel {
    #[default]
    Linear,
    Polynomial {
        gamma: Gamma,
        coef0: f64,
        degree: u32,
    },
    Gaussian {
        gamma: Gamma,
    },
    Laplacian {
        gamma: Gamma,
    },
    Sigmoid {
        gamma: Gamma,
        coef0: f64,
    },
    Cosine,
    Affine {
        weights: Vec<f32>,
        offset: f32,
    },
    Waves {
        theta: f64,
    },
    WaveSeries {
        terms: u32,
    },
    Sinc,
    Tangent {
        layers: u32,
    },
    EmpiricalTangent {
        width: u32,
        seed: u64,
    },
    Precomputed,
    Function(Arc<PairFunction>),
    Constant(f64),
    Sum(Vec<Kernel>),
    Product(Vec<Kernel>),
    Power(Box<Kernel>, u32),
    Exponential(Box<Kernel>),
}

impl PartialEq for Kernel {
    fn eq(&self, other: &Kernel) -> bool {
        match (self, other) {
            (Kernel::Function(left), Kernel::Function(right)) => Arc::ptr_eq(left, right),
            (Kernel::Function(_), _) | (_, Kernel::Function(_)) => false,
            _ => self.to_string() == other.to_string(),
        }
    }
}

impl Kernel {
    /// exp(−gamma·‖x−y‖²).
    pub fn rbf(gamma: impl Into<Gamma>) -> Kernel {
        Kernel::Gaussian { gamma: gamma.into() }
    }

    /// exp(−‖x−y‖²/(2·sigma²)).
    pub fn gaussian(sigma: f64) -> Kernel {
        Kernel::rbf(0.5 / (sigma * sigma))
    }

    /// (gamma·x·y + 1)^degree, gamma by `scale`.
    pub fn polynomial(degree: u32) -> Kernel {
        Kernel::Polynomial { gamma: Gamma::Scale, coef0: 1.0, degree }
    }

    /// exp(−gamma·Σ|xᵢ−yᵢ|).
    pub fn laplacian(gamma: impl Into<Gamma>) -> Kernel {
        Kernel::Laplacian { gamma: gamma.into() }
    }

    /// Any function of two rows. It runs on the CPU alone, and a model with it cannot be saved.
    pub fn function(name: &str, value: impl Fn(&[f32], &[f32]) -> f64 + Send + Sync + 'static) -> Kernel {
        Kernel::Function(Arc::new(PairFunction { name: name.to_string(), value: Box::new(value) }))
    }

    /// The kernel to a whole power.
    pub fn powi(self, degree: u32) -> Kernel {
        Kernel::Power(Box::new(self), degree)
    }

    /// e to the kernel.
    pub fn exp(self) -> Kernel {
        Kernel::Exponential(Box::new(self))
    }

    /// Whether the matrix of rows with rows is given, not computed.
    pub fn is_precomputed(&self) -> bool {
        matches!(self, Kernel::Precomputed)
    }

    /// The kernels that this one is made of, itself included.
    pub(super) fn parts(&self) -> Vec<&Kernel> {
        let mut all = vec![self];
        match self {
            Kernel::Sum(parts) | Kernel::Product(parts) => parts.iter().for_each(|part| all.extend(part.parts())),
            Kernel::Power(part, _) | Kernel::Exponential(part) => all.extend(part.parts()),
            _ => {}
        }
        all
    }

    /// Whether it is no kernel in the strict sense: tanh, and whatever contains it.
    pub fn is_indefinite(&self) -> bool {
        self.parts().iter().any(|part| matches!(part, Kernel::Sigmoid { .. }))
    }

    /// Holds every number against its rule.
    pub fn check(&self) -> Result<()> {
        let not_negative = |name: &'static str, value: f64| match value >= 0.0 && value.is_finite() {
            true => Ok(()),
            false => Err(Error::param("kernel", format!("a kernel with {name} of 0 or more"), value)),
        };
        for part in self.parts() {
            match part {
                Kernel::Polynomial { gamma, coef0, .. } | Kernel::Sigmoid { gamma, coef0 } => {
                    let tanh = matches!(part, Kernel::Sigmoid { .. });
                    not_negative("gamma", gamma.number().unwrap_or(0.0))?;
                    not_negative("coef0", if tanh { coef0.abs() } else { *coef0 })?;
                }
                Kernel::Gaussian { gamma } | Kernel::Laplacian { gamma } => {
                    not_negative("gamma", gamma.number().unwrap_or(0.0))?;
                }
                Kernel::Constant(value) => not_negative("factors", *value)?,
                Kernel::Waves { theta } => not_negative("theta", theta.abs())?,
                Kernel::WaveSeries { terms: 0 } => not_negative("at least one term: terms", -1.0)?,
                Kernel::EmpiricalTangent { width: 0, .. } => not_negative("a width above 0: width", -1.0)?,
                Kernel::Precomputed if !self.is_precomputed() => {
                    return Err(Error::param("kernel", "precomputed alone, not inside another kernel", self));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// With the widths that depend on the rows replaced by numbers.
    pub(super) fn resolved(&self, columns: usize, variance: f64) -> Kernel {
        let number = |gamma: &Gamma| {
            let d = columns.max(1) as f64;
            Gamma::Value(match gamma {
                Gamma::Scale if variance > 0.0 => 1.0 / (d * variance),
                Gamma::Scale => 1.0,
                Gamma::Auto => 1.0 / d,
                Gamma::Value(value) => *value,
            })
        };
        let all = |parts: &[Kernel]| parts.iter().map(|part| part.resolved(columns, variance)).collect();
        match self {
            Kernel::Polynomial { gamma, coef0, degree } => {
                Kernel::Polynomial { gamma: number(gamma), coef0: *coef0, degree: *degree }
            }
            Kernel::Gaussian { gamma } => Kernel::Gaussian { gamma: number(gamma) },
            Kernel::Laplacian { gamma } => Kernel::Laplacian { gamma: number(gamma) },
            Kernel::Sigmoid { gamma, coef0 } => Kernel::Sigmoid { gamma: number(gamma), coef0: *coef0 },
            Kernel::Sum(parts) => Kernel::Sum(all(parts)),
            Kernel::Product(parts) => Kernel::Product(all(parts)),
            Kernel::Power(part, degree) => Kernel::Power(Box::new(part.resolved(columns, variance)), *degree),
            Kernel::Exponential(part) => Kernel::Exponential(Box::new(part.resolved(columns, variance))),
            other => other.clone(),
        }
    }

    /// k(x, y) in f64. `gamma` must be a number.
    pub fn value(&self, x: &[f32], y: &[f32]) -> Result<f64> {
        if x.len() != y.len() {
            return Err(Error::shape("Kernel::value", format!("{} columns in both", x.len()), y.len()));
        }
        let pairs = || x.iter().zip(y).map(|(&x, &y)| (f64::from(x), f64::from(y)));
        let dot = || pairs().map(|(x, y)| x * y).sum::<f64>();
        let length = |row: &[f32]| row.iter().map(|&value| f64::from(value).powi(2)).sum::<f64>().sqrt();
        let over = |each: &dyn Fn(f64) -> f64| pairs().map(|(x, y)| each(x - y)).sum::<f64>();
        Ok(match self {
            Kernel::Linear => dot(),
            Kernel::Polynomial { gamma, coef0, degree } => (gamma.fixed()? * dot() + coef0).powi(*degree as i32),
            Kernel::Gaussian { gamma } => (-gamma.fixed()? * over(&|d| d * d)).exp(),
            Kernel::Laplacian { gamma } => (-gamma.fixed()? * over(&f64::abs)).exp(),
            Kernel::Sigmoid { gamma, coef0 } => (gamma.fixed()? * dot() + coef0).tanh(),
            Kernel::Cosine | Kernel::Tangent { .. } => {
                let lengths = length(x) * length(y);
                let cosine = if lengths > 0.0 { (dot() / lengths).clamp(-1.0, 1.0) } else { 0.0 };
                match self {
                    Kernel::Tangent { layers } => lengths * tangent_of(cosine, *layers),
                    _ => cosine,
                }
            }
            Kernel::Affine { weights, offset } => {
                if weights.len() != x.len() {
                    return Err(Error::param("kernel", format!("affine with {} weights", x.len()), weights.len()));
                }
                let f = |row: &[f32]| {
                    row.iter().zip(weights).map(|(&x, &w)| f64::from(x) * f64::from(w)).sum::<f64>()
                        + f64::from(*offset)
                };
                f(x) * f(y)
            }
            Kernel::Waves { theta } => over(&|d| (theta * d).cos()),
            Kernel::WaveSeries { terms } => {
                (0..=*terms).map(|l| over(&|d| (TAU * f64::from(l) / f64::from(*terms) * d).cos())).sum()
            }
            Kernel::Sinc => over(&|d| if d == 0.0 { TAU } else { (TAU * d).sin() / d }),
            Kernel::EmpiricalTangent { width, seed } => {
                let features = [x, y].map(|row| tangent_features(row, *width as usize, *seed));
                features[0].iter().zip(&features[1]).map(|(x, y)| x * y).sum()
            }
            Kernel::Precomputed => return Err(Error::param("kernel", "a kernel that is computed", "precomputed")),
            Kernel::Function(function) => (function.value)(x, y),
            Kernel::Constant(value) => *value,
            Kernel::Sum(parts) => parts.iter().map(|part| part.value(x, y)).sum::<Result<f64>>()?,
            Kernel::Product(parts) => parts.iter().map(|part| part.value(x, y)).product::<Result<f64>>()?,
            Kernel::Power(part, degree) => part.value(x, y)?.powi(*degree as i32),
            Kernel::Exponential(part) => part.value(x, y)?.exp(),
        })
    }
}

/// Θ for unit rows, in f64; see `cpu::gram`.
fn tangent_of(cosine: f64, layers: u32) -> f64 {
    let (mut rho, mut theta) = (cosine, cosine);
    for _ in 0..layers {
        let angle = rho.clamp(-1.0, 1.0).acos();
        let next = (angle.sin() + (PI - angle) * rho) / PI;
        theta = theta * (PI - angle) / PI + next;
        rho = next;
    }
    theta
}

impl Gamma {
    pub(super) fn number(self) -> Option<f64> {
        match self {
            Gamma::Value(value) => Some(value),
            _ => None,
        }
    }

    fn fixed(self) -> Result<f64> {
        self.number().ok_or_else(|| Error::param("gamma", "a number where there are no rows to derive it from", "none"))
    }
}

impl Add for Kernel {
    type Output = Kernel;

    fn add(self, other: Kernel) -> Kernel {
        match self {
            Kernel::Sum(mut parts) => {
                parts.push(other);
                Kernel::Sum(parts)
            }
            first => Kernel::Sum(vec![first, other]),
        }
    }
}

impl Mul for Kernel {
    type Output = Kernel;

    fn mul(self, other: Kernel) -> Kernel {
        match self {
            Kernel::Product(mut parts) => {
                parts.push(other);
                Kernel::Product(parts)
            }
            first => Kernel::Product(vec![first, other]),
        }
    }
}

impl Mul<Kernel> for f64 {
    type Output = Kernel;

    fn mul(self, kernel: Kernel) -> Kernel {
        Kernel::Constant(self) * kernel
    }
}
