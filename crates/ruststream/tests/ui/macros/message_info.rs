// MAC-51, MAC-53
use ruststream::{MessageInfo, Outgoing};

struct Meta;

#[derive(MessageInfo)]
#[message(headers = Meta)]
struct NotInParentheses;

#[derive(MessageInfo)]
#[message(headers(Meta), headers(Meta))]
struct Twice;

#[derive(Outgoing, MessageInfo)]
struct DescribedTwice;

fn main() {}
