//! Methods of images: a position that is checked, then one instruction.

use gridwise_ir::descriptor::SiteKind;
use gridwise_ir::ir::{BufferId, ImageOp, Root, ValueId};
use gridwise_ir::op::Op;

use super::function::FnCx;
use crate::ast::Expr;
use crate::image::{ImageMethod, ImageTy};
use crate::typed::Ty;

impl FnCx<'_, '_, '_> {
    /// A method of an image; the first of `args` is the image.
    pub(super) fn lower_image(&mut self, expr: &Expr, method: ImageMethod, args: &[&Expr]) -> Option<ValueId> {
        let (receiver, args) = args.split_first()?;
        let Ty::Image(ty) = *self.ty_of(receiver) else { return None };
        let Root::Buffer(image) = self.lower_spot(receiver)?.place()?.root else { return None };
        let values = self.lower_args(args)?;
        match method {
            ImageMethod::Size => {
                let level = ty.image.is_sampled.then(|| self.u32(0));
                let sides = self.sides(image, ty, level);
                Some(if let [side] = sides[..] { side } else { self.vector(&sides) })
            }
            ImageMethod::Levels => self.b.image(ImageOp::Levels, image, &[]),
            ImageMethod::Sample | ImageMethod::SampleLevel => {
                let mut operands = self.lanes(values[0]);
                let level = values.get(1).copied();
                operands.push(level.unwrap_or_else(|| self.f32(0.0)));
                self.b.image(ImageOp::Sample, image, &operands)
            }
            ImageMethod::Load | ImageMethod::Fetch | ImageMethod::Store => {
                self.lower_texel(expr, method, (image, ty), &values)
            }
        }
    }

    /// Texels along each axis.
    fn sides(&mut self, image: BufferId, ty: ImageTy, level: Option<ValueId>) -> Vec<ValueId> {
        let sides = 0..ty.image.dimensions;
        sides.filter_map(|axis| self.b.image(ImageOp::Size(axis), image, level.as_slice())).collect()
    }

    /// An access to a texel: where there is none, it traps, reads zero and writes nothing.
    fn lower_texel(
        &mut self,
        expr: &Expr,
        method: ImageMethod,
        (image, ty): (BufferId, ImageTy),
        values: &[ValueId],
    ) -> Option<ValueId> {
        let site = self.site(SiteKind::IndexOutOfBounds, expr);
        let mut operands = self.lanes(values[0]);
        let mut bounds = Vec::new();
        let mut asked = None;
        if method == ImageMethod::Fetch {
            let levels = self.b.image(ImageOp::Levels, image, &[])?;
            bounds.push((values[1], levels));
            // The sides of a level that there is not are nobody's.
            let one = self.u32(1);
            let last = self.b.op(Op::Sub, &[levels, one]);
            asked = Some(self.b.op(Op::Min, &[values[1], last]));
        }
        let sides = self.sides(image, ty, asked);
        bounds.extend(operands.iter().copied().zip(sides));
        let inside: Vec<_> = bounds.iter().map(|(at, side)| self.b.op(Op::Lt, &[*at, *side])).collect();
        let all = inside.iter().copied().reduce(|all, one| self.b.op(Op::And, &[all, one]))?;
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
                cx.b.trap(site, &[told.0, told.1]);
                result.map(|result| cx.zero(result))
            },
        )
    }
}
