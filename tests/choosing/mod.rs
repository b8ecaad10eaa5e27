//! Choosing columns, parameters and families; bias and variance.

mod bias_variance;
mod columns;
mod criteria;
mod search;
