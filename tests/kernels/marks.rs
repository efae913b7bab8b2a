//! Types that are marked: `PhantomData` for units, states and choices; beside `impl`s that only the host needs. rustc compiles the program,
//! too.

#![allow(dead_code, clippy::all, clippy::pedantic, reason = "a program as people write it")]

use gridwise::prelude::*;

use super::{both, domain};
use crate::case::Case;

both!(units, plain_units, {
    use core::marker::PhantomData;
    use std::fmt::{self, Display, Formatter};
    use std::hash::{Hash, Hasher};
    use std::ops::{Add, Mul};
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
    struct Meters;
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
    struct Seconds;
    #[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
    struct Quantity<U> {
        value: f32,
        unit: PhantomData<U>,
    }
    impl<U> Quantity<U> {
        const ZERO: Self = Self { value: 0.0, unit: PhantomData };
        const fn new(value: f32) -> Self {
            Quantity { value, unit: PhantomData }
        }
    }
    impl<U> Add for Quantity<U> {
        type Output = Self;
        fn add(self, o: Self) -> Self {
            Self::new(self.value + o.value)
        }
    }
    impl<U> Mul<f32> for Quantity<U> {
        type Output = Self;
        fn mul(self, k: f32) -> Self {
            Self { value: self.value * k, ..self }
        }
    }
    impl<U> Display for Quantity<U> {
        fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
            write!(f, "{}", self.value)
        }
    }
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    enum Error {
        Empty,
        Far(u32),
    }
    impl fmt::Display for Error {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            match self {
                Error::Empty => f.write_str("empty"),
                Error::Far(n) => write!(f, "{n} away"),
            }
        }
    }
    impl std::error::Error for Error {}
    struct Name(pub u32);
    impl Hash for Name {
        fn hash<H: Hasher>(&self, state: &mut H) {
            state.write_u32(self.0)
        }
    }
    impl std::str::FromStr for Name {
        type Err = Error;
        fn from_str(s: &str) -> Result<Self, Error> {
            s.parse().map(Name).map_err(|_| Error::Empty)
        }
    }
    trait State {}
    struct Open;
    struct Closed;
    impl State for Open {}
    impl State for Closed {}
    struct Door<S: State> {
        knocks: u32,
        _state: PhantomData<S>,
    }
    impl Door<Closed> {
        fn new() -> Self {
            Door { knocks: 0, _state: PhantomData }
        }
        fn knock(mut self) -> Self {
            self.knocks += 1;
            self
        }
        fn open(self) -> Door<Open> {
            Door { knocks: self.knocks, _state: PhantomData }
        }
    }
    impl Door<Open> {
        fn enter(self) -> u32 {
            self.knocks
        }
    }
    trait Activation {
        fn apply(x: f32) -> f32;
    }
    struct Relu;
    impl Activation for Relu {
        fn apply(x: f32) -> f32 {
            x.max(0.0)
        }
    }
    struct Half;
    impl Activation for Half {
        fn apply(x: f32) -> f32 {
            x * 0.5
        }
    }
    struct Layer<A, const N: usize>([f32; N], std::marker::PhantomData<A>);
    impl<A: Activation, const N: usize> Layer<A, N> {
        fn forward(&self, x: f32) -> [f32; N] {
            self.0.map(|w| A::apply(w * x))
        }
    }
    fn near(n: u32) -> Result<u32, Error> {
        match n % 5 {
            0 => Err(Error::Empty),
            k if k > 3 => Err(Error::Far(k)),
            k => Ok(k),
        }
    }
    pub(super) fn units(i: u32, x: &[u32]) -> u32 {
        let a = Quantity::<Meters>::new(i as f32) + Quantity::new(1.5) * 2.0;
        let b: Quantity<Seconds> = Quantity::ZERO + Quantity { value: 3.0, ..Default::default() };
        let larger = a > Quantity::new(4.0);
        let door = (0..x[i as usize] % 4).fold(Door::new(), |d, _| d.knock());
        let l = Layer::<Relu, 3>([1.0, -2.0, 3.0], PhantomData);
        let h: Layer<Half, 2> = Layer([0.5, -4.0], PhantomData);
        let n = match near(x[i as usize]) {
            Ok(n) => n,
            Err(Error::Empty) => 100,
            Err(Error::Far(n)) => n * 7,
        };
        let sum: f32 = l.forward(a.value).iter().sum::<f32>() + h.forward(b.value).iter().sum::<f32>();
        sum.to_bits() ^ larger as u32 ^ door.open().enter() << 8 ^ n << 3 ^ Name(5).0
    }
});

domain!("marks", {
    units, Units, plain_units;
});
