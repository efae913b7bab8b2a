//! Programs about models and signals: filters, paths, factors of matrices. rustc compiles each of them, too.

#![allow(dead_code, clippy::all, reason = "programs as people write them, of which not every function is called")]

use gridwise::prelude::*;

use super::{both, domain};
use crate::case::Case;

both!(kalman, plain_kalman, {
    use core::ops::{Add, Index, IndexMut, Mul, Neg, Sub};

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(super) struct Mat<const R: usize, const C: usize>([[f32; C]; R]);

    impl<const R: usize, const C: usize> Mat<R, C> {
        pub(super) const ZERO: Self = Self([[0.0; C]; R]);

        pub(super) fn transpose(&self) -> Mat<C, R> {
            Mat(core::array::from_fn(|i| core::array::from_fn(|j| self.0[j][i])))
        }
    }

    impl<const N: usize> Mat<N, N> {
        pub(super) fn identity() -> Self {
            let mut m = Self::ZERO;
            for i in 0..N {
                m[(i, i)] = 1.0;
            }
            m
        }

        pub(super) fn trace(&self) -> f32 {
            self.0.iter().enumerate().map(|(i, row)| row[i]).sum()
        }
    }

    impl<const R: usize, const C: usize> Index<(usize, usize)> for Mat<R, C> {
        type Output = f32;
        fn index(&self, (r, c): (usize, usize)) -> &f32 {
            &self.0[r][c]
        }
    }

    impl<const R: usize, const C: usize> IndexMut<(usize, usize)> for Mat<R, C> {
        fn index_mut(&mut self, (r, c): (usize, usize)) -> &mut f32 {
            &mut self.0[r][c]
        }
    }

    impl<const R: usize, const K: usize, const C: usize> Mul<Mat<K, C>> for Mat<R, K> {
        type Output = Mat<R, C>;
        fn mul(self, rhs: Mat<K, C>) -> Mat<R, C> {
            let mut out = Mat::ZERO;
            for r in 0..R {
                for c in 0..C {
                    out[(r, c)] = (0..K).map(|k| self[(r, k)] * rhs[(k, c)]).sum();
                }
            }
            out
        }
    }

    impl<const R: usize, const C: usize> Add for Mat<R, C> {
        type Output = Self;
        fn add(mut self, rhs: Self) -> Self {
            for (a, b) in self.0.iter_mut().zip(rhs.0.iter()) {
                for (a, b) in a.iter_mut().zip(b) {
                    *a += b;
                }
            }
            self
        }
    }

    impl<const R: usize, const C: usize> Neg for Mat<R, C> {
        type Output = Self;
        fn neg(self) -> Self {
            Mat(self.0.map(|row| row.map(|v| -v)))
        }
    }

    impl<const R: usize, const C: usize> Sub for Mat<R, C> {
        type Output = Self;
        fn sub(self, rhs: Self) -> Self {
            self + -rhs
        }
    }

    pub(super) struct Filter<const N: usize, const M: usize> {
        pub(super) x: Mat<N, 1>,
        pub(super) p: Mat<N, N>,
        pub(super) f: Mat<N, N>,
        pub(super) h: Mat<M, N>,
        pub(super) q: f32,
        pub(super) r: f32,
    }

    impl<const N: usize> Filter<N, 1> {
        pub(super) fn predict(&mut self) {
            self.x = self.f * self.x;
            self.p = self.f * self.p * self.f.transpose();
            for i in 0..N {
                self.p[(i, i)] += self.q;
            }
        }

        pub(super) fn update(&mut self, z: f32) {
            let ht = self.h.transpose();
            let s = (self.h * self.p * ht)[(0, 0)] + self.r;
            let gain = Mat((self.p * ht).0.map(|[v]| [v / s]));
            let innovation = z - (self.h * self.x)[(0, 0)];
            self.x = self.x + Mat(gain.0.map(|[k]| [k * innovation]));
            self.p = (Mat::identity() - gain * self.h) * self.p;
        }
    }

    pub(super) fn kalman(i: u32, x: &[u32]) -> u32 {
        let dt = 0.5;
        let mut filter = Filter {
            x: Mat([[0.0], [1.0]]),
            p: Mat::identity(),
            f: Mat([[1.0, dt], [0.0, 1.0]]),
            h: Mat([[1.0, 0.0]]),
            q: 0.25,
            r: 1.0,
        };
        for k in 0..4 {
            let z = (x[(i as usize + k) % x.len()] & 15) as f32;
            filter.predict();
            filter.update(z);
        }
        let Mat([[pos], [speed]]) = filter.x;
        let q = |v: f32| (v * 64.0).round() as i32 as u32;
        q(pos) ^ q(speed) << 12 ^ q(filter.p.trace()) << 24
    }
});

