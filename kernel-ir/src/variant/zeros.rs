//! Zeros of floats that a driver's compiler does not know to be zeros.
//!
//! No zero of a float is a constant on drivers with [`Fault::SimplifiedZeros`](crate::faults::Fault::SimplifiedZeros), which fold
//! `x * 0.0`, `x + 0.0` and `0.0 / x` to their results for most numbers, and `x / 0.0` to zero.

use std::collections::BTreeMap;

use super::shape::Shape;

use crate::binary::{HEADER, Inst, built_in, class, decoration, inst_at, op, push};

/// Constants of more floats than this stay, as tables: what is read of them is hidden.
const MOST_FLOATS: usize = 64;

/// A type, of others that were declared before it.
enum Type<'a> {
    Float {
        width: u32,
    },
    Int {
        width: u32,
    },
    /// A vector, a matrix or an array.
    Parts {
        of: u32,
        count: usize,
    },
    Struct(&'a [u32]),
    Other,
}

/// A constant with zeros of floats in it, besides which it may have other parts.
enum Constant<'a> {
    Zero,
    /// A float.
    NegativeZero,
    Composite(&'a [u32]),
}

/// The declarations of a module.
#[derive(Default)]
struct Known<'a> {
    /// With the number of floats in each.
    types: BTreeMap<u32, (Type<'a>, usize)>,
    /// Constants to hide, with their types.
    hidden: BTreeMap<u32, (u32, Constant<'a>)>,
    /// Values of constants of 32 bits, for the lengths of arrays.
    numbers: BTreeMap<u32, u32>,
    word: Option<u32>,
    words: Option<u32>,
    single: Option<u32>,
    workgroups: Option<u32>,
    bool_: Option<u32>,
    /// Pointers to variables of one invocation.
    own_pointers: Vec<u32>,
    /// Whether constants that stay have zeros.
    has_tables: bool,
    /// Position of the first type, constant or variable, and of the first function.
    globals: usize,
    functions: usize,
}

impl<'a> Known<'a> {
    fn of(words: &'a [u32]) -> Self {
        let mut known = Self { globals: words.len(), functions: words.len(), ..Self::default() };
        let mut at = HEADER;
        while at < words.len() {
            let inst = inst_at(words, at);
            if inst.opcode == op::FUNCTION {
                known.functions = at;
                known.globals = known.globals.min(at);
                break;
            }
            if matches!(inst.opcode, op::TYPE_VOID..=op::TYPE_FUNCTION) {
                known.globals = known.globals.min(at);
            }
            known.read(inst);
            at += 1 + inst.words.len();
        }
        known
    }

    fn read(&mut self, inst: Inst<'a>) {
        match (inst.opcode, inst.words) {
            (op::DECORATE, [id, decoration::BUILT_IN, built_in::NUM_WORKGROUPS]) => self.workgroups = Some(*id),
            // Other formats of 16 bits have a word more, and no arithmetic.
            (op::TYPE_FLOAT, [id, width]) => {
                self.declare(*id, Type::Float { width: *width });
                self.single = self.single.or((*width == 32).then_some(*id));
            }
            (op::TYPE_INT, [id, width, sign]) => {
                self.declare(*id, Type::Int { width: *width });
                self.word = self.word.or(((*width, *sign) == (32, 0)).then_some(*id));
            }
            (op::TYPE_VECTOR | op::TYPE_MATRIX, [id, of, count @ 2..=4]) => {
                self.declare(*id, Type::Parts { of: *of, count: *count as usize });
                self.words = self.words.or((self.word == Some(*of) && *count == 3).then_some(*id));
            }
            (op::TYPE_ARRAY, [id, of, count]) => {
                let count = self.numbers.get(count).copied();
                self.declare(*id, count.map_or(Type::Other, |count| Type::Parts { of: *of, count: count as usize }));
            }
            (op::TYPE_STRUCT, [id, members @ ..]) => self.declare(*id, Type::Struct(members)),
            (op::TYPE_VOID..=op::TYPE_FUNCTION, [id, operands @ ..]) => {
                if inst.opcode == op::TYPE_BOOL {
                    self.bool_ = Some(*id);
                }
                if inst.opcode == op::TYPE_POINTER && matches!(operands, [class::FUNCTION | class::PRIVATE, _]) {
                    self.own_pointers.push(*id);
                }
                self.declare(*id, Type::Other);
            }
            (op::CONSTANT, [ty, id, bits @ ..]) => {
                if let [number] = bits {
                    self.numbers.insert(*id, *number);
                }
                if let Type::Float { width } = self.ty(*ty)
                    && let Some((high, low)) = bits.split_last()
                    && low.iter().all(|word| *word == 0)
                {
                    // Numbers of 16 bits are the low half of a word.
                    let sign = if *width == 16 { 1 << 15 } else { 1 << 31 };
                    if *high == 0 {
                        self.hidden.insert(*id, (*ty, Constant::Zero));
                    } else if *high == sign {
                        self.hidden.insert(*id, (*ty, Constant::NegativeZero));
                    }
                }
            }
            (op::CONSTANT_NULL, [ty, id]) => match self.floats(*ty) {
                0 => {}
                1..=MOST_FLOATS => _ = self.hidden.insert(*id, (*ty, Constant::Zero)),
                _ => self.has_tables = true,
            },
            (op::CONSTANT_COMPOSITE, [ty, id, parts @ ..]) => match self.floats(*ty) {
                0..=MOST_FLOATS if parts.iter().any(|part| self.hidden.contains_key(part)) => {
                    self.hidden.insert(*id, (*ty, Constant::Composite(parts)));
                }
                0..=MOST_FLOATS => {}
                _ => self.has_tables = true,
            },
            _ => {}
        }
    }

    /// Notes a type, which has no parts that come after it.
    fn declare(&mut self, id: u32, ty: Type<'a>) {
        let floats = match &ty {
            Type::Float { .. } => Some(1),
            Type::Int { .. } | Type::Other => Some(0),
            Type::Parts { of, count } => self.types.get(of).map(|(_, floats)| floats.saturating_mul(*count)),
            Type::Struct(members) => {
                members.iter().try_fold(0usize, |sum, member| Some(sum.saturating_add(self.types.get(member)?.1)))
            }
        };
        let ty = floats.map_or((Type::Other, 0), |floats| (ty, floats));
        self.types.entry(id).or_insert(ty);
    }

    fn ty(&self, id: u32) -> &Type<'a> {
        self.types.get(&id).map_or(&Type::Other, |(ty, _)| ty)
    }

    fn floats(&self, ty: u32) -> usize {
        self.types.get(&ty).map_or(0, |(_, floats)| *floats)
    }

    /// Whether an instruction may read a number of a table.
    fn may_read_table(&self, inst: Inst<'_>, types: &[u32]) -> bool {
        let [ty, _, from, ..] = inst.words else { return false };
        let from = types.get(*from as usize).copied().unwrap_or_default();
        let is_of_table = match inst.opcode {
            op::LOAD => self.own_pointers.contains(&from),
            op::COMPOSITE_EXTRACT => self.floats(from) > MOST_FLOATS,
            _ => false,
        };
        self.has_tables && is_of_table && (1..=MOST_FLOATS).contains(&self.floats(*ty))
    }

    /// Whether a type is an integer, or a vector of these.
    fn is_of_integers(&self, ty: u32) -> bool {
        match self.ty(ty) {
            Type::Int { .. } => true,
            Type::Parts { of, count } => *count <= 4 && matches!(self.ty(*of), Type::Int { .. }),
            _ => false,
        }
    }
}

