//! Moons, circles, the rectangle.

use gristmill::{Error, datasets};

#[test]
fn moons_without_noise_lie_on_two_half_circles() -> gristmill::Result<()> {
    let data = datasets::moons(101, 0.0, 4)?;
    assert_eq!(data.labels()?.counts(), [50, 51]);
    for (row, code) in data.labels()?.codes().iter().enumerate() {
        let (x1, x2) = (data.x.get(row, 0), data.x.get(row, 1));
        let (radius, side) = if *code == 0 { (x1.hypot(x2), x2) } else { ((x1 - 1.0).hypot(x2 - 0.5), 0.5 - x2) };
        assert!((radius - 1.0).abs() < 1e-6 && side > -1e-6, "row {row}: {x1}, {x2}");
    }
    Ok(())
}

#[test]
fn circles_are_even_and_noise_has_its_deviation() -> gristmill::Result<()> {
    let (clean, noisy) = (datasets::circles(20_000, 0.0, 0.3, 4)?, datasets::circles(20_000, 0.2, 0.3, 4)?);
    let mean: f32 = clean.x.as_slice().iter().sum::<f32>() / 40_000.0;
    assert!(mean.abs() < 1e-4, "{mean}");
    let pairs = clean.x.as_slice().iter().zip(noisy.x.as_slice());
    let variance = pairs.map(|(clean, noisy)| ((noisy - clean) as f64).powi(2)).sum::<f64>() / 40_000.0;
    assert!((variance / 0.04 - 1.0).abs() < 4.0 * (2.0 / 40_000.0_f64).sqrt(), "{variance}");
    Ok(())
}

#[test]
fn the_rectangle_holds_its_share_of_the_square() -> gristmill::Result<()> {
    let data = datasets::rectangle(40_000, 8)?;
    assert!(data.x.as_slice().iter().all(|value| (0.0..1.0).contains(value)));
    let share = data.labels()?.counts()[1] as f64 / 40_000.0;
    assert!((share - 0.48).abs() < 4.0 * (0.48 * 0.52 / 40_000.0_f64).sqrt(), "{share}");
    Ok(())
}

#[test]
fn one_row_is_enough_and_none_is_not() -> gristmill::Result<()> {
    assert_eq!(datasets::moons(1, 0.0, 0)?.x.rows(), 1);
    assert_eq!(datasets::circles(1, 0.0, 0.5, 0)?.x.rows(), 1);
    assert_eq!(datasets::rectangle(1, 0)?.x.rows(), 1);
    for result in [datasets::moons(0, 0.0, 0), datasets::circles(0, 0.0, 0.5, 0), datasets::rectangle(0, 0)] {
        assert!(matches!(result, Err(Error::Param { .. })), "{result:?}");
    }
    for result in
        [datasets::moons(9, -0.1, 0), datasets::circles(9, f32::NAN, 0.5, 0), datasets::circles(9, 0.0, 1.0, 0)]
    {
        assert!(matches!(result, Err(Error::Param { .. })), "{result:?}");
    }
    Ok(())
}
