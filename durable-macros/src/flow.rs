//! Which steps can follow which. The walk carries the set of steps that may have been the last one, in the order in
//! which the body is evaluated; a handoff reads from it what comes after a step.

use std::collections::BTreeSet;
use std::mem;

use proc_macro2::Span;
use syn::visit::{self, Visit};
use syn::{
    BinOp, Block, Expr, ExprAsync, ExprBinary, ExprBlock, ExprBreak, ExprClosure, ExprContinue, ExprForLoop, ExprIf,
    ExprLoop, ExprMatch, ExprPath, ExprReturn, ExprWhile, Item, Label, Lifetime, Local, Macro,
};

use crate::walk::{arguments, slot, slot_in, slots_in};

/// Steps by their index in source order.
pub(crate) struct Flow(BTreeSet<(Option<usize>, usize)>);

impl Flow {
    pub(crate) fn of(body: &Block) -> Self {
        let mut walk = Walk { edges: BTreeSet::new(), last: Last::from([None]), frames: Vec::new() };
        walk.visit_block(body);
        Self(walk.edges)
    }

    /// The steps that can come first.
    pub(crate) fn entry(&self) -> Vec<usize> {
        self.from(None)
    }

    /// The steps that can follow a step.
    pub(crate) fn next(&self, step: usize) -> Vec<usize> {
        self.from(Some(step))
    }

    fn from(&self, from: Option<usize>) -> Vec<usize> {
        self.0.iter().filter(|(step, _)| *step == from).map(|(_, to)| *to).collect()
    }
}

/// The steps that may have been the last one; `None` stands for the beginning, and an empty set for unreachable code.
type Last = BTreeSet<Option<usize>>;

struct Walk {
    /// From a step, or the beginning, to a step.
    edges: BTreeSet<(Option<usize>, usize)>,
    last: Last,
    frames: Vec<Frame>,
}

/// Something that a `break`, `continue` or `return` can leave.
struct Frame {
    kind: FrameKind,
    label: Option<String>,
    left: Last,
    continued: Last,
}

#[derive(PartialEq)]
enum FrameKind {
    Loop,
    Block,
    /// A closure or an `async` block.
    Function,
}

impl Walk {
    fn step(&mut self, step: usize) {
        if !self.last.is_empty() {
            self.edges.extend(self.last.iter().map(|from| (*from, step)));
            self.last = Last::from([Some(step)]);
        }
    }

    /// Walks alternatives, each from the present state.
    fn branches<T>(&mut self, branches: impl IntoIterator<Item = T>, walk: impl Fn(&mut Self, T)) {
        let start = self.last.clone();
        let mut ends = Last::new();
        for branch in branches {
            self.last.clone_from(&start);
            walk(self, branch);
            ends.append(&mut self.last);
        }
        self.last = ends;
    }

    fn framed(&mut self, kind: FrameKind, label: Option<&Label>, walk: impl FnOnce(&mut Self)) {
        let label = label.map(|label| label.name.ident.to_string());
        self.frames.push(Frame { kind, label, left: Last::new(), continued: Last::new() });
        walk(self);
        if let Some(mut frame) = self.frames.pop() {
            self.last.append(&mut frame.left);
        }
    }

    /// Walks `round` until it reaches nothing new. `round` gives the state in which the loop ends by itself.
    fn looped(&mut self, kind: FrameKind, label: Option<&Label>, round: impl Fn(&mut Self) -> Last) {
        self.framed(kind, label, |walk| {
            let mut ends = Last::new();
            loop {
                let before = walk.last.clone();
                ends.append(&mut round(walk));
                let mut again = before.clone();
                again.append(&mut walk.last);
                if let Some(frame) = walk.frames.last_mut() {
                    again.append(&mut frame.continued);
                }
                if again == before {
                    break;
                }
                walk.last = again;
            }
            walk.last = ends;
        });
    }