both!(resample, plain_resample, {
    /// Fixed-point Q15.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default, gridwise::prelude::GpuData)]
    #[repr(C)]
    pub(super) struct Q15(i16);

    impl Q15 {
        pub(super) const ONE: Self = Self(i16::MAX);
        pub(super) const fn from_f32(v: f32) -> Self {
            Self((v * 32768.0) as i16)
        }
    }

    impl core::ops::Mul for Q15 {
        type Output = i32;
        fn mul(self, rhs: Self) -> i32 {
            i32::from(self.0) * i32::from(rhs.0)
        }
    }

    pub(super) struct Polyphase<const PHASES: usize, const TAPS: usize> {
        bank: [[Q15; TAPS]; PHASES],
    }

    impl<const PHASES: usize, const TAPS: usize> Polyphase<PHASES, TAPS> {
        pub(super) const fn triangle() -> Self {
            let mut bank = [[Q15(0); TAPS]; PHASES];
            let mut p = 0;
            while p < PHASES {
                let mut t = 0;
                while t < TAPS {
                    let pos = t * PHASES + p;
                    let half = TAPS * PHASES / 2;
                    let height = if pos < half { pos } else { TAPS * PHASES - pos };
                    bank[p][t] = Q15((height * 4000 / half) as i16);
                    t += 1;
                }
                p += 1;
            }
            Self { bank }
        }

        pub(super) fn apply(&self, input: &[Q15], phase: usize) -> Q15 {
            let acc = (0..TAPS).zip(input.iter().rev()).map(|(k, &s)| self.bank[phase][k] * s).sum::<i32>();
            Q15((acc >> 15).clamp(i16::MIN.into(), i16::MAX.into()) as i16)
        }
    }

    pub(super) struct Resampler<const L: usize> {
        phase: usize,
        step: usize,
    }

    impl<const L: usize> Resampler<L> {
        pub(super) fn advance(&mut self) -> usize {
            self.phase += self.step;
            let skip = self.phase / L;
            self.phase %= L;
            skip
        }
    }

    pub(super) fn resample(i: u32, x: &[u32]) -> u32 {
        let signal: [Q15; 20] = core::array::from_fn(|k| Q15(x[(i as usize + k) % x.len()] as i16));
        let bank = Polyphase::<4, 6>::triangle();
        let mut r = Resampler::<4> { phase: i as usize % 4, step: 3 };
        let mut at = 0;
        let mut out = [Q15::default(); 12];
        let mut n = 0;
        for slot in out.iter_mut() {
            let Some(window) = signal.get(at..at + 6) else { break };
            *slot = bank.apply(window, r.phase);
            at += r.advance();
            n += 1;
        }
        let (head, tail) = out[..n].split_at(n / 2);
        let peak = head.iter().chain(tail).copied().max().unwrap_or(Q15::ONE);
        let energy: u32 = out.iter().map(|s| s.0.unsigned_abs() as u32).sum();
        energy ^ (peak.0 as u16 as u32) << 16 ^ n as u32
    }
});

