//! A template split into literal pieces and holes. No `syn` here: what stands in a hole is read in `hole.rs`.

/// What the runtime escapes in a value, so that only the template can say it.
const ESCAPED: [char; 2] = ['/', ':'];

/// `pay/{invoice.id:03}`: one more piece than holes, braces already unescaped.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Template {
    pub(crate) pieces: Vec<String>,
    pub(crate) holes: Vec<Hole>,
}

/// `{invoice.id:03}`: the expression as written, and the format after the colon.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Hole {
    pub(crate) expr: String,
    pub(crate) spec: Option<String>,
}

impl Template {
    /// Splits `text`; the error says what is wrong and what to write instead.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let nothing = || Err("`{}` names nothing: write in it what it stands for, `{id}`".to_owned());
        Self::parse_with(text, &mut { nothing })
    }

    /// The same, where each `{}` stands for the next hole of `empty`.
    pub(crate) fn parse_with(text: &str, empty: &mut impl FnMut() -> Result<Hole, String>) -> Result<Self, String> {
        let mut template = Self { pieces: vec![String::new()], holes: Vec::new() };
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            template.push_text(&rest[..at]);
            let (brace, after) = rest[at..].split_at(1);
            rest = if let Some(after) = after.strip_prefix(brace) {
                template.push_text(brace);
                after
            } else if brace == "}" {
                return Err(format!("`}}` closes nothing in \"{text}\": to write a brace, double it, `}}}}`"));
            } else {
                let (hole, after) = split_hole(after, text, empty)?;
                template.holes.push(hole);
                template.pieces.push(String::new());
                after
            };
        }
        template.push_text(rest);
        Ok(template)
    }

    /// The template with its holes emptied, `pay/{}`; braces of its text stay doubled, so that two shapes are equal
    /// only where their texts are.
    pub(crate) fn shape(&self) -> String {
        let escaped: Vec<String> = self.pieces.iter().map(|p| p.replace('{', "{{").replace('}', "}}")).collect();
        escaped.join("{}")
    }

    /// The template as it would be written, each hole with its format: `pay/{id:03}`.
    pub(crate) fn written(&self) -> String {
        let (first, rest) = self.pieces.split_first().map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
        let doubled = |piece: &str| piece.replace('{', "{{").replace('}', "}}");
        self.holes.iter().zip(rest).fold(doubled(first), |written, (hole, piece)| {
            let spec = hole.spec.as_ref().map(|spec| format!(":{spec}")).unwrap_or_default();
            format!("{written}{{{}{spec}}}{}", hole.expr, doubled(piece))
        })
    }

    /// The bytes of the shortest text that this can become, as JSON.
    pub(crate) fn least_json(&self) -> usize {
        let byte = |c: char| if matches!(c, '"' | '\\') { 2 } else { c.len_utf8() };
        let pieces = self.pieces.iter().flat_map(|piece| piece.chars()).map(byte);
        "\"\"".len() + self.holes.len() + pieces.sum::<usize>()
    }

    /// Two holes between which nothing stands that a value could not hold itself: "a-b" and "c" would give the same text
    /// as "a" and "b-c".
    pub(crate) fn run_together(&self) -> Option<(&str, &str)> {
        let between = self.pieces.iter().skip(1);
        let pairs = self.holes.windows(2).zip(between);
        let mut unsure = pairs.filter(|(_, text)| !text.contains(ESCAPED));
        unsure.next().map(|(pair, _)| (pair[0].expr.as_str(), pair[1].expr.as_str()))
    }

    fn push_text(&mut self, text: &str) {
        if let Some(last) = self.pieces.last_mut() {
            last.push_str(text);
        }
    }
}

/// Reads the hole that begins behind an opening brace; gives it and the text behind its closing brace.
fn split_hole<'a>(
    after: &'a str,
    text: &str,
    empty: &mut impl FnMut() -> Result<Hole, String>,
) -> Result<(Hole, &'a str), String> {
    let unclosed =
        || format!("`{{` opens a hole that is never closed in \"{text}\": to write a brace, double it, `{{{{`");
    let end = after.find(['{', '}']).ok_or_else(unclosed)?;
    if after.as_bytes()[end] == b'{' {
        return Err(unclosed());
    }
    let (expr, spec) = split_spec(&after[..end]);
    let hole = match expr.trim() {
        "" => empty()?,
        expr => Hole { expr: expr.to_owned(), spec: spec.map(str::to_owned) },
    };
    hole.check()?;
    Ok((hole, &after[end + 1..]))
}

/// Splits at the last colon that is not part of a `::`.
fn split_spec(hole: &str) -> (&str, Option<&str>) {
    let path = hole.rfind("::").map_or(0, |at| at + 2);
    match hole[path..].rfind(':') {
        Some(at) => (&hole[..path + at], Some(&hole[path + at + 1..])),
        None => (hole, None),
    }
}

impl Hole {
    fn check(&self) -> Result<(), String> {
        let Self { expr, spec } = self;
        if expr.bytes().all(|b| b.is_ascii_digit()) {
            return Err(format!(
                "`{{{expr}}}` is a position, and there are no arguments to count: write the name of the value, `{{id}}`"
            ));
        }
        let Some(spec) = spec else { return Ok(()) };
        if spec.ends_with('?') {
            return Err(format!(
                "`{{{expr}:{spec}}}` is debug output, which may change with any release: write `{{{expr}}}` if that is a number, a text or an id, and a part of it that is one, as in `{{invoice.id}}`, if not"
            ));
        }
        if spec.contains('$') {
            return Err(format!(
                "the width in `{{{expr}:{spec}}}` is taken from an argument: write it as a number, `{{{expr}:03}}`"
            ));
        }
        Ok(())
    }

