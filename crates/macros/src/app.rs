//! `#[ruststream::app]`: the function that builds the service becomes the binary's entry point.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Expr, ExprLit, Ident, ItemFn, Lit, LitInt, LitStr, Result, Token};

use crate::refusal::refuse;

/// What the attribute says about the runtime.
#[derive(Default)]
struct Args {
    flavor: Option<Flavor>,
    worker_threads: Option<LitInt>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Flavor {
    CurrentThread,
    MultiThread,
}

const KEYS: &str = "`flavor = \"multi_thread\"` (or `\"current_thread\"`) and `worker_threads = n`";
const FLAVORS: &str = "`\"multi_thread\"` and `\"current_thread\"`";

/// What [`expand`] makes, or the refusal beside the item and a `main` that stands in: without one the
/// compiler would add that there is none, and which names are gone.
pub(crate) fn expand_or_refuse(args: TokenStream, item: TokenStream) -> TokenStream {
    expand(args, item.clone()).unwrap_or_else(|refusal| {
        let refusal = refusal.into_compile_error();
        let kept = match syn::parse2::<ItemFn>(item.clone()) {
            Ok(function) if function.sig.ident == "main" => TokenStream::new(),
            _ => item,
        };
        quote! {
            #refusal
            #kept
            fn main() {}
        }
    })
}

pub(crate) fn expand(args: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let args: Args = syn::parse2(args)?;
    let function: ItemFn = match syn::parse2(item.clone()) {
        Ok(function) => function,
        Err(_) if syn::parse2::<syn::Item>(item.clone()).is_ok() => {
            return refuse(
                item,
                "`#[ruststream::app]` goes on the function that builds the service",
            );
        }
        Err(error) => return Err(error),
    };
    refuse_signature(&function)?;
    let builder = &function.sig.ident;
    let runtime = args.runtime();
    let conditions = function
        .attrs
        .iter()
        .filter(|attr| attr.path().is_ident("cfg"));
    Ok(quote! {
        #function

        #(#conditions)*
        fn main() -> ::std::process::ExitCode {
            ::ruststream::runtime::cli::run_main_on(#runtime, #builder)
        }
    })
}

fn refuse_signature(function: &ItemFn) -> Result<()> {
    let sig = &function.sig;
    if let Some(word) = &sig.asyncness {
        return refuse(
            word,
            "the builder is synchronous: it runs before the runtime exists, so remove `async` and connect in \
             `on_startup`",
        );
    }
    if !sig.inputs.is_empty() {
        return refuse(
            &sig.inputs,
            "the builder takes nothing: read the configuration inside it, or in `on_startup`",
        );
    }
    if !sig.generics.params.is_empty() {
        return refuse(
            &sig.generics,
            "the builder takes no generics: the entry point could not choose them",
        );
    }
    if let syn::Safety::Unsafe(word) = &sig.safety {
        return refuse(
            word,
            "the entry point calls the builder, so it cannot be `unsafe`",
        );
    }
    if sig.ident == "main" {
        return refuse(
            &sig.ident,
            "the attribute writes `main` itself: give the builder another name",
        );
    }
    Ok(())
}

impl Parse for Args {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut args = Self::default();
        while !input.is_empty() {
            let place = input.cursor().token_stream().into_iter().next();
            let Ok(key) = input.call(Ident::parse_any) else {
                return refuse(place, format!("expected {KEYS}"));
            };
            if input.parse::<Option<Token![=]>>()?.is_none() {
                return refuse(
                    &key,
                    format!("`{key}` is not `key = value`; the keys are {KEYS}"),
                );
            }
            if input.is_empty() {
                return refuse(&key, format!("`{key} =` has no value; the keys are {KEYS}"));
            }
            args.set(&key, &input.parse()?)?;
            if !input.is_empty() && input.parse::<Option<Token![,]>>()?.is_none() {
                return Err(input.error(format!("expected `,` between {KEYS}")));
            }
        }
        args.refuse_workers_of_one_thread()?;
        Ok(args)
    }
}

impl Args {
    fn set(&mut self, key: &Ident, value: &Expr) -> Result<()> {
        match key.to_string().as_str() {
            "flavor" => {
                once(self.flavor.is_none(), key)?;
                self.flavor = Some(flavor(&string(key, value)?)?);
            }
            "worker_threads" => {
                once(self.worker_threads.is_none(), key)?;
                self.worker_threads = Some(count(key, value)?);
            }
            other => return refuse(key, format!("there is no `{other}`; the keys are {KEYS}")),
        }
        Ok(())
    }

    fn refuse_workers_of_one_thread(&self) -> Result<()> {
        match (self.flavor, &self.worker_threads) {
            (Some(Flavor::CurrentThread), Some(count)) => refuse(
                count,
                "`worker_threads` beside `flavor = \"current_thread\"`: that runtime has one thread, so \
                 remove one of the two",
            ),
            _ => Ok(()),
        }
    }

    fn runtime(&self) -> TokenStream {
        let runtime = quote!(::ruststream::runtime::cli::AppRuntime);
        match (self.flavor, &self.worker_threads) {
            (Some(Flavor::CurrentThread), _) => quote!(#runtime::CurrentThread),
            (_, None) => quote!(#runtime::MultiThread),
            (_, Some(count)) => quote! {
                #runtime::MultiThreadWorkers(const {
                    match ::core::num::NonZeroUsize::new(#count) {
                        ::core::option::Option::Some(__rs_count) => __rs_count,
                        ::core::option::Option::None => ::core::panic!("`worker_threads` is zero"),
                    }
                })
            },
        }
    }
}

fn once(free: bool, key: &Ident) -> Result<()> {
    if free {
        Ok(())
    } else {
        refuse(key, format!("`{key}` is given twice; write it once"))
    }
}

fn literal<'a>(key: &Ident, value: &'a Expr) -> Result<&'a Lit> {
    match value {
        Expr::Lit(ExprLit { lit, .. }) => Ok(lit),
        Expr::Group(group) => literal(key, &group.expr),
        other => refuse(other, format!("`{key}` takes a literal: {KEYS}")),
    }
}

