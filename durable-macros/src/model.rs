//! What a workflow is, between reading it and writing it out. Every node keeps its source, so that a mistake is
//! reported at the token that made it.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

use proc_macro2::{Ident, Span};
use syn::{Attribute, Block, Expr, Generics, ItemFn, LitStr, Pat, Path, Token, Type};

use crate::expand::Named;
use crate::key::{Template, root};

pub(crate) struct Workflow {
    /// The function, our attributes taken out, and a [slot](crate::walk::splice) where the body was.
    pub(crate) function: ItemFn,
    /// What is resumed, with a slot where each step was.
    pub(crate) body: Body,
    pub(crate) args: WorkflowArgs,
    pub(crate) signature: Signature,
    pub(crate) place: Place,
    /// In source order.
    pub(crate) steps: Vec<Step>,
    /// What the compiler is to warn of.
    pub(crate) findings: Vec<Finding>,
    /// The names in our attributes.
    pub(crate) names: Vec<Named>,
}

/// The body, wherever in the function it stands.
pub(crate) struct Body {
    pub(crate) block: Block,
    /// What it gives; `None` where that was forgotten.
    pub(crate) returns: Option<Type>,
    /// What `self` is called in it, where another macro has renamed it.
    pub(crate) receiver: Option<Ident>,
}

/// What the parameters and the return type mean.
pub(crate) struct Signature {
    pub(crate) session: Session,
    pub(crate) inputs: Vec<Input>,
    pub(crate) returns: Type,
    /// Whether it has a receiver, or says `Self`.
    pub(crate) speaks_of_self: bool,
}

/// Where the function stands, as far as it is known: it decides where the constant of its outline can stand.
#[derive(Clone)]
pub(crate) enum Place {
    /// Under no other attribute of ours: in a module, a body, or an `impl` block.
    Unknown,
    /// In an `impl` block under `#[durable_methods]`.
    Impl { generics: Generics },
    /// In the `impl` block of a trait under `#[durable_methods]`.
    TraitImpl { of: Ident, generics: Generics },
}

impl Place {
    pub(crate) fn of_trait(&self) -> Option<&Ident> {
        match self {
            Self::TraitImpl { of, .. } => Some(of),
            Self::Unknown | Self::Impl { .. } => None,
        }
    }
}

impl Body {
    /// The body of a function that is no workflow, so that its other mistakes are found as well.
    pub(crate) fn of_another(function: &mut ItemFn) -> Self {
        let block = std::mem::replace(&mut *function.block, syn::parse_quote!({}));
        function.block.stmts.push(syn::Stmt::Expr(crate::walk::body_slot(Span::call_site()), None));
        Self { block, returns: None, receiver: None }
    }
}

#[derive(Default)]
pub(crate) struct WorkflowArgs {
    /// `crate = ::path`: what the expansion calls.
    pub(crate) root: Option<Path>,
    pub(crate) key: Option<Text>,
    /// The keys that its runs had before, and the names that it had.
    pub(crate) formerly: Vec<Text>,
    /// The keys of steps and runs that are gone.
    pub(crate) retired: Vec<Text>,
    pub(crate) version: Option<u32>,
    pub(crate) goal: Option<Text>,
    pub(crate) invariants: Vec<LitStr>,
    pub(crate) session: Option<Expr>,
    /// `inputs = "recorded"`: a resumed run does not compare them.
    pub(crate) inputs_recorded: bool,
    /// `secrets = "allow"`: its key, its inputs and its result may hold them.
    pub(crate) allows_secrets: bool,
    pub(crate) nondeterminism: Nondeterminism,
    /// How long an attempt of a step may take that says nothing of it.
    pub(crate) timeout: Option<(Span, Duration)>,
    /// Whether it may stay on one thread.
    pub(crate) local: bool,
}

/// What becomes of a call outside the steps whose answer another process would not get again.
#[derive(Clone, Copy, Default, PartialEq)]
pub(crate) enum Nondeterminism {
    Allow,
    #[default]
    Warn,
    Deny,
}

