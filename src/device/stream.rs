//! Recording: an op says what runs; the stream decides when it is submitted.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::Device;
use super::buffer::{Buffer, Clock};
use super::dispatch::{Dispatch, Groups, Step};
use super::encode;
use super::gpu::{Gpu, Purpose};
use super::pipeline::{Overrides, Pipeline};
use super::profile::Entry;
use super::readback::{Proof, proof_offset};
use crate::error::{Error, Result};
use crate::kernel::{Access, Grid, Kernel, STATUS_BINDING, Work};

/// Bytes from one dispatch's parameters to the next: WebGPU's largest alignment of a dynamic offset.
const PARAMS_STRIDE: usize = 256;

/// Recorded work for one device, for use by one thread.
///
/// On a GPU, ops record dispatches here; they run at a read-back, at [`Stream::flush`], or when enough has gathered.
/// On the CPU an op runs at once and the stream holds nothing. Dropping a stream submits what it still holds.
#[derive(Debug)]
pub struct Stream {
    device: Device,
    recording: Option<Recording>,
}

/// The buffers every stream needs, handed from stream to stream.
#[derive(Debug)]
pub(crate) struct StreamBuffers {
    pub(crate) arena: Buffer,
    pub(crate) status: Buffer,
    /// Workgroups counted in `status` so far, modulo 2³².
    groups: u32,
}

impl StreamBuffers {
    pub(crate) fn new(arena: Buffer, status: Buffer) -> StreamBuffers {
        StreamBuffers { arena, status, groups: 0 }
    }
}

#[derive(Debug)]
pub(crate) struct Recording {
    pub(crate) gpu: Arc<Gpu>,
    buffers: Option<StreamBuffers>,
    clock: Arc<Clock>,
    steps: Vec<Step>,
    params: Vec<u8>,
    used: Vec<Arc<Buffer>>,
    /// Whether every dispatch until the next submit counts its workgroups.
    counting: bool,
    /// Recorded work that could not be submitted: nothing after it on this stream can be right.
    broken: Option<Error>,
    pub(super) staging_chunks: Vec<Arc<Buffer>>,
    /// The last of `staging_chunks` is mapped and filled up to here.
    pub(super) chunk_filled: u64,
    cost: u64,
    recorded: u64,
}

static NONCE: AtomicU32 = AtomicU32::new(1);

impl Stream {
    pub(crate) fn new(device: &Device) -> Stream {
        let recording = match device {
            Device::Cpu => None,
            Device::Gpu(gpu) => Some(Recording::new(gpu.clone())),
        };
        Stream { device: device.clone(), recording }
    }

    /// The device it records for.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The recording, or none on the CPU: how an op chooses between its two ways.
    pub(crate) fn gpu(&mut self) -> Option<&mut Recording> {
        self.recording.as_mut()
    }

    /// Submits what is recorded, without waiting for it.
    pub fn flush(&mut self) -> Result<()> {
        match &mut self.recording {
            Some(recording) => recording.flush(),
            None => Ok(()),
        }
    }

    /// Submits what is recorded and waits until the device has done it, with proof that it did.
    pub fn finish(&mut self) -> Result<()> {
        match &mut self.recording {
            Some(recording) => recording.prove(),
            None => Ok(()),
        }
    }

    /// Records one dispatch of a kernel. Ops call this; a kernel of your own can be run with it too.
    ///
    /// It is an error on the CPU, which has no shaders.
    pub fn dispatch(&mut self, kernel: &Kernel, dispatch: Dispatch) -> Result<()> {
        self.shaders(kernel)?.dispatch(kernel, dispatch)
    }

    /// The same with as many workgroups as three words of a buffer say when it runs, from the given word on, along x, y and z:
    /// a kernel before it decides. The grid of `dispatch` is not used. Its workgroups are not counted, and it cannot
    /// write that buffer.
    pub fn dispatch_indirect(
        &mut self,
        kernel: &Kernel,
        dispatch: Dispatch,
        groups: (&Arc<Buffer>, u32),
    ) -> Result<()> {
        self.shaders(kernel)?.dispatch_indirect(kernel, dispatch, groups)
    }

