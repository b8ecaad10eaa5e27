//! Work that several fits have in common.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// What several fits have in common and is made once for them: a Gram matrix, a factorisation. Only the estimator that made
/// it ([`Estimator::share_rows`](super::Estimator::share_rows), [`Estimator::share_fits`](super::Estimator::share_fits))
/// knows what is in it.
#[derive(Clone)]
pub struct Shared(Arc<dyn Any + Send + Sync>);

impl Shared {
    /// This work, to be shared.
    pub fn new<T: Any + Send + Sync>(work: T) -> Shared {
        Shared(Arc::new(work))
    }

    /// The work, if it is of this type.
    pub fn get<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.0.downcast_ref()
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Shared")
    }
}

/// Rows of a fit as a part of those that work was shared for: the places of the rows among them, in the order of the fit.
#[derive(Debug, Clone, Copy)]
pub struct SharedPart<'a> {
    /// What [`Estimator::share_rows`](super::Estimator::share_rows) made of all rows.
    pub shared: &'a Shared,
    /// For each row of the fit its place among all rows.
    pub rows: &'a [usize],
}
