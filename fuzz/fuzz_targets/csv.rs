//! CSV of any bytes: the first byte chooses the options, the rest is the file.
#![no_main]

use gristmill::data::{Dataset, Format, Header, Missing, ReadOptions};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((&choice, file)) = data.split_first() else { return };
    let missing = [Missing::Refuse, Missing::Keep, Missing::Drop, Missing::Mean, Missing::Median];
    let mut options = ReadOptions::default().format(Format::Csv).budget(1 << 24);
    options.missing = missing[usize::from(choice) % 5];
    options.header = [Header::Auto, Header::Yes, Header::No][usize::from(choice) / 5 % 3];
    if choice & 0x80 != 0 {
        options.categorical = vec!["1".to_string()];
    }
    if choice & 0x40 != 0 {
        options.targets = vec!["-1".to_string()];
    }
    if let Ok(read) = Dataset::parse("fuzz.csv", file, &options) {
        let (rows, columns) = (read.x.rows(), read.x.columns());
        assert!(rows > 0 && columns > 0 && rows * columns <= file.len() + 1);
        for row in 0..rows {
            for (column, value) in read.x.row(row).iter().enumerate() {
                let kept = options.missing == Missing::Keep;
                assert!(value.is_finite() || (kept && value.is_nan()));
                let names = read.x.categories(column);
                assert!(names.is_none_or(|names| value.is_nan() || (*value as usize) < names.len()));
            }
        }
    }
});