/// Something that may be a mistake.
pub(crate) struct Finding {
    pub(crate) path: Path,
    pub(crate) text: String,
    /// The `#[cfg]` and `#[allow]` of the statements around it.
    pub(crate) attrs: Vec<Attribute>,
}

/// Where the session comes from.
pub(crate) enum Session {
    Parameter { name: Ident, ty: Type },
    Given(Expr),
}

/// A parameter whose value is recorded when the run starts.
pub(crate) struct Input {
    /// Its place among the parameters.
    pub(crate) index: usize,
    /// Its `#[cfg(..)]`: each statement about it stands under the same.
    pub(crate) cfgs: Vec<Attribute>,
    /// Its other attributes, such as `#[allow(..)]`, which hold for what it is restored to as well.
    pub(crate) attrs: Vec<Attribute>,
    /// The name under which it is recorded.
    pub(crate) name: String,
    pub(crate) pat: Pat,
    pub(crate) ty: Type,
    pub(crate) lending: Lending,
    /// What a run sees that began before the parameter was added.
    pub(crate) default: Option<InputDefault>,
}

/// How the body has an input that was read back: what was read is owned, and lent to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Lending {
    /// Whether the parameter is a `&`.
    pub(crate) is_reference: bool,
    pub(crate) holds: Holds,
}

/// What the parameter, or what it refers to, is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Holds {
    /// A value without references in it.
    Value,
    /// `[T; N]`, of any length.
    Array,
    /// `Option<&T>`.
    Option,
    /// `Vec<&T>`.
    Vec,
    /// `[&T]`.
    Slice,
}

/// `#[input(default)]`, or `#[input(default = expr)]`.
pub(crate) enum InputDefault {
    Standard,
    Given(Expr),
}

/// A literal with holes.
#[derive(Clone)]
pub(crate) struct Text {
    pub(crate) literal: LitStr,
    pub(crate) template: Template,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    SideEffect,
    Read,
    /// A call of another workflow, whose run it names.
    Run,
    /// A person decides.
    Decision,
    /// It waits for an instant.
    Sleep,
}

/// The arguments of a step, each as written.
pub(crate) struct StepArgs {
    pub(crate) kind: Kind,
    /// The attribute itself, for mistakes about what is missing from it.
    pub(crate) attr: Span,
    pub(crate) key: Option<Text>,
    /// `key = ".." as pay`.
    pub(crate) binding: Option<Ident>,
    /// The keys that it had before.
    pub(crate) formerly: Vec<Text>,
    pub(crate) title: Option<Text>,
    pub(crate) verify: Option<Expr>,
    /// Gives a result again that was not kept.
    pub(crate) refetch: Option<Expr>,
    /// `secrets = "allow"`.
    pub(crate) allows_secrets: Option<Span>,
    pub(crate) idempotent: Option<Idempotent>,
    /// Whom to ask: `in_doubt = "treasury"`, or `ask = "finance"` of a decision.
    pub(crate) in_doubt: Option<LitStr>,
    /// What is shown to whoever decides.
    pub(crate) shows: Option<Expr>,
    pub(crate) expires: Option<(Span, Duration)>,
    /// What counts if nobody has decided by then.
    pub(crate) on_expiry: Option<Expr>,
    /// Whether it runs in a run that was given up.
    pub(crate) cleanup: bool,
    pub(crate) settle: Option<(Span, Duration)>,
    /// `args = ..`: what the step is given.
    pub(crate) given: Option<Expr>,
    pub(crate) classify: Option<Expr>,
    pub(crate) retry: Option<Retry>,
    pub(crate) timeout: Option<(Span, Duration)>,
    pub(crate) within: Option<(Span, Duration)>,
    /// `errors = "recorded"`.
    pub(crate) records_errors: Option<Span>,
    /// `errors = "later"`, of a run.
    pub(crate) later: Option<Span>,
    /// Whether it says who clears up a doubt, be it in arguments that could not be read.
    pub(crate) answers_doubt: bool,
}

