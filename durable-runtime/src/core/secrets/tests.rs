use proptest::prelude::*;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};

use super::*;

const PEM: &str = "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----";

#[test]
fn what_stands_behind_a_secret_name_is_not_written() {
    for (text, want) in [
        (r#"{"error":"declined","api_key":"a1b2","n":1}"#, r#"{"error":"declined","api_key":"[redacted]","n":1}"#),
        ("Authorization: Bearer abc.def-123", "Authorization: [redacted]"),
        ("with Bearer abc.def-123", "with Bearer [redacted]"),
        ("password=hunter2&user=ada", "password=[redacted]&user=ada"),
        ("X-Api-Key: 77aa", "X-Api-Key: [redacted]"),
        ("bad card for sk_live_51HxYz0123456", "bad card for [redacted]"),
        ("jwt eyJhbGciOiJIUzI1NiJ9.e30.sig", "jwt [redacted]"),
        ("at postgres://ada:hunter2@db:5432/shop", "at postgres://ada:[redacted]@db:5432/shop"),
        ("at amqp://ada:p@ss:w0rd@mq", "at amqp://ada:[redacted]@mq"),
        ("at pg://ada:p/ss@db/x", "at pg://ada:[redacted]@db/x"),
        (r#"{"password":"p@ssw0rd!"}"#, r#"{"password":"[redacted]"}"#),
        ("Set-Cookie: session=SECRETVALUE; Path=/\nnext", "Set-Cookie: [redacted]\nnext"),
        ("Authorization: Token abc123", "Authorization: [redacted]"),
        ("password=hunter2!x$y, then", "password=[redacted], then"),
        ("password: Some(\"hunter2x\")", "password: [redacted]"),
        ("DB_PASSWORD=swordfish", "DB_PASSWORD=[redacted]"),
        ("aws_secret_access_key = wJalr7", "aws_secret_access_key = [redacted]"),
        ("x-auth-token: 77aa", "x-auth-token: [redacted]"),
        ("AccountKey=abc123==;x", "AccountKey=[redacted];x"),
        (&format!("k: {PEM} end"), "k: [redacted] end"),
        ("-----BEGIN PRIVATE KEY-----\nabc", "[redacted]"),
    ] {
        assert_eq!(redact(text), want);
        assert_eq!(redact(want), want, "once more");
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
        "-----BEGIN PGP PUBLIC KEY BLOCK-----",
        "unexpected token: identifier",
        "the Basic plan costs 5",
        "docker://img:tag@sha256:abc",
        "https://host:8080,ada@x.de",
        "http://[::1]:8080/ada@x",
        "http://host:80/path@x",
        "postgres://ada:***@db",
        "postgres://ada:${DB_PASS}@db",
        "postgres://ada:[redacted]@db",
    ] {
        assert!(matches!(redact(text), Cow::Borrowed(same) if same == text), "{text}");
    }
}

#[test]
fn a_name_alone_makes_no_secret_of_a_result() {
    let secrets = Secrets::new();
    assert_eq!(
        secrets.find(r#"{"token":"038dc145-889f-53dd-a759-f92413a825a3","next_token":"eyJpZCI6MTIzfQ=="}"#),
        None
    );
    assert_eq!(secrets.find(r#"{"auth":"ghp_0123456789abcdefABCD"}"#), Some("a GitHub token"));
    assert_eq!(secrets.find(r#"{"dsn":"postgres://ada:hunter2@db/shop"}"#), Some("a password in an address"));
    assert_eq!(secrets.find(&serde_json::to_string(PEM).unwrap()), Some("a private key"));
}

#[test]
fn what_a_program_names_is_found_word_for_word_and_by_its_rule() {
    let secrets = Secrets::new()
        .value("the password of the vault", "say \"friend\"")
        .value("too short", "abc")
        .rule("a token of ours", |word| word.starts_with("acme_"));
    assert_eq!(secrets.find("I say \"friend\" and enter"), Some("the password of the vault"));
    assert_eq!(secrets.find(r#"["I say \"friend\""]"#), Some("the password of the vault"));
    assert_eq!(secrets.find("abc"), None);
    assert_eq!(secrets.redact("with (acme_77)"), "with ([redacted])");
    assert_eq!(format!("{secrets:?}"), r#"{"the password of the vault", "a token of ours"}"#);
}

#[test]
fn a_value_is_found_in_every_form_in_which_a_text_has_it() {
    let json = |text: &str| serde_json::to_string(text).unwrap();
    let in_ascii = |text: &str| text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect::<String>();
    let in_address = |text: &str, plain: &str| {
        let byte = |byte: u8| match char::from(byte) {
            c if c.is_ascii_alphanumeric() || plain.contains(c) => c.to_string(),
            _ => format!("%{byte:02X}"),
        };
        text.bytes().map(byte).collect::<String>()
    };
    for value in ["Zw3kq9Lm", "say \"friend\\ä\", 7/8+9&<", "correct horse battery", "a\nb c%d~e\u{7}\u{1f600}"] {
        let secrets = Secrets::new().without_environment().value("a value", format!("{value}\n"));
        let mut forms = vec![value.to_owned(), json(value), json(&json(value)), json(&json(&json(value)))];
        forms.extend([in_ascii(value), json(value).replace('/', "\\/").replace('&', "\\u0026"), format!("{value:?}")]);
        // What an address leaves as it is, what its path or its user does, and a form.
        let addresses = ["-._~", "-._~/", "-._~!$&'()*+,;=:@/"].map(|plain| in_address(value, plain));
        forms.extend(addresses.iter().map(|address| in_address(address, "-._~")));
        forms.extend(addresses);
        forms.push(in_address(value, "-._* ").replace(' ', "+"));
        forms.extend([serde_json::to_string(value.as_bytes()).unwrap(), format!("{:?}", value.as_bytes())]);
        forms.extend([serde_json::to_string_pretty(value.as_bytes()).unwrap(), format!("{:#?}", value.as_bytes())]);
        for between in ["", "\n"] {
            forms.push(value.bytes().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(between));
        }
        for before in ["", "u", "u:", "ada", "ada:"] {
            let text = format!("{before}{value}!");
            let base64 = STANDARD_NO_PAD.encode(&text);
            let (line, next) = base64.split_at(base64.len() / 2);
            forms.extend([format!("{line}\r\n{next}"), in_address(&base64, ""), base64, URL_SAFE_NO_PAD.encode(&text)]);
        }
        for form in forms {
            let text = format!("got {form}, so");
            assert_eq!(secrets.find(&text), Some("a value"), "{value:?} in {text}");
            assert_eq!(secrets.find(&secrets.redact(&text)), None, "{value:?} in {text}");
        }
    }
}

#[test]
fn a_secret_in_escapes_is_one() {
    let secrets = Secrets::new().rule("a token of ours", |word| word.starts_with("acme/"));
    for (text, want) in [
        ("to=https%3A%2F%2Fada%3Ahunter2%40shop", "to=https%3A%2F%2Fada%3A[redacted]%40shop"),
        (r#"{"dsn":"https:\/\/ada:hunter2@shop\/x"}"#, r#"{"dsn":"https:\/\/ada:[redacted]@shop\/x"}"#),
        ("note/https:%2F%2Fada:hunter2@shop", "note/https:%2F%2Fada:[redacted]@shop"),
        ("-----BEGIN%20PRIVATE%20KEY-----%0AMII", "[redacted]"),
        ("-----BEGIN+RSA+PRIVATE+KEY-----%0D%0AMII", "[redacted]"),
        ("x%2520ghp_0123456789abcdefABCD", "x%2520[redacted]"),
        ("by acme%2F77", "by [redacted]"),
        (r"C:\new\users\ada 100% %zz", r"C:\new\users\ada 100% %zz"),
    ] {
        assert_eq!(secrets.redact(text), want);
        assert_eq!(secrets.find(text).is_some(), text != want, "{text}");
    }
}

#[test]
fn a_secret_in_a_key_is_found_by_its_rule() {
    let secrets = Secrets::new().rule("a token of ours", |word| word.starts_with("acme_"));
    assert_eq!(secrets.redact("support//refund/acme_77/now"), "support//refund/[redacted]/now");
    assert_eq!(secrets.find("support//refund/77"), None);
}

#[test]
fn a_secret_in_bytes_is_one() {
    let secrets = Secrets::new().without_environment();
    let token = b"by ghp_0123456789abcdefABCD";
    let value = format!(r#"{{"body":{{"$u8":"{}"}},"n":[1,2]}}"#, STANDARD.encode(token));
    assert_eq!(secrets.redact_json(&value), r#"{"body":{"$u8":"[redacted]"},"n":[1,2]}"#);
    for list in [format!("{token:?}"), format!("{token:#?}"), serde_json::to_string(token).unwrap()] {
        assert_eq!(secrets.redact(&format!("got {list}, so")), "got [[redacted]], so");
    }
    for other in [r#"{"$u8":"aGk="}"#, "[104, 105]", "[1, 999]", "[", r#""$u8":"#, "[]"] {
        assert_eq!(secrets.find(other), None, "{other}");
    }
}

#[test]
fn the_end_of_a_line_behind_a_secret_stays() {
    let secrets = Secrets::new().value("a value", "Zw3kq9Lm");
    assert_eq!(secrets.redact("is Zw3kq9Lm\n  next"), "is [redacted]\n  next");
}

#[test]
fn the_values_of_telling_variables_are_secrets_and_no_others() {
    let variables = [
        ("BANK_TOKEN", "Zw3kq9Lm"),
        ("DB_PASSWORD", "correct horse battery staple"),
        ("APP_SECRET_FILE", "/run/secrets/app1"),
        ("TOKEN_KIND", "bearer"),
        ("TOKENIZER_MODEL", "cl100k_base"),
        ("SECRET_NAME", "prod/db/main-2"),
        ("TOKEN_ISSUER", "accounts.Google.2"),
        ("STRIPE_KEY", "aB3dE5gH"),
        ("SORT_KEY", "created_At_2"),
        ("CREDENTIAL_STORE", "keychain"),
        ("HOME", "Aa123456789"),
        ("MYSQL_PWD", "hunter2Xy"),
        ("PWD", "Home2Xyz"),
        ("TLS_KEY", "/etc/Tls2/private/Server3.pem"),
    ];
    let of = |secrets: Secrets| {
        secrets.with_variables(variables.map(|(name, value)| (name.into(), value.into())).into_iter())
    };
    let secrets = of(Secrets::new());
    assert_eq!(secrets.find("x=Zw3kq9Lm!"), Some("the value of `$BANK_TOKEN`"));
    assert_eq!(secrets.find("aB3dE5gH"), Some("the value of `$STRIPE_KEY`"));
    let of_aws = [("AWS_SECRET_ACCESS_KEY".into(), "/xY3dE5gHaB3dE5gH/jK".into())].into_iter();
    assert!(Secrets::new().with_variables(of_aws).find("key /xY3dE5gHaB3dE5gH/jK").is_some());
    assert_eq!(secrets.find("hunter2Xy"), Some("the value of `$MYSQL_PWD`"));
    assert_eq!(secrets.find("correct horse battery staple"), Some("the value of `$DB_PASSWORD`"));
    for text in [
        "/run/secrets/app1",
        "/etc/Tls2/private/Server3.pem",
        "Home2Xyz",
        "bearer",
        "keychain",
        "Aa123456789",
        "cl100k_base",
        "prod/db/main-2",
        "accounts.Google.2",
        "created_At_2",
    ] {
        assert_eq!(secrets.find(text), None);
    }
    assert_eq!(of(Secrets::new().without_environment()).find("x=Zw3kq9Lm!"), None);
}

#[test]
fn a_redacted_value_is_still_json() {
    let secrets = Secrets::new().value("a number", "12345678");
    for (json, want) in [
        (r#"{"a":"line\nghp_0123456789abcdefABCD","n":1e400}"#, r#"{"a":"line\n[redacted]","n":1e400}"#),
        (r#"{"pin":12345678}"#, r#""[redacted]""#),
        (r#"{"pin":"12345678"}"#, r#"{"pin":"[redacted]"}"#),
        (r#"[1,2]"#, r#"[1,2]"#),
    ] {
        assert_eq!(secrets.redact_json(json), want);
    }
}

proptest! {
    /// What was redacted once holds nothing more, and stays as it is.
    #[test]
    fn a_redacted_text_is_left_alone(parts in prop::collection::vec(prop::sample::select(PARTS), 0..12)) {
        let text = parts.concat();
        let secrets = Secrets::new().value("a value", "Zw3kq9Lm");
        let once = secrets.redact(&text).into_owned();
        prop_assert_eq!(secrets.find(&once), None, "{}", once);
        prop_assert_eq!(&*secrets.redact(&once), &*once);
        let json = secrets.redact_json(&serde_json::to_string(&text).unwrap());
        prop_assert!(serde_json::from_str::<String>(&json).is_ok(), "{}", json);
        prop_assert_eq!(secrets.find(&json), None, "{}", json);
    }
}

const PARTS: &[&str] = &[
    "password",
    "=",
    ": ",
    "\"",
    "'",
    "token",
    "Bearer ",
    "sk_live_51HxYz0123456",
    "ghp_0123456789abcdefABCD",
    "pg://ada:",
    "hunter2",
    "@db",
    "/",
    "\n",
    "\\",
    " ",
    "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----",
    "Zw3kq9Lm",
    "ä",
    "[redacted]",
    "x1",
    ",",
    "}",
    "%3D",
    "Set-Cookie",
];
