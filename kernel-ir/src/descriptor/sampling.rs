//! Samplers: the weights and coordinates of texels, by Vulkan's formulas. It does not know the layout of texels.

/// How the texels around a place become one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Filter {
    /// The nearest one is taken.
    Nearest,
    /// Neighbours are mixed by their distances.
    #[default]
    Linear,
}

/// The texels beyond the edges of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Edge {
    /// The texel at the edge.
    #[default]
    Clamp,
    /// The image again.
    Repeat,
    /// The image again, mirrored each time.
    Mirror,
    /// Zeros.
    Zero,
}

/// How an image is sampled. Places go from 0 to 1 along each axis, whatever the image's size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Sampler {
    /// Within a level.
    pub filter: Filter,
    /// Between levels.
    pub levels: Filter,
    /// Beyond the edges.
    pub edge: Edge,
}

/// An image to be sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampledExtent {
    /// Texels along each axis of the first level.
    pub extent: [u32; 3],
    /// 1, 2 or 3.
    pub dimensions: u32,
    /// How many levels there are.
    pub levels: u32,
}

impl SampledExtent {
    /// Texels along each axis of a level.
    pub fn of_level(&self, level: u32) -> [u32; 3] {
        self.extent.map(|side| side.checked_shr(level).unwrap_or(0).max(1))
    }
}

impl Sampler {
    /// The value at a place in a level, whole or between two. `texel` gives the texels, by level and position.
    pub fn sample(
        &self,
        image: &SampledExtent,
        at: [f32; 3],
        level: f32,
        texel: impl Fn(u32, [u32; 3]) -> [f32; 4],
    ) -> [f32; 4] {
        // NaN counts as zero.
        let last = (image.levels - 1) as f32;
        let level = if level > 0.0 { level.min(last) } else { 0.0 };
        let within = |level: u32| self.within(image, at, level, &texel);
        match self.levels {
            Filter::Nearest => within(((level + 0.5).ceil() - 1.0) as u32),
            Filter::Linear => {
                let (low, weight) = (level.floor(), level - level.floor());
                let fine = within(low as u32);
                if weight == 0.0 {
                    return fine;
                }
                let coarse = within(low as u32 + 1);
                std::array::from_fn(|lane| fine[lane] * (1.0 - weight) + coarse[lane] * weight)
            }
        }
    }

    fn within(
        &self,
        image: &SampledExtent,
        at: [f32; 3],
        level: u32,
        texel: impl Fn(u32, [u32; 3]) -> [f32; 4],
    ) -> [f32; 4] {
        let extent = image.of_level(level);
        let axes: [_; 3] = std::array::from_fn(|axis| match (axis as u32) < image.dimensions {
            true => self.along(at[axis], extent[axis]),
            false => [(Some(0), 1.0), (None, 0.0)],
        });
        let mut sums = [0.0; 4];
        for corner in 0..8usize {
            let [x, y, z] = [0, 1, 2].map(|axis| axes[axis][corner >> axis & 1]);
            let weight: f32 = x.1 * y.1 * z.1;
            if let (true, Some(x), Some(y), Some(z)) = (weight != 0.0, x.0, y.0, z.0) {
                let texel = texel(level, [x, y, z]);
                (0..4).for_each(|lane| sums[lane] += weight * texel[lane]);
            }
        }
        sums
    }

    /// The two texels along an axis, none for zeros, with their weights.
    fn along(&self, at: f32, size: u32) -> [(Option<u32>, f32); 2] {
        let place = at * size as f32;
        match self.filter {
            Filter::Nearest => [(self.wrap(place.floor() as i64, size), 1.0), (None, 0.0)],
            Filter::Linear => {
                let (first, weight) = ((place - 0.5).floor(), (place - 0.5) - (place - 0.5).floor());
                let first = first as i64;
                [(self.wrap(first, size), 1.0 - weight), (self.wrap(first.saturating_add(1), size), weight)]
            }
        }
    }

    fn wrap(&self, at: i64, size: u32) -> Option<u32> {
        let len = i64::from(size);
        let inside = match self.edge {
            Edge::Clamp => at.clamp(0, len - 1),
            Edge::Repeat => at.rem_euclid(len),
            Edge::Mirror => {
                let twice = at.rem_euclid(2 * len);
                if twice < len { twice } else { 2 * len - 1 - twice }
            }
            Edge::Zero => Some(at).filter(|at| (0..len).contains(at))?,
        };
        Some(inside as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: SampledExtent = SampledExtent { extent: [4, 1, 1], dimensions: 1, levels: 1 };

    fn at(sampler: Sampler, place: f32) -> f32 {
        sampler
            .sample(&LINE, [place, 0.0, 0.0], 0.0, |_, [x, ..]| [[10.0, 20.0, 30.0, 40.0][x as usize], 0.0, 0.0, 1.0])
            [0]
    }

    #[test]
    fn middles_of_texels_are_texels() {
        for filter in [Filter::Nearest, Filter::Linear] {
            for edge in [Edge::Clamp, Edge::Repeat, Edge::Mirror, Edge::Zero] {
                let sampler = Sampler { filter, edge, ..Sampler::default() };
                assert_eq!([0.125, 0.375, 0.625, 0.875].map(|place| at(sampler, place)), [10.0, 20.0, 30.0, 40.0]);
            }
        }
    }

    #[test]
    fn edges_are_as_asked() {
        let nearest = |edge| Sampler { filter: Filter::Nearest, edge, ..Sampler::default() };
        let beyond = [-0.9, -0.1, 1.1, 1.9, 2.1];
        assert_eq!(beyond.map(|place| at(nearest(Edge::Clamp), place)), [10.0, 10.0, 40.0, 40.0, 40.0]);
        assert_eq!(beyond.map(|place| at(nearest(Edge::Repeat), place)), [10.0, 40.0, 10.0, 40.0, 10.0]);
        assert_eq!(beyond.map(|place| at(nearest(Edge::Mirror), place)), [40.0, 10.0, 40.0, 10.0, 10.0]);
        assert_eq!(beyond.map(|place| at(nearest(Edge::Zero), place)), [0.0; 5]);
        let linear = Sampler { edge: Edge::Zero, ..Sampler::default() };
        assert_eq!([0.0, 0.25, 1.0].map(|place| at(linear, place)), [5.0, 15.0, 20.0]);
    }

    #[test]
    fn levels_are_mixed_or_chosen() {
        let image = SampledExtent { extent: [4, 4, 1], dimensions: 2, levels: 3 };
        let of = |levels, level| {
            let sampler = Sampler { levels, ..Sampler::default() };
            sampler.sample(&image, [0.3, 0.6, 0.0], level, |level, _| [level as f32; 4])[0]
        };
        assert_eq!(
            [-1.0, 0.0, 0.5, 1.25, 9.0, f32::NAN].map(|level| of(Filter::Linear, level)),
            [0.0, 0.0, 0.5, 1.25, 2.0, 0.0]
        );
        assert_eq!([0.4, 0.5, 0.6, 1.5, 1.6].map(|level| of(Filter::Nearest, level)), [0.0, 0.0, 1.0, 1.0, 2.0]);
    }
}