    /// Refuses a format that could give two numbers one text; that no other value has a format, its type says.
    pub(crate) fn check_in_key(&self) -> Result<(), String> {
        let Self { expr, spec: Some(spec) } = self else { return Ok(()) };
        let shown = format!("`{{{expr}:{spec}}}`");
        let (fill, align) = (spec.chars().next(), spec.chars().nth(1));
        let fill = fill.filter(|_| is_align(align));
        if spec.chars().skip(fill.iter().len()).any(|c| c == '.') {
            return Err(format!(
                "the precision in {shown} cuts the value, so two different values could share one key: write `{{{expr}}}`"
            ));
        }
        if spec.ends_with('p') {
            return Err(format!(
                "{shown} is an address in memory, which is another in each process: write `{{{expr}}}`"
            ));
        }
        let hides = |fill: char| match fill {
            '0' => align != Some('>'),
            fill => fill.is_ascii_alphanumeric() || matches!(fill, '-' | '+'),
        };
        match fill.filter(|fill| hides(*fill)) {
            Some(fill) => Err(format!(
                "`{fill}` fills {shown} and can also be part of a number, so two different numbers could share one key: write `{{{expr}:03}}`"
            )),
            None => Ok(()),
        }
    }
}

fn is_align(c: Option<char>) -> bool {
    matches!(c, Some('<' | '^' | '>'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g22_two_values_of_one_key_are_kept_apart() {
        let holes = |text| Template::parse(text).unwrap().run_together().map(|(a, b)| format!("{a} {b}"));
        for apart in ["pay/{a}", "pay/{a}/{b}", "{a}:{b}", "{a} to/from {b}"] {
            assert_eq!(holes(apart), None, "{apart}");
        }
        for together in ["pay/{a}{b}", "pay/{a}-{b}", "{a}/{b}-{c}"] {
            assert!(holes(together).is_some(), "{together}");
        }
        assert_eq!(holes("{a}/{b}-{c}").as_deref(), Some("b c"));
    }

    fn pieces(text: &str) -> String {
        let template = Template::parse(text).unwrap();
        let mut out = format!("{:?}", template.pieces[0]);
        for (hole, piece) in template.holes.iter().zip(&template.pieces[1..]) {
            out += &format!(" <{}|{}> {piece:?}", hole.expr, hole.spec.as_deref().unwrap_or("-"));
        }
        out
    }

    #[test]
    fn the_grammar_of_templates() {
        for (text, want) in [
            ("", r#""""#),
            ("pay", r#""pay""#),
            ("pay/{id}", r#""pay/" <id|-> """#),
            ("{a}{b}", r#""" <a|-> "" <b|-> """#),
            ("pay_{i:03}_mail", r#""pay_" <i|03> "_mail""#),
            ("pay/{invoice.id.0}", r#""pay/" <invoice.id.0|-> """#),
            ("pay/{ id }", r#""pay/" <id|-> """#),
            ("{{literal}}/{id}", r#""{literal}/" <id|-> """#),
            ("pay {invoices.len()}", r#""pay " <invoices.len()|-> """#),
            ("{Id::of(x):>4}", r#""" <Id::of(x)|>4> """#),
            ("{Id::ZERO}", r#""" <Id::ZERO|-> """#),
        ] {
            assert_eq!(pieces(text), want, "{text}");
        }
    }

    #[test]
    fn a_bad_template_says_what_to_write() {
        for (text, want) in [
            ("{}", "names nothing"),
            ("{0}", "is a position"),
            ("{x:?}", "debug output"),
            ("{x:#?}", "debug output"),
            ("{x:w$}", "taken from an argument"),
            ("pay/{id", "never closed"),
            ("pay/{id{x}}", "never closed"),
            ("pay/id}", "closes nothing"),
        ] {
            let error = Template::parse(text).unwrap_err();
            assert!(error.contains(want), "{text}: {error}");
        }
    }

    #[test]
    fn a_format_of_a_key_keeps_numbers_apart() {
        let check = |text| Template::parse(text).unwrap().holes[0].check_in_key();
        for fine in
            ["{n}", "{n:03}", "{n:>8}", "{n:<8}", "{n:_^8}", "{n:x}", "{n:#010b}", "{n:+}", "{n:0>3}", "{n:.>3}"]
        {
            assert_eq!(check(fine), Ok(()), "{fine}");
        }
        for (text, want) in [
            ("{s:.3}", "cuts the value"),
            ("{s:>8.3}", "cuts the value"),
            ("{s:.>8.3}", "cuts the value"),
            ("{s:.0e}", "cuts the value"),
            ("{n:p}", "address in memory"),
            ("{n:1>3}", "`1` fills"),
            ("{n:0<3}", "`0` fills"),
            ("{n:->3}", "`-` fills"),
            ("{n:a^4x}", "`a` fills"),
        ] {
            let error = check(text).unwrap_err();
            assert!(error.contains(want), "{text}: {error}");
        }
    }

    #[test]
    fn shapes_differ_where_texts_differ() {
        let shape = |text| Template::parse(text).unwrap().shape();
        assert_eq!(shape("pay/{id:03}"), "pay/{}");
        assert_eq!(shape("pay/{{}}"), "pay/{{}}");
    }
}
