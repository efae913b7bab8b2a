//! Inference of the methods of images, and the errors about images that are used as something else.

use gridwise_ir::descriptor::TexelKind;
use proc_macro2::Ident;

use crate::ast::{Expr, ExprKind, MethodCall, Path};
use crate::builtin::image::{ImageMethod, ImageTy};
use crate::diag::code;
use crate::source::text;
use crate::typed::Callee;

use super::block::strip;
use super::mismatch::Because;
use super::suggest::nearest;
use super::unify::Term;
use super::{Infer, range};

impl<'a> Infer<'a> {
    /// A method of an image.
    pub(super) fn infer_image_method(&mut self, call: MethodCall<'a>, image: ImageTy) -> Term {
        let MethodCall { expr, receiver, name, args } = call;
        let method = name.to_string();
        let Some(method) = ImageMethod::named(&image, &method) else {
            self.report_no_image_method(receiver, image, name);
            return self.infer_arguments_only(args);
        };
        let is_float = image.image.format.kind() == TexelKind::Float;
        if let (ImageMethod::Sample | ImageMethod::SampleLevel, false) = (method, is_float) {
            let message = format!("no method `{name}` on type `{}`", image.name());
            self.error(code::UNKNOWN_METHOD, range(name.span()), message)
                .note("samplers mix texels, and these are integers")
                .help(format!("read a texel: `{}.fetch(at, 0)`", text(receiver)));
            return self.infer_arguments_only(args);
        }
        let params = method.params(&image);
        if params.len() != args.len() {
            self.report_arity(&name.to_string(), params.len(), args, range(name.span()));
            return self.infer_arguments_only(args);
        }
        for (arg, param) in args.iter().zip(&params) {
            self.check(arg, &Term::from(param), Because::Nothing);
        }
        if method == ImageMethod::Store && !image.mutable {
            let (source, instead) = (text(receiver), self.stored_instead(receiver, &image.name()));
            self.error(code::NOT_ASSIGNABLE, expr.span, format!("cannot store to `{source}`"))
                .note(format!("`{source}` is `&{}`, which is read-only", image.name()))
                .help(instead);
            return Term::Error;
        }
        self.tables.calls.insert(expr.id, Callee::Image(method));
        Term::from(&method.result(&image))
    }

    fn report_no_image_method(&mut self, receiver: &Expr, image: ImageTy, name: &Ident) {
        let (written, source) = (name.to_string(), text(receiver));
        let names = || {
            let all = ImageMethod::ALL.into_iter().filter(|(_, sampled, _)| *sampled == image.image.is_sampled);
            all.map(|(name, ..)| name)
        };
        let message = format!("no method `{written}` on type `{}`", image.name());
        let help = match (written.as_str(), image.image.is_sampled) {
            ("load", true) => format!("write `{source}.fetch(at, 0)`: level 0 is the image itself"),
            ("fetch", false) => format!("write `{source}.load(at)`"),
            ("sample" | "sample_level", false) => {
                let sampled = format!("&Sampled{}D<{}>", image.image.dimensions, image.image.format);
                match &strip(receiver).kind {
                    ExprKind::Index { base, .. } => {
                        format!("declare the list `{}: &[{sampled}]`, whose images have samplers", text(base))
                    }
                    _ => format!("declare it `{source}: {sampled}`, which has a sampler"),
                }
            }
            ("store", true) => {
                let stored = format!("Image{}D<{}>", image.image.dimensions, image.image.format);
                self.stored_instead(receiver, &stored)
            }
            ("width" | "height" | "depth" | "len" | "extent" | "dimensions", _) => format!("write `{source}.size()`"),
            _ => match nearest(&written, names()) {
                Some(known) => format!("a method with a similar name exists: `{known}`"),
                None => format!("it has {}", names().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")),
            },
        };
        self.error(code::UNKNOWN_METHOD, range(name.span()), message).help(help);
    }

    /// Reports an image that is used as a value.
    pub(super) fn refuse_image(&mut self, expr: &Expr, path: &Path, image: ImageTy) {
        let name = path.text();
        let error = self.error(code::BUFFER_USE, expr.span, format!("the image `{name}` is used as a value"));
        error.note("images are parameters of kernels; their methods are called where the kernel has them");
        match image.image.is_sampled {
            true => error.help(format!("read it: `{name}.sample(at)`, `{name}.fetch(at, level)`")),
            false => error.help(format!("read a texel: `{name}.load(at)`")),
        };
    }

    /// The declaration that allows stores to an image of this type, which may be one of a list.
    fn stored_instead(&self, receiver: &Expr, image: &str) -> String {
        match &strip(receiver).kind {
            ExprKind::Index { base, .. } => format!("declare the list `{}: &mut [&mut {image}]`", text(base)),
            ExprKind::Path(_) if self.is_of_list(strip(receiver)) => {
                format!("name it by `&mut layers[k]`, of a list `layers: &mut [&mut {image}]`")
            }
            _ => format!("declare it `{}: &mut {image}`", text(receiver)),
        }
    }
}
