//! Operations one by one: loops of few instructions, each around one that people use, to see which of them takes longer than in CUDA.
//!
//! `--workloads operations` runs these in place of the domains. Their texts do for the peers what the method does for numbers in range.

use gridwise::prelude::*;

use crate::data::{bytes, doubles, floats, words};
use crate::workload::Workload;

/// Rounds of each loop.
const ROUNDS: u32 = 128;

/// A kernel of one operation, and the same for its peers: `$a` is a number that changes in each round, `$s` what comes out, `$k` the round.
macro_rules! operation {
    (
        $kernel:ident $Kernel:ident $ty:ident, |$a:ident, $s:ident, $k:ident| { $($body:tt)* },
        $c_type:literal, $c_body:literal
    ) => {
        #[kernel(workgroup = [256])]
        fn $kernel(rounds: u32, x: &[$ty], out: &mut [$ty]) {
            let i = global_id().x as usize;
            if i >= x.len() || i >= out.len() {
                return;
            }
            let mut $a = x[i];
            let mut $s = 0 as $ty;
            for $k in 0..rounds {
                $($body)*
            }
            out[i] = $s;
        }

        impl $Kernel {
            const SOURCE: &'static str = concat!(
                "KERNEL {\n    uint i = GLOBAL_X;\n    if (i >= len) return;\n    ",
                $c_type,
                " a = x[i], s = ",
                $c_type,
                "(0);\n    for (uint k = 0u; k < rounds; k++) {\n        ",
                $c_body,
                "\n    }\n    out_[i] = s;\n}\n"
            );
        }
    };
}

/// Functions that the peers have by different names.
const HELPER: &str = r"
#define NEXT(x, y) int(uint(x) + y)
#define SUM(x, y) int(uint(x) + uint(y))
#ifdef __CUDACC__
#define POP64(x) uint(__popcll(x))
#define POP(x) uint(__popc(x))
#define CLZ(x) uint(__clz(x))
#define CLZ64(x) uint(__clzll(x))
#define REV(x) __brev(x)
#define SWAP(x) __byte_perm(x, 0, 0x0123)
#define FMINF(x,y) fminf(x,y)
#define FMAXF(x,y) fmaxf(x,y)
#define FMA(x,y,z) fmaf(x,y,z)
#define CBRT(x) cbrtf(x)
#define LOG10(x) log10f(x)
#define EXPM1(x) expm1f(x)
#define LN1P(x) log1pf(x)
#define D_exp exp
#define D_log log
#define D_sin sin
#define D_pow pow
#define D_atan2 atan2
#define D_tanh tanh
#define D_fmod fmod
#define D_fmin fmin
#define D_fmax fmax
#define ROUNDF(x) roundf(x)
#define RINTF(x) rintf(x)
#define FMODF(x,y) fmodf(x,y)
#define HYPOT(x,y) hypotf(x,y)
#define ATAN2(x,y) atan2f(x,y)
#define MULHI(x,y) __umulhi(x,y)
#define COPYS(x,y) copysignf(x,y)
#define TOU8(x) float(uint(fminf(fmaxf(x,0.0f),255.0f)))
#else
#define POP64(x) (bitCount(uint(x)) + bitCount(uint(x >> 32)))
#define POP(x) bitCount(x)
#define CLZ(x) uint(31 - findMSB(x))
#define CLZ64(x) (uint(x >> 32) != 0u ? CLZ(uint(x >> 32)) : 32u + CLZ(uint(x)))
#define REV(x) bitfieldReverse(x)
#define SWAP(x) (x >> 24 | (x >> 8 & 0xff00u) | (x << 8 & 0xff0000u) | x << 24)
#define FMINF(x,y) min(x,y)
#define FMAXF(x,y) max(x,y)
#define FMA(x,y,z) fma(x,y,z)
#define CBRT(x) pow(x, 1.0 / 3.0)
#define LOG10(x) (log2(x) * 0.30103)
#define EXPM1(x) (exp(x) - 1.0)
#define LN1P(x) log(x + 1.0)
double D_exp(double x) { return double(exp(float(x))); }
double D_log(double x) { return double(log(float(x))); }
double D_sin(double x) { return double(sin(float(x))); }
double D_pow(double x, double y) { return double(pow(float(x), float(y))); }
double D_atan2(double y, double x) { return double(atan(float(y), float(x))); }
double D_tanh(double x) { return double(tanh(float(x))); }
double D_fmod(double x, double y) { return x - y * trunc(x / y); }
double D_fmin(double x, double y) { return min(x, y); }
double D_fmax(double x, double y) { return max(x, y); }
#define ROUNDF(x) round(x)
#define RINTF(x) roundEven(x)
#define FMODF(x,y) mod(x,y)
#define HYPOT(x,y) length(vec2(x,y))
#define ATAN2(x,y) atan(x,y)
uint MULHI(uint x, uint y) { uint h, l; umulExtended(x, y, h, l); return h; }
#define COPYS(x,y) (abs(x) * sign(y))
#define TOU8(x) float(uint(clamp(x,0.0,255.0)))
#endif
";

