//! Columns of dates, taken to parts that models can learn from.

use std::collections::BTreeMap;

use super::dataset::Dataset;
use crate::array::{ColumnInfo, Exact, Matrix};
use crate::error::{Error, Result};

/// The parts of a date, which end the names of its columns: five that every date has, and those of a time.
pub const DATE_PARTS: [&str; 8] = ["year", "month", "day", "weekday", "days", "hour", "minute", "second"];
const WITHOUT_TIME: usize = 5;

/// Puts columns of parts, `<name>_year` and so on, in the place of each of these columns, whose categories are dates.
pub(super) fn expand(data: Dataset, dates: &[usize], path: &str) -> Result<Dataset> {
    if dates.is_empty() {
        return Ok(data);
    }
    let Dataset { x, sparse, target } = data;
    let name = |at: usize| x.names().map_or_else(|| (at + 1).to_string(), |names| names[at].clone());
    let (mut columns, mut names, mut categories, mut exact) = (vec![], vec![], vec![], BTreeMap::new());
    for at in 0..x.columns() {
        if !dates.contains(&at) {
            exact.extend(x.exact().column(at).map(|values| (columns.len(), values.to_vec())));
            columns.push((0..x.rows()).map(|row| x.get(row, at)).collect::<Vec<f32>>());
            names.push(name(at));
            categories.push(x.categories(at).map(<[String]>::to_vec));
            continue;
        }
        let wrong = |why| Error::Data { path: path.to_string(), line: None, column: Some(name(at)), why };
        let dates = parse_all(x.categories(at).unwrap_or_default()).map_err(wrong)?;
        let with_time = dates.iter().any(|date| date[WITHOUT_TIME..].iter().any(|part| *part != 0.0));
        for part in 0..if with_time { DATE_PARTS.len() } else { WITHOUT_TIME } {
            let value = |code: f32| if code.is_nan() { code } else { dates[code as usize][part] };
            columns.push((0..x.rows()).map(|row| value(x.get(row, at))).collect());
            names.push(format!("{}_{}", name(at), DATE_PARTS[part]));
            categories.push(None);
        }
    }
    let values = (0..x.rows()).flat_map(|row| columns.iter().map(move |column| column[row])).collect();
    let made = Matrix::from_vec(x.rows(), columns.len(), values)?;
    let made = made.with_column_info(ColumnInfo::new(Some(names), categories)).with_exact(Exact::new(exact))?;
    Ok(Dataset { x: made, sparse, target })
}

/// Which of the first two numbers of a date such as 3/4/2024 is the day.
#[derive(Clone, Copy, PartialEq)]
enum Order {
    DayFirst,
    MonthFirst,
}

/// The parts of each date. Whether days or months come first is decided by the whole column.
fn parse_all(texts: &[String]) -> std::result::Result<Vec<[f32; 8]>, String> {
    let all = |order: Order| -> std::result::Result<Vec<[f32; 8]>, &String> {
        texts.iter().map(|text| parse(text, order).ok_or(text)).collect()
    };
    match (all(Order::DayFirst), all(Order::MonthFirst)) {
        (Ok(days), Ok(months)) if days != months => {
            Err("days and months cannot be told apart, as in 3/4/2024; write dates as 2024-04-03".to_string())
        }
        (Ok(dates), _) | (_, Ok(dates)) => Ok(dates),
        (Err(text), Err(_)) => {
            Err(format!("{text:?} is not a date; expected 2024-04-03, 3.4.2024 or 2024-04-03 17:30:00"))
        }
    }
}

/// A date as 2024-04-03, 2024/04/03, 20240403, 3.4.2024 or 3/4/2024, with a time behind a blank or T.
fn parse(text: &str, order: Order) -> Option<[f32; 8]> {
    let (date, time) = text.trim().split_once(['T', ' ']).unwrap_or((text.trim(), ""));
    let mark = date.chars().find(|letter| !letter.is_ascii_digit());
    let numbers: Vec<&str> = match mark {
        Some(mark @ ('-' | '/' | '.')) => date.split(mark).collect(),
        None if date.len() == 8 => vec![&date[..4], &date[4..6], &date[6..]],
        _ => return None,
    };
    let [first, second, third] = numbers[..] else { return None };
    let number = |text: &str| text.parse::<i64>().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
    let (first, second, third_number) = (number(first)?, number(second)?, number(third)?);
    let (year, month, day) = match (numbers[0].len(), third.len(), mark, order) {
        (4, ..) => (first, second, third_number),
        (_, 4, Some('.'), _) | (_, 4, _, Order::DayFirst) => (third_number, second, first),
        (_, 4, _, Order::MonthFirst) => (third_number, first, second),
        _ => return None,
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let lengths = [31, if leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let length = *lengths.get(usize::try_from(month - 1).ok()?)?;
    if !(1..=length).contains(&day) {
        return None;
    }
    let days = days_since_1970(year, month, day);
    let [hour, minute, second] = parse_time(time)?;
    Some([year as f32, month as f32, day as f32, (days + 3).rem_euclid(7) as f32, days as f32, hour, minute, second])
}

/// Hour, minute and second of 17:30, 17:30:05, 17:30:05.25 or 17:30:05Z; the zone is not looked at.
fn parse_time(text: &str) -> Option<[f32; 3]> {
    let text = text.trim();
    if text.is_empty() {
        return Some([0.0; 3]);
    }
    let end = text.find(['Z', '+', '-', ' ']).unwrap_or(text.len());
    let mut parts = text[..end].split(':');
    let mut part = |most: f32| match parts.next() {
        Some(part) => part.parse::<f32>().ok().filter(|value| (0.0..most).contains(value)),
        None => Some(0.0),
    };
    let time = [part(24.0)?, part(60.0)?, part(61.0)?];
    (text.contains(':') && parts.next().is_none()).then_some(time)
}

/// A day after 1970-01-01 and a second of it, as a date is written; without the time where it is midnight.
pub(super) fn written(day: i64, second: i64) -> String {
    // Years begin in March, as below.
    let shifted = day.saturating_add(719_468);
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let (date, month) = (of_year - (153 * month + 2) / 5 + 1, (month + 2) % 12 + 1);
    let year = year + 400 * era + i64::from(month <= 2);
    match second {
        0 => format!("{year:04}-{month:02}-{date:02}"),
        _ => format!("{year:04}-{month:02}-{date:02} {:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60),
    }
}

/// Days from 1970-01-01, by the civil calendar: years begin in March, so that the leap day is their last.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + day_of_year - 719_468
}
