//! Chains of iterators against rustc's: what they give, which of their closures run, and in which order.

use super::twin::twin;

#[test]
fn adapters() {
    twin! { fn f(a: u32, b: u32) -> u32 { (a % 9..b % 20).map(|i| i * 3).filter(|i| i % 2 == 0).fold(7u32, |n, i| n.wrapping_mul(31) ^ i) } }
    twin! { fn f(a: u32, b: u32) -> u32 { (a % 9..=b % 20).rev().enumerate().map(|(j, i)| i ^ j as u32).fold(7u32, |n, i| n.wrapping_mul(31) ^ i) } }
    twin! { fn f(a: u32, b: u32) -> u32 { (0..a % 20).enumerate().rev().skip(2).fold(b, |n, (j, i)| n.wrapping_mul(31) ^ i ^ (j as u32) << 8) } }
    twin! { fn f(t: [u32; 4], k: u32) -> u32 { t.iter().zip(k % 5..).map(|(x, i)| x.wrapping_mul(i)).fold(7u32, |n, i| n.wrapping_mul(31) ^ i) } }
    twin! { fn f(t: [u32; 4], k: u32) -> u32 { t.iter().copied().skip((k % 6) as usize).take(2).fold(7u32, |n, i| n.wrapping_mul(31) ^ i) } }
    twin! { fn f(t: [i32; 4], k: u32) -> i32 { let mut n = 1i32; for (i, &x) in t.iter().enumerate().step_by((k % 3 + 1) as usize).rev() { n = n.wrapping_mul(31) ^ x ^ i as i32; } n } }
    twin! { fn f(a: u32, k: u32) -> u32 { (0..a % 30).chain(5..k % 11).chain([3, 1, 4]).rev().fold(7u32, |n, i| n.wrapping_mul(31) ^ i) } }
    twin! { fn f(a: u32, k: u32) -> u32 { (0..a % 30).skip_while(|i| i * i < k % 99).take_while(|i| i + 5 < k % 40).fold(7u32, |n, i| n.wrapping_mul(31) ^ i) } }
    twin! { fn f(a: u32, k: u32) -> u32 { (0..a % 30).map_while(|i| if i < k % 13 { Some(i * 2) } else { None }).filter_map(|i| i.checked_sub(3)).fold(7u32, |n, i| n.wrapping_mul(31) ^ i) } }
    twin! { fn f(t: [u32; 4]) -> u32 { t.into_iter().skip_while(|x| x % 2 == 0).fold(7u32, |n, i| n.wrapping_mul(31) ^ i) } }
    twin! { fn f(t: [u32; 4]) -> u32 { t.into_iter().map(|x| if x % 3 == 0 { None } else { Some(x / 2) }).flatten().fold(7u32, |n, i| n.wrapping_mul(31) ^ i) } }
    twin! { fn f(a: u32, k: u32) -> u32 { (0..a % 30).filter(|i| i % 3 != 1).step_by((k % 4 + 1) as usize).skip(1).take((k % 7) as usize).enumerate().fold(7u32, |n, (j, i)| n.wrapping_mul(31) ^ i ^ (j as u32) << 8) } }
}

#[test]
fn ranges_of_all_types() {
    twin! { fn f(a: i8, b: i8) -> i32 { (a..=b).rev().step_by(7).skip(1).map(|i| i as i32).fold(7i32, |n, i| n.wrapping_mul(31) ^ i) } }
    twin! { fn f(a: u8, b: u8) -> u32 { (a..=b).zip((0..=b).rev()).map(|(i, j)| i as u32 * 256 + j as u32).fold(7u32, |n, i| n.wrapping_mul(31) ^ i) } }
    twin! { fn f(a: i16, b: i16) -> i32 { (a..b).take(9).enumerate().map(|(j, i)| i as i32 ^ j as i32).fold(7i32, |n, i| n.wrapping_mul(31) ^ i) } }
    twin! { fn f(a: u64, b: u32) -> u64 { (a..u64::MAX).step_by(0x7000_0001).zip(0..b % 6).fold(7u64, |n, (i, j)| n.wrapping_mul(31) ^ i ^ j as u64) } }
    twin! { fn f(a: i64) -> i64 { (a..=i64::MAX).take(5).map(|i| i / 3).fold(7i64, |n, i| n.wrapping_mul(31) ^ i) } }
    twin! { fn f(a: i64, b: i64) -> u32 { (a..b).skip(3).take(4).count() as u32 } }
    twin! { fn f(a: u32) -> u64 { (u32::MAX - a % 9..=u32::MAX).chain(0..=a % 3).map(|i| i as u64).sum::<u64>() } }
    twin! { fn f(a: usize, b: usize) -> usize { (a % 7..b % 50).rev().skip(1).step_by(3).fold(7usize, |n, i| n * 3 % 10007 + i) } }
    twin! { fn f(k: u32) -> u32 { (i32::MIN..=i32::MAX).rev().step_by(1 << 29).enumerate().take((k % 9) as usize).fold(7u32, |n, (j, i)| n.wrapping_mul(31) ^ i as u32 ^ j as u32) } }
}