operation!(i32_euclid I32Euclid i32, |a, s, k| { s = s.wrapping_add((a ^ k as i32).rem_euclid(12)); a = a.wrapping_add(977); }, "int",
    "int v = a ^ int(k), t = v - v / 12 * 12; s += t < 0 ? t + 12 : t; a = NEXT(a, 977u);");
operation!(i32_divvar I32Divvar i32, |a, s, k| { s = s.wrapping_add(a / (k as i32 + 3)); a = a.wrapping_add(977); }, "int",
    "s = SUM(s, a / (int(k) + 3)); a = NEXT(a, 977u);");
operation!(u32_divvar U32Divvar u32, |a, s, k| { s = s.wrapping_add(a / (k + 3) + a % (k + 3)); a = a.wrapping_add(977); }, "uint",
    "s += a / (k + 3u) + a % (k + 3u); a += 977u;");
operation!(u32_const U32Const u32, |a, s, k| { s = s.wrapping_add((a ^ k) / 10 + (a ^ k) % 10 * 3); a = a.wrapping_add(977); }, "uint",
    "s += (a ^ k) / 10u + (a ^ k) % 10u * 3u; a += 977u;");
operation!(i32_satadd I32Satadd i32, |a, s, k| { s = s.saturating_add(a ^ (k as i32) << 20); a = a.wrapping_mul(977); }, "int",
    "int64_t t = int64_t(s) + int64_t(a ^ int(k) << 20); t = t > int64_t(2147483647) ? int64_t(2147483647) : t; t = t < int64_t(-2147483647 - 1) ? int64_t(-2147483647 - 1) : t; s = int(t); a = int(uint(a) * 977u);");
operation!(u32_absdiff U32Absdiff u32, |a, s, k| { s = s.wrapping_add(a.abs_diff(k << 20)); a = a.wrapping_mul(977); }, "uint",
    "uint t = k << 20; s += a > t ? a - t : t - a; a *= 977u;");
operation!(i32_clamp I32Clamp i32, |a, s, k| { s = s.wrapping_add(a.clamp(-(k as i32), 1000) + a.signum()); a = a.wrapping_mul(977); }, "int",
    "s = SUM(s, min(max(a, -int(k)), 1000) + (a > 0 ? 1 : a < 0 ? -1 : 0)); a = int(uint(a) * 977u);");
operation!(i64_minmax I64Minmax i64, |a, s, k| { s = s.wrapping_add(a.max(k as i64 - 50).min(1 << 40)); a = a.wrapping_mul(977); }, "int64_t",
    "int64_t t = a > int64_t(k) - int64_t(50) ? a : int64_t(k) - int64_t(50); int64_t m = int64_t(1) << 40; s += t < m ? t : m; a *= int64_t(977);");
operation!(u64_mul U64Mul u64, |a, s, k| { a = a.wrapping_mul(6364136223846793005).wrapping_add(k as u64); s ^= a >> 33; }, "uint64_t",
    "a = a * uint64_t(6364136223846793005ul) + uint64_t(k); s ^= a >> 33;");
operation!(u64_rotvar U64Rotvar u64, |a, s, k| { a = a.rotate_left(k & 63).wrapping_add(977); s ^= a; }, "uint64_t",
    "a = (a << (k & 63u) | a >> ((64u - k) & 63u)) + uint64_t(977); s ^= a;");
operation!(u32_rotvar U32Rotvar u32, |a, s, k| { a = a.rotate_left(k & 31).wrapping_add(977); s ^= a; }, "uint",
    "a = (a << (k & 31u) | a >> ((32u - k) & 31u)) + 977u; s ^= a;");
operation!(u64_shr U64Shr u64, |a, s, k| { s ^= a >> (k & 63); a = a.wrapping_add(0x9e3779b97f4a7c15); }, "uint64_t",
    "s ^= a >> (k & 63u); a += uint64_t(0x9e3779b97f4a7c15ul);");
operation!(u64_pop U64Pop u64, |a, s, k| { s += (a ^ k as u64).count_ones() as u64; a = a.wrapping_add(0x9e3779b97f4a7c15); }, "uint64_t",
    "s += uint64_t(POP64((a ^ uint64_t(k)))); a += uint64_t(0x9e3779b97f4a7c15ul);");
operation!(u64_clz U64Clz u64, |a, s, k| { s += (a >> (k & 31)).leading_zeros() as u64; a = a.wrapping_add(0x9e3779b97f4a7c15); }, "uint64_t",
    "s += uint64_t(CLZ64((a >> (k & 31u)))); a += uint64_t(0x9e3779b97f4a7c15ul);");
operation!(u64_cmp U64Cmp u64, |a, s, k| { if a > s { s = s.wrapping_add(a >> 7) } else { s ^= a } a = a.wrapping_add(0x9e3779b97f4a7c15 ^ k as u64); }, "uint64_t",
    "if (a > s) { s += a >> 7; } else { s ^= a; } a += uint64_t(0x9e3779b97f4a7c15ul) ^ uint64_t(k);");
