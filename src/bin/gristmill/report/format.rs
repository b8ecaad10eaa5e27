//! Numbers, times and sizes as a person reads them.

/// A number with as many digits as help.
pub fn number(value: f64) -> String {
    match value.abs() {
        size if value.fract() == 0.0 && size < 1e15 => format!("{value}"),
        1e-4..1e6 => format!("{value:.4}"),
        _ => format!("{value:.4e}"),
    }
}

/// Seconds in a unit a person reads.
pub fn seconds(value: f64) -> String {
    match value {
        value if value >= 1.0 => format!("{value:.2} s"),
        value if value >= 1e-3 => format!("{:.2} ms", value * 1e3),
        value => format!("{:.1} µs", value * 1e6),
    }
}

/// A number of bytes in words.
pub fn bytes(count: u64) -> String {
    let units = [("GiB", 1_u64 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    match units.iter().find(|(_, unit)| count >= *unit) {
        Some((name, unit)) => format!("{:.0} {name}", count as f64 / *unit as f64),
        None => format!("{count} B"),
    }
}

/// A moment in universal time, to the minute.
pub fn moment(time: std::time::SystemTime) -> String {
    let seconds = time.duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (mut days, minutes) = (seconds / 86_400, seconds / 60 % 1440);
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let months = [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while days >= months[month] {
        days -= months[month];
        month += 1;
    }
    format!("{year}-{:02}-{:02} {:02}:{:02} UTC", month + 1, days + 1, minutes / 60, minutes % 60)
}