#[test]
fn ranges_that_are_held() {
    // The last number leaves the ends as they are, and nothing comes behind it.
    twin! { fn f(a: u8, k: u32) -> u32 { let mut r = 255 - a % 4..=255u8; let mut n = 1u32; for _ in 0..k % 7 { n = n.wrapping_mul(31) ^ r.next().map_or(999, |i| i as u32); } n ^ (*r.start() as u32) << 8 ^ (r.is_empty() as u32) << 20 } }
    twin! { fn f(a: i8, b: i8) -> i32 { let mut r = a % 4..=b % 4; let mut n = 1i32; for k in 0..5u32 { let next = if k % 2 == 0 { r.next() } else { r.next_back() }; n = n.wrapping_mul(31) ^ next.map_or(999, |i| i as i32); } n ^ *r.start() as i32 ^ (*r.end() as i32) << 8 } }
    twin! { fn f(a: u32, b: u32) -> u32 { let mut r = a % 4..b % 4; let mut n = 1u32; for k in 0..3u32 { let next = if k % 2 == 0 { r.next_back() } else { r.next() }; n = n.wrapping_mul(31) ^ next.unwrap_or(999); } n ^ r.start << 8 ^ r.end << 12 } }
}

#[test]
fn consumers() {
    twin! { fn f(t: [u32; 4]) -> (u32, u32) { (t.iter().map(|x| x % 1000).sum::<u32>(), t.into_iter().map(|x| x % 50 + 1).product()) } }
    twin! { fn f(t: [f32; 4]) -> (f32, f32) { (t.iter().copied().sum(), t.iter().product()) } }
    twin! { fn f(a: u32) -> (f32, f64) { ((0..a % 2).map(|i| i as f32).sum(), (0..a % 2).map(|i| i as f64).product()) } }
    twin! { fn f(t: [i32; 4], k: i32) -> (bool, bool, u32) { (t.iter().any(|&x| x > k), t.iter().all(|x| *x > k), t.iter().filter(|x| **x > k).count() as u32) } }
    twin! { fn f(t: [i32; 4], k: i32) -> (i32, u32) { (t.iter().copied().find(|&x| x > k).unwrap_or(-7), t.iter().position(|&x| x > k).map_or(9, |i| i as u32)) } }
    twin! { fn f(t: [i32; 4]) -> (i32, i32) { (t.iter().copied().min().unwrap_or(-7), t.iter().max().copied().unwrap_or(-7)) } }
    twin! { fn f(t: [i32; 4], k: i32) -> (i32, i32) { (t.iter().filter(|&&x| x > k).copied().min().unwrap_or(-7), t.into_iter().skip_while(|x| *x <= k).max().unwrap_or(-7)) } }
    twin! { fn f(t: [u32; 4]) -> (u32, u32) { (t.into_iter().enumerate().min_by_key(|&(_, x)| x % 3).map_or(9, |(i, x)| i as u32 ^ x), t.into_iter().enumerate().max_by_key(|(_, x)| x % 3).map_or(9, |(i, x)| i as u32 ^ x)) } }
    twin! { fn f(t: [u32; 4]) -> (u32, u32) { (t.into_iter().enumerate().min_by_key(|&(_, x)| (x % 2, 7u32)).map_or(9, |(i, x)| i as u32 ^ x), t.into_iter().enumerate().max_by_key(|&(_, x)| (x % 2, 7u32)).map_or(9, |(i, x)| i as u32 ^ x)) } }
    twin! { fn f(t: [u32; 4], k: u32) -> (u32, u32) { (t.iter().copied().nth((k % 6) as usize).unwrap_or(9), t.iter().filter(|x| *x % 2 == 0).last().cloned().unwrap_or(9)) } }
    twin! { fn f(t: [u32; 4], k: u32) -> u32 { t.into_iter().filter(|x| x % 3 != k % 3).reduce(|a, b| a.wrapping_mul(31) ^ b).unwrap_or(9) } }
    twin! { fn f(t: [u32; 4], k: u32) -> u32 { t.iter().find_map(|x| x.checked_sub(k)).unwrap_or(9) } }
    twin! { fn f(t: [u32; 4]) -> u32 { t.iter().try_fold(0u32, |n, x| n.checked_add(*x)).unwrap_or(9) } }
    twin! { fn f(t: [u32; 4], k: u32) -> u32 { let r: Result<u32, u32> = t.into_iter().enumerate().try_fold(1u32, |n, (i, x)| if x == k { Err(i as u32) } else { Ok(n ^ x) }); r.unwrap_or_else(|e| e ^ 77) } }
    twin! { fn f(t: [u32; 4], k: u32) -> (bool, u32) { let mut n = 0u32; let r = t.iter().try_for_each(|&x| { n ^= x; if x > k { None } else { Some(()) } }); (r.is_some(), n) } }
    twin! { fn f(t: [f32; 4]) -> f32 { t.into_iter().fold(f32::INFINITY, f32::min) } }
    twin! { fn f(t: [[u32; 2]; 2]) -> u32 { t.iter().map(|row| row.iter().map(|x| x % 1000).sum::<u32>()).fold(1, |n, x| n * 7 % 10007 + x) } }
    twin! { fn f(a: u32) -> bool { let mut n = a % 3; (0..0u32).any(|_| { n += 1; true }) || (0..3u32).all(|i| { n += i; n < 5 }) } }
}

