//! The token that a visitor must have.

use std::fmt::{self, Display, Formatter};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use getrandom::fill;

use super::error::ServeError;

/// Bytes of randomness in a token.
const BYTES: usize = 16;

/// The length of the longest token of a file.
const LONGEST: usize = 256;

/// A token, without which nobody is served.
pub struct Token(String);

impl Token {
    /// Returns the token that a file keeps, or a random one if there is no file to keep it in.
    ///
    /// # Errors
    /// If the file cannot be read or written or holds no token, or the system has no random numbers.
    pub fn new(file: Option<&Path>) -> Result<Self, ServeError> {
        match file {
            Some(file) => Token::kept_in(file),
            None => Ok(Token::random()?),
        }
    }

    /// Creates a token of 128 random bits, in hexadecimal digits.
    ///
    /// # Errors
    /// If the system has no random numbers.
    fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; BYTES];
        fill(&mut bytes)?;
        let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
        Ok(Token(digits.collect()))
    }

    /// Returns the token that a file keeps; a file that is not there is made, with a random one.
    ///
    /// # Errors
    /// If the file cannot be read or written, or holds no token.
    fn kept_in(file: &Path) -> Result<Self, ServeError> {
        let fault = |source: io::Error| ServeError::TokenFile {
            path: file.to_owned(),
            source,
        };
        match fs::read_to_string(file) {
            Ok(text) if is_token(text.trim()) => Ok(Token(text.trim().to_owned())),
            Ok(_) => Err(ServeError::NoToken(file.to_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let token = Token::random()?;
                let mut made = private(file).map_err(fault)?;
                writeln!(made, "{token}").map_err(fault)?;
                Ok(token)
            }
            Err(error) => Err(fault(error)),
        }
    }

    /// Returns true if this is the token. The time that it takes says nothing about the right one.
    pub fn is(&self, given: &str) -> bool {
        let (right, given) = (self.0.as_bytes(), given.as_bytes());
        let differences = right.iter().zip(given).map(|(a, b)| a ^ b);
        right.len() == given.len() && differences.fold(0, |all, bits| all | bits) == 0
    }
}

/// Creates a file that nobody else can read, where the system has such.
fn private(file: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file)
}

/// Returns true if a text is long enough for a token, and can be in a link and a header.
fn is_token(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    (BYTES..=LONGEST).contains(&text.len()) && text.bytes().all(allowed)
}

impl Display for Token {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_itself_alone() {
        let token = Token::random().unwrap();
        let shown = token.to_string();
        assert_eq!(shown.len(), 2 * BYTES);
        assert!(token.is(&shown));
        assert!(!token.is(""));
        assert!(!token.is(&shown[1..]));
        assert!(!token.is(&format!("{shown}0")));
        assert!(!token.is(&Token::random().unwrap().to_string()));
    }
}
