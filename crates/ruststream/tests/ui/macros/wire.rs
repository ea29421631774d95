// MAC-70, MAC-71, PUB-143
use ruststream::{BytesMut, Deserialized, Serialized};

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

#[derive(Deserialized)]
#[wire(decode = missing)]
struct NoSuchFunction;

#[derive(Deserialized)]
#[wire(decode = takes_text)]
struct WrongArgument;

#[derive(Serialized)]
#[wire(encode = writes_text)]
struct WrongBuffer;

fn takes_text(_text: &str) -> Result<WrongArgument, std::fmt::Error> {
    Err(std::fmt::Error)
}

fn writes_text(_message: &WrongBuffer, _buffer: &mut String) {}

fn main() {
    let _ = BytesMut::new();
}
