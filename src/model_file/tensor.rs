//! An array in a model file: its shape, its values, and whether some are missing.

use std::borrow::Cow;

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

/// What is alike for all types of elements.
macro_rules! elements {
    ($($variant:ident: $type:ty),*) => {
        /// The type of a tensor's elements, by its safetensors name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum ElementType {
            $(#[doc = concat!("`", stringify!($type), "`")] $variant,)*
        }

        impl ElementType {
            const ALL: &[ElementType] = &[$(Self::$variant),*];

            /// The name in the file, such as `F32`.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => stringify!($variant),)* }
            }

            /// Bytes of one element.
            pub fn size(self) -> usize {
                match self { $(Self::$variant => size_of::<$type>(),)* }
            }
        }

        /// The values of a tensor, row-major.
        #[derive(Debug, Clone)]
        pub enum Values {
            $($variant(Vec<$type>),)*
        }

        impl Values {
            /// Zeros to read a file's bytes into; an error instead of an abort when the memory is not there.
            pub(super) fn zeros(element: ElementType, count: usize) -> Result<Values, String> {
                match element { $(ElementType::$variant => zeros::<$type>(count),)* }
            }

            fn len(&self) -> usize {
                match self { $(Values::$variant(vector) => vector.len(),)* }
            }

            fn element(&self) -> ElementType {
                match self { $(Values::$variant(_) => ElementType::$variant,)* }
            }

            fn bytes(&self) -> &[u8] {
                match self { $(Values::$variant(vector) => bytemuck::cast_slice(vector),)* }
            }

            /// The bytes as they are in memory, to read into.
            pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
                match self { $(Values::$variant(vector) => bytemuck::cast_slice_mut(vector),)* }
            }
        }

        $(
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
        )*
    };
}

elements!(F32: f32, F64: f64, I32: i32, U32: u32, U64: u64, U8: u8);

impl ElementType {
    pub(super) fn from_name(name: &str) -> Option<ElementType> {
        Self::ALL.iter().copied().find(|element| element.name() == name)
    }
}

fn zeros<T: Element>(count: usize) -> Result<Values, String> {
    let mut vector = Vec::new();
    vector.try_reserve_exact(count).map_err(|_| format!("no memory for {count} {} values", T::TYPE.name()))?;
    vector.resize(count, T::zeroed());
    Ok(T::into_values(vector))
}

impl Values {
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
            Cow::Borrowed(self.bytes())
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
