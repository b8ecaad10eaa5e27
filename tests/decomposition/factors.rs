use gristmill::decomposition::*;
use gristmill::prelude::*;

/// ‖X − W·H‖ of scikit-learn 1.9: NMF(k, init="nndsvda", max_iter=2000, tol=1e-6).
const KNOWN: [(&str, usize, f64); 4] =
    [("iris", 1, 18.19299), ("iris", 2, 3.94089), ("iris", 3, 1.88483), ("wine", 2, 70.15385)];

#[test]
fn factors_are_as_near_as_scikit_learns() {
    let (iris, wine) = (datasets::iris().unwrap(), datasets::wine().unwrap());
    for (name, k, known) in KNOWN {
        let x = if name == "iris" { &iris.x } else { &wine.x };
        for init in [NmfInit::Nndsvd, NmfInit::Nndsvda] {
            let model = Nmf::new(k).init(init).max_iter(2000).tol(1e-6).fit(x).unwrap();
            let found = model.reconstruction_err();
            assert!(found < 1.005 * known, "{name} {k} {init:?}: {found} for {known}");
        }
    }
}

#[test]
fn every_solver_leaves_no_number_below_0_and_falls() {
    let digits = datasets::digits().unwrap();
    let x = digits.x.select(&(0..300).collect::<Vec<_>>()).unwrap();
    let cases = [
        (NmfSolver::Cd, BetaLoss::Frobenius),
        (NmfSolver::Mu, BetaLoss::Frobenius),
        (NmfSolver::Mu, BetaLoss::KullbackLeibler),
    ];
    for (solver, beta_loss) in cases {
        let nmf = Nmf::new(10).solver(solver).beta_loss(beta_loss);
        let early = nmf.clone().max_iter(2).fit(&x).unwrap();
        let late = nmf.max_iter(100).fit(&x).unwrap();
        assert!(late.reconstruction_err() < 0.98 * early.reconstruction_err(), "{solver:?} {beta_loss:?}");
        assert!(late.components().as_slice().iter().all(|value| *value >= 0.0));
        let w = late.transform(&x).unwrap();
        assert!(w.as_slice().iter().all(|value| *value >= 0.0));
        // Rows described anew are not described worse.
        let back = late.inverse_transform(&w).unwrap();
        let square = |(a, b): (&f32, &f32)| f64::from(a - b).powi(2);
        let again = x.as_slice().iter().zip(back.as_slice()).map(square).sum::<f64>().sqrt();
        if beta_loss == BetaLoss::Frobenius {
            assert!(again < 1.02 * late.reconstruction_err(), "{solver:?}: {again}");
        }
    }
}

#[test]
fn parts_of_rows_that_are_made_of_them_are_found() {
    let parts = [[1.0_f32, 1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 2.0, 0.0]];
    let rows: Vec<[f32; 5]> = (0..40)
        .map(|row| {
            let (a, b) = ((row % 7) as f32, (row % 5) as f32);
            std::array::from_fn(|at| a * parts[0][at] + b * parts[1][at])
        })
        .collect();
    let model = Nmf::new(2).max_iter(500).tol(1e-7).fit(&Matrix::from_rows(&rows).unwrap()).unwrap();
    assert!(model.reconstruction_err() < 1e-2, "{}", model.reconstruction_err());
    let ridge = Nmf::new(2).alpha_h(1.0).alpha_w(0.5).l1_ratio(0.5).fit(&Matrix::from_rows(&rows).unwrap()).unwrap();
    assert!(ridge.reconstruction_err() > model.reconstruction_err());
}
