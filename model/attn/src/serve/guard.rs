//! The names and origins under which the server answers.
//!
//! A page of another site cannot read this server's answers, but it can have its own name point to this machine (DNS
//! rebinding), and browsers let it open sockets to any host. Both are told by headers that no page can change.

use std::net::{IpAddr, SocketAddr};

use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName, StatusCode};

/// The names that the server answers to.
#[derive(Clone)]
pub struct Guard {
    address: SocketAddr,
    /// The port that browsers leave out.
    usual_port: u16,
    /// The given names in small letters.
    names: Vec<String>,
    /// The origins of other pages that may ask, in small letters.
    origins: Vec<String>,
}

impl Guard {
    /// Creates the guard of a server on this address, with the names and the origins of other pages that its operator gave.
    /// Browsers leave out the `usual_port` of its scheme.
    pub fn new(address: SocketAddr, usual_port: u16, names: &[String], origins: &[String]) -> Self {
        let lower = |given: &[String]| given.iter().map(|it| it.to_lowercase()).collect();
        Guard {
            address,
            usual_port,
            names: lower(names),
            origins: lower(origins),
        }
    }

    /// Checks the headers of a request.
    ///
    /// # Errors
    /// The status of the answer, if the request is for another host or from a page of another origin.
    pub fn check(&self, headers: &HeaderMap) -> Result<(), StatusCode> {
        let Some(Some(host)) = only(headers, HOST) else {
            return Err(StatusCode::MISDIRECTED_REQUEST);
        };
        if !self.is_here(host) {
            return Err(StatusCode::MISDIRECTED_REQUEST);
        }
        match only(headers, ORIGIN) {
            None => Err(StatusCode::FORBIDDEN),
            Some(Some(origin)) if !self.is_ours(origin) => Err(StatusCode::FORBIDDEN),
            Some(_) => Ok(()),
        }
    }

    /// Returns true if a page of this origin is served here, or may ask nevertheless.
    fn is_ours(&self, origin: &str) -> bool {
        if self.origins.contains(&origin.to_lowercase()) {
            return true;
        }
        let schemes = ["http://", "https://"];
        let mut hosts = schemes.iter().filter_map(|it| origin.strip_prefix(it));
        hosts.any(|host| self.is_here(host))
    }

    /// Returns true if `host`, a name or address and perhaps a port, is this server.
    fn is_here(&self, host: &str) -> bool {
        let host = host.to_lowercase();
        let port = self.address.port();
        let (name, is_our_port) = match host.rsplit_once(':') {
            Some((name, digits)) if !digits.ends_with(']') => {
                (name, digits.parse::<u16>() == Ok(port))
            }
            _ => (host.as_str(), port == self.usual_port),
        };
        // A name that the operator gave may be that of a proxy with a port of its own.
        self.names.iter().any(|known| known == name) || is_our_port && self.is_our_address(name)
    }

    fn is_our_address(&self, name: &str) -> bool {
        let own = self.address.ip();
        if name == "localhost" {
            return own.is_loopback() || own.is_unspecified();
        }
        let bare = name.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
        let address: Option<IpAddr> = bare.unwrap_or(name).parse().ok();
        // No name stands behind an address, so none can be made to point here.
        address.is_some_and(|address| address == own || own.is_unspecified())
    }
}

/// Returns the value of a header, if it is there. `None` if it is no text or comes twice, which no browser's does.
fn only(headers: &HeaderMap, name: HeaderName) -> Option<Option<&str>> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Some(None),
        // What is no text is no name that the server has.
        (Some(value), None) => value.to_str().ok().map(Some),
        (Some(_), Some(_)) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(guard: &Guard, host: &str, origin: Option<&str>) -> Result<(), u16> {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, host.parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(ORIGIN, origin.parse().unwrap());
        }
        guard.check(&headers).map_err(|status| status.as_u16())
    }

    #[test]
    fn a_server_of_this_machine_answers_to_its_own_names_alone() {
        let guard = Guard::new(([127, 0, 0, 1], 8090).into(), 80, &[], &[]);
        for host in ["127.0.0.1:8090", "localhost:8090", "LocalHost:8090"] {
            assert_eq!(checked(&guard, host, None), Ok(()), "{host}");
        }
        for host in [
            "",
            "localhost",
            "localhost:8091",
            "evil.example:8090",
            "127.0.0.1.evil.example:8090",
            "10.0.0.1:8090",
            "[::1]:8090",
        ] {
            assert_eq!(checked(&guard, host, None), Err(421), "{host}");
        }
        assert_eq!(guard.check(&HeaderMap::new()).unwrap_err().as_u16(), 421);
    }

    #[test]
    fn the_usual_port_of_the_scheme_may_be_left_out() {
        let address = ([127, 0, 0, 1], 443).into();
        let origin = Some("https://localhost");
        let encrypted = Guard::new(address, 443, &[], &[]);
        assert_eq!(checked(&encrypted, "localhost", origin), Ok(()));
        let plain = Guard::new(address, 80, &[], &[]);
        assert_eq!(checked(&plain, "localhost", None), Err(421));
    }

    #[test]
    fn pages_of_other_origins_are_refused() {
        let guard = Guard::new(([127, 0, 0, 1], 8090).into(), 80, &[], &[]);
        let from = |origin| checked(&guard, "127.0.0.1:8090", Some(origin));
        assert_eq!(from("http://127.0.0.1:8090"), Ok(()));
        assert_eq!(from("http://localhost:8090"), Ok(()));
        for origin in [
            "null",
            "http://evil.example",
            "http://evil.example:8090",
            "http://127.0.0.1:8091",
            "file://127.0.0.1:8090",
        ] {
            assert_eq!(from(origin), Err(403), "{origin}");
        }
    }

    #[test]
    fn headers_that_come_twice_are_refused() {
        let guard = Guard::new(([127, 0, 0, 1], 8090).into(), 80, &[], &[]);
        let mut headers = HeaderMap::new();
        headers.append(HOST, "127.0.0.1:8090".parse().unwrap());
        headers.append(HOST, "evil.example".parse().unwrap());
        assert_eq!(guard.check(&headers).unwrap_err().as_u16(), 421);
        headers.remove(HOST);
        headers.append(HOST, "127.0.0.1:8090".parse().unwrap());
        headers.append(ORIGIN, "http://127.0.0.1:8090".parse().unwrap());
        headers.append(ORIGIN, "http://evil.example".parse().unwrap());
        assert_eq!(guard.check(&headers).unwrap_err().as_u16(), 403);
    }

    #[test]
    fn a_server_of_the_network_answers_to_addresses_and_given_names() {
        let names = ["Class.Example".to_owned()];
        let guard = Guard::new(([0, 0, 0, 0], 8090).into(), 80, &names, &[]);
        for host in [
            "10.0.0.1:8090",
            "[fe80::1]:8090",
            "localhost:8090",
            "class.example",
            "class.example:8090",
        ] {
            assert_eq!(checked(&guard, host, None), Ok(()), "{host}");
        }
        assert_eq!(checked(&guard, "evil.example:8090", None), Err(421));
        let origin = Some("https://class.example");
        assert_eq!(checked(&guard, "class.example", origin), Ok(()));
    }
}
