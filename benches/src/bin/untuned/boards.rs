//! Boards: squares that pieces of chess attack, puzzles of nine digits.

use gridwise::prelude::*;

use crate::data::words;
use crate::workload::Workload;

#[device]
mod chess {
    /// The pieces of a side, and the squares that are taken, a bit a square.
    #[derive(Clone, Copy)]
    pub(crate) struct Position {
        pub(crate) straight: u64,
        pub(crate) diagonal: u64,
        pub(crate) knights: u64,
        pub(crate) taken: u64,
    }

    const STRAIGHT: [(i32, i32); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
    const DIAGONAL: [(i32, i32); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];

    const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
    const NOT_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    const NOT_AB: u64 = 0xfcfc_fcfc_fcfc_fcfc;
    const NOT_GH: u64 = 0x3f3f_3f3f_3f3f_3f3f;

    impl Position {
        /// The squares that a sliding piece attacks.
        fn slides(&self, square: u32, directions: &[(i32, i32); 4]) -> u64 {
            let mut attacked = 0;
            for &(dx, dy) in directions {
                let (mut x, mut y) = (square as i32 % 8 + dx, square as i32 / 8 + dy);
                while (0..8).contains(&x) && (0..8).contains(&y) {
                    let bit = 1u64 << (8 * y + x);
                    attacked |= bit;
                    if self.taken & bit != 0 {
                        break;
                    }
                    x += dx;
                    y += dy;
                }
            }
            attacked
        }

        fn all_slides(&self, mut pieces: u64, directions: &[(i32, i32); 4]) -> u64 {
            let mut attacked = 0;
            while pieces != 0 {
                attacked |= self.slides(pieces.trailing_zeros(), directions);
                pieces &= pieces - 1;
            }
            attacked
        }

        /// The squares that the side attacks.
        pub(crate) fn attacked(&self) -> u64 {
            let k = self.knights;
            let knights = (k << 17 & NOT_A)
                | (k << 15 & NOT_H)
                | (k << 10 & NOT_AB)
                | (k << 6 & NOT_GH)
                | (k >> 17 & NOT_H)
                | (k >> 15 & NOT_A)
                | (k >> 10 & NOT_GH)
                | (k >> 6 & NOT_AB);
            knights | self.all_slides(self.straight, &STRAIGHT) | self.all_slides(self.diagonal, &DIAGONAL)
        }
    }
}

use chess::Position;

/// The squares that the pieces of each position attack, and how many of them are free.
#[kernel(workgroup = [128])]
fn attacks(positions: &[[u64; 4]], attacked: &mut [u64], free: &mut [u32]) {
    let i = global_id().x as usize;
    let Some(&[straight, diagonal, knights, taken]) = positions.get(i) else { return };
    let position = Position { straight, diagonal, knights, taken };
    let squares = position.attacked();
    attacked[i] = squares;
    free[i] = (squares & !taken).count_ones();
}

const ATTACKS: &str = r"
#ifdef __CUDACC__
#define FIRST(x) (uint(x) != 0u ? __ffs(uint(x)) - 1 : 31 + __ffs(uint((x) >> 32)))
#define ONES(x) (__popc(uint(x)) + __popc(uint((x) >> 32)))
#else
#define FIRST(x) (uint(x) != 0u ? findLSB(uint(x)) : 32 + findLSB(uint((x) >> 32)))
#define ONES(x) (bitCount(uint(x)) + bitCount(uint((x) >> 32)))
#endif
TABLE int DX[8] = { 1, -1, 0, 0, 1, 1, -1, -1 };
TABLE int DY[8] = { 0, 0, 1, -1, 1, -1, 1, -1 };
DEVICE uint64_t slides(uint64_t pieces, uint64_t taken, int first) {
    uint64_t attacks = uint64_t(0u);
    while (pieces != uint64_t(0u)) {
        int square = FIRST(pieces);
        for (int d = first; d < first + 4; d++) {
            int x = square % 8 + DX[d], y = square / 8 + DY[d];
            while (x >= 0 && x < 8 && y >= 0 && y < 8) {
                uint64_t bit = uint64_t(1u) << (8 * y + x);
                attacks |= bit;
                if ((taken & bit) != uint64_t(0u)) break;
                x += DX[d];
                y += DY[d];
            }
        }
        pieces &= pieces - uint64_t(1u);
    }
    return attacks;
}
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    uint64_t k = positions[i].v[2], taken = positions[i].v[3];
    uint64_t squares = (k << 17 & 0xfefefefefefefefeul) | (k << 15 & 0x7f7f7f7f7f7f7f7ful)
        | (k << 10 & 0xfcfcfcfcfcfcfcfcul) | (k << 6 & 0x3f3f3f3f3f3f3f3ful) | (k >> 17 & 0x7f7f7f7f7f7f7f7ful)
        | (k >> 15 & 0xfefefefefefefefeul) | (k >> 10 & 0x3f3f3f3f3f3f3f3ful) | (k >> 6 & 0xfcfcfcfcfcfcfcfcul);
    squares |= slides(positions[i].v[0], taken, 0) | slides(positions[i].v[1], taken, 4);
    attacked[i] = squares;
    free_[i] = uint(ONES(squares & ~taken));
}
";

