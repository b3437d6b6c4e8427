//! The shapes of keys that say by their beginning what they are.

/// A beginning, and how many characters of which kind follow at least.
struct Shape {
    begins: &'static str,
    least: usize,
    kind: Kind,
}

/// What a key is made of.
#[derive(Clone, Copy)]
enum Kind {
    /// Digits and capitals.
    Capitals,
    /// Digits and small letters `a` to `f`.
    Hex,
    /// Digits and letters.
    Alphanumeric,
    /// Digits, letters, `-` and `_`.
    Url,
    /// The same, and `.`, `+`, `/`, `=`.
    Any,
}

const fn shape(begins: &'static str, least: usize, kind: Kind) -> Shape {
    Shape { begins, least, kind }
}

/// As their issuers document them; the longer of two beginnings first.
const SHAPES: &[Shape] = &[
    shape("AKIA", 16, Kind::Capitals),            // AWS, of a user
    shape("ASIA", 16, Kind::Capitals),            // AWS, for a while
    shape("AIza", 30, Kind::Url),                 // Google
    shape("ya29.", 20, Kind::Url),                // Google, for a while
    shape("GOCSPX-", 20, Kind::Url),              // Google, of a client
    shape("github_pat_", 20, Kind::Url),          // GitHub
    shape("ghp_", 16, Kind::Alphanumeric),        // GitHub, of a person
    shape("gho_", 16, Kind::Alphanumeric),        // GitHub, by OAuth
    shape("ghu_", 16, Kind::Alphanumeric),        // GitHub, of a user of an app
    shape("ghs_", 16, Kind::Alphanumeric),        // GitHub, of an app
    shape("ghr_", 16, Kind::Alphanumeric),        // GitHub, to refresh
    shape("glpat-", 16, Kind::Url),               // GitLab
    shape("xoxb-", 10, Kind::Url),                // Slack, of a bot
    shape("xoxp-", 10, Kind::Url),                // Slack, of a person
    shape("xoxa-", 10, Kind::Url),                // Slack, of an app
    shape("xoxr-", 10, Kind::Url),                // Slack, to refresh
    shape("xapp-", 10, Kind::Url),                // Slack, of a socket
    shape("sk_live_", 10, Kind::Alphanumeric),    // Stripe
    shape("sk_test_", 10, Kind::Alphanumeric),    // Stripe, for tests
    shape("rk_live_", 10, Kind::Alphanumeric),    // Stripe, restricted
    shape("whsec_", 16, Kind::Any),               // Stripe, of a webhook
    shape("sk-ant-", 16, Kind::Url),              // Anthropic
    shape("sk-", 16, Kind::Url),                  // OpenAI, and who has copied that
    shape("hf_", 20, Kind::Alphanumeric),         // Hugging Face
    shape("npm_", 30, Kind::Alphanumeric),        // npm
    shape("pypi-", 30, Kind::Url),                // PyPI
    shape("dop_v1_", 30, Kind::Hex),              // DigitalOcean
    shape("SG.", 30, Kind::Any),                  // SendGrid
    shape("key-", 30, Kind::Hex),                 // Mailgun
    shape("shpat_", 20, Kind::Alphanumeric),      // Shopify
    shape("shpss_", 20, Kind::Alphanumeric),      // Shopify, shared
    shape("sq0atp-", 16, Kind::Url),              // Square
    shape("hvs.", 20, Kind::Url),                 // Vault
    shape("dapi", 32, Kind::Hex),                 // Databricks
    shape("lin_api_", 20, Kind::Alphanumeric),    // Linear
    shape("sbp_", 30, Kind::Alphanumeric),        // Supabase
    shape("dp.pt.", 20, Kind::Alphanumeric),      // Doppler
    shape("AGE-SECRET-KEY-", 40, Kind::Capitals), // age
    shape("eyJ", 16, Kind::Any),                  // a JSON web token, or what begins like one
];

/// Whether a key stands in the word: at its beginning, or behind what is no letter and no digit.
pub(super) fn has_key(word: &str) -> bool {
    let bytes = word.as_bytes();
    let begins = |at: &usize| *at == 0 || !bytes[at - 1].is_ascii_alphanumeric();
    (0..bytes.len()).filter(begins).any(|at| SHAPES.iter().any(|shape| shape.fits(&bytes[at..])))
}

impl Shape {
    fn fits(&self, text: &[u8]) -> bool {
        let rest = text.strip_prefix(self.begins.as_bytes()).unwrap_or_default();
        rest.iter().take_while(|byte| self.kind.has(**byte)).count() >= self.least
    }
}

impl Kind {
    fn has(self, byte: u8) -> bool {
        match self {
            Self::Capitals => byte.is_ascii_digit() || byte.is_ascii_uppercase(),
            Self::Hex => byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'),
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::Url => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'),
            Self::Any => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'+' | b'/' | b'='),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a text that no scanner takes for a key in this file.
    fn sample(shape: &Shape, len: usize) -> String {
        let one = if matches!(shape.kind, Kind::Hex) { "a" } else { "X" };
        format!("{}{}", shape.begins, one.repeat(len))
    }

    #[test]
    fn every_shape_is_found_where_it_is_long_enough_and_nowhere_else() {
        for shape in SHAPES {
            let (long, short) = (sample(shape, shape.least), sample(shape, 1));
            assert!(has_key(&long) && has_key(&format!("v1/{long}")) && has_key(&format!("x_{long}")), "{long}");
            assert!(!has_key(&short), "{short}");
            assert!(!has_key(&format!("q{long}")) || shape.begins.contains(['-', '_', '.']), "{long}");
        }
    }

    #[test]
    fn words_of_every_day_are_no_keys() {
        for word in
            ["sk-1", "key-value", "npm_install", "eyJournal", "hf_model", "task-list-of-the-day", "dapi", "ASIA"]
        {
            assert!(!has_key(word), "{word}");
        }
    }
}
