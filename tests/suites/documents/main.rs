//! What the documents say is tested is tested.

mod kompute;
mod language;
