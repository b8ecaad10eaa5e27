//! What lies on the plane of a figure, and how it is drawn.

use super::colour::{INK, class_colour, class_tint, ink_on_scale, scale_colour};
use super::grid::Grid;
use super::marker::{Marker, distinct, size_for};
use super::scale::{Range, Scale, drawable};
use super::svg::{Anchor, Svg, number, text_width};

/// The share of its place that a bar fills.
const BAR: f64 = 0.72;
/// A cell that is narrower has no white edge.
const SMALL_CELL: f64 = 12.0;
/// The radius of a point in a swarm, at most.
const SMALL: f64 = 2.5;

#[derive(Debug, Clone)]
pub(super) enum Layer {
    Points {
        colour: usize,
        marker: Marker,
        points: Vec<(f64, f64)>,
    },
    /// Small points, each with a colour of its own.
    Coloured {
        points: Vec<(f64, f64)>,
        colours: Vec<String>,
    },
    Line {
        colour: String,
        dashed: bool,
        points: Vec<(f64, f64)>,
    },
    /// (x, low, high).
    Band {
        colour: usize,
        points: Vec<(f64, f64, f64)>,
    },
    /// Words, each in the middle of its place.
    Words {
        points: Vec<(f64, f64)>,
        texts: Vec<String>,
    },
    /// Big crosses.
    Centers {
        points: Vec<(f64, f64)>,
    },
    Regions {
        grid: Grid,
        codes: Vec<u32>,
    },
    /// One bar at 0, 1, 2, ….
    Bars {
        values: Vec<f64>,
        texts: Vec<String>,
    },
    /// Cells at whole numbers, row by row from the top; a share from 0 to 1 and a text each.
    Cells {
        columns: usize,
        shares: Vec<f64>,
        texts: Vec<String>,
    },
}

impl Layer {
    /// The numbers that the x axis must hold.
    pub(super) fn x_values(&self) -> Vec<f64> {
        match self {
            Layer::Points { points, .. }
            | Layer::Coloured { points, .. }
            | Layer::Line { points, .. }
            | Layer::Words { points, .. }
            | Layer::Centers { points } => {
                points.iter().filter(|point| drawable(point.1)).map(|point| point.0).collect()
            }
            Layer::Band { points, .. } => points.iter().map(|point| point.0).collect(),
            Layer::Regions { grid, .. } => vec![grid.x.low, grid.x.high],
            Layer::Bars { values, .. } => vec![-0.5, values.len() as f64 - 0.5],
            Layer::Cells { columns, .. } => vec![-0.5, *columns as f64 - 0.5],
        }
    }

    /// The numbers that the y axis must hold.
    pub(super) fn y_values(&self) -> Vec<f64> {
        match self {
            Layer::Points { points, .. }
            | Layer::Coloured { points, .. }
            | Layer::Line { points, .. }
            | Layer::Words { points, .. }
            | Layer::Centers { points } => {
                points.iter().filter(|point| drawable(point.0)).map(|point| point.1).collect()
            }
            Layer::Band { points, .. } => points.iter().flat_map(|point| [point.1, point.2]).collect(),
            Layer::Regions { grid, .. } => vec![grid.y.low, grid.y.high],
            Layer::Bars { values, .. } => values.iter().copied().chain([0.0]).collect(),
            Layer::Cells { columns, shares, .. } => vec![-0.5, (shares.len() / columns) as f64 - 0.5],
        }
    }

    /// Whether the layer fills the plane to its edges.
    pub(super) fn fills(&self) -> bool {
        matches!(self, Layer::Regions { .. } | Layer::Cells { .. })
    }

