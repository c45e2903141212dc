//! Playlists of live streams with partial segments: what requests may wait for, and what is served
//! (draft-pantos-hls-rfc8216bis sections 6.2.5.1 and 6.2.5.2).

use crate::error::HttpError;
use crate::past::Past;

/// Bytes from which on a playlist is a file as any other.
pub const MAX_BYTES: u64 = 1024 * 1024;

/// The beginning of a comment that is a tag where requests are held: `#` stands in its place then.
const BLOCKING: &str = "#VOXEL-BLOCKING:";

/// Target durations before the end of a playlist that a delta update has in full.
const SKIP_TARGETS: u64 = 6;

/// Protocol version from which on there is EXT-X-SKIP.
const SKIP_VERSION: u64 = 9;

/// Where the number of the first segment is.
const SEQUENCE: &str = "#EXT-X-MEDIA-SEQUENCE";

/// How far behind the last segment one may be that is waited for.
const AHEAD_SEGMENTS: u64 = 2;

/// The same of parts, in seconds, and for how many target durations a request is held at most.
const AHEAD_SECONDS: u64 = 3;

/// Most seconds for which a request is held, whatever an origin says that a segment lasts.
const MOST_PATIENCE: u64 = 30;

const NUMBER_DIGITS: usize = 15;

/// Tags that belong to a segment. The last one is the beginning of a tag that does not.
const OF_SEGMENTS: [&str; 5] =
    ["#EXTINF:", "#EXT-X-PART:", "#EXT-X-MAP:", "#EXT-X-PROGRAM-DATE-TIME:", "#EXT-X-DISCONTINUITY"];
const OF_PLAYLIST: &str = "#EXT-X-DISCONTINUITY-SEQUENCE:";

/// What a request says in its query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Directives {
    /// The number of the segment that the playlist must have.
    pub msn: Option<u64>,
    /// The part of it that is enough.
    pub part: Option<u64>,
    /// Whether a delta update will do.
    pub skip: bool,
}

impl Directives {
    /// The directives of a request's target. A 400 for malformed ones.
    pub fn of(target: &str) -> Result<Self, HttpError> {
        let query = target.split_once('?').map_or("", |(_, query)| query);
        let value = |name: &str| {
            let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            pairs.rfind(|(other, _)| *other == name).map(|(_, value)| value)
        };
        let number = |name: &str| value(name).map(|text| number(name, text)).transpose();
        let (msn, part) = (number("_HLS_msn")?, number("_HLS_part")?);
        if part.is_some() && msn.is_none() {
            return Err(HttpError::bad_request("_HLS_part needs _HLS_msn"));
        }
        Ok(Self { msn, part, skip: matches!(value("_HLS_skip"), Some("YES" | "v2")) })
    }
}

fn number(name: &str, text: &str) -> Result<u64, HttpError> {
    let is_number = (1..=NUMBER_DIGITS).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse()
        .ok()
        .filter(|_| is_number)
        .ok_or_else(|| HttpError::bad_request(format!("{name} must be a number of at most {NUMBER_DIGITS} digits")))
}

/// A playlist that grows by parts.
#[derive(Clone, Debug)]
pub struct Playlist {
    lines: Vec<String>,
    /// For each segment that is complete, the place behind its last line, and its duration in seconds.
    segments: Vec<(usize, f64)>,
    /// The place of the first line that belongs to a segment.
    first_line: usize,
    /// The number of the first segment.
    sequence: u64,
    /// Target duration of segments, in seconds.
    pub target: u64,
    /// The same of parts.
    part_target: f64,
    /// Parts of the last segment that is complete.
    last_parts: u64,
    /// Parts of the next one, and how many seconds they last.
    open_parts: u64,
    open_seconds: f64,
    version: u64,
    /// Segments before the first one, which a comment in the second line of the first segment stands for.
    past: Option<Past>,
}

impl Playlist {
    /// The playlist in a file; `None`: it has no parts, or has ended.
    pub fn read(data: &[u8]) -> Option<Self> {
        let lines: Vec<String> = std::str::from_utf8(data).ok()?.lines().map(without_comment).collect();
        let field = |name: &str| lines.iter().rev().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        let is_one = lines.first().is_some_and(|line| line == "#EXTM3U") && field("#EXT-X-SERVER-CONTROL").is_some();
        if !is_one || lines.iter().any(|line| line == "#EXT-X-ENDLIST") {
            return None;
        }
        let whole = |name, default: u64| field(name).map_or(Some(default), |text| text.trim().parse().ok());
        let part_target = attribute(field("#EXT-X-PART-INF")?, "PART-TARGET").filter(|seconds| *seconds > 0.0)?;
        let target = whole("#EXT-X-TARGETDURATION", 0).filter(|seconds| (1..1 << 20).contains(seconds))?;
        let (sequence, version) = (whole(SEQUENCE, 0)?, whole("#EXT-X-VERSION", 1)?);
        let is_of_segment =
            |line: &String| !line.starts_with(OF_PLAYLIST) && OF_SEGMENTS.iter().any(|tag| line.starts_with(tag));
        let first_line = lines.iter().position(is_of_segment).unwrap_or(lines.len());
        let (mut segments, mut duration) = (Vec::new(), 0.0);
        let (mut last_parts, mut open_parts, mut open_seconds) = (0, 0, 0.0);
        for (place, line) in lines.iter().enumerate() {
            if let Some(attributes) = line.strip_prefix("#EXT-X-PART:") {
                open_parts += 1;
                open_seconds += attribute(attributes, "DURATION").unwrap_or(0.0);
            } else if let Some(value) = line.strip_prefix("#EXTINF:") {
                duration = seconds(value.split(',').next()?)?;
            } else if !line.is_empty() && !line.starts_with('#') {
                segments.push((place + 1, duration));
                (last_parts, open_parts, open_seconds) = (open_parts, 0, 0.0);
            }
        }
        let sequence = Some(sequence).filter(|sequence| *sequence < 1 << 53)?;
        let has_place = field(SEQUENCE).is_some() && segments.first().is_some_and(|(end, _)| *end > first_line + 1);
        let past = lines.get(first_line + 1).filter(|_| has_place).and_then(|line| Past::read(line, sequence));
        Some(Self {
            lines,
            segments,
            first_line,
            sequence,
            target,
            part_target,
            last_parts,
            open_parts,
            open_seconds,
            version,
            past,
        })
    }