operation!(u32_bits U32Bits u32, |a, s, k| { s ^= a.reverse_bits() ^ (a ^ k).swap_bytes(); s = s.wrapping_add(a.leading_zeros() + a.count_ones()); a = a.wrapping_add(977); }, "uint",
    "s ^= REV(a) ^ SWAP((a ^ k)); s += CLZ(a) + POP(a); a += 977u;");
operation!(u32_mulhi U32Mulhi u32, |a, s, k| { s ^= ((a as u64 * k.wrapping_add(77_777) as u64) >> 32) as u32; a = a.wrapping_add(0x9e37_79b9); }, "uint",
    "s ^= MULHI(a, k + 77777u); a += 0x9e3779b9u;");
operation!(u32_checked U32Checked u32, |a, s, k| { s = s.wrapping_add(a.checked_add(k << 24).unwrap_or(7)); a = a.wrapping_mul(977); }, "uint",
    "uint t = a + (k << 24); s += t < a ? 7u : t; a *= 977u;");
operation!(u32_ilog U32Ilog u32, |a, s, k| { s += (a | 1).ilog2() + (k | 1).ilog2(); a = a.wrapping_mul(977) >> 1; }, "uint",
    "s += 31u - CLZ((a | 1u)) + 31u - CLZ((k | 1u)); a = a * 977u >> 1;");
operation!(u8_wrap U8Wrap u8, |a, s, k| { s = s.wrapping_add(a.rotate_left(3) ^ k as u8); a = a.wrapping_mul(77).wrapping_add(1); }, "uint8_t",
    "uint t = uint(a); s = uint8_t((uint(s) + (((t << 3 | t >> 5) ^ k) & 255u)) & 255u); a = uint8_t((t * 77u + 1u) & 255u);");
operation!(u8_sat U8Sat u8, |a, s, k| { s = s.saturating_add(a >> 5).saturating_sub(k as u8 & 3); a = a.wrapping_mul(77).wrapping_add(1); }, "uint8_t",
    "uint t = min(uint(s) + (uint(a) >> 5), 255u), u = k & 3u; s = uint8_t(t > u ? t - u : 0u); a = uint8_t((uint(a) * 77u + 1u) & 255u);");
operation!(i32_f32 I32F32 i32, |a, s, k| { s = s.wrapping_add((a as f32 * 0.37) as i32 ^ k as i32); a = a.wrapping_add(9777777); }, "int",
    "s = SUM(s, int(float(a) * 0.37f) ^ int(k)); a = NEXT(a, 9777777u);");
operation!(f32_u8 F32U8 f32, |a, s, k| { s += (a * 300.0 - 20.0) as u8 as f32; a = (a + 0.37 + k as f32 * 0.001).fract(); }, "float",
    "s += TOU8(a * 300.0f - 20.0f); a = a + 0.37f + float(k) * 0.001f; a -= floor(a);");
operation!(f32_round F32Round f32, |a, s, k| { s += (a * 9.0).round() + (a * 7.0).round_ties_even() + (a * 5.0).trunc() + (a * 3.0).ceil(); a = (a + 0.37 + k as f32 * 0.001).fract(); }, "float",
    "s += ROUNDF(a * 9.0f) + RINTF(a * 7.0f) + trunc(a * 5.0f) + ceil(a * 3.0f); a = a + 0.37f + float(k) * 0.001f; a -= floor(a);");
operation!(f32_rem F32Rem f32, |a, s, k| { s += (a * 100.0 + k as f32) % 7.3; a = (a + 0.37).fract(); }, "float",
    "s += FMODF(a * 100.0f + float(k), 7.3f); a = a + 0.37f; a -= floor(a);");
operation!(f32_euclid F32Euclid f32, |a, s, k| { s += (a * 100.0 - k as f32).rem_euclid(360.0); a = (a + 0.37).fract(); }, "float",
    "float t = FMODF(a * 100.0f - float(k), 360.0f); s += t < 0.0f ? t + 360.0f : t; a = a + 0.37f; a -= floor(a);");
operation!(f32_minmax F32Minmax f32, |a, s, k| { s += a.max(k as f32 * 0.01).min(0.9).clamp(0.1, 0.8); a = (a + 0.37).fract(); }, "float",
    "s += FMINF(FMAXF(FMINF(FMAXF(a, float(k) * 0.01f), 0.9f), 0.1f), 0.8f); a = a + 0.37f; a -= floor(a);");
operation!(f32_sign F32Sign f32, |a, s, k| { s += (a - 0.5).signum() * 0.5 + 2.0f32.copysign(a - 0.3) + (a - k as f32 * 0.01).abs(); a = (a + 0.37).fract(); }, "float",
    "s += COPYS(1.0f, a - 0.5f) * 0.5f + COPYS(2.0f, a - 0.3f) + abs(a - float(k) * 0.01f); a = a + 0.37f; a -= floor(a);");
operation!(f32_div F32Div f32, |a, s, k| { s += (a + 1.0) / (k as f32 + 1.5); a = (a + 0.37).fract(); }, "float",
    "s += (a + 1.0f) / (float(k) + 1.5f); a = a + 0.37f; a -= floor(a);");
