use crate::derive::{message_info, out_slot, outgoing};
use crate::testkit::{assert_expands, assert_refused, derive};

fn outgoing(attr: &str) -> syn::Result<proc_macro2::TokenStream> {
    derive(
        outgoing::expand,
        &format!("{attr} pub struct Parcel<'a, T: Clone> {{ id: &'a T }}"),
    )
}

fn refused(attr: &str, place: &str, says: &[&str]) {
    assert_refused(outgoing(attr), place, says);
}

// MAC-52, PUB-102, PUB-110, PUB-111
#[test]
fn the_name_decides_the_form() {
    let form = |form: &str| format!("type Form = ::ruststream::{form};");
    assert_expands(
        outgoing(""),
        &[
            &form("CallerName"),
            "DESTINATION: &'static str = \"\";",
            "Vec::new() }",
        ],
    );
    let fixed = outgoing("#[outgoing(headers = Meta<u8>)] #[outgoing(name = \"a b\")]");
    assert_expands(
        fixed,
        &[
            &form("FixedName"),
            "= \"a b\";",
            "WithHeaders<Meta<u8>>",
            "= &[];",
        ],
    );
    let template = outgoing("#[outgoing(name = \"a.{b_c}.{d}\", headers = Meta,)]");
    assert_expands(
        template,
        &[
            &form("NameTemplate"),
            "= \"a.{b_c}.{d}\";",
            "&[\"b_c\", \"d\"]",
        ],
    );
}

// MAC-07, MAC-53, CORE-203
#[test]
fn a_message_is_a_set_of_its_own_for_every_marker() {
    let parts = [
        "impl<'a, T: Clone> ::ruststream::MessageInfo for Parcel<'a, T>",
        "ContainsMessage<Self, ::ruststream::runtime::SlotPos<0>> for Parcel<'a, T>",
        "impl<'a, T: Clone, __RsMarker: ::ruststream::runtime::OutSlot> ::ruststream::runtime::OutMessages<__RsMarker>",
        ".with_parameters(",
        ".with_serialized(__rs_probe.serialized_wire())",
    ];
    assert_expands(outgoing("#[outgoing(name = \"a\")]"), &parts);
}

// MAC-54
#[test]
fn a_template_has_a_setter_per_segment_and_ends_in_publish() {
    let parts = [
        "pub mod __rs_address_of_Parcel",
        "pub struct TenantId;",
        "MissingSegment<__rs_address_of_Parcel::TenantId>",
        "pub fn tenant_id(self, value: impl ::core::fmt::Display)",
        "pub async fn publish(self,)",
        "where __RsCont: ::ruststream::runtime::PublishAt, __RsSegment0: ::ruststream::runtime::BoundSegment,",
        "format!(\"a.{}.{}.b\", self.__rs_segment_0, self.__rs_segment_1)",
    ];
    assert_expands(
        outgoing("#[outgoing(name = \"a.{tenant_id}.{n}.b\")]"),
        &parts,
    );
}

// MAC-55, PUB-112
#[test]
fn a_bad_name_is_refused_at_its_literal() {
    let name = |text: &str, says: &[&str]| {
        let literal = format!("\"{text}\"");
        refused(&format!("#[outgoing(name = {literal})]"), &literal, says);
    };
    name("a.{b", &["not closed"]);
    name("a}.b", &["`}` closes no placeholder"]);
    name("a.{}", &["`{}` names no placeholder"]);
    name("{type}", &["`{type}`", "identifier"]);
    name("{a b}", &["`{a b}`", "identifier"]);
    name("{r#a}", &["identifier"]);
    name("{ a}", &["identifier"]);
    name("{{a}}", &["identifier"]);
    name("{a}.{a}", &["`{a}`", "twice"]);
}

// MAC-54, "Open to improve"
#[test]
fn a_segment_that_would_not_work_as_a_method_is_refused() {
    refused(
        "#[outgoing(name = \"{publish}\")]",
        "\"{publish}\"",
        &["`{publish}`", "rename"],
    );
    refused(
        "#[outgoing(name = \"{a_b}.{aB}\")]",
        "\"{a_b}.{aB}\"",
        &["`{a_b}`", "`{aB}`", "`AB`"],
    );
    for odd in ["{_1}", "{__}", "{self_}"] {
        assert_expands(
            outgoing(&format!("#[outgoing(name = \"{odd}\")]")),
            &["Segment"],
        );
    }
}

