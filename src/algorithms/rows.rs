//! Reductions of rows, which are parts of a list, by tiles with the same number of ends of rows and elements together (Merrill, Garland,
//! Merge-Based Parallel Sparse Matrix-Vector Multiplication): products of sparse matrices and reductions of segments, where workgroups may
//! wait for each other.

use super::chained::{
    Chain, before_f32, before_i32, before_u32, bits_of_f32, bits_of_i32, bits_of_u32, from_bits_f32, from_bits_i32,
    from_bits_u32, take_tile,
};
use super::lines::{self, WIDTH, item};
use super::segments::{
    MAX, MIN, SUM, after_f32, after_i32, after_u32, combined_f32, combined_i32, combined_u32, neutral_f32, neutral_i32,
    neutral_u32, row_f32, row_i32, row_u32,
};
use super::stages::Stages;
use super::{SparseRows, sealed};
use crate::prelude::*;
use crate::{Plain, Result};

/// Ends of rows and elements of an invocation: an odd number, so that neighbours read from different banks.
#[device]
const RUN: u32 = 7;
/// The same of a tile.
#[device]
const TILE: u32 = WIDTH * RUN;

/// How many rows end among the first `count` ends of rows and elements. The end of row `r` is `ends[r + skipped]`, and stands behind its
/// elements.
#[device]
fn rows_of_first(ends: &[u32], skipped: u32, elements: u32, count: u32) -> u32 {
    let mut low = count.saturating_sub(elements);
    let mut high = count.min((ends.len() as u32).saturating_sub(skipped));
    while low < high {
        let middle = low + (high - low) / 2;
        let at = middle + skipped;
        let end = if at < ends.len() as u32 { ends[at] } else { 0 };
        if end.saturating_add(middle) < count {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// How many of a tile's rows end among its first `count` ends of rows and elements.
#[device]
fn rows_before(cells: &[u32], rows: u32, elements: u32, count: u32) -> u32 {
    let mut low = count.saturating_sub(elements);
    let mut high = count.min(rows);
    while low < high {
        let middle = (low + high) / 2;
        let end = if middle < cells.len() as u32 { cells[middle] } else { 0 };
        if end.saturating_add(middle) < count {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// How many rows end before each tile: searched for all tiles at once, since each step waits for memory.
#[kernel(workgroup = WIDTH)]
pub(super) fn split_rows(skipped: u32, elements: u32, ends: &[u32], splits: &mut [u32]) {
    let i = item();
    if i < splits.len() as u32 {
        let all = (ends.len() as u32).saturating_sub(skipped).saturating_add(elements);
        splits[i] = rows_of_first(ends, skipped, elements, i.saturating_mul(TILE).min(all));
    }
}

/// Appends finding the tiles of rows that end at `ends`, from number `skipped` on; gives how many rows end before each.
fn split(
    stages: &mut Stages,
    ends: &Tensor<u32>,
    skipped: usize,
    elements: usize,
) -> Result<Option<(Chain, Tensor<u32>)>> {
    if elements == 0 {
        return Ok(None);
    }
    let (mgr, all) = (&ends.manager(), ends.len() - skipped + elements);
    let count = all.div_ceil(TILE as usize);
    // Rows and elements are counted together.
    let Some(chain) = Chain::of_tiles(stages, mgr, count, all)? else { return Ok(None) };
    let mut splits = mgr.tensor_of_len::<u32>(count + 1)?;
    stages.launch::<SplitRows>(lines::items(count + 1), |args| {
        args.value(skipped as u32).value(elements as u32).read(ends).write(&mut splits)
    });
    Ok(Some((chain, splits)))
}

/// The kernels for a type of elements, whose tiles get an element by one expression, and give the result of a row by another.
macro_rules! rows {
    (
        $name:ident [$($generics:tt)*], $op:expr, $ty:ident, ($($param:ident: $of:ty),* $(,)?),
        ends $ends:ident $skipped:expr, elements $elements:expr,
        before |$n:ident| $ahead:expr, element |$i:ident, $found:ident| $element:expr, is_beyond |$that:ident| $is_beyond:expr,
        result |$r:ident, $result:ident| $give:block,
        $neutral:ident $combined:ident $after:ident $row:ident $before:ident $bits_of:ident $from:ident
    ) => {
        /// The results of the rows that end in a tile, and what the tile has of the row that goes on.
        #[kernel(workgroup = WIDTH, fast_math(contract))]
        pub fn $name $($generics)*(
            tiles: u32,
            splits: &[u32],
            states: &[Atomic<u64>],
            $($param: $of,)*
        ) {
            // Ends of rows, and the bits of elements behind them.
            let cells = Shared::<[u32; 1792]>::new();
            let group_tails = Shared::<[$ty; 256]>::new();
            let group_marks = Shared::<[u32; 256]>::new();
            let number = Shared::<[u32; 1]>::new();
            let start_value = Shared::<[$ty; 1]>::new();
            let (local, lane) = (local_id().x, subgroup_local_id());
            let (elements, rows) = ($elements, ($ends.len() as u32).saturating_sub($skipped));
            if elements == 0 {
                return;
            }
            let tile = take_tile(states, &mut number[..]);
            let first = tile.saturating_mul(TILE).min(rows + elements);
            let count = TILE.min(rows + elements - first);
            let first_row = if tile < splits.len() as u32 { splits[tile] } else { 0 };
            let behind = if tile + 1 < splits.len() as u32 { splits[tile + 1] } else { first_row };
            // Ends that do not ascend give anything.
            let row_count = behind.saturating_sub(first_row).min(count);
            let element_count = count - row_count;
            let first_element = first.wrapping_sub(first_row);
            let mut loaded = [$neutral($op); 7];
            let mut ahead = [0; 7];
            let mut is_beyond = false;
            // The places of elements are asked for at once, then all elements.
            #[unroll]
            for k in 0..RUN {
                let $n = first_element.wrapping_add(k * WIDTH + local);
                if k * WIDTH + local < element_count && $n < elements {
                    ahead[k] = $ahead;
                }
            }
            #[unroll]
            for k in 0..RUN {
                let $i = first_element.wrapping_add(k * WIDTH + local);
                if k * WIDTH + local < element_count && $i < elements {
                    let $found = ahead[k];
                    loaded[k] = $element;
                    let $that = ahead[k];
                    is_beyond |= $is_beyond;
                }
            }
            #[unroll]
            for k in 0..RUN {
                let at = k * WIDTH + local;
                let place = first_row.wrapping_add(at).wrapping_add($skipped);
                if at < row_count && place < $ends.len() as u32 {
                    let end = $ends[place];
                    is_beyond |= end > elements;
                    cells[at] = end.saturating_sub(first_element);
                }
            }
            #[unroll]
            for k in 0..RUN {
                let at = k * WIDTH + local;
                if at < element_count {
                    // SAFETY: elements have cells of their own behind those of ends.
                    unsafe { cells.unordered()[(row_count + at).min(TILE - 1)] = $bits_of(loaded[k]) };
                }
            }
            barrier();
            let start = (local * RUN).min(count);
            let mut row = rows_before(&cells[..], row_count, element_count, start);
            let mut element = start - row;
            let mut sum = $neutral($op);
            let mut own_row = 0;
            let mut own_sum = sum;
            let mut is_marked = false;
            let mut end = if row < row_count { cells[row.min(TILE - 1)] } else { u32::MAX };
            if end.saturating_sub(element) >= RUN && element.saturating_add(RUN) <= element_count {
                // In long rows, most invocations see no end.
                #[unroll]
                for k in 0..RUN {
                    sum = $combined($op, sum, $from(cells[(row_count + element + k).min(TILE - 1)]));
                }
            } else {
                for k in 0..RUN {
                    if local * RUN + k < count {
                        if element < element_count && element < end {
                            sum = $combined($op, sum, $from(cells[(row_count + element).min(TILE - 1)]));
                            element += 1;
                        } else {
                            if is_marked {
                                let ($r, $result) = (first_row.wrapping_add(row), sum);
                                $give
                            } else {
                                own_row = row;
                                own_sum = sum;
                                is_marked = true;
                            }
                            sum = $neutral($op);
                            row += 1;
                            end = if row < row_count { cells[row.min(TILE - 1)] } else { u32::MAX };
                        }
                    }
                }
            }
            // The first of the invocation's rows may have begun before it.
            let last = subgroup_size() - 1;
            let head = subgroup::inclusive_max(if is_marked { lane + 1 } else { 0 });
            let up_to = $row($op, head, sum);
            let group_tail = subgroup::shuffle(up_to, last);
            let group_mark = subgroup::shuffle(head, last);
            if subgroup::elect() {
                group_tails[subgroup_id()] = group_tail;
                group_marks[subgroup_id()] = group_mark;
            }
            barrier();
            if subgroup_id() == 0 {
                let mut all = ((group_marks[0] > 0) as u32, group_tails[0]);
                for slot in 1..num_subgroups() {
                    let is_behind = (group_marks[slot] > 0) as u32;
                    all = (all.0 | is_behind, $after($op, all.1, is_behind, group_tails[slot]));
                }
                let mut before = (0, $neutral($op));
                if tile < tiles {
                    before = $before($op, false, states, tiles, tile, all);
                }
                if lane == 0 {
                    // SAFETY: one lane of one subgroup writes.
                    unsafe { start_value.unordered()[0] = before.1 };
                }
            }
            barrier();
            let mut carry = start_value[0];
            for slot in 0..subgroup_id() {
                carry = $after($op, carry, group_marks[slot], group_tails[slot]);
            }
            let whole = $after($op, carry, head, up_to);
            let before = subgroup::shuffle_up(whole, 1);
            if is_marked {
                let flow = if lane == 0 { carry } else { before };
                let ($r, $result) = (first_row.wrapping_add(own_row), $combined($op, flow, own_sum));
                $give
            }
            assert!(!is_beyond, "a start or a column is beyond what is there");
        }
    };
}

/// The kernels of a type.
macro_rules! reductions {
    ($ty:ident, $name:ident $Name:ident, $($device:ident)*) => {
        rows!(
            $name[<const OP: u32>], OP, $ty, (starts: &[u32], x: &[$ty], results: &mut [$ty]),
            ends starts 0, elements (x.len() as u32), before |_i| 0, element |i, _unused| x[i], is_beyond |_that| false,
            result |row, result| {
                // The elements before the first segment are a row of their own, which nobody asked for.
                if row.wrapping_sub(1) < results.len() as u32 {
                    // SAFETY: a row ends in one place.
                    unsafe { results.unordered()[row.wrapping_sub(1)] = result };
                }
            },
            $($device)*
        );

        impl sealed::Rows for $ty {
            type ReduceRows<const OP: u32> = $Name<OP>;
        }
    };
}

reductions!(u32, reduce_rows_u32 ReduceRowsU32, neutral_u32 combined_u32 after_u32 row_u32 before_u32 bits_of_u32 from_bits_u32);
reductions!(i32, reduce_rows_i32 ReduceRowsI32, neutral_i32 combined_i32 after_i32 row_i32 before_i32 bits_of_i32 from_bits_i32);
reductions!(f32, reduce_rows_f32 ReduceRowsF32, neutral_f32 combined_f32 after_f32 row_f32 before_f32 bits_of_f32 from_bits_f32);

rows!(
    multiply_rows[], SUM, f32,
    (alpha: f32, beta: f32, starts: &[u32], columns: &[u32], values: &[f32], x: &[f32], y: &mut [f32]),
    ends starts 1, elements (columns.len() as u32).min(values.len() as u32).min(if x.len() > 0 { u32::MAX } else { 0 }),
    before |i| columns[i], element |i, column| values[i] * x[column.min(x.len() as u32 - 1)],
    is_beyond |column| column >= x.len() as u32,
    result |row, sum| {
        if row < y.len() as u32 {
            let product = alpha * sum;
            // SAFETY: a row ends in one place.
            unsafe { y.unordered()[row] = if beta == 0.0 { product } else { product + beta * y[row] } };
        }
    },
    neutral_f32 combined_f32 after_f32 row_f32 before_f32 bits_of_f32 from_bits_f32
);

/// Appends a reduction of segments; false where workgroups do not wait for each other.
pub(super) fn reduce<T: Plain + sealed::Rows>(
    stages: &mut Stages,
    op: u32,
    starts: &Tensor<u32>,
    x: &Tensor<T>,
    results: &mut Tensor<T>,
) -> Result<bool> {
    let Some((chain, splits)) = split(stages, starts, 0, x.len())? else { return Ok(false) };
    let states = chain.states()?;
    macro_rules! launch {
        ($op:ident) => {
            stages.launch::<T::ReduceRows<$op>>(chain.grid(), |args| {
                args.value(chain.tiles).read(&splits).read::<u64>(&states).read(starts).read(x).write(results)
            })
        };
    }
    match op {
        SUM => launch!(SUM),
        MIN => launch!(MIN),
        _ => launch!(MAX),
    }
    Ok(true)
}

/// Appends the product of a sparse matrix and a vector; false where workgroups do not wait for each other.
pub(super) fn multiply(
    stages: &mut Stages,
    matrix: &SparseRows<'_, f32>,
    [alpha, beta]: [f32; 2],
    x: &Tensor<f32>,
    y: &mut Tensor<f32>,
) -> Result<bool> {
    let SparseRows { starts, columns, values } = matrix;
    // Without a vector, all columns are beyond it.
    let elements = if x.is_empty() { 0 } else { columns.len() };
    let Some((chain, splits)) = split(stages, starts, 1, elements)? else { return Ok(false) };
    let states = chain.states()?;
    stages.launch::<MultiplyRows>(chain.grid(), |args| {
        let args = args.value(chain.tiles).read(&splits).read::<u64>(&states).value(alpha).value(beta);
        args.read(starts).read(columns).read(values).read(x).write(y)
    });
    Ok(true)
}
