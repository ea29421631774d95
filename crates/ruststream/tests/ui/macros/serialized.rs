// MAC-69, MAC-72, PUB-131, PUB-140, CORE-224
use ruststream::Serialized;
use serde::Serialize;

#[derive(Serialized)]
struct TwoFields(Vec<u8>, u8);

#[derive(Serialized)]
struct Generic<T>(T);

#[derive(Serialize, Serialized)]
struct OnBothWires(Vec<u8>);

#[derive(Serialized)]
struct Text(String);

fn main() {}
