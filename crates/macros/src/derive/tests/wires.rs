use crate::derive::{deserialized, serialized};
use crate::testkit::{assert_expands, assert_refused, derive};

fn de(item: &str) -> syn::Result<proc_macro2::TokenStream> {
    derive(deserialized::expand, item)
}

fn ser(item: &str) -> syn::Result<proc_macro2::TokenStream> {
    derive(serialized::expand, item)
}

// MAC-66
#[test]
fn a_view_borrows_the_payload() {
    let parts = [
        "type Output<'__rs_payload> = Frame<'__rs_payload>;",
        "Frame { 0: __rs_payload }",
        "type Axis = ::ruststream::runtime::SoloDeserialized<Frame<'static>>;",
    ];
    assert_expands(de("struct Frame<'a>(&'a [u8]);"), &parts);
    assert_expands(
        de("struct Frame<'a> { bytes: &'a [u8] }"),
        &["Frame { bytes: __rs_payload }"],
    );
}

// MAC-67, PUB-142
#[test]
fn a_decode_function_builds_any_shape() {
    let owned = "#[wire(decode = parse)] enum Frame { A(String), B }";
    assert_expands(
        de(owned),
        &["type Output<'__rs_payload> = Frame;", "parse(__rs_payload)"],
    );
    let lent = "#[wire(encode = e)] #[wire(decode = a::parse::<4>)] struct Frame<'a> { a: &'a str, b: u8 }";
    assert_expands(
        de(lent),
        &["Result<Frame<'_>, _> = a::parse::<4>(__rs_payload)"],
    );
    assert_expands(
        de("#[wire(prost)] struct Frame {}"),
        &["::prost::Message::decode(__rs_payload)"],
    );
}

// MAC-68
#[test]
fn what_is_no_view_names_its_function() {
    let refused = |item: &str, place: &str| {
        assert_refused(de(item), place, &["&'a [u8]", "#[wire(decode = path)]"]);
    };
    refused("struct Parcel { id: u64 }", "u64");
    refused("struct Frame<'a>(&'a str);", "&'a str");
    refused("struct Frame<'a>(&'static [u8]);", "&'static [u8]");
    refused("struct Frame<'a>(&'a mut [u8]);", "&'a mut [u8]");
    refused("struct Frame(&'static [u8]);", "&'static [u8]");
    refused("struct Frame<'a>(&'a [u8], u8);", "(&'a [u8], u8)");
    refused("struct Frame;", "Frame");
    refused("enum Frame { A }", "Frame");
}

// MAC-68
#[test]
fn a_view_has_one_lifetime_and_no_other_parameter() {
    assert_refused(
        de("struct F<'a, 'b>(&'a [u8], &'b u8);"),
        "'b",
        &["one lifetime"],
    );
    assert_refused(
        de("#[wire(decode = f)] struct F<T>(T);"),
        "T",
        &["concrete"],
    );
    assert_refused(
        de("#[wire(decode = f)] struct F<const N: usize>;"),
        "const N: usize",
        &["concrete"],
    );
}

// MAC-69, PUB-140
#[test]
fn a_message_that_holds_its_bytes_lends_them() {
    let parts = [
        "let __rs_bytes: &[u8] = &self.0;",
        "WireBytes::Own(__rs_bytes)",
        "type Error = ::core::convert::Infallible;",
        "type Wire = ::ruststream::runtime::SerializedWire;",
        "type Body = Self; type Headers = (); type Wire = ::ruststream::runtime::SerializedReply;",
    ];
    assert_expands(ser("struct Blob(Vec<u8>);"), &parts);
    assert_expands(ser("struct Blob { bytes: [u8; 4] }"), &["&self.bytes"]);
}

// MAC-70, PUB-142
#[test]
fn an_encode_function_writes_the_buffer() {
    let parts = [
        "EncodeOutcome::finish(a::write(self, __rs_buf))?",
        "WireBytes::InBuffer",
        "SerializePayloadError",
    ];
    assert_expands(ser("#[wire(encode = a::write)] enum Blob { A }"), &parts);
    assert_expands(
        ser("#[wire(prost)] struct Blob {}"),
        &["::prost::Message::encode(self, __rs_buf)"],
    );
}

// MAC-69, PUB-140
#[test]
fn what_does_not_hold_its_bytes_names_its_function() {
    let refused = |item: &str, place: &str| {
        assert_refused(ser(item), place, &["Vec<u8>", "#[wire(encode = path)]"]);
    };
    refused("struct Blob;", "Blob");
    refused("struct Blob(Vec<u8>, u8);", "(Vec<u8>, u8)");
    refused("enum Blob { A(Vec<u8>) }", "Blob");
    assert_refused(ser("struct Blob<T>(T);"), "<T>", &["generics"]);
    assert_refused(ser("struct Blob<'a>(&'a [u8]);"), "<'a>", &["generics"]);
}

// MAC-71, PUB-143
#[test]
fn the_wire_attribute_names_each_half_once() {
    for expand in [de, ser] {
        let refused = |attr: &str, place: &str, says: &[&str]| {
            assert_refused(expand(&format!("{attr} struct F;")), place, says);
        };
        let keys = ["`decode = path`", "`encode = path`", "`prost`"];
        refused("#[wire()]", "wire()", &keys);
        refused("#[wire]", "wire", &keys);
        refused("#[wire(json)]", "json", &keys);
        refused("#[wire(\"prost\")]", "\"prost\"", &keys);
        refused("#[wire(read = f)]", "read", &keys);
        refused("#[wire(decode)]", "decode", &keys);
        refused("#[wire(decode = f())]", "f()", &["path"]);
        refused("#[wire(decode = f, decode = g)]", "decode", &["already"]);
        refused("#[wire(prost, encode = g)]", "encode", &["already"]);
        refused("#[wire(decode = f)] #[wire(prost)]", "prost", &["already"]);
    }
    assert_refused(de("#[wire(encode = f)] struct F;"), "F", &["`decode`"]);
    assert_refused(ser("#[wire(decode = f)] struct F;"), "F", &["`encode`"]);
}
