//! The products of a dense layer, with activation and dropout before the store.

use super::holds;
use crate::array::{DeviceVec, View};
use crate::cpu::neural::dense as twin;
pub use crate::cpu::neural::dense::DenseShape;
use crate::cpu::neural::tail::{Activation, Tail};
use crate::device::Stream;
use crate::error::{Error, Result};
use crate::kernel::kernels;
use crate::ops::linalg::gemm::MergeParams;
use crate::ops::pairs::{self, Operand, Output, PairKernel};

kernels! {
    /// Two operands, the product, values of the layer before, weights with the biases.
    pub KERNEL = "neural/dense", [Read, Read, Write, Read, Read], pairs::Params;
    /// Layers of values, the values, weights with the biases.
    pub KERNEL_MERGE = "neural/dense__merge", [Read, Write, Read], MergeParams;
}

/// Which of the products, as in the shader.
const VALUES: u32 = 0;
const INPUT_SLOPES: u32 = 1;
const WEIGHT_SLOPES: u32 = 2;

/// `out = tail(x·W + bias)`, rows×outputs, from `x`, rows×inputs. 2·rows·inputs·outputs operations, one dispatch; two where there
/// are many inputs for few outputs, which are then summed in layers.
///
/// ```
/// use gristmill::ops::neural::*;
/// use gristmill::{Device, DeviceVec};
/// let mut stream = Device::Cpu.stream();
/// let shape = DenseShape { first: 0, inputs: 2, outputs: 1 };
/// // Two weights and a bias, each in a row of four numbers.
/// let parameters = DeviceVec::from_slice(&[1.0_f32, 0., 0., 0., 2., 0., 0., 0., -1., 0., 0., 0.], &Device::Cpu)?;
/// let x = DeviceVec::from_slice(&[3.0_f32, 4.0, 0.0, 0.0], &Device::Cpu)?;
/// let mut out = zeros(&mut stream, 4)?;
/// dense_forward(&mut stream, &x, (&parameters, shape), 1, &mut out, Tail::default())?;
/// assert_eq!(out.to_vec(&mut stream)?[0], 10.0);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn dense_forward(
    stream: &mut Stream,
    x: &DeviceVec<f32>,
    (parameters, shape): (&DeviceVec<f32>, DenseShape),
    rows: usize,
    out: &mut DeviceVec<f32>,
    tail: Tail,
) -> Result<()> {
    const OP: &str = "dense_forward";
    check(OP, shape, tail)?;
    holds(OP, "inputs", x, rows * shape.input_stride())?;
    holds(OP, "parameters", parameters, shape.first + shape.parameters())?;
    holds(OP, "outputs", out, rows * shape.output_stride())?;
    if stream.gpu().is_none() {
        twin::forward(x.values()?, parameters.values()?, shape, rows, out.values_mut()?, tail);
        return Ok(());
    }
    let x = Rows { vector: x, first: 0, stride: shape.input_stride() };
    let out = Rows { vector: out, first: 0, stride: shape.output_stride() };
    forward_on_gpu(stream, x, (parameters, shape), rows, out, tail)
}

/// Rows inside a vector on a GPU: where the first begins and how far they lie apart, in multiples of 4.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    pub(super) vector: &'a DeviceVec<f32>,
    pub(super) first: usize,
    pub(super) stride: usize,
}

impl Rows<'_> {
    fn view(&self, stream: &mut Stream) -> Result<View> {
        Ok(self.vector.view(stream)?.skip(self.first))
    }
}

/// [`dense_forward`] of rows that lie anywhere.
pub(super) fn forward_on_gpu(
    stream: &mut Stream,
    from: Rows<'_>,
    (parameters, shape): (&DeviceVec<f32>, DenseShape),
    rows: usize,
    to: Rows<'_>,
    tail: Tail,
) -> Result<()> {
    let (x, all, out) = (from.view(stream)?, parameters.view(stream)?, to.view(stream)?);
    let (weights, bias) = (all.skip(shape.first), all.skip(shape.first + shape.inputs * shape.output_stride()));
    let a = Operand { view: &x, rows, first: 0, stride: from.stride, deep: false };
    let b = Operand { view: &weights, rows: shape.outputs, first: 0, stride: shape.output_stride(), deep: true };
    let call = Call { product: VALUES, tail, saved: &x, bias: &bias };
    call.run(stream, (a, b), shape.inputs, (&out, to.stride, false))
}

/// `out = tail'(slope·Wᵀ)`, rows×inputs: the slopes by the sums of the layer before, from those by this layer's sums. `saved`
/// are the values of the layer before, this layer's inputs, and `tail` is that layer's.
pub fn dense_input_slope(
    stream: &mut Stream,
    slope: &DeviceVec<f32>,
    (parameters, shape): (&DeviceVec<f32>, DenseShape),
    rows: usize,
    out: &mut DeviceVec<f32>,
    (tail, saved): (Tail, &DeviceVec<f32>),
) -> Result<()> {
    const OP: &str = "dense_input_slope";
    check(OP, shape, tail)?;
    holds(OP, "slopes", slope, rows * shape.output_stride())?;
    holds(OP, "parameters", parameters, shape.first + shape.parameters())?;
    holds(OP, "inputs", saved, rows * shape.input_stride())?;
    holds(OP, "slopes by inputs", out, rows * shape.input_stride())?;
    if stream.gpu().is_none() {
        let (slope, parameters) = (slope.values()?, parameters.values()?);
        twin::input_slope(slope, parameters, shape, rows, out.values_mut()?, (tail, saved.values()?));
        return Ok(());
    }
    let slope = Rows { vector: slope, first: 0, stride: shape.output_stride() };
    let out = Rows { vector: out, first: 0, stride: shape.input_stride() };
    input_slope_on_gpu(stream, slope, (parameters, shape), rows, out, (tail, saved))
}

