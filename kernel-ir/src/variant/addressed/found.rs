//! A module's buffers, the pointers into them with their alignments, and its push constants, as addresses need them.

use super::AddressDesc;
use crate::binary::{HEADER, class, decoration, inst_at, op, positions};

/// A buffer that gets an address.
pub(super) struct FoundBuffer {
    /// Its number among all that have an address.
    pub(super) place_in_list: u32,
    /// The buffer before it that has the same address, if it is another variable for that.
    pub(super) same_as: Option<usize>,
    /// The type of its elements, which are the only member of its block.
    pub(super) elements: u32,
    /// Those of the variable that its member keeps.
    pub(super) decorations: Vec<u32>,
    /// The new block.
    pub(super) block: u32,
    /// The new pointer to the block.
    pub(super) pointer: u32,
    /// The new pointer to the pointer, among the push constants.
    pub(super) place: u32,
    /// The new constant that tells which member of the push constants it is.
    pub(super) number: u32,
}

/// A type of pointers into buffers.
pub(super) struct Pointer {
    ty: u32,
    pub(super) of: u32,
    /// The type of the same pointers as addresses.
    pub(super) twin: Option<u32>,
    /// Whether the module has that type.
    pub(super) is_there: bool,
}

/// The push constants: ids of zero, and no members, where the module has none.
#[derive(Default)]
pub(super) struct Push {
    pub(super) variable: u32,
    pub(super) pointer: u32,
    pub(super) block: u32,
    pub(super) members: Vec<u32>,
    pub(super) is_there: bool,
}

impl Push {
    pub(super) fn ids(&self) -> [u32; 3] {
        [self.variable, self.pointer, self.block]
    }

    pub(super) fn ids_mut(&mut self) -> [&mut u32; 3] {
        [&mut self.variable, &mut self.pointer, &mut self.block]
    }
}

/// A type, as far as memory goes.
#[derive(Clone, Copy, Default)]
enum Ty<'a> {
    #[default]
    Other,
    /// So many bytes.
    Scalar(u32),
    /// Elements beside each other.
    Vector(u32),
    /// Elements, some bytes apart.
    Array(u32),
    Struct(&'a [u32]),
    Pointer(u32, u32),
}

/// The facts about a module that addresses need.
pub(super) struct Found<'a> {
    types: Vec<Ty<'a>>,
    /// Of each array's type, bytes from one element to the next.
    strides: Vec<u32>,
    /// Of each member of a block, with its offset.
    offsets: Vec<(u32, u32, u32)>,
    constants: Vec<Option<u32>>,
    /// For each id the number of its buffer, and one more.
    numbers: Vec<u32>,
    /// For each pointer into a buffer its alignment; zero for all other ids.
    pub(super) chains: Vec<u32>,
    pub(super) buffers: Vec<FoundBuffer>,
    pub(super) pointers: Vec<Pointer>,
    pub(super) push: Push,
    /// The type of words.
    pub(super) word: u32,
    /// Position of the first function.
    pub(super) functions: usize,
    /// For each function, which buffers it uses.
    pub(super) uses: Vec<Vec<bool>>,
}

