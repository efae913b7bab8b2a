//! The functions that record traps and prints for the host, one for each number of words. Called at the sites.

use rspirv::spirv::{Decoration, Op, Scope, StorageClass};

use super::module::Writer;
use super::words::{Id, Ids};
use crate::descriptor::{PrintHeader, TrapRecord};
use crate::ir::SiteId;

/// Members of [`TrapRecord`].
const CLAIMED: u32 = 0;
const COUNT: u32 = 1;
const INVOCATION: u32 = 2;

/// Members of the print buffer's block: those of [`PrintHeader`], then the array of records' words.
const USED: u32 = 0;
const DROPPED: u32 = 1;
const CAPACITY: u32 = 2;
const RECORDS: u32 = PrintHeader::WORDS;

/// The functions that something calls, in order of their first call: number of words and id.
#[derive(Debug, Default)]
pub(super) struct ReportFunctions {
    traps: Vec<(usize, Id)>,
    prints: Vec<(usize, Id)>,
}

impl Writer<'_> {
    /// Calls the trap function. The record claims with 1 + the site's number, for zero means unclaimed.
    pub(super) fn call_trap(&mut self, site: SiteId, operands: &[Id]) {
        self.call_report("trap", |reports| &mut reports.traps, site, operands);
    }

    /// Calls the print function; its record begins with 1 + the site's number, for zero ends the records.
    pub(super) fn call_print(&mut self, site: SiteId, words: &[Id]) {
        self.call_report("print", |reports| &mut reports.prints, site, words);
    }

    fn call_report(
        &mut self,
        name: &str,
        of_kind: fn(&mut ReportFunctions) -> &mut Vec<(usize, Id)>,
        site: SiteId,
        words: &[Id],
    ) {
        let known = of_kind(&mut self.reports).iter().find(|(count, _)| *count == words.len());
        let function = match known {
            Some((_, id)) => *id,
            None => {
                let id = self.new_id();
                self.name(id, &format!("{name}{}", words.len()));
                of_kind(&mut self.reports).push((words.len(), id));
                id
            }
        };
        let site = self.uses.site_number(site) + 1;
        let site = self.const_u32(site);
        let void = self.void_type();
        let operands: Ids = [function, site].into_iter().chain(words.iter().copied()).collect();
        self.op(Op::FunctionCall, void, &operands);
    }

    /// `void`.
    pub(super) fn void_type(&mut self) -> Id {
        self.global(Op::TypeVoid, None, &[])
    }

    /// Defines the functions that something called.
    pub(super) fn write_report_functions(&mut self) {
        let ReportFunctions { traps, prints } = std::mem::take(&mut self.reports);
        for (words, function) in traps {
            self.write_trap_function(function, words);
        }
        for (words, function) in prints {
            self.write_print_function(function, words);
        }
    }

    /// Starts a function of the site's number and some words; gives back its parameters.
    fn begin_report(&mut self, function: Id, words: usize) -> (Id, Vec<Id>) {
        let (void, word) = (self.void_type(), self.u32_type());
        let signature: Ids = [void, word].into_iter().chain(std::iter::repeat_n(word, words)).collect();
        let signature = self.global(Op::TypeFunction, None, &signature);
        self.op_into(function, Op::Function, void, &[0, signature]);
        let site = self.op(Op::FunctionParameter, word, &[]);
        let words = (0..words).map(|_| self.op(Op::FunctionParameter, word, &[])).collect();
        let entry = self.new_id();
        self.begin_block(entry);
        (site, words)
    }

    /// Ends a function with the block where all ways meet.
    fn end_report(&mut self, done: Id) {
        self.effect(Op::Branch, &[done]);
        self.begin_block(done);
        self.effect(Op::Return, &[]);
        self.effect(Op::FunctionEnd, &[]);
    }

    /// Scope and semantics of the atomics on records. The launch's queue family is as far as they are shared while the
    /// kernel runs, and unlike device scope it asks for no extra feature. No ordering: the host reads after the launch.
    fn report_scope(&mut self) -> [Id; 2] {
        [self.const_u32(Scope::QueueFamily as u32), self.const_u32(0)]
    }

    /// Site and axes of the running invocation's id, with the words.
    fn report_fields(&mut self, words: Vec<Id>) -> Vec<Id> {
        let word = self.u32_type();
        let invocation = self.write_global_id();
        let axes = [0, 1, 2].map(|axis| self.op(Op::CompositeExtract, word, &[invocation, axis]));
        axes.into_iter().chain(words).collect()
    }

    fn write_trap_function(&mut self, function: Id, words: usize) {
        let (word, bool_) = (self.u32_type(), self.bool_type());
        let (claim, words) = self.begin_report(function, words);
        let [scope, relaxed] = self.report_scope();
        let (zero, one) = (self.const_u32(0), self.const_u32(1));
        let record = self.interface.trap;
        let count = self.report_word(record, COUNT);
        self.op(Op::AtomicIAdd, word, &[count, scope, relaxed, one]);
        let claimed = self.report_word(record, CLAIMED);
        let before = self.op(Op::AtomicCompareExchange, word, &[claimed, scope, relaxed, relaxed, claim, zero]);
        let is_first = self.op(Op::IEqual, bool_, &[before, zero]);
        let (first, done) = (self.new_id(), self.new_id());
        self.effect(Op::SelectionMerge, &[done, 0]);
        self.effect(Op::BranchConditional, &[is_first, first, done]);

        self.begin_block(first);
        debug_assert_eq!(TrapRecord::HEADER_WORDS, INVOCATION + 3);
        let fields = self.report_fields(words);
        for (member, value) in (INVOCATION..).zip(fields) {
            let pointer = self.report_word(record, member);
            self.effect(Op::Store, &[pointer, value]);
        }
        self.end_report(done);
    }

    /// Takes room for a record and writes it, or counts it as dropped.
    fn write_print_function(&mut self, function: Id, count: usize) {
        let (word, bool_) = (self.u32_type(), self.bool_type());
        let (site, words) = self.begin_report(function, count);
        let [scope, relaxed] = self.report_scope();
        let buffer = self.interface.print;
        let (zero, one) = (self.const_u32(0), self.const_u32(1));
        let size = self.const_u32(PrintHeader::RECORD_WORDS + count as u32);

        // A full buffer is not asked again, so that the number of words asked for never wraps around.
        let used = self.report_word(buffer, USED);
        let before = self.op(Op::AtomicLoad, word, &[used, scope, relaxed]);
        let capacity = self.report_word(buffer, CAPACITY);
        let capacity = self.op(Op::Load, word, &[capacity]);
        let has_room = self.op(Op::ULessThan, bool_, &[before, capacity]);
        let [take, write, cut, end, drop, done] = [(); 6].map(|()| self.new_id());
        let after_cut = self.new_id();
        self.effect(Op::SelectionMerge, &[done, 0]);
        self.effect(Op::BranchConditional, &[has_room, take, drop]);

        self.begin_block(take);
        let start = self.op(Op::AtomicIAdd, word, &[used, scope, relaxed, size]);
        let stop = self.op(Op::IAdd, word, &[start, size]);
        let fits = self.op(Op::ULessThanEqual, bool_, &[stop, capacity]);
        self.effect(Op::SelectionMerge, &[end, 0]);
        self.effect(Op::BranchConditional, &[fits, write, cut]);

        self.begin_block(write);
        let fields = self.report_fields(words);
        for (offset, value) in (0..).zip([site].into_iter().chain(fields)) {
            let offset = self.const_u32(offset);
            let at = self.op(Op::IAdd, word, &[start, offset]);
            let pointer = self.record_word(at);
            self.effect(Op::Store, &[pointer, value]);
        }
        self.effect(Op::Branch, &[end]);

        // The record that reaches past the end marks where the records stop.
        self.begin_block(cut);
        let dropped = self.report_word(buffer, DROPPED);
        self.op(Op::AtomicIAdd, word, &[dropped, scope, relaxed, one]);
        let is_inside = self.op(Op::ULessThan, bool_, &[start, capacity]);
        let mark = self.new_id();
        self.effect(Op::SelectionMerge, &[after_cut, 0]);
        self.effect(Op::BranchConditional, &[is_inside, mark, after_cut]);
        self.begin_block(mark);
        let pointer = self.record_word(start);
        self.effect(Op::Store, &[pointer, zero]);
        self.effect(Op::Branch, &[after_cut]);
        self.begin_block(after_cut);
        self.effect(Op::Branch, &[end]);
        self.begin_block(end);
        self.effect(Op::Branch, &[done]);

        self.begin_block(drop);
        let dropped = self.report_word(buffer, DROPPED);
        self.op(Op::AtomicIAdd, word, &[dropped, scope, relaxed, one]);
        self.end_report(done);
    }

    /// Declares the print buffer.
    pub(super) fn declare_print_buffer(&mut self, binding: u32) -> Id {
        let word = self.u32_type();
        let array = self.new_global(Op::TypeRuntimeArray, None, &[word]);
        self.decorate(array, Decoration::ArrayStride, &[4]);
        let mut members: Vec<_> = (0..PrintHeader::WORDS).map(|member| (word, 4 * member)).collect();
        members.push((array, 4 * PrintHeader::WORDS));
        let block = self.block_type(&members);
        self.bound_variable(block, binding, "print_buffer")
    }

    fn record_word(&mut self, at: Id) -> Id {
        let word = self.u32_type();
        let pointer_type = self.pointer_type(StorageClass::StorageBuffer, word);
        let (records, buffer) = (self.const_u32(RECORDS), self.interface.print);
        self.op(Op::AccessChain, pointer_type, &[buffer, records, at])
    }

    fn report_word(&mut self, record: Id, member: u32) -> Id {
        let word = self.u32_type();
        let pointer_type = self.pointer_type(StorageClass::StorageBuffer, word);
        let member = self.const_u32(member);
        self.op(Op::AccessChain, pointer_type, &[record, member])
    }
}
