//! Everything before the functions: files, sites, structs, the kernel's interface; and types and locations.

use super::bound::parse_obligation;
use super::cursor::{Cursor, Result};
use crate::descriptor::ImageFormat;
use crate::descriptor::SiteKind;
use crate::few::Few;
use crate::ir::{
    Buffer, Checked, ConstParam, ConstParamId, Image, Kernel, Module, PushParam, Shared, Site, SourceLocation,
};
use crate::types::{CoopRole, CoopType, Field, Scalar, Size, StructDef, Type, TypeId, Types};

const SITE_KINDS: [SiteKind; 9] = [
    SiteKind::IndexOutOfBounds,
    SiteKind::DivideByZero,
    SiteKind::RemainderByZero,
    SiteKind::DivideOverflow,
    SiteKind::RemainderOverflow,
    SiteKind::ClampBounds,
    SiteKind::Panic,
    SiteKind::Print,
    SiteKind::PrintError,
];

pub(super) fn parse_header(cursor: &mut Cursor<'_>, module: &mut Module) -> Result<()> {
    while cursor.is_at_id("file") {
        cursor.declared::<crate::ir::FileId>("file", module.files.len())?;
        let path = cursor.string()?;
        module.files.push(path);
    }
    while cursor.is_at_id("site") {
        cursor.declared::<crate::ir::SiteId>("site", module.sites.len())?;
        let kind = site_kind(cursor)?;
        let Some(location) = eat_location(cursor)? else { return cursor.expected("`@`") };
        let text = cursor.string()?;
        let format = if cursor.eat_word("format") { Some(cursor.number()?) } else { None };
        let is_quiet = cursor.eat_word("quiet");
        let at_launch = if cursor.eat_word("launch") { Some(numbers(cursor)?) } else { None };
        module.sites.push(Site { kind, location, text, format, is_quiet, at_launch });
    }
    while cursor.is_at_id("struct") {
        parse_struct(cursor, &mut module.types)?;
    }
    if cursor.eat_word("kernel") {
        module.kernel = Some(parse_kernel(cursor, &mut module.types)?);
    }
    Ok(())
}

/// Numbers with commas between them.
fn numbers(cursor: &mut Cursor<'_>) -> Result<Few<u32>> {
    let mut numbers = Few::from([cursor.number()?]);
    while cursor.eat(",") {
        numbers.push(cursor.number()?);
    }
    Ok(numbers)
}

fn site_kind(cursor: &mut Cursor<'_>) -> Result<SiteKind> {
    let word = cursor.peek_word().unwrap_or_default();
    match SITE_KINDS.into_iter().find(|kind| kind.text_name() == word) {
        Some(kind) => {
            cursor.skip_word(word);
            Ok(kind)
        }
        None => cursor.expected("a kind of site"),
    }
}

fn parse_struct(cursor: &mut Cursor<'_>, types: &mut Types) -> Result<()> {
    cursor.declared::<crate::types::StructId>("struct", types.structs().len())?;
    let name = cursor.name()?;
    let mut align = 1;
    if cursor.eat_word("align") {
        cursor.expect("(")?;
        align = cursor.number()?;
        cursor.expect(")")?;
    }
    cursor.expect("{")?;
    let mut fields = Vec::new();
    loop {
        let name = cursor.name()?;
        cursor.expect(":")?;
        fields.push(Field { name, ty: parse_type(cursor, types)? });
        if !cursor.eat(",") {
            break;
        }
    }
    cursor.expect("}")?;
    types.add_struct(StructDef { name, fields, align });
    Ok(())
}

fn parse_kernel(cursor: &mut Cursor<'_>, types: &mut Types) -> Result<Kernel> {
    let function = cursor.id("fn")?;
    cursor.expect_word("workgroup")?;
    cursor.expect("(")?;
    let x = parse_size(cursor)?;
    cursor.expect(",")?;
    let y = parse_size(cursor)?;
    cursor.expect(",")?;
    let workgroup = [x, y, parse_size(cursor)?];
    cursor.expect(")")?;
    let mut kernel = Kernel::new(function, workgroup);
    if cursor.eat_word("subgroup") {
        cursor.expect("(")?;
        kernel.subgroup_size = Some(cursor.number()?);
        cursor.expect(")")?;
    }
    if cursor.eat_word("fast_math") {
        cursor.expect("(")?;
        loop {
            let word = cursor.peek_word().unwrap_or_default();
            if !kernel.float_rules.allow(word) {
                return cursor.expected("a relaxation of float arithmetic");
            }
            cursor.skip_word(word);
            if !cursor.eat(",") {
                break;
            }
        }
        cursor.expect(")")?;
    }
    kernel.full_workgroups = cursor.eat_word("full");
    cursor.expect("{")?;
    while cursor.is_at_id("constant") {
        cursor.declared::<ConstParamId>("constant", kernel.constants.len())?;
        let name = cursor.name()?;
        cursor.expect(":")?;
        let word = cursor.peek_word().unwrap_or_default();
        let Some(scalar) = scalar(word) else { return cursor.expected("a scalar type") };
        cursor.skip_word(word);
        cursor.expect("=")?;
        let default = cursor.number()?;
        kernel.constants.push(ConstParam { name, scalar, default });
    }
    while cursor.is_at_id("buffer") {
        cursor.declared::<crate::ir::BufferId>("buffer", kernel.buffers.len())?;
        let name = cursor.name()?;
        cursor.expect(":")?;
        cursor.expect("[")?;
        let element = parse_type(cursor, types)?;
        cursor.expect("]")?;
        let is_list = cursor.eat_word("list");
        let writable = cursor.eat_word("mut");
        let is_texels = cursor.eat_word("texels");
        let checked = match (cursor.eat_word("distinct"), cursor.eat_word("offsets")) {
            (true, _) => Some(Checked::Distinct),
            (false, true) => Some(Checked::Offsets),
            (false, false) => None,
        };
        let is_claims = cursor.eat_word("claims");
        let image = if cursor.eat_word("image") { Some(image(cursor)?) } else { None };
        let of_list = Buffer { writable, is_list, image, ..Buffer::new(name, element) };
        kernel.buffers.push(Buffer { is_texels, checked, is_claims, ..of_list });
    }
    while !cursor.is_at_id("shared") && !cursor.is_at("}") && cursor.peek_word() != Some("requires") {
        cursor.declared::<crate::ir::ParamId>("param", kernel.params.len())?;
        let name = cursor.name()?;
        cursor.expect(":")?;
        kernel.params.push(PushParam { name, ty: parse_type(cursor, types)? });
    }
    while cursor.is_at_id("shared") {
        cursor.declared::<crate::ir::SharedId>("shared", kernel.shared.len())?;
        let name = cursor.name()?;
        cursor.expect(":")?;
        kernel.shared.push(Shared { name, ty: parse_type(cursor, types)? });
    }
    while cursor.eat_word("requires") {
        kernel.obligations.push(parse_obligation(cursor)?);
    }
    cursor.expect("}")?;
    Ok(kernel)
}

