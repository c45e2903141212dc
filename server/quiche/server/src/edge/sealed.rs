//! Bytes on disk with a checksum for each page, which shows damage when it is read, and bytes of another file.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use crc32fast::Hasher;

/// A page on disk, which is what disks and systems have, and the checksum at its end.
const PAGE: u64 = 4096;
const CHECKSUM: u64 = 4;

/// Bytes of content in a page. The last page has fewer.
const CONTENT: u64 = PAGE - CHECKSUM;

/// Bytes on disk of this many bytes of content.
pub const fn sealed_len(content: u64) -> u64 {
    content + content.div_ceil(CONTENT) * CHECKSUM
}

/// The pages of a file of this name.
pub fn seal(name: &str, content: &[u8]) -> Vec<u8> {
    let mut sealed = Vec::with_capacity(sealed_len(content.len() as u64) as usize);
    for (number, content) in (0..).zip(content.chunks(CONTENT as usize)) {
        sealed.extend_from_slice(content);
        sealed.extend_from_slice(&checksum(name, number, content).to_le_bytes());
    }
    sealed
}

/// A file of pages.
#[derive(Debug)]
pub struct Sealed {
    file: File,
    name: String,
}

impl Sealed {
    /// Opens a file of this name in a folder, but no link and nothing else that is no file.
    pub fn open(folder: &Path, name: &str) -> io::Result<Self> {
        let file = open_plain(OpenOptions::new().read(true), &folder.join(name))?;
        Ok(Self { file, name: name.to_owned() })
    }

    /// Reads content from `position` on; 0 bytes: it is shorter. Fails if a page is damaged. Blocks.
    pub fn read_at(&self, place: &mut [u8], position: u64) -> io::Result<usize> {
        let first = position / CONTENT;
        let end = (position + place.len() as u64).div_ceil(CONTENT);
        let pages = self.pages(first, end)?;
        let mut count = 0;
        for (number, page) in (first..).zip(pages.chunks(PAGE as usize)) {
            let content = self.content(number, page)?;
            let from = (position + count as u64 - number * CONTENT) as usize;
            let part = content.get(from..).unwrap_or_default();
            let length = part.len().min(place.len() - count);
            place[count..count + length].copy_from_slice(&part[..length]);
            count += length;
        }
        Ok(count)
    }

    /// All of the content. Blocks.
    pub fn read(&self) -> io::Result<Vec<u8>> {
        let pages = self.pages(0, self.file.metadata()?.len().div_ceil(PAGE))?;
        let mut all = Vec::with_capacity(pages.len());
        for (number, page) in (0..).zip(pages.chunks(PAGE as usize)) {
            all.extend_from_slice(self.content(number, page)?);
        }
        Ok(all)
    }

    /// The pages from `first` up to `end`, as far as the file goes.
    fn pages(&self, first: u64, end: u64) -> io::Result<Vec<u8>> {
        let mut pages = vec![0; ((end - first) * PAGE) as usize];
        let mut count = 0;
        while count < pages.len() {
            match self.file.read_at(&mut pages[count..], first * PAGE + count as u64) {
                Ok(0) => break,
                Ok(more) => count += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        pages.truncate(count);
        Ok(pages)
    }

    fn content<'a>(&self, number: u64, page: &'a [u8]) -> io::Result<&'a [u8]> {
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "a page is damaged");
        let (content, expected) = page.split_last_chunk().ok_or_else(damaged)?;
        let found = checksum(&self.name, number, content);
        if found.to_le_bytes() == *expected { Ok(content) } else { Err(damaged()) }
    }
}

/// Opens a file, but no link and nothing that a process could wait for, such as a named pipe.
pub fn open_plain(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let file = options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is no file")) }
}

fn checksum(name: &str, page: u64, content: &[u8]) -> u32 {
    let mut hasher = Hasher::new();
    hasher.update(name.as_bytes());
    hasher.update(&page.to_le_bytes());
    hasher.update(content);
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;

    /// A file with these bytes on disk, and its folder.
    fn file(test: &str, name: &str, bytes: &[u8]) -> io::Result<Sealed> {
        let folder = std::env::temp_dir().join(format!("voxel-quiche-sealed-{test}-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(name), bytes)?;
        let sealed = Sealed::open(&folder, name);
        fs::remove_dir_all(&folder)?;
        sealed
    }

    fn content(length: usize) -> Vec<u8> {
        (0..length).map(|number| (number / 7 + number / 4096) as u8).collect()
    }

    proptest! {
        #[test]
        fn every_part_is_read_as_it_was_written(length in 0usize..20_000, start in 0usize..20_000, room in 1usize..20_000) {
            let content = content(length);
            let sealed = seal("a", &content);
            prop_assert_eq!(sealed.len() as u64, sealed_len(length as u64));
            let file = file("parts", "a", &sealed).unwrap();
            let mut place = vec![0; room];
            let count = file.read_at(&mut place, start as u64).unwrap();
            let expected = &content[start.min(length)..length.min(start + room)];
            prop_assert_eq!(&place[..count], expected);
            prop_assert_eq!(file.read().unwrap(), content);
        }

        #[test]
        fn no_damage_is_overlooked(length in 1usize..10_000, place in 0usize..10_000, bit in 0u8..8) {
            let mut sealed = seal("a", &content(length));
            let place = place % sealed.len();
            sealed[place] ^= 1 << bit;
            let file = file("damage", "a", &sealed).unwrap();
            let page = (place as u64 / PAGE) * CONTENT;
            prop_assert!(file.read_at(&mut [0; 1], page).is_err() && file.read().is_err());
        }
    }

    #[test]
    fn a_file_under_another_name_is_no_file_of_that_name() {
        assert!(file("name", "b", &seal("a", b"content")).unwrap().read().is_err());
    }
}