    fn shaders(&mut self, kernel: &Kernel) -> Result<&mut Recording> {
        let why = "a shader cannot run on the CPU device";
        self.recording.as_mut().ok_or_else(|| Error::WrongDevice { op: kernel.name, why: why.to_string() })
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if let Some(recording) = &mut self.recording {
            // An error is remembered by the device and met by whoever reads the result.
            let _ = recording.flush();
            if let Some(buffers) = recording.buffers.take() {
                recording.gpu.return_stream_buffers(buffers);
            }
        }
    }
}

impl Recording {
    fn new(gpu: Arc<Gpu>) -> Recording {
        let counting = gpu.is_counting();
        Recording {
            gpu,
            buffers: None,
            clock: Arc::default(),
            steps: vec![],
            params: vec![],
            used: vec![],
            counting,
            broken: None,
            staging_chunks: vec![],
            chunk_filled: 0,
            cost: 0,
            recorded: 0,
        }
    }

    pub(crate) fn dispatch(&mut self, kernel: &Kernel, dispatch: Dispatch) -> Result<()> {
        self.health()?;
        self.check(kernel, &dispatch)?;
        if dispatch.grid.total() == 0 {
            return Ok(());
        }
        let pipeline = self.pipeline(kernel, dispatch.overrides)?;
        self.record(kernel, pipeline, dispatch, Groups::Known(dispatch.grid.counts()))
    }

    /// A dispatch whose workgroups are known to the device only, so they cannot be counted.
    pub(crate) fn dispatch_indirect(
        &mut self,
        kernel: &Kernel,
        dispatch: Dispatch,
        (groups, first_word): (&Arc<Buffer>, u32),
    ) -> Result<()> {
        self.health()?;
        self.check(kernel, &dispatch)?;
        let offset = 4 * u64::from(first_word);
        let written = dispatch.buffers.iter().zip(kernel.buffers).filter(|(_, access)| **access == Access::Write);
        if offset + 12 > groups.bytes || written.clone().any(|(buffer, _)| Arc::ptr_eq(buffer, groups)) {
            let rule = "three words of a buffer that the kernel does not write".to_string();
            return Err(Error::param("groups", rule, kernel.name));
        }
        groups.ready_for(&self.clock, false)?;
        let pipeline = self.gpu.pipelines.get(&self.gpu.device, kernel, dispatch.overrides, false)?;
        self.used.push(groups.clone());
        groups.read_by(&self.clock, self.recorded + 1);
        self.record(kernel, pipeline, dispatch, Groups::OnDevice(groups.clone(), offset))
    }

    fn record(&mut self, kernel: &Kernel, pipeline: Arc<Pipeline>, dispatch: Dispatch, groups: Groups) -> Result<()> {
        let arena_bytes = self.buffers()?.arena.bytes as usize;
        // The last place is the seal's.
        if self.params.len() + 2 * PARAMS_STRIDE > arena_bytes {
            self.flush()?;
        }
        self.recorded += 1;
        for (buffer, access) in dispatch.buffers.iter().zip(kernel.buffers) {
            self.used.push(Arc::clone(buffer));
            match access {
                Access::Write => buffer.written_by(&self.clock, self.recorded),
                Access::Read | Access::Uniform => buffer.read_by(&self.clock, self.recorded),
            }
        }
        self.push(kernel, pipeline, &dispatch, groups)?;
        self.cost += dispatch.work.cost();
        if self.cost > 2 * self.gpu.operations_per_dispatch() {
            self.flush()?;
        }
        Ok(())
    }

    /// The device's first error, or that of a submit that failed.
    fn health(&self) -> Result<()> {
        self.gpu.health.check()?;
        self.broken.clone().map_or(Ok(()), Err)
    }

