//! Where the body of a workflow is: all of an `async fn`; in a function that returns a future, the `async` block at its
//! end. `#[async_trait]` makes the former into the latter before it comes here, which is undone as far as it matters.

use std::mem;

use proc_macro2::{Ident, Span};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    AssocType, Block, Expr, ExprAsync, FnArg, GenericArgument, ItemFn, Local, Pat, PathArguments, ReturnType, Stmt,
    Type, TypePath, parse_quote_spanned,
};

use super::signature::{never_a_result, simple_name, typed};
use crate::model::Body;
use crate::walk;

/// What `#[async_trait]` calls a receiver, and a result.
const RECEIVER: &str = "__self";
const RESULT: &str = "__ret";

/// Takes the body out of the function and leaves its place; `None` if the function returns no future of its own.
pub(crate) fn take(function: &mut ItemFn) -> Option<Body> {
    if function.sig.asyncness.is_some() {
        let returns = match &function.sig.output {
            ReturnType::Type(_, returns) => Some((**returns).clone()),
            ReturnType::Default => None,
        };
        return Some(Body { block: take_block(&mut function.block), returns, receiver: None });
    }
    let ItemFn { sig, block, .. } = function;
    let is_boxed = matches!(block.stmts.last(), Some(Stmt::Expr(Expr::Call(_) | Expr::MethodCall(_), None)));
    let carrier = carrier(block)?;
    let returns = output(&sig.output, is_boxed)?;
    let receiver = receiver(&carrier.block);
    restore_patterns(&mut sig.inputs, &mut carrier.block);
    Some(Body { block: take_block(innermost(carrier)), returns: Some(returns), receiver })
}

fn take_block(block: &mut Block) -> Block {
    let place = Stmt::Expr(walk::body_slot(Span::call_site()), None);
    let stmts = mem::replace(&mut block.stmts, vec![place]);
    Block { brace_token: block.brace_token, stmts }
}

/// The `async` block that a function ends with: `async move { .. }`, `Box::pin(async move { .. })`, or
/// `async move { .. }.boxed()`.
fn carrier(block: &mut Block) -> Option<&mut ExprAsync> {
    let Some(Stmt::Expr(last, None)) = block.stmts.last_mut() else { return None };
    async_block(last)
}

/// Whether a function ends with an `async` block, be it one that it should not have made.
pub(crate) fn ends_in_a_future(block: &Block) -> bool {
    carrier(&mut block.clone()).is_some()
}

fn async_block(expr: &mut Expr) -> Option<&mut ExprAsync> {
    match expr {
        Expr::Async(block) => Some(block),
        Expr::Group(group) => async_block(&mut group.expr),
        Expr::Paren(paren) => async_block(&mut paren.expr),
        Expr::Call(call) if is_box_pin(&call.func) && call.args.len() == 1 => async_block(call.args.first_mut()?),
        Expr::MethodCall(call) if call.method == "boxed" || call.method == "boxed_local" => {
            async_block(&mut call.receiver)
        }
        _ => None,
    }
}

fn is_box_pin(function: &Expr) -> bool {
    let Expr::Path(path) = function else { return false };
    let mut names = path.path.segments.iter().rev().map(|segment| &segment.ident);
    names.next().is_some_and(|name| name == "pin") && names.next().is_some_and(|name| name == "Box")
}

/// The block that was the body before `#[async_trait]` came: `let __ret: R = { .. };`.
fn innermost(carrier: &mut ExprAsync) -> &mut Block {
    let is_result = |stmt: &Stmt| matches!(stmt, Stmt::Local(local) if bound_block(local, RESULT).is_some());
    let Some(at) = carrier.block.stmts.iter().position(is_result) else { return &mut carrier.block };
    match &mut carrier.block.stmts[at] {
        Stmt::Local(Local { init: Some(init), .. }) if matches!(&*init.expr, Expr::Block(_)) => match &mut *init.expr {
            Expr::Block(block) => &mut block.block,
            _ => unreachable!("just matched"),
        },
        _ => unreachable!("just found"),
    }
}

fn bound_block<'a>(local: &'a Local, name: &str) -> Option<&'a Block> {
    let Pat::Type(typed) = &local.pat else { return None };
    match (&*typed.pat, &*local.init.as_ref()?.expr) {
        (Pat::Ident(pat), Expr::Block(block)) if pat.ident == name => Some(&block.block),
        _ => None,
    }
}

/// The name that `self` was given: the arguments of our attributes still say `self`.
fn receiver(block: &Block) -> Option<Ident> {
    block.stmts.iter().find_map(|stmt| match stmt {
        Stmt::Local(Local { pat: Pat::Ident(pat), init: Some(init), .. })
            if pat.ident == RECEIVER && matches!(&*init.expr, Expr::Path(path) if path.path.is_ident("self")) =>
        {
            Some(pat.ident.clone())
        }
        _ => None,
    })
}

/// Puts the patterns of the parameters back: `let (a, b) = { let __arg2 = __arg2; __arg2 };`.
fn restore_patterns(inputs: &mut syn::punctuated::Punctuated<FnArg, syn::Token![,]>, block: &mut Block) {
    for (_, param) in typed(inputs) {
        let Some(name) = simple_name(&param.pat) else { continue };
        let at = block.stmts.iter().position(|stmt| matches!(stmt, Stmt::Local(local) if passes_on(local, &name)));
        if let Some(at) = at
            && let Stmt::Local(local) = block.stmts.remove(at)
        {
            *param.pat = local.pat;
        }
    }
}

fn passes_on(local: &Local, name: &Ident) -> bool {
    let Some(init) = &local.init else { return false };
    match &*init.expr {
        Expr::Path(path) => path.path.is_ident(name) && !matches!(&local.pat, Pat::Type(_)),
        Expr::Block(block) => match block.block.stmts.as_slice() {
            [Stmt::Local(inner), Stmt::Expr(Expr::Path(path), None)] => {
                path.path.is_ident(name) && passes_on(inner, name)
            }
            _ => false,
        },
        _ => false,
    }
}

/// What the future gives that a function returns: `R` of `Future<Output = R>` or `BoxFuture<'_, R>`. Of a box by another
/// name the compiler finds out.
fn output(returns: &ReturnType, is_boxed: bool) -> Option<Type> {
    let ReturnType::Type(_, ty) = returns else { return None };
    let mut output = Output(None);
    output.visit_type(ty);
    output.0.or_else(|| boxed_future(ty)).or_else(|| {
        let may_be_a_box = is_boxed && matches!(&**ty, Type::Path(path) if !is_result(path)) && !never_a_result(ty);
        may_be_a_box.then(|| parse_quote_spanned! {ty.span()=> <#ty as ::core::future::Future>::Output})
    })
}

fn is_result(ty: &TypePath) -> bool {
    ty.path.segments.last().is_some_and(|last| last.ident == "Result")
}

struct Output(Option<Type>);

impl<'ast> Visit<'ast> for Output {
    fn visit_assoc_type(&mut self, node: &'ast AssocType) {
        if node.ident == "Output" && self.0.is_none() {
            self.0 = Some(node.ty.clone());
        }
        visit::visit_assoc_type(self, node);
    }
}

fn boxed_future(ty: &Type) -> Option<Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|last| last.ident.to_string().ends_with("BoxFuture"))?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty.clone()),
        _ => None,
    })
}
