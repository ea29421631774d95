use std::io;
use std::sync::{Arc, Mutex};

use tracing_subscriber::fmt::MakeWriter;

use super::*;

/// A clock that stands still.
struct Noon;

impl FormatTime for Noon {
    fn format_time(&self, w: &mut Writer<'_>) -> fmt::Result {
        w.write_str("noon")
    }
}

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Lines {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

fn lines_with<Clock>(line: Line<Clock>, ansi: bool, log: impl FnOnce()) -> String
where
    Clock: FormatTime + Send + Sync + 'static,
{
    let lines = Lines::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(Level::TRACE)
        .with_writer(lines.clone())
        .with_ansi(ansi)
        .event_format(line)
        .finish();
    tracing::subscriber::with_default(subscriber, log);
    String::from_utf8(lines.0.lock().unwrap().clone()).unwrap()
}

fn lines(target: bool, ansi: bool, log: impl FnOnce()) -> String {
    lines_with(
        Line {
            clock: Noon,
            target,
        },
        ansi,
        log,
    )
}

fn every_level() {
    tracing::error!(target: "depot", "door open");
    tracing::warn!(target: "depot", "door ajar");
    tracing::info!(target: "depot", "door closed");
    tracing::debug!(target: "depot", "door locked");
    tracing::trace!(target: "depot", "door asleep");
}

// OBS-04
#[test]
fn a_line_is_time_level_target_message_fields() {
    let told = lines(true, false, || {
        every_level();
        tracing::info!(target: "depot", parcel = 41, lane = "north", to = %"Bern", "sorted");
    });

    assert_eq!(
        told,
        "noon ERROR depot door open\n\
         noon  WARN depot door ajar\n\
         noon  INFO depot door closed\n\
         noon DEBUG depot door locked\n\
         noon TRACE depot door asleep\n\
         noon  INFO depot sorted parcel=41 lane=\"north\" to=Bern\n"
    );
}

// OBS-04
#[test]
fn the_time_is_utc_in_rfc_3339_with_microseconds() {
    let told = lines_with(Line::new(true), false, || tracing::info!("now"));

    let (time, rest) = told.split_once(' ').unwrap();
    let shape: String = time
        .chars()
        .map(|c| if c.is_ascii_digit() { '0' } else { c })
        .collect();
    assert_eq!(shape, "0000-00-00T00:00:00.000000Z");
    assert!(rest.starts_with(" INFO "), "{told}");
}

// OBS-04
#[test]
fn the_message_comes_first_wherever_it_stands_and_without_trailing_whitespace() {
    let told = lines(true, false, || {
        tracing::info!(target: "depot", a = 1, message = "late \n", b = ?Some("x"));
        let text = String::from("computed ");
        tracing::info!(target: "depot", message = text.as_str());
        tracing::info!(target: "depot", message = %format_args!("{} {} ", "given", 2), r#type = 3);
    });

    assert_eq!(
        told,
        "noon  INFO depot late a=1 b=Some(\"x\")\n\
         noon  INFO depot computed\n\
         noon  INFO depot given 2 type=3\n"
    );
}

// OBS-04
#[test]
fn an_event_without_a_message_has_no_gap() {
    let told = lines(true, false, || tracing::info!(target: "depot", a = 1));

    assert_eq!(told, "noon  INFO depot a=1\n");
}

// OBS-04
#[test]
fn an_event_is_one_line_whatever_its_values_hold() {
    let told = lines(true, false, || {
        let error = "first\nnoon ERROR depot forged\x1b[2J";
        tracing::info!(target: "depot", error = %error, "two\nlines");
    });

    assert_eq!(
        told,
        "noon  INFO depot two\\nlines error=first\\nnoon ERROR depot forged\\u{1b}[2J\n"
    );
}

// OBS-04
#[test]
fn spans_are_not_printed() {
    let told = lines(true, false, || {
        tracing::info_span!("sorting", lane = 4).in_scope(|| tracing::info!(target: "depot", "in"));
    });

    assert_eq!(told, "noon  INFO depot in\n");
}

// OBS-05
#[test]
fn colours_mark_the_level_and_dim_what_surrounds_the_message() {
    let told = lines(true, true, every_level);

    let target = "\x1b[2;36mdepot\x1b[0m";
    assert_eq!(
        told,
        format!(
            "\x1b[2mnoon\x1b[0m \x1b[1;31mERROR\x1b[0m {target} \x1b[31mdoor open\x1b[0m\n\
             \x1b[2mnoon\x1b[0m \x1b[1;33m WARN\x1b[0m {target} \x1b[33mdoor ajar\x1b[0m\n\
             \x1b[2mnoon\x1b[0m \x1b[1;32m INFO\x1b[0m {target} door closed\n\
             \x1b[2mnoon\x1b[0m \x1b[1;34mDEBUG\x1b[0m {target} door locked\n\
             \x1b[2mnoon\x1b[0m \x1b[1;35mTRACE\x1b[0m {target} door asleep\n"
        )
    );
}

// OBS-05
#[test]
fn fields_are_dim_and_an_empty_message_leaves_no_colour_behind() {
    let told = lines(false, true, || {
        tracing::warn!(a = 1, b = 2, "");
        tracing::info!(a = 1, "told");
    });

    assert_eq!(
        told,
        "\x1b[2mnoon\x1b[0m \x1b[1;33m WARN\x1b[0m \x1b[2ma=1 b=2\x1b[0m\n\
         \x1b[2mnoon\x1b[0m \x1b[1;32m INFO\x1b[0m told \x1b[2ma=1\x1b[0m\n"
    );
}

// OBS-05
#[test]
fn without_colours_there_is_no_escape_byte_and_without_targets_no_column() {
    let told = lines(false, false, || {
        every_level();
        tracing::error!(colour = "\x1b[31mred", "\x1b[1mbold");
    });

    assert!(!told.contains('\x1b'), "{told:?}");
    assert!(told.starts_with("noon ERROR door open\n"), "{told}");
}
