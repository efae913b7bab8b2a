//! The search of slices that are in order, element by element as on the device: a slice that others reach has no elements to
//! lend. Must ask for the same elements as the compiled search, also where the slice is in no order.

use std::cmp::Ordering;

/// `slice::binary_search`
pub fn binary_search<T: Ord>(len: usize, at: impl Fn(usize) -> Option<T>, needle: T) -> Result<usize, usize> {
    binary_search_by(len, at, |element| element.cmp(&needle))
}

/// `slice::binary_search_by_key`
pub fn binary_search_by_key<T, K: Ord>(
    len: usize,
    at: impl Fn(usize) -> Option<T>,
    needle: K,
    mut key: impl FnMut(&T) -> K,
) -> Result<usize, usize> {
    binary_search_by(len, at, |element| key(element).cmp(&needle))
}

/// `slice::partition_point`
pub fn partition_point<T>(len: usize, at: impl Fn(usize) -> Option<T>, mut holds: impl FnMut(&T) -> bool) -> usize {
    let order = |element: &T| if holds(element) { Ordering::Less } else { Ordering::Greater };
    binary_search_by(len, at, order).unwrap_or_else(|position| position)
}

/// `slice::binary_search_by`
pub fn binary_search_by<T>(
    len: usize,
    at: impl Fn(usize) -> Option<T>,
    mut order: impl FnMut(&T) -> Ordering,
) -> Result<usize, usize> {
    let (mut base, mut size) = (0, len);
    loop {
        let half = size / 2;
        // Nothing is beyond the length.
        let Some(element) = at(base + half) else { return Err(base) };
        let found = order(&element);
        if half == 0 {
            return match found {
                Ordering::Less => Err(base + 1),
                Ordering::Equal => Ok(base),
                Ordering::Greater => Err(base),
            };
        }
        if found != Ordering::Greater {
            base += half;
        }
        size -= half;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_slices_find() {
        for len in 0..40_u32 {
            let values: Vec<u32> = (0..len).map(|v| v * 3 % 50 / 4 * 4).collect();
            let mut sorted = values.clone();
            sorted.sort();
            let at = |index: usize| sorted.get(index).copied();
            for needle in 0..60 {
                let found = binary_search(sorted.len(), at, needle);
                match found {
                    Ok(position) => assert_eq!(sorted[position], needle),
                    Err(_) => assert_eq!(found, sorted.binary_search(&needle)),
                }
                let point = partition_point(sorted.len(), at, |v| *v < needle);
                assert_eq!(point, sorted.partition_point(|v| *v < needle));
                let key = binary_search_by_key(sorted.len(), at, needle / 2, |v| v / 2);
                assert_eq!(key.is_ok(), sorted.binary_search_by_key(&(needle / 2), |v| v / 2).is_ok());
            }
        }
    }
}
