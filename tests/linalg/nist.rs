//! NIST Statistical Reference Datasets (public domain, https://www.itl.nist.gov/div898/strd/): correct digits.

use gristmill::Result;
use gristmill::linalg::{Qr, Svd, solve_least_squares};
use nalgebra::DMatrix;

const NORRIS: [(f64, f64); 36] = [
    (0.2, 0.1),
    (337.4, 338.8),
    (118.2, 118.1),
    (884.6, 888.0),
    (10.1, 9.2),
    (226.5, 228.1),
    (666.3, 668.5),
    (996.3, 998.5),
    (448.6, 449.1),
    (777.0, 778.9),
    (558.2, 559.2),
    (0.4, 0.3),
    (0.6, 0.1),
    (775.5, 778.1),
    (666.9, 668.8),
    (338.0, 339.3),
    (447.5, 448.9),
    (11.6, 10.8),
    (556.0, 557.7),
    (228.1, 228.3),
    (995.8, 998.0),
    (887.6, 888.8),
    (120.2, 119.6),
    (0.3, 0.3),
    (0.3, 0.6),
    (556.8, 557.6),
    (339.1, 339.3),
    (887.2, 888.0),
    (999.0, 998.5),
    (779.0, 778.9),
    (11.1, 10.2),
    (118.3, 117.6),
    (229.2, 228.9),
    (669.1, 668.4),
    (448.9, 449.2),
    (0.5, 0.2),
];
const NORRIS_CERTIFIED: [f64; 2] = [-0.262323073774029, 1.00211681802045];

const LONGLEY: [[f64; 7]; 16] = [
    [60323.0, 83.0, 234289.0, 2356.0, 1590.0, 107608.0, 1947.0],
    [61122.0, 88.5, 259426.0, 2325.0, 1456.0, 108632.0, 1948.0],
    [60171.0, 88.2, 258054.0, 3682.0, 1616.0, 109773.0, 1949.0],
    [61187.0, 89.5, 284599.0, 3351.0, 1650.0, 110929.0, 1950.0],
    [63221.0, 96.2, 328975.0, 2099.0, 3099.0, 112075.0, 1951.0],
    [63639.0, 98.1, 346999.0, 1932.0, 3594.0, 113270.0, 1952.0],
    [64989.0, 99.0, 365385.0, 1870.0, 3547.0, 115094.0, 1953.0],
    [63761.0, 100.0, 363112.0, 3578.0, 3350.0, 116219.0, 1954.0],
    [66019.0, 101.2, 397469.0, 2904.0, 3048.0, 117388.0, 1955.0],
    [67857.0, 104.6, 419180.0, 2822.0, 2857.0, 118734.0, 1956.0],
    [68169.0, 108.4, 442769.0, 2936.0, 2798.0, 120445.0, 1957.0],
    [66513.0, 110.8, 444546.0, 4681.0, 2637.0, 121950.0, 1958.0],
    [68655.0, 112.6, 482704.0, 3813.0, 2552.0, 123366.0, 1959.0],
    [69564.0, 114.2, 502601.0, 3931.0, 2514.0, 125368.0, 1960.0],
    [69331.0, 115.7, 518173.0, 4806.0, 2572.0, 127852.0, 1961.0],
    [70551.0, 116.9, 554894.0, 4007.0, 2827.0, 130081.0, 1962.0],
];
const LONGLEY_CERTIFIED: [f64; 7] = [
    -3482258.63459582,
    15.0618722713733,
    -0.0358191792925910,
    -2.02022980381683,
    -1.03322686717359,
    -0.0511041056535807,
    1829.15146461355,
];