    pub(super) fn draw(&self, svg: &mut Svg, x: &Scale, y: &Scale) {
        let place = |point: &(f64, f64)| (x.place(point.0), y.place(point.1));
        let seen = |point: &&(f64, f64)| x.holds(point.0) && y.holds(point.1);
        match self {
            Layer::Points { colour, marker, points } => {
                let size = size_for(points.len());
                let fill = class_colour(*colour);
                svg.open("g", &format!("fill=\"{fill}\" stroke=\"#ffffff\" stroke-width=\"{}\"", number(size / 6.0)));
                let places = distinct(points.iter().filter(seen).map(place));
                places.into_iter().for_each(|place| marker.draw(svg, place, size));
                svg.close("g");
            }
            Layer::Coloured { points, colours } => {
                for (point, colour) in points.iter().zip(colours).filter(|(point, _)| seen(point)) {
                    let ((x, y), size) = (place(point), size_for(points.len()).min(SMALL));
                    let (x, y, size) = (number(x), number(y), number(size));
                    svg.element("circle", &format!("cx=\"{x}\" cy=\"{y}\" r=\"{size}\" fill=\"{colour}\""));
                }
            }
            Layer::Line { colour, dashed, points } => {
                let path = path_of(points.iter().map(|point| seen(&point).then(|| place(point))));
                let dashes = if *dashed { " stroke-dasharray=\"6 4\"" } else { "" };
                let style = "fill=\"none\" stroke-width=\"2\" stroke-linejoin=\"round\"";
                svg.element("path", &format!("d=\"{path}\" stroke=\"{colour}\" {style}{dashes}"));
            }
            Layer::Band { colour, points } => {
                let whole = |point: &&(f64, f64, f64)| x.holds(point.0) && y.holds(point.1) && y.holds(point.2);
                let points: Vec<_> = points.iter().filter(whole).collect();
                let upper = points.iter().map(|point| Some(place(&(point.0, point.2))));
                let lower = points.iter().rev().map(|point| Some(place(&(point.0, point.1))));
                let path = path_of(upper.chain(lower));
                svg.element("path", &format!("d=\"{path}z\" fill=\"{}\" fill-opacity=\"0.2\"", class_colour(*colour)));
            }
            Layer::Words { points, texts } => {
                for (point, text) in points.iter().zip(texts).filter(|(point, _)| seen(point)) {
                    let (x, y) = place(point);
                    svg.text((x, y + 4.0), Anchor::Middle, &format!("font-size=\"11\" fill=\"{INK}\""), text);
                }
            }
            Layer::Centers { points } => draw_crosses(svg, points.iter().filter(seen).map(place)),
            Layer::Regions { grid, codes } => draw_regions(svg, grid, codes, x, y),
            Layer::Bars { values, texts } => draw_bars(svg, values, texts, x, y),
            Layer::Cells { columns, shares, texts } => draw_cells(svg, *columns, shares, texts, x, y),
        }
    }
}

/// A path through places; a gap starts a new piece.
fn path_of(places: impl Iterator<Item = Option<(f64, f64)>>) -> String {
    let (mut path, mut last) = (String::new(), None);
    for place in places {
        let text = place.map(|(x, y)| format!("{} {}", number(x), number(y)));
        match (&last, &text) {
            (_, None) => {}
            (Some(before), Some(here)) if before == here => {}
            (Some(_), Some(here)) => path.extend(["L", here]),
            (None, Some(here)) => path.extend(["M", here]),
        }
        last = text;
    }
    path
}

/// Crosses with a white edge, to be seen on anything.
fn draw_crosses(svg: &mut Svg, places: impl Iterator<Item = (f64, f64)>) {
    let arms = |(x, y): (f64, f64)| {
        let (left, right, top, bottom) = (number(x - 6.0), number(x + 6.0), number(y - 6.0), number(y + 6.0));
        format!("M{left} {top}L{right} {bottom}M{left} {bottom}L{right} {top}")
    };
    let path: String = places.map(arms).collect();
    for (colour, width) in [("#ffffff", 6), (INK, 3)] {
        let stroke = format!("stroke=\"{colour}\" stroke-width=\"{width}\" stroke-linecap=\"round\"");
        svg.element("path", &format!("d=\"{path}\" fill=\"none\" {stroke}"));
    }
}

/// Cells of one class side by side: (first column, column after the last, class).
type Run = (usize, usize, u32);

