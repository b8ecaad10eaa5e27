//! Losses against differences and formulas in f64.

mod constants;
mod derivatives;
