//! Random kernels that may race: indices of all kinds, guards, loops, shared memory and barriers.

use std::fmt::Write;

/// A fixed sequence of numbers for each seed.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (((self.0 >> 33) * u64::from(end)) >> 31) as u32
    }

    fn one_in(&mut self, count: u32) -> bool {
        self.below(count) == 0
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u32) as usize]
    }
}

/// Workgroups of the kernels.
const WORKGROUPS: [[u32; 3]; 6] = [[4, 1, 1], [8, 1, 1], [4, 2, 1], [2, 2, 1], [16, 1, 1], [2, 2, 2]];
/// Cells of the shared variable.
const TILE: u32 = 20;

/// A kernel as text, and its workgroup.
pub(crate) struct Program {
    pub(crate) text: String,
    pub(crate) workgroup: [u32; 3],
}

struct Writer<'r> {
    random: &'r mut Random,
    text: String,
    values: u32,
    blocks: u32,
    indent: usize,
    /// Counters of the loops around.
    counters: Vec<u32>,
    workgroup: [u32; 3],
    has_tile: bool,
}

/// A random kernel: buffers `x`, `y` (written), `z` (atomic) and `d` (whose elements differ), numbers `n` and `w`.
pub(crate) fn program(random: &mut Random) -> Program {
    let workgroup = random.pick(&WORKGROUPS);
    let has_tile = random.one_in(2);
    let mut writer = Writer {
        random,
        text: String::new(),
        values: 0,
        blocks: 0,
        indent: 1,
        counters: Vec::new(),
        workgroup,
        has_tile,
    };
    let count = 1 + writer.random.below(4);
    for _ in 0..count {
        writer.statement(2, true);
    }
    let body = writer.text;
    let [x, y, z] = workgroup;
    let tile = if has_tile { format!("    shared0 tile: [u32; {TILE}]\n") } else { String::new() };
    let text = format!(
        "file0 \"k.rs\"\nsite0 index_out_of_bounds @file0:1:1 \"y[i]\"\nkernel fn0 workgroup({x}, {y}, {z}) {{\n    \
         buffer0 x: [u32]\n    buffer1 y: [u32] mut\n    buffer2 z: [u32] mut\n    buffer3 d: [u32] distinct\n    param0 n: u32\n    param1 w: u32\n\
         {tile}}}\nfn0 k() -> () {{\n{body}    return\n}}\n"
    );
    Program { text, workgroup }
}

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{}{line}", "    ".repeat(self.indent));
    }

    fn value(&mut self, of: &str) -> u32 {
        self.typed("u32", of)
    }

    fn typed(&mut self, ty: &str, of: &str) -> u32 {
        let id = self.values;
        self.values += 1;
        self.line(&format!("%{id}: {ty} = {of}"));
        id
    }

    fn constant(&mut self, number: u32) -> u32 {
        self.value(&format!("const {number}"))
    }

    fn id(&mut self, builtin: &str, axis: u32) -> u32 {
        let all = self.typed("vec3<u32>", builtin);
        self.value(&format!("extract %{all}.{axis}"))
    }

    fn op(&mut self, op: &str, a: u32, b: u32) -> u32 {
        self.value(&format!("{op} %{a}, %{b}"))
    }

    fn leaf(&mut self) -> u32 {
        let axis = self.random.pick(&[0, 0, 0, 1, 1, 2]);
        match self.random.below(15) {
            0..=3 => self.id("global_id", axis),
            4 | 5 => self.id("local_id", axis),
            6 => self.id("workgroup_id", axis),
            7 => self.value("local_index"),
            8 => self.id("num_workgroups", axis),
            9 => self.value("param0"),
            10 => self.value("param1"),
            11 if !self.counters.is_empty() => self.random.pick(&self.counters.clone()),
            12 if self.random.one_in(3) => {
                let at = self.leaf();
                self.value(&format!("load buffer0[%{at} !site0]"))
            }
            13 if self.random.one_in(2) => {
                let builtin = self.random.pick(&["subgroup_id", "subgroup_local_id", "subgroup_size"]);
                self.value(builtin)
            }
            _ => {
                let number = self.random.pick(&[0, 1, 2, 3, 4, 8, 16, 0xffff_ffff, 0x4000_0000]);
                self.constant(number)
            }
        }
    }

    fn small(&mut self) -> u32 {
        let number = self.random.pick(&[1, 2, 3, 4, 5, 8, 16]);
        self.constant(number)
    }

    /// An index: often one that tells invocations apart, or nearly.
    fn index(&mut self, depth: u32) -> u32 {
        match self.random.below(16) {
            0 | 1 => self.id("global_id", 0),
            2 => {
                // Row and column.
                let (y, x) = (self.id("global_id", 1), self.id("global_id", 0));
                let pitch = if self.random.one_in(2) { self.value("param1") } else { self.small() };
                let row = self.op("mul", y, pitch);
                self.op("add", row, x)
            }
            3 => {
                let (group, local) = (self.id("workgroup_id", 0), self.id("local_id", 0));
                let size = if self.random.one_in(3) { self.small() } else { self.constant(self.workgroup[0]) };
                let first = self.op("mul", group, size);
                self.op("add", first, local)
            }
            4 if !self.counters.is_empty() => {
                // A chunk, or a stride.
                let counter = self.random.pick(&self.counters.clone());
                let (x, by) = (self.id("global_id", 0), self.small());
                let (a, b) = if self.random.one_in(2) { (x, counter) } else { (counter, x) };
                let scaled = self.op("mul", a, by);
                self.op("add", scaled, b)
            }
            5 => {
                // Quotient and remainder.
                let x = self.id("global_id", 0);
                if self.random.one_in(3) {
                    return self.butterfly(x);
                }
                let by = if self.random.one_in(2) { self.value("param1") } else { self.small() };
                let (q, r) = (self.op("div", x, by), self.op("rem", x, by));
                let other = if self.random.one_in(2) { self.value("param0") } else { self.small() };
                let scaled = self.op("mul", r, other);
                self.op("add", scaled, q)
            }
            6 => {
                let index = self.index(0);
                let number = self.small();
                let op = self.random.pick(&["add", "sub", "mul", "shl"]);
                self.op(op, index, number)
            }
            7 => self.value("local_index"),
            8 if !self.counters.is_empty() => self.random.pick(&self.counters.clone()),
            9 if self.has_tile && self.random.one_in(2) => self.value("subgroup_id"),
            9 => self.id("workgroup_id", 0),
            10 if depth > 0 => {
                let (a, b) = (self.index(depth - 1), self.index(depth - 1));
                let op = self.random.pick(&["add", "sub", "xor", "or", "min"]);
                self.op(op, a, b)
            }
            11 if depth > 0 => {
                let a = self.index(depth - 1);
                let by = self.small();
                let op = self.random.pick(&["and", "rem", "div", "shr", "xor", "mul", "mixed", "reversed", "inverse"]);
                self.scrambled(op, a, by)
            }
            12 => self.leaf(),
            13 if depth > 0 => {
                let at = self.index(depth - 1);
                self.value(&format!("load buffer3[%{at} !site0]"))
            }
            _ => self.id("global_id", 0),
        }
    }

    /// The lower one of two numbers that differ in a bit, which a parameter names; or nearly.
    fn butterfly(&mut self, x: u32) -> u32 {
        let (stage, one) = (self.value("param0"), self.constant(1));
        let half = self.op("shl", one, stage);
        let (mask, more) = (self.op("sub", half, one), self.random.pick(&[1, 1, 1, 0, 2]));
        let more = self.constant(more);
        let next = self.op("add", stage, more);
        let low = if self.random.one_in(2) { self.op("and", x, mask) } else { self.op("rem", x, half) };
        let high = if self.random.one_in(2) { self.op("shr", x, stage) } else { self.op("div", x, half) };
        let high = if self.random.one_in(2) {
            self.op("shl", high, next)
        } else {
            let whole = self.op("shl", one, next);
            self.op("mul", high, whole)
        };
        let op = self.random.pick(&["or", "add", "add"]);
        let lower = self.op(op, high, low);
        if self.random.one_in(4) { self.op("add", lower, half) } else { lower }
    }

    /// Another number for each number, or nearly.
    fn scrambled(&mut self, how: &str, a: u32, by: u32) -> u32 {
        match how {
            "mixed" => {
                let bits = self.random.pick(&[0, 1, 1, 2, 3]);
                let bits = self.constant(bits);
                let op = self.random.pick(&["shr", "shr", "shl"]);
                let shifted = self.op(op, a, bits);
                self.op("xor", shifted, a)
            }
            "reversed" => {
                let (bits, reversed) =
                    (self.random.pick(&[0, 27, 28, 29, 30, 31]), self.value(&format!("reverse_bits %{a}")));
                let bits = self.constant(bits);
                self.op("shr", reversed, bits)
            }
            "inverse" => {
                let mask = self.random.pick(&[3, 7, 15, 31, 63]);
                let mask = self.constant(mask);
                let factor = self.random.pick(&[1, 3, 5, 6, 7, 0xffff_ffff]);
                let factor = self.constant(factor);
                let product = self.op("mul", a, factor);
                let sum = self.op("add", product, by);
                self.op("and", sum, mask)
            }
            op => self.op(op, a, by),
        }
    }

    fn condition(&mut self) -> u32 {
        if self.has_tile && self.random.one_in(8) {
            return self.typed("bool", "subgroup_elect");
        }
        let a = if self.random.one_in(3) { self.index(1) } else { self.leaf() };
        let b = match self.random.below(5) {
            4 => self.value("len buffer3"),
            0 => self.value("param0"),
            1 => self.value("param1"),
            2 => self.leaf(),
            _ => self.small(),
        };
        let op = self.random.pick(&["lt", "lt", "lt", "ge", "eq", "le", "ne", "gt"]);
        self.typed("bool", &format!("{op} %{a}, %{b}"))
    }

    fn statement(&mut self, depth: u32, is_uniform: bool) {
        match self.random.below(19) {
            0..=3 => self.store(),
            18 => self.diagonal(),
            14 => self.first(),
            15 => self.draw(),
            16 => self.compacted(),
            17 => self.triangle(),
            12 => self.neighbours(),
            13 if depth > 0 => self.chunk(depth),
            4 => {
                let at = self.index(1);
                let old = self.value(&format!("load buffer1[%{at} !site0]"));
                let to = if self.random.one_in(2) { at } else { self.index(1) };
                self.line(&format!("store buffer1[%{to} !site0] = %{old}"));
            }
            5 if self.has_tile => {
                let at = self.index(1);
                self.value(&format!("load shared0[%{at} !site0]"));
            }
            6 if self.has_tile && is_uniform => {
                let scope = self.random.pick(&["workgroup", "workgroup", "subgroup"]);
                self.line(&format!("barrier {scope}"));
            }
            7 => self.atomic(),
            8 | 9 if depth > 0 => self.branch(depth),
            10 if depth > 0 => self.counted(depth, is_uniform),
            _ => self.store(),
        }
    }

    fn store(&mut self) {
        let at = self.index(2);
        let value = self.leaf();
        let root = if self.has_tile && self.random.one_in(2) { "shared0" } else { "buffer1" };
        self.line(&format!("store {root}[%{at} !site0] = %{value}"));
    }

    /// An element from a neighbour's, behind conditions that leave out edges and all places but those of one colour.
    fn neighbours(&mut self) {
        let (x, y) = (self.id("global_id", 0), self.id("global_id", 1));
        let w = self.value("param1");
        let mut conditions = Vec::new();
        let edge = self.random.pick(&[0, 1, 1, 2]);
        let edge = self.constant(edge);
        let end = self.op("sub", w, edge);
        conditions.push(self.typed("bool", &format!("lt %{x}, %{end}")));
        if self.random.one_in(2) {
            conditions.push(self.typed("bool", &format!("ge %{x}, %{edge}")));
        }
        if !self.random.one_in(3) {
            let sum = if self.random.one_in(4) { x } else { self.op("add", x, y) };
            let colours = self.random.pick(&[2, 2, 2, 3, 4]);
            let colours = self.constant(colours);
            let colour = self.op("rem", sum, colours);
            let wanted = if self.random.one_in(2) { self.value("param0") } else { self.constant(1) };
            conditions.push(self.typed("bool", &format!("eq %{colour}, %{wanted}")));
        }
        self.behind(&conditions, |writer| writer.take_from_neighbour(x, y, w));
    }

    fn take_from_neighbour(&mut self, x: u32, y: u32, w: u32) {
        let row = self.op("mul", y, w);
        let own = self.op("add", row, x);
        let one = self.constant(1);
        let far = if self.random.one_in(2) { self.op("add", w, one) } else { self.small() };
        let by = self.random.pick(&[one, w, far]);
        let op = self.random.pick(&["add", "sub"]);
        let at = match self.random.below(4) {
            0 => {
                // Around the row.
                let moved = self.op("add", x, by);
                let column = self.op("rem", moved, w);
                self.op("add", row, column)
            }
            _ => self.op(op, own, by),
        };
        let old = self.value(&format!("load buffer1[%{at} !site0]"));
        let to = if self.random.one_in(4) { at } else { own };
        self.line(&format!("store buffer1[%{to} !site0] = %{old}"));
    }

    /// Elements side by side, so many for each invocation or each workgroup.
    fn chunk(&mut self, depth: u32) {
        let n = self.value("param0");
        let of_group = self.random.one_in(2);
        let who = self.id(if of_group { "workgroup_id" } else { "global_id" }, 0);
        let per = match self.random.below(3) {
            0 => self.value("param1"),
            1 => self.small(),
            _ => {
                // As `div_ceil` is lowered.
                let groups = self.id("num_workgroups", 0);
                let (whole, zero, one) = (self.op("div", n, groups), self.constant(0), self.constant(1));
                let product = self.op("mul", whole, groups);
                let rest = self.op("sub", n, product);
                let has_rest = self.typed("bool", &format!("ne %{rest}, %{zero}"));
                let up = self.op("add", whole, one);
                self.value(&format!("select %{has_rest}, %{up}, %{whole}"))
            }
        };
        let start = self.op("mul", who, per);
        let end = self.op("add", start, per);
        let end = if self.random.one_in(2) { self.op("min", end, n) } else { end };
        let (first, step) = match of_group && !self.random.one_in(4) {
            true => {
                let local = self.id("local_id", 0);
                let width = if self.random.one_in(4) { self.small() } else { self.constant(self.workgroup[0]) };
                (self.op("add", start, local), width)
            }
            false => (start, self.constant(1)),
        };
        self.count_from(first, end, step, depth, false);
    }

    /// Code for the first to change a cell, or nearly.
    fn first(&mut self) {
        let cell = self.index(1);
        let (from, to) = (self.random.pick(&[0, 0, 0, 1]), self.random.pick(&[0, 1, 1, 1, 2]));
        let (from, to) = (self.constant(from), self.constant(to));
        let mut word = cell;
        let (found, wanted) = match self.random.below(3) {
            0 => (self.value(&format!("atomic_exchange buffer2[%{cell} !site0], %{to} relaxed device")), from),
            1 => {
                let operands = format!("%{from}, %{to} relaxed relaxed device");
                (self.value(&format!("atomic_compare_exchange buffer2[%{cell} !site0], {operands}")), from)
            }
            _ => {
                let by = self.random.pick(&[2, 4, 4, 5]);
                let by = self.constant(by);
                word = self.op("div", cell, by);
                let bit = self.op("rem", cell, by);
                let one = self.constant(1);
                let set = self.op("shl", one, bit);
                let mask = if self.random.one_in(4) { self.op("shl", one, cell) } else { set };
                let old = self.value(&format!("atomic_or buffer2[%{word} !site0], %{set} relaxed device"));
                (self.op("and", old, mask), self.constant(0))
            }
        };
        let op = self.random.pick(&["eq", "eq", "eq", "ne"]);
        let is_first = self.typed("bool", &format!("{op} %{found}, %{wanted}"));
        let at = match self.random.below(4) {
            0 => word,
            1 => self.index(0),
            _ => cell,
        };
        self.behind(&[is_first], |writer| writer.line(&format!("store buffer1[%{at} !site0] = %{from}")));
    }

    /// Elements of a range that a counter gives, or some more.
    fn draw(&mut self) {
        let count = self.leaf();
        let most = self.random.pick(&[1, 2, 3, 5]);
        let most = self.constant(most);
        let count = match self.random.below(4) {
            0 => count,
            1 => most,
            _ => self.op("min", count, most),
        };
        let cell = self.random.pick(&[0, 0, 0, 1, 95, 96]);
        let (cell, one) = (self.constant(cell), self.constant(1));
        let start = self.value(&format!("atomic_add buffer2[%{cell} !site0], %{count} relaxed device"));
        let end = match self.random.below(4) {
            0 => most,
            1 => self.op("add", count, one),
            _ => count,
        };
        let first = self.constant(0);
        let (block, counter) = self.begin_loop(first, end);
        let at = self.op("add", start, counter);
        self.line(&format!("store buffer1[%{at} !site0] = %{one}"));
        self.end_loop(&block, counter, one);
    }

    /// Elements side by side for those of a subgroup whose condition holds, from where one of them draws for all.
    fn compacted(&mut self) {
        let flag = self.condition();
        let other = if self.random.one_in(4) { self.condition() } else { flag };
        let (count, theirs) = (self.value(&format!("cast %{flag}")), self.value(&format!("cast %{other}")));
        let before = self.value(&format!("subgroup_exclusive_add %{count}"));
        if !self.has_tile && self.random.one_in(6) {
            // Some lanes leave before the others add up.
            let stays = self.condition();
            self.line(&format!("if %{stays} {{"));
            self.line("    yield");
            self.line("} else {");
            self.line("    return");
            self.line("}");
        }
        let total = self.value(&format!("subgroup_add %{theirs}"));
        let cell = self.random.pick(&[0, 0, 0, 96]);
        let (cell, elected) = (self.constant(cell), self.typed("bool", "subgroup_elect"));
        let drawn = self.values + 1;
        self.line(&format!("if %{elected} -> (%{drawn}: u32) {{"));
        self.line(&format!("    %{}: u32 = atomic_add buffer2[%{cell} !site0], %{total} relaxed device", self.values));
        self.line(&format!("    yield %{}", self.values));
        self.line("} else {");
        self.line(&format!("    yield %{cell}"));
        self.line("}");
        self.values += 2;
        let base = self.value(&format!("subgroup_broadcast_first %{drawn}"));
        let at = self.op("add", base, before);
        let guard = if self.random.one_in(4) { self.condition() } else { flag };
        self.behind(&[guard], |writer| writer.line(&format!("store buffer1[%{at} !site0] = %{base}")));
    }

    /// Rows of which each is one longer than the one before, or what a matrix has on the other side of its diagonal.
    fn triangle(&mut self) {
        let (x, y) = (self.id("global_id", 0), self.id("global_id", 1));
        let one = self.constant(1);
        let (op, below) = (self.random.pick(&["lt", "le", "lt"]), self.random.below(4));
        let end = match below {
            0 => self.op("add", y, one),
            1 => self.op("sub", y, one),
            _ => y,
        };
        let mut conditions = vec![self.typed("bool", &format!("{op} %{x}, %{end}"))];
        let w = self.value("param1");
        if !self.random.one_in(4) {
            conditions.insert(self.random.below(2) as usize, self.typed("bool", &format!("lt %{y}, %{w}")));
        }
        if self.random.one_in(2) {
            let next = self.random.pick(&["add", "add", "sub"]);
            let next = self.op(next, y, one);
            let (product, two) = (self.op("mul", y, next), self.constant(2));
            let row = self.op("div", product, two);
            let at = self.op("add", row, x);
            self.behind(&conditions, |writer| writer.line(&format!("store buffer1[%{at} !site0] = %{one}")));
            return;
        }
        let (row, column) = (self.op("mul", y, w), self.op("mul", x, w));
        let (own, other) = (self.op("add", row, x), self.op("add", column, y));
        self.behind(&conditions, |writer| {
            let (a, b) = (format!("load buffer1[%{own} !site0]"), format!("load buffer1[%{other} !site0]"));
            let (a, b) = (writer.value(&a), writer.value(&b));
            writer.line(&format!("store buffer1[%{own} !site0] = %{b}"));
            writer.line(&format!("store buffer1[%{other} !site0] = %{a}"));
        });
    }

    /// A cell of a table from one of another diagonal, or of the same one.
    fn diagonal(&mut self) {
        let (x, n, w) = (self.id("global_id", 0), self.value("param0"), self.value("param1"));
        let one = self.constant(1);
        let x = if self.random.one_in(3) { self.op("add", x, one) } else { x };
        let y = match self.random.below(4) {
            0 => self.op("sub", x, n),
            1 => self.op("add", x, n),
            _ => self.op("sub", n, x),
        };
        let (row, column) = if self.random.one_in(4) { (y, x) } else { (x, y) };
        // Tables have a column more than their width, now and then.
        let wide = if self.random.one_in(3) { self.op("add", w, one) } else { w };
        let mut conditions = Vec::new();
        let end = if self.random.one_in(6) { self.op("add", w, one) } else { w };
        let op = if wide == w { "lt" } else { self.random.pick(&["lt", "le"]) };
        conditions.push(self.typed("bool", &format!("{op} %{column}, %{end}")));
        if self.random.one_in(2) {
            let zero = self.constant(0);
            let (op, least) = self.random.pick(&[("ne", zero), ("gt", zero), ("ge", one)]);
            conditions.push(self.typed("bool", &format!("{op} %{column}, %{least}")));
        }
        if self.random.one_in(2) {
            let op = self.random.pick(&["lt", "le"]);
            conditions.push(self.typed("bool", &format!("{op} %{x}, %{n}")));
        }
        let cell = |writer: &mut Self, row: u32, column: u32| {
            let product = writer.op("mul", row, wide);
            writer.op("add", product, column)
        };
        let apart = |writer: &mut Self, of: u32| match writer.random.below(5) {
            0 => of,
            1 => writer.op("add", of, one),
            _ => writer.op("sub", of, one),
        };
        let own = cell(self, row, column);
        let (row, column) = (apart(self, row), apart(self, column));
        let other = cell(self, row, column);
        self.behind(&conditions, |writer| {
            let old = writer.value(&format!("load buffer1[%{other} !site0]"));
            writer.line(&format!("store buffer1[%{own} !site0] = %{old}"));
        });
    }

    /// Lines behind conditions.
    fn behind(&mut self, conditions: &[u32], lines: impl FnOnce(&mut Self)) {
        for condition in conditions {
            self.line(&format!("if %{condition} {{"));
            self.indent += 1;
        }
        lines(self);
        for _ in conditions {
            self.line("yield");
            self.indent -= 1;
            self.line("} else {");
            self.line("    yield");
            self.line("}");
        }
    }

    fn atomic(&mut self) {
        let zero = self.constant(0);
        let by = self.small();
        let ticket = self.value(&format!("atomic_add buffer2[%{zero} !site0], %{by} relaxed device"));
        if self.random.one_in(2) {
            self.line(&format!("store buffer1[%{ticket} !site0] = %{by}"));
        }
    }

    fn branch(&mut self, depth: u32) {
        let condition = self.condition();
        self.line(&format!("if %{condition} {{"));
        self.indent += 1;
        // Some leave, where nobody waits for them.
        let leaves = !self.has_tile && self.random.one_in(4);
        if !leaves {
            self.statement(depth - 1, false);
        }
        self.line(if leaves { "return" } else { "yield" });
        self.indent -= 1;
        self.line("} else {");
        self.indent += 1;
        if self.random.one_in(3) {
            self.statement(depth - 1, false);
        }
        self.line("yield");
        self.indent -= 1;
        self.line("}");
    }

    /// A loop whose counter grows, to an end that is small.
    fn counted(&mut self, depth: u32, is_uniform: bool) {
        let is_wide = self.random.one_in(3);
        let first = if is_wide { self.id("global_id", 0) } else { self.constant(0) };
        let step = match self.random.below(3) {
            0 => self.constant(1),
            1 => self.small(),
            _ => {
                let groups = self.id("num_workgroups", 0);
                let width = self.constant(self.workgroup[0]);
                self.op("mul", groups, width)
            }
        };
        let end = match self.random.below(3) {
            0 => self.value("param0"),
            1 => self.value("param1"),
            _ => self.small(),
        };
        self.count_from(first, end, step, depth, is_uniform && !is_wide);
    }

    fn count_from(&mut self, first: u32, end: u32, step: u32, depth: u32, is_uniform: bool) {
        let (block, counter) = self.begin_loop(first, end);
        self.counters.push(counter);
        let statements = 1 + self.random.below(2);
        for _ in 0..statements {
            self.statement(depth - 1, is_uniform);
        }
        self.counters.pop();
        self.end_loop(&block, counter, step);
    }

    /// The loop's block and its counter, which is below `end` in each round.
    fn begin_loop(&mut self, first: u32, end: u32) -> (String, u32) {
        self.blocks += 1;
        let (block, counter) = (format!("block{}", 100 + self.blocks), self.values);
        self.values += 1;
        self.line(&format!("loop {block}(%{counter}: u32 = %{first}) {{"));
        self.indent += 1;
        let goes_on = self.typed("bool", &format!("lt %{counter}, %{end}"));
        self.line(&format!("if %{goes_on} {{"));
        self.line("    yield");
        self.line("} else {");
        self.line(&format!("    break {block}()"));
        self.line("}");
        (block, counter)
    }

    fn end_loop(&mut self, block: &str, counter: u32, step: u32) {
        let next = self.op("add", counter, step);
        self.line(&format!("continue {block}(%{next})"));
        self.indent -= 1;
        self.line("}");
    }
}
