//! From numbers to places on the page, and the round numbers along an axis.

/// Numbers beyond are not drawn; differences of what is drawn stay finite.
const LARGEST: f64 = 1e100;
/// The smallest range as a part of its numbers, so that ticks differ.
const NARROWEST: f64 = 1e-9;

/// Whether a number can be drawn.
pub(super) fn drawable(value: f64) -> bool {
    value.is_finite() && value.abs() <= LARGEST
}

/// From the smallest to the largest number of an axis; they differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Range {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Range {
    /// Of the drawable numbers; from 0 to 1 when there are none, and opened around a single one.
    pub(super) fn of(values: impl Iterator<Item = f64>) -> Range {
        let empty = (f64::INFINITY, f64::NEG_INFINITY);
        let (low, high) =
            values.filter(|value| drawable(*value)).fold(empty, |(low, high), value| (value.min(low), value.max(high)));
        if low > high { Range { low: 0.0, high: 1.0 } } else { Range { low, high }.opened() }
    }

    /// The same range, or a wider one where it is too narrow to be divided.
    pub(super) fn opened(self) -> Range {
        let largest = self.low.abs().max(self.high.abs());
        if self.high - self.low > largest * NARROWEST && self.high - self.low > f64::MIN_POSITIVE {
            return self;
        }
        let half = if largest == 0.0 { 0.5 } else { largest * 0.05 };
        let middle = self.low + (self.high - self.low) / 2.0;
        Range { low: middle - half, high: middle + half }
    }

    /// Wider by a share of itself at both ends.
    pub(super) fn padded(self, share: f64) -> Range {
        let more = self.width() * share;
        Range { low: self.low - more, high: self.high + more }
    }

    pub(super) fn width(self) -> f64 {
        self.high - self.low
    }

    /// The same middle with another width.
    pub(super) fn widened(self, width: f64) -> Range {
        let middle = self.low + self.width() / 2.0;
        Range { low: middle - width / 2.0, high: middle + width / 2.0 }
    }
}

/// A range laid on `length` pixels; upside down for y, which grows downward on the page.
#[derive(Clone, Copy)]
pub(super) struct Scale {
    /// Of the numbers, or of their logarithms to base ten.
    pub(super) range: Range,
    pub(super) length: f64,
    pub(super) upward: bool,
    pub(super) logarithmic: bool,
}

impl Scale {
    /// Whether a number has a place: of a logarithmic scale only numbers above 0 have one.
    pub(super) fn holds(&self, value: f64) -> bool {
        drawable(value) && (!self.logarithmic || value > 0.0)
    }

    /// The pixel of a number that the scale holds, kept within a page's length of the axis.
    pub(super) fn place(&self, value: f64) -> f64 {
        let value = if self.logarithmic { value.log10() } else { value };
        let share = ((value - self.range.low) / self.range.width()).clamp(-1.0, 2.0);
        self.length * if self.upward { 1.0 - share } else { share }
    }
}

/// The powers of ten within a range of logarithms, at most about `count` of them, with 2 and 5 times each where there is
/// room; with their labels.
pub(super) fn logarithmic_ticks(range: Range, count: usize) -> Vec<(f64, String)> {
    let decades = range.width();
    if decades < 1.0 {
        // Within a decade round numbers serve better.
        let numbers = Range { low: 10_f64.powf(range.low), high: 10_f64.powf(range.high) };
        return ticks(numbers, count);
    }
    let factors: &[f64] = if 3.0 * decades <= count as f64 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    // Powers of ten are short: a few more of them than of other numbers find room.
    let every = (decades / (1.4 * count.max(1) as f64)).ceil().max(1.0) as usize;
    let powers = (range.low.floor() as i32..=range.high.ceil() as i32).step_by(every);
    let values = powers.flat_map(|power| factors.iter().map(move |factor| factor * 10_f64.powi(power)));
    let within = |value: &f64| (range.low - 1e-9..=range.high + 1e-9).contains(&value.log10());
    values.filter(within).map(|value| (value, short(value))).collect()
}

/// The round numbers within a range, at most about `count` of them, with their labels.
pub(super) fn ticks(range: Range, count: usize) -> Vec<(f64, String)> {
    let rough = range.width() / count.max(1) as f64;
    let power = 10_f64.powf(rough.log10().floor());
    let step = power * [1.0, 2.0, 5.0, 10.0].into_iter().find(|round| rough <= round * power * 1.0001).unwrap_or(10.0);
    // A share of a step more, so that an end that is a tick but for rounding gets one.
    let (first, last) = ((range.low / step - 1e-6).ceil(), (range.high / step + 1e-6).floor());
    let largest = range.low.abs().max(range.high.abs());
    let values = (0..=(last - first).max(0.0) as usize).map(|at| (first + at as f64) * step);
    values.map(|value| (value, label(value, step, largest))).collect()
}

/// A number with the digits that a step needs; with a power of ten where the axis is far from one.
fn label(value: f64, step: f64, largest: f64) -> String {
    let step_power = (step * 1.0001).log10().floor() as i32;
    let value = if value.abs() < step / 2.0 { 0.0 } else { value };
    let far = !(1e-3..1e6).contains(&largest);
    let text = if far && value == 0.0 {
        "0".to_string()
    } else if far {
        let digits = ((value.abs() * 1.0001).log10().floor() as i32 - step_power).clamp(0, 9) as usize;
        format!("{value:.digits$e}")
    } else {
        format!("{value:.*}", (-step_power).clamp(0, 9) as usize)
    };
    text.replace('-', "−")
}

/// A number for a cell or a bar: whole, or with at most three digits that count.
pub(crate) fn short(value: f64) -> String {
    let size = value.abs();
    let text = if size == 0.0 {
        "0".to_string()
    } else if value.fract() == 0.0 && size < 1e6 {
        format!("{value:.0}")
    } else if (1e-3..1e6).contains(&size) {
        let digits = (2 - size.log10().floor() as i32).clamp(0, 5) as usize;
        let text = format!("{value:.digits$}");
        if digits == 0 { text } else { text.trim_end_matches('0').trim_end_matches('.').to_string() }
    } else {
        format!("{value:.1e}")
    };
    text.replace('-', "−")
}
