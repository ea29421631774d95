use ruststream_core::{DescribeServer, ServerSpec};

use crate::kit::{Check, Secret, contains, server_tree};

/// What each address is made of: user, password, host with port.
const ADDRESSES: [(&str, &str, &str); 3] = [
    (
        "conformance-user-1",
        "conformance-password-1",
        "node-1.conformance.invalid:41001",
    ),
    (
        "conformance-user-2",
        "conformance-password-2",
        "node-2.conformance.invalid:41002",
    ),
    (
        "conformance-user-3",
        "conformance-password-3",
        "node-3.conformance.invalid:41003",
    ),
];

/// Holds the description of a broker with several addresses to name hosts, and no user or password.
///
/// `make_broker` is handed three URLs under `scheme`, each with a user, a password, a host and a
/// port of its own. The description must tell none of the users and passwords, and at least one
/// host with its port, as [`ServerSpec::host_from_url`] cuts it out of the URL.
///
/// # Panics
///
/// If a user or password is found, without printing it; if no address is.
pub fn describes_addresses_without_credentials<B, MkBroker>(make_broker: MkBroker, scheme: &str)
where
    B: DescribeServer,
    MkBroker: FnOnce(&[&str]) -> B,
{
    let check = Check::new("describes_addresses_without_credentials");
    let urls = ADDRESSES
        .map(|(user, password, address)| format!("{scheme}://{user}:{password}@{address}"));
    let broker = make_broker(&urls.each_ref().map(String::as_str));
    let tree = server_tree(&check, &broker.describe_server());
    for (user, password, _) in ADDRESSES {
        Secret::new(&check, user).absent("the server description", &tree);
        Secret::new(&check, password).absent("the server description", &tree);
    }
    let told = urls
        .iter()
        .any(|url| contains(&tree, &ServerSpec::host_from_url(url)));
    check
        .step(
            "the server description",
            "at least one address is described by its host and port",
        )
        .require(told, "there is none");
}
