//! The documents: the tests that they name exist; the facade has each public type of the runtime; the floors of the runtime hold.

mod facade;
mod floors;
mod kompute;
mod language;
