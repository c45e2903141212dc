//! What players say of themselves with their requests (CMCD: CTA-5004 and CTA-5004-B), as far as servers count it.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::RangeInclusive;

use sfv::{BareItem, Dictionary, InnerList, Item, ListEntry, Parser};

use crate::head::Headers;
use crate::path::percent_decoded;

const FIELDS: [&str; 4] = ["cmcd-object", "cmcd-request", "cmcd-session", "cmcd-status"];
const PARAMETER: &str = "CMCD=";

/// The longest that is looked at, in bytes as sent.
const MAX_BYTES: usize = 4096;

/// Values outside are not counted: ms, ms, kbit/s, and a score in any metric.
const STARTUP: RangeInclusive<f64> = 0.0..=600_000.0;
const STALL: RangeInclusive<f64> = 0.0..=3_600_000.0;
const BITRATE: RangeInclusive<f64> = 1.0..=1_000_000.0;
const SCORE: RangeInclusive<f64> = 0.0..=100.0;

/// How many reports are remembered.
const REMEMBERED: usize = 1024;

/// What one request says. What it does not say, or says out of bounds, is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Report {
    /// Seconds until the first picture, once a playback (`com.voxel-dash-startup`).
    pub startup: Option<f64>,
    /// The buffer of video has been empty since the request before (`bs`).
    pub has_stalled: bool,
    /// Seconds for which playback waited (`bsd`).
    pub stall: Option<f64>,
    /// Bit/s of the video that is asked for (`br`).
    pub bitrate: Option<f64>,
    /// Score of the segment of video that came last, in its metric (`com.voxel-dash-score`).
    pub score: Option<f64>,
    /// It names its session (`sid`): another one with the same text is the same report.
    pub names_session: bool,
}

impl Report {
    /// The report in a CMCD text; `None` where that is no dictionary (RFC 9651).
    pub fn parse(text: &str) -> Option<Self> {
        let said = Parser::new(text).parse::<Dictionary>().ok()?;
        let object = said.get("ot").and_then(token);
        let is_video = |item: &&Item| match &item.params {
            none if none.is_empty() => matches!(object, Some("v" | "av")),
            params => params.contains_key("v") || params.contains_key("av"),
        };
        let bitrate = said.get("br").and_then(|entry| items(entry).iter().find(is_video));
        let stall = said.get("bsd").and_then(|entry| items(entry).first());
        let number = |key, bounds| within(said.get(key).and_then(|entry| items(entry).first()), bounds);
        Some(Self {
            startup: number("com.voxel-dash-startup", &STARTUP).map(|ms| ms / 1000.0),
            has_stalled: object != Some("a") && said.get("bs").is_some_and(is_true),
            stall: within(stall, &STALL).map(|ms| ms / 1000.0),
            bitrate: within(bitrate, &BITRATE).map(|kbit| kbit * 1000.0),
            score: number("com.voxel-dash-score", &SCORE),
            names_session: said.contains_key("sid"),
        })
    }
}

/// The CMCD of a request: that of its fields, or else of its target's parameter. `None`: it has none, or too much.
pub fn text_of(target: &str, headers: &Headers) -> Option<String> {
    let fields: Vec<_> = FIELDS.iter().filter_map(|name| headers.get(name)).filter(|it| !it.is_empty()).collect();
    if !fields.is_empty() {
        let text = fields.join(",");
        return (text.len() <= MAX_BYTES).then_some(text);
    }
    let (_, query) = target.split_once('?')?;
    let value = query.split('&').find_map(|parameter| parameter.strip_prefix(PARAMETER))?;
    if value.is_empty() || value.len() > MAX_BYTES {
        return None;
    }
    String::from_utf8(percent_decoded(&value.replace('+', " "))).ok()
}

/// The reports that came last. A player has one for a segment, which may take several requests.
#[derive(Debug, Default)]
pub struct Recent(VecDeque<u64>);

impl Recent {
    /// Remembers a report; false: it is known already.
    pub fn take(&mut self, text: &str) -> bool {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let hash = hasher.finish();
        if self.0.contains(&hash) {
            return false;
        }
        self.0.truncate(REMEMBERED - 1);
        self.0.push_front(hash);
        true
    }
}

fn items(entry: &ListEntry) -> &[Item] {
    match entry {
        ListEntry::Item(item) => std::slice::from_ref(item),
        ListEntry::InnerList(InnerList { items, .. }) => items,
    }
}

fn token(entry: &ListEntry) -> Option<&str> {
    match entry {
        ListEntry::Item(Item { bare_item: BareItem::Token(token), .. }) => Some(token.as_str()),
        _ => None,
    }
}

fn is_true(entry: &ListEntry) -> bool {
    matches!(entry, ListEntry::Item(Item { bare_item: BareItem::Boolean(true), .. }))
}

/// A number within bounds; custom keys have theirs in strings.
fn within(item: Option<&Item>, bounds: &RangeInclusive<f64>) -> Option<f64> {
    let number: f64 = match &item?.bare_item {
        BareItem::Integer(integer) => i64::from(*integer) as f64,
        BareItem::Decimal(decimal) => f64::from(*decimal),
        BareItem::String(text) if text.as_str().bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') => {
            text.as_str().parse().ok()?
        }
        _ => return None,
    };
    bounds.contains(&number).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_taken_once() {
        let mut recent = Recent::default();
        assert!(recent.take("sid=\"1\"") && recent.take("sid=\"2\""));
        assert!(!recent.take("sid=\"1\""));
        for number in 0..REMEMBERED {
            assert!(recent.take(&format!("sn={number}")));
        }
        assert_eq!(recent.0.len(), REMEMBERED);
        assert!(recent.take("sid=\"1\""));
    }
}
