use super::*;
use crate::testing::{ms, packet};
use serde_json::{Value, json};

/// 10 Mbit/s, a queue of 1.25 bandwidth-delay products and 15 ms of delay, with `changes`.
fn direction(changes: &Value) -> Value {
    let mut fields = json!({
        "trace": { "mbps": 10 },
        "queue": { "discipline": "drop-tail", "limit": { "bdp": 1.25 } },
        "delayMs": 15,
    });
    for (name, value) in changes.as_object().expect("fields") {
        fields[name] = value.clone();
    }
    fields
}

fn link_file(down: &Value) -> Value {
    json!({ "paths": [{ "down": direction(down), "up": direction(&json!({})) }] })
}

fn parse_value(file: &Value) -> Result<Link> {
    parse(&file.to_string(), Path::new(""))
}

fn problem(file: &Value) -> String {
    parse_value(file).err().unwrap_or_else(|| panic!("{file} is refused")).to_string()
}

fn down(changes: &Value) -> Direction {
    parse_value(&link_file(changes)).expect("a valid link").paths.remove(0).down
}

/// How many of 1000 packets that come at once get through.
fn room(changes: &Value) -> usize {
    let mut down = down(changes);
    (0..1000).for_each(|number| down.arrive(packet(number, ms(0))));
    down.advance(ms(60_000));
    std::iter::from_fn(|| down.take_due(ms(60_000))).count()
}

#[test]
fn a_queue_is_limited_in_packets_bytes_or_bandwidth_delay_products() {
    let limited = |limit: Value| room(&json!({ "queue": { "discipline": "drop-tail", "limit": limit } }));
    // One more is being sent.
    assert_eq!(limited(json!({ "packets": 750 })), 750 + 1);
    assert_eq!(limited(json!({ "bytes": 15_000 })), 10 + 1);
    // Thesis §6.4: 1.25 times the product of 10 Mbit/s and 30 ms is a queue of 32 packets.
    assert_eq!(limited(json!({ "bdp": 1.25 })), 32 + 1);
}

#[test]
fn the_bandwidth_of_the_product_is_the_mean_after_the_offset() {
    let steps = json!([{ "seconds": 1, "mbps": 0 }, { "seconds": 1, "mbps": 2 }]);
    assert_eq!(room(&json!({ "trace": { "steps": steps, "meanMbps": 10 } })), 32 + 1);
}

#[test]
fn every_discipline_has_its_name() {
    for discipline in ["drop-tail", "codel", "pie", "fq-codel"] {
        let queue = json!({ "discipline": discipline, "limit": { "packets": 40 } });
        assert!(room(&json!({ "queue": queue })) >= 41, "{discipline}");
    }
}

#[test]
fn a_trace_starts_where_it_is_told_to() {
    let steps = json!([{ "seconds": 1, "mbps": 0 }, { "seconds": 1, "mbps": 12 }]);
    let mut down = down(&json!({ "trace": { "steps": steps, "startSeconds": 1.5 } }));
    down.arrive(packet(0, ms(0)));
    assert_eq!(down.next_event(), ms(1 + 15));
}

#[test]
fn steps_can_have_a_delay_and_losses_of_their_own() {
    let steps = json!([
        { "seconds": 1, "mbps": 12, "delayMs": 30 },
        { "seconds": 1, "mbps": 12, "lossPercent": 100 },
        { "seconds": 1, "mbps": 12, "delayMs": 5, "lossPercent": 50, "meanBurst": 1 },
    ]);
    let mut down = down(&json!({ "trace": { "steps": steps, "startSeconds": 0.5 } }));
    (0..250).for_each(|number| down.arrive(packet(number, ms(10 * u64::from(number)))));
    down.advance(ms(3000));
    let due: Vec<_> = std::iter::from_fn(|| down.take_due(ms(3000))).map(|departure| departure.due).collect();
    let through = |from, to| due.iter().filter(|due| (ms(from)..ms(to)).contains(due)).count();
    // The direction's 15 ms and the step's come to the millisecond that a packet takes.
    assert_eq!((due[0], due[1]), (ms(46), ms(56)));
    assert_eq!((through(0, 540), through(540, 1520), through(1520, 3000)), (50, 0, 50));
}

#[test]
fn the_product_has_the_mean_of_the_delays() {
    let steps = json!([{ "seconds": 1, "mbps": 10, "delayMs": 0 }, { "seconds": 3, "mbps": 10, "delayMs": 40 }]);
    // 1.25 times the product of 10 Mbit/s and 60 ms.
    assert_eq!(room(&json!({ "trace": { "steps": steps } })), 63 + 1);
}