/// Ids that the rewriting adds in front of functions.
struct Globals {
    words: u32,
    word: u32,
    single: u32,
    workgroups: u32,
    shift: u32,
    bool_: u32,
}

/// A variant whose zeros of floats, where they are operands, are made at run time, from the number of workgroups, which has no bit 31.
/// Integers that become floats are combined with such a zero, so that loops which a driver unrolls show it none.
///
/// A product or a sum with a zero that the driver knows, and a quotient of one, become what they are of most numbers: infinities, NaNs
/// and the signs of zeros are lost, and a number divided by zero is zero.
pub(super) fn hide_zeros(words: Vec<u32>) -> Vec<u32> {
    let known = Known::of(&words);
    let mut hiding =
        Hiding { known: &known, words: &words, types: Vec::new(), bound: words[3], nulls: BTreeMap::new() };
    let first = hiding.new_id();
    let globals = Globals {
        word: known.word.unwrap_or(first),
        words: known.words.unwrap_or_else(|| hiding.new_id()),
        single: known.single.unwrap_or_else(|| hiding.new_id()),
        workgroups: known.workgroups.unwrap_or_else(|| hiding.new_id()),
        shift: hiding.new_id(),
        bool_: known.bool_.unwrap_or_else(|| hiding.new_id()),
    };
    hiding.types = hiding.types_of_values();
    let mut functions = Vec::with_capacity(words.len() + 64);
    let mut is_changed = false;
    let mut at = known.functions;
    while at < words.len() {
        let end = hiding.end_of_function(at);
        is_changed |= hiding.function(at..end, &globals, &mut functions);
        at = end;
    }
    if !is_changed {
        return words;
    }
    hiding.module(&globals, &functions)
}

