// CORE-104: the default form belongs to the type, so an expression has to name it
use ruststream_core::OutgoingMessage;

fn main() {
    let _: OutgoingMessage<'_> = OutgoingMessage::new("parcels", b"");
    let _ = OutgoingMessage::new("parcels", b"");
}
