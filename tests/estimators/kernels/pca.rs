//! Kernel principal components: the numbers of scikit-learn, Lanczos against the whole spectrum, pre-images, edge cases.

use gristmill::kernel_methods::{Kernel, KernelPca, KernelPcaModel};
use gristmill::prelude::*;

use crate::support::{bits, devices, gpu, matrix};

fn pca(kernel: &str, components: usize) -> KernelPca {
    KernelPca::default().n_components(components).kernel(kernel.parse().unwrap())
}

fn transformed(model: &KernelPcaModel, x: &Matrix, device: &Device) -> Matrix {
    model.transform(&x.to(device).unwrap()).unwrap().to_matrix(&mut device.stream()).unwrap()
}

/// What scikit-learn 1.9 has for iris: eigenvalues, and components and pre-images (alpha = 0.1) of rows 0, 60 and 130.
struct Published {
    kernel: &'static str,
    values: [f64; 3],
    components: [[f64; 3]; 3],
    preimages: [[f64; 4]; 3],
}

const PUBLISHED: [Published; 4] = [
    Published {
        kernel: "rbf(gamma=0.5)",
        values: [42.016005, 20.427258, 10.343044],
        components: [
            [0.806112, -0.008528, -0.118738],
            [-0.063028, -0.421085, 0.569345],
            [-0.170065, 0.572014, 0.530241],
        ],
        preimages: [
            [4.888983, 3.368479, 1.366734, 0.193336],
            [5.458286, 2.410449, 3.805214, 1.170309],
            [7.364086, 3.111528, 6.327778, 2.170122],
        ],
    },
    Published {
        kernel: "poly(gamma=0.1,coef0=1,degree=3)",
        values: [18268.62206, 577.667107, 262.416625],
        components: [
            [-12.291709, 1.438288, 0.02704],
            [-7.359578, -3.829273, -1.073965],
            [19.173691, 0.697852, -2.79499],
        ],
        preimages: [
            [5.095554, 3.498236, 1.400752, 0.201766],
            [5.045436, 1.96933, 3.447765, 1.070531],
            [7.361357, 2.865718, 6.091888, 1.824744],
        ],
    },
    Published {
        kernel: "linear",
        values: [630.008014, 36.157941, 11.653216],
        components: [
            [-2.684126, 0.319397, -0.027915],
            [-0.507841, -1.265971, -0.269817],
            [2.841673, 0.375269, -0.498898],
        ],
        preimages: [
            [-0.74461, 0.442853, -2.356379, -1.00069],
            [-0.856722, -1.038851, -0.236499, -0.232653],
            [1.5604, -0.262654, 2.331399, 0.719734],
        ],
    },
    Published {
        kernel: "cosine",
        values: [6.424158, 0.184149, 0.05461],
        components: [
            [0.301637, 0.000716, -0.000478],
            [-0.113963, 0.063223, -0.000911],
            [-0.196689, 0.040394, 0.004361],
        ],
        preimages: [
            [-2.416528, -0.722077, -2.82243, -1.076825],
            [3.192666, 0.827452, 2.640139, 0.703124],
            [2.807286, 0.791201, 2.836939, 0.92996],
        ],
    },
];

#[test]
fn iris_has_the_components_and_preimages_of_scikit_learn() {
    let x = datasets::iris().unwrap().x;
    let some = x.select(&[0, 60, 130]).unwrap();
    for Published { kernel, values, components, preimages } in PUBLISHED {
        for (name, device) in devices() {
            let model = pca(kernel, 3).fit_inverse_transform(true).alpha(0.1).fit(&x.to(device).unwrap()).unwrap();
            for (found, expected) in model.eigenvalues().iter().zip(values) {
                assert!((found - expected).abs() < 1e-5 * values[0], "{kernel} on {name}: {found} and {expected}");
            }
            let z = transformed(&model, &some, device);
            let back = model.inverse_transform(&z.to(device).unwrap()).unwrap();
            let size = components.iter().flatten().fold(0.0_f64, |size, value| size.max(value.abs()));
            for row in 0..3 {
                for (at, expected) in components[row].iter().enumerate() {
                    let off = (f64::from(z.get(row, at)) - expected).abs();
                    assert!(off < 2e-4 * size, "{kernel} on {name}: row {row}, component {at}: off by {off}");
                }
                for (at, expected) in preimages[row].iter().enumerate() {
                    let off = (f64::from(back.get(row, at)) - expected).abs();
                    assert!(off < 5e-3, "{kernel} on {name}: row {row}, column {at}: off by {off}");
                }
            }
        }
    }
}

/// More than a thousand rows: by Lanczos. scikit-learn 1.9 with the dense solver.
#[test]
fn digits_have_the_components_of_scikit_learn() {
    let x = datasets::digits().unwrap().x;
    let values = [85.288739, 82.639331, 61.448348, 50.337822, 42.989291, 38.838553];
    let components = [
        [0.545489, 0.157828, -0.282771, 0.303172, 0.026131, -0.013086],
        [-0.026381, 0.310268, -0.065184, -0.138212, 0.20026, 0.085425],
    ];
    for (name, device) in [("cpu", &Device::Cpu), ("gpu", gpu())] {
        let model = pca("rbf(gamma=0.001)", 6).fit(&x.to(device).unwrap()).unwrap();
        for (found, expected) in model.eigenvalues().iter().zip(values) {
            assert!((found - expected).abs() < 1e-4, "{name}: {found} and {expected}");
        }
        let z = transformed(&model, &x.select(&[0, 900]).unwrap(), device);
        for (row, expected) in components.iter().enumerate() {
            for (at, expected) in expected.iter().enumerate() {
                let off = (f64::from(z.get(row, at)) - expected).abs();
                assert!(off < 1e-4, "{name}: row {row}, component {at}: off by {off}");
            }
        }
        let again = pca("rbf(gamma=0.001)", 6).fit(&x.to(device).unwrap()).unwrap();
        assert_eq!(bits(again.scaled_eigenvectors().as_slice()), bits(model.scaled_eigenvectors().as_slice()));
    }
}

