//! Methods of images in what runs on the host.

use gridwise_ir::descriptor::SiteKind;
use proc_macro2::{Ident, Span};

use super::Renderer;
use crate::ast::Expr;
use crate::image::ImageMethod;
use crate::tokens::{Tokens, tokens};

impl Renderer<'_> {
    /// `image.load(at)` and its like.
    pub(super) fn image_method(
        &mut self,
        method: ImageMethod,
        receiver: &Expr,
        name: &Ident,
        args: &[Expr],
        whole: &Expr,
    ) -> Tokens {
        let receiver = self.expr(receiver);
        let args: Vec<_> = args.iter().map(|arg| self.bare(arg)).collect();
        match method.checked() {
            Some(checked) => {
                let checked = Ident::new(checked, Span::call_site());
                let (sink, site) = (self.sink(), self.site(SiteKind::IndexOutOfBounds, whole));
                tokens!(#receiver.#checked(#sink, #site, #(#args),*))
            }
            None => tokens!(#receiver.#name(#(#args),*)),
        }
    }
}
