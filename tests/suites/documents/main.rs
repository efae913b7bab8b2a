//! The documents: the tests that they name exist; the facade has each public type of the runtime; the floors of the runtime hold;
//! each fault of a driver is avoided and tested; each error is in the table.

mod errors;
mod facade;
mod faults;
mod floors;
mod kompute;
mod language;
