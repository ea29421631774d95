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
        let parsed = self.each().map(|addr| {
            let host = ServerSpec::host_from_url(addr);
            match addr.parse::<ServerAddr>() {
                Ok(parsed) if parsed.host().is_empty() => {
                    Err(NatsError::connect("an address has no host"))
                }
                Ok(parsed) => Ok(parsed),
                Err(error) => Err(NatsError::connect(format!(
                    "the address of `{host}` is not one: {error}"
                ))),
            }
        });
        let parsed = parsed.collect::<Result<Vec<_>, _>>()?;
        if parsed.is_empty() {
            return Err(NatsError::connect("no server address is configured"));
        }
        Ok(parsed)
    }

    /// Hosts and ports alone, joined with commas.
    pub(crate) fn hosts(&self) -> String {
        let hosts: Vec<_> = self.each().map(ServerSpec::host_from_url).collect();
        hosts.join(",")
    }

    fn each(&self) -> impl Iterator<Item = &str> {
        self.0
            .split(',')
            .map(str::trim)
            .filter(|addr| !addr.is_empty())
    }
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
