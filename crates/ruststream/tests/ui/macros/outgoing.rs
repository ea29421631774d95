// MAC-55, PUB-112
use ruststream::Outgoing;

const NAME: &str = "parcels";

#[derive(Outgoing)]
#[outgoing(name = NAME)]
struct NotALiteral;

#[derive(Outgoing)]
#[outgoing(name = "depot.{city")]
struct Unclosed;

#[derive(Outgoing)]
#[outgoing(name = "depot.city}")]
struct Unopened;

#[derive(Outgoing)]
#[outgoing(name = "depot.{}")]
struct Empty;

#[derive(Outgoing)]
#[outgoing(name = "depot.{type}")]
struct Keyword;

#[derive(Outgoing)]
#[outgoing(name = "{city}.{city}")]
struct Twice;

#[derive(Outgoing)]
#[outgoing(name = "depot.{publish}")]
struct HidesTheEnd;

#[derive(Outgoing)]
#[outgoing("depot")]
struct NotAPair;

#[derive(Outgoing)]
#[outgoing(nmae = "depot")]
struct UnknownKey;

#[derive(Outgoing)]
#[outgoing(name = "depot", name = "parcels")]
struct KeyTwice;

fn main() {}
