mod diagonal;
mod matrix;
mod product;

use gristmill::kernel_methods::Kernel;

/// Every kernel by itself, and compositions of one, two and three kinds of sums.
pub const KERNELS: [&str; 18] = [
    "linear",
    "poly(gamma=0.5,coef0=1,degree=3)",
    "poly(gamma=0.5,coef0=0,degree=0)",
    "rbf(gamma=0.7)",
    "rbf(gamma=0)",
    "laplacian(gamma=0.3)",
    "sigmoid(gamma=0.4,coef0=-0.2)",
    "cosine",
    "waves(theta=1.5)",
    "wave_series(terms=3)",
    "sinc",
    "tangent(layers=1)",
    "tangent(layers=3)",
    "empirical_tangent(width=9,seed=2)",
    "0.5*rbf(gamma=0.1)+poly(degree=2,gamma=0.2)*cosine+2",
    "exp(0.3*linear+0.1)*rbf(gamma=0.2)^2",
    "rbf(gamma=0.5)*laplacian(gamma=0.1)+0.2*waves(theta=1)",
    "(rbf(gamma=0.5)+laplacian(gamma=0.1))*(sinc+exp(0.1*waves(theta=1)))",
];

pub fn kernel(text: &str) -> Kernel {
    text.parse().unwrap()
}