/// `retry(attempts = 5, backoff = "200ms..30s", jitter)`.
pub(crate) struct Retry {
    pub(crate) span: Span,
    pub(crate) attempts: u32,
    pub(crate) waits: Option<Waits>,
    pub(crate) jitter: bool,
}

/// `backoff = "200ms..30s"`.
#[derive(Clone, Copy)]
pub(crate) struct Waits {
    pub(crate) first: Duration,
    pub(crate) longest: Duration,
}

/// `idempotent`, or `idempotent = "why"`.
pub(crate) struct Idempotent {
    pub(crate) span: Span,
    pub(crate) why: Option<LitStr>,
}

/// A step: its arguments, and the expression that they stand before.
pub(crate) struct Step {
    pub(crate) args: StepArgs,
    /// The expression without the `?` that ends it.
    pub(crate) expr: Expr,
    /// The `?` that ends it.
    pub(crate) question: Option<Token![?]>,
    /// The type that its `let` declares.
    pub(crate) ty: Option<Type>,
    /// The loops and closures around it, outermost first.
    pub(crate) scopes: Vec<Rc<Scope>>,
    /// Whether a closure or an `async` block lies between the step and the function.
    pub(crate) nested: bool,
    /// Whether it stands in one of which it is not evident that it ends in a `Result`.
    pub(crate) leaves_unsaid: bool,
    /// Whether it stands where nothing can be awaited, which is reported.
    pub(crate) cannot_await: bool,
    /// The `#[cfg(..)]` around it, outermost first.
    pub(crate) cfgs: Vec<String>,
    /// Whether another step was found in it, which is reported.
    pub(crate) holds_another: bool,
    /// Whether it stands in the input of a macro that no `cfg` tells to leave it out.
    pub(crate) in_macro: bool,
}

/// A loop or a closure: what stands in it may run many times.
pub(crate) struct Scope {
    pub(crate) kind: ScopeKind,
    /// The names whose values may differ each time.
    pub(crate) varying: BTreeSet<String>,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum ScopeKind {
    For,
    While,
    Loop,
    Closure,
}

impl StepArgs {
    /// What is asked about it, beside what it does: each finds or gives what the step gives.
    pub(crate) fn asked(&self) -> impl Iterator<Item = &Expr> {
        self.verify.iter().chain(&self.refetch)
    }

    pub(crate) fn none(kind: Kind, attr: Span) -> Self {
        Self {
            kind,
            attr,
            key: None,
            binding: None,
            formerly: Vec::new(),
            title: None,
            verify: None,
            refetch: None,
            allows_secrets: None,
            idempotent: None,
            in_doubt: None,
            shows: None,
            expires: None,
            on_expiry: None,
            cleanup: false,
            settle: None,
            given: None,
            classify: None,
            retry: None,
            timeout: None,
            within: None,
            records_errors: None,
            later: None,
            answers_doubt: false,
        }
    }
}

impl Kind {
    /// Whether it does nothing, and waits.
    pub(crate) fn waits(self) -> bool {
        matches!(self, Self::Decision | Self::Sleep)
    }

    pub(crate) const ALL: [Self; 5] = [Self::SideEffect, Self::Read, Self::Run, Self::Decision, Self::Sleep];

    pub(crate) fn attribute(self) -> &'static str {
        match self {
            Self::SideEffect => "side_effect",
            Self::Read => "read",
            Self::Run => "run",
            Self::Decision => "decision",
            Self::Sleep => "sleep",
        }
    }

    /// What is known by its key.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::SideEffect | Self::Read | Self::Decision | Self::Sleep => "step",
            Self::Run => "run",
        }
    }
}

impl ScopeKind {
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Self::For => "`for` loop",
            Self::While => "`while` loop",
            Self::Loop => "`loop`",
            Self::Closure => "closure, which may be called many times",
        }
    }
}

impl Text {
    /// The names that its holes begin with.
    pub(crate) fn roots(&self) -> impl Iterator<Item = &str> {
        self.template.holes.iter().map(root)
    }
}