/// `@fileN:line:column`, when one is next.
pub(super) fn eat_location(cursor: &mut Cursor<'_>) -> Result<Option<SourceLocation>> {
    if !cursor.eat("@") {
        return Ok(None);
    }
    let file = cursor.id("file")?;
    cursor.expect(":")?;
    let line = cursor.number()?;
    cursor.expect(":")?;
    Ok(Some(SourceLocation { file, line, column: cursor.number()? }))
}

/// A number, or a const parameter.
fn parse_size(cursor: &mut Cursor<'_>) -> Result<Size> {
    match cursor.eat_id("constant") {
        Some(param) => Ok(Size::Param(param)),
        None => cursor.number().map(Size::Known),
    }
}

pub(super) fn parse_type(cursor: &mut Cursor<'_>, types: &mut Types) -> Result<TypeId> {
    if cursor.eat("[") {
        let element = parse_type(cursor, types)?;
        cursor.expect_array_semicolon()?;
        let len = parse_size(cursor)?;
        cursor.expect("]")?;
        return Ok(types.array(element, len));
    }
    if cursor.eat("(") {
        let mut members = Vec::new();
        while !cursor.eat(")") {
            members.push(parse_type(cursor, types)?);
            if !cursor.eat(",") {
                cursor.expect(")")?;
                break;
            }
        }
        return Ok(types.intern(if members.is_empty() { Type::Unit } else { Type::Tuple(members) }));
    }
    let word = cursor.peek_word().unwrap_or_default();
    if let Some(scalar) = scalar(word) {
        cursor.skip_word(word);
        return Ok(types.scalar(scalar));
    }
    if let Some(lanes @ 2..=4) = word.strip_prefix("vec").and_then(|lanes| lanes.parse::<u8>().ok()) {
        cursor.skip_word(word);
        cursor.expect("<")?;
        let word = cursor.peek_word().unwrap_or_default();
        let Some(scalar) = scalar(word) else { return cursor.expected("a scalar type") };
        cursor.skip_word(word);
        cursor.expect(">")?;
        return Ok(types.vector(scalar, lanes));
    }
    if word == "coop" {
        cursor.skip_word(word);
        return coop_type(cursor, types);
    }
    let id = types.structs().ids().find(|id| id.to_string() == word);
    match id.and_then(|id| types.find(&Type::Struct(id))) {
        Some(ty) => {
            cursor.skip_word(word);
            Ok(ty)
        }
        None => cursor.expected("a type"),
    }
}

/// `<f16, a, 16, 16>`
fn coop_type(cursor: &mut Cursor<'_>, types: &mut Types) -> Result<TypeId> {
    cursor.expect("<")?;
    let word = cursor.peek_word().unwrap_or_default();
    let Some(scalar) = scalar(word) else { return cursor.expected("a scalar type") };
    cursor.skip_word(word);
    cursor.expect(",")?;
    let Some(role) = CoopRole::ALL.into_iter().find(|role| cursor.eat_word(role.name())) else {
        return cursor.expected("`a`, `b` or `accumulator`");
    };
    cursor.expect(",")?;
    let rows = cursor.number()?;
    cursor.expect(",")?;
    let columns = cursor.number()?;
    cursor.expect(">")?;
    Ok(types.intern(Type::Coop(CoopType { scalar, role, rows, columns })))
}

/// The scalar type with this name.
pub(super) fn scalar(word: &str) -> Option<Scalar> {
    Scalar::ALL.into_iter().find(|scalar| scalar.name() == word)
}

/// `(2, Rgba8Unorm)`, `(2, Rgba8Unorm, sampled)`
fn image(cursor: &mut Cursor<'_>) -> Result<Image> {
    cursor.expect("(")?;
    let dimensions = cursor.number()?;
    cursor.expect(",")?;
    let word = cursor.peek_word().unwrap_or_default();
    let Some(format) = ImageFormat::named(word) else { return cursor.expected("a format of images") };
    cursor.skip_word(word);
    let is_sampled = cursor.eat(",");
    if is_sampled {
        cursor.expect_word("sampled")?;
    }
    cursor.expect(")")?;
    Ok(Image { format, dimensions, is_sampled })
}
