//! The server's time for players (`UTCTiming` of the scheme `urn:mpeg:dash:utc:http-xsdate:2014`).

use std::time::{Duration, SystemTime};

pub const TIME_PATH: &str = "/.well-known/voxel-time";

const DAY_SECONDS: u64 = 86_400;

/// An ISO 8601 date of milliseconds, without an end of line, which `Date.parse` would refuse.
pub fn iso_date(time: SystemTime) -> String {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let (year, month, day) = civil(since.as_secs() / DAY_SECONDS);
    let second = since.as_secs() % DAY_SECONDS;
    let (hours, minutes, seconds, milliseconds) = (second / 3600, second / 60 % 60, second % 60, since.subsec_millis());
    format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}.{milliseconds:03}Z")
}

/// Year, month and day of a day since 1970-01-01, in the Gregorian calendar. In a year that begins in March leap days are last.
fn civil(days: u64) -> (u64, u64, u64) {
    let since_march_0000 = days + 719_468;
    let (era, day) = (since_march_0000 / 146_097, since_march_0000 % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let next_year = u64::from(month <= 2);
    (era * 400 + year + next_year, month, day_of_year - (153 * month_from_march + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_ordinary_and_leap_years() {
        for (milliseconds, date) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_001, "2000-02-29T00:00:00.001Z"),
            (1_709_251_199_999, "2024-02-29T23:59:59.999Z"),
            (1_795_450_817_123, "2026-11-23T16:20:17.123Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(iso_date(SystemTime::UNIX_EPOCH + Duration::from_millis(milliseconds)), date);
        }
    }
}
