//! The documents: the tests that they name exist, and the facade has each public type of the runtime.

mod facade;
mod kompute;
mod language;
