use super::expand;
use crate::testkit::assert_refused;

fn refused(item: &str, place: &str, says: &[&str]) {
    assert_refused(expand("\"a\"", item), place, says);
}

fn refused_reply(item: &str, place: &str, says: &[&str]) {
    assert_refused(expand("\"a\", reply", item), place, says);
}

// MAC-20
#[test]
fn the_message_comes_first_and_by_reference() {
    let forms = ["`&T`", "`&[T]`"];
    refused("async fn scan() {}", "async fn scan()", &forms);
    refused("async fn scan(parcel: Parcel) {}", "Parcel", &forms);
    refused("async fn scan(&self, parcel: &Parcel) {}", "&self", &forms);
    refused(
        "async fn scan(parcel: &impl Weigh) {}",
        "impl Weigh",
        &["name it"],
    );
}

// MAC-20
#[test]
fn bytes_take_a_named_view() {
    let single = ["derive(Deserialized)", "`&Frame<'_>`"];
    let batch = ["derive(Deserialized)", "`&[Frame<'_>]`"];
    refused("async fn scan(bytes: &[u8]) {}", "[u8]", &single);
    refused("async fn scan(bytes: &[&[u8]]) {}", "[&[u8]]", &batch);
    refused("async fn scan(bytes: &[[u8]]) {}", "[[u8]]", &batch);
}

// MAC-21
#[test]
fn the_context_follows_the_message() {
    let item = "async fn scan(p: &Parcel, State(db): State<Db>, ctx: &mut Context<'_>) {}";
    refused(item, "&mut Context<'_>", &["right after the message"]);
    refused(
        "async fn scan(p: &Parcel, ctx: &Context<'_>) {}",
        "&Context<'_>",
        &["`&mut Context<'_>`"],
    );
    refused(
        "fn scan(p: &Parcel, c: &mut Context<'_, A, B, C>) {}",
        "&mut Context<'_, A, B, C>",
        &["two"],
    );
}

// MAC-22
#[test]
fn typed_headers_of_a_batch_are_in_its_elements() {
    refused(
        "async fn scan(ps: &[Parcel], Headers(m): Headers<Meta>) {}",
        "Headers<Meta>",
        &["Message<Meta, T>"],
    );
}

// MAC-23
#[test]
fn a_slot_names_a_capability() {
    refused(
        "async fn scan(p: &Parcel, Out(o): Out<NatsPublisher>) {}",
        "NatsPublisher",
        &["`impl Publisher`", "mount"],
    );
    refused(
        "async fn scan(p: &Parcel, Out(o): Out) {}",
        "Out",
        &["`Out<impl Publisher>`"],
    );
    refused(
        "fn scan(p: &P, o: Out<impl A, B, C, D>) {}",
        "Out<impl A, B, C, D>",
        &["at most three"],
    );
}

// MAC-23
#[test]
fn a_mount_can_tell_slots_apart() {
    let same = "fn scan(p: &P, Out(a): Out<impl A, M>, Out(b): Out<impl A, M>) {}";
    refused(same, "Out(b)", &["`M`", "its own"]);
    let default = "fn scan(p: &P, Out(a): Out<impl A>, Out(b): Out<impl A, DefaultSlot>) {}";
    refused(default, "Out(b)", &["`DefaultSlot`"]);
    let four = "fn scan(p: &P, a: Out<impl A, M>, b: Out<impl A, N>, c: Out<impl A, O>, d: Out<impl A, Q>) {}";
    refused(four, "d", &["at most 3"]);
}

// MAC-23
#[test]
fn a_slot_lists_up_to_four_distinct_messages() {
    refused(
        "fn scan(p: &P, o: Out<impl A, M, (B, C, B)>) {}",
        "B",
        &["`B`", "twice"],
    );
    refused(
        "fn scan(p: &P, o: Out<impl A, M, (B, C, D, E, F)>) {}",
        "(B, C, D, E, F)",
        &["at most 4", "OutMessages"],
    );
}

// MAC-24, MAC-25
#[test]
fn a_reply_is_returned() {
    let single = ["`-> Reply`", "`-> Result<Reply, HandlerOutcome>`"];
    let batch = ["`-> Vec<Reply>`", "`-> Result<Vec<Reply>, HandlerOutcome>`"];
    refused_reply("fn scan(p: &P) {}", "fn scan(p: &P)", &single);
    refused_reply("async fn scan(p: &P) -> () {}", "()", &single);
    refused_reply("async fn scan(p: &[P]) -> Label {}", "Label", &batch);
    let outcome = "async fn scan(p: &[P]) -> Result<Label, HandlerOutcome> {}";
    refused_reply(outcome, "Result<Label, HandlerOutcome>", &batch);
    let own_error = "async fn scan(p: &P) -> Result<Label, io::Error> {}";
    refused_reply(own_error, "io::Error", &[single[1], "`.map_err("]);
    let own_error = "async fn scan(p: &[P]) -> std::result::Result<Vec<Label>, E> {}";
    refused_reply(own_error, "E", &[batch[1], "`.map_err("]);
    refused(
        "fn scan(p: &P) -> impl Future<Output = ()> {}",
        "impl Future<Output = ()>",
        &["`async fn`"],
    );
}

// MAC-26, "Open to improve"
#[test]
fn what_a_handler_cannot_be_is_not_dropped_silently() {
    refused("async fn scan<T>(p: &T) {}", "<T>", &["no generics"]);
    refused(
        "fn scan(p: &P) where P: Clone {}",
        "where P: Clone",
        &["`where`"],
    );
    refused("async unsafe fn scan(p: &P) {}", "unsafe", &["`unsafe`"]);
    refused(
        "extern \"C\" fn scan(p: &P) {}",
        "extern \"C\"",
        &["`extern`"],
    );
    refused("const fn scan(p: &P) {}", "const", &["`const`"]);
    refused("async fn scan(p: &mut P) {}", "mut", &["`mut`"]);
    refused(
        "async fn scan(p: &'a P) {}",
        "'a",
        &["leave its lifetime out"],
    );
    refused(
        "async fn scan(p: &P, db: &Db) {}",
        "&Db",
        &["`State<T>`", "FromContext"],
    );
    refused("struct Scan;", "struct Scan;", &["function"]);
}
