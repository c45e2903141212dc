//! From a request path to an open file under a served folder. Everything here blocks.

use std::ffi::OsStr;
use std::fs::{Metadata, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use voxel_protocol::error::HttpError;
use voxel_protocol::path;
use voxel_protocol::site::FileFacts;
use voxel_protocol::vxl::SUFFIX;

use crate::body::Content;
use crate::configuration_error::ConfigurationError;
use crate::growing::{Live, LiveRecords, Records};
use crate::open_error::OpenError;
use crate::shared_files::{SharedFile, SharedFiles};

pub const INDEX: &str = "index.html";

/// Media types by file name suffix.
const CONTENT_TYPES: [(&str, &str); 22] = [
    ("mpd", "application/dash+xml"),
    ("m3u8", "application/vnd.apple.mpegurl"),
    ("mp4", "video/mp4"),
    ("m4s", "video/iso.segment"),
    ("m4a", "audio/mp4"),
    ("webm", "video/webm"),
    ("vtt", "text/vtt"),
    ("html", "text/html"),
    ("js", "text/javascript"),
    ("mjs", "text/javascript"),
    ("css", "text/css"),
    ("json", "application/json"),
    ("map", "application/json"),
    ("wasm", "application/wasm"),
    ("xml", "application/xml"),
    ("txt", "text/plain"),
    ("csv", "text/csv"),
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("svg", "image/svg+xml"),
    ("ico", "image/vnd.microsoft.icon"),
    ("woff2", "font/woff2"),
];

/// A file that can be read: an open regular one, or one of the origin's.
#[derive(Debug)]
pub struct MediaFile {
    pub content: Box<dyn Content>,
    pub facts: FileFacts,
    /// What a live segment is followed by.
    pub live: Option<Live>,
}

/// The served folders, by URL prefix.
#[derive(Debug)]
pub struct Mounts {
    roots: Vec<(Vec<Vec<u8>>, PathBuf)>,
    files: SharedFiles,
}

impl Mounts {
    /// The folders of these options; `folders`: prefix ("/" or "/media") to folder; `most`: files open at a time.
    pub fn new(folders: Vec<(String, PathBuf)>, most: usize) -> Result<Self, ConfigurationError> {
        let mut roots = Vec::new();
        for (prefix, folder) in folders {
            let root = folder.canonicalize().ok().filter(|root| root.is_dir());
            let root = root.ok_or_else(|| ConfigurationError(format!("no such folder: {}", folder.display())))?;
            let segments = prefix.split('/').filter(|it| !it.is_empty()).map(|it| it.as_bytes().to_vec()).collect();
            roots.push((segments, root));
        }
        roots.sort_by_key(|(segments, _): &(Vec<_>, _)| std::cmp::Reverse(segments.len()));
        Ok(Self { roots, files: SharedFiles::new(most) })
    }

    /// Whether a request path, which may be malformed, is below one of the folders.
    pub fn cover(&self, path: &str) -> bool {
        let is_below = |segments: Vec<Vec<u8>>| self.roots.iter().any(|(prefix, _)| segments.starts_with(prefix));
        path::decode(path).is_ok_and(is_below)
    }

    /// The file of a request path (without query; percent-encoded): a 404 for whatever is not a regular file under a
    /// served folder.
    pub fn open(&self, path: &str) -> Result<MediaFile, OpenError> {
        let segments = path::decode(path)?;
        let (prefix, root) =
            self.roots.iter().find(|(prefix, _)| segments.starts_with(prefix)).ok_or_else(HttpError::not_found)?;
        let inner = segments[prefix.len()..].iter().map(|segment| OsStr::from_bytes(segment));
        let found = root.join(inner.collect::<PathBuf>()).canonicalize().map_err(|error| refused(&error))?;
        if !found.starts_with(root) {
            return Err(HttpError::not_found().into());
        }
        if !found.is_dir() {
            return if path.ends_with('/') { Err(HttpError::not_found().into()) } else { Ok(self.open_media(&found)?) };
        }
        if !path.ends_with('/') {
            return Err(OpenError::Redirect(format!("{path}/")));
        }
        let (file, facts) = self.open_shared(&found.join(INDEX))?;
        Ok(MediaFile { content: Box::new(file), facts, live: None })
    }

    /// Records are read first: the file has all bytes that they name.
    fn open_media(&self, path: &Path) -> Result<MediaFile, HttpError> {
        let records = self.read_records(path)?;
        let (file, mut facts) = self.open_shared(path)?;
        if let Some(records) = records.as_ref().filter(|records| !records.reader.ended()) {
            (facts.size, facts.grows) = (records.reader.available(), true);
        }
        let live = records.map(|records| Live { records: Records::Beside(records), media: Arc::clone(&file) as _ });
        Ok(MediaFile { content: Box::new(file), facts, live })
    }

    /// Records beside a media file; `None`: there are none, or they are malformed.
    fn read_records(&self, media: &Path) -> Result<Option<LiveRecords>, HttpError> {
        let mut path = media.as_os_str().to_owned();
        path.push(SUFFIX);
        let path = Path::new(&path);
        if !path.symlink_metadata().is_ok_and(|metadata| metadata.is_file()) {
            return Ok(None);
        }
        let (file, _) = self.open_shared(path)?;
        LiveRecords::read(file).map_err(|error| refused(&error))
    }

    /// An open regular file. `O_NOFOLLOW`: the index of a folder may not be a link; `O_NONBLOCK`: opening a named pipe
    /// must not wait.
    fn open_shared(&self, path: &Path) -> Result<(Arc<SharedFile>, FileFacts), HttpError> {
        let linked = path.symlink_metadata().map_err(|error| refused(&error))?;
        if let Some(file) = self.files.get(&linked) {
            return Ok((file, facts_of(path, &linked)));
        }
        let permit = self.files.permit().ok_or_else(HttpError::unreadable)?;
        let opened = OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path);
        let with_metadata = opened.and_then(|file| file.metadata().map(|metadata| (file, metadata)));
        match with_metadata {
            Ok((file, metadata)) if metadata.is_file() => {
                let file = self.files.share(file, &metadata, permit);
                Ok((file, facts_of(path, &metadata)))
            }
            Ok(_) => Err(HttpError::not_found()),
            Err(error) => Err(refused(&error)),
        }
    }
}

