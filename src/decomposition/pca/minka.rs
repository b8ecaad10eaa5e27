//! Minka's choice of the number of components: the one under which the spectrum is most likely.

use std::f64::consts::PI;

/// The number of components, from 1 to d − 1, under which these variances (descending) of `rows` rows are most likely
/// (Minka 2000, "Automatic choice of dimensionality for PCA"); 1 for a single column.
pub(super) fn most_likely(variances: &[f64], rows: usize) -> usize {
    let d = variances.len();
    let mut best = (f64::NEG_INFINITY, 1);
    for rank in 1..d {
        let evidence = log_evidence(variances, rank, rows as f64);
        if evidence > best.0 {
            best = (evidence, rank);
        }
    }
    best.1
}

/// The Laplace approximation of the logarithm of the evidence for `rank` components.
fn log_evidence(variances: &[f64], rank: usize, rows: f64) -> f64 {
    let d = variances.len();
    if variances[rank - 1] < 1e-15 {
        return f64::NEG_INFINITY; // a component without variance is none
    }
    let (kept, rest) = variances.split_at(rank);
    // What is left is taken for noise of one variance.
    let noise = (rest.iter().sum::<f64>() / rest.len() as f64).max(1e-15);
    let frames: f64 = (1..=rank)
        .map(|at| {
            let half = (d - at + 1) as f64 / 2.0;
            log_gamma(half) - PI.ln() * half
        })
        .sum::<f64>()
        - rank as f64 * 2.0_f64.ln();
    let kept_part = -0.5 * rows * kept.iter().map(|variance| variance.ln()).sum::<f64>();
    let noise_part = -0.5 * rows * noise.ln() * (d - rank) as f64;
    let free = (d * rank) as f64 - (rank * (rank + 1)) as f64 / 2.0;
    let volume = 0.5 * (2.0 * PI).ln() * (free + rank as f64);
    let mut curvature = 0.0;
    let modelled = |at: usize| if at < rank { variances[at] } else { noise };
    for i in 0..rank {
        for j in i + 1..d {
            let gap = (variances[i] - variances[j]) * (1.0 / modelled(j) - 1.0 / modelled(i));
            if gap <= 0.0 {
                return f64::NEG_INFINITY; // two equal variances cannot be told apart
            }
            curvature += gap.ln() + rows.ln();
        }
    }
    frames + kept_part + noise_part + volume - 0.5 * curvature - 0.5 * rank as f64 * rows.ln()
}

/// ln Γ(x) for x ≥ ½: Lanczos' approximation (g = 7, nine terms), within 1e-13.
fn log_gamma(x: f64) -> f64 {
    const TERMS: [f64; 9] = [
        0.999_999_999_999_809_9,
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    let x = x - 1.0;
    let base = x + 7.5;
    let sum = TERMS[0] + (1..9).map(|at| TERMS[at] / (x + at as f64)).sum::<f64>();
    0.5 * (2.0 * PI).ln() + (x + 0.5) * base.ln() - base + sum.ln()
}
