use ruststream_core::{Connected, DescribeServer, SubscriptionSource};

use crate::kit::{Check, Secret, bindings_tree, server_tree};

/// Holds what a broker and a descriptor tell the document to contain no credential.
///
/// `secret` is the password the broker was configured with. It is searched for in every string and
/// every key of the server the broker describes, and of the channel, operation and message bindings
/// of `source`, decoded, so that escaping hides nothing.
///
/// # Panics
///
/// If the secret is found, naming where and never printing it; if `secret` is empty.
pub fn describes_without_credentials<B, Src>(broker: &B, source: &Src, secret: &str)
where
    B: DescribeServer,
    Src: SubscriptionSource<Connected<B>>,
{
    let check = Check::new("describes_without_credentials");
    let secret = Secret::new(&check, secret);
    secret.absent(
        "the server description",
        &server_tree(&check, &broker.describe_server()),
    );
    for (place, bindings) in [
        ("the channel bindings", source.channel_bindings()),
        ("the operation bindings", source.operation_bindings()),
        ("the message bindings", source.message_bindings()),
    ] {
        secret.absent(place, &bindings_tree(&check, &bindings));
    }
}
