//! The grammar of the instructions in compute modules: which words are ids, which are numbers. No meaning here.

/// The operands of an instruction, one letter each; `?` behind a letter for one that may lack, `*` for any number.
///
/// `t` result type, `r` result, `i` id, `l` one word, `s` text, `c` a constant's value, `a` memory accesses, `D` a decoration or
/// execution mode with its words, `L` loop control with its words, `P` pairs of ids, `S` pairs of a case's value and a label,
/// `O` an opcode and its ids.
pub(crate) const fn operands(opcode: u16) -> Option<&'static str> {
    Some(match opcode {
        0 | 56 | 253 | 255 | 317 => "",
        249 | 254 => "i",
        16 | 71 => "iD",
        225 => "ii",
        246 => "iiL",
        251 => "iiS*",
        62 => "iia?",
        63 => "iia?a?",
        224 => "iii",
        228 => "iiii",
        250 => "iiil*",
        247 => "il",
        72 => "ilD",
        8 => "ill",
        6 => "ils",
        5 => "is",
        17 => "l",
        15 => "lisi*",
        14 => "ll",
        3 => "lli?s?",
        // Samplers and what other kinds of module have are read, so that types nobody uses can be left out.
        19 | 20 | 26 | 34..=36 | 38 | 248 => "r",
        31 => "rs",
        37 => "rl",
        29 => "ri",
        30 => "ri*",
        28 => "rii",
        33 => "rii*",
        23 | 24 => "ril",
        25 => "rillllll",
        27 => "ri",
        88 | 95 => "triili",
        98 => "triil?i?",
        99 => "iiil?i?",
        100 | 104 | 106 => "tri",
        103 => "trii",
        32 => "rli",
        21 => "rll",
        22 => "rl",
        7 | 11 => "rs",
        2 | 4 | 10 | 330 => "s",
        1 | 41 | 42 | 46 | 48 | 49 | 55 => "tr",
        52 => "trO",
        245 => "trP*",
        43 | 50 => "trc",
        83 | 84 | 109..=116 | 124 | 126 | 127 | 154..=157 | 168 | 200 | 204 | 205 | 333 | 400 => "tri",
        44 | 51 | 80 => "tri*",
        61 => "tria?",
        77 | 128..=152 | 164..=167 | 170..=191 | 194..=199 | 334..=336 | 338..=340 | 343 | 344 => "trii",
        57 | 65 | 66 => "trii*",
        78 | 169 | 202 | 203 | 227 | 232 | 233 | 337 | 341 | 345..=348 | 365 | 366 => "triii",
        201 | 229 | 234..=242 | 6035 => "triiii",
        230 => "triiiiii",
        79 | 82 => "triil*",
        68 => "tril",
        81 => "tril*",
        342 => "trili",
        12 => "trili*",
        349..=364 => "trilii?",
        54 => "trli",
        59 => "trli?",
        _ => return None,
    })
}

/// The section of a module that an instruction stands in; sections come in their order, and those of 9 and 10 are one.
pub(super) fn section(opcode: u16) -> u8 {
    match opcode {
        17 => 0,
        10 => 1,
        11 => 2,
        14 => 3,
        15 => 4,
        16 => 5,
        2..=4 | 7 => 6,
        5 | 6 => 7,
        330 => 8,
        71 | 72 => 9,
        19..=52 => 10,
        _ => 11,
    }
}

