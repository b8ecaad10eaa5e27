//! A vector on a device.

use std::sync::Arc;

use super::matrix::first_missing;
use super::{RowStore, View, blocks};
use crate::device::{Device, Stream};
use crate::error::{Error, Result};

/// Values that a reduction takes together: a vector is split only between blocks of this length, so that no result
/// depends on how it was split.
pub(crate) const BLOCK: usize = 4096;

/// What a [`DeviceVec`] can hold: `f32`, `u32` or `i32`.
pub trait Word: bytemuck::Pod + Send + Sync + std::fmt::Debug + private::Sealed {
    /// The first missing value, or an error for the first infinity.
    #[doc(hidden)]
    fn check(values: &[Self]) -> Result<Option<usize>>;
}

mod private {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for u32 {}
    impl Sealed for i32 {}
}

impl Word for f32 {
    fn check(values: &[f32]) -> Result<Option<usize>> {
        Ok(first_missing(values, 1)?.map(|(row, _)| row))
    }
}

impl Word for u32 {
    fn check(_: &[u32]) -> Result<Option<usize>> {
        Ok(None)
    }
}

impl Word for i32 {
    fn check(_: &[i32]) -> Result<Option<usize>> {
        Ok(None)
    }
}

/// A vector on a device.
///
/// ```
/// use gristmill::{Device, DeviceVec};
/// let x = DeviceVec::from_slice(&[1.0_f32, 2.0], &Device::Cpu)?;
/// assert_eq!(x.to_vec(&mut Device::Cpu.stream())?, [1.0, 2.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug)]
pub struct DeviceVec<T: Word> {
    device: Device,
    len: usize,
    missing: Option<usize>,
    storage: VecStorage<T>,
}

#[derive(Debug)]
enum VecStorage<T> {
    Cpu(Arc<Vec<T>>),
    /// Rows of one word.
    Gpu(RowStore),
}

impl<T: Word> DeviceVec<T> {
    /// Copies `values` to the device. An infinity is an error with its index as `row`; missing values are
    /// allowed here.
    pub fn from_slice(values: &[T], device: &Device) -> Result<DeviceVec<T>> {
        let missing = T::check(values)?;
        let storage = match device {
            Device::Cpu => VecStorage::Cpu(Arc::new(values.to_vec())),
            Device::Gpu(gpu) => VecStorage::Gpu(RowStore::allocate(gpu, values.len(), 1, BLOCK)?),
        };
        let uploaded = DeviceVec { device: device.clone(), len: values.len(), missing, storage };
        if let VecStorage::Gpu(store) = &uploaded.storage {
            let words: &[u32] = bytemuck::cast_slice(values);
            let mut stream = device.stream();
            if let Some(recording) = stream.gpu() {
                store.upload(recording, &|first, part| {
                    part.copy_from_slice(&words[first as usize..first as usize + part.len()]);
                })?;
            }
            stream.flush()?;
        }
        Ok(uploaded)
    }

    /// A result of a CPU twin.
    pub(crate) fn from_host(values: Vec<T>) -> DeviceVec<T> {
        DeviceVec { device: Device::Cpu, len: values.len(), missing: None, storage: VecStorage::Cpu(Arc::new(values)) }
    }

    /// Space for the result of a kernel of your own; zeros on the CPU.
    ///
    /// It lies in one buffer, so that what a kernel writes to its [`view`](DeviceVec::view) is the vector; a length for
    /// which there is no such buffer is [`Error::Limit`].
    pub fn unwritten(stream: &mut Stream, len: usize) -> Result<DeviceVec<T>> {
        let made = DeviceVec::output(stream, len)?;
        match &made.storage {
            VecStorage::Gpu(store) if !store.is_one_buffer() => {
                let have = stream.device().memory().1;
                Err(Error::Limit { what: "bytes in one buffer of the device".to_string(), need: 4 * len as u64, have })
            }
            _ => Ok(made),
        }
    }

    /// Space for a result.
    pub(crate) fn output(stream: &Stream, len: usize) -> Result<DeviceVec<T>> {
        let device = stream.device().clone();
        let storage = match &device {
            Device::Cpu => VecStorage::Cpu(Arc::new(zeroed(len)?)),
            Device::Gpu(gpu) => VecStorage::Gpu(RowStore::allocate(gpu, len, 1, BLOCK)?),
        };
        Ok(DeviceVec { device, len, missing: None, storage })
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The device it is on.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Writes `values` into the vector, from `first` on; what is recorded on `stream` before sees the old values, what comes
    /// after the new ones. An infinity is an error with its index as `row`; missing values are allowed here.
    ///
    /// ```
    /// use gristmill::{Device, DeviceVec};
    /// let mut stream = Device::Cpu.stream();
    /// let mut x = DeviceVec::from_slice(&[1.0_f32, 2.0, 3.0], &Device::Cpu)?;
    /// x.write(&mut stream, 1, &[7.0])?;
    /// assert_eq!(x.to_vec(&mut stream)?, [1.0, 7.0, 3.0]);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn write(&mut self, stream: &mut Stream, first: usize, values: &[T]) -> Result<()> {
        self.on(stream, "write")?;
        let missing = T::check(values)?.map(|at| first + at);
        if first.checked_add(values.len()).is_none_or(|end| end > self.len) {
            let given = format!("{} values from {first} on", values.len());
            return Err(Error::shape("write", format!("values within 0..{}", self.len), given));
        }
        // Whether an older missing value is among those written is not known.
        self.missing = if values.len() == self.len { missing } else { self.missing.or(missing) };
        let range = first..first + values.len();
        match (&mut self.storage, stream.gpu()) {
            (VecStorage::Cpu(held), _) => Arc::make_mut(held)[range].copy_from_slice(values),
            (VecStorage::Gpu(store), Some(recording)) => {
                let words: &[u32] = bytemuck::cast_slice(values);
                store.write(recording, range, &|at, part| {
                    part.copy_from_slice(&words[at as usize..at as usize + part.len()]);
                })?;
            }
            (VecStorage::Gpu(_), None) => return Err(wrong_device("write")),
        }
        Ok(())
    }

