//! A picture of one plane.

use std::path::Path;

use super::colour::{FAINT, class_colour};
use super::diagram::Diagram;
use super::grid::{Grid, checked_range, points};
use super::layer::Layer;
use super::marker::Marker;
use super::network::Network;
use super::scale::{Range, drawable, short};
use super::svg::Svg;
use crate::array::Matrix;
use crate::data::Labels;
use crate::error::{Error, Result};
use crate::model_file::write_atomically;

/// Pixels a side, from room for axes to what viewers can hold.
const SIDES: std::ops::RangeInclusive<u32> = 160..=16_384;

/// The most letters of a name along an axis or in the legend, unless a picture has room for more.
pub(super) const NAME: usize = 20;

/// What a legend shows beside a name.
#[derive(Debug, Clone)]
pub(super) enum Swatch {
    Mark(usize, Marker),
    Line { colour: String, dashed: bool },
    Area(String),
    Cross,
}

/// A plane with axes, on which layers are put one upon the other: what comes later lies on top.
///
/// A series with an empty name has no line in the legend. Points are pairs of numbers; [`points`] takes them
/// from a matrix.
///
/// ```
/// use gristmill::plot::Figure;
/// let losses = [0.9, 0.5, 0.35, 0.31];
/// let figure = Figure::new().title("Training").x_label("iteration").y_label("loss");
/// let figure = figure.line("training", losses.iter().enumerate().map(|(at, loss)| (at as f64, *loss)));
/// let path = std::env::temp_dir().join("gristmill-training.svg");
/// figure.save(&path)?;
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Figure {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) title: String,
    pub(super) x_label: String,
    pub(super) y_label: String,
    pub(super) x_range: Option<Range>,
    pub(super) y_range: Option<Range>,
    pub(super) equal_axes: bool,
    pub(super) logarithmic_x: bool,
    pub(super) x_names: Option<Vec<String>>,
    pub(super) y_names: Option<Vec<String>>,
    /// The most letters of a name along an axis.
    pub(super) letters: usize,
    pub(super) layers: Vec<Layer>,
    pub(super) entries: Vec<(String, Swatch)>,
    pub(super) has_legend: bool,
    /// Boxes with arrows, in place of a plane.
    pub(super) diagram: Option<Diagram>,
    /// States with arrows, in place of a plane.
    pub(super) network: Option<Network>,
    series: usize,
}

impl Default for Figure {
    fn default() -> Figure {
        Figure {
            width: 560.0,
            height: 420.0,
            title: String::new(),
            x_label: String::new(),
            y_label: String::new(),
            x_range: None,
            y_range: None,
            equal_axes: false,
            logarithmic_x: false,
            x_names: None,
            y_names: None,
            letters: NAME,
            layers: vec![],
            entries: vec![],
            has_legend: true,
            diagram: None,
            network: None,
            series: 0,
        }
    }
}

impl Figure {
    /// An empty figure of 560×420 pixels.
    pub fn new() -> Figure {
        Figure::default()
    }

    /// Sets the size in pixels, each side from 160 to 16384.
    pub fn size(mut self, width: u32, height: u32) -> Result<Figure> {
        if !SIDES.contains(&width) || !SIDES.contains(&height) {
            let rule = format!("from {} to {} a side", SIDES.start(), SIDES.end());
            return Err(Error::param("size", rule, format!("{width}×{height}")));
        }
        (self.width, self.height) = (width as f64, height as f64);
        Ok(self)
    }

    /// The title.
    pub fn title_text(&self) -> &str {
        &self.title
    }

    /// Sets the title.
    pub fn title(mut self, title: impl Into<String>) -> Figure {
        self.title = title.into();
        self
    }

    /// Names the x axis.
    pub fn x_label(mut self, label: impl Into<String>) -> Figure {
        self.x_label = label.into();
        self
    }

    /// Names the y axis.
    pub fn y_label(mut self, label: impl Into<String>) -> Figure {
        self.y_label = label.into();
        self
    }

    /// Sets the ends of the x axis, which otherwise holds all that is drawn.
    pub fn x_range(mut self, low: f64, high: f64) -> Result<Figure> {
        self.x_range = Some(checked_range("x_range", (low, high))?);
        Ok(self)
    }

    /// Sets the ends of the y axis, which otherwise holds all that is drawn.
    pub fn y_range(mut self, low: f64, high: f64) -> Result<Figure> {
        self.y_range = Some(checked_range("y_range", (low, high))?);
        Ok(self)
    }

