//! Linear models: margins of rows, what they lose and its slope by the coefficients; steps along single coefficients.

pub mod coordinate_descent;
pub mod margin_gradient;
