//! Single instructions, places and literals.

use super::cursor::Result;
use super::function::FunctionParser;
use super::header::eat_location;
use crate::few::Few;
use crate::ir::{Builtin, Constant, InstKind, Place, Root, SourceLocation, Step, Unroll, ValueId};
use crate::op::Op;
use crate::passes::eval;
use crate::types::{Scalar, Type};

type Parsed = (InstKind, Vec<ValueId>, Option<SourceLocation>);

impl FunctionParser<'_, '_> {
    /// An instruction with its results and location.
    pub(super) fn instruction(&mut self) -> Result<Parsed> {
        let mut results = Vec::new();
        if self.cursor.is_at("%") {
            results = self.definitions("=")?;
        } else if let Some(region) = self.region()? {
            return Ok(region);
        }
        let kind = if results.is_empty() { self.effect()? } else { self.pure(results[0])? };
        Ok((kind, results, eat_location(self.cursor)?))
    }

    /// An instruction that owns blocks, when one is next.
    fn region(&mut self) -> Result<Option<Parsed>> {
        if self.cursor.eat_word("if") {
            let condition = self.value()?;
            let (results, location) = self.region_results()?;
            let then_block = self.braced_block(None, Vec::new())?;
            self.cursor.expect_word("else")?;
            let else_block = self.braced_block(None, Vec::new())?;
            return Ok(Some((InstKind::If { condition, then_block, else_block }, results, location)));
        }
        if self.cursor.eat_word("switch") {
            let selector = self.value()?;
            let (results, location) = self.region_results()?;
            self.cursor.expect("{")?;
            let mut cases = Vec::new();
            while self.cursor.eat_word("case") {
                let case = self.cursor.number()?;
                cases.push((case, self.braced_block(None, Vec::new())?));
            }
            self.cursor.expect_word("default")?;
            let default = self.braced_block(None, Vec::new())?;
            self.cursor.expect("}")?;
            return Ok(Some((InstKind::Switch { selector, cases, default }, results, location)));
        }
        if self.cursor.eat_word("loop") {
            let label = self.new_label()?;
            let (params, initial) = self.carried()?;
            let unroll = self.unroll()?;
            let (results, location) = self.region_results()?;
            let body = self.braced_block(Some(label), params)?;
            return Ok(Some((InstKind::Loop { initial: initial.into(), body, unroll }, results, location)));
        }
        Ok(None)
    }

    /// `[unroll [never | N]]`
    fn unroll(&mut self) -> Result<Unroll> {
        if !self.cursor.eat_word("unroll") {
            return Ok(Unroll::Auto);
        }
        if self.cursor.eat_word("never") {
            return Ok(Unroll::Never);
        }
        if self.cursor.peek_literal().is_some_and(|literal| literal.starts_with(|first: char| first.is_ascii_digit())) {
            return Ok(Unroll::Times(self.cursor.number()?));
        }
        Ok(Unroll::Full)
    }

    /// `[-> (def,*)] [location]`
    fn region_results(&mut self) -> Result<(Vec<ValueId>, Option<SourceLocation>)> {
        let mut results = Vec::new();
        if self.cursor.eat("->") {
            self.cursor.expect("(")?;
            results = self.definitions(")")?;
        }
        Ok((results, eat_location(self.cursor)?))
    }

    /// `((def = %N),*)`
    fn carried(&mut self) -> Result<(Vec<ValueId>, Vec<ValueId>)> {
        let (mut params, mut initial) = (Vec::new(), Vec::new());
        self.cursor.expect("(")?;
        while !self.cursor.eat(")") {
            params.push(self.definition()?);
            self.cursor.expect("=")?;
            initial.push(self.value()?);
            if !self.cursor.eat(",") {
                self.cursor.expect(")")?;
                break;
            }
        }
        Ok((params, initial))
    }

