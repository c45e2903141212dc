//! Files in a folder that are together no larger than a bound: the least recently used go first. A file is there as a
//! whole or not at all, whatever happens while it is written.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};
use std::time::SystemTime;

use bytes::Bytes;
use lru::LruCache;
use rustix::fs::{FlockOperation, flock};
use serde_json::Value;

use crate::configuration_error::ConfigurationError;
use crate::log;
use crate::sockets::plain;

/// End of the name of a file that is being written.
const PARTIAL: &str = ".part";

/// Locked as long as the folder is used.
const LOCK: &str = "lock";

#[derive(Debug)]
struct State {
    /// Size by name.
    sizes: LruCache<String, u64>,
    bytes: u64,
    /// Files that are not yet on disk.
    unwritten: HashMap<String, Bytes>,
}

/// A file that is there.
#[derive(Debug)]
pub enum Stored {
    Memory(Bytes),
    Disk(File),
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
    /// Takes over what an earlier run has left. `bound`: bytes.
    pub fn open(folder: &Path, bound: u64) -> Result<Self, ConfigurationError> {
        let failed = |error: io::Error| {
            ConfigurationError(format!("cannot use the cache's folder {}: {}", folder.display(), plain(&error)))
        };
        fs::create_dir_all(folder).map_err(failed)?;
        let lock = File::options().write(true).create(true).truncate(false).open(folder.join(LOCK)).map_err(failed)?;
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
            store.remove_files(&store.lock().insert(name, size, bound));
        }
        Ok(store)
    }

    /// Time, name and size of the files that an earlier run has written completely.
    fn left(&self) -> io::Result<Vec<(SystemTime, String, u64)>> {
        let mut left = Vec::new();
        for file in fs::read_dir(&self.folder)? {
            let file = file?;
            let Some(name) = file.file_name().to_str().map(str::to_owned) else { continue };
            if is_own_partial(&name) {
                fs::remove_file(file.path())?;
            } else if is_own(&name) {
                let metadata = file.metadata()?;
                left.push((metadata.modified()?, name, metadata.len()));
            }
        }
        Ok(left)
    }

    /// Bytes of all files.
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
        let file = File::open(self.folder.join(name)).ok().map(Stored::Disk);
        if file.is_none() {
            // Somebody has removed it.
            self.remove(name);
        }
        file
    }

    /// All of a file. Blocks.
    pub fn read(&self, name: &str) -> Option<Bytes> {
        let size = {
            let mut state = self.lock();
            if let Some(bytes) = state.unwritten.get(name) {
                return Some(bytes.clone());
            }
            *state.sizes.get(name)?
        };
        let read = fs::read(self.folder.join(name)).ok().filter(|bytes| bytes.len() as u64 == size);
        if read.is_none() {
            self.remove(name);
        }
        read.map(Bytes::from)
    }

    /// Takes a file, which can be read from here on. [`Store::write`] must follow.
    pub fn put(&self, name: &str, bytes: Bytes) {
        let ended = self.ended();
        if *ended {
            return;
        }
        let mut state = self.lock();
        let evicted = state.insert(name.to_owned(), bytes.len() as u64, self.bound);
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

    fn replace(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let number = self.written.fetch_add(1, Ordering::Relaxed);
        let partial = self.folder.join(format!("{name}.{number}{PARTIAL}"));
        let written = write_durably(&partial, bytes).and_then(|()| fs::rename(&partial, self.folder.join(name)));
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
    /// Reads what is there from `position` on; 0 bytes: it is shorter. Blocks.
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
    /// Returns what has to go for it.
    fn insert(&mut self, name: String, size: u64, bound: u64) -> Vec<String> {
        self.bytes += size;
        if let Some(before) = self.sizes.put(name, size) {
            self.bytes -= before;
        }
        let mut evicted = Vec::new();
        while self.bytes > bound {
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

fn write_durably(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
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
        let store = folder.store(300);
        (0..3).for_each(|number| put(&store, number, 100));
        assert!(store.holds(&name(0)), "and is used by that");
        put(&store, 3, 100);
        assert_eq!((held(&store), store.bytes()), (vec![0, 2, 3], 300));
        assert!(!folder.0.join(name(1)).exists());
        put(&store, 4, 1000);
        assert_eq!((held(&store), store.bytes()), (vec![], 0), "one that is larger than all");
    }

    #[test]
    fn a_file_can_be_read_before_it_is_on_disk() {
        let folder = Folder::new("unwritten");
        let store = folder.store(1000);
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
        let store = folder.store(1000);
        (0..3).for_each(|number| store.put(&name(number), vec![number as u8; 100].into()));
        store.write(&name(1));
        store.write_rest();
        assert!((0..3).all(|number| folder.0.join(name(number)).exists()));
    }

    #[test]
    fn the_end_waits_for_what_is_being_written_and_takes_no_more() {
        let folder = Folder::new("end");
        let store = folder.store(1000);
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
        (0..3).for_each(|number| put(&folder.store(1000), number, 100));
        let torn = folder.0.join(format!("{}.7{PARTIAL}", name(5)));
        fs::write(&torn, "half").unwrap();
        let others = ["notes.txt", "download.part", "download.7.part"].map(|name| folder.0.join(name));
        for file in &others {
            fs::write(file, "not ours").unwrap();
        }
        assert_eq!(held(&folder.store(1000)), [0, 1, 2]);
        assert!(!torn.exists() && others.iter().all(|file| file.exists()));
        assert_eq!(folder.store(150).bytes(), 100, "within a smaller bound");
    }

    #[test]
    fn a_file_that_cannot_be_written_is_gone_and_leaves_nothing_behind() {
        let folder = Folder::new("unwritable");
        let store = folder.store(1000);
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
        let store = folder.store(1000);
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
        folder.store(1000);
        assert_eq!(fs::read(folder.0.join(LOCK)).unwrap(), b"not ours");
    }

    #[test]
    fn one_folder_has_one_server() {
        let folder = Folder::new("locked");
        let held = folder.store(1000);
        assert!(Store::open(&folder.0, 1000).is_err());
        drop(held);
        assert!(Store::open(&folder.0, 1000).is_ok());
    }

    #[test]
    fn what_somebody_removed_is_not_there() {
        let folder = Folder::new("removed");
        let store = folder.store(1000);
        put(&store, 0, 100);
        fs::remove_file(folder.0.join(name(0))).unwrap();
        assert!(store.get(&name(0)).is_none() && !store.holds(&name(0)));
        assert_eq!(store.bytes(), 0);
    }
}
