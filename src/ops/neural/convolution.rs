//! The products of a convolution, with activation and dropout before the store.

use super::dense::drop_scalars;
use super::holds;
use crate::array::{DeviceVec, View, blocks};
use crate::cpu::neural::convolution as twin;
pub use crate::cpu::neural::convolution::ConvolutionShape;
use crate::cpu::neural::tail::{Activation, Tail};
use crate::device::Stream;
use crate::error::{Error, Result};
use crate::kernel::kernels;
use crate::ops::pairs::{self, Operand, Output, PairKernel};

kernels! {
    /// Two operands, the product, values of the layer before, weights with the biases.
    pub KERNEL = "neural/convolution", [Read, Read, Write, Read, Read], pairs::Params;
}

const VALUES: u32 = 0;
const INPUT_SLOPES: u32 = 1;
const WEIGHT_SLOPES: u32 = 2;

/// `out = tail(windows·W + bias)`: images of (window rows)×(window columns)×filters, from images of height×width×channels. No
/// layout of the windows is made. 2·windows·(numbers of a window)·filters operations an image.
pub fn convolution_forward(
    stream: &mut Stream,
    x: &DeviceVec<f32>,
    (parameters, shape): (&DeviceVec<f32>, ConvolutionShape),
    images: usize,
    out: &mut DeviceVec<f32>,
    tail: Tail,
) -> Result<()> {
    const OP: &str = "convolution_forward";
    check(OP, shape, tail)?;
    holds(OP, "images", x, images * shape.windows.image_stride())?;
    holds(OP, "parameters", parameters, shape.first + shape.parameters())?;
    holds(OP, "outputs", out, images * shape.output_stride())?;
    if stream.gpu().is_none() {
        twin::forward(x.values()?, parameters.values()?, shape, images, out.values_mut()?, tail);
        return Ok(());
    }
    let (x, all, out) = (x.view(stream)?, parameters.view(stream)?, out.view(stream)?);
    let (depth, filters) = (shape.windows.depth(), shape.filters);
    let (weights, bias) = (all.skip(shape.first), all.skip(shape.first + depth * filters));
    for taken in blocks(images, at_once(stream, shape)) {
        let from = x.skip(taken.start * shape.windows.image_stride());
        let into = out.skip(taken.start * shape.output_stride());
        let rows = taken.len() * shape.windows.count();
        let a = Operand { view: &from, rows, first: 0, stride: 4, deep: false };
        let b = Operand { view: &weights, rows: filters, first: 0, stride: filters, deep: true };
        let call = Call { product: VALUES, tail, saved: &x, bias: &bias };
        call.run(stream, shape, (a, b), depth, (&into, filters))?;
    }
    Ok(())
}

/// `out = tail'(slopes by the inputs)`, from the slopes by this layer's sums. `saved` are the values of the layer before, and `tail`
/// is that layer's. Their channels must be a multiple of 4.
pub fn convolution_input_slope(
    stream: &mut Stream,
    slope: &DeviceVec<f32>,
    (parameters, shape): (&DeviceVec<f32>, ConvolutionShape),
    images: usize,
    out: &mut DeviceVec<f32>,
    (tail, saved): (Tail, &DeviceVec<f32>),
) -> Result<()> {
    const OP: &str = "convolution_input_slope";
    check(OP, shape, tail)?;
    let (stride, channels) = (shape.windows.image_stride(), shape.windows.channels);
    if !channels.is_multiple_of(4) {
        let expected = "channels that are a multiple of 4, where layers before the convolution learn";
        return Err(Error::shape(OP, expected, channels));
    }
    holds(OP, "slopes", slope, images * shape.output_stride())?;
    holds(OP, "parameters", parameters, shape.first + shape.parameters())?;
    holds(OP, "images", saved, images * stride)?;
    holds(OP, "slopes by images", out, images * stride)?;
    if stream.gpu().is_none() {
        let (slope, parameters) = (slope.values()?, parameters.values()?);
        twin::input_slope(slope, parameters, shape, images, out.values_mut()?, (tail, saved.values()?));
        return Ok(());
    }
    let (slope, saved, out) = (slope.view(stream)?, saved.view(stream)?, out.view(stream)?);
    let weights = parameters.view(stream)?.skip(shape.first);
    for taken in blocks(images, at_once(stream, shape)) {
        let from = slope.skip(taken.start * shape.output_stride());
        let into = out.skip(taken.start * stride);
        let rows = taken.len() * shape.windows.height * shape.windows.width;
        let a = Operand { view: &from, rows, first: 0, stride: 4, deep: false };
        let b = Operand { view: &weights, rows: channels, first: 0, stride: 4, deep: false };
        let call = Call { product: INPUT_SLOPES, tail, saved: &saved, bias: &weights };
        let depth = shape.windows.depth() / channels * shape.filters;
        call.run(stream, shape, (a, b), depth, (&into, channels))?;
    }
    Ok(())
}

