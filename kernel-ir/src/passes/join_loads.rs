//! Loads of neighbours as loads of words and vectors: four bytes of a `&[u8]` become a word, four of a `&[f32]` a vector.
//!
//! Neighbours are elements of a buffer that is only read, whose indices differ by constants, and which an invocation loads whatever
//! happens in between. Where they begin at a multiple of their size by the form of the index alone, nothing is asked. Where it takes
//! numbers of the launch, such as the width of a row, the host looks at these; a launch that does not meet the condition, or keeps a check of
//! one of the loads, has the loads one by one.

mod alignment;
mod rewrite;

use std::collections::BTreeMap;

use self::alignment::{Alignment, Form, Forms};
use super::Changed;
use crate::arena::{Arena, EntityId, SecondaryMap};
use crate::ir::{
    BlockId, BufferId, Function, InstId, InstKind, Kernel, Module, Place, Root, Site, SiteId, Step, ValueId,
};
use crate::layout::Layout;
use crate::op::Op;
use crate::rounds::definitions;
use crate::types::{Scalar, Type, TypeId, Types};

/// The sizes of what is loaded at once, in bytes.
const SIZES: [u32; 3] = [16, 8, 4];

/// Runs the pass.
pub fn run(module: &mut Module) -> Changed {
    let Some(kernel) = &module.kernel else { return Changed::No };
    let function = &module.functions[kernel.function];
    let mut buffers = SecondaryMap::of(&kernel.buffers);
    for (id, _) in kernel.buffers.iter() {
        buffers[id] = Elements::of(&module.types, kernel, id);
    }
    let is_candidate = |kind: &InstKind| load_of(kind).is_some_and(|(buffer, ..)| buffers[buffer].is_some());
    if function.insts.iter().filter(|(_, inst)| is_candidate(&inst.kind)).nth(1).is_none()
        && !kernel.buffers.ids().any(|id| buffers[id].is_some_and(|elements: Elements| elements.is_whole()))
    {
        return Changed::No;
    }
    let definitions = definitions(function);
    let forms = Forms::new(function, &module.types, &definitions);
    let mut finder = Finder {
        function,
        sites: &module.sites,
        buffers: &buffers,
        forms,
        loops: Vec::new(),
        depths: vec![0; function.values.len()],
    };
    let mut pieces = Vec::new();
    finder.block(function.entry, &mut pieces);
    if pieces.is_empty() {
        return Changed::No;
    }
    rewrite::run(module, pieces);
    Changed::Yes
}

/// How the elements of a buffer are made of numbers.
#[derive(Debug, Clone, Copy)]
struct Elements {
    ty: TypeId,
    /// The numbers, all of one type, without padding.
    scalar: Scalar,
    /// Bytes of an element, a power of two.
    bytes: u32,
}

impl Elements {
    /// Those of a buffer that nobody writes, if they may be joined.
    fn of(types: &Types, kernel: &Kernel, buffer: BufferId) -> Option<Self> {
        let buffer = &kernel.buffers[buffer];
        let is_plain = !buffer.writable && !buffer.is_list && !buffer.is_texels && buffer.image.is_none();
        let ty = buffer.element;
        let bytes = Layout::of(types, ty).filter(|_| is_plain)?.size;
        let scalar = only_scalar(types, ty)?;
        let is_fit = bytes.is_power_of_two() && bytes <= 8 && numbers(types, ty)? * scalar.bits() / 8 == bytes;
        // Structs and arrays are put together from words; vectors have numbers for lanes.
        let is_narrow = scalar.is_int() && scalar.bits() < 32;
        let is_number = matches!(types.get(ty), Type::Scalar(_)) && scalar.bits() <= 32;
        (is_fit && (is_narrow || is_number)).then_some(Self { ty, scalar, bytes })
    }

    /// Whether an element alone is a word or vector.
    fn is_whole(&self) -> bool {
        self.bytes >= 4 && self.scalar.bits() < 32 && self.scalar.is_int()
    }

