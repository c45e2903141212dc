//! Files in a folder that together take no more of the disk than a bound: the least recently used go first. A file is there
//! as a whole or not at all, whatever happens while it is written, and what is damaged is not there ([`super::sealed`]).

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};
use std::time::SystemTime;

use bytes::Bytes;
use lru::LruCache;
use rustix::fs::{FlockOperation, flock};
use serde_json::Value;

use super::sealed::{Sealed, open_plain, seal, sealed_len};
use crate::configuration_error::ConfigurationError;
use crate::log;
use crate::sockets::plain;

/// End of the name of a file that is being written.
const PARTIAL: &str = ".part";

/// Locked as long as the folder is used.
const LOCK: &str = "lock";

/// What the disk gives at a time.
const DISK_BLOCK: u64 = 4096;

/// Bytes that a file takes beside its content: its inode and its name in the folder.
const OVERHEAD: u64 = 512;

/// Files whose names fit into some 40 MiB of memory.
const MOST_FILES: usize = 200_000;

#[derive(Debug)]
struct State {
    /// Bytes on disk by name.
    sizes: LruCache<String, u64>,
    /// Those of all files.
    bytes: u64,
    /// Files that are not yet on disk.
    unwritten: HashMap<String, Bytes>,
}

/// A file that is there.
#[derive(Debug)]
pub enum Stored {
    Memory(Bytes),
    Disk(Sealed),
}

#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    bound: u64,
    state: Mutex<State>,
    /// Files written so far: no two are written under one name.
    written: AtomicU64,
    /// Whether the process ends; read as long as files are written or evicted.
    ended: RwLock<bool>,
    _lock: File,
}

