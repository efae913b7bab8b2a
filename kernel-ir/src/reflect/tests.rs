//! Tests of reflection: real modules are read as they are, and no cut, flipped or random module panics or passes by
//! accident.

use super::*;
use crate::binary::op;

const SCALE: &[u8] = include_bytes!("../../../runtime/tests/modules/scale.spv");
const BINS: &[u8] = include_bytes!("../../../runtime/tests/modules/bins.spv");
const BLEND: &[u8] = include_bytes!("../../../runtime/tests/modules/blend.spv");

fn read(bytes: &[u8]) -> Result<Interface, ModuleError> {
    Interface::read(&words_of(bytes)?, None)
}

#[test]
fn the_interface_is_read() {
    let scale = read(SCALE).unwrap();
    assert_eq!((scale.entry_point.as_str(), scale.version), ("main", [1, 5]));
    let [x, y, z] = scale.workgroup;
    assert_eq!((x, y, z), (WorkgroupSize::Constant(7), WorkgroupSize::Known(1), WorkgroupSize::Known(1)));
    let buffers: Vec<_> =
        scale.buffers.iter().map(|buffer| (buffer.binding, buffer.is_writable, buffer.fixed_bytes)).collect();
    assert_eq!(buffers, [(0, false, 0), (1, true, 0)]);
    let f32 = DataType { scalar: ScalarType::F32, count: 1 };
    assert_eq!(scale.buffers[1].element, Some(Element { stride: 4, ty: Some(f32) }));
    let fields: Vec<_> =
        scale.push_constants.iter().map(|field| (field.offset, field.size, field.ty.unwrap().scalar)).collect();
    assert_eq!(fields, [(0, 4, ScalarType::U32), (4, 4, ScalarType::F32)]);
    assert_eq!(scale.push_constant_size, 8);
    let constants: Vec<_> =
        scale.constants.iter().map(|constant| (constant.number, constant.ty, constant.default)).collect();
    let expected = [
        (0, ScalarType::F32, u64::from(2.0f32.to_bits())),
        (1, ScalarType::I32, 0xffff_ffff),
        (3, ScalarType::Bool, 0),
        (7, ScalarType::U32, 1),
    ];
    assert_eq!(constants, expected);
}

#[test]
fn names_shared_memory_and_subgroups_are_read() {
    let bins = read(BINS).unwrap();
    assert_eq!(bins.workgroup, [64, 1, 1].map(WorkgroupSize::Known));
    assert_eq!(bins.shared_bytes, 64);
    assert!(bins.subgroup_operations.contains(SubgroupOperations::ARITHMETIC.union(SubgroupOperations::BASIC)));
    let [items, sums] = &bins.buffers[..] else { panic!("{bins:?}") };
    assert_eq!((items.fixed_bytes, items.element), (16, Some(Element { stride: 32, ty: None })));
    assert_eq!((sums.fixed_bytes, sums.element, sums.is_writable), (68, None, true));
    assert_eq!(items.name.as_deref(), Some("Items"));
}

#[test]
fn buffers_with_one_binding_are_one_argument() {
    let aliases = read(include_bytes!("../../../runtime/tests/modules/aliases.spv")).unwrap();
    let [values] = &aliases.buffers[..] else { panic!("{aliases:?}") };
    let vec4 = DataType { scalar: ScalarType::F32, count: 4 };
    assert_eq!((values.binding, values.slot, values.is_writable), (0, 0, true));
    assert_eq!(values.element, Some(Element { stride: 16, ty: Some(vec4) }));
}

#[test]
fn entry_points_are_named() {
    let words = words_of(SCALE).unwrap();
    assert_eq!(Interface::read(&words, Some("main")), Interface::read(&words, None));
    let error = Interface::read(&words, Some("other")).unwrap_err();
    assert_eq!(error.cause, "it has no entry point `other`; there are `main`");
}

#[test]
fn either_order_of_bytes_is_read() {
    let swapped: Vec<u8> = SCALE.chunks(4).flat_map(|word| word.iter().rev().copied()).collect();
    assert_eq!(read(&swapped), read(SCALE));
    assert!(read(&SCALE[..SCALE.len() - 1]).is_err());
}

#[test]
fn a_cut_module_is_none() {
    for module in [SCALE, BINS, BLEND] {
        let words = words_of(module).unwrap();
        for len in 0..words.len() {
            assert!(Interface::read(&words[..len], None).is_err(), "{len} words");
        }
    }
}

