// RUN-380 to RUN-388, MAC-20 to MAC-23: what a body takes beside its message
use ruststream::memory::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Clone)]
struct Ledger;

#[derive(Clone)]
struct Clock;

#[derive(FromRef)]
struct Depot {
    ledger: Ledger,
    clock: Clock,
}

#[derive(Deserialize)]
struct Meta;

#[derive(Deserialize, MessageInfo)]
struct Parcel;

#[derive(Deserialize, MessageInfo)]
struct Letter;

#[derive(InMessages)]
#[in_messages(header = "kind")]
enum Goods {
    #[in_messages(value = "parcel")]
    Parcel(Parcel),
    #[in_messages(value = "letter")]
    Letter(Letter),
}

#[derive(Serialize, Outgoing)]
struct Label;

struct Tenant;

impl<C: Send, S: Sync> FromContext<C, S> for Tenant {
    type Rejection = HandlerOutcome;

    async fn from_context(ctx: &mut Context<'_, C, S>) -> Result<Self, HandlerOutcome> {
        ctx.headers()
            .get_str("tenant")
            .map(|_| Self)
            .ok_or(HandlerOutcome::drop())
    }
}

#[subscriber("parcels")]
async fn extractors(
    _parcel: &Parcel,
    Headers(_meta): Headers<Meta>,
    State(_ledger): State<Ledger>,
    State(_clock): State<Clock>,
    Ctx(position): Ctx<Position>,
    Ctx(_main): Ctx<MainRuntime>,
    _tenant: Tenant,
) -> HandlerOutcome {
    let _ = position;
    HandlerOutcome::ack()
}

#[subscriber("parcels", reply("labels"))]
async fn context(
    _goods: &Goods,
    ctx: &mut Context<'_, MemoryContext, Depot>,
    Out(_out): Out<impl Publisher>,
) -> Result<Label, HandlerOutcome> {
    let _ = ctx.context(Position);
    let _ = (&ctx.state().ledger, &ctx.state().clock);
    Err(HandlerOutcome::ack())
}

#[subscriber("parcels")]
async fn batch_context(_goods: &[Goods], _ctx: &mut Context<'_, MemoryBatchContext>) {}

fn main() {
    let broker = MemoryBroker::retaining(Retention::Messages(nonzero!(16)));
    let _ = RustStream::new(AppInfo::new("depot", "1.0.0"))
        .on_startup(async |()| {
            Ok::<_, std::io::Error>(Depot {
                ledger: Ledger,
                clock: Clock,
            })
        })
        .with_broker(broker, |b| {
            b.include(extractors);
            b.include(context).out(DefaultSlot, Publish).build();
            b.include_router(Router::new().include(batch_context.batch(nonzero!(8))));
        });
}
