//! Programs about codes: blocks of LZ4, automata, trees of keys, checksums, instructions. rustc compiles each of them, too.

#![allow(dead_code, clippy::all, reason = "programs as people write them, of which not every function is called")]

use gridwise::prelude::*;

use super::{both, domain};
use crate::case::Case;

both!(lz4, plain_lz4, {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) enum DecodeError {
        UnexpectedEnd,
        OutputFull { at: usize },
        BadOffset(u16),
    }

    impl DecodeError {
        pub(super) const fn code(self) -> u32 {
            match self {
                Self::UnexpectedEnd => 1,
                Self::OutputFull { at } => 0x100 | at as u32,
                Self::BadOffset(offset) => 0x1_0000 | offset as u32,
            }
        }
    }

    type Result<T> = core::result::Result<T, DecodeError>;

    #[derive(Default)]
    pub(super) struct Reader {
        pos: usize,
    }

    impl Reader {
        fn u8(&mut self, data: &[u8]) -> Result<u8> {
            let byte = *data.get(self.pos).ok_or(DecodeError::UnexpectedEnd)?;
            self.pos += 1;
            Ok(byte)
        }

        fn u16(&mut self, data: &[u8]) -> Result<u16> {
            Ok(u16::from_le_bytes([self.u8(data)?, self.u8(data)?]))
        }

        fn is_empty(&self, data: &[u8]) -> bool {
            self.pos >= data.len()
        }

        fn length(&mut self, data: &[u8], nibble: u8) -> Result<usize> {
            let mut len = usize::from(nibble);
            if nibble == 15 {
                loop {
                    let extra = self.u8(data)?;
                    len += usize::from(extra);
                    if extra != u8::MAX {
                        break;
                    }
                }
            }
            Ok(len)
        }
    }

    pub(super) struct Window<const N: usize> {
        buf: [u8; N],
        len: usize,
    }

    impl<const N: usize> Window<N> {
        fn push(&mut self, byte: u8) -> Result<()> {
            let at = self.len;
            let Some(slot) = self.buf.get_mut(at) else { return Err(DecodeError::OutputFull { at }) };
            *slot = byte;
            self.len += 1;
            Ok(())
        }

        fn copy_match(&mut self, offset: u16, len: usize) -> Result<()> {
            let start = self
                .len
                .checked_sub(usize::from(offset))
                .filter(|_| offset != 0)
                .ok_or(DecodeError::BadOffset(offset))?;
            for i in start..start + len {
                self.push(self.buf[i])?;
            }
            Ok(())
        }
    }

    impl<const N: usize> Default for Window<N> {
        fn default() -> Self {
            Self { buf: [0; N], len: 0 }
        }
    }

    pub(super) fn decode(src: &[u8]) -> Result<Window<48>> {
        let mut input = Reader::default();
        let mut out = Window::default();
        while !input.is_empty(src) {
            let token = input.u8(src)?;
            for _ in 0..input.length(src, token >> 4)? {
                out.push(input.u8(src)?)?;
            }
            if input.is_empty(src) {
                break;
            }
            let offset = input.u16(src)?;
            let len = input.length(src, token & 0xf)? + 4;
            out.copy_match(offset, len)?;
        }
        Ok(out)
    }

    pub(super) fn lz4(i: u32, x: &[u32]) -> u32 {
        let mut block = *b"\x35abc\x03\x00\x12d\x09\x00\x40wxyz";
        let at = i as usize % block.len();
        block[at] ^= (x[i as usize] & 3) as u8;
        match decode(&block[..block.len() - (i as usize & 1)]) {
            Ok(window) => {
                window.buf[..window.len].iter().fold(0, |h: u32, &b| h.wrapping_mul(31).wrapping_add(b.into()))
            }
            Err(e) => e.code(),
        }
    }
});

