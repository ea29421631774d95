//! The attribute and derive macros of `RustStream`.
//!
//! Use them through the `ruststream` crate, feature `macros`: what they write names the framework by
//! the path `::ruststream`, so that crate must be a dependency under its own name.

#![forbid(unsafe_code)]
// A macro holds one of each at a time; a box would only be in the reader's way.
#![allow(clippy::large_enum_variant)]

mod app;
mod derive;
mod doc;
mod generics;
mod path_kind;
mod refusal;
mod subscriber;

#[cfg(test)]
mod testkit;

use proc_macro::TokenStream;

/// Turns a function into a subscriber definition.
///
/// The function becomes a value of the same name that describes what is subscribed and what happens
/// to each message; a mount (`b.include(name)`) puts it to work.
///
/// ```
/// use ruststream::prelude::*;
/// # #[derive(serde::Deserialize)] struct Parcel { id: u64 }
/// # #[derive(serde::Serialize, Outgoing)] struct Label { parcel: u64 }
/// # impl Label {
/// #     fn print(parcel: &Parcel) -> Result<Self, std::fmt::Error> { Ok(Self { parcel: parcel.id }) }
/// # }
///
/// /// Books a parcel into the warehouse.
/// #[subscriber("parcels.scanned", reply("parcels.labels"), workers(8, by_key))]
/// async fn scan(parcel: &Parcel) -> Result<Label, HandlerOutcome> {
///     Label::print(parcel).map_err(|_| HandlerOutcome::drop())
/// }
/// ```
///
/// # The source
///
/// | written | subscribes |
/// |---|---|
/// | `"orders"` | by that name |
/// | nothing | by the name that `.name(..)` gives at the mount |
/// | `OrdersStream` | with that descriptor, named at the mount |
/// | `OrdersStream::new(..)`, `OrdersStream { .. }`, either with builder calls after it | with that value |
///
/// # The clauses
///
/// After the source, in any order, each at most once:
///
/// - `reply` or `reply("name")`: the returned value is published; the name is for a type that fixes
///   none. `publish` is another spelling of `reply`.
/// - `workers(n)` or `threads(n)`, either with `, by_key`: how many messages are handled at once,
///   on the runtime or on threads of their own, and whether messages of one key keep their order.
/// - `on_failure(panic = .., decode = ..)`: what becomes of a message whose handler panics or whose
///   payload does not decode: `fail_fast`, `drop`, `retry`, `retry_after(delay)`, `skip`, or any
///   `FailurePolicy` value.
/// - `start_at(position)`: where in its stream the subscription begins.
///
/// Each is the step of the same name at the mount, so a setting has one place: here or there.
///
/// # The function
///
/// The first parameter is the message, `&T` for one or `&[T]` for a batch; then, if wanted,
/// `&mut Context<'_>`; then extractors (`Headers<T>`, `Ctx<K>`, `State<T>`, your own) and up to
/// three publish slots `Out(name): Out<impl Publisher, Marker>`. Doc comments describe the
/// operation in the generated document.
///
/// It answers `()`, a `HandlerOutcome`, or a `Result` of either. **An `Err` drops the message, and its
/// error is not logged**; a handler whose messages must not get lost logs it and answers with an
/// outcome, such as `HandlerOutcome::retry()`. One that replies answers its reply, or
/// `Result<Reply, HandlerOutcome>`.
///
/// # Panics
///
/// The macro itself does not. A count that turns out zero at run time (`workers(configured())`)
/// panics where the definition is mounted, naming clause and handler.
#[proc_macro_attribute]
pub fn subscriber(args: TokenStream, item: TokenStream) -> TokenStream {
    answer(subscriber::expand(args.into(), item.into()))
}

