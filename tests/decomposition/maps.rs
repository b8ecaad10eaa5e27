use gristmill::decomposition::*;
use gristmill::prelude::*;

#[test]
fn an_epoch_is_the_formula_in_f64() {
    let iris = datasets::iris().unwrap();
    let settings = SelfOrganizingMap::new(3, 4).radius(1.5).final_radius(1.0).max_iter(1);
    let first = settings.clone().max_iter(1).fit(&iris.x).unwrap();
    let again = SelfOrganizingMap { radius: Some(1.5), ..settings.clone() }.max_iter(2).decay(RadiusDecay::Linear);
    let second = again.final_radius(1.0).fit(&iris.x).unwrap();
    // The second epoch, radius 1, from the units of the first.
    let labels = first.predict(&iris.x).unwrap();
    let square = |a: usize, b: usize| {
        let (down, across) = ((a / 4) as f64 - (b / 4) as f64, (a % 4) as f64 - (b % 4) as f64);
        down * down + across * across
    };
    for unit in 0..12 {
        let share = |row: usize| (-square(unit, labels[row] as usize) / 2.0).exp();
        let total: f64 = (0..150).map(share).sum();
        for column in 0..4 {
            let mean = (0..150).map(|row| share(row) * f64::from(iris.x.get(row, column))).sum::<f64>() / total;
            let got = f64::from(second.units().get(unit, column));
            assert!((got - mean).abs() < 1e-4, "unit {unit}: {got} for {mean}");
        }
    }
}

#[test]
fn maps_keep_neighbours_and_describe_rows_in_every_form() {
    let iris = datasets::iris().unwrap();
    let spread = SelfOrganizingMap::new(1, 1).fit(&iris.x).unwrap().quantization_error(&iris.x).unwrap();
    for topology in [MapTopology::Rectangular, MapTopology::Hexagonal] {
        for neighborhood in [Neighborhood::Gaussian, Neighborhood::Bubble, Neighborhood::Triangle] {
            for toroidal in [false, true] {
                let map = SelfOrganizingMap::new(8, 6).topology(topology).neighborhood(neighborhood).toroidal(toroidal);
                let model = map.final_radius(1.0).fit(&iris.x).unwrap();
                let error = model.quantization_error(&iris.x).unwrap();
                assert!(error < 0.25 * spread, "{topology:?} {neighborhood:?} {toroidal}: {error} of {spread}");
                assert_eq!(model.hits().iter().sum::<usize>(), 150);
                if !toroidal && neighborhood == Neighborhood::Gaussian {
                    let apart = model.topographic_error(&iris.x).unwrap();
                    assert!(apart < 0.2, "{topology:?}: {apart}");
                }
            }
        }
    }
}

#[test]
fn classes_lie_apart_on_the_map_with_a_ridge_between_them() {
    let iris = datasets::iris().unwrap();
    let model = SelfOrganizingMap::new(10, 6).fit(&iris.x).unwrap();
    let labels = model.predict(&iris.x).unwrap();
    assert_eq!(labels, model.labels());
    let codes = iris.labels().unwrap().codes();
    // Setosa shares no unit with the others.
    let of = |class: bool| {
        let rows = (0..150).filter(|row| (codes[*row] == 0) == class);
        rows.map(|row| labels[row]).collect::<std::collections::BTreeSet<u32>>()
    };
    assert!(of(true).is_disjoint(&of(false)));
    let u = model.u_matrix();
    assert_eq!(u.len(), 60);
    let mean = u.iter().sum::<f64>() / 60.0;
    assert!(u.iter().copied().fold(0.0, f64::max) > 2.0 * mean, "a ridge");
    let places = model.transform(&iris.x).unwrap();
    assert_eq!(places.get(7, 0) * 6.0 + places.get(7, 1), labels[7] as f32);
}

#[test]
fn a_row_of_weight_two_counts_as_two() {
    let iris = datasets::iris().unwrap();
    let x = iris.x.select(&(0..60).collect::<Vec<_>>()).unwrap();
    let doubled = x.select(&(0..60).chain(0..20).collect::<Vec<_>>()).unwrap();
    let weights: Vec<f32> = (0..60).map(|row| if row < 20 { 2.0 } else { 1.0 }).collect();
    // Random units and one epoch at a wide radius: the start does not matter, the weights do.
    let map = SelfOrganizingMap::new(3, 3).init(MapInit::Random).radius(50.0).final_radius(50.0).max_iter(3);
    let weighted = map.fit_with(&x, Fit::default().sample_weight(&weights)).unwrap();
    let twice = map.fit(&doubled).unwrap();
    for (a, b) in weighted.units().as_slice().iter().zip(twice.units().as_slice()) {
        assert!((a - b).abs() < 2e-3, "{a} and {b}");
    }
}