both!(dfa, plain_dfa, {
    #[derive(Clone, Copy, PartialEq, Eq)]
    #[repr(u8)]
    pub(super) enum Class {
        Digit,
        Dot,
        Sign,
        Exp,
        Other,
    }

    impl From<u8> for Class {
        fn from(byte: u8) -> Self {
            match byte {
                b'0'..=b'9' => Class::Digit,
                b'.' => Class::Dot,
                b'+' | b'-' => Class::Sign,
                b'e' | b'E' => Class::Exp,
                _ => Class::Other,
            }
        }
    }

    const DEAD: u8 = 0;
    const STATES: usize = 8;
    const CLASSES: usize = 5;

    const fn transitions() -> [[u8; CLASSES]; STATES] {
        let mut t = [[DEAD; CLASSES]; STATES];
        t[1] = [3, 4, 2, DEAD, DEAD];
        t[2] = [3, 4, DEAD, DEAD, DEAD];
        t[3][Class::Digit as usize] = 3;
        t[3][Class::Dot as usize] = 5;
        t[3][Class::Exp as usize] = 6;
        t[4][Class::Digit as usize] = 5;
        t[5][Class::Digit as usize] = 5;
        t[5][Class::Exp as usize] = 6;
        t[6] = [7, DEAD, 2, DEAD, DEAD];
        t[7][Class::Digit as usize] = 7;
        t
    }

    const TABLE: [[u8; CLASSES]; STATES] = transitions();
    const ACCEPTING: u8 = 1 << 3 | 1 << 5 | 1 << 7;

    #[derive(Clone, Copy)]
    pub(super) struct Matcher {
        state: u8,
    }

    impl Matcher {
        const START: Self = Self { state: 1 };

        fn step(self, class: Class) -> Option<Self> {
            match TABLE[self.state as usize][class as usize] {
                DEAD => None,
                state => Some(Self { state }),
            }
        }

        fn is_match(self) -> bool {
            ACCEPTING >> self.state & 1 == 1
        }
    }

    fn longest_match(text: &[u8]) -> Option<usize> {
        let mut best = None;
        let mut m = Matcher::START;
        for (i, &b) in text.iter().enumerate() {
            let Some(next) = m.step(b.into()) else { break };
            m = next;
            if m.is_match() {
                best = Some(i + 1);
            }
        }
        best
    }

    fn full_match(text: &[u8]) -> bool {
        text.iter().copied().map(Class::from).try_fold(Matcher::START, Matcher::step).is_some_and(Matcher::is_match)
    }

    fn find_all(text: &[u8]) -> impl Iterator<Item = (usize, usize)> {
        (0..text.len()).filter_map(move |s| longest_match(&text[s..]).map(|n| (s, s + n)))
    }

    pub(super) fn dfa(i: u32, x: &[u32]) -> u32 {
        const ALPHABET: &[u8] = b"0123456789.+-eE x";
        let text: [u8; 9] =
            core::array::from_fn(|k| ALPHABET[(x[(i as usize + k) % x.len()] as usize + k) % ALPHABET.len()]);
        let spans = find_all(&text).map(|(a, b)| (a * 16 + b) as u32).fold(0u32, |h, v| h.rotate_left(5) ^ v);
        spans ^ u32::from(full_match(&text[..3])) << 31 ^ longest_match(&text).map_or(0, |n| n as u32) << 24
    }
});

both!(btree, plain_btree, {
    pub(super) const B: usize = 4;

    #[derive(Clone, Copy)]
    pub(super) struct Node<K, V, const N: usize> {
        keys: [K; N],
        values: [V; N],
        children: [Option<u8>; N],
        len: u8,
    }

    impl<K: Copy + Ord, V: Copy, const N: usize> Node<K, V, N> {
        fn find(&self, key: &K) -> core::result::Result<usize, usize> {
            match self.keys.iter().take(self.len as usize).position(|k| *k >= *key) {
                Some(i) if self.keys[i] == *key => Ok(i),
                Some(i) => Err(i),
                None => Err(self.len as usize),
            }
        }
    }

    pub(super) struct Map<K, V, const N: usize> {
        nodes: [Node<K, V, B>; N],
        root: u8,
    }

    impl<K: Copy + Ord, V: Copy, const N: usize> Map<K, V, N> {
        pub(super) fn get(&self, key: &K) -> Option<V> {
            let mut node = &self.nodes[usize::from(self.root)];
            loop {
                match node.find(key) {
                    Ok(i) => return Some(node.values[i]),
                    Err(i) => node = &self.nodes[usize::from((*node.children.get(i)?)?)],
                }
            }
        }
    }

    const fn leaf(base: u32) -> Node<u32, u16, B> {
        Node { keys: [base, base + 3, base + 5, 0], values: [base as u16 * 2, 7, 9, 0], children: [None; B], len: 3 }
    }

    const TREE: [Node<u32, u16, B>; 4] = [
        Node { keys: [10, 20, 0, 0], values: [1, 2, 0, 0], children: [Some(1), Some(2), Some(3), None], len: 2 },
        leaf(0),
        leaf(11),
        leaf(30),
    ];

    pub(super) fn btree(i: u32, x: &[u32]) -> u32 {
        let map = Map { nodes: TREE, root: 0 };
        let v = x[i as usize] % 40;
        map.get(&v).map_or(u32::MAX, u32::from) ^ (map.get(&(i % 12)).unwrap_or_default() as u32) << 8
    }
});

