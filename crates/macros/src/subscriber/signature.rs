//! The function under `#[subscriber(..)]`, read as a handler.

use syn::{
    Attribute, Block, FnArg, Ident, ItemFn, PatType, Receiver, Result, ReturnType, Signature, Type,
    Visibility,
};

use super::params::{ContextParam, Param, Slot};
use crate::path_kind::{named, plain, sole_type_arg, type_args};
use crate::refusal::refuse;

/// A handler function, taken apart.
pub(crate) struct Handler {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) asyncness: bool,
    pub(crate) name: Ident,
    pub(crate) message: Message,
    pub(crate) context: Option<ContextParam>,
    pub(crate) params: Vec<Param>,
    /// The return type as written.
    pub(crate) written: ReturnType,
    pub(crate) returns: Returns,
    pub(crate) body: Box<Block>,
}

/// The message parameter.
pub(crate) struct Message {
    pub(crate) param: PatType,
    /// `T` of `&T` or `&[T]`.
    pub(crate) ty: Type,
    pub(crate) batch: bool,
}

/// What the handler's return value means.
pub(crate) enum Returns {
    /// It settles the delivery.
    Outcome,
    /// It is published.
    Reply {
        /// `Reply`, also of `Vec<Reply>`.
        reply: Type,
        /// Whether an `Err(HandlerOutcome)` may stand in its place.
        fallible: bool,
    },
}

impl Handler {
    /// Reads `function`; `replies` is whether the attribute has a reply clause.
    pub(crate) fn read(function: ItemFn, replies: bool) -> Result<Self> {
        let ItemFn {
            attrs,
            vis,
            sig,
            block,
            ..
        } = function;
        refuse_qualifiers(&sig)?;
        let mut inputs = sig.inputs.iter();
        let message = Message::read(inputs.next(), &sig)?;
        let mut rest = inputs.map(typed).collect::<Result<Vec<_>>>()?;
        let context = match rest.first() {
            Some(param) => ContextParam::read(param)?,
            None => None,
        };
        if context.is_some() {
            rest.remove(0);
        }
        let params = rest
            .into_iter()
            .map(|param| Param::read(param, message.batch))
            .collect::<Result<Vec<_>>>()?;
        Slot::refuse_unbindable(&params)?;
        let returns = Returns::read(&sig, message.batch, replies)?;
        Ok(Self {
            attrs,
            vis,
            asyncness: sig.asyncness.is_some(),
            name: sig.ident,
            message,
            context,
            params,
            written: sig.output,
            returns,
            body: block,
        })
    }

    pub(crate) fn slots(&self) -> impl Iterator<Item = &Slot> {
        self.params.iter().filter_map(|param| match param {
            Param::Slot(slot) => Some(slot),
            _ => None,
        })
    }
}

fn refuse_qualifiers(sig: &Signature) -> Result<()> {
    if let Some(word) = &sig.constness {
        return refuse(word, "a handler runs per message: remove `const`");
    }
    if let syn::Safety::Unsafe(word) = &sig.safety {
        return refuse(
            word,
            "the runtime calls a handler, so it cannot be `unsafe`: put the block inside",
        );
    }
    if let Some(abi) = &sig.abi {
        return refuse(
            abi,
            "a handler is an ordinary Rust function: remove `extern`",
        );
    }
    if !sig.generics.params.is_empty() {
        return refuse(
            &sig.generics,
            "a handler is one concrete definition and takes no generics: write the types out (slots are \
             generic by themselves: `Out<impl Publisher>`)",
        );
    }
    if let Some(clause) = &sig.generics.where_clause {
        return refuse(
            clause,
            "a handler takes no generics, so it has nothing to bound: remove the `where` clause",
        );
    }
    if let Some(variadic) = &sig.variadic {
        return refuse(
            variadic,
            "a handler takes no variable arguments: remove `...`",
        );
    }
    Ok(())
}

fn typed(input: &FnArg) -> Result<PatType> {
    match input {
        FnArg::Typed(param) => Ok(param.clone()),
        FnArg::Receiver(receiver) => refuse_self(receiver),
    }
}

fn refuse_self<T>(receiver: &Receiver) -> Result<T> {
    refuse(
        receiver,
        "a handler is a free function: its first parameter is the message, `&T` or `&[T]`, and `self` has \
         no place (application state comes as `State<T>`)",
    )
}

impl Message {
    fn read(first: Option<&FnArg>, sig: &Signature) -> Result<Self> {
        let param = match first {
            None => {
                return refuse(
                    sig,
                    "a handler takes its message first, by reference: `&T` for one message or `&[T]` for a batch",
                );
            }
            Some(input) => typed(input)?,
        };
        let Type::Reference(reference) = plain(&param.ty) else {
            return refuse(
                &param.ty,
                "the message comes first and by reference: write `&T` for one message or `&[T]` for a batch",
            );
        };
        if let Some(word) = &reference.mutability {
            return refuse(
                word,
                "the message is shared with the runtime: take it by `&`, without `mut`",
            );
        }
        if let Some(lifetime) = reference
            .lifetime
            .as_ref()
            .filter(|lifetime| lifetime.ident != "_")
        {
            return refuse(
                lifetime,
                "the message lives as long as the call: leave its lifetime out",
            );
        }
        let (ty, batch) = match plain(&reference.elem) {
            Type::Slice(slice) => (plain(&slice.elem).clone(), true),
            one => (one.clone(), false),
        };
        refuse_bytes(&reference.elem, &ty, batch)?;
        if let Type::ImplTrait(_) | Type::Infer(_) = &ty {
            return refuse(
                &ty,
                "the message type decides how a delivery is decoded: name it",
            );
        }
        let ty = ty.clone();
        Ok(Self { param, ty, batch })
    }

