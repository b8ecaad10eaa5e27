//! Margins of rows, what they lose, and the slope of that by the coefficients.

pub mod margin_gradient;