operation!(f32_divinv F32Divinv f32, |a, s, k| { s += (k as f32 + 1.0) / (a + 0.5); a += 0.001; }, "float",
    "s += (float(k) + 1.0f) / (a + 0.5f); a += 0.001f;");
operation!(f32_sqrt F32Sqrt f32, |a, s, k| { s += (a + k as f32).sqrt(); a = (a + 0.37).fract(); }, "float",
    "s += sqrt(a + float(k)); a = a + 0.37f; a -= floor(a);");
operation!(f32_exp F32Exp f32, |a, s, k| { s += (a + k as f32 * 0.01).exp() * 0.1; a = (a + 0.37).fract(); }, "float",
    "s += exp(a + float(k) * 0.01f) * 0.1f; a = a + 0.37f; a -= floor(a);");
operation!(f32_ln F32Ln f32, |a, s, k| { s += (a + 0.5 + k as f32).ln(); a = (a + 0.37).fract(); }, "float",
    "s += log(a + 0.5f + float(k)); a = a + 0.37f; a -= floor(a);");
operation!(f32_pow F32Pow f32, |a, s, k| { s += (a + 0.5).powf(1.0 + k as f32 * 0.01); a = (a + 0.37).fract(); }, "float",
    "s += pow(a + 0.5f, 1.0f + float(k) * 0.01f); a = a + 0.37f; a -= floor(a);");
operation!(f32_powi F32Powi f32, |a, s, k| { s += (a + 0.5).powi(5) + k as f32; a = (a + 0.37).fract(); }, "float",
    "float t = a + 0.5f; float u = t * t; s += u * u * t + float(k); a = a + 0.37f; a -= floor(a);");
operation!(f32_sin F32Sin f32, |a, s, k| { s += (a * 6.0 + k as f32 * 0.1).sin(); a = (a + 0.37).fract(); }, "float",
    "s += sin(a * 6.0f + float(k) * 0.1f); a = a + 0.37f; a -= floor(a);");
operation!(f32_tanh F32Tanh f32, |a, s, k| { s += (a * 3.0 - k as f32 * 0.01).tanh(); a = (a + 0.37).fract(); }, "float",
    "s += tanh(a * 3.0f - float(k) * 0.01f); a = a + 0.37f; a -= floor(a);");
operation!(f32_atan2 F32Atan2 f32, |a, s, k| { s += (a - 0.5).atan2(k as f32 * 0.01 - 0.3); a = (a + 0.37).fract(); }, "float",
    "s += ATAN2(a - 0.5f, float(k) * 0.01f - 0.3f); a = a + 0.37f; a -= floor(a);");
operation!(f32_asin F32Asin f32, |a, s, k| { s += (a - 0.5).asin() + (a * 0.9).acos() + k as f32; a = (a + 0.37).fract(); }, "float",
    "s += asin(a - 0.5f) + acos(a * 0.9f) + float(k); a = a + 0.37f; a -= floor(a);");
operation!(f32_hypot F32Hypot f32, |a, s, k| { s += (a + 0.1).hypot(k as f32 * 0.01); a = (a + 0.37).fract(); }, "float",
    "s += HYPOT(a + 0.1f, float(k) * 0.01f); a = a + 0.37f; a -= floor(a);");
operation!(f32_fma F32Fma f32, |a, s, k| { s = s.mul_add(0.5, a * k as f32); a = (a + 0.37).fract(); }, "float",
    "s = FMA(s, 0.5f, a * float(k)); a = a + 0.37f; a -= floor(a);");
operation!(f64_div F64Div f64, |a, s, k| { s += (a + 1.0) / (k as f64 + 1.5); a += 0.37; }, "double",
    "s += (a + DOUBLE(1.0)) / (double(k) + DOUBLE(1.5)); a += DOUBLE(0.37);");
operation!(f64_sqrt F64Sqrt f64, |a, s, k| { s += (a + k as f64).sqrt(); a += 0.37; }, "double",
    "s += sqrt(a + double(k)); a += DOUBLE(0.37);");
operation!(i64_div I64Div i64, |a, s, k| { s = s.wrapping_add(a / (k as i64 + 3)); a = a.wrapping_add(977_777_777_777); }, "int64_t",
    "s += a / (int64_t(k) + int64_t(3)); a += int64_t(977777777777l);");
operation!(i64_const I64Const i64, |a, s, k| { s = s.wrapping_add((a ^ k as i64) / 1000 + a % 60); a = a.wrapping_add(977_777_777_777); }, "int64_t",
    "int64_t v = a ^ int64_t(k); s += v / int64_t(1000) + (a - a / int64_t(60) * int64_t(60)); a += int64_t(977777777777l);");
operation!(u64_f32 U64F32 u64, |a, s, k| { s ^= (((a ^ k as u64) >> 20) as f32 * 0.5) as u64; a = a.wrapping_add(0x9e3779b97f4a7c15); }, "uint64_t",
    "s ^= uint64_t(float((a ^ uint64_t(k)) >> 20) * 0.5f); a += uint64_t(0x9e3779b97f4a7c15ul);");
