//! The bytes of a file that grows, as responses read them.

use std::collections::VecDeque;
use std::future::ready;
use std::io;
use std::sync::Arc;

use voxel_protocol::site::Piece;

use super::Mirror;
use crate::body::{Content, Later, Media, Part, shorter};

impl Media for Mirror {
    fn content(self: Arc<Self>) -> Box<dyn Content> {
        Box::new(Reader { mirror: self, kept: None })
    }
}

/// The file, for one response.
#[derive(Debug)]
struct Reader {
    mirror: Arc<Mirror>,
    /// The file in the cache, once it is there.
    kept: Option<Box<dyn Content>>,
}

impl Content for Reader {
    fn read_now(&mut self, part: Part) -> bool {
        let state = self.mirror.state();
        state.kept.is_none() && copy(&state.media, part).is_ok()
    }

    fn read<'a>(&'a mut self, parts: Vec<Part<'a>>, next: &'a VecDeque<Piece>) -> Later<'a, io::Result<()>> {
        let state = self.mirror.state();
        if let Some(kept) = &state.kept {
            return self.kept.get_or_insert_with(|| Arc::clone(kept).content()).read(parts, next);
        }
        Box::pin(ready(parts.into_iter().try_for_each(|part| copy(&state.media, part))))
    }
}

fn copy(media: &[u8], Part { position, place }: Part<'_>) -> io::Result<()> {
    let rest = media.get(position as usize..).unwrap_or_default();
    place.copy_from_slice(rest.get(..place.len()).ok_or_else(shorter)?);
    Ok(())
}
