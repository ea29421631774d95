//! The types that the implementations of one handler share.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Ident, Lifetime, Type, parse_quote};

use super::params::{Param, Slot, context_key};
use super::signature::{Handler, Returns};
use crate::generics::with_lifetime;
use crate::refusal::at;

/// The type arguments of the handler's `Handle` implementation, and what follows from them.
pub(crate) struct Types {
    /// `T` or `[T]`, over the view's lifetime when it borrows.
    pub(crate) input: TokenStream,
    /// The lifetime of a borrowed view.
    pub(crate) view: Option<Lifetime>,
    /// `<T as Input>::Axis`.
    pub(crate) axis: TokenStream,
    /// `()`, `Reply` or `Vec<Reply>`.
    pub(crate) reply: TokenStream,
    /// The error arm of the verdict.
    pub(crate) bad: TokenStream,
    /// The delivery context.
    pub(crate) context: TokenStream,
    /// The application state.
    pub(crate) state: State,
}

/// The application state a handler mounts under.
pub(crate) enum State {
    /// The one its context names.
    Named(Type),
    /// Any that its extractors accept; binding it would keep the handler out of apps with state.
    Any(Ident),
}

impl ToTokens for State {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Named(ty) => ty.to_tokens(tokens),
            Self::Any(name) => name.to_tokens(tokens),
        }
    }
}

impl Types {
    pub(crate) fn of(handler: &Handler) -> Self {
        let view: Lifetime = parse_quote!('__rs_view);
        let (input, owned, view) = inputs(handler, view);
        let place = at(&handler.message.ty);
        let vec = quote!(::std::vec::Vec);
        let outcome = quote!(::ruststream::runtime::HandlerOutcome);
        let (reply, bad) = match (&handler.returns, handler.message.batch) {
            (Returns::Outcome, false) => (quote!(()), outcome),
            (Returns::Outcome, true) => (quote!(()), quote!(#vec<#outcome>)),
            (Returns::Reply { reply, .. }, false) => (reply.to_token_stream(), outcome),
            (Returns::Reply { reply, .. }, true) => (quote!(#vec<#reply>), quote!(#vec<#outcome>)),
        };
        Self {
            axis: quote_spanned!(place=> <#owned as ::ruststream::runtime::Input>::Axis),
            input,
            view,
            reply,
            bad,
            context: context(handler),
            state: match handler
                .context
                .as_ref()
                .and_then(|context| context.state.clone())
            {
                Some(state) => State::Named(state),
                None => State::Any(format_ident!("__RsState")),
            },
        }
    }

    /// `Form` of the definition: where it mounts.
    pub(crate) fn form(&self, handler: &Handler) -> TokenStream {
        let axis = &self.axis;
        let reply = &self.reply;
        let place = at(&handler.message.ty);
        let axis = quote_spanned!(place=> <#axis as ::ruststream::runtime::Axis>);
        let route = quote!(<#reply as ::ruststream::runtime::ReplyRoute<#axis::Family>>);
        match (&handler.returns, handler.slots().next().is_some()) {
            (Returns::Outcome, false) => quote_spanned!(place=> #axis::EagerForm),
            (Returns::Outcome, true) => quote_spanned!(place=> #axis::SlotForm),
            (Returns::Reply { .. }, false) => quote!(#route::Form),
            (Returns::Reply { .. }, true) => quote!(#route::SlotForm),
        }
    }

    /// The sealed definition over the slots `outs`.
    pub(crate) fn sealed(&self, handler: &Handler, outs: &TokenStream) -> TokenStream {
        let Self {
            axis,
            reply,
            context,
            ..
        } = self;
        let name = &handler.name;
        let value = quote! {
            ::ruststream::runtime::HandleValue<
                #axis, #reply, #outs, #context, #name, ::ruststream::runtime::Probed
            >
        };
        match handler.returns {
            Returns::Outcome => quote!(::ruststream::runtime::Sealed<#value>),
            Returns::Reply { .. } => quote! {
                ::ruststream::runtime::Sealed<
                    ::ruststream::runtime::ReplyValue<#value, ::ruststream::runtime::ResolvedDest>
                >
            },
        }
    }
}

/// The input over the view's lifetime, the same over `'static`, and the lifetime if there is one.
fn inputs(handler: &Handler, view: Lifetime) -> (TokenStream, TokenStream, Option<Lifetime>) {
    let message = &handler.message;
    let written = message.ty.to_token_stream();
    let place = at(&message.ty);
    let slice = |ty: TokenStream| {
        if message.batch {
            quote_spanned!(place=> [#ty])
        } else {
            ty
        }
    };
    let owned: Lifetime = parse_quote!('static);
    match with_lifetime(written.clone(), &view) {
        Some(input) => {
            let owned = with_lifetime(written, &owned).unwrap_or_default();
            (slice(input), slice(owned), Some(view))
        }
        None => (slice(written.clone()), slice(written), None),
    }
}

/// The delivery context: the one the context parameter names, else the one the first broker key
/// belongs to, else none (MAC-21).
fn context(handler: &Handler) -> TokenStream {
    if let Some(context) = &handler.context {
        return context
            .delivery
            .as_ref()
            .map_or_else(|| quote!(()), ToTokens::to_token_stream);
    }
    let key = handler.params.iter().find_map(|param| match param {
        Param::Extractor(param) => context_key(param),
        _ => None,
    });
    key.map_or_else(
        || quote!(()),
        |key| quote_spanned!(at(key)=> <#key as ::ruststream::ContextField>::Context),
    )
}

/// The type of one slot, wired to `wire`, `codec` and `pipe`.
pub(crate) fn slot_type(
    slot: &Slot,
    wire: &TokenStream,
    codec: &TokenStream,
    pipe: &TokenStream,
) -> TokenStream {
    let (marker, set) = (slot.marker(), &slot.set);
    quote!(::ruststream::runtime::Slot<#marker, #wire, #codec, #pipe, #set>)
}
