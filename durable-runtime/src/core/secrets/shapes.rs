//! The shapes of keys that say by their beginning what they are.

use super::spans::{Span, end_of_word};

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
    /// Letters, and perhaps digits.
    Letters,
    /// Letters, with a digit among them or made at random: else it is a name.
    Alphanumeric,
    /// The same, with `-` and `_`.
    Url,
    /// The same, with a capital too.
    Mixed,
    /// The three parts of a JSON web token. Other JSON in Base64, such as the cursor of a list, has no points.
    WebToken,
    /// As `Url`, and `.`, `+`, `/`, `=`.
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
    shape("github_pat_", 50, Kind::Url, "a GitHub token"),
    shape("ghp_", 16, Kind::Alphanumeric, "a GitHub token"),
    shape("gho_", 16, Kind::Alphanumeric, "a GitHub token"),
    shape("ghu_", 16, Kind::Alphanumeric, "a GitHub token"),
    shape("ghs_", 16, Kind::Alphanumeric, "a GitHub token"),
    shape("ghr_", 16, Kind::Alphanumeric, "a GitHub token"),
    shape("glpat-", 16, Kind::Url, "a GitLab token"),
    shape("xoxb-", 16, Kind::Url, "a Slack token"),
    shape("xoxp-", 16, Kind::Url, "a Slack token"),
    shape("xoxa-", 16, Kind::Url, "a Slack token"),
    shape("xoxr-", 16, Kind::Url, "a Slack token"),
    shape("xapp-", 20, Kind::Mixed, "a Slack token"),
    shape("sk_live_", 12, Kind::Alphanumeric, "a Stripe key"),
    shape("sk_test_", 12, Kind::Alphanumeric, "a Stripe key"),
    shape("rk_live_", 12, Kind::Alphanumeric, "a Stripe key"),
    shape("whsec_", 16, Kind::Any, "the secret of a Stripe webhook"),
    shape("sk-ant-", 16, Kind::Url, "an Anthropic key"),
    shape("sk-", 32, Kind::Mixed, "an OpenAI key, or one of its form"),
    shape("hf_", 34, Kind::Letters, "a Hugging Face token"),
    shape("npm_", 30, Kind::Alphanumeric, "an npm token"),
    shape("pypi-", 30, Kind::Mixed, "a PyPI token"),
    shape("dop_v1_", 30, Kind::Hex, "a DigitalOcean token"),
    shape("SG.", 60, Kind::Any, "a SendGrid key"),
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
    shape("eyA", 12, Kind::WebToken, "a JSON web token"),
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

/// The keys in the text, and what each is: from where it begins, behind what is no letter and no digit, to the end of its word.
///
/// Each letter is looked at a few times, whatever the text is: whoever gives it may want to hold us up.
pub(super) fn keys(text: &str) -> impl Iterator<Item = Span<'static>> {
    let (bytes, mut at) = (text.as_bytes(), 0);
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let start = at;
            at += 1;
            if !FIRST[usize::from(bytes[start])] || !begins_word(bytes, start) {
                continue;
            }
            let before = start.checked_sub(1).map(|before| bytes[before]);
            if let Some(shape) = SHAPES.iter().find(|shape| shape.fits(before, &bytes[start..])) {
                at = end_of_word(text, start);
                return Some(Span { at: start..at, what: shape.what });
            }
        }
        None
    })
}

/// Whether a word can begin here. What JSON writes for a control character, an address for a sign, and a terminal for a colour is
/// none of its letters.
fn begins_word(bytes: &[u8], at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).map(|at| bytes[at]);
    !before(1).is_some_and(|byte| byte.is_ascii_alphanumeric())
        || before(2) == Some(b'\\')
        || (before(6) == Some(b'\\') && before(5) == Some(b'u'))
        || before(3) == Some(b'%')
        || (before(1) == Some(b'm') && ends_colour(&bytes[..at - 1]))
}

/// Whether the numbers of a colour stand at the end, `[1;31`.
fn ends_colour(bytes: &[u8]) -> bool {
    let numbers = bytes.iter().rev().take(8).take_while(|byte| byte.is_ascii_digit() || **byte == b';').count();
    numbers > 0 && bytes.len() > numbers && bytes[bytes.len() - numbers - 1] == b'['
}

impl Shape {
    /// How much of a key is looked at.
    const LOOKED_AT: usize = 256;

    fn fits(&self, before: Option<u8>, text: &[u8]) -> bool {
        let Some(rest) = text.strip_prefix(self.begins.as_bytes()) else { return false };
        let rest = &rest[..rest.len().min(Self::LOOKED_AT)];
        let len = rest.iter().take_while(|byte| self.kind.has(**byte)).count();
        // `key-` ends the names of many other things.
        let is_own = self.begins != "key-" || !matches!(before, Some(b'-' | b'_' | b'.'));
        is_own && len >= self.least && self.kind.is_made_so(&rest[..len])
    }
}

