//! Takes out of a text what looks like a secret, before the text is written anywhere.

mod shapes;

use shapes::has_key;

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

const REDACTED: &str = "[redacted]";

/// The text, with `[redacted]` for the value behind a name such as `password`, and for words that begin like a key.
pub fn redact(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (before, private, behind) = private_key(text);
    words(before, &mut out);
    if private {
        out.push_str(REDACTED);
        words(behind, &mut out);
    }
    out
}

/// What stands before a private key in PEM, whether there is one, and what stands behind it.
fn private_key(text: &str) -> (&str, bool, &str) {
    let Some(begin) = text.find("-----BEGIN ") else { return (text, false, "") };
    let (before, key) = text.split_at(begin);
    if !key.lines().next().is_some_and(|head| head.contains("PRIVATE KEY")) {
        return (text, false, "");
    }
    let end = key.find("-----END ").and_then(|end| Some(end + 9 + key[end + 9..].find("-----")? + 5));
    (before, true, end.map_or("", |end| &key[end..]))
}

/// The words of a text, each as it stands or redacted.
fn words(text: &str, out: &mut String) {
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
        let is_password = rest.starts_with('@') && !piece.contains('/') && follows_user(out);
        out.push_str(if is_value || is_password || has_key(piece) { REDACTED } else { piece });
        name = piece.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    }
}

/// Whether the text ends with the user of an address, `https://ada:`.
fn follows_user(text: &str) -> bool {
    let user = text.strip_suffix(':').and_then(|text| Some(text.rsplit_once("://")?.1));
    user.is_some_and(|user| user.chars().all(is_word))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '+' | '~' | '%')
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
            ("at postgres://ada:hunter2@db:5432/shop", "at postgres://ada:[redacted]@db:5432/shop"),
            ("k: -----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY----- end", "k: [redacted] end"),
            ("-----BEGIN PRIVATE KEY-----\nabc", "[redacted]"),
        ] {
            assert_eq!(redact(text), want);
        }
    }

    #[test]
    fn other_text_stays_as_it_is() {
        for text in [
            "402: card declined, ask your bank",
            "the token was refused",
            "{\"tokens\": 12}",
            "",
            "ä: ö=ü\n",
            "sk-1",
            "http://shop:80/a@b",
            "-----BEGIN CERTIFICATE-----",
        ] {
            assert_eq!(redact(text), text);
        }
    }
}
