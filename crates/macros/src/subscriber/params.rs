//! The parameters after the message: the context, publish slots, typed headers and extractors.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::punctuated::Punctuated;
use syn::{Attribute, Pat, PatType, Path, PathArguments, Result, Token, Type, TypeParamBound};

use super::signature::borrows_from_call;
use crate::path_kind::{named, plain, sole_type_arg, spelling, type_args};
use crate::refusal::refuse;

/// `ctx: &mut Context<'_, C, S>`.
pub(crate) struct ContextParam {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) pat: Pat,
    /// The path as written, without arguments.
    pub(crate) path: Path,
    pub(crate) delivery: Option<Type>,
    pub(crate) state: Option<Type>,
}

/// A parameter after message and context.
pub(crate) enum Param {
    Slot(Slot),
    Headers(Headers),
    Extractor(PatType),
}

/// `Out(name): Out<impl Bounds, Marker, Set>`.
pub(crate) struct Slot {
    pub(crate) attrs: Vec<Attribute>,
    /// What the reference to the slot is bound to.
    pub(crate) pat: Pat,
    /// The path of `Out` as written, without arguments.
    pub(crate) path: Path,
    pub(crate) bounds: Punctuated<TypeParamBound, Token![+]>,
    pub(crate) marker: Option<Type>,
    pub(crate) set: Set,
    written: PatType,
}

/// What a slot parameter says its handler publishes.
pub(crate) enum Set {
    /// Everything the marker lists.
    Unrestricted,
    /// The messages of one type that defines them.
    Defined(Type),
    /// These messages.
    Listed(Vec<Type>),
}

/// `Headers(h): Headers<T>`.
pub(crate) struct Headers {
    pub(crate) param: PatType,
    pub(crate) ty: Type,
}

/// How many slots, and how many messages a slot may list inline; the runtime's tables end there.
const MOST_SLOTS: usize = 3;
const MOST_LISTED: usize = 4;

impl ContextParam {
    /// The context, if `param` is one.
    pub(crate) fn read(param: &PatType) -> Result<Option<Self>> {
        let Type::Reference(reference) = plain(&param.ty) else {
            return Ok(None);
        };
        let Some(segment) = named(&reference.elem, "Context") else {
            return Ok(None);
        };
        if reference.mutability.is_none() {
            return refuse(
                &param.ty,
                "the context is lent for the call: write `&mut Context<'_>`",
            );
        }
        let args = type_args(segment);
        if args.len() > 2 {
            return refuse(
                &param.ty,
                "the context has two type arguments: `Context<'_, Delivery, State>`",
            );
        }
        let Type::Path(context) = plain(&reference.elem) else {
            return Ok(None);
        };
        Ok(Some(Self {
            attrs: param.attrs.clone(),
            pat: (*param.pat).clone(),
            path: without_arguments(&context.path),
            delivery: args.first().map(|ty| (*ty).clone()),
            state: args.get(1).map(|ty| (*ty).clone()),
        }))
    }
}

impl Param {
    /// Reads a parameter that is neither message nor context; `batch` is whether the handler takes one.
    pub(crate) fn read(param: PatType, batch: bool) -> Result<Self> {
        if let Type::Reference(reference) = plain(&param.ty)
            && named(&reference.elem, "Context").is_some()
        {
            return refuse(
                &param.ty,
                "the context has one place, right after the message",
            );
        }
        if named(&param.ty, "Out").is_some() {
            return Slot::read(param).map(Self::Slot);
        }
        if let Some(ty) = named(&param.ty, "Headers").and_then(sole_type_arg) {
            let ty = ty.clone();
            if batch {
                return refuse(
                    &param.ty,
                    format!(
                        "a batch has headers per message: take `&[Message<{}, T>]` instead of this parameter",
                        spelling(&ty)
                    ),
                );
            }
            return Ok(Self::Headers(Headers { param, ty }));
        }
        if borrows_from_call(&param.ty) {
            return refuse(
                &param.ty,
                "a parameter after the message is extracted by value: take `Headers<T>`, `State<T>`, \
                 `Ctx<K>`, `Out<impl Publisher>` or a type that implements `FromContext`",
            );
        }
        Ok(Self::Extractor(param))
    }
}

