//! What surrounds the plane: title, axes, legend; and how much room they take.

use super::colour::{GRID, INK};
use super::figure::{Figure, NAME, Swatch};
use super::layer::Layer;
use super::marker::Marker;
use super::scale::{Range, Scale, logarithmic_ticks, ticks};
use super::svg::{Anchor, Svg, number, shortened, text_width};

/// Height of a line of the legend.
const LINE: f64 = 20.0;
/// The sine and cosine of slanted names, 40° upward.
const SLANT: (f64, f64) = (0.643, 0.766);

/// Where the plane lies in the figure, and what stands along its axes.
struct Layout {
    left: f64,
    top: f64,
    x: Scale,
    y: Scale,
    x_ticks: Vec<(f64, String)>,
    y_ticks: Vec<(f64, String)>,
    slanted: bool,
}

pub(super) fn draw(figure: &Figure, svg: &mut Svg) {
    if let Some(diagram) = &figure.diagram {
        draw_title(figure, figure.width / 2.0, svg);
        return diagram.draw(svg);
    }
    if let Some(network) = &figure.network {
        draw_title(figure, figure.width / 2.0, svg);
        return network.draw(svg);
    }
    let layout = layout_of(figure);
    let (width, height) = (layout.x.length, layout.y.length);
    draw_title(figure, layout.left + width / 2.0, svg);
    svg.open("g", &format!("transform=\"translate({} {})\"", number(layout.left), number(layout.top)));
    draw_grid(figure, &layout, svg);
    // A nested picture cuts off what lies outside the plane.
    svg.open("svg", &format!("width=\"{}\" height=\"{}\" overflow=\"hidden\"", number(width), number(height)));
    figure.layers.iter().for_each(|layer| layer.draw(svg, &layout.x, &layout.y));
    svg.close("svg");
    draw_axes(figure, &layout, svg);
    draw_legend(figure, &layout, svg);
    svg.close("g");
}

/// The title around a place, within the figure.
fn draw_title(figure: &Figure, middle: f64, svg: &mut Svg) {
    if figure.title.is_empty() {
        return;
    }
    let title = shortened(&figure.title, (figure.width / text_width("x", 15.0)) as usize);
    let middle = middle.clamp(text_width(&title, 15.0) / 2.0, figure.width);
    let attributes = format!("font-size=\"15\" font-weight=\"bold\" fill=\"{INK}\"");
    svg.text((middle, 22.0), Anchor::Middle, &attributes, &title);
}

fn layout_of(figure: &Figure) -> Layout {
    let top = if figure.title.is_empty() { 12.0 } else { 36.0 };
    let x_label = if figure.x_label.is_empty() { 0.0 } else { 20.0 };
    let y_label = if figure.y_label.is_empty() { 0.0 } else { 22.0 };
    let right = legend_width(figure).max(18.0);
    let logarithmic = is_logarithmic(figure);
    let (mut x_range, mut y_range) = ranges(figure, logarithmic);

    let height = (figure.height - top - 30.0 - x_label).max(40.0);
    let y_ticks = |range, height: f64| axis_ticks(figure, &figure.y_names, range, (height / 45.0) as usize);
    let widest = |ticks: &[(f64, String)]| ticks.iter().map(|tick| text_width(&tick.1, 12.0)).fold(0.0, f64::max);
    let mut left = 14.0 + y_label + widest(&y_ticks(y_range, height));
    let mut width = (figure.width - left - right).max(40.0);

    let x_ticks = |range, width: f64| match logarithmic {
        true => logarithmic_ticks(range, ((width / 55.0) as usize).clamp(2, 12)),
        false => axis_ticks(figure, &figure.x_names, range, (width / 55.0) as usize),
    };
    let x_width = widest(&x_ticks(x_range, width));
    let slot = width / figure.x_names.as_ref().map_or(1.0, |names| names.len() as f64);
    let slanted = figure.x_names.is_some() && x_width + 6.0 > slot;
    if slanted {
        // Slanted names reach to the left of their places, the first one perhaps beyond the edge.
        let place = |value: f64| (value - x_range.low) / x_range.width() * width;
        let reach = |tick: &(f64, String)| text_width(&tick.1, 12.0) * SLANT.1 - place(tick.0);
        let needed = x_ticks(x_range, width).iter().map(reach).fold(0.0, f64::max) + 6.0;
        left = left.max(needed.min(figure.width / 2.0));
        width = (figure.width - left - right).max(40.0);
    }
    let names_height = if slanted { x_width * SLANT.0 + 8.0 } else { 0.0 };
    let height = (height - names_height).max(40.0);
    if figure.equal_axes {
        let unit = (x_range.width() / width).max(y_range.width() / height);
        (x_range, y_range) = (x_range.widened(unit * width), y_range.widened(unit * height));
    }
    Layout {
        left,
        top,
        x: Scale { range: x_range, length: width, upward: false, logarithmic },
        // Rows of cells go down, numbers go up.
        y: Scale { range: y_range, length: height, upward: figure.y_names.is_none(), logarithmic: false },
        x_ticks: x_ticks(x_range, width),
        y_ticks: y_ticks(y_range, height),
        slanted,
    }
}

