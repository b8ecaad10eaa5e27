//! The fitted rows, ready to be searched on any device.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::Neighborhoods;
use crate::array::{DeviceMatrix, Matrix};
use crate::clock::Instant;
use crate::cost::Cost;
use crate::device::{Device, Stream};
use crate::distance::Metric;
use crate::error::{Error, Result};
use crate::estimator::{Fit, Reporter, Rows};
use crate::model_file::Container;
use crate::ops::neighbors::index::Index;

/// Queries searched before the first report.
const FIRST_BLOCK: usize = 256;
/// Seconds that a block of queries may take before blocks stop growing: a stop is heeded within a few of them.
const LOOK: f64 = 0.15;

/// Of the operations of a search, what an index saves the CPU: a k-d tree in few columns, principal directions in many
/// (Fashion-MNIST, and 200k×8). In between it takes them all.
const SPARED: f64 = 0.6;
const FEW_COLUMNS: usize = 8;
const MANY_COLUMNS: usize = 128;
/// Rows above which a k-d tree saves ever more.
const TREE_ROWS: f64 = 2e5;

/// What it takes to search n×d rows from the host for the neighbours of so many queries.
pub(super) fn search_cost(rows: usize, columns: usize, queries: usize) -> Cost {
    let operations = 3.0 * rows as f64 * columns as f64 * queries as f64;
    let spared = match columns {
        ..=FEW_COLUMNS => 1.0 - (1.0 - SPARED) * (TREE_ROWS / rows.max(1) as f64).min(1.0),
        MANY_COLUMNS.. => SPARED,
        _ => 0.0,
    };
    let cost = Cost { operations, spared_operations: spared * operations, kernels: 3.0, ..Cost::default() };
    cost + Cost::uploading(rows, columns) + Cost::uploading(queries, columns)
}

/// The rows that were fitted, where they were fitted, and the index of the device that asked last.
#[derive(Debug)]
pub(super) struct Reference {
    rows: DeviceMatrix,
    /// The same on the host, once it was asked for.
    on_host: OnceLock<Matrix>,
    metric: Metric,
    index: Mutex<Option<Arc<Index>>>,
}

impl Reference {
    /// Keeps the rows and builds the index where they live: nothing is copied.
    pub(super) fn fit(op: &'static str, x: Rows<'_>, metric: Metric) -> Result<Reference> {
        let reference = Reference::new(x.complete(op)?.clone(), metric.checked()?);
        reference.index(reference.rows.device())?;
        Ok(reference)
    }

    fn new(rows: DeviceMatrix, metric: Metric) -> Reference {
        Reference { rows, on_host: OnceLock::new(), metric, index: Mutex::new(None) }
    }

    /// What a search takes; the fitted rows are counted as if they still had to go to a GPU.
    pub(super) fn cost(&self, queries: usize) -> Cost {
        search_cost(self.rows.rows(), self.rows.columns(), queries)
    }

    /// Number of fitted rows, n.
    pub(super) fn len(&self) -> usize {
        self.rows.rows()
    }

    /// The fitted rows on the host, n×d.
    pub(super) fn rows(&self) -> Result<&Matrix> {
        match self.on_host.get() {
            Some(rows) => Ok(rows),
            None => {
                let rows = self.rows.to_matrix(&mut self.rows.device().stream())?;
                Ok(self.on_host.get_or_init(|| rows))
            }
        }
    }

    /// Refuses a number of neighbours that there cannot be.
    pub(super) fn check_neighbors(&self, k: usize) -> Result<()> {
        if k == 0 || k > self.len() {
            return Err(Error::param("n_neighbors", format!("from 1 to the number of fitted rows, {}", self.len()), k));
        }
        Ok(())
    }

    /// The index of a device: the rows go there once.
    fn index(&self, device: &Device) -> Result<Arc<Index>> {
        let mut kept = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        match &*kept {
            Some(index) if index.device().same(device) => Ok(index.clone()),
            _ => {
                let rows = match self.rows.device().same(device) {
                    true => self.rows.clone(),
                    false => self.rows()?.to(device)?,
                };
                let index = Arc::new(Index::build(rows, self.metric)?);
                *kept = Some(index.clone());
                Ok(index)
            }
        }
    }

    /// The k nearest fitted rows of each row of `x`, where `x` lives.
    pub(super) fn k_nearest(&self, x: Rows<'_>, k: usize, options: Fit<'_>) -> Result<Neighbors> {
        let queries = x.queries("nearest neighbours", self.rows.columns())?;
        options.watched("nearest neighbours", |watch| self.watched(&queries, k, watch))
    }

    /// The k nearest other rows of each fitted row: a row is not its own neighbour.
    pub(super) fn k_nearest_others(&self, k: usize, options: Fit<'_>) -> Result<Neighbors> {
        let found = options.watched("nearest neighbours", |watch| self.watched(&self.rows, k + 1, watch))?;
        Ok(found.without_self())
    }