/// Fills puzzles of nine digits, the free cells in order, by bits of the digits that rows, columns and boxes have.
#[kernel(workgroup = [64])]
fn sudoku(puzzles: &[u8], filled: &mut [u8]) {
    let i = global_id().x as usize;
    let Some(puzzle) = puzzles.chunks_exact(81).nth(i) else { return };
    let Some(answer) = filled.chunks_exact_mut(81).nth(i) else { return };
    let mut grid = [0u8; 81];
    let (mut rows, mut columns, mut boxes) = ([0u16; 9], [0u16; 9], [0u16; 9]);
    let mut cells = [0u8; 81];
    let mut len = 0;
    for (cell, &digit) in puzzle.iter().enumerate() {
        grid[cell] = digit;
        if digit == 0 {
            cells[len] = cell as u8;
            len += 1;
        } else {
            let bit = 1 << (digit - 1);
            let (row, column) = (cell / 9, cell % 9);
            rows[row] |= bit;
            columns[column] |= bit;
            boxes[row / 3 * 3 + column / 3] |= bit;
        }
    }
    let mut at = 0;
    while at < len {
        let cell = usize::from(cells[at]);
        let (row, column) = (cell / 9, cell % 9);
        let area = row / 3 * 3 + column / 3;
        let before = grid[cell];
        if before != 0 {
            let bit = 1 << (before - 1);
            rows[row] &= !bit;
            columns[column] &= !bit;
            boxes[area] &= !bit;
        }
        let higher = !0u16 << before;
        let free = !(rows[row] | columns[column] | boxes[area]) & higher & 0x1ff;
        if free == 0 {
            grid[cell] = 0;
            if at == 0 {
                break;
            }
            at -= 1;
            continue;
        }
        let digit = free.trailing_zeros();
        rows[row] |= 1 << digit;
        columns[column] |= 1 << digit;
        boxes[area] |= 1 << digit;
        grid[cell] = digit as u8 + 1;
        at += 1;
    }
    answer.copy_from_slice(&grid);
}