operation!(f32_tan F32Tan f32, |a, s, k| { s += (a + k as f32 * 0.01).tan(); a = (a + 0.37).fract(); }, "float",
    "s += tan(a + float(k) * 0.01f); a = a + 0.37f; a -= floor(a);");
operation!(f32_sincos F32Sincos f32, |a, s, k| { let (x, y) = (a * 6.0 + k as f32 * 0.1).sin_cos(); s += x * 0.5 + y; a = (a + 0.37).fract(); }, "float",
    "float t = a * 6.0f + float(k) * 0.1f; s += sin(t) * 0.5f + cos(t); a = a + 0.37f; a -= floor(a);");
operation!(f32_log2 F32Log2 f32, |a, s, k| { s += (a + 0.5).log2() + (a - k as f32 * 0.01).exp2(); a = (a + 0.37).fract(); }, "float",
    "s += log2(a + 0.5f) + exp2(a - float(k) * 0.01f); a = a + 0.37f; a -= floor(a);");
operation!(f32_log10 F32Log10 f32, |a, s, k| { s += (a + 0.5 + k as f32).log10(); a = (a + 0.37).fract(); }, "float",
    "s += LOG10(a + 0.5f + float(k)); a = a + 0.37f; a -= floor(a);");
operation!(f32_small F32Small f32, |a, s, k| { s += (a - k as f32 * 0.01).exp_m1() + (a + k as f32 * 0.1).ln_1p(); a = (a + 0.37).fract(); }, "float",
    "s += EXPM1(a - float(k) * 0.01f) + LN1P(a + float(k) * 0.1f); a = a + 0.37f; a -= floor(a);");
operation!(f32_cbrt F32Cbrt f32, |a, s, k| { s += (a + k as f32).cbrt(); a = (a + 0.37).fract(); }, "float",
    "s += CBRT(a + float(k)); a = a + 0.37f; a -= floor(a);");
operation!(f32_hyperbolic F32Hyperbolic f32, |a, s, k| { s += (a * 2.0 - k as f32 * 0.01).sinh() + (a + 0.1).cosh(); a = (a + 0.37).fract(); }, "float",
    "s += sinh(a * 2.0f - float(k) * 0.01f) + cosh(a + 0.1f); a = a + 0.37f; a -= floor(a);");
operation!(f32_area F32Area f32, |a, s, k| { s += (a * 2.0 - k as f32 * 0.01).asinh() + (a * 0.9).atanh(); a = (a + 0.37).fract(); }, "float",
    "s += asinh(a * 2.0f - float(k) * 0.01f) + atanh(a * 0.9f); a = a + 0.37f; a -= floor(a);");
operation!(f32_recip F32Recip f32, |a, s, k| { s += (a + k as f32 * 0.5 + 0.5).recip(); a = (a + 0.37).fract(); }, "float",
    "s += 1.0f / (a + float(k) * 0.5f + 0.5f); a = a + 0.37f; a -= floor(a);");
operation!(f32_rsqrt F32Rsqrt f32, |a, s, k| { s += 1.0 / (a + k as f32 * 0.5 + 0.5).sqrt(); a = (a + 0.37).fract(); }, "float",
    "s += 1.0f / sqrt(a + float(k) * 0.5f + 0.5f); a = a + 0.37f; a -= floor(a);");
operation!(f32_total F32Total f32, |a, s, k| { if a.total_cmp(&(k as f32 * 0.01)).is_lt() { s += 1.0 } a = (a + 0.37).fract(); }, "float",
    "if (a < float(k) * 0.01f) s += 1.0f; a = a + 0.37f; a -= floor(a);");
operation!(f64_exp F64Exp f64, |a, s, k| { s += (a - k as f64 * 0.01).exp(); a = if a > 1.0 { a - 0.63 } else { a + 0.37 }; }, "double",
    "s += D_exp(a - double(k) * DOUBLE(0.01)); a = a > DOUBLE(1.0) ? a - DOUBLE(0.63) : a + DOUBLE(0.37);");
operation!(f64_ln F64Ln f64, |a, s, k| { s += (a + 0.5 + k as f64).ln(); a = if a > 1.0 { a - 0.63 } else { a + 0.37 }; }, "double",
    "s += D_log(a + DOUBLE(0.5) + double(k)); a = a > DOUBLE(1.0) ? a - DOUBLE(0.63) : a + DOUBLE(0.37);");
operation!(f64_sin F64Sin f64, |a, s, k| { s += (a * 6.0 + k as f64 * 0.1).sin(); a = if a > 1.0 { a - 0.63 } else { a + 0.37 }; }, "double",
    "s += D_sin(a * DOUBLE(6.0) + double(k) * DOUBLE(0.1)); a = a > DOUBLE(1.0) ? a - DOUBLE(0.63) : a + DOUBLE(0.37);");
operation!(f64_pow F64Pow f64, |a, s, k| { s += (a + 0.5).powf(1.0 + k as f64 * 0.01); a = if a > 1.0 { a - 0.63 } else { a + 0.37 }; }, "double",
    "s += D_pow(a + DOUBLE(0.5), DOUBLE(1.0) + double(k) * DOUBLE(0.01)); a = a > DOUBLE(1.0) ? a - DOUBLE(0.63) : a + DOUBLE(0.37);");
