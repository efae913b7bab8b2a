//! Memory part of the verifier: places, loads, stores, and the kernel's buffers and parameters.

use super::{FunctionCx, VerifyErrorKind};
use crate::descriptor::SiteKind;
use crate::ir::{BufferId, Inst, Kernel, ParamId, Place, Root, Step, ValueId};
use crate::types::{ConstParamId, Scalar, Type, TypeId};
use crate::typing;

impl<'m> FunctionCx<'m, '_> {
    /// The kernel, when this is its function; `what` is reported otherwise.
    fn own_kernel(&mut self, what: &dyn std::fmt::Display) -> Option<&'m Kernel> {
        let kernel = self.module.kernel.as_ref().filter(|kernel| kernel.function == self.id);
        if kernel.is_none() {
            self.error(VerifyErrorKind::Place, format!("{what} belongs to the kernel, and this is not its function"));
        }
        kernel
    }

    /// The kernel of the module; `what` is reported when there is none.
    pub(super) fn any_kernel(&mut self, what: &dyn std::fmt::Display) -> Option<&'m Kernel> {
        let kernel = self.module.kernel.as_ref();
        if kernel.is_none() {
            self.error(VerifyErrorKind::Place, format!("{what} belongs to a kernel, and the module has none"));
        }
        kernel
    }

    pub(super) fn check_param(&mut self, param: ParamId, inst: &Inst) {
        let Some(kernel) = self.own_kernel(&param) else { return };
        match kernel.params.get(param) {
            // A type that does not exist was reported with the kernel.
            Some(def) => self.check_result(inst, Some(def.ty)),
            None => self.error(VerifyErrorKind::UnknownId, format!("there is no {param}")),
        }
    }

    pub(super) fn check_const_param(&mut self, param: ConstParamId, inst: &Inst) {
        let Some(kernel) = self.any_kernel(&param) else { return };
        match kernel.constants.get(param) {
            Some(def) => self.check_result_is(inst, &Type::Scalar(def.scalar)),
            None => self.error(VerifyErrorKind::UnknownId, format!("there is no {param}")),
        }
    }

    pub(super) fn check_len(&mut self, buffer: BufferId, inst: &Inst) {
        if let Some(kernel) = self.any_kernel(&buffer)
            && !kernel.buffers.contains(buffer)
        {
            self.error(VerifyErrorKind::UnknownId, format!("there is no {buffer}"));
        }
        self.check_result_is(inst, &Type::Scalar(Scalar::U32));
    }

    pub(super) fn check_member_len(&mut self, list: BufferId, member: ValueId, inst: &Inst) {
        self.check_operand(member, &[Type::Scalar(Scalar::U32)]);
        let kernel = self.any_kernel(&list);
        if kernel.is_some_and(|kernel| kernel.buffers.get(list).is_some_and(|list| !list.is_list)) {
            self.error(VerifyErrorKind::Place, format!("{list} is no list of buffers"));
        }
        self.check_len(list, inst);
    }

    pub(super) fn check_load(&mut self, place: &Place, inst: &Inst) {
        let ty = self.check_place(place);
        self.check_result(inst, ty);
    }

    pub(super) fn check_store(&mut self, place: &Place, value: ValueId, inst: &Inst) {
        let ty = self.check_place(place);
        self.check_writable(place);
        if let (Some(expected), Some(found)) = (ty, self.type_of(value))
            && expected != found
        {
            let (found, expected) = (self.show(found), self.show(expected));
            self.error(VerifyErrorKind::Operand, format!("{place} is `{expected}`, but {value} is `{found}`"));
        }
        self.check_no_results(inst);
    }

    /// Reports a place in a buffer that is not writable.
    pub(super) fn check_writable(&mut self, place: &Place) {
        if let Root::Buffer(id) | Root::Member(id, _) = place.root {
            let buffer = self.module.kernel.as_ref().and_then(|kernel| kernel.buffers.get(id));
            if buffer.is_some_and(|buffer| !buffer.writable) {
                self.error(VerifyErrorKind::ReadOnly, format!("{id} is not writable"));
            }
        }
    }

    /// Checks a place and gives its type, if it leads to a cell.
    pub(super) fn check_place(&mut self, place: &Place) -> Option<TypeId> {
        for step in &place.path {
            if let Step::Element(value) = *step {
                self.check_operand(value, &[Type::Scalar(Scalar::U32)]);
            }
            if let Step::Index { value, check } = *step {
                self.check_operand(value, &[Type::Scalar(Scalar::U32)]);
                match check.map(|site| (site, self.module.sites.get(site))) {
                    Some((site, None)) => self.error(VerifyErrorKind::UnknownId, format!("there is no {site}")),
                    Some((site, Some(def))) if def.kind != SiteKind::IndexOutOfBounds => {
                        let kind = def.kind.text_name();
                        self.error(VerifyErrorKind::Site, format!("{site} is of the kind {kind}, not an index"));
                    }
                    _ => {}
                }
            }
        }
        if let Some(member) = place.root.member() {
            self.check_operand(member, &[Type::Scalar(Scalar::U32)]);
        }
        if let Root::Shared(shared) = place.root {
            // Reported with the kernel.
            let ty = self.module.kernel.as_ref().and_then(|kernel| kernel.shared.get(shared)).map(|shared| shared.ty);
            if ty.is_some_and(|ty| !self.module.types.all().contains(ty)) {
                return None;
            }
        }
        if let Root::Buffer(buffer) | Root::Member(buffer, _) = place.root {
            let kernel = self.any_kernel(&buffer)?;
            // Reported with the kernel.
            if kernel.buffers.get(buffer).is_some_and(|buffer| buffer.image.is_some()) {
                self.error(VerifyErrorKind::Place, format!("{buffer} is an image"));
                return None;
            }
            let element = kernel.buffers.get(buffer).map(|buffer| buffer.element);
            if element.is_some_and(|element| !self.module.types.all().contains(element)) {
                return None;
            }
        }
        let ty = typing::place_type(self.module, self.function, place);
        ty.map_err(|message| self.error(VerifyErrorKind::Place, message)).ok()
    }
}
