//! Where a publish comes back to a consumer.

use crate::error::NatsError;
use crate::link::Link;
use crate::source::JetStreamSubject;
use crate::subject::{is_pattern, within_both};
use crate::unopened;

/// A literal subject that the stream stores and the consumer reads.
pub(crate) async fn address(link: &Link, source: &JetStreamSubject) -> Result<String, NatsError> {
    source.ensure_names()?;
    let filter = source.filter();
    if !is_pattern(filter) {
        return Ok(filter.to_owned());
    }
    let stored = match link {
        Link::Live(connection) => {
            connection
                .first_connect()
                .await
                .map_err(NatsError::jetstream)?;
            let stream = connection.jetstream().get_stream(source.stream()).await;
            stream
                .map_err(|error| unopened::stream(error, source, connection.place()))?
                .cached_info()
                .config
                .subjects
                .clone()
        }
        // The in-process stream has no subjects of its own: it stores what is read from it.
        #[cfg(feature = "testing")]
        Link::InProcess(_) => vec![filter.to_owned()],
    };
    among(&stored, filter).ok_or_else(|| {
        NatsError::jetstream(format!(
            "the stream `{}` stores no subject that `{filter}` reads",
            source.stream()
        ))
    })
}

/// A subject of `stored` itself where one has no wildcard, else one made from the first that fits.
fn among(stored: &[String], filter: &str) -> Option<String> {
    let fitting = |stored: &String| within_both(stored, filter);
    let literal = stored
        .iter()
        .filter(|stored| !is_pattern(stored))
        .find_map(fitting);
    literal.or_else(|| stored.iter().find_map(fitting))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(subjects: &[&str]) -> Vec<String> {
        subjects.iter().map(ToString::to_string).collect()
    }

    // NATS-53
    #[test]
    fn a_literal_subject_of_the_stream_comes_first() {
        let stored = stored(&["ledger.*", "ledger.open", "other"]);

        assert_eq!(among(&stored, "ledger.>").as_deref(), Some("ledger.open"));
    }

    // NATS-53
    #[test]
    fn what_a_pattern_leaves_open_is_the_retry_token() {
        let stored = stored(&["other", "ledger.>"]);

        let address = among(&stored, "ledger.*");

        assert_eq!(address.as_deref(), Some("ledger.ruststream-retry"));
    }

    // NATS-53
    #[test]
    fn a_stream_that_stores_nothing_of_it_has_no_address() {
        assert_eq!(among(&stored(&["other.*"]), "ledger.*"), None);
        assert_eq!(among(&[], "ledger.*"), None);
    }
}