fn facts_of(path: &Path, metadata: &Metadata) -> FileFacts {
    let modified = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
    FileFacts { size: metadata.len(), modified, validator: None, content_type: content_type(path), grows: false }
}

/// Most errors mean that there is no such file; without descriptors or memory there may well be.
fn refused(error: &io::Error) -> HttpError {
    match error.raw_os_error() {
        Some(libc::EMFILE | libc::ENFILE | libc::EIO | libc::ENOMEM) => HttpError::unreadable(),
        _ => HttpError::not_found(),
    }
}

pub fn content_type(path: &Path) -> &'static str {
    let suffix = path.extension().and_then(OsStr::to_str).unwrap_or_default().to_ascii_lowercase();
    let known = CONTENT_TYPES.iter().find(|(other, _)| *other == suffix);
    known.map_or("application/octet-stream", |(_, content_type)| content_type)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let folder = std::env::temp_dir().join(format!("voxel-quiche-{name}-{}", std::process::id()));
            fs::create_dir_all(folder.join("root/sub")).unwrap();
            fs::write(folder.join("outside.txt"), "outside").unwrap();
            fs::write(folder.join("root/media.mp4"), (0..=255).collect::<Vec<u8>>()).unwrap();
            fs::write(folder.join("root/with space.txt"), "x").unwrap();
            fs::write(folder.join("root/.secret"), "x").unwrap();
            fs::write(folder.join("root/sub/index.html"), "x").unwrap();
            std::os::unix::fs::symlink("../outside.txt", folder.join("root/out.txt")).unwrap();
            std::os::unix::fs::symlink("media.mp4", folder.join("root/in.mp4")).unwrap();
            Self(folder)
        }

        fn mounts(&self) -> Mounts {
            let folders = vec![("/".to_owned(), self.0.join("root")), ("/other".to_owned(), self.0.join("root/sub"))];
            Mounts::new(folders, 1).unwrap()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    /// How many responses read the file through one descriptor.
    fn sharers(mounts: &Mounts, path: &Path) -> usize {
        let file = mounts.files.get(&fs::metadata(path).unwrap()).unwrap();
        Arc::strong_count(&file) - 1
    }

    #[test]
    fn only_regular_files_under_the_folders_are_opened() {
        let folder = Folder::new("paths");
        let mounts = folder.mounts();
        for path in ["/media.mp4", "/with%20space.txt", "/in.mp4", "/sub/", "/other/", "/other/index.html"] {
            assert!(mounts.open(path).is_ok(), "{path}");
        }
        for path in [
            "/absent",
            "/out.txt",
            "/.secret",
            "/../outside.txt",
            "/%2e%2e/outside.txt",
            "/sub/..%2fmedia.mp4",
            "/",
            "/media.mp4/",
            "//media.mp4",
            "/media.mp4%00",
        ] {
            assert!(matches!(mounts.open(path), Err(OpenError::Http(_))), "{path}");
        }
        assert!(matches!(mounts.open("/sub"), Err(OpenError::Redirect(path)) if path == "/sub/"));
    }

    #[test]
    fn responses_share_a_descriptor_and_without_a_permit_a_file_is_unreadable_not_absent() {
        let folder = Folder::new("permits");
        let mounts = folder.mounts();
        let held = [mounts.open("/media.mp4").unwrap(), mounts.open("/in.mp4").unwrap()];
        assert_eq!(sharers(&mounts, &folder.0.join("root/media.mp4")), held.len());
        let refused = mounts.open("/with%20space.txt").unwrap_err();
        assert!(matches!(refused, OpenError::Http(error) if error == HttpError::unreadable()));
        assert!(matches!(mounts.open("/absent"), Err(OpenError::Http(error)) if error == HttpError::not_found()));
        drop(held);
        assert!(mounts.open("/with%20space.txt").is_ok());
    }

    #[test]
    fn a_file_in_the_place_of_one_that_is_read_is_another() {
        let folder = Folder::new("replaced");
        let mounts = Mounts::new(vec![("/".to_owned(), folder.0.join("root"))], 2).unwrap();
        let old = mounts.open("/media.mp4").unwrap();
        fs::remove_file(folder.0.join("root/media.mp4")).unwrap();
        fs::write(folder.0.join("root/media.mp4"), "newer").unwrap();
        let new = mounts.open("/media.mp4").unwrap();
        assert_eq!(sharers(&mounts, &folder.0.join("root/media.mp4")), 1);
        assert_eq!((old.facts.size, new.facts.size), (256, 5));
    }
}
