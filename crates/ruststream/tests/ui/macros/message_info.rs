// MAC-51, MAC-53, PUB-114
use ruststream::{MessageInfo, OutMessages, Outgoing};

struct Meta;

#[derive(MessageInfo)]
#[message(headers = Meta)]
struct NotInParentheses;

#[derive(MessageInfo)]
#[message(headers(Meta), headers(Meta))]
struct Twice;

#[derive(Outgoing, MessageInfo)]
struct DescribedTwice;

#[derive(Outgoing)]
struct Label;

#[derive(Outgoing, OutMessages)]
enum MessageAndSet {
    Label(Label),
}

fn main() {}
