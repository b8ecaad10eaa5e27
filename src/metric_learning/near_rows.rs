//! Which rows are near which: target neighbours, impostors, and a picture of both.

use crate::array::{DeviceMatrix, DeviceVec, Matrix};
use crate::data::Labels;
use crate::device::Stream;
use crate::distance::Metric;
use crate::error::Result;
use crate::estimator::Predict;
use crate::neighbors::KNeighborsClassifier;
use crate::ops::neighbors::index::Index;
use crate::ops::sort::gather_rows::gather_known_rows;
use crate::plot::{self, Figure};

/// Points of a picture at most.
pub(super) const MOST_POINTS: usize = 1000;
/// Cells of a picture of regions along each side.
const CELLS: usize = 100;

/// Numbers and squared distances of the k nearest rows of each of the queries, row by row.
pub(super) struct Nearest {
    pub(super) rows: Vec<u32>,
    pub(super) squares: Vec<f32>,
}

/// The k nearest of the rows `among` to each of the rows `queries`, all of them rows of `z`, where they live. A row is not near
/// itself: it is left out where `among` may hold it.
pub(super) fn nearest(
    stream: &mut Stream,
    z: &DeviceMatrix,
    queries: &[u32],
    among: &[u32],
    k: usize,
    with_self: bool,
) -> Result<Nearest> {
    let device = stream.device().clone();
    let gather =
        |stream: &mut Stream, rows: &[u32]| gather_known_rows(stream, z, &DeviceVec::from_slice(rows, &device)?);
    let (reference, asked) = (gather(stream, among)?, gather(stream, queries)?);
    let searched = k + usize::from(with_self);
    let (found, distances) = Index::build(reference, Metric::Euclidean)?.k_nearest(stream, &asked, searched)?;
    let mut near =
        Nearest { rows: Vec::with_capacity(queries.len() * k), squares: Vec::with_capacity(queries.len() * k) };
    for (at, query) in queries.iter().enumerate() {
        let found = &found[at * searched..(at + 1) * searched];
        let distances = &distances[at * searched..(at + 1) * searched];
        // Where equal rows come before it, a row may not be among its own neighbours: then the last goes.
        let own = found.iter().position(|place| with_self && among[*place as usize] == *query);
        let left_out = if with_self { own.unwrap_or(k) } else { searched };
        for place in (0..searched).filter(|place| *place != left_out) {
            near.rows.push(among[found[place] as usize]);
            near.squares.push(distances[place] * distances[place]);
        }
    }
    Ok(near)
}

/// The rows of each class that has any.
pub(super) fn rows_by_class(labels: &Labels) -> Vec<Vec<u32>> {
    let mut classes = vec![vec![]; labels.classes()];
    labels.codes().iter().enumerate().for_each(|(row, class)| classes[*class as usize].push(row as u32));
    classes.retain(|rows| !rows.is_empty());
    classes
}

/// The k nearest rows of the same class of each row, n×k; where a class has fewer, the row itself stands for those that there are not.
pub(super) fn same_class(stream: &mut Stream, z: &DeviceMatrix, labels: &Labels, k: usize) -> Result<Vec<u32>> {
    let mut near: Vec<u32> = (0..z.rows()).flat_map(|row| vec![row as u32; k]).collect();
    for rows in rows_by_class(labels) {
        let count = k.min(rows.len() - 1);
        if count == 0 {
            continue;
        }
        let found = nearest(stream, z, &rows, &rows, count, true)?;
        for (at, row) in rows.iter().enumerate() {
            near[*row as usize * k..][..count].copy_from_slice(&found.rows[at * count..][..count]);
        }
    }
    Ok(near)
}

/// The nearest rows of other classes of each row, at most m, n×m with their squared distances; itself where there are fewer.
pub(super) fn other_classes(stream: &mut Stream, z: &DeviceMatrix, labels: &Labels, m: usize) -> Result<Nearest> {
    let mut rows: Vec<u32> = (0..z.rows()).flat_map(|row| vec![row as u32; m]).collect();
    let mut squares = vec![0.0; z.rows() * m];
    for own in rows_by_class(labels) {
        let class = labels.codes()[own[0] as usize];
        let others: Vec<u32> = (0..z.rows() as u32).filter(|row| labels.codes()[*row as usize] != class).collect();
        let count = m.min(others.len());
        let found = nearest(stream, z, &own, &others, count, false)?;
        for (at, row) in own.iter().enumerate() {
            rows[*row as usize * m..][..count].copy_from_slice(&found.rows[at * count..][..count]);
            squares[*row as usize * m..][..count].copy_from_slice(&found.squares[at * count..][..count]);
        }
    }
    Ok(Nearest { rows, squares })
}

/// What three nearest neighbours say on the plane of two columns, or of the two widest directions.
pub(super) fn neighbor_picture(title: &str, x: &Matrix, labels: &Labels) -> Result<Figure> {
    if x.columns() < 2 {
        let points = (0..x.rows()).map(|row| (f64::from(x.get(row, 0)), f64::from(labels.codes()[row])));
        return Ok(Figure::new().title(title).x_label("component0").y_label("class").scatter("", points));
    }
    let k = 3.min(x.rows());
    let model = KNeighborsClassifier::new(k).fit(x, labels)?;
    Ok(plot::decision_regions(x, labels, CELLS, |cells| model.predict(cells))?.title(title))
}