both!(svg, plain_svg, {
    use core::ops::{Add, Mul, Sub};

    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub(super) struct Point {
        pub(super) x: f32,
        pub(super) y: f32,
    }

    impl Point {
        const ORIGIN: Point = Point { x: 0.0, y: 0.0 };
        fn lerp(self, other: Self, t: f32) -> Self {
            self + (other - self) * t
        }
        fn cross(self, o: Self) -> f32 {
            self.x * o.y - self.y * o.x
        }
    }
    impl Add for Point {
        type Output = Self;
        fn add(self, o: Self) -> Self {
            Self { x: self.x + o.x, y: self.y + o.y }
        }
    }
    impl Sub for Point {
        type Output = Self;
        fn sub(self, o: Self) -> Self {
            Self { x: self.x - o.x, y: self.y - o.y }
        }
    }
    impl Mul<f32> for Point {
        type Output = Self;
        fn mul(self, k: f32) -> Self {
            Self { x: self.x * k, y: self.y * k }
        }
    }
    impl From<[u8; 2]> for Point {
        fn from([x, y]: [u8; 2]) -> Self {
            Self { x: x.into(), y: y.into() }
        }
    }

    #[derive(Clone, Copy)]
    pub(super) enum Command {
        MoveTo(Point),
        LineTo(Point),
        QuadTo { ctrl: Point, to: Point },
        CubicTo { ctrl: [Point; 2], to: Point },
        Close,
    }

    pub(super) trait Sink {
        fn line(&mut self, from: Point, to: Point);
        fn done(&self) -> u32;
    }

    #[derive(Default)]
    pub(super) struct Area {
        twice: f32,
        lines: u32,
    }
    impl Sink for Area {
        fn line(&mut self, from: Point, to: Point) {
            self.twice += from.cross(to);
            self.lines += 1;
        }
        fn done(&self) -> u32 {
            (self.twice.abs() * 8.0) as u32 ^ self.lines << 24
        }
    }

    pub(super) struct Bounds {
        min: Point,
        max: Point,
    }
    impl Default for Bounds {
        fn default() -> Self {
            Bounds {
                min: Point { x: f32::INFINITY, y: f32::INFINITY },
                max: Point { x: f32::NEG_INFINITY, y: f32::NEG_INFINITY },
            }
        }
    }
    impl Sink for Bounds {
        fn line(&mut self, from: Point, to: Point) {
            for p in [from, to] {
                self.min = Point { x: self.min.x.min(p.x), y: self.min.y.min(p.y) };
                self.max = Point { x: self.max.x.max(p.x), y: self.max.y.max(p.y) };
            }
        }
        fn done(&self) -> u32 {
            let Point { x: w, y: h } = self.max - self.min;
            (w * 4.0) as u32 ^ ((h * 4.0) as u32) << 12
        }
    }

    fn flatten<S: Sink, const N: usize>(path: &[Command; N], len: usize, sink: &mut S) {
        let mut start = Point::ORIGIN;
        let mut at = start;
        for &cmd in path.iter().take(len) {
            match cmd {
                Command::MoveTo(p) => (start, at) = (p, p),
                Command::LineTo(p) => {
                    sink.line(at, p);
                    at = p;
                }
                Command::QuadTo { ctrl, to } => {
                    let from = at;
                    (1..=4).map(|k| k as f32 / 4.0).map(|t| from.lerp(ctrl, t).lerp(ctrl.lerp(to, t), t)).for_each(
                        |p| {
                            sink.line(at, p);
                            at = p;
                        },
                    );
                }
                Command::CubicTo { ctrl: [a, b], to } => {
                    let from = at;
                    for k in 1..=8u8 {
                        let t = f32::from(k) * 0.125;
                        let (ab, bc, cd) = (from.lerp(a, t), a.lerp(b, t), b.lerp(to, t));
                        let p = ab.lerp(bc, t).lerp(bc.lerp(cd, t), t);
                        sink.line(core::mem::replace(&mut at, p), p);
                    }
                }
                Command::Close if at != start => {
                    sink.line(at, start);
                    at = start;
                }
                Command::Close => {}
            }
        }
    }

    pub(super) fn svg(i: u32, x: &[u32]) -> u32 {
        let at = |k: usize| -> Point {
            let v = x[(i as usize + k) % x.len()];
            Point::from([v as u8 & 63, (v >> 3) as u8 & 63])
        };
        let path = [
            Command::MoveTo(at(0)),
            Command::LineTo(at(1)),
            Command::QuadTo { ctrl: at(2), to: at(3) },
            Command::CubicTo { ctrl: [at(4), at(5)], to: at(6) },
            Command::Close,
            Command::Close,
        ];
        let mut area = Area::default();
        flatten(&path, 6, &mut area);
        let mut bounds = Bounds::default();
        flatten(&path, 4, &mut bounds);
        area.done() ^ bounds.done()
    }
});

