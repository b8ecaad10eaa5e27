mod coordinate_descent;
mod margin_gradient;
