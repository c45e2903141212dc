//! From a request path to an open file under a served folder, and from there to its bytes. Everything here blocks.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use bytes::{Bytes, BytesMut};
use voxel_protocol::error::HttpError;
use voxel_protocol::path;
use voxel_protocol::site::{FileFacts, Piece};

use crate::ConfigurationError;

const INDEX: &str = "index.html";

/// By file name suffix.
const CONTENT_TYPES: [(&str, &str); 21] = [
    ("mpd", "application/dash+xml"),
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

/// Why no file was opened.
#[derive(Debug)]
pub enum OpenError {
    Http(HttpError),
    /// A folder was asked for without its slash; the path with it.
    Redirect(String),
}

impl From<HttpError> for OpenError {
    fn from(error: HttpError) -> Self {
        Self::Http(error)
    }
}

/// An open regular file.
#[derive(Debug)]
pub struct MediaFile {
    pub file: File,
    pub facts: FileFacts,
}

/// The served folders, by URL prefix.
#[derive(Debug)]
pub struct Mounts(Vec<(Vec<Vec<u8>>, PathBuf)>);

impl Mounts {
    /// `folders`: prefix ("/" or "/media") to folder.
    pub fn new(folders: Vec<(String, PathBuf)>) -> Result<Self, ConfigurationError> {
        let mut roots = Vec::new();
        for (prefix, folder) in folders {
            let root = folder.canonicalize().ok().filter(|root| root.is_dir());
            let root = root.ok_or_else(|| ConfigurationError(format!("no such folder: {}", folder.display())))?;
            let segments = prefix.split('/').filter(|it| !it.is_empty()).map(|it| it.as_bytes().to_vec()).collect();
            roots.push((segments, root));
        }
        roots.sort_by_key(|(segments, _): &(Vec<_>, _)| std::cmp::Reverse(segments.len()));
        Ok(Self(roots))
    }

    /// The file of a request path (without query; percent-encoded): a 404 for whatever is not a regular file under a
    /// served folder.
    pub fn open(&self, path: &str) -> Result<MediaFile, OpenError> {
        let segments = path::decode(path)?;
        let (prefix, root) =
            self.0.iter().find(|(prefix, _)| segments.starts_with(prefix)).ok_or_else(HttpError::not_found)?;
        let inner = segments[prefix.len()..].iter().map(|segment| OsStr::from_bytes(segment));
        let found = root.join(inner.collect::<PathBuf>()).canonicalize().map_err(|_| HttpError::not_found())?;
        if !found.starts_with(root) {
            return Err(HttpError::not_found().into());
        }
        if !found.is_dir() {
            return if path.ends_with('/') { Err(HttpError::not_found().into()) } else { open_regular(&found) };
        }
        if !path.ends_with('/') {
            return Err(OpenError::Redirect(format!("{path}/")));
        }
        open_regular(&found.join(INDEX))
    }
}

/// `O_NOFOLLOW`: the index of a folder may not be a link; `O_NONBLOCK`: opening a named pipe must not wait.
fn open_regular(path: &Path) -> Result<MediaFile, OpenError> {
    let opened = OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path);
    let with_metadata = opened.and_then(|file| file.metadata().map(|metadata| (file, metadata)));
    match with_metadata {
        Ok((file, metadata)) if metadata.is_file() => {
            let modified = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            let facts = FileFacts { size: metadata.len(), modified, content_type: content_type(path) };
            Ok(MediaFile { file, facts })
        }
        _ => Err(HttpError::not_found().into()),
    }
}

fn content_type(path: &Path) -> &'static str {
    let suffix = path.extension().and_then(OsStr::to_str).unwrap_or_default().to_ascii_lowercase();
    let known = CONTENT_TYPES.iter().find(|(other, _)| *other == suffix);
    known.map_or("application/octet-stream", |(_, content_type)| content_type)
}

/// A response's bytes: literal pieces and ranges of one file, in order. Read in chunks, never as a whole.
#[derive(Debug)]
pub struct Body {
    pieces: VecDeque<Piece>,
    file: Option<File>,
    left: u64,
}

impl Body {
    pub fn new(pieces: impl IntoIterator<Item = Piece>, file: Option<File>) -> Self {
        let pieces: VecDeque<_> = pieces.into_iter().filter(|piece| !piece.is_empty()).collect();
        let left = pieces.iter().map(Piece::len).sum();
        Self { pieces, file, left }
    }

    /// Bytes that have not been read yet.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// Room for the next `size` bytes, or what is left; to be made by the thread that frees them, not the one that reads
    /// (see [`crate::app`]).
    pub fn room(&self, size: usize) -> BytesMut {
        BytesMut::zeroed(self.left.min(size as u64) as usize)
    }

    /// The next bytes, as many as `chunk` has, which is at most what is left. An error when the file has become shorter.
    pub fn read(&mut self, mut chunk: BytesMut) -> io::Result<Bytes> {
        let mut filled = 0;
        while filled < chunk.len() {
            let Some(piece) = self.pieces.front_mut() else { break };
            let count = match piece {
                Piece::Literal(bytes) => {
                    let part = bytes.split_to(bytes.len().min(chunk.len() - filled));
                    chunk[filled..filled + part.len()].copy_from_slice(&part);
                    part.len()
                }
                Piece::Range(range) => {
                    let end = chunk.len().min(filled + usize::try_from(range.len()).unwrap_or(usize::MAX - filled));
                    let file = self.file.as_ref().ok_or(io::ErrorKind::NotFound)?;
                    let count = file.read_at(&mut chunk[filled..end], range.start)?;
                    if count == 0 {
                        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file has become shorter"));
                    }
                    range.start += count as u64;
                    count
                }
            };
            filled += count;
            if piece.is_empty() {
                self.pieces.pop_front();
            }
        }
        self.left -= filled as u64;
        Ok(chunk.freeze())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use voxel_protocol::ranges::ByteRange;

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
            Mounts::new(folders).unwrap()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
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
    fn a_body_is_its_pieces_in_order_whatever_the_size_of_a_read() {
        let folder = Folder::new("body");
        for size in [1, 3, 7, 1000] {
            let media = folder.mounts().open("/media.mp4").unwrap();
            let range = |start, end| Piece::Range(ByteRange { start, end });
            let pieces = [range(5, 9), Piece::Literal("ab".into()), range(0, 0), range(0, 3)];
            let mut body = Body::new(pieces, Some(media.file));
            assert_eq!(body.left(), 9);
            let mut read = Vec::new();
            loop {
                let chunk = body.read(body.room(size)).unwrap();
                if chunk.is_empty() {
                    break;
                }
                read.extend_from_slice(&chunk);
            }
            assert_eq!(read, [5, 6, 7, 8, b'a', b'b', 0, 1, 2]);
        }
    }

    #[test]
    fn a_file_that_became_shorter_is_an_error() {
        let folder = Folder::new("short");
        let media = folder.mounts().open("/media.mp4").unwrap();
        fs::write(folder.0.join("root/media.mp4"), "x").unwrap();
        let mut body = Body::new([Piece::Range(ByteRange { start: 0, end: 256 })], Some(media.file));
        assert!(body.read(body.room(1000)).is_err());
    }
}
