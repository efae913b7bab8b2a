//! The suites of gridwise.