impl Slot {
    fn read(param: PatType) -> Result<Self> {
        const FORM: &str = "`Out<impl Publisher>`, then the marker, then what is published: \
                            `Out<impl Publisher, Marker, (A, B)>`";
        let Type::Path(written) = plain(&param.ty) else {
            return refuse(&param.ty, FORM);
        };
        let segment = written.path.segments.last();
        let args = segment.map(type_args).unwrap_or_default();
        let (capability, marker, set) = match args.as_slice() {
            [capability] => (*capability, None, None),
            [capability, marker] => (*capability, Some((*marker).clone()), None),
            [capability, marker, set] => (*capability, Some((*marker).clone()), Some(*set)),
            [] => return refuse(&param.ty, format!("a slot says what it can do: {FORM}")),
            _ => {
                return refuse(
                    &param.ty,
                    format!("a slot has at most three arguments: {FORM}"),
                );
            }
        };
        let Type::ImplTrait(bounds) = plain(capability) else {
            return refuse(
                capability,
                "a slot names what it needs, `impl Publisher`, and the mount supplies the type",
            );
        };
        Ok(Self {
            attrs: param.attrs.clone(),
            pat: bound_pattern(&param.pat),
            path: without_arguments(&written.path),
            bounds: bounds.bounds.clone(),
            marker,
            set: Set::read(set)?,
            written: param,
        })
    }

    /// Refuses slots that a mount could not tell apart or could not hold.
    pub(crate) fn refuse_unbindable(params: &[Param]) -> Result<()> {
        let mut seen: Vec<String> = Vec::new();
        for param in params {
            let Param::Slot(slot) = param else { continue };
            let marker = slot
                .marker
                .as_ref()
                .map_or_else(|| "DefaultSlot".to_owned(), spelling);
            if seen.contains(&marker) {
                return refuse(
                    &slot.written.pat,
                    format!(
                        "a second slot on the marker `{marker}`: a mount tells slots apart by their \
                         markers, so give this one its own, `Out<impl Publisher, Other>`"
                    ),
                );
            }
            if seen.len() == MOST_SLOTS {
                return refuse(
                    &slot.written.pat,
                    format!(
                        "a handler has at most {MOST_SLOTS} slots: publish more types through one of them"
                    ),
                );
            }
            seen.push(marker);
        }
        Ok(())
    }

    /// The marker; one left out is the default slot.
    pub(crate) fn marker(&self) -> TokenStream {
        self.marker.as_ref().map_or_else(
            || quote!(::ruststream::runtime::DefaultSlot),
            ToTokens::to_token_stream,
        )
    }
}

impl Set {
    fn read(written: Option<&Type>) -> Result<Self> {
        let Some(written) = written.map(plain) else {
            return Ok(Self::Unrestricted);
        };
        let Type::Tuple(tuple) = written else {
            return Ok(Self::Defined(written.clone()));
        };
        if tuple.elems.len() > MOST_LISTED {
            return refuse(
                tuple,
                format!(
                    "a slot lists at most {MOST_LISTED} messages in place: put them in an enum with \
                     `#[derive(OutMessages)]` and name that"
                ),
            );
        }
        let mut listed: Vec<Type> = Vec::new();
        for ty in &tuple.elems {
            if listed.iter().any(|known| spelling(known) == spelling(ty)) {
                return refuse(
                    ty,
                    format!(
                        "`{}` is listed twice for this slot: remove one",
                        spelling(ty)
                    ),
                );
            }
            listed.push(ty.clone());
        }
        Ok(if listed.is_empty() {
            Self::Unrestricted
        } else {
            Self::Listed(listed)
        })
    }
}

impl ToTokens for Set {
    /// The set as the type argument of a slot.
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Unrestricted => tokens.extend(quote!(())),
            Self::Defined(ty) => ty.to_tokens(tokens),
            Self::Listed(types) => tokens.extend(quote!((#(#types,)*))),
        }
    }
}

/// `x` of `Out(x)`; any other pattern binds the slot whole.
fn bound_pattern(pat: &Pat) -> Pat {
    match pat {
        Pat::TupleStruct(tuple)
            if tuple.elems.len() == 1
                && tuple
                    .path
                    .segments
                    .last()
                    .is_some_and(|segment| segment.ident == "Out") =>
        {
            tuple.elems[0].clone()
        }
        other => other.clone(),
    }
}

fn without_arguments(path: &Path) -> Path {
    let mut path = path.clone();
    if let Some(last) = path.segments.last_mut() {
        last.arguments = PathArguments::None;
    }
    path
}

/// The key of `Ctx<K>` when it is one of a broker's, which decides the delivery context.
pub(crate) fn context_key(param: &PatType) -> Option<&Type> {
    let key = named(&param.ty, "Ctx").and_then(sole_type_arg)?;
    named(key, "MainRuntime").is_none().then_some(key)
}
