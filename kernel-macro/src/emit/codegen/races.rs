//! Errors for accesses that may race, with a pair of invocations that meet and what to write instead. The IR finds them.

use gridwise_ir::arena::EntityId;
use gridwise_ir::compile::Compiled;
use gridwise_ir::ir::SourceLocation;
use gridwise_ir::races::{Kind, Object, Race, Reason};
use proc_macro2::TokenStream;

use crate::ast::{Fn, SpanRange};
use crate::diag::{Diagnostics, code};
use crate::lower::Elsewhere;
use crate::source;

/// Races that are reported of a kernel; where there are more, one change often mends them all.
const MOST: usize = 3;

/// Reports accesses that may race, each where it is written. `source`: the kernel's tokens, in which places are looked up, and the elements
/// that functions name which it calls.
pub(crate) fn check_races(
    function: &Fn,
    compiled: &Compiled,
    (source, elsewhere): (&TokenStream, &[Elsewhere]),
    diags: &mut Diagnostics,
) {
    let text = Text { function, compiled, source, elsewhere };
    let mut seen: Vec<(Object, Option<SourceLocation>)> = Vec::new();
    for race in &compiled.races {
        let key = (race.object, race.accesses[0].1);
        if seen.contains(&key) {
            continue;
        }
        seen.push(key);
        if seen.len() > MOST {
            break;
        }
        text.report(race, diags);
    }
}

struct Text<'a> {
    function: &'a Fn,
    compiled: &'a Compiled,
    source: &'a TokenStream,
    elsewhere: &'a [Elsewhere],
}

impl Text<'_> {
    fn report(&self, race: &Race, diags: &mut Diagnostics) {
        let name = &race.name;
        let [(kind, at, inst), (other_kind, other_at, other)] = race.accesses;
        let message = match (inst == other, other_kind) {
            _ if race.reason == Reason::Unclaimed => {
                format!("invocations may race: elements of `{name}` are {} here without a claim", kind.name())
            }
            (true, _) => format!("invocations may race: several may write one element of `{name}` here"),
            (false, Kind::Read) => {
                format!("invocations may race: one may write an element of `{name}` here that another one reads")
            }
            _ if kind == Kind::Write => {
                format!("invocations may race: one may write an element of `{name}` here that another one writes")
            }
            _ => format!("invocations may race: one may access an element of `{name}` here that another one changes"),
        };
        let own = at.and_then(|at| self.range(at));
        let error =
            diags.error(code::RACE, own.unwrap_or_else(|| SpanRange::token(self.function.name.span())), message);
        if let Some(at) = at.filter(|_| own.is_none()) {
            error.note(format!("it is {} at {}", kind.name(), self.place(at)));
        }
        if let Some(calls) = at.and_then(|at| self.calls_to(at)) {
            error.note(format!("the kernel comes here by {calls}"));
        }
        if inst != other
            && let Some(at) = other_at
        {
            let calls = self.calls_to(at).map(|calls| format!(", by {calls}")).unwrap_or_default();
            error.note(format!("the other one has it {} at {}{calls}", other_kind.name(), self.place(at)));
        }
        error.note(why(race));
        error.help(remedy(race));
        error.help(format!(
            "where the order does not matter, vouch for the access: `unsafe {{ {name}.unordered()[…] }}`, or make the kernel an `unsafe fn`"
        ));
    }

    /// `line 7`, with the file where it is another one than the kernel's.
    fn place(&self, at: SourceLocation) -> String {
        let file = self.compiled.files.get(at.file.index());
        match file.filter(|file| **file != source::location(self.function.name.span()).0) {
            Some(file) => format!("{file}:{}:{}", at.line, at.column),
            None => format!("line {}", at.line),
        }
    }

    fn elsewhere(&self, at: SourceLocation) -> Option<&Elsewhere> {
        self.elsewhere.iter().find(|access| access.location == at)
    }

    /// The calls that lead to a place in a function that the kernel calls.
    fn calls_to(&self, at: SourceLocation) -> Option<String> {
        let calls = &self.elsewhere(at)?.calls;
        let places: Vec<String> = calls.iter().map(|call| self.place(*call)).collect();
        let many = if places.len() > 1 { "the calls" } else { "the call" };
        Some(format!("{many} at {}", places.join(", then ")))
    }

    /// The access at a place, in the kernel's own code or that of a function it calls.
    fn range(&self, at: SourceLocation) -> Option<SpanRange> {
        if let Some(access) = self.elsewhere(at) {
            return Some(access.span);
        }
        let file = self.compiled.files.get(at.file.index())?;
        (*file == source::location(self.function.name.span()).0)
            .then(|| source::range_at(self.source.clone(), at.line, at.column))
            .flatten()
    }
}

/// The reason, with two invocations that meet.
fn why(race: &Race) -> String {
    let shared = matches!(race.object, Object::Shared(_));
    match (race.reason, race.invocations) {
        (Reason::Axis(axis), _) => {
            let mut other = [0; 3];
            other[usize::from(axis.min(2))] = 1;
            format!("for example invocations (0, 0, 0) and {} of the grid: {}", triple(other), race.reason.text())
        }
        (reason, Some([a, b])) => {
            let of = if shared { "the workgroup" } else { "a workgroup" };
            format!("for example invocations {} and {} of {of}: {}", triple(a), triple(b), reason.text())
        }
        (reason, None) => reason.text().to_owned(),
    }
}

fn triple([x, y, z]: [u32; 3]) -> String {
    format!("({x}, {y}, {z})")
}

/// The remedy.
fn remedy(race: &Race) -> String {
    let name = &race.name;
    let is_read_elsewhere = race.accesses[1].0 == Kind::Read && matches!(race.object, Object::Buffer(_));
    match race.reason {
        Reason::Axis(0) | Reason::Index if is_read_elsewhere => {
            format!("read one buffer and write another one, or access `{name}` at the invocation's own place only")
        }
        Reason::Axis(0) => format!(
            "write at the invocation's own place, `{name}[global_id().x]`, let one invocation write, `if global_id().x == 0 {{ … }}`, make the elements `Atomic`, take indices that all differ, `ix: &Distinct<u32>`, or let invocations claim elements, `{name}: &mut Scatter<T>`"
        ),
        Reason::Axis(axis) => {
            let axis = if axis == 1 { 'y' } else { 'z' };
            format!(
                "let the index depend on `global_id().{axis}`, or let one of them write: `if global_id().{axis} == 0 {{ … }}`"
            )
        }
        Reason::NoBarrier => "put a `barrier()` between the two, where all of a workgroup come by".to_owned(),
        Reason::Index => format!(
            "let the index be made of the invocation's whole position, `{name}[g.y * width + g.x]`, make the elements `Atomic`, take indices that all differ, `ix: &Distinct<u32>`, or let invocations claim elements, `{name}: &mut Scatter<T>`"
        ),
        Reason::OpenSize => {
            "give the workgroup and its memory sizes that are numbers: `#[kernel(workgroup = 64)]`".to_owned()
        }
        Reason::TooMuch => "make the kernel smaller, or split it in two".to_owned(),
        Reason::Call => "access the elements in the kernel itself".to_owned(),
        Reason::Counter => {
            "limit the number where it is computed: `count.min(1024)`, or `count.min(most)` with a parameter".to_owned()
        }
        Reason::Unclaimed => {
            format!("write whole elements, `{name}[k] = v`, and read another tensor")
        }
    }
}