both!(checksums, plain_checksums, {
    pub(super) trait Checksum: Sized + Default {
        type Output: Copy;

        fn write_u8(&mut self, byte: u8);
        fn finish(self) -> Self::Output;

        fn write(&mut self, bytes: &[u8]) {
            for &b in bytes {
                self.write_u8(b);
            }
        }

        fn of(bytes: &[u8]) -> Self::Output {
            let mut sum = Self::default();
            sum.write(bytes);
            sum.finish()
        }
    }

    pub(super) struct Adler32 {
        a: u32,
        b: u32,
    }
    impl Default for Adler32 {
        fn default() -> Self {
            Self { a: 1, b: 0 }
        }
    }
    impl Checksum for Adler32 {
        type Output = u32;
        fn write_u8(&mut self, byte: u8) {
            const MOD: u32 = 65_521;
            self.a = (self.a + u32::from(byte)) % MOD;
            self.b = (self.b + self.a) % MOD;
        }
        fn finish(self) -> u32 {
            self.b << 16 | self.a
        }
    }

    #[derive(Default)]
    pub(super) struct Fletcher16(u16, u16);
    impl Checksum for Fletcher16 {
        type Output = u16;
        fn write_u8(&mut self, byte: u8) {
            let Self(lo, hi) = self;
            *lo = (*lo + u16::from(byte)) % 255;
            *hi = (*hi + *lo) % 255;
        }
        fn finish(self) -> u16 {
            self.1 << 8 | self.0
        }
    }

    pub(super) struct Crc<const POLY: u32>(u32);
    impl<const POLY: u32> Crc<POLY> {
        const fn shifted(mut crc: u32) -> u32 {
            let mut bit = 0;
            while bit < 8 {
                crc = if crc & 1 != 0 { crc >> 1 ^ POLY } else { crc >> 1 };
                bit += 1;
            }
            crc
        }
    }
    impl<const POLY: u32> Default for Crc<POLY> {
        fn default() -> Self {
            Self(!0)
        }
    }
    impl<const POLY: u32> Checksum for Crc<POLY> {
        type Output = u32;
        fn write_u8(&mut self, byte: u8) {
            self.0 = Self::shifted((self.0 as u8 ^ byte).into()) ^ self.0 >> 8;
        }
        fn finish(self) -> u32 {
            !self.0
        }
    }
    type Crc32 = Crc<0xedb8_8320>;
    type Crc32c = Crc<0x82f6_3b78>;

    fn check<C: Checksum<Output: Into<u32>>>(data: &[u8]) -> u32 {
        let (head, tail) = data.split_at(data.len() / 2);
        let mut sum = C::default();
        sum.write(head);
        sum.write(tail);
        sum.finish().into()
    }

    pub(super) fn checksums(i: u32, x: &[u32]) -> u32 {
        let mut data = [0u8; 16];
        for (chunk, word) in data.chunks_exact_mut(4).zip(x.iter().cycle().skip(i as usize)) {
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        let n = 9 + i as usize % 8;
        check::<Adler32>(&data[..n])
            ^ check::<Fletcher16>(&data)
            ^ check::<Crc32>(&data[1..])
            ^ Crc32c::of(&data).rotate_left(7)
    }
});

both!(vm, plain_vm, {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) enum Instr {
        Push(i32),
        Dup,
        Swap,
        Bin(BinOp),
        JumpIfZero { target: u16 },
        Jump { target: u16 },
        Load(Reg),
        Store(Reg),
        Halt,
    }

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) enum BinOp {
        Add,
        Sub,
        Mul,
        Div,
        Lt,
    }

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) struct Reg(pub(super) u8);

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) enum Trap {
        StackUnderflow,
        StackOverflow,
        DivideByZero { pc: usize },
        OutOfFuel,
        BadRegister(Reg),
    }

    impl BinOp {
        fn eval(self, a: i32, b: i32) -> Option<i32> {
            Some(match self {
                Self::Add => a.wrapping_add(b),
                Self::Sub => a.wrapping_sub(b),
                Self::Mul => a.wrapping_mul(b),
                Self::Div => a.checked_div(b)?,
                Self::Lt => (a < b).into(),
            })
        }
    }

    #[derive(Default)]
    pub(super) struct Stack<T, const N: usize>
    where
        [T; N]: Default,
    {
        items: [T; N],
        len: usize,
    }

    impl<T: Copy + Default, const N: usize> Stack<T, N>
    where
        [T; N]: Default,
    {
        fn push(&mut self, v: T) -> Result<(), Trap> {
            if self.len == N {
                return Err(Trap::StackOverflow);
            }
            self.items[self.len] = v;
            self.len += 1;
            Ok(())
        }
        fn pop(&mut self) -> Result<T, Trap> {
            self.len = self.len.checked_sub(1).ok_or(Trap::StackUnderflow)?;
            Ok(self.items[self.len])
        }
    }

    #[derive(Default)]
    pub(super) struct Vm {
        stack: Stack<i32, 8>,
        regs: [i32; 4],
        pc: usize,
    }

    enum Flow {
        Next,
        Goto(u16),
        Stop,
    }

    impl Vm {
        fn reg(&self, r: Reg) -> Result<usize, Trap> {
            let at = usize::from(r.0);
            (at < self.regs.len()).then_some(at).ok_or(Trap::BadRegister(r))
        }

        fn step(&mut self, instr: Instr) -> Result<Flow, Trap> {
            use Instr::*;
            match instr {
                Push(v) => self.stack.push(v)?,
                Dup => {
                    let v = self.stack.pop()?;
                    self.stack.push(v)?;
                    self.stack.push(v)?;
                }
                Swap => {
                    let (b, a) = (self.stack.pop()?, self.stack.pop()?);
                    self.stack.push(b)?;
                    self.stack.push(a)?;
                }
                Bin(op) => {
                    let (b, a) = (self.stack.pop()?, self.stack.pop()?);
                    let v = op.eval(a, b).ok_or(Trap::DivideByZero { pc: self.pc })?;
                    self.stack.push(v)?;
                }
                JumpIfZero { target } if self.stack.pop()? == 0 => return Ok(Flow::Goto(target)),
                JumpIfZero { .. } => {}
                Jump { target } => return Ok(Flow::Goto(target)),
                Load(r) => {
                    let v = self.regs[self.reg(r)?];
                    self.stack.push(v)?;
                }
                Store(r) => {
                    let at = self.reg(r)?;
                    self.regs[at] = self.stack.pop()?;
                }
                Halt => return Ok(Flow::Stop),
            }
            Ok(Flow::Next)
        }

        pub(super) fn run<const N: usize>(&mut self, code: &[Instr; N], fuel: u32) -> Result<i32, Trap> {
            for _ in 0..fuel {
                let Some(&instr) = code.get(self.pc) else { break };
                match self.step(instr)? {
                    Flow::Next => self.pc += 1,
                    Flow::Goto(t) => self.pc = t.into(),
                    Flow::Stop => return self.stack.pop(),
                }
            }
            Err(Trap::OutOfFuel)
        }
    }

    // r0 = n; r1 = acc
    const FACTORIAL: &[Instr; 16] = &[
        Instr::Store(Reg(0)),
        Instr::Push(1),
        Instr::Store(Reg(1)),
        Instr::Load(Reg(0)),
        Instr::JumpIfZero { target: 14 },
        Instr::Load(Reg(0)),
        Instr::Load(Reg(1)),
        Instr::Bin(BinOp::Mul),
        Instr::Store(Reg(1)),
        Instr::Load(Reg(0)),
        Instr::Push(1),
        Instr::Bin(BinOp::Sub),
        Instr::Store(Reg(0)),
        Instr::Jump { target: 3 },
        Instr::Load(Reg(1)),
        Instr::Halt,
    ];

    pub(super) fn vm(i: u32, x: &[u32]) -> u32 {
        let mut vm = Vm::default();
        let start = vm.stack.push((x[i as usize] % 15) as i32);
        let result = start.and_then(|()| vm.run(FACTORIAL, 150));
        let small = [
            Instr::Push(7),
            Instr::Push(i as i32 % 3),
            Instr::Bin(BinOp::Div),
            Instr::Dup,
            Instr::Store(Reg((i % 6) as u8)),
            Instr::Halt,
        ];
        let other = Vm::default().run(&small, 10);
        let code = |r: Result<i32, Trap>| match r {
            Ok(v) => v as u32,
            Err(Trap::StackUnderflow) => 1,
            Err(Trap::StackOverflow) => 2,
            Err(Trap::DivideByZero { pc }) => 3 + pc as u32 * 16,
            Err(Trap::OutOfFuel) => 4,
            Err(Trap::BadRegister(Reg(n))) => 0x500 + u32::from(n),
        };
        code(result) ^ code(other) << 20
    }
});

domain!("domains_codes", {
    lz4, Lz4, plain_lz4;
    dfa, Dfa, plain_dfa;
    btree, Btree, plain_btree;
    checksums, Checksums, plain_checksums;
    vm, Vm, plain_vm;
});