#[test]
fn closures_run_in_order() {
    // `zip` asks its left side first, also when the right one is used up.
    twin! { fn f(a: u32, b: u32) -> u32 { let (mut n, mut m) = (1u32, 0u32); let s: u32 = (0..a % 7).map(|i| { n = n.wrapping_mul(31) ^ i; i }).zip((0..b % 7).map(|i| { m = m.wrapping_mul(37) ^ i; i })).map(|(i, j)| i * j).sum(); n ^ m ^ s } }
    twin! { fn f(a: u32, b: u32) -> u32 { let (mut n, mut m) = (1u32, 1u32); (0..a % 12).filter(|i| { n = n.wrapping_mul(31) ^ i; i % 2 == 0 }).zip((0..b % 12).filter(|i| i % 3 == 0)).for_each(|(i, j)| m = m.wrapping_mul(7) ^ i ^ j << 8); n ^ m } }
    twin! { fn f(t: [u32; 4], b: u32) -> u32 { let mut n = 1u32; let s = t.iter().enumerate().map(|(i, x)| { n = n.wrapping_mul(31) ^ x; i }).zip(0..b % 6).map(|(i, j)| i as u32 * 8 + j).filter(|x| x % 2 == 0).nth(1); n ^ s.unwrap_or(9) } }
    twin! { fn f(a: u32, b: u32) -> u32 { let mut n = 1u32; for (i, j) in (0..=a % 7).map(|i| { n = n.wrapping_mul(31) ^ i; i }).zip(0..b % 7) { if i + j > 9 { break; } } n } }
    twin! { fn f(a: u32, b: u32) -> u32 { let mut n = 1u32; for (i, j) in (0..a % 7).map(|i| { n = n.wrapping_mul(31) ^ i; i }).zip(0..b % 7) { if i + j > 9 { break; } } n } }
    // `take` stops before it asks; what is skipped is computed all the same.
    twin! { fn f(a: u32, b: u32) -> u32 { let mut n = 1u32; (0..a % 12).map(|i| { n = n.wrapping_mul(31) ^ i; i }).take((b % 5) as usize).for_each(|_| {}); n } }
    twin! { fn f(a: u32, b: u32) -> u32 { let mut n = 1u32; let s: u32 = (0..a % 12).filter(|i| { n = n.wrapping_mul(31) ^ i; *i != 4 }).skip((b % 5) as usize).step_by(2).sum(); n ^ s } }
    twin! { fn f(a: u32, b: u32) -> u32 { let mut n = 1u32; for i in (0..a % 12).map(|i| { n = n.wrapping_mul(31) ^ i; i }).step_by(3).take(2) { if i == b { break; } } n } }
    twin! { fn f(a: u32, b: u32) -> u32 { let mut n = 1u32; let c = (0..a % 6).map(|i| { n = n.wrapping_mul(31) ^ i; i }).chain((0..b % 6).rev()).take_while(|&i| i < 4).count() as u32; n ^ c } }
    twin! { fn f(a: u32, b: u32) -> u32 { let mut n = 1u32; let found = (0..a % 30).map(|i| { n = n.wrapping_mul(31) ^ i; i }).position(|i| i * i > b % 99); n ^ found.map_or(77, |i| i as u32) } }
    twin! { fn f(a: u32, b: u32) -> u32 { let mut n = 1u32; let found = (0..a % 30).rev().map(|i| { n = n.wrapping_mul(31) ^ i; i }).rev().find(|i| i * i > b % 99); n ^ found.unwrap_or(77) } }
    // Values that a `move` closure took along.
    twin! { fn f(a: u32) -> u32 { let mut k = a % 5; let mut s = 0u32; (0..4u32).map(move |i| i + k).for_each(|i| { k += 10; s = s * 3 + i; }); s ^ k } }
}

