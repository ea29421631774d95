//! One event as one line.

use std::fmt::{self, Write};

use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

use super::text::{Escaped, Trimmed};

const MESSAGE: &str = "message";

/// `<time> <level> [<target> ]<message>[ key=value]..`.
pub(super) struct Line<Clock = SystemTime> {
    clock: Clock,
    target: bool,
}

impl Line {
    pub(super) const fn new(target: bool) -> Self {
        Self {
            clock: SystemTime,
            target,
        }
    }
}

impl<Clock, S, N> FormatEvent<S, N> for Line<Clock>
where
    Clock: FormatTime,
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _context: &FmtContext<'_, S, N>,
        mut line: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let meta = event.metadata();
        let level = *meta.level();
        let paint = Paint(line.has_ansi_escapes());

        paint.begin(&mut line, "2")?;
        self.clock.format_time(&mut line)?;
        paint.end(&mut line)?;
        line.write_char(' ')?;
        paint.begin(&mut line, badge(level))?;
        write!(line, "{:>5}", level.as_str())?;
        paint.end(&mut line)?;
        if self.target {
            line.write_char(' ')?;
            paint.begin(&mut line, "2;36")?;
            line.write_str(meta.target())?;
            paint.end(&mut line)?;
        }

        let mut message = Message {
            paint: Paint(paint.0 && level <= Level::WARN),
            colour: colour(level),
            line: line.by_ref(),
            told: Ok(()),
        };
        event.record(&mut message);
        message.told?;
        let mut fields = Fields {
            paint,
            line: line.by_ref(),
            any: false,
            told: Ok(()),
        };
        event.record(&mut fields);
        fields.told?;
        if fields.any {
            paint.end(&mut line)?;
        }
        writeln!(line)
    }
}

/// Colours, where there are any.
#[derive(Clone, Copy)]
struct Paint(bool);

impl Paint {
    fn begin(self, line: &mut Writer<'_>, style: &str) -> fmt::Result {
        if self.0 {
            write!(line, "\x1b[{style}m")?;
        }
        Ok(())
    }

    fn end(self, line: &mut Writer<'_>) -> fmt::Result {
        if self.0 {
            line.write_str("\x1b[0m")?;
        }
        Ok(())
    }
}

const fn colour(level: Level) -> &'static str {
    match level {
        Level::ERROR => "31",
        Level::WARN => "33",
        Level::INFO => "32",
        Level::DEBUG => "34",
        Level::TRACE => "35",
    }
}

/// The colour in bold.
const fn badge(level: Level) -> &'static str {
    match level {
        Level::ERROR => "1;31",
        Level::WARN => "1;33",
        Level::INFO => "1;32",
        Level::DEBUG => "1;34",
        Level::TRACE => "1;35",
    }
}

/// Writes the message of an event and nothing else, so that it comes first wherever it stands.
struct Message<'a> {
    paint: Paint,
    colour: &'static str,
    line: Writer<'a>,
    told: fmt::Result,
}

impl Message<'_> {
    fn write(&mut self, value: &dyn fmt::Debug) -> fmt::Result {
        let written = {
            let mut text = Trimmed::new(Lead {
                message: self,
                begun: false,
            });
            write!(text, "{value:?}")?;
            text.written()
        };
        if written {
            self.paint.end(&mut self.line)?;
        }
        Ok(())
    }
}

/// Begins the message with the first text of it: an empty one leaves no trace.
struct Lead<'m, 'a> {
    message: &'m mut Message<'a>,
    begun: bool,
}

impl Write for Lead<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let Message {
            paint,
            colour,
            line,
            ..
        } = self.message;
        if !self.begun {
            self.begun = true;
            line.write_char(' ')?;
            paint.begin(line, colour)?;
        }
        Escaped(line).write_str(text)
    }
}

impl Visit for Message<'_> {
    // A message that is no literal is recorded as text.
    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == MESSAGE {
            self.told = self.told.and_then(|()| self.write(value));
        }
    }
}

/// Writes everything but the message.
struct Fields<'a> {
    paint: Paint,
    line: Writer<'a>,
    any: bool,
    told: fmt::Result,
}

impl Fields<'_> {
    fn write(&mut self, name: &str, value: &dyn fmt::Debug) -> fmt::Result {
        self.line.write_char(' ')?;
        if !self.any {
            self.any = true;
            self.paint.begin(&mut self.line, "2")?;
        }
        write!(self.line, "{name}=")?;
        write!(Escaped(&mut self.line), "{value:?}")
    }
}

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() != MESSAGE {
            let name = field.name();
            let name = name.strip_prefix("r#").unwrap_or(name);
            self.told = self.told.and_then(|()| self.write(name, value));
        }
    }
}

#[cfg(test)]
mod tests;
