//! The handler's body as a function, and the `Handle` implementation that calls it.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Ident, ReturnType};

use super::attrs::Attrs;
use super::params::{ContextParam, Param};
use super::signature::{Handler, Returns};
use super::types::{State, Types, slot_type};
use crate::refusal::at;

/// The generic parameters of one slot as a body sees it.
struct Wiring {
    wire: Ident,
    codec: Ident,
    pipe: Ident,
}

impl Wiring {
    fn of(index: usize) -> Self {
        Self {
            wire: format_ident!("__RsWire{index}"),
            codec: format_ident!("__RsCodec{index}"),
            pipe: format_ident!("__RsPipe{index}"),
        }
    }
}

/// What the body function and the `Handle` implementation say about slots.
struct Slots {
    /// `W, E, Pipe` of every slot.
    params: Vec<TokenStream>,
    bounds: Vec<TokenStream>,
    /// `Slot<..>` of every slot.
    types: Vec<TokenStream>,
}

impl Slots {
    fn of(handler: &Handler) -> Self {
        let mut slots = Self {
            params: Vec::new(),
            bounds: Vec::new(),
            types: Vec::new(),
        };
        for (index, slot) in handler.slots().enumerate() {
            let Wiring { wire, codec, pipe } = Wiring::of(index);
            let written = slot.bounds.iter();
            slots.bounds.push(quote! {
                #wire: #(#written +)* ::core::marker::Send + ::core::marker::Sync + 'static,
                #codec: ::ruststream::codec::Codec + ::core::marker::Send + ::core::marker::Sync + 'static,
                #pipe: ::ruststream::runtime::OutPipeline<#wire> + 'static,
            });
            slots.types.push(slot_type(
                slot,
                &quote!(#wire),
                &quote!(#codec),
                &quote!(#pipe),
            ));
            slots.params.push(quote!(#wire, #codec, #pipe));
        }
        slots
    }

    /// The slot argument of `Handle`.
    fn outs(&self) -> TokenStream {
        let types = &self.types;
        if types.is_empty() {
            quote!(())
        } else {
            quote!(::ruststream::runtime::Outs<(#(#types,)*)>)
        }
    }
}

/// The body as the function it was, with slots lent and the context spelled out.
///
/// A function, not a block inside `handle`: `?`, `return` and `.collect()` infer from the written
/// return type, and an attribute such as `#[tracing::instrument]` finds what it expects.
pub(super) fn function(handler: &Handler, types: &Types, attrs: &Attrs) -> TokenStream {
    let Handler {
        name,
        body,
        written,
        ..
    } = handler;
    let slots = Slots::of(handler);
    let asyncness = handler.asyncness.then(|| quote!(async));
    let attrs = &attrs.body;
    let message = &handler.message.param;
    let mut params = vec![message.to_token_stream()];
    let mut generics = slots.params.clone();
    let mut bounds = slots.bounds.clone();
    if let Some(context) = &handler.context {
        params.push(context_param(context, types));
        if let State::Any(state) = &types.state {
            generics.push(quote!(#state));
            bounds.push(quote!(#state: ::core::marker::Send + ::core::marker::Sync,));
        }
    }
    let mut slot_types = slots.types.iter();
    params.extend(handler.params.iter().map(|param| match param {
        Param::Slot(slot) => {
            let (attrs, pat, ty) = (&slot.attrs, &slot.pat, slot_types.next());
            quote!(#(#attrs)* #pat: &#ty)
        }
        Param::Headers(headers) => headers.param.to_token_stream(),
        Param::Extractor(param) => param.to_token_stream(),
    }));
    quote! {
        #[allow(
            clippy::needless_pass_by_ref_mut,
            clippy::needless_pass_by_value,
            clippy::ptr_arg,
            clippy::too_many_arguments,
            clippy::trivially_copy_pass_by_ref,
            clippy::unnecessary_wraps,
            clippy::unused_async,
        )]
        #(#attrs)*
        #asyncness fn #name<#(#generics),*>(#(#params),*) #written
        where
            #(#bounds)*
        #body
    }
}

fn context_param(context: &ContextParam, types: &Types) -> TokenStream {
    let ContextParam {
        attrs, pat, path, ..
    } = context;
    let (delivery, state) = (&types.context, &types.state);
    quote!(#(#attrs)* #pat: &mut #path<'_, #delivery, #state>)
}

/// `impl Handle`: extract, call, turn what came back into a verdict.
pub(super) fn handle(handler: &Handler, types: &Types) -> TokenStream {
    let Types {
        input,
        reply,
        bad,
        context,
        state,
        ..
    } = types;
    let name = &handler.name;
    let slots = Slots::of(handler);
    let outs = slots.outs();
    let view = types.view.iter();
    let own_state = match state {
        State::Any(state) => Some(state),
        State::Named(_) => None,
    };
    let (slot_params, slot_bounds) = (&slots.params, &slots.bounds);
    let generics = view
        .map(ToTokens::to_token_stream)
        .chain(slot_params.iter().cloned());
    let generics = generics.chain(own_state.map(ToTokens::to_token_stream));
    let state_bounds = own_state.map(|state| {
        let extractors = handler.params.iter().filter_map(|param| match param {
            Param::Extractor(param) => {
                let ty = &param.ty;
                Some(quote_spanned!(at(ty)=> #ty: ::ruststream::runtime::FromContext<#context, #state>,))
            }
            _ => None,
        });
        quote!(#state: ::core::marker::Send + ::core::marker::Sync, #(#extractors)*)
    });
    let (prepare, args) = arguments(handler, types);
    let verdict = verdict(handler, &args);
    let body = quote!({ #(#prepare)* #verdict });
    // A future that is not `Send` shows at the name, what is wrong with the input at the input.
    let returned = quote_spanned!(at(name)=> ::core::result::Result<#reply, #bad>);
    quote_spanned! {at(&handler.message.ty)=>
        impl<#(#generics),*> ::ruststream::runtime::Handle<#input, #reply, #outs, #context, #state> for #name
        where
            #(#slot_bounds)*
            #state_bounds
        {
            #[inline]
            async fn handle(
                &self,
                __rs_input: &#input,
                __rs_outs: &#outs,
                __rs_ctx: &mut ::ruststream::runtime::Context<'_, #context, #state>,
            ) -> #returned #body
        }
    }
}

/// The statements that fetch the body's arguments, in parameter order, and the arguments (MAC-22).
fn arguments(handler: &Handler, types: &Types) -> (Vec<TokenStream>, Vec<TokenStream>) {
    let Types { context, state, .. } = types;
    let mut prepare = Vec::new();
    let mut args = vec![quote!(__rs_input)];
    if handler.context.is_some() {
        args.push(quote!(__rs_ctx));
    }
    for (index, param) in handler.params.iter().enumerate() {
        let value = format_ident!("__rs_arg{index}");
        prepare.push(match param {
            Param::Slot(slot) => {
                let marker = slot.marker();
                quote_spanned!(at(&slot.pat)=> let #value = ::ruststream::runtime::Outs::get(__rs_outs, #marker);)
            }
            Param::Headers(headers) => {
                let ty = &headers.ty;
                let refused = refused(handler, &quote!(__rs_refused));
                quote_spanned! {at(&headers.param.ty)=>
                    let __rs_policy = ::ruststream::runtime::Context::decode_policy(__rs_ctx);
                    let #value = match ::ruststream::runtime::Headers::<#ty>::extract(__rs_ctx, __rs_policy) {
                        ::core::result::Result::Ok(__rs_value) => __rs_value,
                        ::core::result::Result::Err(__rs_refused) => return #refused,
                    };
                }
            }
            Param::Extractor(param) => {
                let ty = &param.ty;
                let refused = refused(handler, &quote! {
                    ::core::convert::Into::<::ruststream::runtime::HandlerOutcome>::into(__rs_refused)
                });
                quote_spanned! {at(ty)=>
                    let #value = match <#ty as ::ruststream::runtime::FromContext<#context, #state>>::from_context(
                        __rs_ctx,
                    )
                    .await
                    {
                        ::core::result::Result::Ok(__rs_value) => __rs_value,
                        ::core::result::Result::Err(__rs_refused) => return #refused,
                    };
                }
            }
        });
        args.push(value.to_token_stream());
    }
    (prepare, args)
}

/// The verdict of a delivery whose extraction was refused with `outcome`.
fn refused(handler: &Handler, outcome: &TokenStream) -> TokenStream {
    let bad = if handler.message.batch {
        uniform(outcome)
    } else {
        outcome.clone()
    };
    quote!(::core::result::Result::Err(#bad))
}

/// One outcome for every element of the batch.
fn uniform(outcome: &TokenStream) -> TokenStream {
    quote!(::ruststream::runtime::uniform_batch(#outcome, <[_]>::len(__rs_input)))
}

fn verdict(handler: &Handler, args: &[TokenStream]) -> TokenStream {
    let name = &handler.name;
    // A return value that says nothing shows at the return type.
    let place = match &handler.written {
        ReturnType::Default => at(name),
        ReturnType::Type(_, ty) => at(ty),
    };
    let mut name = name.clone();
    name.set_span(name.span().located_at(place));
    let awaited = handler.asyncness.then(|| quote_spanned!(place=> .await));
    let called = quote_spanned!(place=> #name(#(#args),*) #awaited);
    match (&handler.returns, handler.message.batch) {
        (Returns::Outcome, false) => quote_spanned! {place=>
            ::core::result::Result::Err(::ruststream::runtime::IntoOutcome::into_outcome(#called))
        },
        (Returns::Outcome, true) => quote_spanned! {place=>
            ::ruststream::runtime::batch_verdict(#called, <[_]>::len(__rs_input))
        },
        (
            Returns::Reply {
                fallible: false, ..
            },
            _,
        ) => {
            quote_spanned!(place=> ::core::result::Result::Ok(#called))
        }
        (Returns::Reply { fallible: true, .. }, false) => called,
        (Returns::Reply { fallible: true, .. }, true) => {
            let bad = uniform(&quote!(__rs_outcome));
            quote!(#called.map_err(|__rs_outcome| #bad))
        }
    }
}