const FILIP_X: [f64; 82] = [
    -6.860120914,
    -4.324130045,
    -4.358625055,
    -4.358426747,
    -6.955852379,
    -6.661145254,
    -6.355462942,
    -6.118102026,
    -7.115148017,
    -6.815308569,
    -6.519993057,
    -6.204119983,
    -5.853871964,
    -6.109523091,
    -5.79832982,
    -5.482672118,
    -5.171791386,
    -4.851705903,
    -4.517126416,
    -4.143573228,
    -3.709075441,
    -3.499489089,
    -6.300769497,
    -5.953504836,
    -5.642065153,
    -5.031376979,
    -4.680685696,
    -4.329846955,
    -3.928486195,
    -8.56735134,
    -8.363211311,
    -8.107682739,
    -7.823908741,
    -7.522878745,
    -7.218819279,
    -6.920818754,
    -6.628932138,
    -6.323946875,
    -5.991399828,
    -8.781464495,
    -8.663140179,
    -8.473531488,
    -8.247337057,
    -7.971428747,
    -7.676129393,
    -7.352812702,
    -7.072065318,
    -6.774174009,
    -6.478861916,
    -6.159517513,
    -6.835647144,
    -6.53165267,
    -6.224098421,
    -5.910094889,
    -5.598599459,
    -5.290645224,
    -4.974284616,
    -4.64454848,
    -4.290560426,
    -3.885055584,
    -3.408378962,
    -3.13200249,
    -8.726767166,
    -8.66695597,
    -8.511026475,
    -8.165388579,
    -7.886056648,
    -7.588043762,
    -7.283412422,
    -6.995678626,
    -6.691862621,
    -6.392544977,
    -6.067374056,
    -6.684029655,
    -6.378719832,
    -6.065855188,
    -5.752272167,
    -5.132414673,
    -4.811352704,
    -4.098269308,
    -3.66174277,
    -3.2644011,
];
const FILIP_Y: [f64; 82] = [
    0.8116, 0.9072, 0.9052, 0.9039, 0.8053, 0.8377, 0.8667, 0.8809, 0.7975, 0.8162, 0.8515, 0.8766, 0.8885, 0.8859,
    0.8959, 0.8913, 0.8959, 0.8971, 0.9021, 0.909, 0.9139, 0.9199, 0.8692, 0.8872, 0.89, 0.891, 0.8977, 0.9035, 0.9078,
    0.7675, 0.7705, 0.7713, 0.7736, 0.7775, 0.7841, 0.7971, 0.8329, 0.8641, 0.8804, 0.7668, 0.7633, 0.7678, 0.7697,
    0.77, 0.7749, 0.7796, 0.7897, 0.8131, 0.8498, 0.8741, 0.8061, 0.846, 0.8751, 0.8856, 0.8919, 0.8934, 0.894, 0.8957,
    0.9047, 0.9129, 0.9209, 0.9219, 0.7739, 0.7681, 0.7665, 0.7703, 0.7702, 0.7761, 0.7809, 0.7961, 0.8253, 0.8602,
    0.8809, 0.8301, 0.8664, 0.8834, 0.8898, 0.8964, 0.8963, 0.9074, 0.9119, 0.9228,
];
const FILIP_CERTIFIED: [f64; 11] = [
    -1467.48961422980,
    -2772.17959193342,
    -2316.37108160893,
    -1127.97394098372,
    -354.478233703349,
    -75.1242017393757,
    -10.8753180355343,
    -1.06221498588947,
    -0.0670191154593408,
    -0.00246781078275479,
    -0.0000402962525080404,
];

/// The solver under test: coefficients of centred columns.
type Solver = fn(&DMatrix<f64>, &DMatrix<f64>) -> Result<DMatrix<f64>>;

const SOLVERS: [(&str, Solver); 3] = [
    ("qr", |x, y| Qr::factor(x)?.least_squares(y)),
    ("svd of equally long columns", by_svd),
    ("normal equations, refined", |x, y| Ok(solve_least_squares(x, y, 0.0)?.x)),
];

fn by_svd(x: &DMatrix<f64>, y: &DMatrix<f64>) -> Result<DMatrix<f64>> {
    // Powers of two, because another length would round the data.
    let lengths: Vec<f64> = x.column_iter().map(|column| column.norm().log2().round().exp2()).collect();
    let scaled = DMatrix::from_fn(x.nrows(), x.ncols(), |i, j| x[(i, j)] / lengths[j]);
    let svd = Svd::factor(&scaled)?;
    let w = svd.least_squares(y, svd.default_tolerance())?;
    Ok(DMatrix::from_fn(w.nrows(), 1, |i, _| w[(i, 0)] / lengths[i]))
}