    fn pure(&mut self, result: ValueId) -> Result<InstKind> {
        if let Some(param) = self.cursor.eat_id("param") {
            return Ok(InstKind::Param(param));
        }
        if let Some(param) = self.cursor.eat_id("constant") {
            return Ok(InstKind::ConstParam(param));
        }
        if self.cursor.eat_word("proven") {
            return Ok(InstKind::Proven(self.cursor.id("site")?));
        }
        if self.cursor.eat_word("forgets_results") {
            return Ok(InstKind::ForgetsResults);
        }
        let word = self.cursor.peek_word().unwrap_or_default();
        if let Some(builtin) = Builtin::ALL.into_iter().find(|builtin| builtin.name() == word) {
            self.cursor.skip_word(word);
            return Ok(InstKind::Builtin(builtin));
        }
        if let Some(op) = Op::from_name(word) {
            self.cursor.skip_word(word);
            return Ok(InstKind::Op(op, self.values()?.into()));
        }
        if word.starts_with("subgroup_") {
            return self.subgroup(word);
        }
        if word.starts_with("atomic_") {
            return self.atomic(word);
        }
        if word.starts_with("image_") {
            return self.image(word);
        }
        if word.starts_with("coop_") {
            return self.coop(word);
        }
        if !matches!(word, "const" | "compose" | "extract" | "insert" | "len" | "load" | "call") {
            return self.cursor.expected("an operation that defines a value");
        }
        self.cursor.skip_word(word);
        Ok(match word {
            "const" => InstKind::Const(self.constant(result)?),
            "compose" => InstKind::Compose(self.values()?.into()),
            "extract" => InstKind::Extract(self.value()?, self.fields()?.into()),
            "insert" => {
                let (composite, steps) = (self.value()?, self.fields()?);
                self.cursor.expect(",")?;
                InstKind::Insert(composite, self.value()?, steps.into())
            }
            "len" => {
                let buffer = self.cursor.id("buffer")?;
                self.member()?.map_or(InstKind::Len(buffer), |member| InstKind::MemberLen(buffer, member))
            }
            "load" => InstKind::Load(self.place()?),
            _ => InstKind::Call(self.cursor.id("fn")?, self.arguments()?.into()),
        })
    }

    fn effect(&mut self) -> Result<InstKind> {
        const EFFECTS: [&str; 12] = [
            "store",
            "call",
            "trap",
            "print",
            "panic",
            "barrier",
            "fence",
            "yield",
            "break",
            "continue",
            "return",
            "unreachable",
        ];
        let word = self.cursor.peek_word().unwrap_or_default();
        if word.starts_with("atomic_") {
            return self.atomic(word);
        }
        if word.starts_with("image_") {
            return self.image(word);
        }
        if word == "coop_store" {
            return self.coop(word);
        }
        if !EFFECTS.contains(&word) {
            return self.cursor.expected("an instruction");
        }
        self.cursor.skip_word(word);
        Ok(match word {
            "store" => {
                let place = self.place()?;
                self.cursor.expect("=")?;
                InstKind::Store(place, self.value()?)
            }
            "call" => InstKind::Call(self.cursor.id("fn")?, self.arguments()?.into()),
            "trap" => InstKind::Trap(self.cursor.id("site")?, self.arguments()?.into()),
            "print" => InstKind::Print(self.cursor.id("site")?, self.arguments()?.into()),
            "panic" => InstKind::Panic(self.cursor.id("site")?, self.arguments()?.into()),
            "barrier" => InstKind::Barrier(self.scope()?),
            "fence" => {
                let order = self.order()?;
                InstKind::Fence(self.scope()?, order)
            }
            "yield" => InstKind::Yield(self.values()?.into()),
            "break" => InstKind::Break(self.cursor.id("block")?, self.arguments()?.into()),
            "continue" => InstKind::Continue(self.cursor.id("block")?, self.arguments()?.into()),
            "return" if self.cursor.is_at("%") => InstKind::Return(Some(self.value()?)),
            "return" => InstKind::Return(None),
            _ => InstKind::Unreachable,
        })
    }

    /// Values with commas, perhaps none. A `%` without a comma before it starts the next instruction.
    pub(super) fn values(&mut self) -> Result<Vec<ValueId>> {
        let mut values = Vec::new();
        if self.cursor.is_at("%") {
            values.push(self.value()?);
            while self.cursor.eat(",") {
                values.push(self.value()?);
            }
        }
        Ok(values)
    }

    /// `(%N,*)`
    pub(super) fn arguments(&mut self) -> Result<Vec<ValueId>> {
        self.cursor.expect("(")?;
        let values = self.values()?;
        self.cursor.expect(")")?;
        Ok(values)
    }

    /// `(.N)*`
    fn fields(&mut self) -> Result<Vec<u32>> {
        let mut fields = Vec::new();
        while self.cursor.eat(".") {
            fields.push(self.cursor.number()?);
        }
        Ok(fields)
    }

