//! Equality of slices, element by element as on the device: a slice that others reach has no elements to lend. Must ask for as
//! many elements as Rust's library does, in its order.

/// Whether two slices are equal.
pub fn equal<T: PartialEq>(left: impl ExactSizeIterator<Item = T>, right: impl ExactSizeIterator<Item = T>) -> bool {
    left.len() == right.len() && left.zip(right).all(|(left, right)| left == right)
}

/// `slice::starts_with`
pub fn starts_with<T: PartialEq>(
    values: impl ExactSizeIterator<Item = T>,
    start: impl ExactSizeIterator<Item = T>,
) -> bool {
    values.len() >= start.len() && start.zip(values).all(|(start, value)| start == value)
}

/// `slice::ends_with`
pub fn ends_with<T: PartialEq>(
    values: impl ExactSizeIterator<Item = T>,
    end: impl ExactSizeIterator<Item = T>,
) -> bool {
    match values.len().checked_sub(end.len()) {
        Some(before) => end.zip(values.skip(before)).all(|(end, value)| end == value),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn are_what_slices_say() {
        let all = [1, 2, 1, 2, 2, 1_u32];
        for (start, end) in (0..=all.len()).flat_map(|end| (0..=end).map(move |start| (start, end))) {
            let part = &all[start..end];
            for other in [&all[..], &all[..4], &all[2..], &[]] {
                assert_eq!(equal(other.iter(), part.iter()), other == part);
                assert_eq!(starts_with(other.iter(), part.iter()), other.starts_with(part));
                assert_eq!(ends_with(other.iter(), part.iter()), other.ends_with(part));
            }
        }
    }
}
