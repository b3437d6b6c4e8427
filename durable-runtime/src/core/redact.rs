//! Takes out of a text what looks like a secret, before the text is written anywhere.

/// Names in front of values that nobody else may read. Compared without case, `-` and `_`.
const NAMES: &[&str] = &[
    "authorization",
    "apikey",
    "xapikey",
    "token",
    "accesstoken",
    "refreshtoken",
    "idtoken",
    "secret",
    "clientsecret",
    "password",
    "passwd",
    "cookie",
    "setcookie",
    "privatekey",
];

/// Beginnings of keys that say what they are.
const PREFIXES: &[&str] =
    &["sk_live_", "sk_test_", "rk_live_", "sk-", "ghp_", "gho_", "github_pat_", "xoxb-", "xoxp-", "AKIA", "eyJ"];

/// Shorter than this, a word is no key.
const SHORTEST: usize = 12;

const REDACTED: &str = "[redacted]";

/// The text, with `[redacted]` for the value behind a name such as `password`, and for words that begin like a key.
pub fn redact(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut name = String::new();
    while let Some(next) = rest.chars().next() {
        let length = rest.find(|c| is_word(c) != is_word(next)).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(length);
        rest = after;
        if !is_word(next) {
            out.push_str(piece);
            // The value of a name stands right behind it: `"token": "..`, `token=..`.
            if !piece.contains([':', '=']) || piece.contains(['\n', ',', ';', '&', '{', '}']) {
                name.clear();
            }
            continue;
        }
        let is_scheme = ["bearer", "basic"].iter().any(|scheme| piece.eq_ignore_ascii_case(scheme));
        if is_scheme && rest.starts_with(' ') {
            out.push_str(piece);
            out.push(' ');
            rest = &rest[1..];
            name = "authorization".to_owned();
            continue;
        }
        let is_value = NAMES.contains(&name.as_str());
        out.push_str(if is_value || is_key(piece) { REDACTED } else { piece });
        name = piece.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    }
    out
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '+' | '~' | '%')
}

fn is_key(word: &str) -> bool {
    word.len() >= SHORTEST && PREFIXES.iter().any(|prefix| word.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_behind_a_secret_name_is_not_written() {
        for (text, want) in [
            (r#"{"error":"declined","api_key":"a1b2","n":1}"#, r#"{"error":"declined","api_key":"[redacted]","n":1}"#),
            ("Authorization: Bearer abc.def-123", "Authorization: Bearer [redacted]"),
            ("password=hunter2&user=ada", "password=[redacted]&user=ada"),
            ("X-Api-Key: 77aa", "X-Api-Key: [redacted]"),
            ("bad card for sk_live_51HxYz0123456", "bad card for [redacted]"),
            ("jwt eyJhbGciOiJIUzI1NiJ9.e30.sig", "jwt [redacted]"),
        ] {
            assert_eq!(redact(text), want);
        }
    }

    #[test]
    fn other_text_stays_as_it_is() {
        for text in
            ["402: card declined, ask your bank", "the token was refused", "{\"tokens\": 12}", "", "ä: ö=ü\n", "sk-1"]
        {
            assert_eq!(redact(text), text);
        }
    }
}