    /// The kernel with its workgroups counted, or without once it has run often enough that way and is compiled.
    fn pipeline(&self, kernel: &Kernel, overrides: Overrides) -> Result<Arc<Pipeline>> {
        let get = |counted: bool| self.gpu.pipelines.get(&self.gpu.device, kernel, overrides, counted);
        let counted = get(true)?;
        let trusted = counted.count_dispatch() >= self.gpu.options.count_dispatches;
        if !trusted || self.counting {
            return Ok(counted);
        }
        // Nobody waits for a second form while the first can run.
        let uncounted = get(false)?;
        Ok(if uncounted.is_ready() || !counted.is_ready() { uncounted } else { counted })
    }

    fn check(&self, kernel: &Kernel, dispatch: &Dispatch) -> Result<()> {
        if kernel.params_size > PARAMS_STRIDE || kernel.buffers.len() >= STATUS_BINDING as usize {
            let why = format!("it has more than {PARAMS_STRIDE} bytes of Params or more than six buffers");
            return Err(Error::Kernel { kernel: kernel.name.to_string(), why });
        }
        if dispatch.params.len().next_multiple_of(16) != kernel.params_size
            || dispatch.buffers.len() != kernel.buffers.len()
        {
            return Err(Error::shape(
                kernel.name,
                format!("{} bytes of Params and {} buffers", kernel.params_size, kernel.buffers.len()),
                format!("{} bytes and {} buffers", dispatch.params.len(), dispatch.buffers.len()),
            ));
        }
        let mut bound = dispatch.buffers.iter().zip(kernel.buffers);
        let shared =
            |buffer: &Arc<Buffer>| dispatch.buffers.iter().filter(|other| Arc::ptr_eq(other, buffer)).count() > 1;
        if bound.clone().any(|(buffer, access)| *access == Access::Write && shared(buffer)) {
            let rule = "bound once, if it is written".to_string();
            return Err(Error::param("buffers", rule, format!("one twice in {}", kernel.name)));
        }
        bound.try_for_each(|(buffer, access)| buffer.ready_for(&self.clock, *access == Access::Write))
    }

    fn push(&mut self, kernel: &Kernel, pipeline: Arc<Pipeline>, dispatch: &Dispatch, groups: Groups) -> Result<()> {
        let offset = self.place_params(dispatch.params);
        let gpu = self.gpu.clone();
        let buffers = self.buffers()?;
        if pipeline.is_counted() {
            buffers.groups = buffers.groups.wrapping_add(dispatch.grid.total() as u32);
        } else {
            gpu.profiler.count(|counts| counts.uncounted_dispatches += 1);
        }
        let params = (&buffers.arena, kernel.params_size as u64);
        let bind_group = gpu.bind_groups.get(&gpu, &pipeline, params, dispatch.buffers, &buffers.status);
        self.steps.push(Step::Dispatch {
            pipeline,
            bind_group,
            offset: offset as u32,
            groups,
            entry: Entry { kernel: kernel.name, work: dispatch.work, workgroups: dispatch.grid.total() },
        });
        Ok(())
    }

    /// Where the parameters lie in the arena: at the last place if they are the same as there.
    fn place_params(&mut self, params: &[u8]) -> usize {
        if let Some(last) = self.params.len().checked_sub(PARAMS_STRIDE)
            && self.params[last..].starts_with(params)
        {
            return last;
        }
        let offset = self.params.len();
        self.params.extend_from_slice(params);
        self.params.resize(offset + PARAMS_STRIDE, 0);
        offset
    }

    /// Records a copy between buffers of the device.
    pub(crate) fn copy(&mut self, from: (&Arc<Buffer>, u64), to: (&Arc<Buffer>, u64), bytes: u64) -> Result<()> {
        self.health()?;
        from.0.ready_for(&self.clock, false)?;
        to.0.ready_for(&self.clock, true)?;
        self.recorded += 1;
        from.0.read_by(&self.clock, self.recorded);
        to.0.written_by(&self.clock, self.recorded);
        self.used.extend([from.0.clone(), to.0.clone()]);
        let (from, from_offset, to, to_offset) = (from.0.clone(), from.1, to.0.clone(), to.1);
        self.steps.push(Step::Copy { from, from_offset, to, to_offset, bytes });
        Ok(())
    }

