use gristmill::selection::stats::*;

/// Quantiles by scipy for 1, 2, 3, 4, 5, 9, 10, 29, 30, 100, 999 and 100,000 degrees of freedom.
const DEGREES: [usize; 12] = [1, 2, 3, 4, 5, 9, 10, 29, 30, 100, 999, 100_000];
const AT_0_975: [f64; 12] = [
    12.706204736174694,
    4.302652729749462,
    3.1824463052837078,
    2.7764451051977934,
    2.5705818356363146,
    2.262157162798205,
    2.228138851986274,
    2.045229642132703,
    2.0422724563012378,
    1.9839715185235518,
    1.9623414611334493,
    1.9599877075346095,
];
const AT_0_9995: [f64; 12] = [
    636.6192487687897,
    31.599054576445365,
    12.923978636687961,
    8.610301581379522,
    6.868826625881276,
    4.780912585931217,
    4.586893858702708,
    3.6594050194663748,
    3.6459586350420627,
    3.390491311164263,
    3.3002924403987666,
    3.2906240314119137,
];
const AT_0_6: [f64; 12] = [
    0.32491969623290634,
    0.2886751345948128,
    0.2766706623326898,
    0.2707222947075976,
    0.2671808657041451,
    0.260955336473911,
    0.2601848294920803,
    0.25568363457125604,
    0.2556053649519128,
    0.25402218245822766,
    0.2534145833303675,
    0.25334777715718015,
];

#[test]
fn quantiles_of_students_t_are_scipys() {
    for (probability, expected) in [(0.975, AT_0_975), (0.9995, AT_0_9995), (0.6, AT_0_6)] {
        for (degrees, expected) in DEGREES.into_iter().zip(expected) {
            let quantile = student_t_quantile(probability, degrees).unwrap();
            assert!((quantile / expected - 1.0).abs() < 1e-9, "{probability} {degrees}: {quantile}");
            let mirrored = student_t_quantile(1.0 - probability, degrees).unwrap();
            assert!((mirrored / expected + 1.0).abs() < 1e-9, "{probability} {degrees}: {mirrored}");
        }
    }
    assert_eq!(student_t_quantile(0.5, 7).unwrap(), 0.0);
    assert!(student_t_quantile(0.0, 7).is_err() && student_t_quantile(1.0, 7).is_err());
    assert!(student_t_quantile(f64::NAN, 7).is_err() && student_t_quantile(0.9, 0).is_err());
}

#[test]
fn a_sample_has_mean_deviation_and_interval() {
    let sample = Sample::of(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
    assert_eq!((sample.count, sample.mean), (8, 5.0));
    assert!((sample.deviation - 2.138089935299395).abs() < 1e-12);
    // scipy: t.ppf(0.975, 7) · 2.1381 / √8.
    assert!((sample.half_width(0.95).unwrap() - 1.7874879182362098).abs() < 1e-9);
    assert!(sample.half_width(1.0).is_err());
    let one = Sample::of(&[3.0]);
    assert_eq!((one.mean, one.deviation, one.half_width(0.95).unwrap()), (3.0, 0.0, f64::INFINITY));
    assert!(Sample::of(&[]).mean.is_nan());
}

#[test]
fn binomial_chances_are_scipys() {
    let expected = [
        (3, 10, 0.2, 0.8791261184),
        (0, 5, 0.9, 1e-5),
        (50, 100, 0.5, 0.5397946186935889),
        (400, 1000, 0.45, 0.0007933693696643445),
        (10, 100_000, 0.001, 1.092447841468946e-30),
        (7, 7, 0.3, 1.0),
        (3, 7, 0.0, 1.0),
        (3, 7, 1.0, 0.0),
    ];
    for (successes, trials, chance, expected) in expected {
        let found = binomial_at_most(successes, trials, chance).unwrap();
        assert!((found - expected).abs() <= 1e-10 * expected, "{successes} of {trials}: {found}");
    }
    assert!(binomial_at_most(1, 2, 1.5).is_err() && binomial_at_most(1, 2, f64::NAN).is_err());
}
