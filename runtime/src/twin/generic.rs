//! Operators in generic device functions, where rustc does not know the type: integers wrap and trap as everywhere on the
//! host device, all other types keep the operator that their trait gives them.
//!
//! Each function gets the operator as a closure, so that rustc checks it against the bounds of the type parameters where
//! its author wrote it, and runs that closure unless the operands turn out to be integers.

use std::any::TypeId;
use std::fmt;
use std::iter::{Product, Sum};
use std::marker::PhantomData;
use std::mem::ManuallyDrop;

use glam::{IVec2, IVec3, IVec4, UVec2, UVec3, UVec4};
use gridwise_ir::descriptor::Site;

use super::ambient::Ambient;
use super::arithmetic::{self, DivisionSites, wrap_signed32, wrap32};
use super::launch::TrapSink as _;

/// The identity of a type, lifetimes aside.
fn id_of<T: ?Sized>() -> TypeId {
    trait Identify {
        fn id(&self) -> TypeId
        where
            Self: 'static;
    }
    impl<T: ?Sized> Identify for PhantomData<T> {
        fn id(&self) -> TypeId
        where
            Self: 'static,
        {
            TypeId::of::<Self>()
        }
    }
    let phantom = PhantomData::<T>;
    let erased: &dyn Identify = &phantom;
    // SAFETY: only the lifetime bound of the trait object changes; `id` reads nothing behind the reference, and a type
    // with lifetimes has the identity of its `'static` form, which no type compared with it here can be.
    let erased = unsafe { std::mem::transmute::<&dyn Identify, &(dyn Identify + 'static)>(erased) };
    erased.id()
}

/// Whether two types are one. `B` has no lifetimes in it.
#[inline]
fn same<A, B: 'static>() -> bool {
    id_of::<A>() == id_of::<B>()
}

/// A value under another name of its type.
///
/// # Safety
/// `A` and `B` are the same type.
#[inline]
unsafe fn cast<A, B>(value: A) -> B {
    let value = ManuallyDrop::new(value);
    // SAFETY: both are the same type, says the caller; the original is not dropped.
    unsafe { std::mem::transmute_copy::<ManuallyDrop<A>, B>(&value) }
}

/// An `Option` or a `Result`, for `unwrap` and `expect` of a value of which rustc alone knows which it is.
pub trait Unwrapped {
    /// The value that is wanted.
    type Value;
    /// The error, or nothing.
    type Other;

    /// The value, or what stands in its place.
    fn found(self) -> Result<Self::Value, Lacking<Self::Other>>;
}

impl<T> Unwrapped for Option<T> {
    type Value = T;
    type Other = ();

    #[inline]
    fn found(self) -> Result<T, Lacking<()>> {
        self.ok_or(Lacking { kind: "Option", variant: "a `None`", other: None })
    }
}

impl<T, E: fmt::Debug> Unwrapped for Result<T, E> {
    type Value = T;
    type Other = E;

    #[inline]
    fn found(self) -> Result<T, Lacking<E>> {
        self.map_err(|other| Lacking { kind: "Result", variant: "an `Err`", other: Some(other) })
    }
}

/// The error in the place of a value, if it has one, with Rust's words.
#[derive(Debug)]
pub struct Lacking<E> {
    kind: &'static str,
    variant: &'static str,
    other: Option<E>,
}

impl<E: fmt::Debug> Lacking<E> {
    /// The message of `unwrap`.
    pub fn unwrap(&self) -> impl fmt::Display {
        let Self { kind, variant, .. } = self;
        self.after(format!("called `{kind}::unwrap()` on {variant} value"))
    }

    /// The message of `expect`.
    pub fn expect(&self, message: &str) -> impl fmt::Display {
        self.after(message.to_owned())
    }

    fn after(&self, text: String) -> String {
        self.other.as_ref().map_or_else(|| text.clone(), |other| format!("{text}: {other:?}"))
    }
}

/// Returns the result of `$run` on the operands if they and the result have the types `$a`, `$b` and `$r`.
macro_rules! when {
    ($($a:ty, $b:ty => $r:ty: $left:ident, $right:ident, $run:expr;)+) => { $(
        if same::<(A, B, R), ($a, $b, $r)>() {
            // SAFETY: the types were just compared.
            let ($left, $right) = unsafe { (cast::<A, $a>($left), cast::<B, $b>($right)) };
            let result: $r = $run;
            // SAFETY: as above.
            return unsafe { cast::<$r, R>(result) };
        }
    )+ };
}

macro_rules! wrapping {
    ($($(#[$doc:meta])* $name:ident, $assign:ident: $method:ident;)+) => { $(
        $(#[$doc])*
        #[inline]
        pub fn $name<A, B, R>(a: A, b: B, native: impl FnOnce(A, B) -> R) -> R {
            when! {
                i32, i32 => i32: a, b, a.$method(b);
                u32, u32 => u32: a, b, a.$method(b);
                usize, usize => usize: a, b, wrap32(a.$method(b));
                i64, i64 => i64: a, b, a.$method(b);
                u64, u64 => u64: a, b, a.$method(b);
                i128, i128 => i128: a, b, a.$method(b);
                u128, u128 => u128: a, b, a.$method(b);
                i16, i16 => i16: a, b, a.$method(b);
                u16, u16 => u16: a, b, a.$method(b);
                i8, i8 => i8: a, b, a.$method(b);
                u8, u8 => u8: a, b, a.$method(b);
                isize, isize => isize: a, b, wrap_signed32(a.$method(b));
                IVec2, IVec2 => IVec2: a, b, a.$method(b);
                IVec3, IVec3 => IVec3: a, b, a.$method(b);
                IVec4, IVec4 => IVec4: a, b, a.$method(b);
                UVec2, UVec2 => UVec2: a, b, a.$method(b);
                UVec3, UVec3 => UVec3: a, b, a.$method(b);
                UVec4, UVec4 => UVec4: a, b, a.$method(b);
                IVec2, i32 => IVec2: a, b, a.$method(IVec2::splat(b));
                IVec3, i32 => IVec3: a, b, a.$method(IVec3::splat(b));
                IVec4, i32 => IVec4: a, b, a.$method(IVec4::splat(b));
                UVec2, u32 => UVec2: a, b, a.$method(UVec2::splat(b));
                UVec3, u32 => UVec3: a, b, a.$method(UVec3::splat(b));
                UVec4, u32 => UVec4: a, b, a.$method(UVec4::splat(b));
            }
            native(a, b)
        }

        $(#[$doc])*
        #[inline]
        pub fn $assign<A, B>(a: &mut A, b: B, native: impl FnOnce(&mut A, B)) {
            assign(a, b, |a, b| $name(a, b, |_, _| unreachable!("only called for integers")), native);
        }
    )+ };
}

wrapping! {
    /// `a + b`
    add, add_assign: wrapping_add;
    /// `a - b`
    sub, sub_assign: wrapping_sub;
    /// `a * b`
    mul, mul_assign: wrapping_mul;
}

/// Whether a type is an integer or a vector of integers, and `B` what the operators take beside it.
#[inline]
fn is_integer<A, B>() -> bool {
    same::<(A, B), (i32, i32)>()
        || same::<(A, B), (u32, u32)>()
        || same::<(A, B), (usize, usize)>()
        || same::<(A, B), (i64, i64)>()
        || same::<(A, B), (u64, u64)>()
        || same::<(A, B), (i128, i128)>()
        || same::<(A, B), (u128, u128)>()
        || same::<(A, B), (i16, i16)>()
        || same::<(A, B), (u16, u16)>()
        || same::<(A, B), (i8, i8)>()
        || same::<(A, B), (u8, u8)>()
        || same::<(A, B), (isize, isize)>()
        || same::<(A, B), (IVec2, IVec2)>()
        || same::<(A, B), (IVec3, IVec3)>()
        || same::<(A, B), (IVec4, IVec4)>()
        || same::<(A, B), (UVec2, UVec2)>()
        || same::<(A, B), (UVec3, UVec3)>()
        || same::<(A, B), (UVec4, UVec4)>()
        || same::<(A, B), (IVec2, i32)>()
        || same::<(A, B), (IVec3, i32)>()
        || same::<(A, B), (IVec4, i32)>()
        || same::<(A, B), (UVec2, u32)>()
        || same::<(A, B), (UVec3, u32)>()
        || same::<(A, B), (UVec4, u32)>()
}

/// `*a = run(*a, b)` for integers, else `native(a, b)`.
#[inline]
fn assign<A, B>(a: &mut A, b: B, run: impl FnOnce(A, B) -> A, native: impl FnOnce(&mut A, B)) {
    if is_integer::<A, B>() {
        // SAFETY: integers and their vectors are `Copy`, so the value may be read and overwritten.
        unsafe {
            let old = std::ptr::read(a);
            std::ptr::write(a, run(old, b));
        }
    } else {
        native(a, b);
    }
}

macro_rules! dividing {
    ($($(#[$doc:meta])* $name:ident, $assign:ident;)+) => { $(
        $(#[$doc])*
        #[inline]
        #[track_caller]
        pub fn $name<A, B, R>(sites: DivisionSites, a: A, b: B, native: impl FnOnce(A, B) -> R) -> R {
            when! {
                i32, i32 => i32: a, b, arithmetic::$name(Ambient, sites, a, b);
                u32, u32 => u32: a, b, arithmetic::$name(Ambient, sites, a, b);
                usize, usize => usize: a, b, arithmetic::$name(Ambient, sites, a, b);
                i64, i64 => i64: a, b, arithmetic::$name(Ambient, sites, a, b);
                u64, u64 => u64: a, b, arithmetic::$name(Ambient, sites, a, b);
                i128, i128 => i128: a, b, arithmetic::$name(Ambient, sites, a, b);
                u128, u128 => u128: a, b, arithmetic::$name(Ambient, sites, a, b);
                i16, i16 => i16: a, b, arithmetic::$name(Ambient, sites, a, b);
                u16, u16 => u16: a, b, arithmetic::$name(Ambient, sites, a, b);
                i8, i8 => i8: a, b, arithmetic::$name(Ambient, sites, a, b);
                u8, u8 => u8: a, b, arithmetic::$name(Ambient, sites, a, b);
                isize, isize => isize: a, b, arithmetic::$name(Ambient, sites, a, b);
                IVec2, IVec2 => IVec2: a, b, arithmetic::$name(Ambient, sites, a, b);
                IVec3, IVec3 => IVec3: a, b, arithmetic::$name(Ambient, sites, a, b);
                IVec4, IVec4 => IVec4: a, b, arithmetic::$name(Ambient, sites, a, b);
                UVec2, UVec2 => UVec2: a, b, arithmetic::$name(Ambient, sites, a, b);
                UVec3, UVec3 => UVec3: a, b, arithmetic::$name(Ambient, sites, a, b);
                UVec4, UVec4 => UVec4: a, b, arithmetic::$name(Ambient, sites, a, b);
                IVec2, i32 => IVec2: a, b, arithmetic::$name(Ambient, sites, a, IVec2::splat(b));
                IVec3, i32 => IVec3: a, b, arithmetic::$name(Ambient, sites, a, IVec3::splat(b));
                IVec4, i32 => IVec4: a, b, arithmetic::$name(Ambient, sites, a, IVec4::splat(b));
                UVec2, u32 => UVec2: a, b, arithmetic::$name(Ambient, sites, a, UVec2::splat(b));
                UVec3, u32 => UVec3: a, b, arithmetic::$name(Ambient, sites, a, UVec3::splat(b));
                UVec4, u32 => UVec4: a, b, arithmetic::$name(Ambient, sites, a, UVec4::splat(b));
            }
            native(a, b)
        }

        $(#[$doc])*
        #[inline]
        #[track_caller]
        pub fn $assign<A, B>(sites: DivisionSites, a: &mut A, b: B, native: impl FnOnce(&mut A, B)) {
            assign(a, b, |a, b| $name(sites, a, b, |_, _| unreachable!("only called for integers")), native);
        }
    )+ };
}

dividing! {
    /// `a / b`
    div, div_assign;
    /// `a % b`
    rem, rem_assign;
}

/// The amount of a shift, if it is an integer; its lower bits are what counts.
#[inline]
fn amount<B>(amount: &B) -> Option<u32> {
    macro_rules! from {
        ($($ty:ty)+) => { $(
            if same::<B, $ty>() {
                // SAFETY: the types were just compared.
                return Some(unsafe { std::ptr::from_ref(amount).cast::<$ty>().read() } as u32);
            }
        )+ };
    }
    from! { u32 i32 usize u64 i64 u128 i128 u16 i16 u8 i8 isize }
    None
}

macro_rules! shifted {
    ($a:ident, $by:ident, $method:ident: $($ty:ty)+) => { $(
        if same::<(A, R), ($ty, $ty)>() {
            // SAFETY: the types were just compared.
            unsafe { return cast::<$ty, R>(cast::<A, $ty>($a).$method($by)) };
        }
    )+ };
}

/// Vectors, by a number or lane by lane.
macro_rules! shifted_lanes {
    ($a:ident, $b:ident, $operator:tt: $($ty:ty, $signed:ty, $unsigned:ty;)+) => { $(
        if same::<(A, R), ($ty, $ty)>() {
            if let Some(by) = amount(&$b) {
                // SAFETY: the types were just compared.
                return unsafe { cast::<$ty, R>(cast::<A, $ty>($a) $operator (by & 31)) };
            }
            if same::<B, $signed>() {
                // SAFETY: the types were just compared.
                return unsafe { cast::<$ty, R>(cast::<A, $ty>($a) $operator (cast::<B, $signed>($b) & 31)) };
            }
            if same::<B, $unsigned>() {
                // SAFETY: the types were just compared.
                return unsafe { cast::<$ty, R>(cast::<A, $ty>($a) $operator (cast::<B, $unsigned>($b) & 31)) };
            }
        }
    )+ };
}

macro_rules! shifting {
    ($($(#[$doc:meta])* $name:ident, $assign:ident: $method:ident, $operator:tt;)+) => { $(
        $(#[$doc])*
        #[inline]
        pub fn $name<A, B, R>(a: A, b: B, native: impl FnOnce(A, B) -> R) -> R {
            shifted_lanes! { a, b, $operator:
                IVec2, IVec2, UVec2;
                IVec3, IVec3, UVec3;
                IVec4, IVec4, UVec4;
                UVec2, IVec2, UVec2;
                UVec3, IVec3, UVec3;
                UVec4, IVec4, UVec4;
            }
            let Some(by) = amount(&b) else { return native(a, b) };
            shifted! { a, by, $method: i32 u32 i64 u64 i128 u128 i16 u16 i8 u8 }
            if same::<(A, R), (usize, usize)>() {
                // SAFETY: the types were just compared.
                unsafe { return cast::<usize, R>((cast::<A, usize>(a) as u32).$method(by) as usize) };
            }
            if same::<(A, R), (isize, isize)>() {
                // SAFETY: the types were just compared.
                unsafe { return cast::<isize, R>((cast::<A, isize>(a) as i32).$method(by) as isize) };
            }
            native(a, b)
        }

        $(#[$doc])*
        #[inline]
        pub fn $assign<A: Copy, B>(a: &mut A, b: B, native: impl FnOnce(&mut A, B)) {
            let old = *a;
            *a = $name(old, b, |_, b| {
                native(a, b);
                *a
            });
        }
    )+ };
}

shifting! {
    /// `a << b`
    shl, shl_assign: wrapping_shl, <<;
    /// `a >> b`
    shr, shr_assign: wrapping_shr, >>;
}

/// The elements as values, if they are integers or references to them.
fn integers<S, I: Iterator>() -> Option<fn(I::Item) -> S> {
    if !is_integer::<S, S>() {
        return None;
    }
    if id_of::<I::Item>() == id_of::<S>() {
        // SAFETY: the types were just compared.
        return Some(|item| unsafe { cast::<I::Item, S>(item) });
    }
    if id_of::<I::Item>() == id_of::<&S>() {
        // SAFETY: the types were just compared, and integers are `Copy`.
        return Some(|item| unsafe { std::ptr::read(cast::<I::Item, &S>(item)) });
    }
    None
}

/// The sum of all elements.
#[inline]
pub fn sum<S: Sum<I::Item>, I: Iterator>(values: I) -> S {
    let Some(integer) = integers::<S, I>() else { return values.sum() };
    let total = values.map(integer).reduce(|a, b| add(a, b, |_, _| unreachable!("only called for integers")));
    total.unwrap_or_else(|| std::iter::empty::<I::Item>().sum())
}

/// The product of all elements.
#[inline]
pub fn product<S: Product<I::Item>, I: Iterator>(values: I) -> S {
    let Some(integer) = integers::<S, I>() else { return values.product() };
    let total = values.map(integer).reduce(|a, b| mul(a, b, |_, _| unreachable!("only called for integers")));
    total.unwrap_or_else(|| std::iter::empty::<I::Item>().product())
}

/// `-a`
#[inline]
pub fn neg<A, R>(a: A, native: impl FnOnce(A) -> R) -> R {
    negated(a, (), |a, ()| native(a))
}

#[inline]
fn negated<A, B, R>(a: A, b: B, native: impl FnOnce(A, B) -> R) -> R {
    when! {
        i32, () => i32: a, b, { let () = b; a.wrapping_neg() };
        i64, () => i64: a, b, { let () = b; a.wrapping_neg() };
        i16, () => i16: a, b, { let () = b; a.wrapping_neg() };
        i8, () => i8: a, b, { let () = b; a.wrapping_neg() };
        isize, () => isize: a, b, { let () = b; wrap_signed32(a.wrapping_neg()) };
        IVec2, () => IVec2: a, b, { let () = b; IVec2::ZERO.wrapping_sub(a) };
        IVec3, () => IVec3: a, b, { let () = b; IVec3::ZERO.wrapping_sub(a) };
        IVec4, () => IVec4: a, b, { let () = b; IVec4::ZERO.wrapping_sub(a) };
    }
    native(a, b)
}

/// `!a`
#[inline]
pub fn not<A, R>(a: A, native: impl FnOnce(A) -> R) -> R {
    inverted(a, (), |a, ()| native(a))
}

#[inline]
fn inverted<A, B, R>(a: A, b: B, native: impl FnOnce(A, B) -> R) -> R {
    when! { usize, () => usize: a, b, { let () = b; wrap32(!a) }; }
    native(a, b)
}

/// A result of a method of an unknown type: a value, or a reference that stands for one.
#[derive(Debug)]
pub struct Given<T>(pub T);

/// The value of a [`Given`] that holds no reference. Methods of the type itself come first.
pub trait GivenValue {
    /// The value's type.
    type Value;
    /// The value.
    fn value(self) -> Self::Value;
}

impl<T> GivenValue for Given<T> {
    type Value = T;

    fn value(self) -> T {
        self.0
    }
}

impl<T: Copy> Given<&T> {
    /// The value that the reference leads to.
    pub fn value(self) -> T {
        *self.0
    }
}

impl<T: Copy> Given<Option<&T>> {
    /// The value that the reference leads to.
    pub fn value(self) -> Option<T> {
        self.0.copied()
    }
}

impl<T: Copy, E> Given<Result<&T, E>> {
    /// The value that the reference leads to.
    pub fn value(self) -> Result<T, E> {
        self.0.copied()
    }
}

/// `&elements[index]`: out of range, a trap and a reference to the first element.
///
/// # Panics
/// Out of range of an empty array, which has no first element.
#[inline]
#[track_caller]
pub fn element_ref<'a, T>(site: &'static Site, elements: &'a [T], index: usize) -> &'a T {
    elements.get(index).unwrap_or_else(|| {
        Ambient.trap(site, [index as u32, elements.len() as u32]);
        &elements[0]
    })
}

/// `&mut elements[index]`: out of range, a trap and a reference to the first element.
///
/// # Panics
/// Out of range of an empty array, which has no first element.
#[inline]
#[track_caller]
pub fn element_mut<'a, T>(site: &'static Site, elements: &'a mut [T], index: usize) -> &'a mut T {
    if index < elements.len() {
        return &mut elements[index];
    }
    Ambient.trap(site, [index as u32, elements.len() as u32]);
    &mut elements[0]
}

/// `elements[index]`: out of range, a trap and the first element.
///
/// # Panics
/// Out of range of an empty array, which has no first element.
#[inline]
#[track_caller]
pub fn at<T: Copy>(site: &'static Site, elements: &[T], index: usize) -> T {
    elements.get(index).copied().unwrap_or_else(|| {
        Ambient.trap(site, [index as u32, elements.len() as u32]);
        elements[0]
    })
}