    /// `{%N}` behind a list, if it is there.
    fn member(&mut self) -> Result<Option<ValueId>> {
        if !self.cursor.eat("{") {
            return Ok(None);
        }
        let member = self.value()?;
        self.cursor.expect("}")?;
        Ok(Some(member))
    }

    pub(super) fn place(&mut self) -> Result<Place> {
        let is_unordered = self.cursor.eat_word("unordered");
        let root = match self.cursor.eat_id("local") {
            Some(local) => Root::Local(local),
            None => match self.cursor.eat_id("buffer") {
                Some(buffer) => self.member()?.map_or(Root::Buffer(buffer), |member| Root::Member(buffer, member)),
                None => match self.cursor.eat_id("shared") {
                    Some(shared) => Root::Shared(shared),
                    None => return self.cursor.expected("a `local`, `buffer` or `shared` id"),
                },
            },
        };
        let mut path = Few::new();
        loop {
            if self.cursor.eat(".") {
                path.push(Step::Field(self.cursor.number()?));
            } else if self.cursor.eat("[") {
                let value = self.value()?;
                let check = if self.cursor.eat("!") { Some(self.cursor.id("site")?) } else { None };
                self.cursor.expect("]")?;
                path.push(Step::Index { value, check });
            } else if self.cursor.eat("<") {
                path.push(Step::Element(self.value()?));
                self.cursor.expect(">")?;
            } else if self.cursor.eat_word("as") {
                let Some(scalar) = self.cursor.peek_word().and_then(super::header::scalar) else {
                    return self.cursor.expected("a scalar");
                };
                self.cursor.skip_word(scalar.name());
                path.push(Step::Joined { scalar, lanes: self.cursor.number()? });
            } else {
                return Ok(Place { root, path, is_unordered });
            }
        }
    }

    fn constant(&mut self, result: ValueId) -> Result<Constant> {
        if self.cursor.eat_word("bits") {
            let mut scalar = match self.value_type(result) {
                Some(Type::Scalar(scalar)) if *scalar != Scalar::Bool => *scalar,
                _ => Scalar::F32,
            };
            if let Some(stated) = self.cursor.peek_word().and_then(super::header::scalar) {
                self.cursor.skip_word(stated.name());
                scalar = stated;
            }
            let word = self.cursor.peek_word().unwrap_or_default();
            let bits = word.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
            return match bits.filter(|bits| *bits <= scalar.mask()) {
                Some(bits) => {
                    self.cursor.skip_word(word);
                    Ok(eval::from_bits(bits, scalar))
                }
                None => self.cursor.expected("hexadecimal bits (`0x7fc00000`)"),
            };
        }
        let literal = self.cursor.peek_literal().unwrap_or_default();
        let scalar = match self.value_type(result) {
            Some(Type::Scalar(scalar)) => Some(*scalar),
            _ => None,
        };
        match parse_literal(literal, scalar) {
            Some(constant) => {
                self.cursor.skip_word(literal);
                Ok(constant)
            }
            None if literal.is_empty() => self.cursor.expected("a literal"),
            None => self.cursor.error(format!("expected a literal of the value's type, found `{literal}`")),
        }
    }
}

/// A literal by its suffix, else by the type of the value it defines.
fn parse_literal(literal: &str, ty: Option<Scalar>) -> Option<Constant> {
    match literal {
        "zero" => return Some(Constant::Zero),
        "true" => return Some(Constant::Bool(true)),
        "false" => return Some(Constant::Bool(false)),
        _ => {}
    }
    let suffixed = Scalar::ALL.into_iter().find_map(|ty| Some((literal.strip_suffix(ty.name())?, ty)));
    let (digits, ty) = match suffixed {
        Some(suffixed) => suffixed,
        None => (literal, ty?),
    };
    match ty {
        Scalar::I32 => digits.parse().ok().map(Constant::I32),
        Scalar::U32 => digits.parse().ok().map(Constant::U32),
        Scalar::F32 => digits.parse::<f32>().ok().map(|value| Constant::F32(value.to_bits())),
        Scalar::F64 => digits.parse::<f64>().ok().map(|value| Constant::Bits(ty, value.to_bits())),
        Scalar::Bool | Scalar::F16 | Scalar::Bf16 => None,
        _ => {
            let value: i128 = digits.parse().ok()?;
            let constant = eval::from_bits(value as u64, ty);
            (eval::int(constant) == Some(value)).then_some(constant)
        }
    }
}
