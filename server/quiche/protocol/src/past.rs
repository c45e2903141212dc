//! Segments before those that a playlist lists: a comment describes them, as there may be hours of them (docs/PROTOCOL.md,
//! "Playlists").

use std::time::{Duration, SystemTime};

use crate::clock::iso_date;

const COMMENT: &str = "#VOXEL-PAST:";

/// A comment for more segments is ignored.
const MOST_SEGMENTS: u64 = 100_000;

const NAMES: [&str; 6] = ["FIRST", "ZERO", "TIMESCALE", "SEGMENT", "UNIT", "DATE"];

const NUMBER_DIGITS: usize = 15;

/// Times from here on, in ms since 1970, are no dates: the year is 6429.
const MOST_MS: u128 = 1 << 47;

/// What a comment says; times in ticks.
#[derive(Clone, Copy, Debug)]
pub struct Past {
    /// The number of the first segment.
    pub first: u64,
    /// The number of the first one that is listed.
    end: u64,
    /// The number of the one that begins at time 0.
    zero: u64,
    /// Ticks per second.
    timescale: u64,
    segment: u64,
    /// A segment begins with the first unit at its place or after it.
    unit: u64,
    /// The capture of time 0, in ms since 1970 (UTC).
    date: u64,
}

impl Past {
    /// What a line says; `None` for what cannot be. `end`: the number of the first segment that is listed.
    pub fn read(line: &str, end: u64) -> Option<Self> {
        let mut values = [0; NAMES.len()];
        let mut attributes = line.strip_prefix(COMMENT)?.split(',');
        for (name, value) in NAMES.iter().zip(&mut values) {
            let digits = attributes.next()?.strip_prefix(name)?.strip_prefix('=')?;
            let is_number = digits.len() <= NUMBER_DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
            *value = digits.parse().ok().filter(|_| is_number)?;
        }
        let [first, zero, timescale, segment, unit, date] = values;
        let past = Self { first, end, zero, timescale, segment, unit, date };
        let is_one = attributes.next().is_none()
            && (zero <= first && first < end && end <= first + MOST_SEGMENTS)
            && (timescale > 0 && 0 < unit && unit <= segment);
        (is_one && past.milliseconds(past.start(end)) < MOST_MS).then_some(past)
    }

    /// How many segments there are.
    pub fn count(&self) -> u64 {
        self.end - self.first
    }

    /// Their lines in a playlist.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        (self.first..self.end).flat_map(|number| {
            let (start, following) = (self.start(number), self.start(number + 1));
            let date = SystemTime::UNIX_EPOCH + Duration::from_millis(self.milliseconds(start) as u64);
            let seconds = (following - start) as f64 / self.timescale as f64;
            [
                format!("#EXT-X-PROGRAM-DATE-TIME:{}", iso_date(date)),
                format!("#EXTINF:{seconds:.6},"),
                format!("{number}.m4s"),
            ]
        })
    }

    fn start(&self, number: u64) -> u128 {
        let unit = u128::from(self.unit);
        (u128::from(number - self.zero) * u128::from(self.segment)).div_ceil(unit) * unit
    }

    /// When it is captured, rounded half to even, as `voxel-live` has it.
    fn milliseconds(&self, ticks: u128) -> u128 {
        let timescale = u128::from(self.timescale);
        let (whole, rest) = (1000 * ticks / timescale, 1000 * ticks % timescale);
        let is_up = 2 * rest > timescale || (2 * rest == timescale && whole % 2 == 1);
        u128::from(self.date) + whole + u128::from(is_up)
    }
}