/// A small generator of numbers, the same in each run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

#[test]
fn damage_never_panics() {
    let mut numbers = Numbers(0x1234_5678_9abc_def1);
    for module in [SCALE, BINS, BLEND] {
        let words = words_of(module).unwrap();
        let mut accepted = 0;
        for _ in 0..4000 {
            let mut damaged = words.clone();
            for _ in 0..=numbers.next() % 3 {
                let at = (numbers.next() % words.len() as u64) as usize;
                damaged[at] = match numbers.next() % 4 {
                    0 => damaged[at] ^ 1 << (numbers.next() % 32),
                    1 => damaged[(numbers.next() % words.len() as u64) as usize],
                    2 => (numbers.next() % 200) as u32,
                    _ => numbers.next() as u32,
                };
            }
            accepted += u32::from(Interface::read(&damaged, None).is_ok());
        }
        // Names, literals and operators of the same kind may change without harm.
        assert!(accepted < 2400, "{accepted} of 4000 damaged modules are taken");
    }
    for _ in 0..2000 {
        let mut random: Vec<u32> = (0..numbers.next() % 64).map(|_| numbers.next() as u32).collect();
        assert!(Interface::read(&random, None).is_err());
        let header = [0x0723_0203, 0x1_0500, 0, 100, 0];
        random.splice(0..0, header);
        random.iter_mut().skip(5).for_each(|word| *word = (*word % 64) | ((*word >> 16 & 7) << 16));
        assert!(Interface::read(&random, None).is_err());
    }
}

/// The position of the first instruction with an opcode.
fn find(words: &[u32], opcode: u16) -> usize {
    let mut at = 5;
    while words[at] & 0xffff != u32::from(opcode) {
        at += (words[at] >> 16) as usize;
    }
    at
}

#[test]
fn refusals_say_why() {
    let words = words_of(SCALE).unwrap();
    let cause = |change: &dyn Fn(&mut Vec<u32>)| {
        let mut changed = words.clone();
        change(&mut changed);
        Interface::read(&changed, None).unwrap_err().cause
    };
    assert_eq!(cause(&|words| words[0] = 1), "its magic number is not that of SPIR-V in this machine's byte order");
    assert_eq!(cause(&|words| words[1] = 0x2_0000), "its version is not one from 1.0 to 1.6");
    assert_eq!(cause(&|words| words.truncate(words.len() - 2)), "a function has no end");
    let images = find(&words, op::CAPABILITY) + 1;
    assert_eq!(cause(&|words| words[images] = 56), "it needs the capability 56, which is not supported");
    let model = find(&words, op::ENTRY_POINT) + 1;
    assert_eq!(cause(&|words| words[model] = 0), "it has an entry point that is not for compute");
    let add = find(&words, 129);
    assert_eq!(
        cause(&|words| words[add + 3] = words[add + 1]),
        "an operation has operands or a result of types that it cannot have"
    );
    assert!(cause(&|words| words[add] = 0x0005_0080).starts_with("an operation has operands"));
    let store = find(&words, 62);
    assert_eq!(
        cause(&|words| words.swap(store + 1, store + 2)),
        "an access to memory has a pointer or a value of another type"
    );
}

/// Modules in the folder that `GRIDWISE_MODULES` names are all taken; nothing without it.
#[test]
fn modules_of_a_folder_are_taken() {
    let Some(folder) = std::env::var_os("GRIDWISE_MODULES") else { return };
    let mut refused = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if let Err(error) = read(&std::fs::read(&path).unwrap()) {
            refused.push(format!("{}: {error}", path.display()));
        }
    }
    assert!(refused.is_empty(), "{}: {:#?}", refused.len(), &refused[..refused.len().min(20)]);
}

#[test]
fn images_are_read() {
    let blend = read(BLEND).unwrap();
    assert!(blend.buffers.is_empty());
    let image = |binding, name: &str, access, format, kind| {
        let name = Some(name.to_owned());
        ImageBinding { set: 0, binding, slot: binding, name, access, format, kind, dimensions: 2 }
    };
    let rgba8 = Some(ImageFormat::Rgba8Unorm);
    let expected = [
        image(0, "from", ImageAccess::Load, rgba8, TexelKind::Float),
        image(1, "to", ImageAccess::Store, rgba8, TexelKind::Float),
        image(3, "pattern", ImageAccess::Sample, None, TexelKind::Float),
    ];
    assert_eq!(blend.images, expected);
}

