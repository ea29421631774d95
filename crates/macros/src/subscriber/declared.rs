//! The definition: its source and settings, and how slots are bound to it.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::LitStr;

use super::args::{Args, Concurrency, Place, Reply};
use super::docs::docs_call;
use super::failure::{OnFailure, Policy};
use super::signature::{Handler, Returns};
use super::source::Source;
use super::types::{Types, slot_type};
use crate::refusal::at;

/// `impl Declared`: every clause is the builder call of the same name (MAC-32).
pub(super) fn declared(args: &Args, handler: &Handler, types: &Types) -> TokenStream {
    let name = &handler.name;
    let form = types.form(handler);
    let (source_type, source) = source(args);
    let settings = settings_state(args);
    let (definition_type, definition) = if handler.slots().next().is_some() {
        (quote!(#name), quote!(self))
    } else {
        (
            types.sealed(handler, &quote!(())),
            definition(args, handler),
        )
    };
    let steps = concurrency(args, handler)
        .into_iter()
        .chain(failures(args))
        .chain(start_at(args));
    let body = quote! {{
        let __rs_settings = ::ruststream::runtime::SubscriberBuilder::new(#definition, #source);
        #(let __rs_settings = #steps;)*
        __rs_settings
    }};
    // What is wrong with the input shows at the input, what is wrong with the reply at the attribute.
    let place = match handler.returns {
        Returns::Outcome => at(&handler.message.ty),
        Returns::Reply { .. } => Span::call_site(),
    };
    quote_spanned! {place=>
        impl ::ruststream::runtime::Declared for #name {
            type Form = #form;
            type Settings = ::ruststream::runtime::SubscriberBuilder<#definition_type, #source_type, #settings>;

            fn declare(self) -> Self::Settings #body
        }
    }
}

/// The sealed definition as a value, over whatever slots the context asks for.
fn definition(args: &Args, handler: &Handler) -> TokenStream {
    if let (Returns::Reply { reply, .. }, Some(clause)) = (&handler.returns, &args.reply) {
        let destination = destination(reply, clause);
        let docs = docs_call(&quote!(__rs_dest));
        return quote! {{
            let __rs_dest = #destination;
            ::ruststream::runtime::probed_reply_def(self, #docs, __rs_dest)
        }};
    }
    let docs = docs_call(&TokenStream::new());
    quote!(::ruststream::runtime::probed_def(self, #docs))
}

/// Where the reply goes: the name its type fixes, else the one the clause gives (MAC-13).
fn destination(reply: &syn::Type, clause: &Reply) -> TokenStream {
    let Some(name) = &clause.destination else {
        return quote_spanned!(at(reply)=> ::ruststream::runtime::declared_reply_destination::<#reply>());
    };
    let name = quote_spanned! {at(name)=> {
        let __rs_name: &'static str = #name;
        __rs_name
    }};
    quote_spanned!(at(reply)=> ::ruststream::runtime::reply_destination::<#reply>(#name))
}

/// The type and the value of the source.
fn source(args: &Args) -> (TokenStream, TokenStream) {
    let name = quote!(::ruststream::Name);
    let unnamed = quote!(::ruststream::Unnamed);
    let (ty, value) = match &args.source {
        Some(Source::Name(text)) => (name.clone(), quote!(#name::new(#text))),
        None => (quote!(#unnamed<#name>), quote!(#unnamed::<#name>::new())),
        Some(Source::Kind(kind)) => (quote!(#unnamed<#kind>), quote!(#unnamed::<#kind>::new())),
        Some(Source::Value(built)) => {
            let (ty, value) = (&built.ty, &built.value);
            (quote!(#ty), quote!(#value))
        }
    };
    match &args.start_at {
        Some(position) => {
            let position = &position.ty;
            (quote!(::ruststream::StartAt<#ty, #position>), value)
        }
        None => (ty, value),
    }
}

/// `(workers, failures, position, batch)`; no clause fixes the batch size.
fn settings_state(args: &Args) -> TokenStream {
    let slot = |fixed: bool| format_ident!("{}", if fixed { "Fixed" } else { "Open" });
    let workers = slot(args.concurrency.is_some());
    let failures = slot(args.on_failure.is_some());
    let position = slot(args.start_at.is_some());
    quote! {(
        ::ruststream::runtime::#workers,
        ::ruststream::runtime::#failures,
        ::ruststream::runtime::#position,
        ::ruststream::runtime::Open,
    )}
}

fn concurrency(args: &Args, handler: &Handler) -> Option<TokenStream> {
    let Concurrency {
        keyword,
        place,
        count,
        by_key,
    } = args.concurrency.as_ref()?;
    let constructor = format_ident!(
        "{}",
        match (place, by_key.is_some()) {
            (Place::Runtime, false) => "pool",
            (Place::Runtime, true) => "keyed",
            (Place::Threads, false) => "threads",
            (Place::Threads, true) => "threads_keyed",
        }
    );
    let complaint = LitStr::new(
        &format!(
            "`{keyword}(..)` on the subscriber `{}` came out as zero; it needs at least 1",
            handler.name
        ),
        at(count),
    );
    let count = quote_spanned! {at(count)=> {
        let __rs_count: usize = #count;
        match ::core::num::NonZeroUsize::new(__rs_count) {
            ::core::option::Option::Some(__rs_count) => __rs_count,
            ::core::option::Option::None => ::core::panic!(#complaint),
        }
    }};
    Some(quote! {
        ::ruststream::runtime::WorkersStep::apply_workers(
            __rs_settings,
            ::ruststream::runtime::Workers::#constructor(#count),
        )
    })
}

fn failures(args: &Args) -> Option<TokenStream> {
    let OnFailure { panic, decode } = args.on_failure.as_ref()?;
    let panic = panic
        .as_ref()
        .map(policy)
        .map(|policy| quote!(.with_panic(#policy)));
    let decode = decode
        .as_ref()
        .map(policy)
        .map(|policy| quote!(.with_decode(#policy)));
    Some(quote! {
        ::ruststream::runtime::FailureStep::apply_failures(
            __rs_settings,
            <::ruststream::runtime::FailurePolicies as ::core::default::Default>::default() #panic #decode,
        )
    })
}

fn policy(policy: &Policy) -> TokenStream {
    let path = quote!(::ruststream::runtime::FailurePolicy);
    match policy {
        Policy::FailFast => quote!(#path::FailFast),
        Policy::Drop => quote!(#path::Drop),
        Policy::Retry => quote!(#path::Retry),
        Policy::Skip => quote!(#path::Skip),
        Policy::RetryAfter(delay) => quote!(#path::RetryAfter(#delay)),
        Policy::Value(value) => quote!(#value),
    }
}

fn start_at(args: &Args) -> Option<TokenStream> {
    let position = &args.start_at.as_ref()?.value;
    Some(quote!(::ruststream::runtime::StartAtStep::apply_start_at(__rs_settings, #position)))
}

/// What a handler with slots implements besides, so that a mount can bind them (MAC-36).
pub(super) fn slots(args: &Args, handler: &Handler, types: &Types) -> TokenStream {
    if handler.slots().next().is_none() {
        return TokenStream::new();
    }
    let name = &handler.name;
    let Types { reply, context, .. } = types;
    let markers = handler.slots().map(super::params::Slot::marker);
    let declares_reply = matches!(handler.returns, Returns::Reply { .. }).then(|| {
        quote! {
            impl ::ruststream::runtime::DeclaresReply for #name {
                type Reply = #reply;
                type Context = #context;
            }
        }
    });
    let caps_batches = handler
        .message
        .batch
        .then(|| quote!(impl ::ruststream::runtime::CapsBatches for #name {}));
    let bind = bind_slots(args, handler, types);
    let used = handler.slots().map(|slot| {
        let (path, marker, set) = (&slot.path, slot.marker(), &slot.set);
        quote! {
            const _: ::core::marker::PhantomData<#path<(), #marker, #set>> = ::core::marker::PhantomData;
        }
    });
    quote! {
        impl ::ruststream::runtime::HasSlots for #name {
            type Markers = (#(#markers,)*);
        }
        #bind
        #declares_reply
        #caps_batches
        // The parameter types as written stay in use, so that importing `Out` is not reported.
        #(#used)*
    }
}

fn bind_slots(args: &Args, handler: &Handler, types: &Types) -> TokenStream {
    let name = &handler.name;
    let mut params = Vec::new();
    let mut policies = Vec::new();
    let mut sources = Vec::new();
    let mut bound = Vec::new();
    for (index, slot) in handler.slots().enumerate() {
        let policy = format_ident!("__RsPolicy{index}");
        let codec = format_ident!("__RsCodec{index}");
        let pipe = format_ident!("__RsPipe{index}");
        let live = quote!(<#policy as ::ruststream::PublishPolicy<__RsConnected>>::Live);
        bound.push(slot_type(slot, &live, &quote!(#codec), &quote!(#pipe)));
        sources.push(quote!((#policy, #codec, #pipe)));
        params.push(quote!(#policy, #codec, #pipe));
        policies.push(policy);
    }
    let sources = quote!((#(#sources,)*));
    let sealed = types.sealed(handler, &quote!(::ruststream::runtime::Outs<(#(#bound,)*)>));
    let definition = definition(args, handler);
    quote! {
        impl<__RsConnected, #(#params),*> ::ruststream::runtime::BindSlots<__RsConnected, #sources> for #name
        where
            __RsConnected: ::ruststream::ConnectedBroker,
            #(#policies: ::ruststream::PublishPolicy<__RsConnected>,)*
        {
            type Bound = #sealed;
            type Extra = #sources;

            fn bind(self, __rs_sources: #sources) -> (Self::Bound, Self::Extra) {
                (#definition, __rs_sources)
            }
        }
    }
}
