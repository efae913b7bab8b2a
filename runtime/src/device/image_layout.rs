//! The layout of an image whose texels lie one after the other: levels, rows, pieces. Pure arithmetic.

use std::ops::Range;

use gridwise_ir::descriptor::{ImageFormat, SampledExtent};

/// The format, extent and levels of an image. Invariant: no extent is zero, there is at least one level, and all texels
/// together can be counted in 32 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ImageLayout {
    pub(crate) format: ImageFormat,
    /// 1, 2 or 3; further extents are 1.
    pub(crate) dimensions: u32,
    pub(crate) extent: [u32; 3],
    pub(crate) levels: u32,
}

/// Whole rows of a level, or whole slices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) level: u32,
    pub(crate) offset: [u32; 3],
    pub(crate) extent: [u32; 3],
    /// The first byte among those of all levels.
    pub(crate) start: u64,
    pub(crate) bytes: u64,
}

impl ImageLayout {
    /// Levels down to one texel.
    pub(crate) fn full_levels(extent: [u32; 3]) -> u32 {
        extent.into_iter().max().unwrap_or(1).max(1).ilog2() + 1
    }

    /// The extent of a level.
    pub(crate) fn extent_of(&self, level: u32) -> [u32; 3] {
        self.extent.map(|side| side.checked_shr(level).unwrap_or(0).max(1))
    }

    /// As samplers see it.
    pub(crate) fn shape(&self) -> SampledExtent {
        SampledExtent { extent: self.extent, dimensions: self.dimensions, levels: self.levels }
    }

    /// Texels of a level.
    pub(crate) fn texels_of(&self, level: u32) -> u64 {
        self.extent_of(level).into_iter().map(u64::from).product()
    }

    /// Texels of all levels; `None` where there are too many to count.
    pub(crate) fn texels(&self) -> Option<u32> {
        let sides = self.extent.iter().try_fold(1u64, |product, side| product.checked_mul((*side).into()))?;
        let all = (1..self.levels).try_fold(sides, |sum, level| sum.checked_add(self.texels_of(level)))?;
        u32::try_from(all).ok()
    }

    /// The bytes of a level, among those of all.
    pub(crate) fn bytes_of(&self, level: u32) -> Range<u64> {
        let texel = u64::from(self.format.bytes());
        let start = (0..level).map(|level| self.texels_of(level)).sum::<u64>() * texel;
        start..start + self.texels_of(level) * texel
    }

    /// A level in one piece.
    pub(crate) fn whole(&self, level: u32) -> Piece {
        let bytes = self.bytes_of(level);
        let (offset, extent) = ([0; 3], self.extent_of(level));
        Piece { level, offset, extent, start: bytes.start, bytes: bytes.end - bytes.start }
    }

    /// A level in pieces of at most so many bytes, or of one row each.
    pub(crate) fn pieces(&self, level: u32, most: u64) -> Vec<Piece> {
        let [width, height, depth] = self.extent_of(level);
        let row = u64::from(width) * u64::from(self.format.bytes());
        let slice = row * u64::from(height);
        let (rows, slices) = match slice <= most {
            true => (height, u32::try_from(most / slice).unwrap_or(u32::MAX).max(1)),
            false => (u32::try_from(most / row).unwrap_or(u32::MAX).max(1), 1),
        };
        let start = self.bytes_of(level).start;
        let mut pieces = Vec::new();
        for z in (0..depth).step_by(slices as usize) {
            for y in (0..height).step_by(rows as usize) {
                let extent = [width, rows.min(height - y), slices.min(depth - z)];
                let start = start + u64::from(z) * slice + u64::from(y) * row;
                let bytes = extent.into_iter().map(u64::from).product::<u64>() * u64::from(self.format.bytes());
                pieces.push(Piece { level, offset: [0, y, z], extent, start, bytes });
            }
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(extent: [u32; 3], levels: u32) -> ImageLayout {
        ImageLayout { format: ImageFormat::Rgba8Unorm, dimensions: 3, extent, levels }
    }

    #[test]
    fn levels_follow_each_other() {
        let image = layout([5, 3, 1], 3);
        assert_eq!([0, 1, 2].map(|level| image.extent_of(level)), [[5, 3, 1], [2, 1, 1], [1, 1, 1]]);
        assert_eq!([0, 1, 2].map(|level| image.bytes_of(level)), [0..60, 60..68, 68..72]);
        assert_eq!(image.texels(), Some(18));
        assert_eq!(ImageLayout::full_levels([5, 3, 1]), 3);
        assert_eq!(ImageLayout::full_levels([1, 1, 256]), 9);
        assert_eq!(layout([u32::MAX, u32::MAX, u32::MAX], 1).texels(), None);
        assert_eq!(layout([1 << 16, 1 << 16, 1], 1).texels(), None);
    }

    #[test]
    fn pieces_cover_a_level() {
        for (extent, most) in [([5, 3, 4], 1), ([5, 3, 4], 25), ([5, 3, 4], 60), ([5, 3, 4], 130), ([5, 3, 4], 1 << 20)]
        {
            let pieces = layout(extent, 1).pieces(0, most);
            let mut at = 0;
            for piece in &pieces {
                assert_eq!(piece.start, at, "{most}");
                assert!(piece.bytes <= most.max(20));
                at += piece.bytes;
            }
            assert_eq!(at, 240);
        }
        assert_eq!(layout([5, 3, 4], 1).pieces(0, 130).len(), 2);
    }
}
