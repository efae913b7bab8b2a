//! Spans of `tracing` around what takes the host's time; nothing at all without the feature `tracing`. A subscriber is user code:
//! no span begins or ends under a lock that it could need.

/// A span until the end of the block.
macro_rules! span {
    ($name:literal $(, $field:ident = $value:expr)* $(,)?) => {
        #[cfg(feature = "tracing")]
        let _span = tracing::debug_span!(target: "gridwise", $name $(, $field = $value)*).entered();
    };
}

pub(crate) use span;