#[test]
fn mistakes_are_named() {
    let trace = |trace: Value| json!({ "trace": trace });
    let limit = |limit: Value| json!({ "queue": { "discipline": "drop-tail", "limit": limit } });
    let mistakes = [
        (json!({ "delayMs": -1 }), "delayMs must be between 0 and 60000, got -1"),
        (json!({ "loss": { "percent": 101 } }), "loss: percent must be between 0 and 100, got 101"),
        (json!({ "loss": { "percent": 1, "meanBurst": 0.5 } }), "loss: meanBurst must be between 1 and 10000, got 0.5"),
        (
            json!({ "loss": { "percent": 81, "meanBurst": 4 } }),
            "loss: percent must be at most 80.00 in bursts of 4 packets on average, got 81",
        ),
        (trace(json!({})), "trace: must have exactly one of file, mbps and steps, got none"),
        (
            trace(json!({ "mbps": 1, "file": "x" })),
            "trace: must have exactly one of file, mbps and steps, got file and mbps",
        ),
        (
            trace(json!({ "steps": [{ "seconds": 1, "mbps": 1, "lossPercent": 101 }] })),
            "trace: loss: percent must be between 0 and 100, got 101",
        ),
        (
            json!({ "trace": { "steps": [{ "seconds": 1, "mbps": 1, "delayMs": 1 }] }, "loss": { "percent": 1 } }),
            "loss: the trace has losses already",
        ),
        (trace(json!({ "mbps": 0 })), "trace: mean rate must be at least 1 bit/s, got 0"),
        (trace(json!({ "mbps": -1 })), "trace: rate must be between 0 and 1000000 Mbit/s, got -1"),
        (trace(json!({ "mbps": 1, "startSeconds": -1 })), "startSeconds must be between 0 and 86400, got -1"),
        (
            trace(json!({ "mbps": 1, "meanMbps": 1e9 })),
            "trace: rate must be between 0 and 1000000 Mbit/s, got 1000000000",
        ),
        (trace(json!({ "file": "no/such.csv" })), "cannot read no/such.csv: No such file or directory (os error 2)"),
        (limit(json!({ "packets": 0 })), "limit must allow at least 1 packet, got 0"),
        (limit(json!({ "bytes": 1 })), "limit must allow at least 1500 bytes, one packet, got 1"),
        (
            json!({ "queue": { "discipline": "codel", "limit": { "packets": 9 }, "targetMs": 0 } }),
            "targetMs must be between 0.001 and 60000, got 0",
        ),
    ];
    for (changes, message) in mistakes {
        assert_eq!(problem(&link_file(&changes)), message);
    }
    assert_eq!(problem(&json!({ "paths": [] })), "paths must have 1 to 8 entries, got 0");
    assert!(problem(&link_file(&json!({ "delay": 1 }))).starts_with("unknown field `delay`, expected one of `trace`"));
    let no_share = json!({ "loss": { "meanBurst": 4 } });
    assert!(problem(&link_file(&no_share)).starts_with("missing field `percent`"));
    let unknown = json!({ "queue": { "discipline": "red" } });
    assert!(problem(&link_file(&unknown)).starts_with("unknown variant `red`"));
    assert!(parse("{", Path::new("")).err().expect("no JSON").to_string().contains("line 1 column 1"));
}

#[test]
fn paths_have_names_that_files_can_have() {
    let path = |name: &str| json!({ "name": name, "down": direction(&json!({})), "up": direction(&json!({})) });
    let paths = |names: &[&str]| json!({ "paths": names.iter().map(|name| path(name)).collect::<Vec<_>>() });
    let link = parse_value(&paths(&["lte", "wifi"])).expect("a valid link");
    assert_eq!(link.paths.iter().map(|path| path.name.as_str()).collect::<Vec<_>>(), ["lte", "wifi"]);
    assert_eq!(problem(&paths(&["lte", "lte"])), "paths: names must differ, got \"lte\" twice");
    assert!(problem(&paths(&["../lte"])).contains("name must consist of letters, digits, - and _, got \"../lte\""));
    assert_eq!(problem(&paths(&["a", "b", "c", "b"])), "paths: names must differ, got \"b\" twice");
    assert_eq!(problem(&paths(&["a"; 9])), "paths must have 1 to 8 entries, got 9");
}

#[test]
fn directions_lose_different_packets() {
    let lossy = direction(&json!({ "loss": { "percent": 50 } }));
    let mut link = parse_value(&json!({ "paths": [{ "down": lossy, "up": lossy }] })).expect("a valid link");
    let path = &mut link.paths[0];
    let [down, up] = [&mut path.down, &mut path.up].map(|direction| {
        (0..20).for_each(|number| direction.arrive(packet(number, ms(10 * u64::from(number)))));
        direction.advance(ms(900));
        std::iter::from_fn(|| direction.take_due(ms(900))).map(|departure| departure.packet.arrived).collect::<Vec<_>>()
    });
    assert_ne!(down, up);
}

#[test]
fn losses_can_come_in_bursts() {
    let mut down = down(&json!({ "loss": { "percent": 50, "meanBurst": 1 } }));
    (0..20).for_each(|number| down.arrive(packet(number, ms(10 * u64::from(number)))));
    down.advance(ms(900));
    let through: Vec<_> =
        std::iter::from_fn(|| down.take_due(ms(900))).map(|departure| departure.packet.arrived).collect();
    // At that share with bursts of one packet, every other one.
    assert!(through.len() == 10 && through.windows(2).all(|pair| pair[1] == pair[0] + ms(20)), "{through:?}");
}

#[test]
fn the_example_of_the_readme_is_a_link() {
    let readme = include_str!("../../README.md");
    let example = readme.split("```json").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    assert_eq!(parse(example, Path::new("")).expect("a valid link").paths[0].name, "lte");
}