// MAC-55, PUB-110
#[test]
fn a_bad_option_is_refused_where_it_stands() {
    let keys = ["`name = \"..\"`", "`headers = Type`"];
    refused("#[outgoing(name = 7)]", "7", &["string literal"]);
    refused("#[outgoing(name = NAME)]", "NAME", &["string literal"]);
    refused("#[outgoing(\"a\")]", "\"a\"", &keys);
    refused("#[outgoing(name)]", "name", &keys);
    refused("#[outgoing(nmae = \"a\")]", "nmae", &keys);
    refused(
        "#[outgoing(name = \"a\", name = \"b\")]",
        "name",
        &["twice"],
    );
    refused(
        "#[outgoing(headers = A)] #[outgoing(headers = B)]",
        "headers",
        &["twice"],
    );
    refused("#[outgoing]", "outgoing", &keys);
}

// MAC-50, MAC-51, PUB-120
#[test]
fn message_info_takes_one_headers_type() {
    let info = |attr: &str| {
        derive(
            message_info::expand,
            &format!("/// One.\n{attr} union Parcel {{ a: u8 }}"),
        )
    };
    assert_expands(
        info(""),
        &[
            "NAME: &'static str = \"Parcel\"",
            "Option::Some(\"One.\")",
            "NoHeaders",
        ],
    );
    assert_expands(
        info("#[message(headers(a::Meta))]"),
        &["WithHeaders<a::Meta>"],
    );
    assert_refused(
        info("#[message(headers = Meta)]"),
        "headers",
        &["`headers(Type)`"],
    );
    assert_refused(
        info("#[message(header(Meta))]"),
        "header",
        &["`headers(Type)`"],
    );
    assert_refused(
        info("#[message(headers())]"),
        "headers",
        &["`headers(Type)`"],
    );
    assert_refused(
        info("#[message(headers(A), headers(B))]"),
        "headers",
        &["twice"],
    );
    assert_refused(
        info("#[message = \"a\"]"),
        "message = \"a\"",
        &["`headers(Type)`"],
    );
}

// MAC-56
#[test]
fn a_slot_lists_its_messages() {
    let slot = |item: &str| derive(out_slot::expand, item);
    assert_expands(
        slot("struct Audit;"),
        &[
            "NAME: &'static str = \"Audit\"",
            "type Destination = ::ruststream::runtime::Reads; }",
        ],
    );
    let parts = [
        "<(A, (b::B<C>, (D, ()))) as ::ruststream::runtime::ListOffer>::Offer",
        "PublishedThrough<Audit> for b::B<C>",
        "<D as ::ruststream::runtime::OutMessages<Self>>::outgoing()",
    ];
    assert_expands(
        slot("#[publishes(A, b::B<C>,)] #[publishes(D)] struct Audit;"),
        &parts,
    );
}

// MAC-58
#[test]
fn a_slot_marker_is_a_unit_struct() {
    let refused = |item: &str, place: &str, says: &[&str]| {
        assert_refused(derive(out_slot::expand, item), place, says);
    };
    refused("enum Audit {}", "Audit", &["unit struct"]);
    refused("union Audit { a: u8 }", "Audit", &["unit struct"]);
    refused("struct Audit(u8);", "(u8)", &["without fields"]);
    refused("struct Audit {}", "{}", &["without fields"]);
    refused("struct Audit<T>;", "<T>", &["without generics"]);
    refused(
        "#[publishes(A)] #[publishes(B, A)] struct Audit;",
        "A",
        &["`A`", "twice"],
    );
    refused(
        "#[publishes] struct Audit;",
        "publishes",
        &["#[publishes(A, B)]"],
    );
    refused(
        "#[publishes()] struct Audit;",
        "publishes()",
        &["#[publishes(A, B)]"],
    );
}
