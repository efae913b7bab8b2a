//! What the documents say is tested is tested.

mod facade;
mod kompute;
mod language;