    /// Branches that run at the same time: a step of one can follow any step of another.
    fn concurrent(&mut self, branches: &[&Expr]) {
        let slots: Vec<Vec<usize>> = branches.iter().map(|branch| slots_in(quote::quote!(#branch))).collect();
        for (at, own) in slots.iter().enumerate() {
            let others = slots.iter().enumerate().filter(|(other, _)| *other != at).flat_map(|(_, slots)| slots);
            let pairs = others.flat_map(|other| own.iter().map(move |own| (Some(*own), *other)));
            self.edges.extend(pairs);
        }
        let busy = branches.iter().zip(&slots).filter(|(_, slots)| !slots.is_empty()).map(|(branch, _)| *branch);
        let busy: Vec<&Expr> = busy.collect();
        if !busy.is_empty() {
            self.branches(busy, |walk, branch| walk.visit_expr(branch));
        }
    }

    /// Leaves for the frame that a jump names.
    fn leave(&mut self, label: Option<&Lifetime>, kind: &FrameKind, into: impl Fn(&mut Frame) -> &mut Last) {
        let mut last = mem::take(&mut self.last);
        let target = self.frames.iter_mut().rev().find(|frame| match label {
            Some(label) => frame.label.as_deref() == Some(&label.ident.to_string()),
            None => frame.kind == *kind,
        });
        if let Some(frame) = target {
            into(frame).append(&mut last);
        }
    }
}

impl<'ast> Visit<'ast> for Walk {
    fn visit_expr_path(&mut self, node: &'ast ExprPath) {
        if let Some(step) = node.path.get_ident().and_then(slot_in) {
            self.step(step);
        }
    }

    fn visit_local(&mut self, node: &'ast Local) {
        let Some(init) = &node.init else { return };
        self.visit_expr(&init.expr);
        if let Some((_, diverge)) = &init.diverge {
            self.branches([Some(diverge), None], |walk, branch| {
                branch.into_iter().for_each(|expr| walk.visit_expr(expr))
            });
        }
    }

    fn visit_expr_if(&mut self, node: &'ast ExprIf) {
        self.visit_expr(&node.cond);
        self.branches([true, false], |walk, holds| match &node.else_branch {
            _ if holds => walk.visit_block(&node.then_branch),
            Some((_, otherwise)) => walk.visit_expr(otherwise),
            None => {}
        });
    }

    fn visit_expr_match(&mut self, node: &'ast ExprMatch) {
        self.visit_expr(&node.expr);
        self.branches(&node.arms, |walk, arm| walk.visit_arm(arm));
    }

    fn visit_expr_binary(&mut self, node: &'ast ExprBinary) {
        self.visit_expr(&node.left);
        let skips = matches!(node.op, BinOp::And(_) | BinOp::Or(_));
        self.branches([true, false], |walk, evaluated| {
            if evaluated || !skips {
                walk.visit_expr(&node.right);
            }
        });
    }

    fn visit_expr_for_loop(&mut self, node: &'ast ExprForLoop) {
        self.visit_expr(&node.expr);
        self.looped(FrameKind::Loop, node.label.as_ref(), |walk| {
            let ends = walk.last.clone();
            walk.visit_block(&node.body);
            ends.union(&walk.last).copied().collect()
        });
    }

    fn visit_expr_while(&mut self, node: &'ast ExprWhile) {
        self.looped(FrameKind::Loop, node.label.as_ref(), |walk| {
            walk.visit_expr(&node.cond);
            let ends = walk.last.clone();
            walk.visit_block(&node.body);
            ends
        });
    }

    fn visit_expr_loop(&mut self, node: &'ast ExprLoop) {
        self.looped(FrameKind::Loop, node.label.as_ref(), |walk| {
            walk.visit_block(&node.body);
            Last::new()
        });
    }

    /// A closure may be called never, once or often.
    fn visit_expr_closure(&mut self, node: &'ast ExprClosure) {
        self.looped(FrameKind::Function, None, |walk| {
            let ends = walk.last.clone();
            walk.visit_expr(&node.body);
            ends.union(&walk.last).copied().collect()
        });
    }

    fn visit_expr_async(&mut self, node: &'ast ExprAsync) {
        self.framed(FrameKind::Function, None, |walk| walk.visit_block(&node.block));
    }

    fn visit_expr_block(&mut self, node: &'ast ExprBlock) {
        self.framed(FrameKind::Block, node.label.as_ref(), |walk| walk.visit_block(&node.block));
    }

    fn visit_expr_break(&mut self, node: &'ast ExprBreak) {
        visit::visit_expr_break(self, node);
        self.leave(node.label.as_ref(), &FrameKind::Loop, |frame| &mut frame.left);
    }

    fn visit_expr_continue(&mut self, node: &'ast ExprContinue) {
        self.leave(node.label.as_ref(), &FrameKind::Loop, |frame| &mut frame.continued);
    }

    fn visit_expr_return(&mut self, node: &'ast ExprReturn) {
        visit::visit_expr_return(self, node);
        self.leave(None, &FrameKind::Function, |frame| &mut frame.left);
    }

    fn visit_macro(&mut self, node: &'ast Macro) {
        let concurrent = node.path.segments.last().is_some_and(|last| last.ident.to_string().contains("join"));
        match arguments(node.tokens.clone()) {
            Some(arguments) if concurrent => self.concurrent(&arguments.iter().collect::<Vec<_>>()),
            Some(arguments) => arguments.iter().for_each(|argument| self.visit_expr(argument)),
            // What a macro does with other input is its own affair: its steps may run in any order.
            None => {
                let slots: Vec<Expr> =
                    slots_in(node.tokens.clone()).into_iter().map(|index| slot(index, Span::call_site())).collect();
                self.concurrent(&slots.iter().collect::<Vec<_>>());
            }
        }
    }

    fn visit_item(&mut self, _: &'ast Item) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The flow of a body in which `a`, `b`, .. are steps: `-a` for the beginning, `ab` for "b can follow a".
    fn flow(body: &str) -> String {
        let body = format!("{{{body}}}");
        let names = ["a", "b", "c", "d", "e"];
        let rename = |word: &str| match names.iter().position(|name| *name == word) {
            Some(step) => format!("__durable_slot_{step}"),
            None => word.to_owned(),
        };
        let mut renamed = String::new();
        let mut word = String::new();
        for c in body.chars() {
            if c.is_alphanumeric() || c == '_' {
                word.push(c);
            } else {
                renamed += &rename(&mem::take(&mut word));
                renamed.push(c);
            }
        }
        let flow = Flow::of(&syn::parse_str(&renamed).unwrap());
        let edge =
            |(from, to): &(Option<usize>, usize)| format!("{}{}", from.map_or("-", |from| names[from]), names[*to]);
        flow.0.iter().map(edge).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn steps_follow_each_other_as_the_body_is_evaluated() {
        for (body, want) in [
            ("", ""),
            ("a; b; c", "-a ab bc"),
            ("let x = a; f(b, c)", "-a ab bc"),
            ("if x { a } else { b } c", "-a -b ac bc"),
            ("if x { a } b", "-a -b ab"),
            ("if a { b } c", "-a ab ac bc"),
            ("match x { 1 => a, 2 => b, _ => {} } c", "-a -b -c ac bc"),
            ("for x in y { a; b } c", "-a -c ab ba bc"),
            ("for x in a { b }", "-a ab bb"),
            ("while a { b } c", "-a ab ac ba"),
            ("loop { a; if x { break; } b; } c", "-a ab ac ba"),
            ("loop { a; if x { continue; } b; }", "-a aa ab ba"),
            ("'x: loop { loop { a; break 'x; } b; } c", "-a ac"),
            ("if x { a; return; } b", "-a -b"),
            ("let Some(x) = a else { b; return }; c", "-a ab ac"),
            ("x && a; b", "-a -b ab"),
            ("f(|x| a); b", "-a -b aa ab"),
            ("async { a; return; b }.await; c", "-a ac"),
            ("join!(async { a; b }, c); d", "-a -c ab ac bc bd ca cb cd"),
            ("join!(async { a }, x); b", "-a ab"),
            ("println!(\"{}\", a); b", "-a ab"),
            ("fn inner() { a } b", "-b"),
        ] {
            assert_eq!(flow(body), want, "{body}");
        }
    }
}
