//! A vector on its way to the host while other work goes on.

use super::device_vec::{DeviceVec, Word, checked, wrong_device};
use crate::device::{Device, Pending, Stream};
use crate::error::Result;

/// Values that are being copied to the host: [`DeviceVec::read_later`] began it, [`PendingVec::finish`] waits for it.
#[derive(Debug)]
pub struct PendingVec<T: Word> {
    device: Device,
    missing: Option<usize>,
    state: State<T>,
}

#[derive(Debug)]
enum State<T> {
    Begun(Box<Pending>),
    Here(Vec<T>),
}

impl<T: Word> DeviceVec<T> {
    /// Begins to copy the vector to the host: the device does it after everything recorded on `stream` so far, while more
    /// is recorded and run. A vector that one staging chunk does not hold (16 MiB, less with a small memory budget) is
    /// read at once.
    ///
    /// ```
    /// use gristmill::{Device, DeviceVec};
    /// let mut stream = Device::Cpu.stream();
    /// let x = DeviceVec::from_slice(&[1.0_f32, 2.0], &Device::Cpu)?;
    /// let pending = x.read_later(&mut stream)?;
    /// // … other work on the stream …
    /// assert_eq!(pending.finish(&mut stream)?, [1.0, 2.0]);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn read_later(&self, stream: &mut Stream) -> Result<PendingVec<T>> {
        self.on(stream, "read_later")?;
        let begun = match stream.gpu() {
            Some(recording) => self.store()?.begin_read(recording)?,
            None => None,
        };
        let state = match begun {
            Some(pending) => State::Begun(Box::new(pending)),
            None => State::Here(self.to_vec(stream)?),
        };
        Ok(PendingVec { device: self.device().clone(), missing: self.missing(), state })
    }
}

impl<T: Word> PendingVec<T> {
    /// Waits for the values, with proof that the work before them ran; `stream` is any of the same device.
    pub fn finish(self, stream: &mut Stream) -> Result<Vec<T>> {
        if !self.device.same(stream.device()) {
            return Err(wrong_device("finish"));
        }
        match (self.state, stream.gpu()) {
            (State::Here(values), _) => Ok(values),
            (State::Begun(pending), Some(recording)) => {
                let mut values = vec![];
                recording.finish(*pending, &mut |words| values.extend_from_slice(bytemuck::cast_slice(words)))?;
                checked(values, self.missing)
            }
            (State::Begun(_), None) => Err(wrong_device("finish")),
        }
    }
}