/// [`dense_input_slope`] of rows that lie anywhere.
pub(super) fn input_slope_on_gpu(
    stream: &mut Stream,
    from: Rows<'_>,
    (parameters, shape): (&DeviceVec<f32>, DenseShape),
    rows: usize,
    to: Rows<'_>,
    (tail, saved): (Tail, &DeviceVec<f32>),
) -> Result<()> {
    let (slope, saved, out) = (from.view(stream)?, saved.view(stream)?, to.view(stream)?);
    let weights = parameters.view(stream)?.skip(shape.first);
    let a = Operand { view: &slope, rows, first: 0, stride: from.stride, deep: false };
    let b = Operand { view: &weights, rows: shape.inputs, first: 0, stride: shape.output_stride(), deep: false };
    let call = Call { product: INPUT_SLOPES, tail, saved: &saved, bias: &weights };
    call.run(stream, (a, b), shape.outputs, (&out, to.stride, false))
}

/// The slopes by the weights, `xᵀ·slope`, and by the biases, Σ slope, written into `gradient` where the layer's parameters
/// are, or added to what is there.
pub fn dense_weight_slope(
    stream: &mut Stream,
    (x, slope): (&DeviceVec<f32>, &DeviceVec<f32>),
    shape: DenseShape,
    rows: usize,
    gradient: &mut DeviceVec<f32>,
    add: bool,
) -> Result<()> {
    const OP: &str = "dense_weight_slope";
    check(OP, shape, Tail::default())?;
    holds(OP, "inputs", x, rows * shape.input_stride())?;
    holds(OP, "slopes", slope, rows * shape.output_stride())?;
    holds(OP, "gradients", gradient, shape.first + shape.parameters())?;
    if stream.gpu().is_none() {
        twin::weight_slope(x.values()?, slope.values()?, shape, rows, gradient.values_mut()?, add);
        return Ok(());
    }
    let (x, slope) = (x.view(stream)?, slope.view(stream)?);
    let out = gradient.view(stream)?.skip(shape.first);
    let a = Operand { view: &x, rows: shape.inputs + 1, first: 0, stride: shape.input_stride(), deep: true };
    let b = Operand { view: &slope, rows: shape.outputs, first: 0, stride: shape.output_stride(), deep: true };
    let call = Call { product: WEIGHT_SLOPES, tail: Tail::default(), saved: &x, bias: &x };
    call.run(stream, (a, b), rows, (&out, shape.output_stride(), add))
}

fn check(op: &'static str, shape: DenseShape, tail: Tail) -> Result<()> {
    if shape.inputs == 0 || shape.outputs == 0 || !shape.first.is_multiple_of(4) {
        let expected = "at least one input and output, and weights that begin at a multiple of 4".to_string();
        return Err(Error::shape(op, expected, format!("{shape:?}")));
    }
    if tail.activation == Activation::Softmax {
        return Err(Error::param("activation", "one of a single value: softmax is for the last layer", "softmax"));
    }
    Ok(())
}

/// The numbers of dropout for a kernel on the tile core. Integers as f32, which holds them exactly: 24 bits, and the key in
/// halves of 16.
pub(super) fn drop_scalars(tail: Tail) -> [f32; 8] {
    tail.dropout.map_or([0.0; 8], |drop| {
        let half = |at: u32| ((drop.key >> (16 * at)) & 0xffff) as f32;
        let (threshold, step) = (drop.threshold() as f32, drop.step as f32);
        [drop.scale(), 1.0 - drop.rate, threshold, step, half(0), half(1), half(2), half(3)]
    })
}

/// One of the products.
struct Call<'a> {
    product: u32,
    tail: Tail,
    saved: &'a View,
    bias: &'a View,
}

impl Call<'_> {
    fn run(
        &self,
        stream: &mut Stream,
        operands: (Operand<'_>, Operand<'_>),
        depth: usize,
        (view, stride, add): (&View, usize, bool),
    ) -> Result<()> {
        let Some(recording) = stream.gpu() else { return Ok(()) };
        if operands.0.rows == 0 {
            return Ok(());
        }
        let deep = [operands.0.deep, operands.1.deep].map(u32::from);
        let overrides = [
            ("TAIL", self.tail.activation as u32),
            ("DROPOUT", u32::from(self.tail.dropout.is_some())),
            ("A_DEEP", deep[0]),
            ("B_DEEP", deep[1]),
            ("PRODUCT", self.product),
        ];
        let pair = PairKernel::new(&KERNEL, &[], 2, self.product == VALUES);
        let pair = PairKernel {
            overrides: &overrides,
            merge_kernel: &KERNEL_MERGE,
            merge: &overrides[..2],
            row_vector: Some(self.saved),
            column_vector: Some(self.bias),
            scalars: drop_scalars(self.tail),
            largest_tile: 64,
            ..pair
        };
        let beta = if add { 1.0 } else { 0.0 };
        let out = Output { view, stride, column: 0, alpha: 1.0, beta, finish: true };
        // The layers of the other two products would be two dispatches more for each layer of the network.
        match pair.layered {
            true => pairs::depth_blocks(recording, &pair, operands, 0..depth, out),
            false => pairs::product(recording, &pair, operands, 0..depth, out),
        }
    }
}