    /// Records that so many words of a buffer, from one on, become 0. No kernel is compiled for it.
    pub(crate) fn clear(&mut self, buffer: &Arc<Buffer>, first: u64, words: u64) -> Result<()> {
        if words == 0 {
            return Ok(());
        }
        self.health()?;
        buffer.ready_for(&self.clock, true)?;
        self.recorded += 1;
        buffer.written_by(&self.clock, self.recorded);
        self.used.push(buffer.clone());
        self.steps.push(Step::Clear { buffer: buffer.clone(), offset: 4 * first, bytes: 4 * words });
        Ok(())
    }

    /// A temporary buffer. When the budget is used up it waits for earlier work to give its memory back.
    pub(crate) fn scratch(&mut self, bytes: u64, what: &str) -> Result<Arc<Buffer>> {
        let mut made = self.gpu.try_buffer(bytes, Purpose::Array, u64::MAX, what);
        if matches!(made, Ok(None) | Err(Error::OutOfMemory { .. })) {
            self.flush()?;
            self.gpu.submits.drain(&self.gpu)?;
            made = self.gpu.try_buffer(bytes, Purpose::Array, u64::MAX, what);
        }
        made?.map(Arc::new).ok_or_else(|| self.no_room(what, bytes))
    }

    pub(super) fn no_room(&self, what: &str, bytes: u64) -> Error {
        let memory = &self.gpu.memory;
        Error::Limit {
            what: format!("bytes of the memory budget for {what}"),
            need: memory.used() + bytes,
            have: memory.budget(),
        }
    }

    fn buffers(&mut self) -> Result<&mut StreamBuffers> {
        let buffers = match self.buffers.take() {
            Some(buffers) => buffers,
            None => self.gpu.take_stream_buffers()?,
        };
        Ok(self.buffers.insert(buffers))
    }

    /// Gives up the status words; the next dispatch begins with new ones.
    pub(super) fn drop_stream_buffers(&mut self) {
        self.buffers = None;
    }

    /// Submits what is recorded.
    pub(crate) fn flush(&mut self) -> Result<()> {
        if self.steps.is_empty() {
            return Ok(());
        }
        self.submit(None).map(|_| ())
    }

    /// Submits, with the data behind `proof` (a chunk and its words) followed by the status words.
    pub(super) fn submit(&mut self, proof: Option<(&Arc<Buffer>, usize)>) -> Result<(super::submit::Submitted, Proof)> {
        self.health()?;
        let nonce = NONCE.fetch_add(1, Ordering::Relaxed);
        let seal = self.gpu.pipelines.get(&self.gpu.device, &encode::SEAL, &[], true)?;
        let params = encode::SealParams { nonce };
        let one = Grid::linear(1)?;
        let dispatch = Dispatch::new(&params, &[], one, Work::default());
        self.push(&encode::SEAL, seal, &dispatch, Groups::Known(one.counts()))?;
        for chunk in &self.staging_chunks {
            chunk.raw.unmap();
        }
        let gpu = self.gpu.clone();
        let steps = std::mem::take(&mut self.steps);
        let params = std::mem::take(&mut self.params);
        let used = std::mem::take(&mut self.used);
        self.counting = gpu.is_counting();
        let staging_chunks = std::mem::take(&mut self.staging_chunks);
        let recorded = self.recorded;
        self.cost = 0;
        let buffers = self.buffers()?;
        let proof_copy = proof.map(|(chunk, words)| (chunk, proof_offset(words)));
        let submitted = encode::submit(&gpu, &steps, buffers, &params, proof_copy, used);
        let groups = buffers.groups;
        // Steps that were counted and not handed over would spoil every later proof.
        let submitted = submitted.inspect_err(|error| {
            self.drop_stream_buffers();
            self.broken = Some(error.clone());
        })?;
        for chunk in staging_chunks {
            gpu.staging.return_upload(chunk);
        }
        self.clock.submitted.store(recorded, Ordering::Release);
        Ok((submitted, Proof { groups, nonce }))
    }
}