both!(qr, plain_qr, {
    #[derive(Clone, Copy, Debug)]
    pub(super) struct Matrix<const M: usize, const N: usize> {
        cols: [[f32; M]; N],
    }

    fn dot<const M: usize>(a: &[f32; M], b: &[f32; M]) -> f32 {
        a.iter().zip(b).map(|(x, y)| x * y).sum()
    }

    fn norm<const M: usize>(a: &[f32; M]) -> f32 {
        dot(a, a).sqrt()
    }

    fn axpy<const M: usize>(y: &mut [f32; M], a: f32, x: &[f32; M]) {
        y.iter_mut().zip(x).for_each(|(y, x)| *y += a * x);
    }

    pub(super) struct Qr<const M: usize, const N: usize> {
        q: Matrix<M, N>,
        r: [[f32; N]; N],
    }

    impl<const M: usize, const N: usize> Matrix<M, N> {
        /// Modified Gram-Schmidt.
        pub(super) fn qr(mut self) -> Option<Qr<M, N>> {
            let mut r = [[0.0; N]; N];
            for j in 0..N {
                let len = norm(&self.cols[j]);
                if len < 1e-6 {
                    return None;
                }
                r[j][j] = len;
                for v in &mut self.cols[j] {
                    *v /= len;
                }
                let q = self.cols[j];
                for (k, col) in self.cols.iter_mut().enumerate().skip(j + 1) {
                    r[j][k] = dot(&q, col);
                    axpy(col, -r[j][k], &q);
                }
            }
            Some(Qr { q: self, r })
        }
    }

    impl<const M: usize, const N: usize> Qr<M, N> {
        pub(super) fn solve(&self, b: &[f32; M]) -> [f32; N] {
            let mut x: [f32; N] = core::array::from_fn(|j| dot(&self.q.cols[j], b));
            for j in (0..N).rev() {
                for k in j + 1..N {
                    x[j] -= self.r[j][k] * x[k];
                }
                x[j] /= self.r[j][j];
            }
            x
        }
    }

    pub(super) fn qr(i: u32, x: &[u32]) -> u32 {
        let entry = |k: usize| (x[(i as usize + k) % x.len()] & 15) as f32 - 4.0;
        let mut m = Matrix::<4, 3> { cols: [[0.0; 4]; 3] };
        for (j, col) in m.cols.iter_mut().enumerate() {
            for (k, v) in col.iter_mut().enumerate() {
                *v = entry(j * 4 + k) + if j == k { 20.0 } else { 0.0 };
            }
        }
        match m.qr().map(|qr| qr.solve(&[1.0, 2.0, 3.0, 4.0])) {
            Some([a, b, c]) => {
                let q = |v: f32| ((v + 1.0) * 512.0 + 0.5) as u32;
                q(a) | q(b) << 10 | q(c) << 20
            }
            None => u32::MAX,
        }
    }
});

