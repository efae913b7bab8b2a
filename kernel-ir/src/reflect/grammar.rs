//! The grammar of the instructions in compute modules: which words are ids, which are numbers. No meaning here.

use crate::binary::op;

/// The operands of an instruction, one letter each; `?` behind a letter for one that may lack, `*` for any number.
///
/// `t` result type, `r` result, `i` id, `l` one word, `s` text, `c` a constant's value, `a` memory accesses, `D` a decoration or
/// execution mode with its words, `L` loop control with its words, `P` pairs of ids, `S` pairs of a case's value and a label,
/// `O` an opcode and its ids.
pub(crate) const fn operands(opcode: u16) -> Option<&'static str> {
    Some(match opcode {
        op::NOP | op::FUNCTION_END | op::RETURN | op::UNREACHABLE | op::NO_LINE => "",
        op::BRANCH | op::RETURN_VALUE => "i",
        op::EXECUTION_MODE | op::DECORATE => "iD",
        op::MEMORY_BARRIER => "ii",
        op::LOOP_MERGE => "iiL",
        op::SWITCH => "iiS*",
        op::STORE => "iia?",
        op::COPY_MEMORY => "iia?a?",
        op::CONTROL_BARRIER => "iii",
        op::ATOMIC_STORE => "iiii",
        op::BRANCH_CONDITIONAL => "iiil*",
        op::SELECTION_MERGE => "il",
        op::MEMBER_DECORATE => "ilD",
        op::LINE => "ill",
        op::MEMBER_NAME => "ils",
        op::NAME => "is",
        op::CAPABILITY => "l",
        op::ENTRY_POINT => "lisi*",
        op::MEMORY_MODEL => "ll",
        op::SOURCE => "lli?s?",
        // Samplers and what other kinds of module have are read, so that types nobody uses can be left out.
        op::TYPE_VOID
        | op::TYPE_BOOL
        | op::TYPE_SAMPLER
        | op::TYPE_EVENT..=op::TYPE_RESERVE_ID
        | op::TYPE_PIPE
        | op::LABEL => "r",
        op::TYPE_OPAQUE => "rs",
        op::TYPE_QUEUE => "rl",
        op::TYPE_RUNTIME_ARRAY => "ri",
        op::TYPE_STRUCT => "ri*",
        op::TYPE_ARRAY => "rii",
        op::TYPE_FUNCTION => "rii*",
        op::TYPE_VECTOR | op::TYPE_MATRIX => "ril",
        op::TYPE_IMAGE => "rillllll",
        op::TYPE_SAMPLED_IMAGE => "ri",
        op::IMAGE_SAMPLE_EXPLICIT_LOD | op::IMAGE_FETCH => "triili",
        op::IMAGE_READ => "triil?i?",
        op::IMAGE_WRITE => "iiil?i?",
        op::IMAGE | op::IMAGE_QUERY_SIZE | op::IMAGE_QUERY_LEVELS => "tri",
        op::IMAGE_QUERY_SIZE_LOD => "trii",
        op::TYPE_POINTER => "rli",
        op::TYPE_INT => "rll",
        op::TYPE_FLOAT => "rl",
        op::STRING | op::EXT_INST_IMPORT => "rs",
        op::SOURCE_CONTINUED | op::SOURCE_EXTENSION | op::EXTENSION | op::MODULE_PROCESSED => "s",
        op::UNDEF
        | op::CONSTANT_TRUE
        | op::CONSTANT_FALSE
        | op::CONSTANT_NULL
        | op::SPEC_CONSTANT_TRUE
        | op::SPEC_CONSTANT_FALSE
        | op::FUNCTION_PARAMETER => "tr",
        op::SPEC_CONSTANT_OP => "trO",
        op::PHI => "trP*",
        op::CONSTANT | op::SPEC_CONSTANT => "trc",
        op::COPY_OBJECT
        | op::TRANSPOSE
        | op::CONVERT_F_TO_U..=op::QUANTIZE_TO_F16
        | op::BITCAST
        | op::S_NEGATE
        | op::F_NEGATE
        | op::ANY..=op::IS_INF
        | op::LOGICAL_NOT
        | op::NOT
        | op::BIT_REVERSE
        | op::BIT_COUNT
        | op::GROUP_NON_UNIFORM_ELECT
        | op::COPY_LOGICAL => "tri",
        op::CONSTANT_COMPOSITE | op::SPEC_CONSTANT_COMPOSITE | op::COMPOSITE_CONSTRUCT => "tri*",
        op::LOAD => "tria?",
        op::VECTOR_EXTRACT_DYNAMIC
        | op::I_ADD..=op::S_MUL_EXTENDED
        | op::LOGICAL_EQUAL..=op::LOGICAL_AND
        | op::I_EQUAL..=op::F_UNORD_GREATER_THAN_EQUAL
        | op::SHIFT_RIGHT_LOGICAL..=op::BITWISE_AND
        | op::GROUP_NON_UNIFORM_ALL..=op::GROUP_NON_UNIFORM_ALL_EQUAL
        | op::GROUP_NON_UNIFORM_BROADCAST_FIRST..=op::GROUP_NON_UNIFORM_INVERSE_BALLOT
        | op::GROUP_NON_UNIFORM_BALLOT_FIND_LSB
        | op::GROUP_NON_UNIFORM_BALLOT_FIND_MSB => "trii",
        op::FUNCTION_CALL | op::ACCESS_CHAIN | op::IN_BOUNDS_ACCESS_CHAIN => "trii*",
        op::VECTOR_INSERT_DYNAMIC
        | op::SELECT
        | op::BIT_FIELD_S_EXTRACT
        | op::BIT_FIELD_U_EXTRACT
        | op::ATOMIC_LOAD
        | op::ATOMIC_I_INCREMENT
        | op::ATOMIC_I_DECREMENT
        | op::GROUP_NON_UNIFORM_BROADCAST
        | op::GROUP_NON_UNIFORM_BALLOT_BIT_EXTRACT
        | op::GROUP_NON_UNIFORM_SHUFFLE..=op::GROUP_NON_UNIFORM_SHUFFLE_DOWN
        | op::GROUP_NON_UNIFORM_QUAD_BROADCAST
        | op::GROUP_NON_UNIFORM_QUAD_SWAP => "triii",
        op::BIT_FIELD_INSERT | op::ATOMIC_EXCHANGE | op::ATOMIC_I_ADD..=op::ATOMIC_XOR | op::ATOMIC_F_ADD_EXT => {
            "triiii"
        }
        op::ATOMIC_COMPARE_EXCHANGE => "triiiiii",
        op::VECTOR_SHUFFLE | op::COMPOSITE_INSERT => "triil*",
        op::ARRAY_LENGTH => "tril",
        op::COMPOSITE_EXTRACT => "tril*",
        op::GROUP_NON_UNIFORM_BALLOT_BIT_COUNT => "trili",
        op::EXT_INST => "trili*",
        op::GROUP_NON_UNIFORM_I_ADD..=op::GROUP_NON_UNIFORM_LOGICAL_XOR => "trilii?",
        op::FUNCTION => "trli",
        op::VARIABLE => "trli?",
        _ => return None,
    })
}

/// The section of a module that an instruction stands in; sections come in their order, and those of 9 and 10 are one.
pub(super) fn section(opcode: u16) -> u8 {
    match opcode {
        op::CAPABILITY => 0,
        op::EXTENSION => 1,
        op::EXT_INST_IMPORT => 2,
        op::MEMORY_MODEL => 3,
        op::ENTRY_POINT => 4,
        op::EXECUTION_MODE => 5,
        op::SOURCE_CONTINUED..=op::SOURCE_EXTENSION | op::STRING => 6,
        op::NAME | op::MEMBER_NAME => 7,
        op::MODULE_PROCESSED => 8,
        op::DECORATE | op::MEMBER_DECORATE => 9,
        op::TYPE_VOID..=op::SPEC_CONSTANT_OP => 10,
        _ => 11,
    }
}

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