impl<'a> Found<'a> {
    /// `None` where the module has no such buffers, or uses one by ways that addresses do not have.
    pub(super) fn of(words: &'a [u32], desc: &AddressDesc<'_>) -> Option<Self> {
        let bound = *words.get(3)? as usize;
        let mut found = Self {
            types: vec![Ty::Other; bound],
            strides: vec![0; bound],
            offsets: Vec::new(),
            constants: vec![None; bound],
            numbers: vec![0; bound],
            chains: vec![0; bound],
            buffers: Vec::new(),
            pointers: Vec::new(),
            push: Push::default(),
            word: 0,
            functions: words.len(),
            uses: Vec::new(),
        };
        let mut variables = Vec::new();
        let mut bindings = Vec::new();
        let mut decorations = Vec::new();
        for at in positions(words, HEADER, words.len()) {
            let inst = inst_at(words, at);
            match (inst.opcode, inst.words) {
                (op::DECORATE, [id, decoration::BINDING, number]) => bindings.push((*id, *number)),
                (op::DECORATE, [id, decoration::ARRAY_STRIDE, stride]) => found.strides[*id as usize] = *stride,
                (op::DECORATE, [id, kept]) => decorations.push((*id, *kept)),
                (op::MEMBER_DECORATE, [id, member, decoration::OFFSET, offset]) => {
                    found.offsets.push((*id, *member, *offset));
                }
                (op::CONSTANT, [_, id, bits]) => found.constants[*id as usize] = Some(*bits),
                (op::VARIABLE, [ty, id, class, ..]) => variables.push((*ty, *id, *class)),
                (op::FUNCTION, _) => {
                    found.functions = at;
                    break;
                }
                (opcode, operands) => found.add_type(opcode, operands),
            }
        }
        found.add_push(&variables);
        // A variant has what it uses; a batch reads some buffers in two ways, by a variable each.
        for (variable, number) in bindings {
            let Some(place_in_list) = desc.bindings.iter().position(|of| *of == number) else { continue };
            let (ty, ..) =
                *variables.iter().find(|(_, id, class)| (*id, *class) == (variable, class::STORAGE_BUFFER))?;
            let Ty::Pointer(_, block) = found.types[ty as usize] else { return None };
            let Ty::Struct([elements]) = found.types[block as usize] else { return None };
            let is_kept =
                |kept: u32| [decoration::RESTRICT, decoration::NON_WRITABLE, decoration::NON_READABLE].contains(&kept);
            let of_variable = decorations.iter().filter(|(id, kept)| *id == variable && is_kept(*kept));
            let place_in_list = place_in_list as u32;
            found.buffers.push(FoundBuffer {
                place_in_list,
                same_as: found.buffers.iter().position(|other| other.place_in_list == place_in_list),
                elements: *elements,
                decorations: of_variable.map(|(_, kept)| *kept).collect(),
                block: 0,
                pointer: 0,
                place: 0,
                number: 0,
            });
            found.numbers[variable as usize] = found.buffers.len() as u32;
        }
        let is_whole = !found.buffers.is_empty() && found.word != 0 && found.add_functions(words, desc.alignment);
        is_whole.then_some(found)
    }

    fn add_type(&mut self, opcode: u16, operands: &'a [u32]) {
        let (id, ty) = match (opcode, operands) {
            (op::TYPE_INT, [id, bits, signed]) => {
                if (*bits, *signed) == (32, 0) {
                    self.word = *id;
                }
                (*id, Ty::Scalar(bits / 8))
            }
            (op::TYPE_FLOAT, [id, bits]) => (*id, Ty::Scalar(bits / 8)),
            (op::TYPE_VECTOR, [id, of, _]) => (*id, Ty::Vector(*of)),
            (op::TYPE_ARRAY, [id, of, _]) | (op::TYPE_RUNTIME_ARRAY, [id, of]) => (*id, Ty::Array(*of)),
            (op::TYPE_STRUCT, [id, members @ ..]) => (*id, Ty::Struct(members)),
            (op::TYPE_POINTER, [id, class, of]) => (*id, Ty::Pointer(*class, *of)),
            _ => return,
        };
        self.types[id as usize] = ty;
    }

    fn add_push(&mut self, variables: &[(u32, u32, u32)]) {
        let Some((pointer, variable, _)) = variables.iter().find(|(.., class)| *class == class::PUSH_CONSTANT) else {
            return;
        };
        let Ty::Pointer(_, block) = self.types[*pointer as usize] else { return };
        let Ty::Struct(members) = self.types[block as usize] else { return };
        self.push = Push { variable: *variable, pointer: *pointer, block, members: members.to_vec(), is_there: true };
    }

    /// The buffers that are members of the push constants, in their order.
    pub(super) fn members(&self) -> impl Iterator<Item = &FoundBuffer> {
        self.buffers.iter().filter(|buffer| buffer.same_as.is_none())
    }

    /// The number of the buffer with this variable.
    pub(super) fn buffer(&self, id: u32) -> Option<usize> {
        (*self.numbers.get(id as usize)? as usize).checked_sub(1)
    }

    pub(super) fn is_buffer(&self, id: u32) -> bool {
        self.buffer(id).is_some()
    }

    /// The type of such pointers as addresses.
    pub(super) fn twin(&self, ty: u32) -> u32 {
        self.pointers.iter().find(|pointer| pointer.ty == ty).and_then(|pointer| pointer.twin).unwrap_or(ty)
    }

    /// The alignment of a pointer into a buffer; zero for others.
    pub(super) fn alignment(&self, id: u32) -> u32 {
        self.chains.get(id as usize).copied().unwrap_or(0)
    }

