//! The order of the modules of both crates: imports point one way, and no module is part of an import circle.
//!
//! It stands with the crate that is built without a C++ compiler, so that it runs everywhere.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Layers of `voxel-protocol`, from the lowest to the highest.
const PROTOCOL: [&[&str]; 6] = [
    &["clock", "cmsd", "coding", "client", "flight", "limits", "pacer", "varint", "window"],
    &["capsules", "delay_window", "delivery_rate", "error", "parity", "past", "framing"],
    &["coded", "head", "live_control", "path", "playlist", "ranges", "vxl", "facts"],
    &["authorization", "cmcd", "conditions", "flow", "request"],
    &["origin", "response", "scheduler"],
    &["announced", "discovery", "follow", "site", "target"],
];

/// Layers of `voxel-quiche`, from the lowest to the highest.
const SERVER: [&[&str]; 8] = [
    &["configuration_error", "descriptors", "handshakes", "log", "metrics", "open_error", "places", "process"],
    &["body", "http3", "sockets", "viewers"],
    &["certificate", "growing", "health", "shared_files"],
    &["edge", "files", "follow", "quic", "sources"],
    &["authorize", "jobs", "playlists", "session", "site"],
    &["http1", "responses"],
    &["connection", "endpoint", "metrics_listener", "workers"],
    &["app", "cli"],
];

/// For each module, by its path below the crate, the modules that it imports. The crate's own path is empty.
type Imports = BTreeMap<Vec<String>, BTreeSet<Vec<String>>>;

/// The imports of all modules in the folder `source`, those inside functions, too, but not those of tests.
fn read_imports(source: &Path) -> Imports {
    let modules: BTreeMap<_, _> = rust_files(source).into_iter().map(|file| (module_of(source, &file), file)).collect();
    let names: BTreeSet<_> = modules.keys().cloned().collect();
    let imported = |module: &Vec<String>, file| {
        let code = without_tests_and_comments(&fs::read_to_string(file).unwrap());
        paths(&code).into_iter().filter_map(|path| resolve(&path, module, &names)).collect()
    };
    modules.iter().map(|(module, file)| (module.clone(), imported(module, file))).collect()
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.flat_map(|path| if path.is_dir() { rust_files(&path) } else { vec![path] });
    files.filter(|path| !path.ends_with("tests.rs")).collect()
}

fn module_of(source: &Path, file: &Path) -> Vec<String> {
    let below = file.strip_prefix(source).unwrap().with_extension("");
    let names: Vec<_> = below.iter().map(|name| name.to_str().unwrap().to_owned()).collect();
    if ["lib", "main"].contains(&names[0].as_str()) { Vec::new() } else { names }
}

/// Tests stand at the end of a file.
fn without_tests_and_comments(text: &str) -> String {
    let product = text.split("#[cfg(test)]").next().unwrap_or_default();
    product.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// All paths from `crate` or `super` on, with those of a group in braces spelled out.
fn paths(code: &str) -> Vec<String> {
    let starts = ["crate::", "super::"].into_iter().flat_map(|word| code.match_indices(word));
    // The second of `super::super::` belongs to the first.
    let starts = starts.filter(|(start, _)| !code[..*start].ends_with("::"));
    starts.flat_map(|(start, _)| spelled_out("", &code[start..]).0).collect()
}

/// The paths at the start of `tree`, each after `prefix`, and the rest of the text.
fn spelled_out<'a>(prefix: &str, tree: &'a str) -> (Vec<String>, &'a str) {
    let end = tree.find(|letter: char| !letter.is_alphanumeric() && !"_:".contains(letter)).unwrap_or(tree.len());
    let (path, mut rest) = (format!("{prefix}{}", &tree[..end]), &tree[end..]);
    if !path.ends_with("::") || !rest.starts_with('{') {
        return (vec![path], rest);
    }
    let mut all = Vec::new();
    while !rest.starts_with('}') {
        let (paths, after) = spelled_out(&path, rest[1..].trim_start());
        all.extend(paths);
        // Past a name after `as`.
        rest = &after[after.find([',', '}']).expect("a closing brace")..];
    }
    (all, &rest[1..])
}

/// The module that a path from within `module` leads to, or into.
fn resolve(path: &str, module: &[String], modules: &BTreeSet<Vec<String>>) -> Option<Vec<String>> {
    let mut place = module.to_vec();
    for name in path.split("::") {
        match name {
            "crate" => place.clear(),
            "super" => drop(place.pop()),
            name => place.push(name.to_owned()),
        }
    }
    (0..=place.len()).rev().map(|length| place[..length].to_vec()).find(|place| modules.contains(place))
}

/// For each module that has modules inside, the graph among these. A module stands for all that is inside it. What it takes
/// from the one that it is part of is no import: both are one thing in several files.
fn graphs(imports: &Imports) -> BTreeMap<Vec<String>, BTreeMap<&str, BTreeSet<&str>>> {
    let mut graphs: BTreeMap<_, BTreeMap<&str, BTreeSet<&str>>> = BTreeMap::new();
    for (module, others) in imports {
        for other in others {
            let shared = module.iter().zip(other).take_while(|(one, another)| one == another).count();
            if let (Some(one), Some(another)) = (module.get(shared), other.get(shared)) {
                graphs.entry(module[..shared].to_vec()).or_default().entry(one).or_default().insert(another);
            }
        }
    }
    graphs
}

