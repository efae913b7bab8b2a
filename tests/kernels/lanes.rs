//! Bit operators, shifts and arithmetic of integer vectors, lane by lane, as glam has them; vectors out of slices.

use std::ops::{BitAnd, Not, Shl, Shr};

use gridwise::prelude::*;

use super::{case, twice};
use crate::case::{Case, Output, patterns};

const N: usize = 1024;

fn unsigned(seed: u32) -> Vec<UVec4> {
    patterns(N * 4, seed).chunks(4).map(|c| UVec4::new(c[0], c[1], c[2], c[3])).collect()
}

fn signed(seed: u32) -> Vec<IVec3> {
    patterns(N * 3, seed).chunks(3).map(|c| IVec3::new(c[0] as i32, c[1] as i32, c[2] as i32)).collect()
}

type Dispatch = for<'s> fn(
    &'s Sequence,
    Grid,
    &Tensor<UVec4>,
    &Tensor<IVec3>,
    &mut Tensor<[u32; 16]>,
) -> gridwise::Result<&'s Sequence>;

fn run(mgr: &Manager, dispatch: Dispatch) -> gridwise::Result<Vec<Output>> {
    let (a, b) = (mgr.tensor(&unsigned(1))?, mgr.tensor(&signed(2))?);
    let mut out = mgr.tensor(&vec![[0u32; 16]; N])?;
    let seq = mgr.sequence()?;
    dispatch(&seq, Grid::items(N), &a, &b, &mut out)?;
    seq.eval()?;
    Ok(vec![Output::U32(out.to_vec()?.concat())])
}

fn each(expected: fn(UVec4, IVec3) -> [u32; 16]) -> Vec<Output> {
    vec![Output::U32(unsigned(1).into_iter().zip(signed(2)).flat_map(|(a, b)| expected(a, b)).collect())]
}

/// The entries.
pub const CASES: &[Case] = &[
    case!("lanes::bits", [Bits], |mgr| run(mgr, Bits::dispatch), || each(plain::bits_of)),
    case!("lanes::shifts", [Shifts], |mgr| run(mgr, Shifts::dispatch), || each(plain::shifts_of)),
    case!("lanes::arithmetic", [Arithmetic], |mgr| run(mgr, Arithmetic::dispatch), || each(plain::arithmetic_of)),
    case!("lanes::from_slices", [FromSlices], |mgr| run(mgr, FromSlices::dispatch), || each(plain::from_slices_of)),
    case!("lanes::masks", [Masks], |mgr| run(mgr, Masks::dispatch), || each(plain::masks_of)),
    case!("lanes::generic", [Generic], |mgr| run(mgr, Generic::dispatch), || each(generic_expected)),
    // By more than there are bits: the amount counts modulo 32, where rustc's own code panics.
    case!("lanes::long_shifts", [LongShifts], |mgr| run(mgr, LongShifts::dispatch), || each(long_shifts_expected)),
    case!("lanes::in_places", [InPlaces], |mgr| run(mgr, InPlaces::dispatch), || each(in_places_expected)),
];

