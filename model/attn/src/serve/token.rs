//! The token that a visitor must have.

use std::fmt::{self, Display, Formatter};

use getrandom::fill;

/// Bytes of randomness in a token.
const BYTES: usize = 16;

/// A random token, new at every start.
pub struct Token(String);

impl Token {
    /// Creates a token of 128 random bits, in hexadecimal digits.
    ///
    /// # Errors
    /// If the system has no random numbers.
    pub fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; BYTES];
        fill(&mut bytes)?;
        let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
        Ok(Token(digits.collect()))
    }

    /// Returns true if this is the token. The time that it takes says nothing about the right one.
    pub fn is(&self, given: &str) -> bool {
        let (right, given) = (self.0.as_bytes(), given.as_bytes());
        let differences = right.iter().zip(given).map(|(a, b)| a ^ b);
        right.len() == given.len() && differences.fold(0, |all, bits| all | bits) == 0
    }
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