    /// The number of the first segment that is not complete.
    fn next(&self) -> u64 {
        self.sequence + self.segments.len() as u64
    }

    /// Seconds for which a request is held.
    pub fn patience(&self) -> u64 {
        MOST_PATIENCE.min(AHEAD_SECONDS * self.target)
    }

    /// Refuses to wait for what is too far ahead.
    pub fn check(&self, wanted: &Directives) -> Result<(), HttpError> {
        let Some(ahead) = wanted.msn.and_then(|msn| msn.checked_sub(self.next())) else { return Ok(()) };
        let limit = if self.part_target >= 1.0 {
            AHEAD_SECONDS
        } else {
            (AHEAD_SECONDS as f64 / self.part_target).ceil() as u64
        };
        let there = if ahead == 0 { self.open_parts } else { 1 };
        if ahead >= AHEAD_SEGMENTS || wanted.part.is_some_and(|part| part + 1 > limit + there) {
            return Err(HttpError::bad_request("that is too far ahead in the playlist"));
        }
        Ok(())
    }

    /// Whether there is what a request waits for, or more.
    pub fn has(&self, wanted: &Directives) -> bool {
        let Some(mut msn) = wanted.msn else { return true };
        let (mut part, next) = (wanted.part, self.next());
        if msn + 1 == next && part.is_some_and(|part| part >= self.last_parts) {
            (msn, part) = (next, Some(0));
        }
        msn < next || (msn == next && part.is_some_and(|part| part < self.open_parts))
    }

    /// What clients get. `skip`: whether a delta update will do.
    pub fn served(&self, skip: bool) -> String {
        let mut until = (SKIP_TARGETS * self.target) as f64;
        let mut lines = self.lines.clone();
        for line in &mut lines {
            if let Some(attributes) = line.strip_prefix("#EXT-X-SERVER-CONTROL:") {
                if attributes.contains("CAN-BLOCK-RELOAD=YES") {
                    until = attribute(attributes, "CAN-SKIP-UNTIL").unwrap_or(f64::INFINITY);
                } else {
                    *line = format!("{line},CAN-BLOCK-RELOAD=YES,CAN-SKIP-UNTIL={until:.1}");
                }
            } else if let Some(past) = self.past.filter(|_| line.strip_prefix(SEQUENCE).is_some_and(is_value)) {
                *line = format!("{SEQUENCE}:{}", past.first);
            }
        }
        let count = if skip && self.version >= SKIP_VERSION { self.skipped(until) } else { 0 };
        if count > 0 {
            let skipped = self.past.map_or(0, |past| past.count()) + count as u64;
            let skip = format!("#EXT-X-SKIP:SKIPPED-SEGMENTS={skipped}");
            lines.splice(self.first_line..self.segments[count - 1].0, [skip]);
        } else if let Some(past) = self.past {
            lines.splice(self.first_line + 1..self.first_line + 2, past.lines());
        }
        lines.iter().flat_map(|line| [line, "\n"]).collect()
    }

    /// How many segments end at least so many seconds before the end of the playlist.
    fn skipped(&self, until: f64) -> usize {
        let mut seconds = self.open_seconds;
        let mut count = self.segments.len();
        while count > 0 && seconds < until {
            count -= 1;
            seconds += self.segments[count].1;
        }
        count
    }
}

/// Whether this is what follows the name of a tag with a value.
fn is_value(rest: &str) -> bool {
    rest.starts_with(':')
}

fn without_comment(line: &str) -> String {
    line.strip_prefix(BLOCKING).map_or_else(|| line.to_owned(), |tag| format!("#{tag}"))
}

/// The number that an attribute has.
fn attribute(attributes: &str, name: &str) -> Option<f64> {
    let places = attributes.match_indices(name);
    let values = places.filter(|(place, _)| *place == 0 || attributes.as_bytes()[place - 1] == b',');
    let value = values.map(|(place, _)| &attributes[place + name.len()..]).find_map(|rest| rest.strip_prefix('='))?;
    seconds(value.split(',').next()?)
}

/// A decimal number that is not negative.
fn seconds(text: &str) -> Option<f64> {
    let is_decimal = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    text.parse().ok().filter(|_| is_decimal)
}