impl Kind {
    fn has(self, byte: u8) -> bool {
        match self {
            Self::Capitals => byte.is_ascii_digit() || byte.is_ascii_uppercase(),
            Self::Hex => byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'),
            Self::Letters | Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::Url | Self::Mixed => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'),
            Self::WebToken => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'),
            Self::Any => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'+' | b'/' | b'='),
        }
    }

    fn is_made_so(self, key: &[u8]) -> bool {
        let has_digit = key.iter().any(u8::is_ascii_digit);
        match self {
            Self::Capitals | Self::Hex | Self::Letters => true,
            Self::Alphanumeric | Self::Url | Self::Any => has_digit || is_random(key),
            Self::Mixed => has_digit && key.iter().any(u8::is_ascii_uppercase),
            Self::WebToken => {
                let mut parts = key.split(|byte| *byte == b'.');
                let (head, body) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
                head.len() >= 12 && (body.starts_with(b"ey") || body.starts_with(b"e30")) && parts.next().is_some()
            }
        }
    }
}

/// Whether small letters and capitals take turns as in no name, and capitals stand together: one key of sixty has no digit.
fn is_random(key: &[u8]) -> bool {
    let pairs = || key.windows(2).filter(|pair| pair.iter().all(u8::is_ascii_alphabetic));
    let capitals = |pair: &&[u8]| pair.iter().filter(|letter| letter.is_ascii_uppercase()).count();
    3 * pairs().filter(|pair| capitals(pair) == 1).count() >= key.len()
        && pairs().filter(|pair| capitals(pair) == 2).count() > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a text that no scanner takes for a key in this file.
    fn sample(shape: &Shape, len: usize) -> String {
        let of = match shape.kind {
            Kind::Hex => "a",
            Kind::WebToken => "X1X1X1X1X1X1.eyX1.X1",
            _ => "X1",
        };
        format!("{}{}", shape.begins, of.chars().cycle().take(len.max(of.len())).collect::<String>())
    }

    fn has_key(text: &str) -> bool {
        keys(text).next().is_some()
    }

    #[test]
    fn every_shape_is_found_where_it_is_long_enough_and_nowhere_else() {
        for shape in SHAPES {
            let long = sample(shape, shape.least);
            for around in ["{}", "v1/{}", "x:{}", "\"line\\n{}\"", "\"\\u0007{}\"", "a%3D{}", "\u{1b}[1;31m{}\u{1b}[0m"]
            {
                let text = around.replace("{}", &long);
                let found: Vec<_> = keys(&text).map(|span| text[span.at].to_owned()).collect();
                assert!(found.len() == 1 && found[0].starts_with(&long), "{text}: {found:?}");
            }
            assert!(!has_key(&format!("{}1", shape.begins)), "{}", shape.begins);
            assert!(!has_key(&format!("q{long}")) || shape.begins.contains(['-', '_', '.']), "{long}");
        }
    }

    #[test]
    fn a_key_needs_no_digit_if_it_is_made_at_random() {
        for key in [
            "sk_live_vlUXMtcDGdmKUvdRTcmcqegW",
            "glpat-TmzTDr-HoKcUNFbSAfY_",
            "ghp_WwXHXQdWHJUTEYYfJqUkvhOrnOadgdjMwPQL",
        ] {
            assert!(has_key(key), "{key}");
        }
    }

    #[test]
    fn what_is_named_like_a_key_is_none() {
        for word in [
            "sk-1",
            "sk-bratislava-old-town",
            "task/sk-Bratislava-2026-Region",
            "eyJpZCI6MTIzNDU2Nzg5MH0=",
            "eyJournal.of.things.and.more",
            "pypi-a-package-with-a-very-long-name",
            "cache-key-d41d8cd98f00b204e9800998ecf8427e00",
            "xapp-config-loader-main-of-all",
            "glpat-token-rotation-guide",
            "github_pat_documentation_page_link",
            "SG.com.example.topic.orders.created.v1",
            "hf_AutoModelForCausalLMRegistry",
            "rk_live_migrations",
            "sk_live_MigrationOfAllCustomers",
            "ghp_ReleaseNotesOfTheGitHubPages",
            "key-value",
            "npm_install",
            "eyJournal",
            "task-list-of-the-day",
            "dapi",
            "ASIA",
            "038dc145-889f-53dd-a759-f92413a825a3",
            "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        ] {
            assert!(!has_key(word), "{word}");
        }
    }

    #[test]
    fn a_text_that_is_made_to_be_slow_is_read_once() {
        for part in ["sk-", "SG.", "eyJ.", "ghp_", "sk_live_1"] {
            let text = part.repeat(1 << 15);
            assert!(keys(&text).count() < text.len());
        }
    }
}