const SUDOKU: &str = r"
#ifdef __CUDACC__
#define FIRST(x) uint(__ffs(x) - 1)
#else
#define FIRST(x) uint(findLSB(x))
#endif
KERNEL {
    uint i = GLOBAL_X;
    if (i >= count) return;
    uint8_t grid[81], cells[81];
    uint rows[9], columns[9], boxes[9];
    for (int k = 0; k < 9; k++) { rows[k] = 0u; columns[k] = 0u; boxes[k] = 0u; }
    uint len = 0u;
    for (uint cell = 0u; cell < 81u; cell++) {
        uint8_t digit = puzzles[81u * i + cell];
        grid[cell] = digit;
        if (uint(digit) == 0u) {
            cells[len++] = uint8_t(cell);
        } else {
            uint bit = 1u << (uint(digit) - 1u);
            uint row = cell / 9u, column = cell % 9u;
            rows[row] |= bit;
            columns[column] |= bit;
            boxes[row / 3u * 3u + column / 3u] |= bit;
        }
    }
    uint at = 0u;
    while (at < len) {
        uint cell = uint(cells[at]);
        uint row = cell / 9u, column = cell % 9u;
        uint area = row / 3u * 3u + column / 3u;
        uint before = uint(grid[cell]);
        if (before != 0u) {
            uint bit = 1u << (before - 1u);
            rows[row] &= ~bit;
            columns[column] &= ~bit;
            boxes[area] &= ~bit;
        }
        uint free_ = ~(rows[row] | columns[column] | boxes[area]) & (0xffffffffu << before) & 0x1ffu;
        if (free_ == 0u) {
            grid[cell] = uint8_t(0);
            if (at == 0u) break;
            at--;
            continue;
        }
        uint digit = FIRST(free_);
        rows[row] |= 1u << digit;
        columns[column] |= 1u << digit;
        boxes[area] |= 1u << digit;
        grid[cell] = uint8_t(digit + 1u);
        at++;
    }
    for (uint cell = 0u; cell < 81u; cell++) filled[81u * i + cell] = grid[cell];
}
";

/// Puzzles that have answers: a square of digits whose digits, bands and stacks are turned, with about 30 cells left out, so that the
/// longest way to an answer has a few thousand steps.
fn puzzles(len: usize) -> Vec<u8> {
    let seeds = words(4 * len);
    let puzzle = |seeds: &[u32; 4]| -> [u8; 81] {
        let [digits, rows, low, high] = *seeds;
        let left_out = u64::from(low) << 32 | u64::from(high);
        std::array::from_fn(|cell| {
            let turned = |line: u32, by: u32| (line / 3 + by) % 3 * 3 + (line % 3 + (by >> 4)) % 3;
            let (row, column) = (turned(cell as u32 / 9, rows % 251), turned(cell as u32 % 9, rows / 256 % 251));
            let digit = (3 * (row % 3) + row / 3 + column + digits) % 9 + 1;
            if cell % 4 != 0 && left_out.rotate_left(11 * cell as u32 % 64) & 1 == 1 { 0 } else { digit as u8 }
        })
    };
    seeds.as_chunks().0.iter().flat_map(puzzle).collect()
}

pub(crate) fn workloads(large: bool) -> Vec<Workload> {
    let n = if large { 1 << 20 } else { 1 << 12 };
    let position = |w: &[u32; 8]| {
        let few = |a: u32, b: u32| {
            let all = u64::from(a) << 32 | u64::from(b);
            all & all.rotate_left(13) & all.rotate_left(29) & all.rotate_left(44)
        };
        let (straight, diagonal, knights) = (few(w[0], w[1]), few(w[2], w[3]), few(w[4], w[5]));
        let pawns = u64::from(w[6]) << 32 | u64::from(w[7]);
        [straight, diagonal, knights, straight | diagonal | knights | pawns & pawns.rotate_left(21)]
    };
    let count = n / 16;
    vec![
        Workload::new::<Attacks>("attacks of chess", [n / 128, 1, 1], ATTACKS)
            .peer_value("len", n as u32)
            .read::<[u64; 4]>("positions", words(8 * n).as_chunks().0.iter().map(position).collect())
            .write::<u64>("attacked", n)
            .write::<u32>("free_", n),
        Workload::new::<Sudoku>("puzzles of nine digits", [count / 64, 1, 1], SUDOKU)
            .peer_value("count", count as u32)
            .read("puzzles", puzzles(count))
            .write::<u8>("filled", 81 * count),
    ]
}