/// Makes a function that builds the service the entry point of the binary.
///
/// The function stays as it is, for tests to call; beside it appears a `main` that runs the command
/// line over what the function returns.
///
/// ```no_run
/// use ruststream::memory::prelude::*;
/// # #[subscriber("parcels")] async fn scan(_parcel: &u64) {}
///
/// #[ruststream::app(worker_threads = 4)]
/// fn service() -> impl App {
///     RustStream::new(AppInfo::new("parcels", "1.0.0")).with_broker(MemoryBroker::new(), |b| {
///         b.include(scan);
///     })
/// }
/// ```
///
/// Arguments: `flavor = "multi_thread"` (the default) or `"current_thread"`, and
/// `worker_threads = n` for the former.
#[proc_macro_attribute]
pub fn app(args: TokenStream, item: TokenStream) -> TokenStream {
    app::expand_or_refuse(args.into(), item.into()).into()
}

/// Describes a message type: its name and, from the doc comment, its description.
///
/// `#[message(headers(Meta))]` declares that the message travels with the typed headers `Meta`.
/// The derive does not make the type publishable; `Outgoing` does, and describes it as well.
///
/// ```
/// use ruststream::MessageInfo;
///
/// /// A parcel was scanned.
/// #[derive(MessageInfo)]
/// struct Scan {
///     parcel: u64,
/// }
///
/// assert_eq!(Scan::NAME, "Scan");
/// assert_eq!(Scan::DESCRIPTION, Some("A parcel was scanned."));
/// ```
#[proc_macro_derive(MessageInfo, attributes(message))]
pub fn message_info(item: TokenStream) -> TokenStream {
    derived(item, derive::message_info::expand)
}

/// Makes a type publishable: says where it goes, what headers it carries, and describes it.
///
/// ```
/// use ruststream::Outgoing;
/// use serde::Serialize;
/// # #[derive(Serialize)] struct ScanMeta { gate: u32 }
///
/// /// A parcel has arrived.
/// #[derive(Serialize, Outgoing)]
/// #[outgoing(name = "depot.{city}.arrivals", headers = ScanMeta)]
/// struct Arrived {
///     parcel: u64,
/// }
/// ```
///
/// - no `name`: each publish names its destination with `.to(..)`;
/// - a plain `name`: the type always goes there;
/// - a `name` with `{placeholders}`: each publish fills them in, `.to().city("Oslo").publish()`.
///   A value is written into the name as it is, without escaping.
#[proc_macro_derive(Outgoing, attributes(outgoing))]
pub fn outgoing(item: TokenStream) -> TokenStream {
    derived(item, derive::outgoing::expand)
}

/// Makes a unit struct the marker of a publish slot.
///
/// `#[publishes(A, B)]` lists the message types that leave through it; without a list, none does by
/// itself.
///
/// ```
/// use ruststream::prelude::*;
/// # #[derive(serde::Serialize, serde::Deserialize, Outgoing)] struct Scan { parcel: u64 }
///
/// #[derive(OutSlot)]
/// #[publishes(Scan)]
/// struct Audit;
///
/// #[subscriber("scans")]
/// async fn mirror(scan: &Scan, Out(audit): Out<impl Publisher, Audit>) -> HandlerOutcome {
///     match audit.message(scan).to("audit").publish().await {
///         Ok(()) => HandlerOutcome::ack(),
///         Err(_) => HandlerOutcome::retry(),
///     }
/// }
/// ```
#[proc_macro_derive(OutSlot, attributes(publishes))]
pub fn out_slot(item: TokenStream) -> TokenStream {
    derived(item, derive::out_slot::expand)
}

/// Makes an enum a named set of messages that one slot parameter may publish.
///
/// Every variant wraps one message type. The enum is only a declaration and is never constructed:
/// `Out<impl Publisher, Audit, Booked>` for an `enum Booked { Scan(Scan), Label(Label) }`.
#[proc_macro_derive(OutMessages)]
pub fn out_messages(item: TokenStream) -> TokenStream {
    derived(item, derive::out_messages::expand)
}