    /// `(H, P)` when the message is written as `Message<H, P>`.
    pub(crate) fn pair(&self) -> Option<(&Type, &Type)> {
        pair(&self.ty)
    }
}

/// `(H, P)` of a type written as `Message<H, P>`.
pub(crate) fn pair(ty: &Type) -> Option<(&Type, &Type)> {
    match type_args(named(ty, "Message")?).as_slice() {
        [headers, body] => Some((headers, body)),
        _ => None,
    }
}

/// Bytes have no type of their own to say which lane they ride (MAC-20).
fn refuse_bytes(written: &Type, element: &Type, batch: bool) -> Result<()> {
    let is_u8 = |ty: &Type| named(ty, "u8").is_some();
    let is_bytes = |ty: &Type| match plain(ty) {
        Type::Slice(slice) => is_u8(&slice.elem),
        _ => false,
    };
    if batch && is_u8(element) {
        return refuse(
            written,
            "raw bytes need a named view: `#[derive(Deserialized)] struct Frame<'a>(&'a [u8]);` and take \
             `&Frame<'_>`",
        );
    }
    let of_bytes = match element {
        Type::Reference(reference) => is_bytes(&reference.elem),
        other => is_bytes(other),
    };
    if batch && of_bytes {
        return refuse(
            written,
            "a batch of raw bytes needs a named view: `#[derive(Deserialized)] struct Frame<'a>(&'a [u8]);` \
             and take `&[Frame<'_>]`",
        );
    }
    Ok(())
}

impl Returns {
    fn read(sig: &Signature, batch: bool, replies: bool) -> Result<Self> {
        let written = match &sig.output {
            ReturnType::Default => None,
            ReturnType::Type(_, ty) => Some(plain(ty)),
        };
        if let Some(ty @ Type::ImplTrait(_)) = written {
            return refuse(
                ty,
                "a handler returns its outcome, not something that yields it: write `async fn`",
            );
        }
        if !replies {
            return Ok(Self::Outcome);
        }
        match written {
            None => refuse(
                sig,
                format!("a handler that replies returns its reply: {}", forms(batch)),
            ),
            Some(unit @ Type::Tuple(tuple)) if tuple.elems.is_empty() => refuse(
                unit,
                format!("a handler that replies returns its reply: {}", forms(batch)),
            ),
            Some(ty) => Self::reply(ty, batch),
        }
    }

    fn reply(written: &Type, batch: bool) -> Result<Self> {
        refuse_error(written, batch)?;
        if named(written, "Option").is_some() {
            return refuse(
                written,
                format!(
                    "say what becomes of a message without a reply, `.ok_or(HandlerOutcome::ack())`: a \
                     handler that replies returns {}",
                    forms(batch)
                ),
            );
        }
        let (value, fallible) = match or_outcome(written) {
            Some(value) => (plain(value), true),
            None => (written, false),
        };
        if !batch {
            return Ok(Self::Reply {
                reply: value.clone(),
                fallible,
            });
        }
        match named(value, "Vec").and_then(sole_type_arg) {
            Some(reply) => Ok(Self::Reply {
                reply: reply.clone(),
                fallible,
            }),
            None => refuse(
                written,
                format!(
                    "a batch handler that replies returns one reply per message: {}",
                    forms(true)
                ),
            ),
        }
    }
}

fn forms(batch: bool) -> &'static str {
    if batch {
        "`-> Vec<Reply>` or `-> Result<Vec<Reply>, HandlerOutcome>`"
    } else {
        "`-> Reply` or `-> Result<Reply, HandlerOutcome>`"
    }
}

/// `R` of a type written as `Result<R, HandlerOutcome>`.
fn or_outcome(written: &Type) -> Option<&Type> {
    match type_args(named(written, "Result")?).as_slice() {
        [value, outcome] if named(outcome, "HandlerOutcome").is_some() => Some(value),
        _ => None,
    }
}

/// A `Result` is no message, so its error is what the author wanted to answer with.
fn refuse_error(written: &Type, batch: bool) -> Result<()> {
    let Some(result) = named(written, "Result") else {
        return Ok(());
    };
    match type_args(result).as_slice() {
        [_, error] if named(error, "HandlerOutcome").is_none() => refuse(
            error,
            format!(
                "map this error to what becomes of the message, `.map_err(|_| HandlerOutcome::retry())`: a \
                 handler that replies returns {}",
                forms(batch)
            ),
        ),
        _ => Ok(()),
    }
}

/// Whether a type written in a parameter borrows from the call, which nothing there can.
pub(super) fn borrows_from_call(ty: &Type) -> bool {
    matches!(plain(ty), Type::Reference(reference)
        if reference.lifetime.as_ref().is_none_or(|lifetime| lifetime.ident != "static"))
}
