// MAC-65
use ruststream::InMessages;

struct Parcel;
struct Label;

#[derive(InMessages)]
#[in_messages(discriminate = kind, discriminate_with_codec = Kind)]
enum FunctionAndCodec {
    Parcel(Parcel),
}

#[derive(InMessages)]
#[in_messages(discriminate = kind, header = "kind")]
enum FunctionAndHeader {
    #[in_messages(value = "parcel")]
    Parcel(Parcel),
}

#[derive(InMessages)]
#[in_messages(discriminate_with_codec = Kind, header = "kind")]
enum CodecAndHeader {
    #[in_messages(value = "parcel")]
    Parcel(Parcel),
}

#[derive(InMessages)]
#[in_messages(header = "kind")]
enum HeaderWithoutValue {
    #[in_messages(value = "parcel")]
    Parcel(Parcel),
    Label(Label),
}

#[derive(InMessages)]
enum ValueWithoutHeader {
    #[in_messages(value = "parcel")]
    Parcel(Parcel),
}

#[derive(InMessages)]
#[in_messages(header = "kind")]
enum ValueTwice {
    #[in_messages(value = "parcel")]
    Parcel(Parcel),
    #[in_messages(value = "parcel")]
    Label(Label),
}

#[derive(InMessages)]
#[in_messages(kind = "parcel")]
enum UnknownKey {
    Parcel(Parcel),
}

fn main() {}
