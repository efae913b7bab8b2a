//! The types that the methods of `HostArgs` take out of a launch's arguments, by the methods' names: generated code
//! names a parameter's method, and with it the type. Holds nothing of its own.
#![allow(non_camel_case_types)]

use super::list::{ImageList, List, ListMut};
use super::slice::SliceMut;

/// Of `HostArgs::value`.
pub type value<'a, T> = T;
/// Of `HostArgs::value_bool`.
pub type value_bool<'a, T> = T;
/// Of `HostArgs::image`.
pub type image<'a, T> = T;
/// Of `HostArgs::images`.
pub type images<'a, T> = ImageList<'a, T>;
/// Of `HostArgs::slice`.
pub type slice<'a, T> = &'a [T];
/// Of `HostArgs::slice_mut`.
pub type slice_mut<'a, T> = SliceMut<'a, T>;
/// Of `HostArgs::list`.
pub type list<'a, T> = List<'a, T>;
/// Of `HostArgs::list_mut`.
pub type list_mut<'a, T> = ListMut<'a, T>;
