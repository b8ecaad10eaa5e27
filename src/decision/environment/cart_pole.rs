//! A pole on a cart.

use super::{Environment, Random, Step};

/// A pole that is balanced by pushing the cart below it to the left or right (Barto, Sutton and Anderson 1983), with the
/// constants of Gymnasium's `CartPole-v1`: 1 for each step of 0.02 s, until it leans by 12° or leaves the track.
///
/// It is seen as four numbers: the cart's place and speed, the pole's angle and its speed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CartPole {
    seen: [f64; 4],
}

const GRAVITY: f64 = 9.8;
const CART: f64 = 1.0;
const POLE: f64 = 0.1;
/// Half the pole's length.
const LENGTH: f64 = 0.5;
const FORCE: f64 = 10.0;
const SECONDS: f64 = 0.02;
const MOST_ANGLE: f64 = 12.0 * std::f64::consts::PI / 180.0;
const MOST_PLACE: f64 = 2.4;

impl CartPole {
    /// Upright and at rest.
    pub fn new() -> CartPole {
        CartPole::default()
    }
}

impl Environment for CartPole {
    fn states(&self) -> Option<usize> {
        None
    }

    fn actions(&self) -> usize {
        2
    }

    fn reset(&mut self, random: &mut Random) {
        self.seen = [(); 4].map(|()| 0.1 * random.uniform() - 0.05);
    }

    fn state(&self) -> usize {
        0
    }

    fn observation(&self) -> Vec<f32> {
        self.seen.map(|value| value as f32).to_vec()
    }

    fn step(&mut self, action: usize, _: &mut Random) -> Step {
        let [place, speed, angle, turn] = self.seen;
        let force = if action == 1 { FORCE } else { -FORCE };
        let (sine, cosine) = angle.sin_cos();
        let pushed = (force + POLE * LENGTH * turn * turn * sine) / (CART + POLE);
        let leaned =
            (GRAVITY * sine - cosine * pushed) / (LENGTH * (4.0 / 3.0 - POLE * cosine * cosine / (CART + POLE)));
        let gained = pushed - POLE * LENGTH * leaned * cosine / (CART + POLE);
        self.seen =
            [place + SECONDS * speed, speed + SECONDS * gained, angle + SECONDS * turn, turn + SECONDS * leaned];
        let terminal = self.seen[0].abs() > MOST_PLACE || self.seen[2].abs() > MOST_ANGLE;
        Step { reward: 1.0, terminal }
    }
}
