//! The pieces of a transfer, which go through staging one after the other. Pure arithmetic.
//!
//! The device copies one piece while the processor fills or empties others, and rests for some 20 µs between two: so pieces are
//! large. But the first upload waits until its first piece is filled, and the last download until its last one is emptied: so
//! uploads begin with small pieces, and downloads end with them.

/// The smallest piece, where there are smaller and larger ones.
pub(super) const SMALLEST: u64 = 1 << 20;

/// Cuts so many bytes into pieces of at most `most`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pieces {
    bytes: u64,
    /// A power of two of the smallest.
    most: u64,
    /// Whether the smallest come last.
    is_reversed: bool,
}

impl Pieces {
    /// Small ones first.
    pub(super) fn growing(bytes: u64, most: u64) -> Self {
        Self { bytes, most, is_reversed: false }
    }

    /// Small ones last.
    pub(super) fn shrinking(bytes: u64, most: u64) -> Self {
        Self { is_reversed: true, ..Self::growing(bytes, most) }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        let (bytes, grown) = (self.mirrored(), self.grown());
        match bytes.checked_sub(self.edge(grown)) {
            Some(left) => grown + left.div_ceil(self.most) as usize,
            None => (0..grown).take_while(|index| self.edge(*index) < bytes).count(),
        }
    }

    /// Offset and size of a piece.
    pub(super) fn get(&self, index: usize) -> (u64, u64) {
        let (start, end) = if self.is_reversed {
            let (all, index) = (self.mirrored(), self.count() - 1 - index);
            (all.saturating_sub(self.edge(index + 1)), all - self.edge(index))
        } else {
            (self.edge(index), self.edge(index + 1))
        };
        (start, end.min(self.bytes) - start)
    }

    /// The bytes whose pieces are laid out; so that those of a download, which are counted from its end, begin at whole pages too.
    fn mirrored(&self) -> u64 {
        if self.is_reversed { self.bytes.next_multiple_of(4096) } else { self.bytes }
    }

    /// Pieces until they grow no more.
    fn grown(&self) -> usize {
        (self.most / SMALLEST).max(1).ilog2() as usize + 1
    }

    /// The beginning of a piece of growing ones: at 0, 1, 2, 4, 8 of the smallest, and so on as long as they may grow.
    fn edge(&self, index: usize) -> u64 {
        match (index, self.grown()) {
            (0, _) => 0,
            (index, grown) if index <= grown => SMALLEST << (index - 1),
            (index, grown) => self.edge(grown) + (index - grown) as u64 * self.most,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn sizes(pieces: Pieces) -> Vec<u64> {
        (0..pieces.count()).map(|index| pieces.get(index).1 / MIB).collect()
    }

    #[test]
    fn uploads_begin_and_downloads_end_with_small_pieces() {
        assert_eq!(sizes(Pieces::growing(64 * MIB, 16 * MIB)), [1, 1, 2, 4, 8, 16, 16, 16]);
        assert_eq!(sizes(Pieces::shrinking(64 * MIB, 16 * MIB)), [16, 16, 16, 8, 4, 2, 1, 1]);
        assert_eq!(sizes(Pieces::growing(4 * MIB, MIB)), [1, 1, 1, 1]);
    }

    #[test]
    fn pieces_cover_all_bytes_once() {
        for most in [MIB, 2 * MIB, 16 * MIB] {
            for bytes in [0, 1, 4, MIB - 1, MIB, MIB + 4, 3 * MIB - 4, 33 * MIB + 12, (5 << 30) + 4] {
                for pieces in [Pieces::growing(bytes, most), Pieces::shrinking(bytes, most)] {
                    let mut at = 0;
                    for index in 0..pieces.count() {
                        let (offset, size) = pieces.get(index);
                        assert_eq!(offset, at, "{pieces:?}");
                        assert!((1..=most).contains(&size), "{pieces:?}");
                        assert_eq!(offset % 4096, 0, "{pieces:?}");
                        at += size;
                    }
                    assert_eq!(at, bytes, "{pieces:?}");
                }
            }
        }
    }
}