fn string(key: &Ident, value: &Expr) -> Result<LitStr> {
    match literal(key, value)? {
        Lit::Str(text) => Ok(text.clone()),
        other => refuse(other, format!("`{key}` takes a string: {FLAVORS}")),
    }
}

fn flavor(text: &LitStr) -> Result<Flavor> {
    match text.value().as_str() {
        "current_thread" => Ok(Flavor::CurrentThread),
        "multi_thread" => Ok(Flavor::MultiThread),
        other => refuse(
            text,
            format!("there is no flavor \"{other}\"; the flavors are {FLAVORS}"),
        ),
    }
}

fn count(key: &Ident, value: &Expr) -> Result<LitInt> {
    let Lit::Int(number) = literal(key, value)? else {
        return refuse(
            value.to_token_stream(),
            format!("`{key}` takes a number: `{key} = 4`"),
        );
    };
    if number.base10_parse::<u128>().is_ok_and(|n| n == 0) {
        return refuse(
            number,
            format!("`{key} = 0` would run nothing: the minimum is 1"),
        );
    }
    Ok(number.clone())
}

#[cfg(test)]
mod tests {
    use super::{expand, expand_or_refuse};
    use crate::testkit::{assert_expands, assert_refused, tokens};

    const BUILDER: &str = "#[inline] pub fn service() -> impl App { build() }";
    const MAIN: &str = "fn main() -> ::std::process::ExitCode";

    fn refused(args: &str, place: &str, says: &[&str]) {
        assert_refused(expand(tokens(args), tokens(BUILDER)), place, says);
    }

    // MAC-40, CLI-01, CLI-03
    #[test]
    fn the_builder_stays_and_main_runs_it() {
        let runs = |args: &str, runtime: &str| {
            let expanded = expand(tokens(args), tokens(BUILDER));
            assert_expands(
                expanded,
                &[BUILDER, MAIN, &format!("run_main_on({runtime}")],
            );
        };
        let runtime = |variant: &str| format!("::ruststream::runtime::cli::AppRuntime::{variant}");
        runs("", &runtime("MultiThread, service)"));
        runs(
            "flavor = \"multi_thread\",",
            &runtime("MultiThread, service)"),
        );
        runs(
            "flavor = \"current_thread\"",
            &runtime("CurrentThread, service)"),
        );
        runs(
            "worker_threads = 4, flavor = \"multi_thread\"",
            &runtime("MultiThreadWorkers("),
        );
    }

    // MAC-41, CLI-02
    #[test]
    fn the_builder_is_synchronous_and_takes_nothing() {
        let refused = |item: &str, place: &str, says: &[&str]| {
            assert_refused(expand(tokens(""), tokens(item)), place, says);
        };
        refused("async fn service() -> App {}", "async", &["synchronous"]);
        refused(
            "fn service(port: u16) -> App {}",
            "port: u16",
            &["takes nothing"],
        );
        refused("fn service<T>() -> App {}", "<T>", &["no generics"]);
        refused("unsafe fn service() -> App {}", "unsafe", &["`unsafe`"]);
        refused("fn main() -> App {}", "main", &["another name"]);
        refused("struct Service;", "struct Service;", &["function"]);
    }

    // MAC-41: one error, and none about a `main` or a builder that is missing because of it.
    #[test]
    fn a_refusal_leaves_the_item_and_a_main() {
        for (item, kept) in [
            ("async fn service() -> impl App { build() }", true),
            ("struct Service;", true),
            ("fn main() -> impl App { build() }", false),
        ] {
            let expanded = expand_or_refuse(tokens(""), tokens(item));
            let stands_in = if kept { item } else { "" };
            let expected = format!("{stands_in} fn main() {{}}");
            assert_expands(Ok(expanded.clone()), &["compile_error!", &expected]);
            let mains = expanded.to_string().matches("fn main").count();
            assert_eq!(mains, 1, "{expanded}");
        }
    }

    // MAC-41, CLI-04
    #[test]
    fn a_bad_argument_is_refused_where_it_stands() {
        let keys = ["`flavor = ", "`worker_threads = n`"];
        let flavors = ["`\"multi_thread\"`", "`\"current_thread\"`"];
        refused("current_thread", "current_thread", &keys);
        refused("\"current_thread\"", "\"current_thread\"", &keys);
        refused("threads = 4", "threads", &keys);
        refused("flavor = CURRENT", "CURRENT", &["literal"]);
        refused("flavor = 4", "4", &flavors);
        refused("flavor = \"single\"", "\"single\"", &flavors);
        refused("worker_threads = \"4\"", "\"4\"", &["number"]);
        refused("worker_threads = 0", "0", &["minimum is 1"]);
        refused(
            "worker_threads = 2, flavor = \"current_thread\"",
            "2",
            &["one thread"],
        );
        refused(
            "flavor = \"multi_thread\", flavor = \"multi_thread\"",
            "flavor",
            &["twice"],
        );
        refused(
            "worker_threads = 1, worker_threads = 1",
            "worker_threads",
            &["twice"],
        );
    }
}
