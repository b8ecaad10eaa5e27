//! Logarithm, power, sine and cosine, relative to themselves.

use gristmill::cpu::elementary::{exp2, log2, sine_cosine};
use pulp::Scalar;

use super::U;

#[test]
fn the_logarithm_is_right_relative_to_itself_also_near_one() {
    let mut worst = 0.0_f64;
    for bits in (0x0080_0000..0x7f80_0000_u32).step_by(1009).chain(0x3f7f_0000..0x3f81_0000) {
        let x = f32::from_bits(bits);
        let want = f64::from(x).log2();
        if want != 0.0 {
            worst = worst.max((f64::from(log2(Scalar, x)) / want - 1.0).abs());
        }
    }
    assert!(worst <= 4.0 * U, "{}", worst / U);
    assert_eq!((log2(Scalar, 1.0), log2(Scalar, 0.0)), (0.0, -127.0));
}

#[test]
fn the_power_of_two_and_the_circle_are_right() {
    let (mut power, mut circle) = (0.0_f64, 0.0_f64);
    for step in -1_260_000..=1_270_000 {
        let x = step as f32 / 1e4;
        power = power.max((f64::from(exp2(Scalar, x)) / f64::from(x).exp2() - 1.0).abs());
        let angle = step as f32 / 1.27e6 * std::f32::consts::FRAC_PI_4;
        let (sine, cosine) = sine_cosine(Scalar, angle);
        let angle = f64::from(angle);
        circle = circle.max((f64::from(sine) - angle.sin()).abs()).max((f64::from(cosine) - angle.cos()).abs());
    }
    assert!(power <= 4.0 * U && circle <= 3.0 * U, "{} {}", power / U, circle / U);
}