    /// The scalar and lanes of so many bytes.
    fn joined(&self, bytes: u32) -> (Scalar, u8) {
        let scalar = if self.scalar.is_int() && self.scalar.bits() < 32 { Scalar::U32 } else { self.scalar };
        (scalar, (bytes * 8 / scalar.bits()) as u8)
    }
}

/// The type of all numbers that a type is made of, arrays and structs taken apart.
fn only_scalar(types: &Types, ty: TypeId) -> Option<Scalar> {
    match types.get(ty) {
        // There are no vectors of the second.
        Type::Scalar(Scalar::Bool | Scalar::Bf16) => None,
        Type::Scalar(scalar) => Some(*scalar),
        Type::Array(element, _) => only_scalar(types, *element),
        Type::Struct(id) => {
            let mut fields = types.struct_def(*id).fields.iter().map(|field| only_scalar(types, field.ty));
            let first = fields.next()??;
            fields.all(|scalar| scalar == Some(first)).then_some(first)
        }
        _ => None,
    }
}

fn numbers(types: &Types, ty: TypeId) -> Option<u32> {
    match types.get(ty) {
        Type::Scalar(_) => Some(1),
        Type::Array(element, len) => numbers(types, *element)?.checked_mul(len.known()?),
        Type::Struct(id) => types.struct_def(*id).fields.iter().map(|field| numbers(types, field.ty)).sum(),
        _ => None,
    }
}

/// The buffer, index and check of a load of a whole element.
fn load_of(kind: &InstKind) -> Option<(BufferId, ValueId, Option<SiteId>)> {
    match kind {
        InstKind::Load(Place { root: Root::Buffer(buffer), path, is_unordered: false }) => match path[..] {
            [Step::Index { value, check }] => Some((*buffer, value, check)),
            _ => None,
        },
        _ => None,
    }
}

/// A load of an element that may be joined with others.
#[derive(Debug, Clone)]
struct Loaded {
    inst: InstId,
    check: Option<SiteId>,
    /// Elements from the first one of the piece to this one.
    at: u32,
}

/// Loads of one block that become one.
#[derive(Debug)]
struct Piece {
    block: BlockId,
    buffer: BufferId,
    elements: Elements,
    bytes: u32,
    /// In the order of the program.
    loads: Vec<Loaded>,
    alignment: Alignment,
}

struct Finder<'m> {
    function: &'m Function,
    sites: &'m Arena<SiteId, Site>,
    buffers: &'m SecondaryMap<BufferId, Option<Elements>>,
    forms: Forms<'m>,
    /// Of the loops that are looked into, outermost first, whether they divide floats.
    loops: Vec<bool>,
    /// By value: how many loops it is computed anew in.
    depths: Vec<usize>,
}

/// The loads of one buffer whose indices differ by constants: by that constant, modulo 2^32.
type Neighbours = BTreeMap<u32, (InstId, Option<SiteId>)>;

