//! Which folders of the origin have files that grow, as far as requests have shown: beside each stand records. So of a
//! site without any, one file a minute is asked about.

use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use lru::LruCache;

/// Time for which a folder without records is taken to have none.
const WITHOUT: Duration = Duration::from_secs(60);

const FOLDERS: NonZeroUsize = NonZeroUsize::new(1000).expect("positive");

/// End of the names of segments that are asked for whatever is known of records (`voxel-live` names them so).
const SEGMENT: &str = ".m4s";

/// Folders by the time at which a file there was found to have no records.
#[derive(Debug)]
pub struct Folders(Mutex<LruCache<String, Instant>>);

impl Default for Folders {
    fn default() -> Self {
        Self(Mutex::new(LruCache::new(FOLDERS)))
    }
}

impl Folders {
    /// Whether a file may grow, so that its records are looked for before it is asked for.
    pub fn may_grow(&self, url: &str, now: Instant) -> bool {
        let mut without = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        url.ends_with(SEGMENT)
            && without.get(folder(url)).is_none_or(|since| now.saturating_duration_since(*since) >= WITHOUT)
    }

    /// Takes note that a file has records, or is there without.
    pub fn learn(&self, url: &str, has_records: bool, now: Instant) {
        let mut without = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if has_records {
            without.pop(folder(url));
        } else {
            without.put(folder(url).to_owned(), now);
        }
    }
}

fn folder(url: &str) -> &str {
    url.rsplit_once('/').map_or("", |(folder, _)| folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_looked_for_until_a_segment_has_none_and_again_a_minute_later() {
        let (folders, now) = (Folders::default(), Instant::now());
        let may_grow = |name: &str, seconds| {
            folders.may_grow(&format!("http://a/live/{name}"), now + Duration::from_secs(seconds))
        };
        assert!(may_grow("v0/1.m4s", 0) && !may_grow("v0/init.mp4", 0));
        folders.learn("http://a/live/v0/1.m4s", false, now);
        assert!(!may_grow("v0/2.m4s", 59) && may_grow("v1/2.m4s", 59) && may_grow("v0/2.m4s", 60));
        folders.learn("http://a/live/v0/3.m4s", true, now);
        assert!(may_grow("v0/4.m4s", 1));
    }
}