both!(pid, plain_pid, {
    pub(super) trait Controller {
        type Input;
        fn update(&mut self, error: Self::Input, dt: f32) -> f32;
        fn reset(&mut self) {}
    }

    #[derive(Clone, Copy, Debug, Default)]
    pub(super) struct Pid {
        kp: f32,
        ki: f32,
        kd: f32,
        limit: Option<(f32, f32)>,
        integral: f32,
        last: Option<f32>,
    }

    impl Pid {
        #[must_use]
        pub(super) fn new(kp: f32) -> Self {
            Self { kp, ..Self::default() }
        }
        #[must_use]
        pub(super) fn with_ki(mut self, ki: f32) -> Self {
            self.ki = ki;
            self
        }
        #[must_use]
        pub(super) fn with_kd(self, kd: f32) -> Self {
            Self { kd, ..self }
        }
        #[must_use]
        pub(super) fn limited(mut self, range: core::ops::RangeInclusive<f32>) -> Self {
            self.limit = Some((*range.start(), *range.end()));
            self
        }
    }

    impl Controller for Pid {
        type Input = f32;
        fn update(&mut self, error: f32, dt: f32) -> f32 {
            self.integral += error * dt;
            let rate = match self.last.replace(error) {
                Some(last) => (error - last) / dt,
                None => 0.0,
            };
            let raw = self.kp * error + self.ki * self.integral + self.kd * rate;
            self.limit.map_or(raw, |(lo, hi)| raw.clamp(lo, hi))
        }
        fn reset(&mut self) {
            self.integral = 0.0;
            self.last = None;
        }
    }

    pub(super) struct Bang<const ON: i32>;
    impl<const ON: i32> Controller for Bang<ON> {
        type Input = f32;
        fn update(&mut self, error: f32, _dt: f32) -> f32 {
            if error.is_sign_positive() { ON as f32 } else { -ON as f32 }
        }
    }

    pub(super) struct Cascade<A, B>(A, B);
    impl<A, B> Controller for Cascade<A, B>
    where
        A: Controller<Input = f32>,
        B: Controller<Input = f32>,
    {
        type Input = (f32, f32);
        fn update(&mut self, (outer, inner): Self::Input, dt: f32) -> f32 {
            let target = self.0.update(outer, dt);
            self.1.update(target - inner, dt)
        }
        fn reset(&mut self) {
            self.0.reset();
            self.1.reset();
        }
    }

    fn simulate<C: Controller<Input = (f32, f32)>>(ctrl: &mut C, goal: f32, steps: usize) -> (f32, f32) {
        let (mut pos, mut vel) = (0.0f32, 0.0f32);
        for _ in 0..steps {
            let force = ctrl.update((goal - pos, vel), 0.25);
            vel += force * 0.25;
            pos += vel * 0.25;
        }
        (pos, vel)
    }

    pub(super) fn pid(i: u32, x: &[u32]) -> u32 {
        let goal = (x[i as usize] & 31) as f32 - 8.0;
        let mut cascade = Cascade(Pid::new(1.5).with_ki(0.25).limited(-4.0..=4.0), Pid::new(2.0).with_kd(0.125));
        let (pos, vel) = simulate(&mut cascade, goal, 8);
        cascade.reset();
        let again = simulate(&mut cascade, goal, 8);
        let mut bang = Cascade(Pid::new(1.0), Bang::<3>);
        let (p, _) = simulate(&mut bang, goal, 5);
        let q = |v: f32| (v * 32.0) as i32 as u32;
        q(pos) ^ q(vel) << 8 ^ q(p) << 16 ^ u32::from(again == (pos, vel)) << 31
    }
});

domain!("domains_models", {
    kalman, Kalman, plain_kalman;
    resample, Resample, plain_resample;
    svg, Svg, plain_svg;
    qr, Qr, plain_qr;
    pid, Pid, plain_pid;
});
