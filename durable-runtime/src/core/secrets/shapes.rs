//! The shapes of keys that say by their beginning what they are.

/// A beginning, how many characters of which kind follow at least, and whose key that is.
struct Shape {
    begins: &'static str,
    least: usize,
    kind: Kind,
    what: &'static str,
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
    /// The same, with a digit and a capital: else it is a name with hyphens.
    Mixed,
    /// The three parts of a JSON web token. Other JSON in Base64, such as the cursor of a list, has no points.
    WebToken,
    /// The same, and `.`, `+`, `/`, `=`.
    Any,
}

const fn shape(begins: &'static str, least: usize, kind: Kind, what: &'static str) -> Shape {
    Shape { begins, least, kind, what }
}

/// As their issuers document them; the longer of two beginnings first.
const SHAPES: &[Shape] = &[
    shape("AKIA", 16, Kind::Capitals, "an AWS access key"),
    shape("ASIA", 16, Kind::Capitals, "a temporary AWS access key"),
    shape("AIza", 30, Kind::Url, "a Google API key"),
    shape("ya29.", 20, Kind::Url, "a Google access token"),
    shape("GOCSPX-", 20, Kind::Url, "a Google client secret"),
    shape("github_pat_", 20, Kind::Url, "a GitHub token"),
    shape("ghp_", 16, Kind::Alphanumeric, "a GitHub token"),
    shape("gho_", 16, Kind::Alphanumeric, "a GitHub token"),
    shape("ghu_", 16, Kind::Alphanumeric, "a GitHub token"),
    shape("ghs_", 16, Kind::Alphanumeric, "a GitHub token"),
    shape("ghr_", 16, Kind::Alphanumeric, "a GitHub token"),
    shape("glpat-", 16, Kind::Url, "a GitLab token"),
    shape("xoxb-", 10, Kind::Url, "a Slack token"),
    shape("xoxp-", 10, Kind::Url, "a Slack token"),
    shape("xoxa-", 10, Kind::Url, "a Slack token"),
    shape("xoxr-", 10, Kind::Url, "a Slack token"),
    shape("xapp-", 10, Kind::Url, "a Slack token"),
    shape("sk_live_", 10, Kind::Alphanumeric, "a Stripe key"),
    shape("sk_test_", 10, Kind::Alphanumeric, "a Stripe key"),
    shape("rk_live_", 10, Kind::Alphanumeric, "a Stripe key"),
    shape("whsec_", 16, Kind::Any, "the secret of a Stripe webhook"),
    shape("sk-ant-", 16, Kind::Url, "an Anthropic key"),
    shape("sk-", 16, Kind::Mixed, "an OpenAI key, or one of its form"),
    shape("hf_", 20, Kind::Alphanumeric, "a Hugging Face token"),
    shape("npm_", 30, Kind::Alphanumeric, "an npm token"),
    shape("pypi-", 30, Kind::Mixed, "a PyPI token"),
    shape("dop_v1_", 30, Kind::Hex, "a DigitalOcean token"),
    shape("SG.", 30, Kind::Any, "a SendGrid key"),
    shape("key-", 30, Kind::Hex, "a Mailgun key"),
    shape("shpat_", 20, Kind::Alphanumeric, "a Shopify token"),
    shape("shpss_", 20, Kind::Alphanumeric, "a Shopify secret"),
    shape("sq0atp-", 16, Kind::Url, "a Square token"),
    shape("hvs.", 20, Kind::Url, "a Vault token"),
    shape("dapi", 32, Kind::Hex, "a Databricks token"),
    shape("lin_api_", 20, Kind::Alphanumeric, "a Linear key"),
    shape("sbp_", 30, Kind::Alphanumeric, "a Supabase token"),
    shape("dp.pt.", 20, Kind::Alphanumeric, "a Doppler token"),
    shape("AGE-SECRET-KEY-", 40, Kind::Capitals, "a secret key of age"),
    shape("eyJ", 12, Kind::WebToken, "a JSON web token"),
];