/// Changes operands of an instruction with this opcode whose operand at a place has a value.
fn with_operand(opcode: u32, place: usize, value: u32, change: impl Fn(&mut [u32])) -> Vec<u32> {
    let mut words = words_of(BLEND).unwrap();
    let mut at = 5;
    while at < words.len() {
        let (found, len) = (words[at] & 0xffff, words[at] as usize >> 16);
        if found == opcode && words[at + 1 + place] == value {
            change(&mut words[at + 1..at + len]);
            return words;
        }
        at += len;
    }
    panic!("no such instruction");
}

#[test]
fn images_that_are_not_supported_are_refused() {
    let refused = |words: Vec<u32>, says: &str| {
        let error = Interface::read(&words, None).unwrap_err();
        assert!(error.cause.contains(says), "{error}");
    };
    // Of a type: the texel, dimensions, depth, layers, samples, whether it is sampled, the format.
    let storage = |change: &dyn Fn(&mut [u32])| with_operand(25, 6, 2, change);
    refused(storage(&|image| image[7] = 0), "a storage image has no format");
    refused(storage(&|image| image[2] = 3), "an image is of a kind that is not supported");
    refused(storage(&|image| image[4] = 1), "an image is of a kind that is not supported");
    refused(storage(&|image| image[5] = 1), "an image is of a kind that is not supported");
    refused(storage(&|image| image[7] = 33), "texels of another kind than its format");
    refused(storage(&|image| image[6] = 1), "");
    // Decorations: a binding that another has, and no set.
    refused(with_operand(71, 1, 33, |decoration| decoration[2] = 3), "have the binding 3");
    refused(with_operand(71, 1, 34, |decoration| decoration[..3].copy_from_slice(&[0, 23, 0])), "");
    // A read of an image that is sampled, and a place of another type.
    refused(with_operand(99, 0, operand(99, 0), |write| write[1] = write[2]), "an operation on an image");
    refused(with_operand(98, 0, operand(98, 0), |read| read[3] = read[2]), "an operation on an image");
}

#[test]
fn images_of_integers_may_say_how_texels_are_extended() {
    let with_mask = |mask: u32| {
        let mut words = words_of(BLEND).unwrap();
        let read = find(&words, 98);
        words[read] += 1 << 16;
        words.insert(read + (words[read] >> 16) as usize - 1, mask);
        Interface::read(&words, None)
    };
    assert!(with_mask(0x1000).is_ok() && with_mask(0x2000).is_ok());
    assert!(with_mask(0x4000).unwrap_err().cause.contains("an operation on an image"));
}

/// The operand of the first instruction with this opcode.
fn operand(opcode: u32, place: usize) -> u32 {
    let words = words_of(BLEND).unwrap();
    let mut at = 5;
    while words[at] & 0xffff != opcode {
        at += words[at] as usize >> 16;
    }
    words[at + 1 + place]
}

/// Assembled by hand: a header, and instructions of opcodes and operands.
fn module(version: u32, insts: &[(u32, &[u32])]) -> Vec<u32> {
    let op = |(code, operands): &(u32, &[u32])| [&[(operands.len() as u32 + 1) << 16 | code], *operands].concat();
    [vec![0x0723_0203, version, 0, 40, 0], insts.iter().flat_map(op).collect()].concat()
}

const MAIN: u32 = u32::from_le_bytes(*b"main");

