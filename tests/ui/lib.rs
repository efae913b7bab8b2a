//! Wrong kernels beside what rustc says of them, and right ones that compile without a warning.