operation!(f64_atan2 F64Atan2 f64, |a, s, k| { s += (a - 0.5).atan2(k as f64 * 0.01 - 0.3); a = if a > 1.0 { a - 0.63 } else { a + 0.37 }; }, "double",
    "s += D_atan2(a - DOUBLE(0.5), double(k) * DOUBLE(0.01) - DOUBLE(0.3)); a = a > DOUBLE(1.0) ? a - DOUBLE(0.63) : a + DOUBLE(0.37);");
operation!(f64_tanh F64Tanh f64, |a, s, k| { s += (a * 3.0 - k as f64 * 0.01).tanh(); a = if a > 1.0 { a - 0.63 } else { a + 0.37 }; }, "double",
    "s += D_tanh(a * DOUBLE(3.0) - double(k) * DOUBLE(0.01)); a = a > DOUBLE(1.0) ? a - DOUBLE(0.63) : a + DOUBLE(0.37);");
operation!(f64_round F64Round f64, |a, s, k| { s += (a * 9.0).round() + (a * 5.0).floor() + (a * k as f64).trunc(); a = if a > 1.0 { a - 0.63 } else { a + 0.37 }; }, "double",
    "s += round(a * DOUBLE(9.0)) + floor(a * DOUBLE(5.0)) + trunc(a * double(k)); a = a > DOUBLE(1.0) ? a - DOUBLE(0.63) : a + DOUBLE(0.37);");
operation!(f64_rem F64Rem f64, |a, s, k| { s += (a * 100.0 + k as f64) % 7.3; a = if a > 1.0 { a - 0.63 } else { a + 0.37 }; }, "double",
    "s += D_fmod(a * DOUBLE(100.0) + double(k), DOUBLE(7.3)); a = a > DOUBLE(1.0) ? a - DOUBLE(0.63) : a + DOUBLE(0.37);");
operation!(f64_minmax F64Minmax f64, |a, s, k| { s += a.max(k as f64 * 0.01).min(0.9).clamp(0.1, 0.8); a = if a > 1.0 { a - 0.63 } else { a + 0.37 }; }, "double",
    "s += D_fmin(D_fmax(D_fmin(D_fmax(a, double(k) * DOUBLE(0.01)), DOUBLE(0.9)), DOUBLE(0.1)), DOUBLE(0.8)); a = a > DOUBLE(1.0) ? a - DOUBLE(0.63) : a + DOUBLE(0.37);");
operation!(f64_casts F64Casts f64, |a, s, k| { s += ((a * 1.0e6) as i32 ^ k as i32) as f64 + (a as f32 * 3.0) as f64; a = if a > 1.0 { a - 0.63 } else { a + 0.37 }; }, "double",
    "s += double(int(a * DOUBLE(1.0e6)) ^ int(k)) + double(float(a) * 3.0f); a = a > DOUBLE(1.0) ? a - DOUBLE(0.63) : a + DOUBLE(0.37);");
operation!(u16_sum U16Sum u16, |a, s, k| { s = s.wrapping_mul(3).wrapping_add(a >> 3 ^ k as u16); a = a.wrapping_add(977); }, "uint16_t",
    "uint t = uint(a); s = uint16_t((uint(s) * 3u + ((t >> 3 ^ k) & 65535u)) & 65535u); a = uint16_t((t + 977u) & 65535u);");
operation!(i16_clamp I16Clamp i16, |a, s, k| { s = s.saturating_add(a >> 4).saturating_sub((k as i16 & 15) * 16); a = a.wrapping_mul(977).wrapping_add(1); }, "int16_t",
    "int t = min(max(int(s) + (int(a) >> 4), -32768), 32767); t = min(max(t - (int(k) & 15) * 16, -32768), 32767); s = int16_t(t); a = int16_t(int(uint(int(a)) * 977u + 1u));");
operation!(i8_dot I8Dot i8, |a, s, k| { s = (s as i32 + a as i32 * (k as i8) as i32 / 7) as i8; a = a.wrapping_add(77); }, "int8_t",
    "int t = int(s) + int(a) * int(int8_t(k)) / 7; s = int8_t(t); a = int8_t(int(a) + 77);");
operation!(u32_isqrt U32Isqrt u32, |a, s, k| { s = s.wrapping_add((a ^ k).isqrt()); a = a.wrapping_add(0x9e37_79b9); }, "uint",
    "uint t = a ^ k; uint r = uint(sqrt(double(t))); s += r; a += 0x9e3779b9u;");
operation!(u32_pow U32Pow u32, |a, s, k| { s = s.wrapping_add(a.wrapping_pow(k & 15)); a = a.wrapping_add(977); }, "uint",
    "uint e = k & 15u, b = a, r = 1u; while (e != 0u) { if ((e & 1u) != 0u) r *= b; b *= b; e >>= 1; } s += r; a += 977u;");
