//! The table of VC dimensions.

use std::fmt;

/// The VC dimension of a class.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum VcDimension {
    /// Exactly this.
    Exactly(u64),
    /// Known up to a constant factor.
    OrderOf(f64),
    /// Sets of points of every size are shattered: not learnable from any fixed number of rows.
    Infinite,
}

impl fmt::Display for VcDimension {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VcDimension::Exactly(dimension) => write!(formatter, "{dimension}"),
            VcDimension::OrderOf(size) => write!(formatter, "of the order of {size:.0}"),
            VcDimension::Infinite => write!(formatter, "infinite"),
        }
    }
}

/// A class of hypotheses and its VC dimension.
#[derive(Debug, Clone, Copy)]
pub struct VcEntry {
    /// The name at the shell.
    pub name: &'static str,
    /// The class.
    pub class: &'static str,
    /// Its VC dimension as a formula of d.
    pub formula: &'static str,
    /// What d is.
    pub d: &'static str,
    /// Why.
    pub why: &'static str,
    dimension: fn(u64) -> VcDimension,
}

impl VcEntry {
    /// The VC dimension for this d; saturates at the largest number.
    pub fn dimension(&self, d: u64) -> VcDimension {
        (self.dimension)(d)
    }
}

/// Classes with known VC dimensions. [`Shattering`](super::Shattering) agrees on those that can be enumerated.
pub const VC_DIMENSIONS: &[VcEntry] = &[
    VcEntry {
        name: "linear",
        class: "hyperplanes with a constant term",
        formula: "d + 1",
        d: "columns",
        why: "d + 1 points in general position are shattered, d + 2 never (Radon): 3 for lines in the plane",
        dimension: |d| VcDimension::Exactly(d.saturating_add(1)),
    },
    VcEntry {
        name: "rectangle",
        class: "boxes with sides along the axes",
        formula: "2d",
        d: "columns",
        why: "one point on each side is shattered; of more, the outermost in each direction force the others in: 4 in the plane",
        dimension: |d| VcDimension::Exactly(d.saturating_mul(2)),
    },
    VcEntry {
        name: "tree",
        class: "decision trees on d attributes of 0 and 1",
        formula: "2^d",
        d: "attributes",
        why: "a full tree has a leaf for each of the 2^d rows",
        dimension: |d| {
            VcDimension::Exactly(u32::try_from(d).ok().and_then(|d| 2_u64.checked_pow(d)).unwrap_or(u64::MAX))
        },
    },
    VcEntry {
        name: "conjunctions",
        class: "conjunctions of literals over d attributes",
        formula: "d",
        d: "attributes",
        why: "at most log₂ 3^d by the size of the class; the d rows with one attribute false are shattered",
        dimension: VcDimension::Exactly,
    },
    VcEntry {
        name: "quadratic-kernel",
        class: "hyperplanes in the space of ⟨x, y⟩²",
        formula: "d(d + 1)/2 + 1",
        d: "columns",
        why: "the map has a coordinate for each product of two columns, and there is a constant term",
        dimension: |d| VcDimension::Exactly((d.saturating_mul(d.saturating_add(1)) / 2).saturating_add(1)),
    },
    VcEntry {
        name: "sign-network",
        class: "networks of threshold units with d edges",
        formula: "O(d·log d)",
        d: "edges",
        why: "counted by what each unit can do on n rows (000 §5); the number of parameters alone is no theorem",
        dimension: |d| VcDimension::OrderOf(d as f64 * (d.max(2) as f64).ln()),
    },
    VcEntry {
        name: "nearest-neighbour",
        class: "the nearest neighbour",
        formula: "∞",
        d: "columns",
        why: "it reproduces every labeling of different points",
        dimension: |_| VcDimension::Infinite,
    },
    VcEntry {
        name: "gaussian-kernel",
        class: "support vector machines with a Gaussian kernel",
        formula: "∞",
        d: "columns",
        why: "a narrow kernel makes every Gram matrix of different points nearly the identity",
        dimension: |_| VcDimension::Infinite,
    },
];
