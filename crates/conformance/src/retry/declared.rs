use ruststream_core::{Broker, Connected, RetryDeclaration, SubscriptionSource};

use crate::helpers::unique_subject;
use crate::kit::Session;

/// A queue grammar may refuse dots.
pub(super) fn name_of(kind: &str) -> String {
    unique_subject(&format!("conformance-{kind}")).replace('.', "-")
}

/// Opens a subscription as the runtime opens one that declares its retries.
pub(super) async fn declared<B, Src>(
    session: &Session<'_, B>,
    source: Src,
    declaration: &RetryDeclaration,
) -> Result<Src::Subscriber, String>
where
    B: Broker,
    Src: SubscriptionSource<Connected<B>>,
{
    source
        .declare_retry_on(session.connected(), declaration)
        .map_err(|error| error.to_string())?;
    let declared = source.declare_retry(declaration);
    let opened = declared.subscribe(session.connected()).await;
    opened.map_err(|error| error.to_string())
}
