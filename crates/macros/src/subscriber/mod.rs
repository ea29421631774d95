//! `#[subscriber(..)]`: a function becomes a definition.

mod args;
mod attrs;
mod body;
mod declared;
mod docs;
mod failure;
mod params;
mod signature;
mod source;
mod types;

#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{ItemFn, Result};

use self::args::Args;
use self::attrs::Attrs;
use self::signature::Handler;
use self::types::Types;
use crate::refusal::refuse;

/// The definition that the function under the attribute becomes.
pub(crate) fn expand(args: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let args: Args = syn::parse2(args)?;
    let function = match syn::parse2::<ItemFn>(item.clone()) {
        Ok(function) => function,
        Err(error) if syn::parse2::<syn::Item>(item.clone()).is_ok() => {
            let _ = error;
            return refuse(
                item,
                "`#[subscriber]` goes on a function: `async fn handle(message: &T) { .. }`",
            );
        }
        Err(error) => return Err(error),
    };
    let handler = Handler::read(function, args.reply.is_some())?;
    refuse_lanes_of_batches(&args, &handler)?;
    let attrs = Attrs::sort(&handler.attrs)?;
    Ok(emit(&args, &handler, &attrs))
}

fn refuse_lanes_of_batches(args: &Args, handler: &Handler) -> Result<()> {
    let by_key = args
        .concurrency
        .as_ref()
        .and_then(|concurrency| concurrency.by_key.as_ref());
    match by_key {
        Some(marker) if handler.message.batch => refuse(
            marker,
            "`by_key` keeps single messages of one key in order, and a batch has no key: remove it, or take \
             one message, `&T`",
        ),
        _ => Ok(()),
    }
}

fn emit(args: &Args, handler: &Handler, attrs: &Attrs) -> TokenStream {
    let Handler { vis, name, .. } = handler;
    let types = Types::of(handler);
    let (on_item, on_scope) = (&attrs.item, &attrs.scope);
    let function = body::function(handler, &types, attrs);
    let handle = body::handle(handler, &types);
    let docs = docs::docs(handler);
    let declared = declared::declared(args, handler, &types);
    let slots = declared::slots(args, handler, &types);
    quote! {
        #(#on_item)*
        #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug)]
        #[allow(non_camel_case_types)]
        #vis struct #name;

        #(#on_scope)*
        const _: () = {
            #function
            #handle
            #docs
            #declared
            #slots
        };
    }
}