/// Cells of one class in a row become one rectangle, and equal rectangles above each other too.
fn draw_regions(svg: &mut Svg, grid: &Grid, codes: &[u32], x: &Scale, y: &Scale) {
    let mut classes: Vec<u32> = codes.to_vec();
    classes.sort_unstable();
    classes.dedup();
    let mut paths = vec![String::new(); classes.len()];
    let edge = |range: Range, at: usize, count: usize| range.low + range.width() * at as f64 / count as f64;
    let mut finish = |(start, end, code): Run, bottom: usize, top: usize| {
        let (left, right) = (edge(grid.x, start, grid.columns), edge(grid.x, end, grid.columns));
        let (low, high) = (edge(grid.y, bottom, grid.rows), edge(grid.y, top, grid.rows));
        let (left, right, low, high) = (x.place(left), x.place(right), y.place(low), y.place(high));
        let path = &mut paths[classes.partition_point(|class| *class < code)];
        path.push_str(&format!(
            "M{} {}H{}V{}H{}z",
            number(left),
            number(high),
            number(right),
            number(low),
            number(left)
        ));
    };
    // Rectangles that may grow upward, and the row they began in.
    let mut growing: Vec<(Run, usize)> = vec![];
    for (row, codes) in codes.chunks(grid.columns).enumerate() {
        let mut start = 0;
        let runs: Vec<Run> = codes
            .chunk_by(|a, b| a == b)
            .map(|run| {
                start += run.len();
                (start - run.len(), start, run[0])
            })
            .collect();
        // Both lists ascend, so a run is found by its start.
        let check_stopped = |run: &Run| runs.binary_search(run).is_ok();
        growing.iter().filter(|(run, _)| !check_stopped(run)).for_each(|(run, began)| finish(*run, *began, row));
        let began = |run: &Run| growing.binary_search_by_key(run, |old| old.0).map_or(row, |at| growing[at].1);
        growing = runs.iter().map(|run| (*run, began(run))).collect();
    }
    growing.iter().for_each(|(run, began)| finish(*run, *began, grid.rows));
    svg.open("g", "shape-rendering=\"crispEdges\"");
    for (class, path) in classes.iter().zip(paths) {
        svg.element("path", &format!("d=\"{path}\" fill=\"{}\"", class_tint(*class as usize)));
    }
    svg.close("g");
}

fn draw_bars(svg: &mut Svg, values: &[f64], texts: &[String], x: &Scale, y: &Scale) {
    let (width, zero) = (x.length / x.range.width() * BAR, y.place(0.0));
    let room = texts.iter().all(|text| text_width(text, 11.0) < width / BAR);
    for (at, value) in values.iter().enumerate().filter(|(_, value)| drawable(**value)) {
        let (middle, end) = (x.place(at as f64), y.place(*value));
        let fill = format!("fill=\"{}\"", class_colour(0));
        svg.rectangle(middle - width / 2.0, zero.min(end), width, (zero - end).abs(), &fill);
        if room {
            let baseline = if *value < 0.0 { end + 12.0 } else { end - 4.0 };
            svg.text((middle, baseline), Anchor::Middle, &format!("font-size=\"11\" fill=\"{INK}\""), &texts[at]);
        }
    }
}

fn draw_cells(svg: &mut Svg, columns: usize, shares: &[f64], texts: &[String], x: &Scale, y: &Scale) {
    let (width, height) = (x.length / x.range.width(), y.length / y.range.width());
    let room = cell_text_fits(width, height, texts);
    let small = width.min(height) < SMALL_CELL;
    for (at, (share, text)) in shares.iter().zip(texts).enumerate() {
        // The first row is on top.
        let (left, top) = ((at % columns) as f64 * width, (at / columns) as f64 * height);
        let fill = if share.is_finite() { scale_colour(*share) } else { "#ffffff".to_string() };
        // Lines between small cells would hide them.
        let edge = if small { fill.as_str() } else { "#ffffff" };
        svg.rectangle(left, top, width, height, &format!("fill=\"{fill}\" stroke=\"{edge}\" stroke-width=\"1\""));
        if room {
            let attributes = format!("font-size=\"12\" fill=\"{}\"", ink_on_scale(*share));
            svg.text((left + width / 2.0, top + height / 2.0 + 4.0), Anchor::Middle, &attributes, text);
        }
    }
}

/// Whether the texts of cells can be read.
fn cell_text_fits(width: f64, height: f64, texts: &[String]) -> bool {
    height >= 15.0 && texts.iter().all(|text| text_width(text, 12.0) + 4.0 <= width)
}
