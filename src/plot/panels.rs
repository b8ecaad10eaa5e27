//! Several figures in one picture.

use std::path::Path;

use super::colour::INK;
use super::figure::Figure;
use super::svg::{Anchor, Svg, number};
use crate::error::{Error, Result};
use crate::model_file::write_atomically;

/// Height of the line above all figures.
const TITLE: f64 = 40.0;

/// Figures side by side, row by row.
///
/// ```
/// use gristmill::plot::{Figure, Panels};
/// let points = |power: i32| (0..9).map(move |x| (x as f64, (x as f64).powi(power)));
/// let power = |power: i32| Figure::new().title(format!("x^{power}")).line("", points(power));
/// let svg = Panels::new(2)?.title("Powers").figure(power(1)).figure(power(2)).figure(power(3)).to_svg();
/// assert!(svg.contains("width=\"1120\" height=\"880\"")); // two columns, two rows and the title
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Panels {
    columns: usize,
    title: String,
    figures: Vec<Figure>,
}

impl Panels {
    /// No figures yet, in so many columns.
    pub fn new(columns: usize) -> Result<Panels> {
        if columns == 0 {
            return Err(Error::param("columns", "at least 1", "0"));
        }
        Ok(Panels { columns, title: String::new(), figures: vec![] })
    }

    /// Sets the line above all figures.
    pub fn title(mut self, title: impl Into<String>) -> Panels {
        self.title = title.into();
        self
    }

    /// Adds a figure at the next place.
    pub fn figure(mut self, figure: Figure) -> Panels {
        self.figures.push(figure);
        self
    }

    /// The picture as SVG text. A column is as wide as its widest figure, a row as high as its highest.
    pub fn to_svg(&self) -> String {
        let columns = self.columns.min(self.figures.len()).max(1);
        let width_of = |column: usize| {
            self.figures.iter().skip(column).step_by(columns).map(|figure| figure.width).fold(0.0, f64::max)
        };
        let widths: Vec<f64> = (0..columns).map(width_of).collect();
        let width = widths.iter().sum::<f64>().max(160.0);
        let mut svg = Svg::default();
        let mut top = 0.0;
        if !self.title.is_empty() {
            let attributes = format!("font-size=\"18\" font-weight=\"bold\" fill=\"{INK}\"");
            svg.text((width / 2.0, 28.0), Anchor::Middle, &attributes, &self.title);
            top = TITLE;
        }
        for row in self.figures.chunks(columns) {
            let mut left = 0.0;
            for (figure, width) in row.iter().zip(&widths) {
                svg.open("g", &format!("transform=\"translate({} {})\"", number(left), number(top)));
                super::chart::draw(figure, &mut svg);
                svg.close("g");
                left += width;
            }
            top += row.iter().map(|figure| figure.height).fold(0.0, f64::max);
        }
        svg.into_picture(width, top.max(TITLE))
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
}
