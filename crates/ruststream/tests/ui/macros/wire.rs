// MAC-71, PUB-143
use ruststream::{Deserialized, Serialized};

#[derive(Deserialized)]
#[wire(encode = write)]
struct NoDecodeHalf;

#[derive(Serialized)]
#[wire(decode = read)]
struct NoEncodeHalf;

#[derive(Deserialized)]
#[wire()]
struct Empty;

#[derive(Deserialized)]
#[wire(prost, decode = read)]
struct Twice;

#[derive(Deserialized)]
#[wire(json)]
struct UnknownKey;

fn main() {}