/// The slopes by weights and biases, written into `gradient` where the layer's parameters are. A sum over all windows of the
/// batch, in blocks that are added in their order.
pub fn convolution_weight_slope(
    stream: &mut Stream,
    (x, slope): (&DeviceVec<f32>, &DeviceVec<f32>),
    shape: ConvolutionShape,
    images: usize,
    gradient: &mut DeviceVec<f32>,
) -> Result<()> {
    const OP: &str = "convolution_weight_slope";
    check(OP, shape, Tail::default())?;
    holds(OP, "images", x, images * shape.windows.image_stride())?;
    holds(OP, "slopes", slope, images * shape.output_stride())?;
    holds(OP, "gradients", gradient, shape.first + shape.parameters())?;
    if stream.gpu().is_none() {
        twin::weight_slope(x.values()?, slope.values()?, shape, images, gradient.values_mut()?);
        return Ok(());
    }
    let (x, slope) = (x.view(stream)?, slope.view(stream)?);
    let out = gradient.view(stream)?.skip(shape.first);
    let a = Operand { view: &x, rows: shape.windows.depth() + 1, first: 0, stride: 4, deep: true };
    let b = Operand { view: &slope, rows: shape.filters, first: 0, stride: shape.filters, deep: true };
    let call = Call { product: WEIGHT_SLOPES, tail: Tail::default(), saved: &x, bias: &x };
    call.run(stream, shape, (a, b), images * shape.windows.count(), (&out, shape.filters))
}

fn check(op: &'static str, shape: ConvolutionShape, tail: Tail) -> Result<()> {
    let fits = shape.windows.fit() && shape.filters > 0 && shape.filters.is_multiple_of(4);
    if !fits || !shape.first.is_multiple_of(4) {
        let expected = "windows that fit the image, and filters and a first weight that are multiples of 4";
        return Err(Error::shape(op, expected, format!("{shape:?}")));
    }
    if tail.activation == Activation::Softmax {
        return Err(Error::param("activation", "one of a single value: softmax is for the last layer", "softmax"));
    }
    Ok(())
}

/// Images of one dispatch.
fn at_once(stream: &mut Stream, shape: ConvolutionShape) -> usize {
    let work = 2 * (shape.output_stride() * shape.windows.depth()) as u64;
    stream.gpu().map_or(1, |recording| (recording.gpu.operations_per_dispatch() / work.max(1)).max(1) as usize)
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
        shape: ConvolutionShape,
        operands: (Operand<'_>, Operand<'_>),
        depth: usize,
        (view, stride): (&View, usize),
    ) -> Result<()> {
        let Some(recording) = stream.gpu() else { return Ok(()) };
        if operands.0.rows == 0 {
            return Ok(());
        }
        let windows = shape.windows;
        let overrides = [
            ("A_DEEP", u32::from(operands.0.deep)),
            ("B_DEEP", u32::from(operands.1.deep)),
            ("PRODUCT", self.product),
            ("TAIL", self.tail.activation as u32),
            ("DROPOUT", u32::from(self.tail.dropout.is_some())),
            ("HEIGHT", windows.height as u32),
            ("WIDTH", windows.width as u32),
            ("CHANNELS", windows.channels as u32),
            ("WINDOW_HEIGHT", windows.size[0] as u32),
            ("WINDOW_WIDTH", windows.size[1] as u32),
            ("STEP", windows.step as u32),
            ("PADDING", windows.padding as u32),
            ("OUT_HEIGHT", windows.rows() as u32),
            ("OUT_WIDTH", windows.columns() as u32),
            ("FILTERS", shape.filters as u32),
        ];
        let layered = self.product == WEIGHT_SLOPES;
        let pair = PairKernel {
            overrides: &overrides,
            row_vector: Some(self.saved),
            column_vector: Some(self.bias),
            scalars: drop_scalars(self.tail),
            largest_tile: 64,
            ..PairKernel::new(&KERNEL, &[], 2, layered)
        };
        let out = Output { view, stride, column: 0, alpha: 1.0, beta: 0.0, finish: !layered };
        pairs::product_over(recording, &pair, operands, 0..depth, out)
    }
}
