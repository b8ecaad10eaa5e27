//! Pictures of autoencoders.

use crate::array::Matrix;
use crate::error::Result;
use crate::estimator::{InputColumns, PictureRows};
use crate::neural::pictures::{self, tiles};
use crate::plot::Figure;

pub(super) use crate::neural::pictures::{curve, first_layer};

/// Images in a picture.
pub(super) const SHOWN: usize = 40;
/// Images a side of the latent plane.
const SIDE: usize = 12;
/// Points of a picture at most.
const MOST_POINTS: usize = 2000;

/// Columns named `code0`, `code1`, …
pub(super) fn code_columns(count: usize) -> InputColumns {
    InputColumns::named(&(0..count).map(|number| format!("code{number}")).collect::<Vec<_>>())
}

/// Rows as images, if they are square ones.
pub(super) fn images(title: &str, rows: &Matrix) -> Result<Option<Figure>> {
    pictures::square(rows.columns()).map(|shape| tiles(title, rows, shape, 10)).transpose()
}

/// What codes on a grid of the plane stand for, if they are square images.
pub(super) fn latent_plane(decode: impl Fn(&Matrix) -> Result<Matrix>) -> Result<Option<Figure>> {
    // From −2 to 2, the second coordinate upwards.
    let at = |place: usize| 4.0 * place as f32 / (SIDE - 1) as f32 - 2.0;
    let codes = (0..SIDE * SIDE).flat_map(|place| [at(place % SIDE), -at(place / SIDE)]).collect();
    let made = decode(&Matrix::from_vec(SIDE * SIDE, 2, codes)?)?;
    let square = pictures::square(made.columns());
    square.map(|shape| tiles("The latent plane, from −2 to 2", &made, shape, SIDE)).transpose()
}

/// Rows and what comes back, and the codes of rows on a plane.
pub(super) fn of_rows(
    rows: PictureRows<'_>,
    encode: impl Fn(&Matrix) -> Result<Matrix>,
    decode: impl Fn(&Matrix) -> Result<Matrix>,
) -> Result<Vec<Figure>> {
    let mut figures = vec![];
    let (x, target) = rows.sample(MOST_POINTS)?;
    let z = encode(&x)?;
    if pictures::square(x.columns()).is_some() {
        let first: Vec<usize> = (0..x.rows().min(10)).collect();
        let (own, back) = (x.select(&first)?, decode(&z.select(&first)?)?);
        let both = [own.as_slice(), back.as_slice()].concat();
        let both = Matrix::from_vec(2 * first.len(), x.columns(), both)?;
        figures.extend(images("Rows, and what comes back", &both)?);
    }
    if z.columns() >= 2 {
        let plane =
            Figure::new().title("Rows by the first two columns of their codes").x_label("code0").y_label("code1");
        figures.push(match target.labels() {
            Ok(labels) => plane.scatter_classes(&z, [0, 1], labels)?,
            Err(_) => plane.scatter("", (0..z.rows()).map(|row| (z.get(row, 0).into(), z.get(row, 1).into()))),
        });
    }
    Ok(figures)
}
