use crate::derive::{in_messages, out_messages};
use crate::testkit::{assert_expands, assert_refused, derive};

fn out(item: &str) -> syn::Result<proc_macro2::TokenStream> {
    derive(out_messages::expand, item)
}

fn incoming(item: &str) -> syn::Result<proc_macro2::TokenStream> {
    derive(in_messages::expand, item)
}

// MAC-59
#[test]
fn a_set_of_outgoing_messages_holds_each_of_them() {
    let parts = [
        "ContainsMessage<b::B, ::ruststream::runtime::SlotPos<1usize>> for Set",
        "b::B: ::ruststream::runtime::OutMessages<__RsMarker>,",
    ];
    assert_expands(out("enum Set { A(A), B(b::B) }"), &parts);
    assert_expands(out("enum Set {}"), &["OutMessages<__RsMarker> for Set"]);
}

// MAC-60, MAC-65
#[test]
fn a_set_is_an_enum_of_wrapped_models() {
    for expand in [out, incoming] {
        let refused =
            |item: &str, place: &str, says: &[&str]| assert_refused(expand(item), place, says);
        refused("struct Set;", "Set", &["enum"]);
        refused("enum Set<T> { A(T) }", "<T>", &["generics"]);
        refused("enum Set { A }", "A", &["`A(A)`"]);
        refused("enum Set { A { a: u8 } }", "A { a: u8 }", &["exactly one"]);
        refused("enum Set { A(A, B) }", "A(A, B)", &["exactly one"]);
        refused("enum Set { A(M), B(M) }", "M", &["`M`", "`A`"]);
    }
}

// MAC-65
#[test]
fn a_set_of_incoming_messages_owns_its_models_and_is_not_empty() {
    let refused =
        |item: &str, place: &str, says: &[&str]| assert_refused(incoming(item), place, says);
    refused("enum Set {}", "Set", &["one variant per message type"]);
    refused("enum Set { A(&'static A) }", "&'static A", &["owns"]);
    refused(
        "enum Set { A(Frame<'static>) }",
        "Frame<'static>",
        &["owns"],
    );
    refused("enum Set { A(Option<&A>) }", "Option<&A>", &["owns"]);
}

// MAC-61
#[test]
fn a_set_comes_with_its_kinds() {
    let parts = [
        "pub(crate) enum SetKind",
        "::core::hash::Hash",
        "type Axis = ::ruststream::runtime::SoloSet<Set>;",
        "MessageDeclaration for Set",
        "VariantOf<Set> for B",
    ];
    assert_expands(incoming("pub(crate) enum Set { A(A), B(B) }"), &parts);
}

// MAC-62, MAC-63
#[test]
fn each_rule_decodes_its_way() {
    let trial = "enum Set { A(A), B(B) }";
    assert_expands(
        incoming(trial),
        &["every_variant_failed(\"Set\", [(\"A\", __rs_failure0), (\"B\", __rs_failure1)],)"],
    );
    let function = "#[in_messages(discriminate = a::kind)] enum Set { A(A) }";
    assert_expands(
        incoming(function),
        &[
            "a::kind(__rs_message)",
            "no_variant_chosen(\"Set\")",
            "InMessages for Set",
        ],
    );
    let codec = "#[in_messages(discriminate_with_codec = Tag<u8>)] enum Set { A(A) }";
    let codec = incoming(codec).unwrap();
    assert!(!codec.to_string().contains("InMessages"));
    assert_expands(
        Ok(codec),
        &["Tag<u8>: ::ruststream::runtime::CodecDiscriminator<SetKind, __RsCodec>,"],
    );
}

// MAC-63, MAC-64
#[test]
fn a_header_rule_compares_bytes_and_is_documented() {
    let item = "#[in_messages(header = \"kind\")] enum Set { #[in_messages(value = \"ü\")] A(A) }";
    let parts = [
        "header_missing(\"Set\", \"kind\")",
        "b\"\\xC3\\xBC\" =>",
        "header_unknown(\"Set\", \"kind\", __rs_unknown, &[\"ü\"],)",
        "HeaderDiscriminator::new(\"kind\", \"ü\")",
    ];
    assert_expands(incoming(item), &parts);
}

// MAC-65
#[test]
fn one_rule_chooses_the_variant() {
    let two = |attr: &str, place: &str, says: &[&str]| {
        let item =
            format!("#[in_messages({attr})] enum Set {{ #[in_messages(value = \"a\")] A(A) }}");
        assert_refused(incoming(&item), place, says);
    };
    let (function, codec) = ("`discriminate`", "`discriminate_with_codec`");
    two(
        "discriminate = f, discriminate_with_codec = T",
        "T",
        &[function, codec],
    );
    two(
        "discriminate_with_codec = T, discriminate = f",
        "T",
        &[function, codec],
    );
    two(
        "discriminate = f, header = \"h\"",
        "\"h\"",
        &[function, "`header`"],
    );
    two(
        "header = \"h\", discriminate_with_codec = T",
        "\"h\"",
        &[codec, "`header`"],
    );
}

// MAC-65
#[test]
fn header_values_name_each_variant_once() {
    let refused =
        |item: &str, place: &str, says: &[&str]| assert_refused(incoming(item), place, says);
    let valued = "enum Set { #[in_messages(value = \"a\")] A(A) }";
    refused(valued, "\"a\"", &["header"]);
    let unvalued =
        "#[in_messages(header = \"kind\")] enum Set { #[in_messages(value = \"a\")] A(A), B(B) }";
    refused(unvalued, "B(B)", &["`kind`", "`B`"]);
    let twice = "#[in_messages(header = \"kind\")] enum Set { #[in_messages(value = \"a\")] A(A), #[in_messages(value = \"a\")] B(B) }";
    refused(twice, "\"a\"", &["already", "`A`"]);
}

// MAC-65
#[test]
fn a_bad_option_of_a_set_is_refused_where_it_stands() {
    let on_set = |attr: &str, place: &str, says: &[&str]| {
        assert_refused(
            incoming(&format!("#[in_messages({attr})] enum Set {{ A(A) }}")),
            place,
            says,
        );
    };
    let keys = [
        "`discriminate = path`",
        "`discriminate_with_codec = Type`",
        "`header = \"..\"`",
    ];
    on_set("kind = f", "kind", &keys);
    on_set("discriminate", "discriminate", &keys);
    on_set("\"kind\"", "\"kind\"", &keys);
    on_set("value = \"a\"", "value", &["variant", "`header = \"..\"`"]);
    on_set("discriminate = \"f\"", "\"f\"", &["path"]);
    on_set("discriminate = |m| None", "|m| None", &["path"]);
    on_set(
        "discriminate_with_codec = f()",
        "f()",
        &["CodecDiscriminator"],
    );
    on_set("header = HEADER", "HEADER", &["string literal"]);
    on_set("header = \"a\", header = \"b\"", "header", &["twice"]);
    let on_variant =
        "#[in_messages(header = \"h\")] enum Set { #[in_messages(header = \"h\")] A(A) }";
    assert_refused(incoming(on_variant), "header", &["`value = \"..\"`"]);
    let number = "#[in_messages(header = \"h\")] enum Set { #[in_messages(value = 1)] A(A) }";
    assert_refused(incoming(number), "1", &["string literal"]);
}
