//! Methods of images: a position that is checked, then one instruction.
//!
//! Images are parameters of kernels and nothing else: a type of their own in inference, a buffer with a format in the
//! IR, and one instruction there (`ImageOp`). Ordinary code around it checks positions, because SPIR-V leaves accesses
//! outside undefined. The types that kernels name (`Image2D`, `Sampled2D`) are views in the twin: rustc checks `load`,
//! and the twin calls `twin_load` with the place in the source. `kernel-ir/src/descriptor/sampling.rs` has the samplers
//! of the host and the interpreter.

use gridwise_ir::descriptor::SiteKind;
use gridwise_ir::ir::{BufferId, ImageOp, Root, ValueId};
use gridwise_ir::op::Op;

use super::function::{FnCx, Slot};
use crate::ast::{Expr, ExprKind, Pattern};
use crate::builtin::image::{ImageMethod, ImageTy};
use crate::typed::{Resolution, Ty};

/// An image that is named: a parameter, or one of a list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Named {
    image: BufferId,
    ty: ImageTy,
    /// Its position in the list, and whether there is one.
    member: Option<(ValueId, ValueId)>,
}

impl FnCx<'_, '_, '_> {
    /// A method of an image; the first of `args` is the image.
    pub(super) fn lower_image(&mut self, expr: &Expr, method: ImageMethod, args: &[&Expr]) -> Option<ValueId> {
        let (receiver, args) = args.split_first()?;
        let Ty::Image(ty) = *self.ty_of(receiver) else { return None };
        let image = self.lower_named(receiver, ty)?;
        let values = self.lower_args(args)?;
        match method {
            ImageMethod::Size => {
                let level = ty.image.is_sampled.then(|| self.u32(0));
                let sides = self.sides(image, level);
                Some(if let [side] = sides[..] { side } else { self.vector(&sides) })
            }
            ImageMethod::Levels => self.ask(image, ImageOp::Levels, &[]),
            ImageMethod::Sample | ImageMethod::SampleLevel => {
                let mut operands = self.lanes(values[0]);
                let level = values.get(1).copied();
                operands.push(level.unwrap_or_else(|| self.f32(0.0)));
                self.ask(image, ImageOp::Sample, &operands)
            }
            ImageMethod::Load | ImageMethod::Fetch | ImageMethod::Store => {
                self.lower_texel(expr, method, image, &values)
            }
        }
    }

    /// `let layer = layers[k];`; whether it was that.
    pub(super) fn lower_image_let(&mut self, pattern: &Pattern, value: Option<&Expr>) -> bool {
        let (Pattern::Binding { binding, inner: None, .. }, Some(value)) = (pattern, value) else { return false };
        let Ty::Image(ty) = *self.typed.binding(*binding) else { return false };
        if let Some(named) = self.lower_named(value, ty) {
            self.images.push(named);
            self.set_slot(*binding, Slot::Image(self.images.len() as u32 - 1));
        }
        true
    }

    /// The image that an expression names; of a list, a trap where there is none.
    fn lower_named(&mut self, expr: &Expr, ty: ImageTy) -> Option<Named> {
        if let ExprKind::Path(_) = &expr.kind
            && let Some(Resolution::Binding(binding)) = self.typed.paths.get(&expr.id)
            && let Slot::Image(number) = self.slot(*binding)
        {
            return Some(self.images[number as usize]);
        }
        match &expr.kind {
            ExprKind::Paren(inner, ..) | ExprKind::Borrow { operand: inner, .. } => self.lower_named(inner, ty),
            ExprKind::Index { base, index } => {
                let Root::Buffer(list) = self.lower_spot(base)?.place()?.root else { return None };
                let index = self.lower_expr(index)?;
                let index = self.index_word(index);
                let (count, site) = (self.b.len(list), self.site(SiteKind::IndexOutOfBounds, expr));
                let is_there = self.b.op(Op::Lt, &[index, count]);
                let is_outside = self.b.op(Op::Not, &[is_there]);
                self.when(is_outside, |cx| cx.b.trap(site, &[index, count]));
                Some(Named { image: list, ty, member: Some((index, is_there)) })
            }
            _ => {
                let Root::Buffer(image) = self.lower_spot(expr)?.place()?.root else { return None };
                Some(Named { image, ty, member: None })
            }
        }
    }

    /// The result of an instruction that needs no position in range; of a missing member of a list, zero.
    fn ask(&mut self, named: Named, op: ImageOp, operands: &[ValueId]) -> Option<ValueId> {
        let Named { image, ty, member: Some((index, is_there)) } = named else {
            return self.b.image(op, named.image, operands);
        };
        let result = op.result(&ty.image).map(|result| self.b.types_mut().intern(result))?;
        let operands: Vec<_> = std::iter::once(index).chain(operands.iter().copied()).collect();
        self.choose(is_there, Some(result), |cx| cx.b.image(op, image, &operands), |cx| Some(cx.zero(result)))
    }

    /// Texels along each axis.
    fn sides(&mut self, named: Named, level: Option<ValueId>) -> Vec<ValueId> {
        let sides = 0..named.ty.image.dimensions;
        sides.filter_map(|axis| self.ask(named, ImageOp::Size(axis), level.as_slice())).collect()
    }

    /// An access to a texel: where there is none, it traps, reads zero and writes nothing.
    fn lower_texel(&mut self, expr: &Expr, method: ImageMethod, named: Named, values: &[ValueId]) -> Option<ValueId> {
        let site = self.site(SiteKind::IndexOutOfBounds, expr);
        let Named { image, ty, member } = named;
        let position = self.lanes(values[0]);
        let mut bounds = Vec::new();
        let mut asked = None;
        if method == ImageMethod::Fetch {
            let levels = self.ask(named, ImageOp::Levels, &[])?;
            bounds.push((values[1], levels));
            // The sides of a level that there is not are nobody's.
            let one = self.u32(1);
            let last = self.b.op(Op::Sub, &[levels, one]);
            asked = Some(self.b.op(Op::Min, &[values[1], last]));
        }
        let sides = self.sides(named, asked);
        bounds.extend(position.iter().copied().zip(sides));
        let inside: Vec<_> = bounds.iter().map(|(at, side)| self.b.op(Op::Lt, &[*at, *side])).collect();
        let all = inside.iter().copied().reduce(|all, one| self.b.op(Op::And, &[all, one]))?;
        // No side of an image that is not there is in range.
        let mut operands: Vec<_> = member.map(|(index, _)| index).into_iter().chain(position).collect();
        let (op, result) = match method {
            ImageMethod::Store => {
                operands.push(values[1]);
                (ImageOp::Store, None)
            }
            _ => {
                operands.extend((method == ImageMethod::Fetch).then(|| values[1]));
                (ImageOp::Load, Some(self.ty(&ty.texel())?))
            }
        };
        self.choose(
            all,
            result,
            |cx| cx.b.image(op, image, &operands),
            |cx| {
                // The first axis along which there is no texel is told.
                let (mut told, rest) = (*bounds.last()?, &bounds[..bounds.len() - 1]);
                for ((at, side), inside) in rest.iter().zip(&inside).rev() {
                    told = (cx.select(*inside, told.0, *at), cx.select(*inside, told.1, *side));
                }
                match member {
                    // Of an image that is not there, the index of the list has told.
                    Some((_, is_there)) => cx.when(is_there, |cx| cx.b.trap(site, &[told.0, told.1])),
                    None => cx.b.trap(site, &[told.0, told.1]),
                }
                result.map(|result| cx.zero(result))
            },
        )
    }
}
