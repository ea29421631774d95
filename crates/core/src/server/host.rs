use std::net::Ipv6Addr;

/// The host and port in `url`, CORE-231.
///
/// The path is cut before the user information is: an `@` behind the authority belongs to the path.
/// Where what is left ends like a password, with something other than a port behind its colon, the
/// cut fell on a separator inside it, and the host is behind the last `@` of all.
pub(super) fn host_from_url(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_scheme, rest)| rest);
    let authority = up_to_path(rest);
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_user, host)| host);
    match rest[authority.len()..].rsplit_once('@') {
        Some((_, after)) if ends_like_a_password(host) => up_to_path(after),
        _ => host,
    }
}

fn up_to_path(text: &str) -> &str {
    text.split(['/', '?', '#']).next().unwrap_or(text)
}

fn ends_like_a_password(host: &str) -> bool {
    let has_no_port = |(_, port): (&str, &str)| !is_port(port);
    !starts_with_ipv6(host) && host.rsplit_once(':').is_some_and(has_no_port)
}

fn is_port(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<u16>().is_ok()
}

fn starts_with_ipv6(host: &str) -> bool {
    let literal = host.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    literal.is_some_and(|(address, _port)| {
        let address = address
            .split_once('%')
            .map_or(address, |(address, _zone)| address);
        address.parse::<Ipv6Addr>().is_ok()
    })
}
