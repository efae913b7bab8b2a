//! Matrices of subgroups between memory and the host's invocations. All else they do is what rustc makes of it.

use gridwise_ir::descriptor::SiteKind;

use super::{Mode, Renderer, context};
use crate::ast::Expr;
use crate::emit::tokens::{Tokens, tokens};

impl Renderer<'_> {
    /// `CoopMatrix::load(memory, offset, stride, layout)`
    pub(super) fn matrix_load(&mut self, args: &[Expr], whole: &Expr) -> Tokens {
        let [memory, position @ ..] = args else { return tokens!() };
        let (twin, sink, sites) = (self.twin(), self.sink(), self.matrix_sites(whole));
        let (memory, position) = (self.slice(memory, false), self.matrix_position(position));
        let ty = self.ty(self.expr_ty(whole));
        tokens!({
            let __matrix: #ty = #twin::coop::load(#sink, #sites, #memory, #position);
            __matrix
        })
    }

    /// `matrix.store(memory, offset, stride, layout)`
    pub(super) fn matrix_store(&mut self, matrix: &Expr, args: &[Expr], whole: &Expr) -> Tokens {
        let [memory, position @ ..] = args else { return tokens!() };
        let matrix = self.bare(matrix);
        let (twin, sink, sites) = (self.twin(), self.sink(), self.matrix_sites(whole));
        let (memory, position) = (self.slice(memory, true), self.matrix_position(position));
        let lane = if self.mode == Mode::Twin {
            let cx = context();
            tokens!(#cx.subgroup_local_id())
        } else {
            tokens!(#twin::subgroup_local_id())
        };
        let twin = self.twin();
        tokens!({
            let __matrix = #matrix;
            #twin::coop::store(#sink, #sites, #memory, __matrix, #position, #lane == 0)
        })
    }

    fn matrix_sites(&self, whole: &Expr) -> Tokens {
        let (index, panic) = (self.site(SiteKind::IndexOutOfBounds, whole), self.site(SiteKind::Panic, whole));
        tokens!([#index, #panic])
    }

    fn matrix_position(&mut self, position: &[Expr]) -> Tokens {
        let [offset, stride, layout] = position else { return tokens!() };
        let (offset, stride, layout) = (self.bare(offset), self.bare(stride), self.bare(layout));
        let twin = self.twin();
        tokens!(#twin::coop::Position { offset: #offset, stride: #stride, layout: #layout })
    }
}