    /// Gives both axes the same scale, so that circles are round.
    pub fn equal_axes(mut self) -> Figure {
        self.equal_axes = true;
        self
    }

    /// Makes the x axis logarithmic, for numbers that span powers of ten; numbers that are not above 0 are left out.
    /// Bars, cells and regions stay as they are.
    ///
    /// ```
    /// use gristmill::plot::Figure;
    /// let figure = Figure::new().logarithmic_x().line("", [(0.001, 1.0), (0.1, 2.0), (10.0, 1.5)]);
    /// assert!(figure.to_svg().contains(">0.01<"));
    /// ```
    pub fn logarithmic_x(mut self) -> Figure {
        self.logarithmic_x = true;
        self
    }

    /// Leaves out the legend.
    pub fn without_legend(mut self) -> Figure {
        self.has_legend = false;
        self
    }

    /// Adds points of one colour.
    pub fn scatter(mut self, name: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Figure {
        let colour = self.next_series();
        let layer = Layer::Points { colour, marker: Marker::Circle, points: points.into_iter().collect() };
        self.add(name, Swatch::Mark(colour, Marker::Circle), layer)
    }

    /// Adds crosses, such as over the rows that are predicted wrongly.
    pub fn crosses(mut self, name: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Figure {
        let colour = self.next_series();
        let layer = Layer::Points { colour, marker: Marker::Cross, points: points.into_iter().collect() };
        self.add(name, Swatch::Mark(colour, Marker::Cross), layer)
    }

    /// Adds two columns of the rows of a matrix, with a colour and a shape for each class.
    pub fn scatter_classes(mut self, x: &Matrix, pair: [usize; 2], labels: &Labels) -> Result<Figure> {
        let points = points(x, pair)?;
        if points.len() != labels.len() {
            let (expected, got) = (format!("{} labels, one a row", points.len()), labels.len().to_string());
            return Err(Error::shape("Figure::scatter_classes", expected, got));
        }
        let mut by_class = vec![vec![]; labels.classes()];
        points.into_iter().zip(labels.codes()).for_each(|(point, code)| by_class[*code as usize].push(point));
        for (code, points) in by_class.into_iter().enumerate().filter(|(_, points)| !points.is_empty()) {
            let marker = Marker::of_class(code);
            let layer = Layer::Points { colour: code, marker, points };
            self = self.add(&labels.names()[code], Swatch::Mark(code, marker), layer);
        }
        Ok(self)
    }

    /// Adds a line through points, in their order; a point that cannot be drawn leaves a gap.
    pub fn line(mut self, name: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Figure {
        let colour = class_colour(self.next_series());
        self.add_line(name, colour, false, points)
    }

    /// Adds a dashed line. Without a name it is a grey one, for comparison.
    pub fn dashed(mut self, name: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Figure {
        let colour = if name.is_empty() { FAINT.to_string() } else { class_colour(self.next_series()) };
        self.add_line(name, colour, true, points)
    }

    /// Adds a line with a mark at each point: the steps of something that moves.
    pub fn steps(mut self, name: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Figure {
        let colour = self.next_series();
        let points: Vec<(f64, f64)> = points.into_iter().collect();
        let marks = Layer::Points { colour, marker: Marker::Circle, points: points.clone() };
        let mut figure = self.add_line(name, class_colour(colour), false, points);
        figure.layers.push(marks);
        figure
    }

    /// Adds a pale band of (x, low, high), such as a confidence interval, in the colour of the next series.
    pub fn band(mut self, points: impl IntoIterator<Item = (f64, f64, f64)>) -> Figure {
        self.layers.push(Layer::Band { colour: self.series, points: points.into_iter().collect() });
        self
    }

    /// Adds words at their places, such as tokens where their vectors lie.
    pub fn words(mut self, words: impl IntoIterator<Item = ((f64, f64), String)>) -> Figure {
        let (points, texts) = words.into_iter().unzip();
        self.layers.push(Layer::Words { points, texts });
        self
    }

    /// Adds big crosses, such as the centres of clusters.
    pub fn centers(self, name: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Figure {
        self.add(name, Swatch::Cross, Layer::Centers { points: points.into_iter().collect() })
    }

    /// Colours the cells of a grid by class: one code a cell, in the order of [`Grid::points`].
    pub fn regions(mut self, grid: &Grid, codes: &[u32]) -> Result<Figure> {
        if codes.len() != grid.columns * grid.rows {
            return Err(Error::shape("Figure::regions", format!("{}×{} codes", grid.columns, grid.rows), codes.len()));
        }
        self.layers.push(Layer::Regions { grid: grid.clone(), codes: codes.to_vec() });
        Ok(self)
    }

    /// Adds a bar for each name.
    pub fn bars<S: AsRef<str>>(mut self, names: &[S], values: &[f64]) -> Result<Figure> {
        if names.len() != values.len() || names.is_empty() {
            return Err(Error::shape("Figure::bars", format!("{} values, at least one", names.len()), values.len()));
        }
        self.x_names = Some(owned(names));
        let texts = values.iter().map(|value| short(*value)).collect();
        self.layers.push(Layer::Bars { values: values.to_vec(), texts });
        Ok(self)
    }

    /// Adds a coloured cell for each row and column, the first row on top, from the smallest value to the largest.
    pub fn heatmap<S: AsRef<str>>(self, rows: &[S], columns: &[S], values: &[f64]) -> Result<Figure> {
        let seen = || values.iter().copied().filter(|value| drawable(*value));
        let (low, high) = (seen().fold(f64::INFINITY, f64::min), seen().fold(f64::NEG_INFINITY, f64::max));
        let width = if high > low { high - low } else { 0.0 };
        // Equal values have one colour, and one line in the legend.
        let share = |value: &f64| if width > 0.0 || !drawable(*value) { (value - low) / width } else { 0.5 };
        let shares = values.iter().map(share).collect();
        let texts = values.iter().map(|value| if drawable(*value) { short(*value) } else { String::new() }).collect();
        let mut figure = self.cells(rows, columns, shares, texts)?;
        let marks: &[f64] = if width > 0.0 { &[0.0, 0.25, 0.5, 0.75, 1.0] } else { &[0.5] };
        for share in marks.iter().filter(|_| high >= low) {
            let swatch = Swatch::Area(super::colour::scale_colour(*share));
            figure.entries.push((short(low + share * width), swatch));
        }
        Ok(figure)
    }

    /// Cells with shares from 0 to 1 and a text each.
    pub(super) fn cells<S: AsRef<str>>(
        mut self,
        rows: &[S],
        columns: &[S],
        shares: Vec<f64>,
        texts: Vec<String>,
    ) -> Result<Figure> {
        if rows.len().checked_mul(columns.len()) != Some(shares.len()) || shares.is_empty() {
            let expected = format!("{}×{} values, at least one", rows.len(), columns.len());
            return Err(Error::shape("Figure::heatmap", expected, shares.len()));
        }
        (self.x_names, self.y_names) = (Some(owned(columns)), Some(owned(rows)));
        self.layers.push(Layer::Cells { columns: columns.len(), shares, texts });
        Ok(self)
    }

    /// Gives the places 0, 1, … of the x axis names instead of numbers.
    pub fn x_names<S: AsRef<str>>(mut self, names: &[S]) -> Result<Figure> {
        self.x_names = Some(owned(names));
        self.x_range(-0.5, names.len() as f64 - 0.5)
    }

    /// The picture as SVG text.
    pub fn to_svg(&self) -> String {
        let mut svg = Svg::default();
        super::chart::draw(self, &mut svg);
        svg.into_picture(self.width, self.height)
    }

    /// The picture as the bytes of a PNG file, two pixels for each of the SVG (fewer where that would be too many).
    pub fn to_png(&self) -> Result<Vec<u8>> {
        super::raster::to_png(&self.to_svg())
    }

    /// Writes the picture to a file, atomically: PNG if its name ends in `.png`, else SVG.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        match path.as_ref().extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png")) {
            true => write_atomically(path, &self.to_png()?),
            false => write_atomically(path, self.to_svg().as_bytes()),
        }
    }

    fn next_series(&mut self) -> usize {
        self.series += 1;
        self.series - 1
    }

    fn add(mut self, name: &str, swatch: Swatch, layer: Layer) -> Figure {
        if !name.is_empty() {
            self.entries.push((name.to_string(), swatch));
        }
        self.layers.push(layer);
        self
    }

    fn add_line(
        self,
        name: &str,
        colour: String,
        dashed: bool,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Figure {
        let layer = Layer::Line { colour: colour.clone(), dashed, points: points.into_iter().collect() };
        self.add(name, Swatch::Line { colour, dashed }, layer)
    }
}

fn owned<S: AsRef<str>>(names: &[S]) -> Vec<String> {
    names.iter().map(|name| name.as_ref().to_string()).collect()
}