impl Store {
    /// Takes over what an earlier run has left. `bound`: bytes on disk.
    pub fn open(folder: &Path, bound: u64) -> Result<Self, ConfigurationError> {
        let failed = |error: io::Error| {
            ConfigurationError(format!("cannot use the cache's folder {}: {}", folder.display(), plain(&error)))
        };
        fs::create_dir_all(folder).map_err(failed)?;
        let mut options = File::options();
        let lock = open_plain(options.write(true).create(true).truncate(false), &folder.join(LOCK)).map_err(failed)?;
        if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
            let message = format!("another server uses the cache's folder {}: give --cache-dir", folder.display());
            return Err(ConfigurationError(message));
        }
        let state = State { sizes: LruCache::unbounded(), bytes: 0, unwritten: HashMap::new() };
        let (folder, state) = (folder.to_owned(), Mutex::new(state));
        let store = Self { folder, bound, state, written: AtomicU64::new(0), ended: RwLock::new(false), _lock: lock };
        let mut left = store.left().map_err(failed)?;
        left.sort_unstable();
        for (_, name, size) in left {
            let evicted = store.lock().insert(name, size, bound);
            store.remove_files(&evicted);
        }
        Ok(store)
    }

    /// Time, name and bytes on disk of the files that an earlier run has written completely.
    fn left(&self) -> io::Result<Vec<(SystemTime, String, u64)>> {
        let mut left = Vec::new();
        for file in fs::read_dir(&self.folder)? {
            let file = file?;
            let Some(name) = file.file_name().to_str().map(str::to_owned) else { continue };
            if is_own_partial(&name) {
                fs::remove_file(file.path())?;
            } else if is_own(&name) {
                // Links are not followed, so that they are no files.
                let metadata = file.metadata()?;
                if metadata.is_file() {
                    left.push((metadata.modified()?, name, on_disk(metadata.len())));
                }
            }
        }
        Ok(left)
    }

    /// Bytes on disk of all files.
    pub fn bytes(&self) -> u64 {
        self.lock().bytes
    }

    /// Whether the file is there. If so, it counts as used.
    pub fn holds(&self, name: &str) -> bool {
        self.lock().sizes.get(name).is_some()
    }

    /// A file to read from, which goes on to be there if it is evicted meanwhile. Blocks.
    pub fn get(&self, name: &str) -> Option<Stored> {
        {
            let mut state = self.lock();
            state.sizes.get(name)?;
            if let Some(bytes) = state.unwritten.get(name) {
                return Some(Stored::Memory(bytes.clone()));
            }
        }
        let file = Sealed::open(&self.folder, name).ok().map(Stored::Disk);
        if file.is_none() {
            // Somebody has removed it, or put something else in its place.
            self.remove(name);
        }
        file
    }

    /// All of a file. Blocks.
    pub fn read(&self, name: &str) -> Option<Bytes> {
        let read = match self.get(name)? {
            Stored::Memory(bytes) => return Some(bytes),
            Stored::Disk(file) => file.read(),
        };
        if read.is_err() {
            self.remove(name);
        }
        read.ok().map(Bytes::from)
    }

    /// Takes a file, which can be read from here on. [`Store::write`] must follow.
    pub fn put(&self, name: &str, bytes: Bytes) {
        let ended = self.ended();
        if *ended {
            return;
        }
        let mut state = self.lock();
        let evicted = state.insert(name.to_owned(), on_disk(sealed_len(bytes.len() as u64)), self.bound);
        if state.sizes.contains(name) {
            state.unwritten.insert(name.to_owned(), bytes);
        }
        drop(state);
        self.remove_files(&evicted);
    }

    /// Brings a file to disk; one that cannot be written is forgotten. Blocks.
    pub fn write(&self, name: &str) {
        let ended = self.ended();
        if !*ended {
            self.bring_to_disk(name);
        }
    }

    fn bring_to_disk(&self, name: &str) {
        let Some(bytes) = self.lock().unwritten.get(name).cloned() else { return };
        let written = self.replace(name, &bytes);
        self.settle(name, &bytes, written);
    }

    /// Waits for writes under way, brings to disk what is not there yet, and takes no more: for the end of the process.
    /// Blocks.
    pub fn write_rest(&self) {
        let mut ended = self.ended.write().unwrap_or_else(PoisonError::into_inner);
        *ended = true;
        let names: Vec<_> = self.lock().unwritten.keys().cloned().collect();
        for name in names {
            self.bring_to_disk(&name);
        }
    }

    /// Takes note that a file was written, or was not.
    fn settle(&self, name: &str, bytes: &Bytes, written: io::Result<()>) {
        let mut state = self.lock();
        let is_another = |now: &Bytes| now.as_ptr() != bytes.as_ptr();
        if state.unwritten.get(name).is_some_and(is_another) {
            // It was put again meanwhile, and will be written again.
            return;
        }
        state.unwritten.remove(name);
        if let Err(error) = written {
            drop(state);
            self.remove(name);
            let fields = [("file", Value::from(name)), ("error", Value::from(plain(&error)))];
            log::warning("cache not written", &fields);
        } else if !state.sizes.contains(name) {
            drop(state);
            self.remove_files(&[name.to_owned()]);
        }
    }

    pub fn remove(&self, name: &str) {
        self.lock().forget(name);
        self.remove_files(&[name.to_owned()]);
    }

    /// Removes all files whose names begin so.
    pub fn remove_all(&self, prefix: &str) {
        let mut state = self.lock();
        let names = state.sizes.iter().map(|(name, _)| name).filter(|name| name.starts_with(prefix));
        let names: Vec<_> = names.cloned().collect();
        for name in &names {
            state.forget(name);
        }
        drop(state);
        self.remove_files(&names);
    }

    fn replace(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let number = self.written.fetch_add(1, Ordering::Relaxed);
        let partial = self.folder.join(format!("{name}.{number}{PARTIAL}"));
        let written =
            write_durably(&partial, &seal(name, bytes)).and_then(|()| fs::rename(&partial, self.folder.join(name)));
        if written.is_err() {
            // Of a full disk it would take what is left.
            let _ = fs::remove_file(&partial);
        }
        written
    }

    fn remove_files(&self, names: &[String]) {
        for name in names {
            // It may not be on disk yet.
            let _ = fs::remove_file(self.folder.join(name));
        }
    }

    fn ended(&self) -> RwLockReadGuard<'_, bool> {
        self.ended.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Stored {
    /// Reads what is there from `position` on; 0 bytes: it is shorter. Fails if it is damaged. Blocks.
    pub fn read_at(&self, buffer: &mut [u8], position: u64) -> io::Result<usize> {
        match self {
            Self::Disk(file) => file.read_at(buffer, position),
            Self::Memory(bytes) => {
                let rest = bytes.get(position as usize..).unwrap_or_default();
                let count = rest.len().min(buffer.len());
                buffer[..count].copy_from_slice(&rest[..count]);
                Ok(count)
            }
        }
    }
}

impl State {
    /// Adds a file of `size` bytes on disk. Returns what has to go for it.
    fn insert(&mut self, name: String, size: u64, bound: u64) -> Vec<String> {
        self.bytes += size;
        if let Some(before) = self.sizes.put(name, size) {
            self.bytes -= before;
        }
        let mut evicted = Vec::new();
        while self.bytes > bound || self.sizes.len() > MOST_FILES {
            let Some((name, size)) = self.sizes.pop_lru() else { break };
            self.bytes -= size;
            self.unwritten.remove(&name);
            evicted.push(name);
        }
        evicted
    }

    fn forget(&mut self, name: &str) {
        self.unwritten.remove(name);
        if let Some(size) = self.sizes.pop(name) {
            self.bytes -= size;
        }
    }
}