struct Hiding<'a> {
    known: &'a Known<'a>,
    words: &'a [u32],
    /// The type of each value.
    types: Vec<u32>,
    bound: u32,
    /// Null constants that are needed, by their types.
    nulls: BTreeMap<u32, u32>,
}

/// The zeros that a function computes at its beginning.
#[derive(Default)]
struct Made {
    code: Vec<u32>,
    /// A word that is zero.
    zero: Option<u32>,
    single: Option<u32>,
    always: Option<u32>,
    /// Zeros by type, of integers and of floats with all that has them.
    by_type: BTreeMap<u32, u32>,
    by_constant: BTreeMap<u32, u32>,
}

impl Hiding<'_> {
    fn new_id(&mut self) -> u32 {
        self.bound += 1;
        self.bound - 1
    }

    fn types_of_values(&self) -> Vec<u32> {
        let mut types = vec![0; self.words[3] as usize];
        let mut at = HEADER;
        while at < self.words.len() {
            let inst = inst_at(self.words, at);
            if let Some(shape) = Shape::of(inst.opcode)
                && shape.has_type
                && shape.has_result
                && let [ty, id, ..] = inst.words
            {
                types[*id as usize] = *ty;
            }
            at += 1 + inst.words.len();
        }
        types
    }

    fn end_of_function(&self, mut at: usize) -> usize {
        while at < self.words.len() {
            let inst = inst_at(self.words, at);
            at += 1 + inst.words.len();
            if inst.opcode == op::FUNCTION_END {
                break;
            }
        }
        at
    }

    /// Writes a function; whether anything was hidden in it.
    fn function(&mut self, range: std::ops::Range<usize>, globals: &Globals, out: &mut Vec<u32>) -> bool {
        let mut made = Made::default();
        let mut body = Vec::with_capacity(range.len() + 64);
        // Behind the first label and the variables, which come first.
        let mut beginning = None;
        let mut stores = Vec::new();
        let mut at = range.start;
        while at < range.end {
            let inst = inst_at(self.words, at);
            at += 1 + inst.words.len();
            match (inst.opcode, inst.words) {
                (op::VARIABLE, [ty, id, class, initial]) if self.known.hidden.contains_key(initial) => {
                    push(&mut body, op::VARIABLE, &[*ty, *id, *class]);
                    beginning = Some(body.len());
                    let value = self.hidden(*initial, globals, &mut made);
                    push(&mut stores, op::STORE, &[*id, value]);
                }
                (op::VARIABLE, _) => {
                    push(&mut body, inst.opcode, inst.words);
                    beginning = Some(body.len());
                }
                (op::LABEL, _) if beginning.is_none() => {
                    push(&mut body, inst.opcode, inst.words);
                    beginning = Some(body.len());
                }
                _ => self.instruction(inst, globals, &mut made, &mut body),
            }
        }
        let (first, rest) = body.split_at(beginning.unwrap_or(body.len()));
        for part in [first, &made.code, &stores, rest] {
            out.extend_from_slice(part);
        }
        !made.code.is_empty()
    }

    fn instruction(&mut self, inst: Inst<'_>, globals: &Globals, made: &mut Made, out: &mut Vec<u32>) {
        let Some(shape) = Shape::of(inst.opcode) else { return push(out, inst.opcode, inst.words) };
        let mut operands = Vec::with_capacity(inst.words.len());
        shape.each(inst.words, |word, is_id| {
            let is_hidden = is_id && self.known.hidden.contains_key(&word);
            operands.push(if is_hidden { self.hidden(word, globals, made) } else { word });
        });
        let makes_float = match inst.opcode {
            op::CONVERT_S_TO_F | op::CONVERT_U_TO_F => true,
            op::BITCAST => self.known.floats(inst.words[0]) > 0,
            _ => false,
        };
        if makes_float
            && let Some(from) = self.types.get(operands[2] as usize).copied()
            && self.known.is_of_integers(from)
        {
            let zero = self.zero_of(from, globals, made);
            let same = self.new_id();
            push(out, op::BITWISE_OR, &[from, same, operands[2], zero]);
            operands[2] = same;
        }
        if self.known.may_read_table(inst, &self.types) {
            let (ty, found) = (operands[0], operands[1]);
            let zero = self.zero_of(ty, globals, made);
            let always = self.always(globals, made);
            operands[1] = self.new_id();
            push(out, inst.opcode, &operands);
            push(out, op::SELECT, &[ty, found, always, operands[1], zero]);
        } else {
            push(out, inst.opcode, &operands);
        }
    }

    /// The id that takes a constant's place.
    fn hidden(&mut self, constant: u32, globals: &Globals, made: &mut Made) -> u32 {
        if let Some(id) = made.by_constant.get(&constant) {
            return *id;
        }
        let Some((ty, of)) = self.known.hidden.get(&constant) else { return constant };
        let id = match of {
            Constant::Zero => self.zero_of(*ty, globals, made),
            Constant::NegativeZero => {
                let zero = self.zero_of(*ty, globals, made);
                self.made_of(op::F_NEGATE, *ty, zero, made)
            }
            Constant::Composite(parts) => {
                let parts: Vec<u32> = parts.iter().map(|part| self.hidden(*part, globals, made)).collect();
                self.composite(*ty, &parts, made)
            }
        };
        made.by_constant.insert(constant, id);
        id
    }

    fn composite(&mut self, ty: u32, parts: &[u32], made: &mut Made) -> u32 {
        let id = self.new_id();
        let operands: Vec<u32> = [ty, id].iter().chain(parts).copied().collect();
        push(&mut made.code, op::COMPOSITE_CONSTRUCT, &operands);
        id
    }

    /// A zero of a type, with its floats and, alone or in vectors, its integers hidden.
    fn zero_of(&mut self, ty: u32, globals: &Globals, made: &mut Made) -> u32 {
        if let Some(id) = made.by_type.get(&ty) {
            return *id;
        }
        let id = match self.known.ty(ty) {
            Type::Float { .. } => {
                let single = self.single(globals, made);
                if ty == globals.single { single } else { self.made_of(op::F_CONVERT, ty, single, made) }
            }
            Type::Int { width } => {
                let zero = self.zero(globals, made);
                // Bits of one width combine, whatever their signs.
                if *width == 32 { zero } else { self.made_of(op::S_CONVERT, ty, zero, made) }
            }
            Type::Parts { of, count } => {
                let mut part = self.zero_of(*of, globals, made);
                // The word is unsigned, and parts are of their vector's type.
                if part == made.zero.unwrap_or(0) && *of != globals.word {
                    part = self.made_of(op::BITCAST, *of, part, made);
                }
                self.composite(ty, &vec![part; *count], made)
            }
            Type::Struct(members) => {
                let parts: Vec<u32> = members
                    .iter()
                    .map(|member| match self.known.floats(*member) {
                        0 => self.null(*member),
                        _ => self.zero_of(*member, globals, made),
                    })
                    .collect();
                self.composite(ty, &parts, made)
            }
            Type::Other => self.null(ty),
        };
        made.by_type.insert(ty, id);
        id
    }

    fn null(&mut self, ty: u32) -> u32 {
        if let Some(id) = self.nulls.get(&ty) {
            return *id;
        }
        let id = self.new_id();
        self.nulls.insert(ty, id);
        id
    }

    fn made_of(&mut self, opcode: u16, ty: u32, from: u32, made: &mut Made) -> u32 {
        let id = self.new_id();
        push(&mut made.code, opcode, &[ty, id, from]);
        id
    }

    fn single(&mut self, globals: &Globals, made: &mut Made) -> u32 {
        if let Some(id) = made.single {
            return id;
        }
        let zero = self.zero(globals, made);
        let id = self.made_of(op::BITCAST, globals.single, zero, made);
        made.single = Some(id);
        id
    }

    fn zero(&mut self, globals: &Globals, made: &mut Made) -> u32 {
        if let Some(id) = made.zero {
            return id;
        }
        let [all, first, zero] = [(); 3].map(|()| self.new_id());
        push(&mut made.code, op::LOAD, &[globals.words, all, globals.workgroups]);
        push(&mut made.code, op::COMPOSITE_EXTRACT, &[globals.word, first, all, 0]);
        push(&mut made.code, op::SHIFT_RIGHT_LOGICAL, &[globals.word, zero, first, globals.shift]);
        made.zero = Some(zero);
        zero
    }

    /// A condition that holds.
    fn always(&mut self, globals: &Globals, made: &mut Made) -> u32 {
        if let Some(id) = made.always {
            return id;
        }
        let (zero, null, id) = (self.zero(globals, made), self.null(globals.word), self.new_id());
        push(&mut made.code, op::I_EQUAL, &[globals.bool_, id, zero, null]);
        made.always = Some(id);
        id
    }

    /// The module, with these functions.
    fn module(&mut self, globals: &Globals, functions: &[u32]) -> Vec<u32> {
        let known = self.known;
        let mut out = Vec::with_capacity(self.words.len() + functions.len());
        out.extend_from_slice(&self.words[..HEADER]);
        let mut at = HEADER;
        while at < known.functions {
            let inst = inst_at(self.words, at);
            if at == known.globals && known.workgroups.is_none() {
                push(&mut out, op::DECORATE, &[globals.workgroups, decoration::BUILT_IN, built_in::NUM_WORKGROUPS]);
            }
            if inst.opcode == op::ENTRY_POINT && known.workgroups.is_none() {
                let operands: Vec<u32> = inst.words.iter().copied().chain([globals.workgroups]).collect();
                push(&mut out, inst.opcode, &operands);
            } else {
                push(&mut out, inst.opcode, inst.words);
            }
            at += 1 + inst.words.len();
        }
        if known.word.is_none() {
            push(&mut out, op::TYPE_INT, &[globals.word, 32, 0]);
        }
        if known.words.is_none() {
            push(&mut out, op::TYPE_VECTOR, &[globals.words, globals.word, 3]);
        }
        if known.single.is_none() {
            push(&mut out, op::TYPE_FLOAT, &[globals.single, 32]);
        }
        if known.bool_.is_none() {
            push(&mut out, op::TYPE_BOOL, &[globals.bool_]);
        }
        if known.workgroups.is_none() {
            let pointer = self.new_id();
            push(&mut out, op::TYPE_POINTER, &[pointer, class::INPUT, globals.words]);
            push(&mut out, op::VARIABLE, &[pointer, globals.workgroups, class::INPUT]);
        }
        push(&mut out, op::CONSTANT, &[globals.word, globals.shift, 31]);
        for (ty, id) in &self.nulls {
            push(&mut out, op::CONSTANT_NULL, &[*ty, *id]);
        }
        out.extend_from_slice(functions);
        out[3] = self.bound;
        out
    }
}