    /// Copies a vector of the same length and device into this one.
    pub fn copy_from(&mut self, stream: &mut Stream, other: &DeviceVec<T>) -> Result<()> {
        self.on(stream, "copy_from")?;
        other.on(stream, "copy_from")?;
        if other.len != self.len {
            return Err(Error::shape("copy_from", format!("a vector of {}", self.len), other.len));
        }
        self.missing = other.missing;
        match (&mut self.storage, &other.storage, stream.gpu()) {
            (VecStorage::Cpu(held), VecStorage::Cpu(values), _) => *held = values.clone(),
            (VecStorage::Gpu(to), VecStorage::Gpu(from), Some(recording)) => {
                let per_block = RowStore::block_rows(&recording.gpu, 1, 1, BLOCK);
                for range in blocks(self.len, per_block) {
                    let view = from.view(recording, range.clone())?;
                    let target = to.target(recording, range.clone(), false)?;
                    let place = |view: &View| 4 * u64::from(view.first_word());
                    let (source, aim) = (place(&view), place(&target.view));
                    let bytes = 4 * range.len() as u64;
                    recording.copy((view.buffer(), source), (target.view.buffer(), aim), bytes)?;
                    to.commit(recording, target)?;
                }
            }
            _ => return Err(wrong_device("copy_from")),
        }
        Ok(())
    }

    /// Copies the vector to the host, after everything recorded on `stream` has run.
    pub fn to_vec(&self, stream: &mut Stream) -> Result<Vec<T>> {
        self.on(stream, "to_vec")?;
        let values = match (&self.storage, stream.gpu()) {
            (VecStorage::Cpu(values), _) => values.to_vec(),
            (VecStorage::Gpu(store), Some(recording)) => {
                let mut values = Vec::with_capacity(self.len);
                store.read(recording, &mut |words| values.extend_from_slice(bytemuck::cast_slice(words)))?;
                values
            }
            (VecStorage::Gpu(_), None) => return Err(wrong_device("to_vec")),
        };
        checked(values, self.missing)
    }

    /// All values in one buffer on the GPU, for a kernel of your own: the vector's own buffer if it lies in one, as one
    /// made by [`DeviceVec::unwritten`] does, else a copy to read. It is an error on the CPU.
    pub fn view(&self, stream: &mut Stream) -> Result<View> {
        self.on(stream, "view")?;
        match (&self.storage, stream.gpu()) {
            (VecStorage::Gpu(store), Some(recording)) => store.view(recording, 0..self.len),
            _ => Err(Error::WrongDevice { op: "view", why: "the vector lives on the CPU".to_string() }),
        }
    }

    /// Refuses a vector of another device than the stream's.
    pub(crate) fn on(&self, stream: &Stream, op: &'static str) -> Result<()> {
        if self.device.same(stream.device()) { Ok(()) } else { Err(wrong_device(op)) }
    }

    /// Refuses another device than the stream's, and missing values.
    pub(crate) fn complete_on(&self, stream: &Stream, op: &'static str) -> Result<()> {
        self.on(stream, op)?;
        self.refuse_missing()
    }

    /// Refuses missing values, with the place of the first.
    pub(crate) fn refuse_missing(&self) -> Result<()> {
        match self.missing {
            Some(row) => Err(Error::NotFinite { row, column: 0, value: f64::NAN }),
            None => Ok(()),
        }
    }

    /// The values, for a CPU twin.
    pub(crate) fn values(&self) -> Result<&[T]> {
        match &self.storage {
            VecStorage::Cpu(values) => Ok(values),
            VecStorage::Gpu(_) => Err(wrong_device("values")),
        }
    }

    /// The values, for a CPU twin to write.
    pub(crate) fn values_mut(&mut self) -> Result<&mut [T]> {
        match &mut self.storage {
            VecStorage::Cpu(values) => Ok(Arc::make_mut(values).as_mut_slice()),
            VecStorage::Gpu(_) => Err(wrong_device("values")),
        }
    }

    /// Where the first missing value is, as far as is known.
    pub(super) fn missing(&self) -> Option<usize> {
        self.missing
    }

    /// The values, for the GPU.
    pub(crate) fn store(&self) -> Result<&RowStore> {
        match &self.storage {
            VecStorage::Gpu(store) => Ok(store),
            VecStorage::Cpu(_) => Err(wrong_device("values")),
        }
    }
}

/// Values as they were read back: without missing values in the input, NaN is no result.
pub(super) fn checked<T: Word>(values: Vec<T>, missing: Option<usize>) -> Result<Vec<T>> {
    match T::check(&values)? {
        Some(row) if missing.is_none() => Err(Error::NotFinite { row, column: 0, value: f64::NAN }),
        _ => Ok(values),
    }
}

/// `len` zeros, or an error where a plain vector would end the process.
pub(crate) fn zeroed<T: Word>(len: usize) -> Result<Vec<T>> {
    let out_of_memory = |_| Error::OutOfMemory { what: format!("{len} values on the host") };
    Vec::<T>::new().try_reserve_exact(len).map_err(out_of_memory)?;
    Ok(vec![T::zeroed(); len])
}

pub(super) fn wrong_device(op: &'static str) -> Error {
    Error::WrongDevice { op, why: "the vector and the stream belong to different devices".to_string() }
}
