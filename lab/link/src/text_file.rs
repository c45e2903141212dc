use crate::error::{Context, Error, Result};
use std::{fs, path::Path};

/// Link files and traces have a few hundred kilobytes. A larger file is something else.
const MAX_BYTES: u64 = 64 << 20;

/// Reads a regular file of limited size, as devices are endless.
pub fn read(path: &Path) -> Result<String> {
    let action = || format!("cannot read {}", path.display());
    let metadata = fs::metadata(path).context(action())?;
    if !metadata.is_file() {
        return Err(Error::Input(format!("{} must be a regular file", path.display())));
    }
    if metadata.len() > MAX_BYTES {
        let (path, bytes) = (path.display(), metadata.len());
        return Err(Error::Input(format!("{path} must have at most {MAX_BYTES} bytes, got {bytes}")));
    }
    fs::read_to_string(path).context(action())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_file_is_refused_in_one_line() {
        let message = |path: &str| read(Path::new(path)).expect_err(path).to_string();
        assert_eq!(message("/dev/zero"), "/dev/zero must be a regular file");
        assert_eq!(message("/"), "/ must be a regular file");
        assert!(message("/no/such.csv").starts_with("cannot read /no/such.csv: No such file"));
    }
}
