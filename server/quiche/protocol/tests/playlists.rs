//! What requests for playlists wait for, by the vectors that both servers share.

use proptest::prelude::*;
use serde_json::Value;
use voxel_protocol::playlist::{Directives, Playlist};

fn vectors() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../test/vectors/playlists.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn text(vectors: &Value) -> String {
    let lines = vectors["playlist"].as_array().unwrap().iter();
    lines.map(|line| format!("{}\n", line.as_str().unwrap())).collect()
}

fn playlist(vectors: &Value) -> Playlist {
    Playlist::read(text(vectors).as_bytes()).unwrap()
}

fn answer(playlist: &Playlist, target: &str) -> &'static str {
    match Directives::of(target) {
        Err(_) => "malformed",
        Ok(wanted) if playlist.check(&wanted).is_err() => "refused",
        Ok(wanted) if playlist.has(&wanted) => "there",
        Ok(_) => "wait",
    }
}

#[test]
fn requests_wait_as_the_vectors_say() {
    let vectors = vectors();
    let playlist = playlist(&vectors);
    for request in vectors["requests"].as_array().unwrap() {
        let target = request["target"].as_str().unwrap();
        assert_eq!(answer(&playlist, target), request["answer"].as_str().unwrap(), "{target}");
    }
    assert_eq!(playlist.patience(), vectors["patience"].as_u64().unwrap());
    let longer = text(&vectors).replace("TARGETDURATION:1", "TARGETDURATION:100000");
    assert_eq!(Playlist::read(longer.as_bytes()).unwrap().patience(), 30, "whatever an origin says");
}

#[test]
fn other_files_are_none() {
    for text in vectors()["none"].as_array().unwrap() {
        assert!(Playlist::read(text.as_str().unwrap().as_bytes()).is_none(), "{text}");
    }
}

#[test]
fn what_is_served_announces_that_requests_are_held_and_a_delta_update_lacks_what_is_old() {
    let vectors = vectors();
    let (own, playlist) = (text(&vectors), playlist(&vectors));
    let full = playlist.served(false);
    let tags = own.replace("#VOXEL-BLOCKING:", "#");
    let new: Vec<_> = full.lines().filter(|line| !tags.lines().any(|other| other == *line)).collect();
    assert_eq!(new, [vectors["control"].as_str().unwrap()]);
    assert_eq!(full.lines().count(), tags.lines().count());
    assert_eq!(Playlist::read(full.as_bytes()).unwrap().served(false), full, "what another server has announced stays");
    let delta = playlist.served(true);
    let (head, rest) = delta.split_once("#EXT-X-SKIP:SKIPPED-SEGMENTS=1\n").unwrap();
    assert!(head.ends_with("#EXT-X-DISCONTINUITY-SEQUENCE:3\n") && full.starts_with(head) && full.ends_with(rest));
    assert_eq!(rest.lines().nth(1), vectors["firstAfterSkip"].as_str());
}

#[test]
fn segments_that_a_comment_stands_for_are_in_full_playlists_and_count_in_delta_updates() {
    let vectors = vectors();
    let (own, past) = (text(&vectors), &vectors["past"]);
    let with =
        |line: &str| own.replace("#EXT-X-MAP:URI=\"init.mp4\"\n", &format!("#EXT-X-MAP:URI=\"init.mp4\"\n{line}\n"));
    let string = |name: &str| past[name].as_str().unwrap().to_owned();
    let found = Playlist::read(with(&string("line")).as_bytes()).unwrap();
    let lines = past["lines"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect::<Vec<_>>();
    let without = playlist(&vectors);
    let sequence = |text: String| text.replace("#EXT-X-MEDIA-SEQUENCE:100", &string("sequence"));
    let map = "#EXT-X-MAP:URI=\"init.mp4\"\n";
    let full = sequence(without.served(false)).replace(map, &format!("{map}{}\n", lines.join("\n")));
    assert_eq!(found.served(false), full);
    let skip = format!("SKIPPED-SEGMENTS={}", past["skipped"]);
    assert_eq!(found.served(true), sequence(without.served(true)).replace("SKIPPED-SEGMENTS=1", &skip));
    for line in past["ignored"].as_array().unwrap() {
        let text = with(line.as_str().unwrap());
        let served = Playlist::read(text.as_bytes()).unwrap().served(false);
        assert_eq!(served, without.served(false).replace(map, &format!("{map}{}\n", line.as_str().unwrap())));
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read(data in proptest::collection::vec(any::<u8>(), 0..400)) {
        let more = [text(&vectors()).as_bytes(), &data].concat();
        for found in [Playlist::read(&data), Playlist::read(&more)].into_iter().flatten() {
            found.served(true);
        }
    }

    #[test]
    fn any_target_is_read(text in ".{0,60}") {
        answer(&playlist(&vectors()), &format!("/?{text}&_HLS_msn={text}"));
    }
}