twice! {
    fn bits_of(a: UVec4, b: IVec3) -> [u32; 16] {
        let c = a.wzyx();
        let mut d = a;
        d &= c;
        d |= 0x10;
        d ^= uvec4(1, 2, 4, 8);
        let e = !(a & 0xff00) ^ (c | a);
        let mut f = b & b.zxy();
        f ^= -5;
        let g = !f | 3;
        [
            d.x, d.y, d.z, d.w, e.x, e.y, e.z, e.w, f.x as u32, f.y as u32, f.z as u32, g.x as u32, g.y as u32,
            g.z as u32, (a & !a == UVec4::ZERO) as u32, (a ^ a.yxwz()).x,
        ]
    }

    fn shifts_of(a: UVec4, b: IVec3) -> [u32; 16] {
        let by = a.zwxy() & 31;
        let less = b & 31;
        let mut c = a << 3u8;
        c >>= 1i64;
        c <<= 2u64;
        let d = a >> by;
        let e = (b >> 4i16) << less;
        let f = (b << b.yzx().as_uvec3().min(UVec3::splat(31))) >> (a.x & 31);
        let g = a.truncate() >> less;
        [
            c.x, c.y, c.z, c.w, d.x, d.y, d.z, d.w, e.x as u32, e.y as u32, e.z as u32, f.x as u32, f.y as u32,
            f.z as u32, g.x, g.y ^ g.z,
        ]
    }

    fn masks_of(a: UVec4, b: IVec3) -> [u32; 16] {
        let odd = (b & 1).cmpeq(IVec3::ONE);
        let negative = b.cmplt(IVec3::ZERO);
        let mut both = odd & negative;
        let either = odd | negative;
        let one = odd ^ negative;
        let picked = IVec3::select(!odd, b, !b);
        both |= one;
        let wide = a.cmpgt(a.yzwx()) & !a.cmplt(UVec4::splat(1 << 30));
        [
            both.any() as u32, both.all() as u32, either.all() as u32, one.any() as u32, (both == either) as u32,
            picked.x as u32, picked.y as u32, picked.z as u32, wide.any() as u32, wide.all() as u32, 0, 0, 0, 0, 0, 0,
        ]
    }

    fn arithmetic_of(a: UVec4, b: IVec3) -> [u32; 16] {
        let c = a.wzyx();
        let (d, e) = (a.wrapping_add(c).wrapping_mul(a), a.wrapping_sub(c));
        let (f, g) = (a.saturating_add(c), a.saturating_sub(c).saturating_mul(uvec4(1, 2, 3, 4)));
        let h = b.saturating_add(b.zxy()).saturating_sub(b.yzx()) ^ b.saturating_mul(b.zxy());
        let i = b.wrapping_add(b.zxy()).wrapping_sub(b.yzx()).wrapping_mul(b.signum());
        [
            d.x ^ e.w, d.y, d.z, d.w, e.x, e.y, f.x, f.y, f.z ^ f.w, g.x, g.y ^ g.z, h.x as u32, h.y as u32,
            h.z as u32, (i.x ^ i.y) as u32, i.z as u32,
        ]
    }

    fn from_slices_of(a: UVec4, b: IVec3) -> [u32; 16] {
        let (words, signed) = (a.to_array(), b.to_array());
        let at = (a.x % 3) as usize;
        let pair = UVec2::from_slice(&words[at..]);
        let three = UVec3::from_slice(&words[..]);
        let back = IVec3::from_slice(&signed);
        let mut out = [0u32; 16];
        for (place, word) in UVec4::from_slice(&words).to_array().into_iter().enumerate() {
            out[place] = word;
        }
        out[4..6].copy_from_slice(&pair.to_array());
        out[6] = three.x ^ three.y ^ three.z;
        out[7] = (back.x ^ back.y ^ back.z) as u32;
        let shorts = [back.x as i16 as f32, back.y as i16 as f32, back.z as i16 as f32, at as f32];
        out[8] = Vec3::from_slice(&shorts[1..]).dot(Vec3::ONE).to_bits();
        out[9] = Quat::from_slice(&shorts).w.to_bits();
        out[10] = words.windows(2).position(|part| part == [words[2], words[3]]).unwrap_or(9) as u32;
        out[11] = words.chunks(2).filter(|part| *part != &words[at..at + 1]).count() as u32;
        out
    }
}

#[kernel(workgroup = 32)]
fn bits(a: &[UVec4], b: &[IVec3], out: &mut [[u32; 16]]) {
    let i = global_id().x;
    out[i] = bits_of(a[i], b[i]);
}

#[kernel(workgroup = 32)]
fn shifts(a: &[UVec4], b: &[IVec3], out: &mut [[u32; 16]]) {
    let i = global_id().x;
    out[i] = shifts_of(a[i], b[i]);
}

#[kernel(workgroup = 32)]
fn masks(a: &[UVec4], b: &[IVec3], out: &mut [[u32; 16]]) {
    let i = global_id().x;
    out[i] = masks_of(a[i], b[i]);
}

#[device]
fn folded<T: Copy + BitAnd<Output = T> + Not<Output = T> + Shl<u32, Output = T> + Shr<Output = T>>(
    a: T,
    b: T,
    by: u32,
) -> T {
    (!(a & b) << by) >> b
}

fn plainly_folded<T: Copy + BitAnd<Output = T> + Not<Output = T> + Shl<u32, Output = T> + Shr<Output = T>>(
    a: T,
    b: T,
    by: u32,
) -> T {
    (!(a & b) << by) >> b
}

#[kernel(workgroup = 32)]
fn generic(a: &[UVec4], b: &[IVec3], out: &mut [[u32; 16]]) {
    let i = global_id().x;
    let v = folded(a[i], a[i].yzwx() & 31, 5);
    let w = folded(b[i], b[i].zxy() & 31, a[i].x & 31);
    let mut made = [0; 16];
    for lane in 0..4 {
        made[lane] = v[lane];
    }
    made[4] = w.x as u32;
    made[5] = w.y as u32;
    made[6] = w.z as u32;
    made[7] = folded(a[i].x, 3, 7);
    out[i] = made;
}