/// Whether the x axis is logarithmic: what has names or cells along it has places, not numbers.
fn is_logarithmic(figure: &Figure) -> bool {
    figure.logarithmic_x && figure.x_names.is_none() && !figure.layers.iter().any(Layer::fills)
}

/// What the axes hold: what was asked for, or all layers with a margin where nothing fills the plane. The range of a
/// logarithmic axis is one of logarithms.
fn ranges(figure: &Figure, logarithmic: bool) -> (Range, Range) {
    let filled = figure.layers.iter().any(Layer::fills);
    let bars = figure.layers.iter().any(|layer| matches!(layer, Layer::Bars { .. }));
    let margin = |named: bool| if filled || named { 0.0 } else { 0.05 };
    // A grid of cells sets the ends: points beyond it have no region to lie in.
    let ends = || figure.layers.iter().filter(|layer| !filled || layer.fills());
    let number = |value: f64| if logarithmic { value.log10() } else { value };
    let x = Range::of(ends().flat_map(Layer::x_values).map(number)).padded(margin(figure.x_names.is_some()));
    let asked = figure.x_range.filter(|range| !logarithmic || range.low > 0.0);
    let asked = asked.map(|range| Range { low: number(range.low), high: number(range.high) });
    let mut y = Range::of(ends().flat_map(Layer::y_values));
    let (low, high) = (y.low, y.high);
    y = y.padded(margin(figure.y_names.is_some()));
    if bars {
        // Bars stand on the axis.
        y = Range { low: if low == 0.0 { 0.0 } else { y.low }, high: if high == 0.0 { 0.0 } else { y.high } };
    }
    (asked.unwrap_or(x), figure.y_range.unwrap_or(y))
}

fn axis_ticks(figure: &Figure, names: &Option<Vec<String>>, range: Range, count: usize) -> Vec<(f64, String)> {
    match names {
        // At most sixty names; of more, some. A place may have none.
        Some(names) => {
            let named = || names.iter().enumerate().filter(|(_, name)| !name.is_empty());
            let every = named().count().div_ceil(60).max(1);
            let named = named().step_by(every);
            named.map(|(at, name)| (at as f64, shortened(name, figure.letters))).collect()
        }
        None => ticks(range, count.clamp(2, 12)),
    }
}

fn draw_grid(figure: &Figure, layout: &Layout, svg: &mut Svg) {
    if figure.layers.iter().any(Layer::fills) {
        return;
    }
    let (width, height) = (layout.x.length, layout.y.length);
    svg.open("g", &format!("stroke=\"{GRID}\" stroke-width=\"1\""));
    if figure.x_names.is_none() {
        for (value, _) in &layout.x_ticks {
            let x = layout.x.place(*value);
            svg.line((x, 0.0), (x, height), "");
        }
    }
    for (value, _) in &layout.y_ticks {
        let y = layout.y.place(*value);
        svg.line((0.0, y), (width, y), "");
    }
    svg.close("g");
}

