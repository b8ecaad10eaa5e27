//! An array in a model file: its shape, its values, and whether some are missing.

use std::borrow::Cow;

/// The type of a tensor's elements, by its safetensors name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ElementType {
    /// `f32`
    F32,
    /// `f64`
    F64,
    /// `i32`
    I32,
    /// `u32`
    U32,
    /// `u64`
    U64,
    /// `u8`
    U8,
}

impl ElementType {
    const ALL: [ElementType; 6] = [Self::F32, Self::F64, Self::I32, Self::U32, Self::U64, Self::U8];

    /// The name in the file, such as `F32`.
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "F32",
            Self::F64 => "F64",
            Self::I32 => "I32",
            Self::U32 => "U32",
            Self::U64 => "U64",
            Self::U8 => "U8",
        }
    }

    /// Bytes of one element.
    pub fn size(self) -> usize {
        match self {
            Self::F64 | Self::U64 => 8,
            Self::F32 | Self::I32 | Self::U32 => 4,
            Self::U8 => 1,
        }
    }

    pub(super) fn from_name(name: &str) -> Option<ElementType> {
        Self::ALL.into_iter().find(|element| element.name() == name)
    }
}

/// The values of a tensor, row-major.
#[derive(Debug, Clone)]
pub enum Values {
    F32(Vec<f32>),
    F64(Vec<f64>),
    I32(Vec<i32>),
    U32(Vec<u32>),
    U64(Vec<u64>),
    U8(Vec<u8>),
}

/// One expression for whichever vector the values are.
macro_rules! with_vector {
    ($values:expr, $vector:ident => $result:expr) => {
        match $values {
            Values::F32($vector) => $result,
            Values::F64($vector) => $result,
            Values::I32($vector) => $result,
            Values::U32($vector) => $result,
            Values::U64($vector) => $result,
            Values::U8($vector) => $result,
        }
    };
}

mod sealed {
    /// What a tensor needs of its elements; not for use outside.
    pub trait Sealed: bytemuck::Pod {
        fn into_values(vector: Vec<Self>) -> super::Values;
        fn from_values(values: super::Values) -> Option<Vec<Self>>;
    }
}

pub(super) use sealed::Sealed;

/// A type that a model file can hold arrays of: `f32`, `f64`, `i32`, `u32`, `u64` or `u8`.
pub trait Element: Sealed {
    /// The same type, by its name in the file.
    const TYPE: ElementType;
}

macro_rules! element {
    ($type:ty, $variant:ident) => {
        impl Sealed for $type {
            fn into_values(vector: Vec<$type>) -> Values {
                Values::$variant(vector)
            }

            fn from_values(values: Values) -> Option<Vec<$type>> {
                match values {
                    Values::$variant(vector) => Some(vector),
                    _ => None,
                }
            }
        }

        impl Element for $type {
            const TYPE: ElementType = ElementType::$variant;
        }
    };
}

element!(f32, F32);
element!(f64, F64);
element!(i32, I32);
element!(u32, U32);
element!(u64, U64);
element!(u8, U8);

impl Values {
    /// Zeros to read a file's bytes into; an error instead of an abort when the memory is not there.
    pub(super) fn zeros(element: ElementType, count: usize) -> Result<Values, String> {
        fn zeros<T: Element>(count: usize) -> Result<Values, String> {
            let mut vector = Vec::new();
            vector.try_reserve_exact(count).map_err(|_| format!("no memory for {count} {} values", T::TYPE.name()))?;
            vector.resize(count, T::zeroed());
            Ok(T::into_values(vector))
        }
        match element {
            ElementType::F32 => zeros::<f32>(count),
            ElementType::F64 => zeros::<f64>(count),
            ElementType::I32 => zeros::<i32>(count),
            ElementType::U32 => zeros::<u32>(count),
            ElementType::U64 => zeros::<u64>(count),
            ElementType::U8 => zeros::<u8>(count),
        }
    }

    fn len(&self) -> usize {
        with_vector!(self, vector => vector.len())
    }

