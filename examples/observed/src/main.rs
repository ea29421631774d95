//! A service that shows itself over HTTP: its document, its metrics, its health.

mod pages;
mod service;
mod signals;

use std::env;
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::time::Duration;

use ruststream::asyncapi::build_spec;
use ruststream::logging;
use ruststream::metrics::Metrics;
use ruststream::prelude::*;
use ruststream::runtime::RustStreamError;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// Where the pages are, unless the command line says otherwise.
const ADDRESS: &str = "127.0.0.1:8080";

/// How long requests may take that are under way as the pages end.
const GRACE: Duration = Duration::from_secs(5);

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
enum ObservedError {
    #[error("there is no option `{0}`: the one argument is where to listen, such as `{ADDRESS}`")]
    Option(String),
    #[error("cannot listen on {address}: {source}")]
    Listen { address: String, source: io::Error },
    #[error("cannot listen for signals: {0}")]
    Signals(#[source] io::Error),
    #[error("cannot count: {0}")]
    Metrics(#[from] prometheus::Error),
    #[error("cannot write the document: {0}")]
    Document(#[from] serde_json::Error),
    #[error("the pages failed: {0}")]
    Pages(#[source] io::Error),
    #[error(transparent)]
    Service(#[from] RustStreamError),
}

#[tokio::main]
async fn main() -> ExitCode {
    let address = env::args().nth(1).unwrap_or_else(|| ADDRESS.to_owned());
    let Err(error) = run(address).await else {
        return ExitCode::SUCCESS;
    };
    let _ = writeln!(io::stderr(), "observed: {error}");
    ExitCode::FAILURE
}

async fn run(address: String) -> Result<(), ObservedError> {
    // A process has one logger; nobody else in this one sets it up.
    let _ = logging::init();
    let stopped = signals::listen().map_err(ObservedError::Signals)?;
    if address.starts_with('-') {
        return Err(ObservedError::Option(address));
    }
    // Before anything else: a service whose pages have no port does not start.
    let listener = match TcpListener::bind(&address).await {
        Ok(listener) => listener,
        Err(source) => return Err(ObservedError::Listen { address, source }),
    };

    let metrics = Metrics::new()?;
    let app = service::app(&metrics);
    let document = build_spec(&app);
    let running = app.start().await?;
    let pages = pages::router(&document, metrics, running.health())?;
    if let Ok(address) = listener.local_addr() {
        tracing::info!("the pages are at http://{address}/");
    }

    // A failure of the service ends the pages as well; an orderly stop begins with them.
    let failing = running.stopping();
    let (told, ending) = oneshot::channel();
    let end = async {
        tokio::select! {
            () = stopped => {}
            () = failing => {}
        }
        let _ = told.send(());
    };
    // A client that never ends its request holds up no stop.
    let overdue = async {
        let _ = ending.await;
        tokio::time::sleep(GRACE).await;
    };
    let serving = axum::serve(listener, pages).with_graceful_shutdown(end);
    let served = tokio::select! {
        served = serving.into_future() => served,
        () = overdue => Ok(()),
    };
    running.shutdown().await?;
    served.map_err(ObservedError::Pages)
}
