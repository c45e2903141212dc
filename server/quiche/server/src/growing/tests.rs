use std::fs::{self, File};
use std::io::Write;

use tokio::runtime::Builder;
use tokio::time::timeout;

use super::*;
use crate::shared_files::SharedFiles;

/// The head of records, and the end of a segment without chunks.
const HEAD: &[u8] = b"VXLV\x01\0\x05\0\0\0\x3c\0\0\0\0\0";
const END: &[u8] = &[2, 1, 0];

#[tokio::test]
async fn a_watcher_outlives_the_worker_whose_client_was_the_first() {
    let path = std::env::temp_dir().join(format!("voxel-quiche-watched-{}", std::process::id()));
    fs::write(&path, HEAD).unwrap();
    let (file, files) = (File::open(&path).unwrap(), SharedFiles::new(1));
    let shared = files.share(file, &fs::metadata(&path).unwrap(), files.permit().unwrap());
    let watchers = Watchers::new(Arc::default());
    let watched = std::thread::scope(|scope| {
        let worker = scope.spawn(|| {
            Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap()
                .block_on(async { watchers.follow(Records::Beside(LiveRecords::read(shared).unwrap().unwrap())) })
        });
        worker.join().unwrap()
    });
    let mut changes = watched.changes();
    File::options().append(true).open(&path).unwrap().write_all(END).unwrap();
    timeout(Duration::from_secs(60), changes.changed()).await.expect("a look at the file").unwrap();
    assert!(watched.ended());
    // Whoever has not announced the end record, which came a moment ago, has not ended.
    assert_eq!([watched.ends_within(0), watched.ends_within(1)], [false, true]);
    fs::remove_file(path).unwrap();
}
