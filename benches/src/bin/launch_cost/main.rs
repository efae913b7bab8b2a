//! Launch.
fn main() {}
