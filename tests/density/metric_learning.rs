use gristmill::metric_learning::{ContrastiveMetric, Lmnn, NeighborhoodComponents};
use gristmill::prelude::*;

/// Two classes that differ in one column of small spread, beside columns of noise that hide it from distances.
fn hidden(n: usize) -> (Matrix, Target) {
    use gristmill::ops::{random::philox::Draw, random_normals};
    let mut stream = Device::Cpu.stream();
    let mut values = random_normals(&mut stream, Draw::new(5, 0), n * 6).unwrap().to_vec(&mut stream).unwrap();
    let codes: Vec<u32> = (0..n as u32).map(|row| row % 2).collect();
    for row in 0..n {
        values[row * 6] = 0.25 * values[row * 6] + codes[row] as f32;
    }
    (Matrix::from_vec(n, 6, values).unwrap(), Target::Classes(Labels::from(&codes[..])))
}

fn error(train: &Matrix, y: &Labels, test: &Matrix, truth: &Labels) -> f64 {
    1.0 - KNeighborsClassifier::new(3).fit(train, y).unwrap().score(test, truth).unwrap()
}

#[test]
fn a_learnt_metric_finds_the_column_that_tells_classes_apart() {
    let (all, target) = hidden(600);
    let labels = target.labels().unwrap();
    let (own, rest): (Vec<usize>, Vec<usize>) = (0..600).partition(|row| *row < 300);
    let (x, y) = (all.select(&own).unwrap(), labels.select(&own).unwrap());
    let (test, truth) = (all.select(&rest).unwrap(), labels.select(&rest).unwrap());
    let before = error(&x, &y, &test, &truth);
    let target = Target::Classes(y.clone());
    let check = |name: &str, train: Matrix, mapped: Matrix| {
        let after = error(&train, &y, &mapped, &truth);
        assert!(after < 0.5 * before && after < 0.09, "{name}: {before} before, {after} after");
    };
    let lmnn = Lmnn::default().fit(&x, &target).unwrap();
    check("lmnn", lmnn.transform(&x).unwrap(), lmnn.transform(&test).unwrap());
    // The widest directions, where it starts, hide the column: nothing is to keep it there.
    let contrastive = ContrastiveMetric::default().n_components(2).regularization(0.0).fit(&x, &target).unwrap();
    check("contrastive", contrastive.transform(&x).unwrap(), contrastive.transform(&test).unwrap());
    let nca = NeighborhoodComponents::default().fit(&x, &target).unwrap();
    check("nca", nca.transform(&x).unwrap(), nca.transform(&test).unwrap());
    // The metric is (x − y)ᵀ·M·(x − y), and weighs the telling column most.
    let metric = lmnn.metric();
    assert!((1..6).all(|at| metric[(at, at)] < metric[(0, 0)]), "{metric}");
    let apart = x.to_dmatrix().row(0) - x.to_dmatrix().row(1);
    let z = lmnn.transform(&x).unwrap().to_dmatrix();
    let (direct, mapped) = ((&apart * &metric * apart.transpose())[0], (z.row(0) - z.row(1)).norm_squared());
    assert!((direct - mapped).abs() < 1e-4 * direct);
}

#[test]
fn the_loss_of_fixed_pairs_falls() {
    let wine = datasets::wine().unwrap();
    let x = StandardScaler::default().fit(&wine.x).unwrap().transform(&wine.x).unwrap();
    let nca = NeighborhoodComponents::default().n_components(2).max_iter(20).fit(&x, &wine.target).unwrap();
    assert!(nca.losses().windows(2).all(|pair| pair[1] <= pair[0] + 1e-6), "{:?}", nca.losses());
    assert!(*nca.losses().last().unwrap() < -170.0, "{:?}", nca.losses().last());
    let one_round = ContrastiveMetric::default().rounds(1).max_iter(20).fit(&x, &wine.target).unwrap();
    assert!(one_round.losses().windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-6)));
}

#[test]
fn strange_rows_are_refused_or_fitted() {
    let x = Matrix::from_rows(&[[0.0, 1.0], [0.0, 1.0], [0.0, 1.0], [2.0, 1.0], [2.0, 1.0], [2.0, 1.0]]).unwrap();
    let y = Target::Classes(Labels::from(&[0_u32, 0, 0, 1, 1, 1][..]));
    // Duplicated rows and a constant column.
    let model = Lmnn::default().n_neighbors(2).fit(&x, &y).unwrap();
    assert!(model.transform(&x).unwrap().as_slice().iter().all(|value| value.is_finite()));
    assert!(NeighborhoodComponents::default().fit(&x, &y).is_ok());
    assert!(ContrastiveMetric::default().n_neighbors(3).fit(&x, &y).is_ok());
    // A class of one row has no targets.
    let alone = Target::Classes(Labels::from(&[0_u32, 0, 0, 1, 1, 2][..]));
    assert!(Lmnn::default().n_neighbors(2).fit(&x, &alone).is_ok());
    let message = |result: Result<()>| result.unwrap_err().to_string();
    let one = Target::Classes(Labels::from(&[0_u32; 6][..]));
    assert!(message(Lmnn::default().fit(&x, &one).map(|_| ())).contains("two classes"));
    assert!(message(Lmnn::default().n_neighbors(6).fit(&x, &y).map(|_| ())).contains("n_neighbors"));
    assert!(message(Lmnn::default().n_components(3).fit(&x, &y).map(|_| ())).contains("n_components"));
    assert!(
        message(ContrastiveMetric::default().alpha(20.0).beta(10.0).fit(&x, &y).map(|_| ())).contains("above alpha")
    );
    let weights = Fit::default().sample_weight(&[1.0; 6]);
    assert!(Lmnn::default().fit_with(&x, &y, weights).is_err());
    let single = x.select(&[0]).unwrap();
    assert!(Lmnn::default().fit(&single, &Target::Classes(Labels::from(&[0_u32][..]))).is_err());
}

#[test]
fn components_start_where_the_classes_lie_farthest_apart() {
    // Wine as it is: its widest direction, proline, parts the classes badly, and what a discriminant analysis finds parts them wholly.
    let wine = datasets::wine().unwrap();
    let model = NeighborhoodComponents::default().n_components(2).max_iter(1).fit(&wine.x, &wine.target).unwrap();
    assert!(model.losses()[0] < -0.95 * wine.x.rows() as f64, "{:?}", model.losses());
    // More columns than classes less one: no such directions, and all columns as they are.
    let all = NeighborhoodComponents::default().max_iter(1).fit(&wine.x, &wine.target).unwrap();
    assert!(all.losses()[0] > -0.85 * wine.x.rows() as f64, "{:?}", all.losses());
}
