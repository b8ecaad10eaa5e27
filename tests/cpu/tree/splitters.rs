//! What node-by-node splitters stand on: drawn features, sums of deviations from a moving median.

use gristmill::cpu::tree::splitters::{FeatureDraw, FeatureOrder, RankedSums};

#[test]
fn every_feature_is_drawn_equally_often_and_once_a_node() {
    let draw = FeatureDraw::new(7, 3, 10, 4);
    let mut order = FeatureOrder::default();
    let mut times = [0; 10];
    for node in 0..10_000 {
        draw.start(node, &mut order);
        assert!(order.drawn().len() == 4 && order.drawn().is_sorted_by(|first, second| first < second));
        order.drawn().iter().for_each(|feature| times[*feature as usize] += 1);
    }
    // 4000 expected, with a standard deviation of 49.
    assert!(times.iter().all(|times| (3755..=4245).contains(times)), "{times:?}");
}

#[test]
fn a_draw_goes_on_until_all_features_were_drawn() {
    let draw = FeatureDraw::new(0, 0, 9, 2);
    let mut order = FeatureOrder::default();
    draw.start(5, &mut order);
    let mut all: Vec<u32> = order.drawn().to_vec();
    while let Some(feature) = draw.another(&mut order) {
        all.push(feature);
    }
    all.sort_unstable();
    assert_eq!(all, (0..9).collect::<Vec<u32>>());
    let draws = |draw: FeatureDraw| {
        let mut order = FeatureOrder::default();
        let mut of = |path| {
            draw.start(path, &mut order);
            order.drawn().to_vec()
        };
        (1..9).map(&mut of).collect::<Vec<_>>()
    };
    assert_eq!(draws(draw), draws(draw));
    assert_ne!(draws(draw), draws(FeatureDraw::new(0, 1, 9, 2)));
    assert_ne!(draws(draw), draws(FeatureDraw::new(1, 0, 9, 2)));
}

#[test]
fn deviations_are_those_from_the_median_whatever_is_in() {
    let numbers = [(5, 2), (-3, 1), (5, 1), (100, 3), (0, 4), (-7, 2), (41, 1)];
    let mut sums = RankedSums::default();
    sums.rank(numbers.into_iter());
    assert_eq!(sums.absolute_deviation(), 0);
    let mut inside = vec![];
    for place in [3, 0, 6, 5, 1, 4, 2] {
        sums.insert(place);
        inside.push(numbers[place]);
        let from = |center: i64| inside.iter().map(|(y, w)| (y - center).abs() * *w as i64).sum::<i64>();
        let least = inside.iter().map(|(center, _)| from(*center)).min().unwrap();
        assert_eq!(sums.absolute_deviation(), i128::from(least), "{inside:?}");
    }
    sums.clear();
    sums.insert(2);
    assert_eq!(sums.absolute_deviation(), 0);
}