/// Centres, solves, and gets the intercept from the means: what a linear regression does.
fn regress(x: &DMatrix<f64>, y: &[f64], solver: Solver) -> Result<Vec<f64>> {
    let n = y.len() as f64;
    let means: Vec<f64> = x.column_iter().map(|column| column.iter().sum::<f64>() / n).collect();
    let mean = y.iter().sum::<f64>() / n;
    let centred = DMatrix::from_fn(x.nrows(), x.ncols(), |i, j| x[(i, j)] - means[j]);
    let w = solver(&centred, &DMatrix::from_iterator(y.len(), 1, y.iter().map(|y| y - mean)))?;
    let intercept = mean - w.iter().zip(&means).map(|(w, mean)| w * mean).sum::<f64>();
    Ok(std::iter::once(intercept).chain(w.iter().copied()).collect())
}

/// The fewest correct digits among the coefficients: −log₁₀ of the relative error, at most 15.
fn digits(found: &[f64], certified: &[f64]) -> f64 {
    assert_eq!(found.len(), certified.len());
    let each = found.iter().zip(certified).map(|(a, b)| -((a - b).abs() / b.abs()).log10());
    each.fold(15.0, f64::min)
}

fn powers(x: &[f64], degree: usize) -> DMatrix<f64> {
    DMatrix::from_fn(x.len(), degree, |i, j| x[i].powi(j as i32 + 1))
}

/// Prints what every solver reaches, and wants `least` of each of them.
fn wants(name: &str, least: f64, x: &DMatrix<f64>, y: &[f64], certified: &[f64]) {
    for (solver, solve) in SOLVERS {
        let reached = digits(&regress(x, y, solve).unwrap(), certified);
        println!("{name}: {reached:.1} digits by {solver}");
        assert!(reached >= least, "{name} by {solver}: {reached} digits, {least} wanted");
    }
}

#[test]
fn norris_to_twelve_digits() {
    let (x, y): (Vec<f64>, Vec<f64>) = NORRIS.into_iter().unzip();
    wants("Norris", 12.0, &powers(&x, 1), &y, &NORRIS_CERTIFIED);
}

#[test]
fn longley_to_ten_digits() {
    let x = DMatrix::from_fn(16, 6, |i, j| LONGLEY[i][j + 1]);
    wants("Longley", 10.0, &x, &LONGLEY.map(|row| row[0]), &LONGLEY_CERTIFIED);
}

#[test]
fn wampler_1_to_nine_digits() {
    let x: Vec<f64> = (0..=20).map(f64::from).collect();
    let y: Vec<f64> = x.iter().map(|x| (0..=5).map(|power| x.powi(power)).sum()).collect();
    wants("Wampler1", 9.0, &powers(&x, 5), &y, &[1.0; 6]);
}

#[test]
fn wampler_2_to_twelve_digits() {
    let x: Vec<f64> = (0..=20).map(f64::from).collect();
    // NIST gives y with five decimals, which hold it exactly: in whole 1e-5 there is no rounding before the division.
    let whole = |x: f64| (0..=5).map(|power| x.powi(power) * 10.0_f64.powi(5 - power)).sum::<f64>();
    let y: Vec<f64> = x.iter().map(|x| whole(*x) / 1e5).collect();
    assert_eq!((y[1], y[19]), (1.11111, 51.16209));
    wants("Wampler2", 12.0, &powers(&x, 5), &y, &[1.0, 0.1, 0.01, 0.001, 0.0001, 0.00001]);
}

#[test]
fn filip_to_seven_digits_or_a_clear_refusal() {
    let x = powers(&FILIP_X, 10);
    let mut solved = 0;
    for (solver, solve) in SOLVERS {
        match regress(&x, &FILIP_Y, solve) {
            Ok(found) => {
                let reached = digits(&found, &FILIP_CERTIFIED);
                println!("Filip: {reached:.1} digits by {solver}");
                assert!(reached >= 7.0, "Filip by {solver}: {reached} digits");
                solved += 1;
            }
            Err(refusal) => {
                println!("Filip by {solver}: {refusal}");
                assert!(matches!(refusal, gristmill::Error::Singular { .. }));
            }
        }
    }
    assert!(solved >= 1);
}