impl Finder<'_> {
    fn block(&mut self, block: BlockId, pieces: &mut Vec<Piece>) {
        let mut run: Vec<((BufferId, Form), Neighbours)> = Vec::new();
        let function = self.function;
        for id in &function.blocks[block].insts {
            let kind = &function.insts[*id].kind;
            for result in &function.insts[*id].results {
                self.depths[result.index()] = self.loops.len();
            }
            if kind.has_blocks() || kind.is_terminator() || matches!(kind, InstKind::Call(..)) {
                self.flush(block, &mut run, pieces);
                if let InstKind::Loop { body, .. } = kind {
                    self.loops.push(self.divides(*body));
                    for param in &function.blocks[*body].params {
                        self.depths[param.index()] = self.loops.len();
                    }
                    self.block(*body, pieces);
                    self.loops.pop();
                    continue;
                }
                for inner in kind.blocks() {
                    self.block(inner, pieces);
                }
                continue;
            }
            let Some((buffer, index, check)) = load_of(kind) else { continue };
            // What nothing but the device can check may be out of range, and its neighbours then not.
            let is_settled = check.is_none_or(|site| self.sites[site].at_launch.is_some());
            if !is_settled || self.buffers[buffer].is_none() {
                continue;
            }
            let (form, constant) = self.forms.of(index);
            if !self.is_worth_it(buffer, &form) {
                continue;
            }
            let key = (buffer, form);
            let neighbours = match run.iter().position(|(known, _)| *known == key) {
                Some(at) => &mut run[at].1,
                None => {
                    run.push((key, Neighbours::new()));
                    &mut run.last_mut().expect("one was pushed").1
                }
            };
            neighbours.entry(constant).or_insert((*id, check));
        }
        self.flush(block, &mut run, pieces);
    }

    /// Whether drivers do not do better with elements one by one: they load those that a loop does not change once, in front of it, but
    /// take a word apart in each round; and they load the first number of a round ahead where a loop divides, but no vector
    /// (NVIDIA 580.159).
    fn is_worth_it(&self, buffer: BufferId, form: &Form) -> bool {
        let is_narrow = self.buffers[buffer].is_some_and(|elements| elements.scalar.bits() < 32);
        let is_anew = form.values().any(|value| self.depths[value.index()] == self.loops.len());
        match self.loops.last() {
            Some(divides) => {
                if is_narrow {
                    is_anew
                } else {
                    !divides
                }
            }
            None => form.values().next().is_some(),
        }
    }

    /// Whether a loop divides floats, whatever happens in it.
    fn divides(&self, body: BlockId) -> bool {
        let is_float = |value: &ValueId| self.forms.is_float(*value);
        self.function.blocks[body].insts.iter().any(|id| {
            let inst = &self.function.insts[*id];
            match &inst.kind {
                InstKind::Op(Op::Div, _) => inst.results.iter().any(is_float),
                InstKind::Loop { body, .. } => self.divides(*body),
                _ => false,
            }
        })
    }

    fn flush(&self, block: BlockId, run: &mut Vec<((BufferId, Form), Neighbours)>, pieces: &mut Vec<Piece>) {
        for ((buffer, form), mut neighbours) in run.drain(..) {
            let Some(elements) = self.buffers[buffer] else { continue };
            while let Some((&first, _)) = neighbours.first_key_value() {
                let Some((bytes, alignment)) = self.largest(&elements, &form, first, &neighbours) else {
                    neighbours.remove(&first);
                    continue;
                };
                let mut loads = Vec::new();
                for at in 0..bytes / elements.bytes {
                    let found = neighbours.remove(&first.wrapping_add(at));
                    loads.extend(found.map(|(inst, check)| Loaded { inst, check, at }));
                }
                let position = |inst: InstId| self.function.blocks[block].insts.iter().position(|known| *known == inst);
                loads.sort_by_key(|load| position(load.inst));
                pieces.push(Piece { block, buffer, elements, bytes, loads, alignment });
            }
        }
    }

    /// The most bytes that may be loaded at once from an element on, and under which conditions.
    fn largest(
        &self,
        elements: &Elements,
        form: &Form,
        first: u32,
        neighbours: &Neighbours,
    ) -> Option<(u32, Alignment)> {
        SIZES.into_iter().filter(|bytes| *bytes >= elements.bytes).find_map(|bytes| {
            let count = bytes / elements.bytes;
            let is_there = |at: &u32| neighbours.contains_key(&first.wrapping_add(*at));
            let all = (0..count).all(|at| is_there(&at));
            // Memory has whole words: one of which more than half is asked for is loaded.
            let most = bytes == 4 && (0..count).filter(is_there).count() as u32 * 2 > count;
            let is_gain = count > 1 || elements.is_whole();
            let is_shape = bytes > 4 || elements.scalar.bits() < 32;
            // Halves have no words, a vector of one is none, and eight halves are two vectors.
            let is_vector = elements.joined(bytes).1 <= 4;
            if !(all || most) || !is_gain || !is_shape || !is_vector || !first.is_multiple_of(count) {
                return None;
            }
            Some((bytes, self.forms.alignment(form, count)?))
        })
    }
}
