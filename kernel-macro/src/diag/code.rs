//! The table of error codes; each has a test and an entry in the error index.

macro_rules! codes {
    ($($name:ident $code:literal $title:literal;)+) => {
        /// An error code: `K0101`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub(crate) struct Code(&'static str, &'static str);

        $(#[doc = $title] pub(crate) const $name: Code = Code($code, $title);)+

        /// All codes in order.
        #[cfg(test)]
        pub(crate) const ALL: &[Code] = &[$($name),+];
    };
}

codes! {
    UNSUPPORTED_SYNTAX "K0001" "syntax that kernels do not support";
    BAD_ATTRIBUTE "K0002" "a wrong or missing attribute argument";
    BAD_SIGNATURE "K0003" "a function signature that a kernel or device fn cannot have";
    BAD_STRUCT "K0004" "a struct that cannot be `GpuData`";
    BAD_LITERAL "K0005" "a literal that is out of range or of an unsupported type";
    BAD_PATTERN "K0006" "an inconsistent pattern";
    NESTING "K0010" "an item that is nested too deeply";
    UNKNOWN_NAME "K0100" "a name that is not in scope";
    UNKNOWN_TYPE "K0101" "a type that is not known";
    MISMATCHED_TYPES "K0102" "an expression of another type than expected";
    BAD_OPERAND "K0103" "an operator on types that do not have it";
    UNKNOWN_METHOD "K0104" "a method or associated function that does not exist or is not supported";
    UNKNOWN_FIELD "K0105" "a field that does not exist";
    WRONG_ARGUMENTS "K0106" "a wrong number of arguments";
    BAD_CAST "K0107" "a cast that Rust does not allow";
    BAD_INDEX "K0108" "indexing of or by the wrong type";
    CANNOT_INFER "K0109" "a type that nothing determines";
    NOT_ASSIGNABLE "K0110" "an assignment to something that cannot be assigned";
    BAD_LOOP_CONTROL "K0111" "`break` or `continue` without its loop, or with the wrong label or value";
    BAD_CONST "K0112" "a const that cannot be evaluated";
    MISSING_VALUE "K0113" "a branch or function without the value it must have";
    BAD_FORMAT "K0114" "a format string, or an argument, that cannot be shown";
    REFERENCE_USE "K0115" "a reference in a place that does not allow one";
    UNMARKED "K0125" "an item without the attribute that makes it available to kernels";
    RECURSION "K0200" "a function that calls itself";
    PUSH_CONSTANTS "K0201" "more parameters by value than the push-constant block holds";
    WORKGROUP_SIZE "K0202" "a workgroup size that no device accepts";
    BUFFER_USE "K0203" "a buffer used as a value";
    UNINITIALISED "K0204" "a reference or slice that is not initialised where it is declared";
    PARAMETER_TYPE "K0205" "a parameter type that cannot reach the device";
    KERNEL_SIZE "K0206" "a kernel that becomes too large";
    ITEMS "K0207" "`items_per_invocation` on a kernel that cannot run several items";
    SHARED_USE "K0300" "shared memory declared or used in a place that does not allow it";
    ATOMIC_USE "K0301" "an atomic used as a plain value";
    MEMORY_ORDER "K0302" "a memory order or scope that the operation cannot have";
    SUBGROUP_OPERAND "K0303" "an argument that a subgroup operation does not take";
    SHARED_SIZE "K0304" "more shared memory than devices have";
    DIVERGENT_BARRIER "K0305" "a barrier that not all invocations of a workgroup reach";
    MATRIX_USE "K0306" "a cooperative matrix that is impossible, or is not used by all of the subgroup alike";
    RACE "K0307" "an access that may race with another invocation's";
    SPIRV_ARGUMENT "K0400" "a malformed `include_spirv!`";
    SPIRV_FILE "K0401" "a file for `include_spirv!` that cannot be read";
    SPIRV_MODULE "K0402" "a module for `include_spirv!` that cannot be launched";
    NO_GRADIENT "K0500" "an operation that no gradient flows through";
    LOST_VALUE "K0501" "an element that a gradient needs and that the kernel overwrites";
    GRADIENT_OF "K0502" "a parameter that has no gradient";
    INTERNAL "K0900" "a bug in the kernel compiler";
}

impl Code {
    /// `K0101`.
    pub(crate) const fn name(self) -> &'static str {
        self.0
    }

    /// The title that errors with this code share.
    #[cfg(test)]
    pub(crate) const fn title(self) -> &'static str {
        self.1
    }
}
