//! The text format, read: [`parse`] turns what [`print`](crate::print) writes back into a module. It does not verify.
//!
//! # Grammar
//! `;` starts a comment, except in array types; line ends mean nothing. `[x]` may be left out, `x*` repeats, `x,*` repeats with commas.
//! A *name* is an identifier or a `"string"` with Rust's escapes. Ids of what is declared in lists (`file`, `site`, `struct`,
//! `constant`, `buffer`, `param`, `shared`, `fn`, `local`) count up from 0; ids of values and blocks are free, and kept.
//!
//! ```text
//! module   = file* site* struct* [kernel] function*
//! file     = fileN "path"
//! site     = siteN kind location "source text"           ; kind: index_out_of_bounds, divide_by_zero, ...
//! struct   = structN name [align(N)] { (name : type),* }
//! kernel   = kernel fnN workgroup(size, size, size) [subgroup(lanes)] [full]
//!            { (constantN name : scalar = bits)* (bufferN name : [type] [mut])* (paramN name : type)* (sharedN name : type)* }
//! function = fnN name(def,*) -> type [location] { (localN name : type)* inst* }
//! size     = N | constantN                                ; a const parameter of the kernel
//! type     = () | bool | i32 | u32 | f32 | vecN<scalar> | [type; size] | (type,*) | structN
//! def      = %N ["name"] : type
//! location = @fileN:line:column
//! place    = (localN | bufferN | sharedN) (.N | [%N] | [%N !siteN])*   ; with a site the access is checked
//! inst     = (def = pure | effect) [location]
//! pure     = const literal | <op> %N,* | compose %N,* | extract %N(.N)* | insert %N(.N)*, %N
//!          | paramN | constantN | <builtin> | len bufferN | load place | call fnN(%N,*) | atomic | <subgroup op> [(N)] %N,*
//! effect   = store place = %N | call fnN(%N,*) | trap siteN(%N, %N) | atomic | barrier scope | fence order scope
//!          | if %N [-> (def,*)] [location] block else block
//!          | switch %N [-> (def,*)] [location] { (case N block)* default block }
//!          | loop blockN((def = %N),*) [-> (def,*)] [location] block     ; blockN names the body and is the label
//!          | yield %N,* | break blockN(%N,*) | continue blockN(%N,*) | return [%N] | unreachable
//! atomic   = <atomic op> place (, %N)* order [order] scope   ; two orders: success and failure of a compare-exchange
//! order    = relaxed | acquire | release | acq_rel
//! scope    = subgroup | workgroup | device
//! block    = { inst* }
//! literal  = zero | true | false | 7 | -7 | 1.5 | 7u32 | 7i32 | 1.5f32 | bits 0x7fc00000   ; no suffix: the def's type
//! ```
//!
//! # Example
//! ```
//! let text = r#"file0 "src/main.rs"
//! site0 index_out_of_bounds @file0:5:5 "y[i]"
//! kernel fn0 workgroup(64, 1, 1) {
//!     buffer0 y: [f32] mut
//! }
//! fn0 halve() -> () @file0:3:1 {
//!     %0: vec3<u32> = global_id
//!     %1 "i": u32 = extract %0.0
//!     %2: f32 = load buffer0[%1 !site0] @file0:5:5
//!     %3: f32 = const 0.5
//!     %4: f32 = mul %2, %3
//!     store buffer0[%1 !site0] = %4 @file0:5:5
//!     return
//! }
//! "#;
//! let module = gridwise_ir::parse::parse(text).unwrap();
//! assert_eq!(module.to_string(), text);
//! ```

mod bound;
mod cursor;
mod function;
mod header;
mod inst;
mod parallel;

use crate::ir::Module;
use cursor::Cursor;

/// Why a text is not a module, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct ParseError {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// The text of the error: the expected token and the one that was found.
    pub message: String,
}

/// Reads a module.
///
/// # Errors
/// The first place where the text breaks the grammar. Ids that name nothing are for the verifier to find.
pub fn parse(text: &str) -> Result<Module, ParseError> {
    let mut cursor = Cursor::new(text);
    let mut module = Module::default();
    header::parse_header(&mut cursor, &mut module)?;
    while !cursor.is_at_end() {
        function::parse_function(&mut cursor, &mut module)?;
    }
    Ok(module)
}