operation!(u32_digit U32Digit u32, |a, s, k| { let mut t = a ^ k; while t > 0 { s = s.wrapping_mul(31).wrapping_add(t % 10); t /= 10; } a = a.wrapping_add(0x9e37_79b9); }, "uint",
    "uint t = a ^ k; while (t > 0u) { s = s * 31u + t % 10u; t /= 10u; } a += 0x9e3779b9u;");
operation!(u64_modmul U64Modmul u64, |a, s, k| { s = s.wrapping_add((a % 998_244_353) * (k as u64 + 77_777) % 998_244_353); a = a.wrapping_add(0x9e3779b97f4a7c15); }, "uint64_t",
    "s += (a % uint64_t(998244353)) * (uint64_t(k) + uint64_t(77777)) % uint64_t(998244353); a += uint64_t(0x9e3779b97f4a7c15ul);");
operation!(u64_gcd U64Gcd u32, |a, s, k| { let (mut x, mut y) = (a, k + 12_345); while y != 0 { (x, y) = (y, x % y); } s = s.wrapping_add(x); a = a.wrapping_add(0x9e37_79b9); }, "uint",
    "uint x = a, y = k + 12345u; while (y != 0u) { uint t = x % y; x = y; y = t; } s += x; a += 0x9e3779b9u;");
operation!(i32_euclid_var I32EuclidVar i32, |a, s, k| { s = s.wrapping_add(a.rem_euclid(k as i32 + 3)); a = a.wrapping_add(9_777_777); }, "int",
    "int m = int(k) + 3, t = a - a / m * m; s = SUM(s, t < 0 ? t + m : t); a = NEXT(a, 9777777u);");
operation!(u32_morton U32Morton u32, |a, s, k| { let mut t = (a ^ k) & 0xffff; t = (t | t << 8) & 0x00ff_00ff; t = (t | t << 4) & 0x0f0f_0f0f; t = (t | t << 2) & 0x3333_3333; t = (t | t << 1) & 0x5555_5555; s ^= t; a = a.wrapping_add(977); }, "uint",
    "uint t = (a ^ k) & 0xffffu; t = (t | t << 8) & 0x00ff00ffu; t = (t | t << 4) & 0x0f0f0f0fu; t = (t | t << 2) & 0x33333333u; t = (t | t << 1) & 0x55555555u; s ^= t; a += 977u;");
operation!(u32_bytes U32Bytes u32, |a, s, k| { let b = (a ^ k).to_le_bytes(); s = s.wrapping_add(u32::from(b[0]) * 3 + u32::from(b[1].max(b[2])) + u32::from_be_bytes(b)); a = a.wrapping_add(0x9e37_79b9); }, "uint",
    "uint t = a ^ k; s += (t & 255u) * 3u + max(t >> 8 & 255u, t >> 16 & 255u) + SWAP(t); a += 0x9e3779b9u;");

fn signed(n: usize) -> Vec<i32> {
    words(n).into_iter().map(|word| word as i32).collect()
}

fn shorts(n: usize) -> Vec<u16> {
    words(n).into_iter().map(|word| word as u16).collect()
}

fn signed_shorts(n: usize) -> Vec<i16> {
    words(n).into_iter().map(|word| word as i16).collect()
}

fn signed_bytes(n: usize) -> Vec<i8> {
    words(n).into_iter().map(|word| word as i8).collect()
}

fn wide(n: usize) -> Vec<u64> {
    words(n).into_iter().map(|word| u64::from(word) * 0x1_2345_6789).collect()
}

fn signed_wide(n: usize) -> Vec<i64> {
    wide(n).into_iter().map(|word| word as i64 - (1 << 60)).collect()
}