/// Imports between modules of the crate from a lower layer into a higher one.
fn upward(imports: &Imports, layers: &[&[&str]]) -> Vec<String> {
    let layer = |module: &str| layers.iter().position(|layer| layer.contains(&module));
    let graph = graphs(imports).remove(&Vec::new()).unwrap_or_default();
    let all = graph.iter().flat_map(|(one, others)| others.iter().map(move |other| (*one, *other)));
    all.filter(|(one, other)| layer(one) < layer(other)).map(|(one, other)| format!("{one} imports {other}")).collect()
}

/// The modules that lie on import circles, or between two.
fn circles(imports: &Imports) -> Vec<String> {
    let all = graphs(imports).into_iter().flat_map(|(parent, graph)| {
        let full_name = move |module: &str| [&parent[..], &[module.to_owned()]].concat().join("::");
        on_circles(graph).into_iter().map(full_name)
    });
    all.collect()
}

/// What is left of a graph without the modules that nothing imports or that import nothing, again and again.
fn on_circles<'a>(mut graph: BTreeMap<&'a str, BTreeSet<&'a str>>) -> Vec<&'a str> {
    let mut before = usize::MAX;
    while graph.len() < before {
        before = graph.len();
        let importing: BTreeSet<_> = graph.keys().copied().collect();
        let imported: BTreeSet<_> = graph.values().flatten().copied().collect();
        graph.retain(|module, others| {
            others.retain(|other| importing.contains(other));
            imported.contains(module) && !others.is_empty()
        });
    }
    graph.into_keys().collect()
}

fn crates() -> [(PathBuf, &'static [&'static [&'static str]]); 2] {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    [(folder.join("src"), &PROTOCOL), (folder.join("../server/src"), &SERVER)]
}

#[test]
fn every_module_has_its_place_in_the_order() {
    for (source, layers) in crates() {
        let modules = read_imports(&source).into_keys().filter(|module| module.len() == 1).flatten();
        let ordered: Vec<_> = layers.concat().into_iter().map(str::to_owned).collect();
        assert_eq!(modules.collect::<BTreeSet<_>>(), ordered.iter().cloned().collect());
        assert_eq!(ordered.len(), ordered.iter().collect::<BTreeSet<_>>().len(), "each once");
    }
}

#[test]
fn no_module_imports_from_a_higher_layer() {
    for (source, layers) in crates() {
        assert_eq!(upward(&read_imports(&source), layers), [""; 0], "{}", source.display());
    }
}

#[test]
fn no_module_imports_itself_through_others() {
    for (source, _) in crates() {
        assert_eq!(circles(&read_imports(&source)), [""; 0], "{}", source.display());
    }
}

/// The imports of files with these contents.
fn plant(name: &str, files: &[(&str, &str)]) -> Imports {
    let source = std::env::temp_dir().join(format!("voxel-layers-{name}-{}", std::process::id()));
    for (file, text) in files {
        let path = source.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let imports = read_imports(&source);
    fs::remove_dir_all(source).unwrap();
    imports
}

#[test]
fn a_planted_upward_import_is_found() {
    for (number, line) in [
        "use crate::high::Thing;",
        "use crate::high;",
        "use crate::{other::{self, It as That}, high::inner::Thing};",
        "use super::high::{\n    Other, Thing,\n};",
        "fn late() {\n    crate::high::inner::thing()\n}",
    ]
    .into_iter()
    .enumerate()
    {
        let files =
            [("lib.rs", ""), ("low.rs", line), ("high.rs", "mod inner;"), ("high/inner.rs", ""), ("other.rs", "")];
        let imports = plant(&format!("upward-{number}"), &files);
        assert_eq!(upward(&imports, &[&["low", "other"], &["high"]]), ["low imports high"], "{line}");
    }
}

#[test]
fn what_is_no_import_of_the_product_is_none() {
    for (number, text) in
        ["//! [`crate::high`]", "#[cfg(test)]\nmod tests {\n    use crate::high::Thing;\n}"].into_iter().enumerate()
    {
        let imports = plant(&format!("none-{number}"), &[("lib.rs", ""), ("low.rs", text), ("high.rs", "")]);
        assert_eq!(upward(&imports, &[&["low"], &["high"]]), [""; 0], "{text}");
    }
}

#[test]
fn a_planted_circle_is_found_in_the_crate_and_in_a_folder() {
    let (to_b, to_c) = ("use crate::b::inner::Thing;", "use super::c;");
    let files = [("main.rs", "use a::A;"), ("a.rs", to_b), ("b.rs", "mod inner;"), ("b/inner.rs", "use crate::c::C;")];
    let more = [("c.rs", "use crate::d;\nuse crate::a::A;"), ("d.rs", ""), ("e.rs", "use crate::a::A;")];
    assert_eq!(circles(&plant("crate", &[&files[..], &more].concat())), ["a", "b", "c"]);
    let files = [("a.rs", "mod b;\nmod c;"), ("a/b.rs", to_c), ("a/c.rs", "use super::b::{B, A};\nuse super::Shared;")];
    assert_eq!(circles(&plant("folder", &files)), ["a::b", "a::c"]);
}