#[test]
fn in_loops_and_functions() {
    twin! { fn f(a: u32, b: u32) -> u32 {
        let mut n = 1u32;
        'rows: for row in (0..a % 6).filter(|r| r % 3 != 2) {
            for (i, v) in (row..b % 9).chain([7, 8]).enumerate() {
                if (v ^ row) % 5 == 3 { continue 'rows; }
                if i == 3 { break; }
                if v == 8 && row == 4 { break 'rows; }
                n = n.wrapping_mul(31) ^ v;
            }
            n = n.wrapping_mul(7) ^ row;
        }
        n
    } }
    twin! { fn f(a: u32, b: u32) -> u32 {
        let s: u32 = (0..a % 9).map(|i| { if i == 3 { return 100; } (0..i).filter(|j| { if *j == 1 { return true; } (i ^ j) % 3 == b % 3 }).sum::<u32>() }).sum();
        for i in (0..b % 9).map(|i| i * 2) { if i == 8 { return s ^ i; } }
        s
    } }
    twin! { fn f(a: u32) -> u32 { [(); 3].iter().count() as u32 + [0u32; 0].iter().sum::<u32>() + [a, 1].into_iter().rev().take(1).sum::<u32>() } }
}

#[test]
fn slices() {
    twin! { fn f(t: [u32; 4], k: u32) -> u32 { t.chunks((k % 5 + 1) as usize).fold(7u32, |n, c| n.wrapping_mul(31) ^ c.len() as u32 ^ c[c.len() - 1] ^ c[0] << 4) } }
    twin! { fn f(t: [u32; 4], k: u32) -> u32 { t.chunks_exact((k % 5 + 1) as usize).rev().fold(7u32, |n, c| n.wrapping_mul(31) ^ c.len() as u32 ^ c[c.len() - 1]) } }
    twin! { fn f(t: [u32; 4], k: u32) -> u32 { t.windows((k % 5 + 1) as usize).fold(7u32, |n, c| n.wrapping_mul(31) ^ c.len() as u32 ^ c[c.len() - 1]) } }
    twin! { fn f(t: [u32; 4]) -> [u32; 4] { let mut t = t; t.reverse(); t } }
    twin! { fn f(t: [u32; 4], k: u32) -> [u32; 4] { let mut t = t; t[..(k % 5) as usize].reverse(); t } }
    twin! { fn f(t: [u32; 4], k: u32) -> [u32; 4] { let mut t = t; t[(k % 5) as usize..].reverse(); t } }
    twin! { fn f(t: [u32; 4], k: u32) -> u32 { let s = &t[(k % 4) as usize..]; let r = &s[(k / 4) as usize % (s.len() + 1)..]; r.iter().fold(s[0], |n, x| n.wrapping_mul(31) ^ x) } }
    twin! { fn f(t: [u32; 4], k: u32) -> u32 { let s = &t[1..]; let r = &s[1..(k % 3 + 1) as usize]; r.iter().fold(r.len() as u32, |n, x| n.wrapping_mul(31) ^ x) } }
    twin! { fn f(t: [u32; 4], k: u32) -> u32 { let (a, b) = t.split_at((k % 5) as usize); a.iter().rev().chain(b).fold(a.len() as u32, |n, x| n.wrapping_mul(31) ^ x) } }
    twin! { fn f(t: [u32; 4], k: u32) -> u32 { match &t[..(k % 5) as usize] { [] => 1, [a] => a ^ 2, [a, b] => a ^ b << 1, [a, .., y, z] => a ^ y << 1 ^ z << 2 } } }
    twin! { fn f(t: [u32; 4], k: u32) -> u32 { match t[(k % 5) as usize..] { [a, b, ref rest @ ..] => rest.iter().fold(a ^ b << 1, |n, x| n.wrapping_mul(31) ^ x), [ref rest @ .., z] => z ^ rest.len() as u32, [] => 5 } } }
    twin! { fn f(t: [u32; 4]) -> u32 { let [a, middle @ .., z] = t; a ^ middle[0] << 1 ^ middle[1] << 2 ^ z << 3 } }
}
