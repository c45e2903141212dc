use crate::error::{Context, Error, Result};
use std::{fs, path::Path};

/// Link files and traces have a few hundred kilobytes; whatever is larger is neither.
const MAX_BYTES: u64 = 64 << 20;

/// Reads a file, but nothing endless that only looks like one.
pub fn read(path: &Path) -> Result<String> {
    let action = || format!("cannot read {}", path.display());
    let metadata = fs::metadata(path).context(action())?;
    if !metadata.is_file() || metadata.len() > MAX_BYTES {
        return Err(Error::Input(format!("{}: not a file of at most 64 MiB", path.display())));
    }
    fs::read_to_string(path).context(action())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_file_is_refused_in_one_line() {
        let message = |path: &str| read(Path::new(path)).expect_err(path).to_string();
        assert_eq!(message("/dev/zero"), "/dev/zero: not a file of at most 64 MiB");
        assert_eq!(message("/"), "/: not a file of at most 64 MiB");
        assert!(message("/no/such.csv").starts_with("cannot read /no/such.csv: No such file"));
    }
}