fn draw_axes(figure: &Figure, layout: &Layout, svg: &mut Svg) {
    let (width, height) = (layout.x.length, layout.y.length);
    svg.rectangle(0.0, 0.0, width, height, "fill=\"none\" stroke=\"#bbbbbb\" stroke-width=\"1\"");
    svg.open("g", &format!("fill=\"{INK}\""));
    for (value, text) in &layout.x_ticks {
        let (x, y) = (layout.x.place(*value), height + 17.0);
        if layout.slanted {
            let turn = format!("transform=\"rotate(-40 {} {})\"", number(x + 4.0), number(height + 12.0));
            svg.text((x + 4.0, height + 12.0), Anchor::End, &turn, text);
        } else {
            svg.text((x, y), Anchor::Middle, "", text);
        }
    }
    for (value, text) in &layout.y_ticks {
        svg.text((-7.0, layout.y.place(*value) + 4.0), Anchor::End, "", text);
    }
    if !figure.x_label.is_empty() {
        let y = figure.height - layout.top - 8.0;
        svg.text((width / 2.0, y), Anchor::Middle, "font-size=\"13\"", &figure.x_label);
    }
    if !figure.y_label.is_empty() {
        let (x, y) = (16.0 - layout.left, height / 2.0);
        let turn = format!("font-size=\"13\" transform=\"rotate(-90 {} {})\"", number(x), number(y));
        svg.text((x, y), Anchor::Middle, &turn, &figure.y_label);
    }
    svg.close("g");
}

fn legend_width(figure: &Figure) -> f64 {
    if !figure.has_legend || figure.entries.is_empty() {
        return 0.0;
    }
    let widest = figure.entries.iter().map(|entry| text_width(&shortened(&entry.0, NAME), 12.0)).fold(0.0, f64::max);
    (widest + 52.0).min(figure.width / 2.0)
}

fn draw_legend(figure: &Figure, layout: &Layout, svg: &mut Svg) {
    if !figure.has_legend {
        return;
    }
    let left = layout.x.length + 14.0;
    let lines = ((layout.y.length / LINE) as usize).max(1);
    let shown = if figure.entries.len() > lines { lines - 1 } else { figure.entries.len() };
    for (at, (name, swatch)) in figure.entries[..shown].iter().enumerate() {
        let middle = (at as f64 + 0.5) * LINE;
        draw_swatch(svg, swatch, left, middle);
        svg.text((left + 26.0, middle + 4.0), Anchor::Start, &format!("fill=\"{INK}\""), &shortened(name, NAME));
    }
    if shown < figure.entries.len() {
        let text = format!("… {} more", figure.entries.len() - shown);
        svg.text((left, (shown as f64 + 0.5) * LINE + 4.0), Anchor::Start, &format!("fill=\"{INK}\""), &text);
    }
}

fn draw_swatch(svg: &mut Svg, swatch: &Swatch, left: f64, middle: f64) {
    let line = |colour: &str, dashed| {
        let points = vec![(0.0, 0.0), (1.0, 0.0)];
        Layer::Line { colour: colour.to_string(), dashed, points }
    };
    let (x, y) = (
        Scale { range: Range { low: 0.0, high: 1.0 }, length: 20.0, upward: false, logarithmic: false },
        Scale { range: Range { low: 0.0, high: 1.0 }, length: LINE, upward: false, logarithmic: false },
    );
    svg.open("g", &format!("transform=\"translate({} {})\"", number(left), number(middle)));
    match swatch {
        Swatch::Mark(colour, marker) => mark(*colour, *marker).draw(svg, &x, &y),
        Swatch::Line { colour, dashed } => line(colour, *dashed).draw(svg, &x, &y),
        Swatch::Area(colour) => svg.rectangle(2.0, -7.0, 16.0, 14.0, &format!("fill=\"{colour}\" stroke=\"#dddddd\"")),
        Swatch::Cross => Layer::Centers { points: vec![(0.5, 0.0)] }.draw(svg, &x, &y),
    }
    svg.close("g");
}

fn mark(colour: usize, marker: Marker) -> Layer {
    Layer::Points { colour, marker, points: vec![(0.5, 0.0)] }
}