#[test]
fn components_are_centred_orthogonal_and_as_long_as_their_eigenvalues() {
    let x = matrix(300, 4, 9);
    for (name, device) in devices() {
        let model = pca("rbf(gamma=0.5)", 8).fit(&x.to(device).unwrap()).unwrap();
        let z = transformed(&model, &x, device).to_dmatrix();
        let inner = z.transpose() * &z;
        for at in 0..8 {
            let value = model.eigenvalues()[at];
            assert!(z.column(at).mean().abs() < 1e-5, "{name}");
            assert!((inner[(at, at)] - value).abs() < 1e-3 * value, "{name}: {at}");
            for other in 0..at {
                assert!(inner[(at, other)].abs() < 1e-3 * model.eigenvalues()[0], "{name}: {at}, {other}");
            }
        }
    }
}

#[test]
fn the_rows_of_two_rings_are_separated_by_one_component() {
    let rings = datasets::circles(300, 0.05, 0.3, 4).unwrap();
    for (name, device) in devices() {
        let model = pca("rbf(gamma=2)", 1).fit(&rings.x.to(device).unwrap()).unwrap();
        let z = transformed(&model, &rings.x, device);
        let mut rows: Vec<usize> = (0..300).collect();
        rows.sort_by(|a, b| z.get(*a, 0).total_cmp(&z.get(*b, 0)));
        let codes: Vec<u32> = rows.iter().map(|row| rings.labels().unwrap().codes()[*row]).collect();
        assert_eq!(codes.windows(2).filter(|pair| pair[0] != pair[1]).count(), 1, "{name}");
    }
}

#[test]
fn without_a_number_there_are_as_many_components_as_the_rank() {
    let x = matrix(40, 3, 3);
    for (name, device) in devices() {
        let model = KernelPca::default().fit(&x.to(device).unwrap()).unwrap();
        assert_eq!(model.eigenvalues().len(), 3, "{name}: the linear kernel of three columns");
        // Asked for more, the others are 0 for every row; asked for more than rows, there are as many as rows.
        let model = pca("linear", 100).fit(&x.to(device).unwrap()).unwrap();
        let z = transformed(&model, &x, device);
        assert_eq!((z.columns(), model.eigenvalues()[3]), (40, 0.0), "{name}");
        assert!((0..40).all(|row| z.row(row)[3..].iter().all(|value| *value == 0.0)), "{name}");
    }
}

#[test]
fn rows_without_variance_have_no_component() {
    let same = Matrix::from_vec(9, 2, vec![0.3; 18]).unwrap();
    let one = matrix(1, 2, 1);
    for (name, device) in devices() {
        for (x, kernel) in [(&same, "rbf(gamma=1)"), (&one, "rbf(gamma=1)"), (&matrix(9, 2, 1), "3")] {
            let error = pca(kernel, 2).fit(&x.to(device).unwrap()).unwrap_err().to_string();
            assert!(error.starts_with("kernel must be one that varies on these rows"), "{name}: {error}");
        }
    }
}

#[test]
fn preimages_are_near_the_rows_and_are_refused_where_they_cannot_be() {
    let x = datasets::iris().unwrap().x;
    let model = pca("rbf(gamma=0.1)", 4).fit_inverse_transform(true).alpha(0.001).fit(&x).unwrap();
    let back = model.inverse_transform(&model.transform(&x).unwrap()).unwrap();
    let off: f32 = back.as_slice().iter().zip(x.as_slice()).map(|(a, b)| (a - b).abs()).sum();
    assert!(off / 600.0 < 0.1, "{}", off / 600.0);
    let plain = pca("rbf(gamma=0.1)", 4).fit(&x).unwrap();
    let error = plain.inverse_transform(&matrix(2, 4, 1)).unwrap_err().to_string();
    assert!(error.contains("fit_inverse_transform"), "{error}");
    let given = matrix(5, 5, 1);
    let error = KernelPca::default().kernel(Kernel::Precomputed).fit_inverse_transform(true).fit(&given).unwrap_err();
    assert!(error.to_string().contains("given kernel matrix"), "{error}");
    let again = KernelPcaModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
    let z = model.transform(&x).unwrap();
    assert_eq!(again.inverse_transform(&z).unwrap(), model.inverse_transform(&z).unwrap());
}

/// Above 8192 rows the matrix is never whole; with the linear kernel the spectrum is that of the d×d scatter matrix.
#[test]
fn rows_whose_matrix_does_not_fit_have_the_components_of_their_products() {
    let x = matrix(8300, 4, 6);
    let stretched = |(at, value): (usize, &f32)| value * [4.0, 2.0, 1.0, 0.5][at % 4];
    let x = Matrix::from_vec(8300, 4, x.as_slice().iter().enumerate().map(stretched).collect()).unwrap();
    let mut centred = x.to_dmatrix();
    for mut column in centred.column_iter_mut() {
        let mean = column.mean();
        column.add_scalar_mut(-mean);
    }
    let values = gristmill::linalg::Eigen::values_of(&(centred.transpose() * centred)).unwrap();
    let model = pca("linear", 3).fit(&x).unwrap();
    for (found, expected) in model.eigenvalues().iter().zip(values.iter()) {
        assert!((found - expected).abs() < 1e-5 * values[0], "{found} and {expected}");
    }
    let error = KernelPca::default().fit(&x).unwrap_err().to_string();
    assert!(error.starts_with("n_components must be below 1038"), "{error}");
}