/// Reads `%13`, in the class and with the decorations that are given, and writes `%14` in set 1; both are `uint[4]` in a block.
fn copies(version: u32, memory_model: u32, class: u32, block: u32, extra: &[u32]) -> Vec<u32> {
    let decorations: [(u32, &[u32]); 8] = [
        (71, &[7, 6, 16]),
        (72, &[8, 0, 35, 0]),
        (71, &[8, block]),
        (71, &[13, 34, 0]),
        (71, &[13, 33, 2]),
        (71, &[14, 34, 1]),
        (71, &[14, 33, 5]),
        (71, extra),
    ];
    let head: [(u32, &[u32]); 4] =
        [(17, &[1]), (14, &[0, memory_model]), (15, &[5, 3, MAIN, 0]), (16, &[3, 17, 1, 1, 1])];
    let rest: [(u32, &[u32]); 19] = [
        (19, &[1]),
        (33, &[2, 1]),
        (21, &[5, 32, 0]),
        (43, &[5, 6, 4]),
        (28, &[7, 5, 6]),
        (30, &[8, 7]),
        (32, &[9, class, 8]),
        (32, &[10, class, 5]),
        // A sampler, and a pointer to inputs of other stages: nothing uses them.
        (26, &[11]),
        (32, &[12, 3, 5]),
        (59, &[9, 13, class]),
        (59, &[9, 14, class]),
        (43, &[5, 15, 0]),
        (54, &[1, 3, 0, 2]),
        (248, &[4]),
        (65, &[10, 16, 13, 15, 15]),
        (61, &[5, 17, 16]),
        (65, &[10, 18, 14, 15, 15]),
        (62, &[18, 17]),
    ];
    let end: [(u32, &[u32]); 2] = [(253, &[]), (56, &[])];
    let decorations = &decorations[..if extra.is_empty() { 7 } else { 8 }];
    module(version, &[&head[..], decorations, &rest[..], &end[..]].concat())
}

#[test]
fn older_and_other_ways_to_write_a_module_are_made_plain() {
    // The memory model `Simple`, and uniform buffers.
    for (model, class, block) in [(0, 12, 2), (1, 12, 2), (1, 2, 2), (1, 2, 3)] {
        for version in [0x1_0000, 0x1_0300, 0x1_0500] {
            let given = copies(version, model, class, block, &[]);
            let (words, interface) = Interface::accept(&given, None).unwrap();
            let places: Vec<_> = interface.buffers.iter().map(|b| (b.set, b.binding, b.slot, b.is_writable)).collect();
            assert_eq!(places, [(0, 2, 0, false), (1, 5, 1, true)], "{model} {class} {block}");
            // Plain words are accepted as they are, and say the same.
            let (again, plain) = Interface::accept(&words, None).unwrap();
            assert_eq!(again, words);
            let places: Vec<_> = plain.buffers.iter().map(|b| (b.set, b.binding, b.is_writable)).collect();
            assert_eq!(places, [(0, 0, false), (0, 1, true)]);
            let has = |inst: &[u32]| words.windows(inst.len()).any(|found| found == inst);
            assert!(has(&[3 << 16 | 14, 0, 1]), "the memory model is GLSL450");
            assert!(!has(&[2 << 16 | 26, 11]) && !has(&[4 << 16 | 32, 12, 3, 5]), "unused types are gone");
            let is_old_kind = (class, block) == (2, 3);
            assert_eq!(has(&[4 << 16 | 59, 9, 13, 12]), !is_old_kind);
            let extension = u32::from_le_bytes(*b"SPV_");
            assert_eq!(has(&[extension]), version < 0x1_0300 && !is_old_kind);
        }
    }
    assert!(Interface::read(&copies(0x1_0300, 2, 12, 2, &[]), None).is_err(), "OpenCL's memory model");
}

#[test]
fn writes_are_found_where_they_are() {
    let given = copies(0x1_0300, 1, 12, 2, &[14, 24]);
    let error = Interface::read(&given, None).unwrap_err();
    assert_eq!(error.cause, "it writes a buffer that it declares not to write");
    let restricted = copies(0x1_0300, 1, 12, 2, &[13, 19]);
    let (words, interface) = Interface::accept(&restricted, None).unwrap();
    assert!(interface.buffers[0].is_restrict && !interface.buffers[1].is_restrict);
    assert!(interface.aliased(&words).is_err());
    let read_only = copies(0x1_0300, 1, 12, 2, &[13, 24]);
    let (words, interface) = Interface::accept(&read_only, None).unwrap();
    let aliased = interface.aliased(&words).unwrap();
    let has = |inst: &[u32]| aliased.windows(inst.len()).any(|found| found == inst);
    assert!(has(&[3 << 16 | 71, 13, 20]) && has(&[3 << 16 | 71, 14, 20]) && !has(&[3 << 16 | 71, 13, 24]));
    assert!(Interface::read(&aliased, None).is_ok());
}

#[test]
fn samplers_apart_are_refused() {
    let error = read(include_bytes!("../../../runtime/tests/modules/apart.spv")).unwrap_err();
    assert!(error.cause.contains("samplers of their own"), "{error}");
}
