// MAC-67, MAC-70, PUB-143
use ruststream::{Deserialized, Serialized};

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

fn main() {}
