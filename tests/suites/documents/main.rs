//! What the documents say is tested is tested, and what the runtime has is in the facade.

mod facade;
mod kompute;
mod language;
