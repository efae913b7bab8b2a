//! `into`, by what its surroundings ask for. Each also stands in a module that only rustc compiles.

#![expect(clippy::useless_conversion, reason = "what authors write, too")]

use gridwise::prelude::*;

use super::{both, case};
use crate::case::{Case, Output};

const N: usize = 64;

both!(by_need, plain_by_need, {
    #[derive(Clone, Copy)]
    pub(super) struct Celsius(f32);

    #[derive(Clone, Copy)]
    pub(super) struct Fahrenheit(f32);

    impl From<Celsius> for Fahrenheit {
        fn from(from: Celsius) -> Self {
            Self(from.0 * 1.8 + 32.0)
        }
    }

    impl From<f32> for Celsius {
        fn from(degrees: f32) -> Self {
            Self(degrees)
        }
    }

    impl From<u8> for Celsius {
        fn from(steps: u8) -> Self {
            Self(f32::from(steps) / 2.0)
        }
    }

    #[derive(Clone, Copy)]
    pub(super) struct Rgb {
        r: u8,
        g: u8,
        b: u8,
    }

    impl From<[u8; 3]> for Rgb {
        fn from([r, g, b]: [u8; 3]) -> Self {
            Self { r, g, b }
        }
    }

    impl From<Rgb> for u32 {
        fn from(from: Rgb) -> Self {
            u32::from(from.r) << 16 | u32::from(from.g) << 8 | u32::from(from.b)
        }
    }

    fn hotter(degrees: Celsius, by: f64) -> f32 {
        let Fahrenheit(degrees) = degrees.into();
        degrees + by as f32
    }

    fn widened(v: u16) -> i64 {
        v.into()
    }

    fn clamped(v: impl Into<u64>) -> u64 {
        let v: u64 = v.into();
        v.min(1000)
    }

    pub(super) fn all(i: u32) -> [u32; 8] {
        let byte = (i * 7) as u8;
        let wide: u64 = i.into();
        let mut sum: i32 = byte.into();
        sum += i32::from(byte % 3 == 0);
        sum -= i32::from(byte % 5);
        let color: Rgb = [byte, byte / 2, byte / 3].into();
        let packed: u32 = color.into();
        let flag: u32 = (byte > 100).into();
        let same: u32 = i.into();
        let half = [byte, 1].map(|b| -> f32 { b.into() });
        [
            (wide << 33 >> 20) as u32,
            sum as u32,
            packed,
            hotter(byte.into(), byte.into()).to_bits(),
            hotter(Celsius::from(2.5), 0.5).to_bits() + flag + same,
            widened(i as u16) as u32 + half[0] as u32 + half[1] as u32,
            clamped(i) as u32 + clamped(byte) as u32,
            Some(byte).map_or(7, |b| b.into()),
        ]
    }
});

#[kernel(workgroup = 32)]
fn by_into(out: &mut [[u32; 8]]) {
    let i = global_id().x;
    out[i] = by_need::all(i);
}

/// The entries.
pub const CASES: &[Case] = &[case!(
    "conversions::into",
    [ByInto],
    |mgr| {
        let mut out = mgr.tensor(&vec![[0u32; 8]; N])?;
        let seq = mgr.sequence()?;
        ByInto::dispatch(&seq, Grid::items(N), &mut out)?;
        seq.eval()?;
        Ok(vec![Output::U32(out.to_vec()?.concat())])
    },
    || vec![Output::U32((0..N as u32).flat_map(plain_by_need::all).collect())]
)];