/// What a shape can begin with.
const FIRST: [bool; 256] = {
    let mut first = [false; 256];
    let mut at = 0;
    while at < SHAPES.len() {
        first[SHAPES[at].begins.as_bytes()[0] as usize] = true;
        at += 1;
    }
    first
};

/// The keys in the text: where each begins, and what it is. It stands at the beginning of a word, or behind what is no letter
/// and no digit.
pub(super) fn keys(text: &str) -> impl Iterator<Item = (usize, &'static str)> {
    let bytes = text.as_bytes();
    let begins = |at: &usize| FIRST[usize::from(bytes[*at])] && begins_word(bytes, *at);
    (0..bytes.len()).filter(begins).filter_map(|at| {
        let shape = SHAPES.iter().find(|shape| shape.fits(&bytes[at..]))?;
        Some((at, shape.what))
    })
}

/// Whether a word can begin here. What JSON writes for a control character is none of its letters.
fn begins_word(bytes: &[u8], at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).map(|at| bytes[at]);
    !before(1).is_some_and(|byte| byte.is_ascii_alphanumeric())
        || before(2) == Some(b'\\')
        || (before(6) == Some(b'\\') && before(5) == Some(b'u'))
}

impl Shape {
    fn fits(&self, text: &[u8]) -> bool {
        let rest = text.strip_prefix(self.begins.as_bytes()).unwrap_or_default();
        let len = rest.iter().take_while(|byte| self.kind.has(**byte)).count();
        len >= self.least && self.kind.is_made_so(&rest[..len])
    }
}

impl Kind {
    fn has(self, byte: u8) -> bool {
        match self {
            Self::Capitals => byte.is_ascii_digit() || byte.is_ascii_uppercase(),
            Self::Hex => byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'),
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::Url | Self::Mixed => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'),
            Self::WebToken => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'),
            Self::Any => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'+' | b'/' | b'='),
        }
    }

    fn is_made_so(self, key: &[u8]) -> bool {
        match self {
            Self::Mixed => key.iter().any(u8::is_ascii_digit) && key.iter().any(u8::is_ascii_uppercase),
            Self::WebToken => key.iter().filter(|byte| **byte == b'.').count() >= 2,
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a text that no scanner takes for a key in this file.
    fn sample(shape: &Shape, len: usize) -> String {
        let of = match shape.kind {
            Kind::Hex => "a",
            Kind::Mixed => "X1",
            Kind::WebToken => "XXXX.",
            _ => "X",
        };
        format!("{}{}", shape.begins, of.chars().cycle().take(len).collect::<String>())
    }

    fn has_key(text: &str) -> bool {
        keys(text).next().is_some()
    }

    #[test]
    fn every_shape_is_found_where_it_is_long_enough_and_nowhere_else() {
        for shape in SHAPES {
            let (long, short) = (sample(shape, shape.least), sample(shape, 1));
            assert!(has_key(&long) && has_key(&format!("v1/{long}")) && has_key(&format!("x_{long}")), "{long}");
            assert!(has_key(&format!("\"line\\n{long}\"")) && has_key(&format!("\"\\u0007{long}\"")), "{long}");
            assert!(!has_key(&short), "{short}");
            assert!(!has_key(&format!("q{long}")) || shape.begins.contains(['-', '_', '.']), "{long}");
        }
    }

    #[test]
    fn words_of_every_day_are_no_keys() {
        for word in [
            "sk-1",
            "sk-bratislava-old-town",
            "eyJpZCI6MTIzNDU2Nzg5MH0=",
            "pypi-a-package-with-a-very-long-name",
            "key-value",
            "npm_install",
            "eyJournal",
            "hf_model",
            "task-list-of-the-day",
            "dapi",
            "ASIA",
        ] {
            assert!(!has_key(word), "{word}");
        }
    }
}
