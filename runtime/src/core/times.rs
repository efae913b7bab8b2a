//! When the operations of a run ran.

use std::time::Duration;

/// Start and end of each operation, since the first start; `None` for those without steps.
pub(crate) type Times = Vec<Option<(Duration, Duration)>>;