fn generic_expected(a: UVec4, b: IVec3) -> [u32; 16] {
    let v = plainly_folded(a, UVec4::new(a.y, a.z, a.w, a.x) & 31, 5);
    let w = plainly_folded(b, IVec3::new(b.z, b.x, b.y) & 31, a.x & 31);
    let mut made = [0; 16];
    made[..4].copy_from_slice(&v.to_array());
    made[4..7].copy_from_slice(&w.to_array().map(|lane| lane as u32));
    made[7] = plainly_folded(a.x, 3, 7);
    made
}

#[kernel(workgroup = 32)]
fn long_shifts(a: &[UVec4], b: &[IVec3], out: &mut [[u32; 16]]) {
    let i = global_id().x;
    let (v, w) = (a[i], b[i]);
    let c = v << v.w;
    let d = v >> v.wzyx();
    let e = w >> w.zxy();
    let mut f = w;
    f <<= w.x;
    out[i] = [
        c.x, c.y, c.z, c.w, d.x, d.y, d.z, d.w, e.x as u32, e.y as u32, e.z as u32, f.x as u32, f.y as u32, f.z as u32,
        0, 0,
    ];
}

fn long_shifts_expected(a: UVec4, b: IVec3) -> [u32; 16] {
    let [x, y, z, w] = a.to_array();
    let [p, q, r] = b.to_array();
    let left = |v: u32| v.wrapping_shl(w);
    let right = |v: i32, by: i32| v.wrapping_shr(by as u32) as u32;
    let more = |v: i32| v.wrapping_shl(p as u32) as u32;
    [
        left(x),
        left(y),
        left(z),
        left(w),
        x.wrapping_shr(w),
        y.wrapping_shr(z),
        z.wrapping_shr(y),
        w.wrapping_shr(x),
        right(p, r),
        right(q, p),
        right(r, q),
        more(p),
        more(q),
        more(r),
        0,
        0,
    ]
}

#[kernel]
fn arithmetic(a: &[UVec4], b: &[IVec3], out: &mut [[u32; 16]]) {
    let i = global_id().x;
    out[i] = arithmetic_of(a[i], b[i]);
}

#[kernel]
fn from_slices(a: &[UVec4], b: &[IVec3], out: &mut [[u32; 16]]) {
    let i = global_id().x;
    out[i] = from_slices_of(a[i], b[i]);
}

#[derive(GpuData, Debug, Clone, Copy)]
#[repr(C)]
struct Flags {
    sets: [UVec2; 3],
}

/// Assigned to in buffers, shared memory, structs and through references.
#[kernel(workgroup = 32)]
fn in_places(a: &[UVec4], b: &[IVec3], out: &mut [[u32; 16]]) {
    let tile = Shared::<[UVec4; 32]>::new();
    let i = global_id().x;
    let t = local_index();
    tile[t] = a[i];
    tile[t] &= 0xffff;
    tile[t] ^= a[i].wzyx();
    let mut flags = Flags { sets: [a[i].xy(); 3] };
    flags.sets[i % 3] |= uvec2(1, 2);
    flags.sets[(i + 1) % 3] <<= 4u32;
    clear(&mut flags.sets[2], b[i].x as u32);
    let c = tile[t];
    let s = flags.sets;
    out[i] = [c.x, c.y, c.z, c.w, s[0].x, s[0].y, s[1].x, s[1].y, s[2].x, s[2].y, 0, 0, 0, 0, 0, 0];
    out[i][12] |= c.x;
}

#[device]
fn clear(set: &mut UVec2, bits: u32) {
    *set &= !UVec2::splat(bits);
}

fn in_places_expected(a: UVec4, b: IVec3) -> [u32; 16] {
    // The position is told by the inputs alone.
    let i = unsigned(1).iter().position(|v| *v == a).expect("one of the inputs");
    let c = (a & 0xffff) ^ UVec4::new(a.w, a.z, a.y, a.x);
    let mut s = [UVec2::new(a.x, a.y); 3];
    s[i % 3] |= UVec2::new(1, 2);
    s[(i + 1) % 3] <<= 4u32;
    s[2] &= !UVec2::splat(b.x as u32);
    [c.x, c.y, c.z, c.w, s[0].x, s[0].y, s[1].x, s[1].y, s[2].x, s[2].y, 0, 0, c.x, 0, 0, 0]
}