pub(crate) const EXT_INST_IMPORT: u16 = 11;
pub(crate) const EXT_INST: u16 = 12;
pub(crate) const EXTENSION: u16 = 10;
pub(crate) const MEMORY_MODEL: u16 = 14;
pub(crate) const ENTRY_POINT: u16 = 15;
pub(crate) const EXECUTION_MODE: u16 = 16;
pub(crate) const CAPABILITY: u16 = 17;
pub(crate) const NAME: u16 = 5;
pub(crate) const MEMBER_NAME: u16 = 6;
pub(crate) const UNDEF: u16 = 1;
pub(crate) const STRING: u16 = 7;
pub(crate) const LINE: u16 = 8;
pub(crate) const NO_LINE: u16 = 317;
pub(crate) const MODULE_PROCESSED: u16 = 330;
pub(crate) const TYPE_VOID: u16 = 19;
pub(crate) const TYPE_BOOL: u16 = 20;
pub(crate) const TYPE_INT: u16 = 21;
pub(crate) const TYPE_FLOAT: u16 = 22;
pub(crate) const TYPE_VECTOR: u16 = 23;
pub(crate) const TYPE_MATRIX: u16 = 24;
pub(crate) const TYPE_IMAGE: u16 = 25;
pub(crate) const TYPE_SAMPLED_IMAGE: u16 = 27;
pub(crate) const TYPE_ARRAY: u16 = 28;
pub(crate) const TYPE_RUNTIME_ARRAY: u16 = 29;
pub(crate) const TYPE_STRUCT: u16 = 30;
pub(crate) const TYPE_POINTER: u16 = 32;
pub(crate) const TYPE_FUNCTION: u16 = 33;
/// Opcodes from [`TYPE_VOID`] to this are declarations of types.
pub(crate) const TYPE_LAST: u16 = 38;
pub(crate) const CONSTANT_TRUE: u16 = 41;
pub(crate) const CONSTANT_FALSE: u16 = 42;
pub(crate) const CONSTANT: u16 = 43;
pub(crate) const CONSTANT_COMPOSITE: u16 = 44;
pub(crate) const CONSTANT_NULL: u16 = 46;
pub(crate) const SPEC_CONSTANT_TRUE: u16 = 48;
pub(crate) const SPEC_CONSTANT_FALSE: u16 = 49;
pub(crate) const SPEC_CONSTANT: u16 = 50;
pub(crate) const SPEC_CONSTANT_COMPOSITE: u16 = 51;
pub(crate) const SPEC_CONSTANT_OP: u16 = 52;
pub(crate) const FUNCTION: u16 = 54;
pub(crate) const FUNCTION_PARAMETER: u16 = 55;
pub(crate) const FUNCTION_END: u16 = 56;
pub(crate) const FUNCTION_CALL: u16 = 57;
pub(crate) const VARIABLE: u16 = 59;
pub(crate) const LABEL: u16 = 248;
pub(crate) const PHI: u16 = 245;
pub(crate) const LOOP_MERGE: u16 = 246;
pub(crate) const SELECTION_MERGE: u16 = 247;
pub(crate) const BRANCH: u16 = 249;
pub(crate) const BRANCH_CONDITIONAL: u16 = 250;
pub(crate) const SWITCH: u16 = 251;
pub(crate) const RETURN: u16 = 253;
pub(crate) const RETURN_VALUE: u16 = 254;
pub(crate) const UNREACHABLE: u16 = 255;
pub(crate) const DECORATE: u16 = 71;
pub(crate) const MEMBER_DECORATE: u16 = 72;

/// Capabilities that a module may have here, by number and name.
pub(crate) const CAPABILITIES: [(u32, &str); 32] = [
    (0, "Matrix"),
    (1, "Shader"),
    (9, "Float16"),
    (10, "Float64"),
    (11, "Int64"),
    (12, "Int64Atomics"),
    (22, "Int16"),
    (39, "Int8"),
    (43, "Sampled1D"),
    (44, "Image1D"),
    (49, "StorageImageExtendedFormats"),
    (50, "ImageQuery"),
    (61, "GroupNonUniform"),
    (62, "GroupNonUniformVote"),
    (63, "GroupNonUniformArithmetic"),
    (64, "GroupNonUniformBallot"),
    (65, "GroupNonUniformShuffle"),
    (66, "GroupNonUniformShuffleRelative"),
    (67, "GroupNonUniformClustered"),
    (68, "GroupNonUniformQuad"),
    (4433, "StorageBuffer16BitAccess"),
    (4435, "StoragePushConstant16"),
    (4448, "StorageBuffer8BitAccess"),
    (4450, "StoragePushConstant8"),
    (4464, "DenormPreserve"),
    (4466, "SignedZeroInfNanPreserve"),
    (4467, "RoundingModeRTE"),
    (5345, "VulkanMemoryModel"),
    (6033, "AtomicFloat32AddEXT"),
    (6034, "AtomicFloat64AddEXT"),
    (4441, "VariablePointersStorageBuffer"),
    (4442, "VariablePointers"),
];
