use super::*;

const PEM: &str = "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----";

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
        ("at amqp://ada:p@ss:w0rd@mq", "at amqp://ada:[redacted]@mq"),
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
fn the_values_of_telling_variables_are_secrets_and_no_others() {
    let variables = [
        ("BANK_TOKEN", "Zw3kq9Lm"),
        ("DB_PASSWORD", "correct horse battery staple"),
        ("APP_SECRET_FILE", "/run/secrets/app1"),
        ("TOKEN_KIND", "bearer"),
        ("CREDENTIAL_STORE", "keychain"),
        ("HOME", "Aa123456789"),
    ];
    let of = |secrets: Secrets| {
        secrets.with_variables(variables.map(|(name, value)| (name.into(), value.into())).into_iter())
    };
    let secrets = of(Secrets::new());
    assert_eq!(secrets.find("x=Zw3kq9Lm!"), Some("the value of `$BANK_TOKEN`"));
    assert_eq!(secrets.find("correct horse battery staple"), Some("the value of `$DB_PASSWORD`"));
    for text in ["/run/secrets/app1", "bearer", "keychain", "Aa123456789"] {
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