    /// Finds the pointers into buffers; false where something else than a load, a store or an atomic uses one.
    fn add_functions(&mut self, words: &[u32], base: u32) -> bool {
        // What each pointer leads to.
        let mut targets = vec![0; self.types.len()];
        for at in positions(words, self.functions, words.len()) {
            let inst = inst_at(words, at);
            let is_taken = |id: &u32| self.is_buffer(*id) || self.alignment(*id) != 0;
            match (inst.opcode, inst.words) {
                (op::FUNCTION, _) => self.uses.push(vec![false; self.buffers.len()]),
                (op::ACCESS_CHAIN | op::IN_BOUNDS_ACCESS_CHAIN, [ty, id, from, path @ ..]) if is_taken(from) => {
                    let (start, of) = match self.buffer(*from) {
                        Some(buffer) => {
                            if let Some(uses) = self.uses.last_mut() {
                                uses[buffer] = true;
                            }
                            (base, None)
                        }
                        None => (self.alignment(*from), Some(targets[*from as usize])),
                    };
                    let (alignment, of) = match of {
                        Some(of) => self.walk(start, of, path),
                        // The elements are the block's first member, at its start.
                        None => self.walk(start, self.buffers[self.buffer(*from).unwrap_or(0)].elements, &path[1..]),
                    };
                    self.chains[*id as usize] = alignment;
                    targets[*id as usize] = of;
                    self.add_pointer(*ty);
                }
                (
                    op::FUNCTION_CALL | op::PHI | op::SELECT | op::COPY_OBJECT | op::COPY_MEMORY | op::RETURN_VALUE,
                    operands,
                ) if operands.iter().any(is_taken) => return false,
                (op::ATOMIC_STORE, [_, _, semantics, ..])
                | (op::ATOMIC_LOAD | op::ATOMIC_EXCHANGE..=op::ATOMIC_XOR, [_, _, _, _, semantics, ..])
                    if self.orders(*semantics) =>
                {
                    return false;
                }
                (op::MEMORY_BARRIER, _) => return false,
                (op::ARRAY_LENGTH | op::COOPERATIVE_MATRIX_LOAD_KHR, [_, _, pointer, ..])
                | (op::COOPERATIVE_MATRIX_STORE_KHR, [pointer, ..])
                    if is_taken(pointer) =>
                {
                    return false;
                }
                _ => {}
            }
        }
        true
    }

    /// Whether an atomic operation with these semantics orders others: acquires, releases, or both.
    fn orders(&self, semantics: u32) -> bool {
        const ORDERS: u32 = 2 | 4 | 8;
        self.constants.get(semantics as usize).copied().flatten().is_none_or(|bits| bits & ORDERS != 0)
    }

    /// The alignment of what a path leads to from a place of such an alignment and type, and its type.
    fn walk(&self, mut alignment: u32, mut of: u32, path: &[u32]) -> (u32, u32) {
        for index in path {
            let known = self.constants.get(*index as usize).copied().flatten();
            let stride = match self.types[of as usize] {
                Ty::Struct(members) => {
                    let member = known.unwrap_or(0);
                    let offset =
                        self.offsets.iter().find(|(id, at, _)| (*id, *at) == (of, member)).map_or(0, |found| found.2);
                    of = members.get(member as usize).copied().unwrap_or(0);
                    offset
                }
                Ty::Array(element) => {
                    let stride = self.strides[of as usize];
                    of = element;
                    known.map_or(stride, |index| index.wrapping_mul(stride))
                }
                Ty::Vector(element) => {
                    of = element;
                    let stride = self.largest_scalar(element);
                    known.map_or(stride, |index| index * stride)
                }
                Ty::Other | Ty::Scalar(_) | Ty::Pointer(..) => 0,
            };
            if stride != 0 {
                alignment = alignment.min(1 << stride.trailing_zeros());
            }
        }
        // A scalar layout puts every number at a multiple of its size.
        (alignment.max(self.largest_scalar(of)), of)
    }

    fn largest_scalar(&self, ty: u32) -> u32 {
        match self.types[ty as usize] {
            Ty::Scalar(bytes) => bytes,
            Ty::Vector(of) | Ty::Array(of) => self.largest_scalar(of),
            Ty::Struct(members) => members.iter().map(|member| self.largest_scalar(*member)).max().unwrap_or(1),
            Ty::Pointer(..) => 8,
            Ty::Other => 1,
        }
    }

    fn add_pointer(&mut self, ty: u32) {
        let Ty::Pointer(_, of) = self.types[ty as usize] else { return };
        if self.pointers.iter().any(|pointer| pointer.ty == ty) {
            return;
        }
        let is_twin = |other: &Ty<'_>| matches!(other, Ty::Pointer(class::PHYSICAL_STORAGE_BUFFER, to) if *to == of);
        let twin = self.types.iter().position(is_twin).map(|id| id as u32);
        self.pointers.push(Pointer { ty, of, twin, is_there: twin.is_some() });
    }
}