pub(crate) fn workloads(large: bool) -> Vec<Workload> {
    let n = if large { 1 << 20 } else { 1 << 10 };
    macro_rules! of {
        ($Kernel:ident $ty:ident, $name:literal, $x:expr) => {
            Workload::new::<$Kernel>($name, [n / 256, 1, 1], $Kernel::SOURCE)
                .with_helper(HELPER)
                .value("rounds", ROUNDS)
                .peer_value("len", n as u32)
                .read("x", $x)
                .write::<$ty>("out_", n)
        };
    }
    vec![
        of!(I32Euclid i32, "i32 rem_euclid 12", signed(n)),
        of!(I32Divvar i32, "i32 by a variable", signed(n)),
        of!(U32Divvar u32, "u32 by a variable", words(n)),
        of!(U32Const u32, "u32 by 10", words(n)),
        of!(I32Satadd i32, "i32 saturating_add", signed(n)),
        of!(U32Absdiff u32, "u32 abs_diff", words(n)),
        of!(I32Clamp i32, "i32 clamp, signum", signed(n)),
        of!(I64Minmax i64, "i64 min, max", signed_wide(n)),
        of!(U64Mul u64, "u64 products", wide(n)),
        of!(U64Rotvar u64, "u64 rotate by a variable", wide(n)),
        of!(U32Rotvar u32, "u32 rotate by a variable", words(n)),
        of!(U64Shr u64, "u64 shift by a variable", wide(n)),
        of!(U64Pop u64, "u64 count_ones", wide(n)),
        of!(U64Clz u64, "u64 leading_zeros", wide(n)),
        of!(U64Cmp u64, "u64 comparisons", wide(n)),
        of!(U32Bits u32, "u32 bits", words(n)),
        of!(U32Mulhi u32, "u32 upper half of a product", words(n)),
        of!(U32Checked u32, "u32 checked_add", words(n)),
        of!(U32Ilog u32, "u32 ilog2", words(n)),
        of!(U8Wrap u8, "u8 wrapping", bytes(n)),
        of!(U8Sat u8, "u8 saturating", bytes(n)),
        of!(I32F32 i32, "i32 to f32 and back", signed(n)),
        of!(F32U8 f32, "f32 to u8", floats(n)).roughly(0.01),
        of!(F32Round f32, "f32 round", floats(n)).roughly(0.01),
        of!(F32Rem f32, "f32 remainder", floats(n)).roughly(0.01),
        of!(F32Euclid f32, "f32 rem_euclid", floats(n)).roughly(0.01),
        of!(F32Minmax f32, "f32 min, max, clamp", floats(n)),
        of!(F32Sign f32, "f32 signs", floats(n)).roughly(0.01),
        of!(F32Div f32, "f32 by a counter", floats(n)),
        of!(F32Divinv f32, "f32 by a variable", floats(n)),
        of!(F32Sqrt f32, "f32 sqrt", floats(n)),
        of!(F32Exp f32, "f32 exp", floats(n)),
        of!(F32Ln f32, "f32 ln", floats(n)),
        of!(F32Pow f32, "f32 powf", floats(n)),
        of!(F32Powi f32, "f32 powi", floats(n)),
        of!(F32Sin f32, "f32 sin", floats(n)),
        of!(F32Tanh f32, "f32 tanh", floats(n)),
        of!(F32Atan2 f32, "f32 atan2", floats(n)).roughly(0.01),
        of!(F32Asin f32, "f32 asin, acos", floats(n)),
        of!(F32Hypot f32, "f32 hypot", floats(n)),
        of!(F32Fma f32, "f32 mul_add", floats(n)),
        of!(F64Div f64, "f64 by a variable", doubles(n)),
        of!(F64Sqrt f64, "f64 sqrt", doubles(n)),
        of!(I64Div i64, "i64 by a variable", signed_wide(n)),
        of!(I64Const i64, "i64 by constants", signed_wide(n)),
        of!(U64F32 u64, "u64 to f32 and back", wide(n)),
        of!(F32Tan f32, "f32 tan", floats(n)).roughly(0.01),
        of!(F32Sincos f32, "f32 sin_cos", floats(n)),
        of!(F32Log2 f32, "f32 log2, exp2", floats(n)),
        of!(F32Log10 f32, "f32 log10", floats(n)),
        of!(F32Small f32, "f32 exp_m1, ln_1p", floats(n)).roughly(0.01),
        of!(F32Cbrt f32, "f32 cbrt", floats(n)),
        of!(F32Hyperbolic f32, "f32 sinh, cosh", floats(n)).roughly(0.01),
        of!(F32Area f32, "f32 asinh, atanh", floats(n)).roughly(0.01),
        of!(F32Recip f32, "f32 recip", floats(n)),
        of!(F32Rsqrt f32, "f32 1 / sqrt", floats(n)),
        of!(F32Total f32, "f32 total_cmp", floats(n)),
        of!(F64Exp f64, "f64 exp", doubles(n)).roughly(0.001),
        of!(F64Ln f64, "f64 ln", doubles(n)).roughly(0.001),
        of!(F64Sin f64, "f64 sin", doubles(n)).roughly(0.001),
        of!(F64Pow f64, "f64 pow", doubles(n)).roughly(0.001),
        of!(F64Atan2 f64, "f64 atan2", doubles(n)).roughly(0.001),
        of!(F64Tanh f64, "f64 tanh", doubles(n)).roughly(0.001),
        of!(F64Round f64, "f64 round", doubles(n)).roughly(0.001),
        of!(F64Rem f64, "f64 rem", doubles(n)).roughly(0.001),
        of!(F64Minmax f64, "f64 minmax", doubles(n)).roughly(0.001),
        of!(F64Casts f64, "f64 casts", doubles(n)).roughly(0.001),
        of!(U16Sum u16, "u16 arithmetic", shorts(n)),
        of!(I16Clamp i16, "i16 saturating", signed_shorts(n)),
        of!(I8Dot i8, "i8 products", signed_bytes(n)),
        of!(U32Isqrt u32, "u32 isqrt", words(n)),
        of!(U32Pow u32, "u32 pow", words(n)),
        of!(U32Digit u32, "u32 digits of a number", words(n)),
        of!(U64Modmul u64, "u64 products modulo a prime", wide(n)),
        of!(U64Gcd u32, "u32 greatest common divisor", words(n)),
        of!(I32EuclidVar i32, "i32 rem_euclid by a variable", signed(n)),
        of!(U32Morton u32, "u32 bits interleaved", words(n)),
        of!(U32Bytes u32, "u32 bytes of a word", words(n)),
    ]
}