    fn watched(&self, queries: &DeviceMatrix, k: usize, watch: &mut Reporter<'_>) -> Result<Neighbors> {
        let index = self.index(queries.device())?;
        let mut stream = queries.device().stream();
        let mut found = Neighbors::with_capacity(queries.rows(), k);
        let (mut first, mut rows, mut blocks) = (0, FIRST_BLOCK, 0);
        while first < queries.rows() {
            let begun = Instant::now();
            let end = (first + rows).min(queries.rows());
            let searched = search(&mut stream, &index, queries, first..end, k);
            // Rows and queries are finite, so it is a distance that is not.
            let (indices, distances) = searched.map_err(|error| match error {
                Error::NotFinite { row, .. } => {
                    let what = "the distance to a neighbour".to_string();
                    Error::Overflow { row: first + row, what }
                }
                error => error,
            })?;
            found.indices.extend(indices);
            found.distances.extend(distances);
            if begun.elapsed().as_secs_f64() < LOOK {
                rows *= 2;
            }
            (first, blocks) = (end, blocks + 1);
            watch.check_stopped(blocks, end as f64 / queries.rows() as f64)?;
        }
        Ok(found)
    }

    /// The fitted rows within a radius of each row of `x`.
    pub(super) fn radius_neighbors(&self, x: Rows<'_>, radius: f32) -> Result<Neighborhoods> {
        if !(radius >= 0.0 && radius.is_finite()) {
            return Err(Error::param("radius", "a finite number of at least 0", radius));
        }
        let queries = x.queries("radius neighbours", self.rows.columns())?;
        self.index(queries.device())?.radius_neighbors(&mut queries.device().stream(), &queries, radius)
    }

    /// Puts the rows into a container; the index is built anew where it is needed.
    pub(super) fn store(&self, container: &mut Container) -> Result<()> {
        container.insert("rows", &[self.len(), self.rows.columns()], self.rows()?.as_slice().to_vec())
    }

    /// Takes the rows out again.
    pub(super) fn restore(container: &mut Container, metric: Metric) -> Result<Reference> {
        let [rows, columns] = container.shape("rows")?;
        if rows == 0 || columns == 0 {
            return Err(container.refuse("it holds no rows"));
        }
        let metric = metric.checked().map_err(|error| container.refuse(error.to_string()))?;
        let rows = Matrix::from_vec(rows, columns, container.take("rows", &[rows, columns])?)?;
        Ok(Reference::new(rows.to(&Device::Cpu)?, metric))
    }
}

fn search(
    stream: &mut Stream,
    index: &Index,
    queries: &DeviceMatrix,
    range: std::ops::Range<usize>,
    k: usize,
) -> Result<(Vec<u32>, Vec<f32>)> {
    if range.len() == queries.rows() {
        return index.k_nearest(stream, queries, k);
    }
    let part = queries.range(stream, range)?;
    index.k_nearest(stream, &part, k)
}

/// The k nearest rows of each query, nearest first; equally near ones in the order of their numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbors {
    k: usize,
    indices: Vec<u32>,
    distances: Vec<f32>,
}

impl Neighbors {
    fn with_capacity(queries: usize, k: usize) -> Neighbors {
        Neighbors { k, indices: Vec::with_capacity(queries * k), distances: Vec::with_capacity(queries * k) }
    }

    /// Number of queries, n.
    pub fn len(&self) -> usize {
        self.indices.len() / self.k.max(1)
    }

    /// Whether there were none.
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }

    /// Neighbours of each query, k.
    pub fn neighbors(&self) -> usize {
        self.k
    }

    /// The numbers of the rows nearest to a query.
    ///
    /// # Panics
    /// If there is no such query.
    pub fn indices(&self, query: usize) -> &[u32] {
        &self.indices[query * self.k..(query + 1) * self.k]
    }

    /// Their distances.
    ///
    /// # Panics
    /// If there is no such query.
    pub fn distances(&self, query: usize) -> &[f32] {
        &self.distances[query * self.k..(query + 1) * self.k]
    }

    /// The same without the query itself among its neighbours, query i being row i; one neighbour less.
    ///
    /// Where so many equal rows of lower number come first that it is not there, the last neighbour goes.
    fn without_self(self) -> Neighbors {
        let k = self.k - 1;
        let mut others = Neighbors::with_capacity(self.len(), k);
        for query in 0..self.len() {
            let own = self.indices(query).iter().position(|index| *index as usize == query).unwrap_or(k);
            let kept = |at: &usize| *at != own;
            others.indices.extend((0..=k).filter(kept).map(|at| self.indices(query)[at]));
            others.distances.extend((0..=k).filter(kept).map(|at| self.distances(query)[at]));
        }
        others.k = k;
        others
    }
}
