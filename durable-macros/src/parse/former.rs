//! Keys that the code no longer has: `formerly = [..]`, and `retired = [..]`.

use syn::{Expr, LitStr};

use super::args::Arg;
use super::values;
use crate::diag::Errors;
use crate::key::{Hole, Template};
use crate::model::Text;

/// Stands between the key of a run and that of a step.
const SCOPE: &str = "//";

/// The keys that a step or a run had before. `{}` stands for a hole of its present key, in their order.
pub(super) fn formerly(arg: &Arg, present: Option<&Text>, errors: &mut Errors) -> Vec<Text> {
    let holes = present.map_or(&[][..], |key| &key.template.holes);
    let former = values::strings(arg, "formerly = [\"pay/{}\"]", errors);
    refuse_none(arg, &former, errors);
    let former: Vec<Text> = former.into_iter().filter_map(|literal| former_key(literal, holes, errors)).collect();
    for (key, present) in former.iter().filter_map(|key| Some((key, present?))) {
        if key.template == present.template {
            errors.at(key.literal.span(), "this is the key that it has now: write here the keys that it had before");
        }
    }
    former
}

/// The same of a workflow, which may have had another name too. So a text without holes may be both: the name that it had,
/// and the key that it has now.
pub(super) fn of_workflow(arg: &Arg, present: Option<&Text>, errors: &mut Errors) -> Vec<Text> {
    formerly(arg, present.filter(|key| !key.template.holes.is_empty()), errors)
}

/// The keys of steps and runs that are gone. What stood in their holes is gone with them.
pub(super) fn retired(arg: &Arg, errors: &mut Errors) -> Vec<Text> {
    let retired = values::strings(arg, "retired = [\"pay/{}\"]", errors);
    refuse_none(arg, &retired, errors);
    retired.into_iter().filter_map(|literal| retired_key(literal, errors)).collect()
}

fn former_key(literal: LitStr, holes: &[Hole], errors: &mut Errors) -> Option<Text> {
    let text = literal.value();
    let mut rest = holes.iter();
    let mut used = 0;
    let template = Template::parse_with(&text, &mut || {
        used += 1;
        rest.next().cloned().ok_or_else(|| unlike(&text, holes.len()))
    });
    let parsed = template.and_then(|template| match used == 0 || used == holes.len() {
        true => Ok(template),
        false => Err(unlike(&text, holes.len())),
    });
    whole(literal, parsed, errors).filter(|text| values::holes_are_places(text, errors))
}

fn unlike(text: &str, holes: usize) -> String {
    let has = match holes {
        0 => "it has no hole".to_owned(),
        1 => "it has one".to_owned(),
        n => format!("it has {n}"),
    };
    format!(
        "each `{{}}` in \"{text}\" stands for one hole of the key that is used now, in their order, and {has}: write what stood in each, as in a key, `\"pay/{{invoice.id}}\"`"
    )
}

fn retired_key(literal: LitStr, errors: &mut Errors) -> Option<Text> {
    let anything = || Ok(Hole { expr: "_".to_owned(), spec: None });
    let parsed = Template::parse_with(&literal.value(), &mut { anything });
    whole(literal, parsed, errors)
}

/// A former key is one like any other, but that it may say in full in which run it stood.
fn whole(literal: LitStr, parsed: Result<Template, String>, errors: &mut Errors) -> Option<Text> {
    let value = literal.value();
    let mistake = value.split(SCOPE).find_map(values::bad_characters);
    match mistake.map_or(parsed, Err) {
        Ok(template) => Some(Text { literal, template }),
        Err(mistake) => {
            errors.at(literal.span(), mistake);
            None
        }
    }
}

fn refuse_none(arg: &Arg, list: &[LitStr], errors: &mut Errors) {
    let is_empty_list =
        matches!(arg.value.as_ref().map(values::peel), Some(Expr::Array(array)) if array.elems.is_empty());
    if list.is_empty() && is_empty_list {
        errors.at(arg.name.span(), format!("`{}` names nothing: write the old keys, or take it out", arg.name));
    }
}
