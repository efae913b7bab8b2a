//! Tests of the IR's text format, verifier, builder and layout; passes and back end are tested elsewhere.

mod builder;
mod layout;
mod parse_errors;
mod robustness;
mod round_trip;
mod verify_data;
mod verify_text;
