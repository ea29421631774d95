//! The address list of a broker, which may carry credentials.

use std::fmt;

use async_nats::ServerAddr;
use ruststream::ServerSpec;

use crate::error::NatsError;

/// Addresses as they were configured: one, or several separated by commas.
#[derive(Clone)]
pub(crate) struct Addrs(String);

impl Addrs {
    pub(crate) fn new(addrs: impl Into<String>) -> Self {
        Self(addrs.into())
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The addresses, parsed as the client does; it does not split a list by itself.
    pub(crate) fn parse(&self) -> Result<Vec<ServerAddr>, NatsError> {
        let parsed = self
            .each()
            .map(|addr| match (addr.parse::<ServerAddr>(), host(addr)) {
                (Ok(parsed), _) if parsed.host().is_empty() => {
                    Err(NatsError::connect("an address has no host"))
                }
                (Ok(parsed), _) => Ok(parsed),
                (Err(error), Some(host)) => Err(NatsError::connect(format!(
                    "the address of `{host}` is not one: {error}"
                ))),
                (Err(error), None) => Err(NatsError::connect(format!(
                    "an address has no port in its place: {error}"
                ))),
            });
        let parsed = parsed.collect::<Result<Vec<_>, _>>()?;
        if parsed.is_empty() {
            return Err(NatsError::connect("no server address is configured"));
        }
        Ok(parsed)
    }

    /// Hosts and ports alone, joined with commas.
    pub(crate) fn hosts(&self) -> String {
        let hosts: Vec<_> = self.each().filter_map(host).collect();
        hosts.join(",")
    }

    /// The addresses of the list. A comma inside a password parts no two.
    fn each(&self) -> impl Iterator<Item = &str> {
        let mut rest = self.0.as_str();
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let (addr, behind) = rest.split_at(end_of_first(rest));
            rest = behind.strip_prefix(',').unwrap_or(behind);
            Some(addr.trim())
        })
        .filter(|addr| !addr.is_empty())
    }
}

/// Where the first address of `list` ends.
fn end_of_first(list: &str) -> usize {
    let comma = list.find(',').unwrap_or(list.len());
    if host(list[..comma].trim()).is_some() {
        return comma;
    }
    // It may be cut inside its password, whose rest ends at an `@` before the next scheme.
    let next = list[comma..]
        .find("://")
        .map_or(list.len(), |at| comma + at);
    match list[comma..next].find('@') {
        Some(at) => list[comma + at..]
            .find(',')
            .map_or(list.len(), |end| comma + at + end),
        None => comma,
    }
}

/// The host and port of an address.
///
/// `None` where what stands for the port is no number, and may be a part of a password.
fn host(addr: &str) -> Option<String> {
    let host = ServerSpec::host_from_url(addr);
    let behind_name = match host.find(']') {
        Some(end) => &host[end + 1..],
        None => host.find(':').map_or("", |at| &host[at..]),
    };
    let is_port = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    let whole = behind_name.is_empty() || behind_name.strip_prefix(':').is_some_and(is_port);
    whole.then_some(host)
}

/// Without userinfo.
impl fmt::Debug for Addrs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.hosts().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // NATS-11
    #[test]
    fn a_list_is_split_trimmed_and_cleared_of_empty_parts() {
        let addrs = Addrs::new(" nats://one:4222 ,, two:4223,");

        let parsed = addrs.parse().expect("two addresses");

        let hosts: Vec<_> = parsed.iter().map(|a| (a.host(), a.port())).collect();
        assert_eq!(hosts, [("one", 4222), ("two", 4223)]);
    }

    // NATS-11, NATS-20
    #[test]
    fn a_comma_inside_a_password_parts_no_addresses() {
        let addrs =
            Addrs::new("nats://svc:one,two@one:4222,svc:a,b/c,d@two , three:bad,nats://u@four");

        assert_eq!(addrs.hosts(), "one:4222,two,four");
        let first = addrs
            .each()
            .next()
            .and_then(|addr| addr.parse::<ServerAddr>().ok());
        let password = first.as_ref().and_then(ServerAddr::password);
        assert_eq!(password, Some("one,two"));
    }

    // NATS-11, NATS-12
    #[test]
    fn a_foreign_scheme_no_url_and_an_empty_list_are_connect_errors() {
        for bad in [
            "http://one:4222",
            "nats://",
            "nats://one:4222,amqp://two",
            "",
            " , ,",
            "a b:1",
        ] {
            let error = Addrs::new(bad).parse().expect_err(bad);
            assert!(matches!(error, NatsError::Connect(_)), "{bad}: {error}");
        }
    }

    // NATS-20
    #[test]
    fn hosts_carry_no_credentials() {
        let addrs = Addrs::new("nats://a:s3cret@one:4222, nats://tok@two:4223/x?y#z");

        assert_eq!(addrs.hosts(), "one:4222,two:4223");
        assert_eq!(format!("{addrs:?}"), r#""one:4222,two:4223""#);
    }
}