    fn element(&self) -> ElementType {
        match self {
            Values::F32(_) => ElementType::F32,
            Values::F64(_) => ElementType::F64,
            Values::I32(_) => ElementType::I32,
            Values::U32(_) => ElementType::U32,
            Values::U64(_) => ElementType::U64,
            Values::U8(_) => ElementType::U8,
        }
    }

    /// The bytes as they are in memory, to read into.
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        with_vector!(self, vector => bytemuck::cast_slice_mut(vector))
    }

    /// Turns elements between the file's order, little-endian, and this machine's; nothing to do on nearly all.
    pub(super) fn swap_unless_little_endian(&mut self) {
        if cfg!(target_endian = "big") {
            let size = self.element().size();
            self.bytes_mut().chunks_exact_mut(size).for_each(<[u8]>::reverse);
        }
    }

    /// The bytes as they are in the file.
    fn file_bytes(&self) -> Cow<'_, [u8]> {
        if cfg!(target_endian = "big") {
            let mut swapped = self.clone();
            swapped.swap_unless_little_endian();
            Cow::Owned(swapped.bytes_mut().to_vec())
        } else {
            Cow::Borrowed(with_vector!(self, vector => bytemuck::cast_slice(vector)))
        }
    }

    /// The index of the first NaN, or an error for the first infinity.
    fn first_missing(&self) -> Result<Option<usize>, String> {
        let (missing, infinite) = match self {
            Values::F32(vector) => (first(vector, f32::is_nan), first(vector, f32::is_infinite)),
            Values::F64(vector) => (first(vector, f64::is_nan), first(vector, f64::is_infinite)),
            _ => (None, None),
        };
        infinite.map_or(Ok(missing), |at| Err(format!("value {at} is infinite; a model must be finite")))
    }
}

/// Index of the first wanted value. Whole blocks are passed over without a branch, so that the loop vectorises.
fn first<T: Copy>(values: &[T], wanted: fn(T) -> bool) -> Option<usize> {
    const BLOCK: usize = 4096;
    let holds = |block: &[T]| block.iter().fold(false, |found, value| found | wanted(*value));
    let block = values.chunks(BLOCK).position(holds)?;
    values[block * BLOCK..].iter().position(|value| wanted(*value)).map(|at| block * BLOCK + at)
}

/// An array in a [`Container`](super::Container): row-major, of one element type.
#[derive(Debug, Clone)]
pub struct Tensor {
    shape: Vec<usize>,
    values: Values,
    first_missing: Option<usize>,
}

impl Tensor {
    /// Checks that the values fill the shape and that none is infinite.
    pub(super) fn new(shape: &[usize], values: Values) -> Result<Tensor, String> {
        if count(shape) != Some(values.len()) {
            return Err(format!("{} values do not fill the shape {shape:?}", values.len()));
        }
        let first_missing = values.first_missing()?;
        Ok(Tensor { shape: shape.to_vec(), values, first_missing })
    }

    /// The length along each axis, outermost first.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The type of the values.
    pub fn element(&self) -> ElementType {
        self.values.element()
    }

    /// Whether a value is NaN, which means missing.
    pub fn has_missing(&self) -> bool {
        self.first_missing.is_some()
    }

    /// The values as they are in the file, little-endian.
    pub fn bytes(&self) -> Cow<'_, [u8]> {
        self.values.file_bytes()
    }

    pub(super) fn first_missing(&self) -> Option<usize> {
        self.first_missing
    }

    pub(super) fn byte_count(&self) -> usize {
        self.values.len() * self.element().size()
    }

    pub(super) fn into_values(self) -> Values {
        self.values
    }
}

impl PartialEq for Tensor {
    /// The same type, shape and bits; missing equals missing.
    fn eq(&self, other: &Tensor) -> bool {
        (self.element(), &self.shape) == (other.element(), &other.shape) && self.bytes() == other.bytes()
    }
}

/// Elements in a shape. An axis of length 0 does not excuse the others: their product must fit as well, because whoever
/// uses the shape may multiply them.
pub(super) fn count(shape: &[usize]) -> Option<usize> {
    let product = shape.iter().try_fold(1usize, |product, axis| product.checked_mul((*axis).max(1)))?;
    Some(if shape.contains(&0) { 0 } else { product })
}
