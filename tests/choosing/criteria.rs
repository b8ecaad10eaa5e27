//! Criteria against statsmodels 0.14 (AIC, BIC, adjusted R²) and the formulas of the notes, on all best subsets of diabetes.

use gristmill::datasets;
use gristmill::selection::{Criterion, SubsetFit, best_subset};

/// σ̂² of all columns, and the sum of squares of the target.
const NOISE: f64 = 2932.6816372003336;
const TOTAL: f64 = 2621009.124434389;

/// Columns; residual sum of squares, AIC, BIC, adjusted R², Cp and the notes' BIC.
const REFERENCE: [(&[usize], [f64; 6]); 11] = [
    (&[], [2621009.124434389, 5096.331619376638, 5100.422929258715, 0.0, 5929.884896910383, 5929.884896910383]),
    (
        &[2],
        [
            1719581.8107738825,
            4912.038220667561,
            4920.220840431717,
            0.34243267786225606,
            3903.7266381182876,
            3930.8725869039567,
        ],
    ),
    (
        &[2, 8],
        [
            1416694.0139565854,
            4828.39845323345,
            4840.672382879683,
            0.45702279799753165,
            3231.730182138884,
            3286.022079710221,
        ],
    ),
    (
        &[2, 3, 8],
        [
            1362708.6937057683,
            4813.226049333882,
            4829.591288862192,
            0.4765213512213091,
            3122.8615011967654,
            3204.2993475537714,
        ],
    ),
    (
        &[2, 3, 4, 8],
        [
            1331431.4035644596,
            4804.962898291828,
            4825.4194477022165,
            0.4873659896205007,
            3065.3684539865662,
            3173.9522491292405,
        ],
    ),
    (
        &[1, 2, 3, 6, 8],
        [
            1287881.1553953441,
            4792.263634018773,
            4816.811493311239,
            0.5029966044160767,
            2980.1085334102886,
            3115.8382773386315,
        ],
    ),
    (
        &[1, 2, 3, 4, 5, 8],
        [
            1271493.9972898609,
            4788.603484621226,
            4817.24265379577,
            0.508192537938412,
            2956.303567729106,
            3119.1792604431175,
        ],
    ),
    (
        &[1, 2, 3, 4, 5, 7, 8],
        [
            1267807.8120610113,
            4789.320222419292,
            4822.050701475913,
            0.508488424115359,
            2961.2338348004887,
            3151.255476300169,
        ],
    ),
    (
        &[1, 2, 3, 4, 5, 7, 8, 9],
        [
            1264714.5798706815,
            4790.240501021873,
            4827.062289960572,
            0.5085552663698191,
            2967.5056245834544,
            3184.6732148688034,
        ],
    ),
    (
        &[1, 2, 3, 4, 5, 6, 7, 8, 9],
        [
            1264068.0963925514,
            4792.014506351598,
            4832.9276051723755,
            0.5076694558706669,
            2979.313044937008,
            3223.6265840080255,
        ],
    ),
    (
        &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        [
            1263985.7856333433,
            4793.985724247039,
            4838.990132949893,
            0.5065592904853231,
            2992.3968741569,
            3263.8563620135865,
        ],
    ),
];

#[test]
fn criteria_are_those_of_statsmodels() {
    for (columns, [residual, aic, bic, adjusted, cp, bic_of_variance]) in REFERENCE {
        let fit = SubsetFit { rows: 442, columns: columns.len(), residual, total: TOTAL, noise_variance: NOISE };
        let close = |criterion: Criterion, expected: f64| {
            let found = criterion.of(&fit);
            assert!((found - expected).abs() < 1e-8, "{criterion:?} of {columns:?}: {found} and {expected}");
        };
        close(Criterion::Aic, aic);
        close(Criterion::Bic, bic);
        close(Criterion::AdjustedR2, adjusted);
        close(Criterion::Cp, cp);
        close(Criterion::BicOfVariance, bic_of_variance);
    }
}

#[test]
fn the_best_subsets_of_diabetes_are_the_reference_ones() {
    let path = best_subset(&datasets::diabetes().unwrap()).unwrap();
    for (subset, (columns, [residual, ..])) in path.subsets.iter().zip(REFERENCE) {
        assert_eq!(subset.columns, columns);
        // The columns are f32, the reference is not.
        assert!((subset.fit.residual / residual - 1.0).abs() < 1e-6, "{} and {residual}", subset.fit.residual);
    }
    assert_eq!(path.best(Criterion::Bic).columns, [1, 2, 3, 6, 8]);
    assert_eq!(path.best(Criterion::Aic).columns, [1, 2, 3, 4, 5, 8]);
    assert_eq!(path.best(Criterion::Cp).columns, [1, 2, 3, 4, 5, 8]);
    assert_eq!(path.best(Criterion::AdjustedR2).columns.len(), 8);
}