/// Bytes that a file of this length takes of the disk.
fn on_disk(length: u64) -> u64 {
    length.next_multiple_of(DISK_BLOCK) + OVERHEAD
}

fn write_durably(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // What has the name already is no file of ours, and may be a link.
    let mut file = File::create_new(path)?;
    file.write_all(bytes)?;
    // Else a crash of the machine could leave the name and not the bytes.
    file.sync_data()
}

/// The folder may hold files of others, which are left alone: 32 hexadecimal digits begin every name of ours.
fn is_own(name: &str) -> bool {
    let (digits, rest) = name.split_at_checked(32).unwrap_or_default();
    digits.len() == 32
        && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        && (rest == ".json" || rest.strip_prefix('-').is_some_and(is_number))
}

/// A name of ours, the number of the write, and [`PARTIAL`].
fn is_own_partial(name: &str) -> bool {
    let parts = name.strip_suffix(PARTIAL).and_then(|name| name.rsplit_once('.'));
    parts.is_some_and(|(name, number)| is_own(name) && is_number(number))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that a file of these tests takes of the disk.
    const FILE: u64 = DISK_BLOCK + OVERHEAD;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let folder = std::env::temp_dir().join(format!("voxel-quiche-store-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&folder);
            Self(folder)
        }

        fn store(&self, bound: u64) -> Store {
            Store::open(&self.0, bound).unwrap()
        }

        /// The folder as the next run finds it.
        fn store_again(&self, store: Store) -> Store {
            let bound = store.bound;
            drop(store);
            self.store(bound)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn name(number: usize) -> String {
        format!("{:032x}-{number}", 7)
    }

    fn put(store: &Store, number: usize, size: usize) {
        store.put(&name(number), vec![number as u8; size].into());
        store.write(&name(number));
    }

    fn held(store: &Store) -> Vec<usize> {
        (0..10).filter(|number| store.read(&name(*number)) == Some(vec![*number as u8; 100].into())).collect()
    }

    #[test]
    fn the_least_recently_used_go_first_from_disk_too() {
        let folder = Folder::new("bound");
        let store = folder.store(3 * FILE);
        (0..3).for_each(|number| put(&store, number, 100));
        assert!(store.holds(&name(0)), "and is used by that");
        put(&store, 3, 100);
        assert_eq!((held(&store), store.bytes()), (vec![0, 2, 3], 3 * FILE));
        assert!(!folder.0.join(name(1)).exists());
        put(&store, 4, 20_000);
        assert_eq!((held(&store), store.bytes()), (vec![], 0), "one that is larger than all");
    }

    #[test]
    fn a_file_can_be_read_before_it_is_on_disk() {
        let folder = Folder::new("unwritten");
        let store = folder.store(3 * FILE);
        store.put(&name(1), vec![1; 100].into());
        let read = || {
            let mut buffer = [0; 64];
            store.get(&name(1)).unwrap().read_at(&mut buffer, 50).unwrap()
        };
        assert_eq!((read(), folder.0.join(name(1)).exists()), (50, false));
        store.write(&name(1));
        assert_eq!((read(), folder.0.join(name(1)).exists()), (50, true));
    }

    #[test]
    fn the_rest_is_written_when_the_process_ends() {
        let folder = Folder::new("rest");
        let store = folder.store(3 * FILE);
        (0..3).for_each(|number| store.put(&name(number), vec![number as u8; 100].into()));
        store.write(&name(1));
        store.write_rest();
        assert!((0..3).all(|number| folder.0.join(name(number)).exists()));
    }

    #[test]
    fn the_end_waits_for_what_is_being_written_and_takes_no_more() {
        let folder = Folder::new("end");
        let store = folder.store(3 * FILE);
        store.put(&name(0), vec![0; 100].into());
        let being_written = store.ended();
        std::thread::scope(|scope| {
            let end = scope.spawn(|| store.write_rest());
            std::thread::sleep(std::time::Duration::from_millis(50));
            assert!(!end.is_finished());
            drop(being_written);
        });
        store.put(&name(1), vec![1; 100].into());
        store.write(&name(1));
        assert_eq!([0, 1].map(|number| folder.0.join(name(number)).exists()), [true, false]);
    }

    #[test]
    fn a_restart_keeps_what_was_written_completely_and_leaves_files_of_others_alone() {
        let folder = Folder::new("restart");
        (0..3).for_each(|number| put(&folder.store(3 * FILE), number, 100));
        let torn = folder.0.join(format!("{}.7{PARTIAL}", name(5)));
        fs::write(&torn, "half").unwrap();
        let others = ["notes.txt", "download.part", "download.7.part"].map(|name| folder.0.join(name));
        for file in &others {
            fs::write(file, "not ours").unwrap();
        }
        assert_eq!(held(&folder.store(3 * FILE)), [0, 1, 2]);
        assert!(!torn.exists() && others.iter().all(|file| file.exists()));
        assert_eq!(folder.store(FILE + 1).bytes(), FILE, "within a smaller bound");
    }

    #[test]
    fn a_file_that_cannot_be_written_is_gone_and_leaves_nothing_behind() {
        let folder = Folder::new("unwritable");
        let store = folder.store(3 * FILE);
        // No file can take the place of a folder.
        fs::create_dir(folder.0.join(name(0))).unwrap();
        put(&store, 0, 100);
        assert!(store.read(&name(0)).is_none() && store.bytes() == 0);
        let left = fs::read_dir(&folder.0).unwrap().map(|file| file.unwrap().file_name());
        assert!(!left.into_iter().any(|name| name.to_string_lossy().ends_with(PARTIAL)));
    }

    #[test]
    fn what_was_put_again_while_it_was_written_stays() {
        let folder = Folder::new("again");
        let store = folder.store(3 * FILE);
        let (old, new) = (Bytes::from_static(b"old"), Bytes::from_static(b"newer"));
        store.put(&name(0), old.clone());
        let written = store.replace(&name(0), &old);
        store.put(&name(0), new.clone());
        store.settle(&name(0), &old, written);
        assert_eq!(store.read(&name(0)), Some(new.clone()));
        store.write(&name(0));
        assert_eq!(store.read(&name(0)), Some(new));
    }

    #[test]
    fn the_lock_of_the_folder_empties_no_file() {
        let folder = Folder::new("lock");
        fs::create_dir_all(&folder.0).unwrap();
        fs::write(folder.0.join(LOCK), "not ours").unwrap();
        folder.store(3 * FILE);
        assert_eq!(fs::read(folder.0.join(LOCK)).unwrap(), b"not ours");
    }

    #[test]
    fn one_folder_has_one_server() {
        let folder = Folder::new("locked");
        let held = folder.store(3 * FILE);
        assert!(Store::open(&folder.0, FILE).is_err());
        drop(held);
        assert!(Store::open(&folder.0, FILE).is_ok());
    }

    #[test]
    fn what_somebody_removed_is_not_there() {
        let folder = Folder::new("removed");
        let store = folder.store(3 * FILE);
        put(&store, 0, 100);
        fs::remove_file(folder.0.join(name(0))).unwrap();
        assert!(store.get(&name(0)).is_none() && !store.holds(&name(0)));
        assert_eq!(store.bytes(), 0);
    }

    #[test]
    fn files_are_no_more_than_memory_has_names_for() {
        let mut state = State { sizes: LruCache::unbounded(), bytes: 0, unwritten: HashMap::new() };
        let evicted: Vec<_> = (0..MOST_FILES + 2).flat_map(|number| state.insert(name(number), 1, u64::MAX)).collect();
        assert_eq!((evicted, state.sizes.len()), (vec![name(0), name(1)], MOST_FILES));
    }

    #[test]
    fn files_take_whole_blocks_of_the_disk() {
        let folder = Folder::new("blocks");
        let store = folder.store(1_000_000);
        for (number, length, pages) in [(0, 1, 1), (1, 4092, 1), (2, 4093, 2), (3, 512 * 1024, 129)] {
            let before = store.bytes();
            put(&store, number, length);
            assert_eq!(store.bytes() - before, pages * DISK_BLOCK + OVERHEAD, "{length}");
        }
        assert_eq!(folder.store_again(store).bytes(), (1 + 1 + 2 + 129) * DISK_BLOCK + 4 * OVERHEAD);
    }

    #[test]
    fn no_link_is_followed_to_write_either() {
        let folder = Folder::new("links");
        let store = folder.store(3 * FILE);
        let other = folder.0.join("other");
        fs::write(&other, "not ours").unwrap();
        for link in [name(0), format!("{}.0{PARTIAL}", name(0)), format!("{}.1{PARTIAL}", name(1))] {
            std::os::unix::fs::symlink(&other, folder.0.join(link)).unwrap();
        }
        (0..3).for_each(|number| put(&store, number, 100));
        assert_eq!(fs::read(&other).unwrap(), b"not ours");
        assert_eq!(held(&store), [2], "what could not be written is not there");
        let again = Folder::new("link-of-lock");
        fs::create_dir_all(&again.0).unwrap();
        std::os::unix::fs::symlink(&other, again.0.join(LOCK)).unwrap();
        assert!(Store::open(&again.0, FILE).is_err());
    }
}
