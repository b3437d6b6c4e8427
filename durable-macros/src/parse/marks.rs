//! What the attributes of a parameter say of it: `#[resource]` and `#[input(..)]`.

use proc_macro2::TokenStream;
use syn::{Attribute, Meta};

use super::args::Args;
use crate::diag::Errors;
use crate::model::InputDefault;
use crate::names::mentions;
use crate::suggest;

const MARKS: &[&str] = &["resource", "input"];

/// The marks of one parameter, taken out of its attributes.
#[derive(Default)]
pub(super) struct Marks {
    pub(super) is_resource: bool,
    /// `#[input(..)]`, where it was read.
    pub(super) input: Option<Attribute>,
    pub(super) default: Option<InputDefault>,
}

/// Takes the marks out of `attrs`; the rest stays.
pub(super) fn take(attrs: &mut Vec<Attribute>, errors: &mut Errors) -> Marks {
    let mut marks = Marks::default();
    for attr in std::mem::take(attrs) {
        match name(&attr) {
            Some("resource") => marks.resource(&attr, errors),
            Some("input") => marks.input(attr, errors),
            _ => match mistyped(&attr, errors) {
                Some(meant) => marks.is_resource |= meant == "resource",
                None => {
                    refuse_conditional(&attr, errors);
                    attrs.push(attr);
                }
            },
        }
    }
    if let (true, Some(attr)) = (marks.is_resource, &marks.input) {
        errors.on(
            attr,
            "a parameter is an input or a resource, and a `#[resource]` is not recorded: keep one of the two",
        );
    }
    marks
}

/// Whether `#[input(..)]` has an argument, be it a wrong one. Without any it is refused for that.
pub(super) fn says_something(input: &Attribute) -> bool {
    matches!(&input.meta, Meta::NameValue(_)) || matches!(&input.meta, Meta::List(list) if !list.tokens.is_empty())
}

/// What `#[ressource]` was meant to be, which is reported. The compiler does not know it either, and would guess at
/// attributes of somebody else; and the parameter would be recorded after all.
fn mistyped(attr: &Attribute, errors: &mut Errors) -> Option<&'static str> {
    let name = attr.path().get_ident()?.to_string();
    let meant = if name == "default" { "input" } else { suggest::nearest(&name, MARKS)? };
    let written = if meant == "input" { "#[input(default = ..)]" } else { "#[resource]" };
    errors.on(attr.path(), format!("a parameter has no attribute `{name}`: did you mean `{written}`?"));
    Some(meant)
}

/// Which mark an attribute is, by the last part of its path.
fn name(attr: &Attribute) -> Option<&'static str> {
    let last = attr.path().segments.last()?;
    MARKS.iter().copied().find(|name| last.ident == name)
}

impl Marks {
    fn resource(&mut self, attr: &Attribute, errors: &mut Errors) {
        if !matches!(attr.meta, Meta::Path(_)) {
            errors.on(attr, "`#[resource]` takes no arguments");
        }
        if self.is_resource {
            errors.on(attr, "`#[resource]` is given twice: keep one");
        }
        self.is_resource = true;
    }

    fn input(&mut self, attr: Attribute, errors: &mut Errors) {
        if self.input.is_some() {
            errors.on(&attr, "`#[input(..)]` is given twice: keep one");
            return;
        }
        match &attr.meta {
            Meta::List(list) if !list.tokens.is_empty() => self.default = default(list.tokens.clone(), errors),
            Meta::NameValue(_) => {
                errors.on(&attr, "what stands in for a missing input is written in parentheses: `#[input(default = ..)]`");
            }
            _ => errors.on(&attr, "`#[input]` alone says nothing, for every parameter is an input: take it out, or write `#[input(default = ..)]` for one that was added later"),
        }
        self.input = Some(attr);
    }
}

fn default(args: TokenStream, errors: &mut Errors) -> Option<InputDefault> {
    let default = Args::parse(args, "`#[input]`", &["default"], errors).take("default")?;
    if default.unfinished.is_some() {
        default.refuse("`default` stands alone, or has a value: write `#[input(default = \"EUR\")]`", errors);
    }
    Some(default.value.map_or(InputDefault::Standard, InputDefault::Given))
}

/// A mark that may or may not be there is neither: what is recorded would depend on what cannot be seen here.
fn refuse_conditional(attr: &Attribute, errors: &mut Errors) {
    if let Meta::List(list) = &attr.meta
        && list.path.is_ident("cfg_attr")
        && mentions(list.tokens.clone(), &["resource", "input"])
    {
        errors.on(attr, "whether a parameter is recorded cannot depend on `cfg_attr`: write the parameter twice, each time under its own `#[cfg(..)]`");
    }
}
