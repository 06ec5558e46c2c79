//! A server on which the model runs in place of the browser.

use super::{reader::Reader, writer::Writer};

/// The entries of the address.
const SERVER: &str = "server";
const TOKEN: &str = "token";

/// The length in bytes of the longest host, and of the longest token.
const LONGEST: usize = 260;

/// A server that a link or the visitor names, with the token that it asks for. The fragment holds both, which browsers
/// send to no host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    host: String,
    token: String,
}

impl Server {
    /// Returns the server that a link names in its fragment, as `attn serve` prints it.
    pub fn from_link(link: &str) -> Option<Self> {
        let (_, fragment) = link.trim().split_once('#')?;
        Server::read(&Reader::new(fragment))
    }

    /// Returns the name or address of the server, with its port.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Returns the token that the server asks for.
    pub fn token(&self) -> &str {
        &self.token
    }

    pub(super) fn read(reader: &Reader) -> Option<Self> {
        let token = reader.parsed(TOKEN, |text| is_token(text).then(|| text.to_owned()));
        let host = reader.parsed(SERVER, |text| is_host(text).then(|| text.to_owned()))?;
        let token = token.unwrap_or_default();
        Some(Server { host, token })
    }

    pub(super) fn write(&self, fragment: &mut Writer) {
        fragment.text(SERVER, &self.host, "");
        fragment.text(TOKEN, &self.token, "");
    }
}

/// Returns true if the text is a host, perhaps with a port, and nothing that an address could continue with.
fn is_host(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-.:[]_".contains(&byte);
    (1..=LONGEST).contains(&text.len()) && text.bytes().all(allowed)
}

/// Returns true if the text can be a part of a subprotocol's name; an empty one is no token, and no fault.
fn is_token(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    text.len() <= LONGEST && text.bytes().all(allowed)
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::state::View;

    prop_compose! {
        pub fn server()(host in "[a-z0-9.-]{1,20}(:[0-9]{1,5})?", token in "[0-9a-f]{0,64}") -> Server {
            Server { host, token }
        }
    }

    #[test]
    fn a_printed_link_names_its_server() {
        let link =
            " http://127.0.0.1:8090/#device=server&server=127.0.0.1:8090&token=0f&model=mine\n";
        let server = Server::from_link(link).unwrap();
        assert_eq!((server.host(), server.token()), ("127.0.0.1:8090", "0f"));
        for none in ["", "127.0.0.1:8090", "http://127.0.0.1:8090/#token=0f"] {
            assert_eq!(Server::from_link(none), None, "{none}");
        }
    }

    #[test]
    fn what_is_no_host_is_reported() {
        for wrong in ["a/b", "a b", "user@host", "", "a?b"] {
            let fragment = format!("server={}", wrong.replace(' ', "+"));
            let (view, faults) = View::from_address(&fragment);
            assert_eq!(view.server, None, "{wrong}");
            assert_eq!(faults.len(), 1, "{wrong}");
        }
        let (view, faults) = View::from_address("server=a&token=b%20c");
        assert_eq!(view.server.unwrap().token(), "");
        assert_eq!(faults.len(), 1);
    }
}