/// Makes an enum a handler input that stands for several message types on one subscription.
///
/// Every variant wraps one message type. Which one a delivery holds is decided by
///
/// - nothing named: the first variant, in order, that decodes;
/// - `#[in_messages(header = "kind")]` with `#[in_messages(value = "..")]` on every variant: that header;
/// - `#[in_messages(discriminate = path)]`: a function from the delivery to the kind;
/// - `#[in_messages(discriminate_with_codec = Type)]`: a `CodecDiscriminator` that reads the payload
///   through the codec.
///
/// Beside the enum appears `<Name>Kind`, one unit variant per message type.
///
/// ```
/// use ruststream::prelude::*;
/// use serde::Deserialize;
///
/// #[derive(Deserialize, MessageInfo)]
/// struct Parcel { id: u64 }
///
/// #[derive(Deserialize, MessageInfo)]
/// struct Letter { id: u64 }
///
/// #[derive(InMessages)]
/// #[in_messages(header = "kind")]
/// enum Post {
///     #[in_messages(value = "parcel")]
///     Parcel(Parcel),
///     #[in_messages(value = "letter")]
///     Letter(Letter),
/// }
///
/// #[subscriber("post")]
/// async fn sort(post: &Post) {
///     let _id = match post {
///         Post::Parcel(parcel) => parcel.id,
///         Post::Letter(letter) => letter.id,
///     };
/// }
/// ```
#[proc_macro_derive(InMessages, attributes(in_messages))]
pub fn in_messages(item: TokenStream) -> TokenStream {
    derived(item, derive::in_messages::expand)
}

/// Makes a type a handler input that reads the payload's bytes itself, without a codec.
///
/// Without an attribute: a struct with one field `&'a [u8]`, which then borrows the payload. With
/// `#[wire(decode = path)]` or `#[wire(prost)]`: any type, built by the named function.
///
/// ```
/// use ruststream::prelude::*;
///
/// #[derive(Deserialized)]
/// struct Frame<'a>(&'a [u8]);
///
/// #[subscriber("frames")]
/// async fn measure(frame: &Frame<'_>) {
///     let _length = frame.0.len();
/// }
/// ```
#[proc_macro_derive(Deserialized, attributes(wire))]
pub fn deserialized(item: TokenStream) -> TokenStream {
    derived(item, derive::deserialized::expand)
}

/// Makes a type leave as the bytes it holds or writes, without a codec.
///
/// Without an attribute: a struct with one field of bytes (`Vec<u8>`, `Bytes`, `[u8; N]`, ...). With
/// `#[wire(encode = path)]` or `#[wire(prost)]`: any type, written by the named function.
///
/// ```
/// use ruststream::{BytesMut, Serialized};
///
/// #[derive(Serialized)]
/// struct Blob(Vec<u8>);
///
/// #[derive(Serialized)]
/// #[wire(encode = write)]
/// struct Weight {
///     grams: u32,
/// }
///
/// fn write(weight: &Weight, buffer: &mut BytesMut) {
///     buffer.extend_from_slice(&weight.grams.to_be_bytes());
/// }
/// ```
#[proc_macro_derive(Serialized, attributes(wire))]
pub fn serialized(item: TokenStream) -> TokenStream {
    derived(item, derive::serialized::expand)
}

/// Lets handlers take single fields of the application state: `State<Pool>` for a field of type `Pool`.
///
/// ```
/// use ruststream::prelude::*;
/// # #[derive(Clone)] struct Pool;
///
/// #[derive(FromRef)]
/// struct Depot {
///     pool: Pool,
///     gate: u32,
/// }
///
/// #[subscriber("parcels")]
/// async fn book(parcel: &u64, State(pool): State<Pool>) {
///     let _ = (parcel, pool);
/// }
/// ```
///
/// Each field is cloned out of the state. Two fields of one type cannot both be taken; mark one
/// `#[from_ref(skip)]`.
#[proc_macro_derive(FromRef, attributes(from_ref))]
pub fn from_ref(item: TokenStream) -> TokenStream {
    derived(item, derive::from_ref::expand)
}

fn derived(
    item: TokenStream,
    expand: fn(&syn::DeriveInput) -> syn::Result<proc_macro2::TokenStream>,
) -> TokenStream {
    answer(syn::parse(item).and_then(|item| expand(&item)))
}

/// A refused input yields the refusal and nothing else (MAC-06).
fn answer(expanded: syn::Result<proc_macro2::TokenStream>) -> TokenStream {
    expanded
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
