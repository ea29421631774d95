//! The pages.

use axum::Router;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::get;
use ruststream::asyncapi::{Spec, render_static_html};
use ruststream::metrics::Metrics;
use ruststream::runtime::HealthProbe;

/// What Prometheus calls its text format.
const METRICS: &str = "text/plain; version=0.0.4";

pub(crate) fn router(
    document: &Spec,
    metrics: Metrics,
    health: HealthProbe,
) -> Result<Router, serde_json::Error> {
    let json = document.to_json()?;
    let html = render_static_html(document);
    let live = health.clone();
    Ok(Router::new()
        .route("/", get(async || page("text/html; charset=utf-8", html)))
        .route(
            "/asyncapi.json",
            get(async || page("application/json", json)),
        )
        .route("/metrics", get(async move || exported(&metrics)))
        .route("/live", get(async move || verdict(live.is_running())))
        .route("/ready", get(async move || verdict(ready(&health)))))
}

fn page(kind: &'static str, text: String) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, kind)], text)
}

fn exported(metrics: &Metrics) -> Result<impl IntoResponse + use<>, (StatusCode, String)> {
    metrics
        .export()
        .map(|text| page(METRICS, text))
        .map_err(|error| (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))
}

/// Ready is a service of which every subscription is served.
fn ready(health: &HealthProbe) -> bool {
    let subscriptions = health.subscriptions();
    health.is_running() && subscriptions.active == subscriptions.started
}

fn verdict(good: bool) -> (StatusCode, &'static str) {
    if good {
        (StatusCode::OK, "yes\n")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "no\n")
    }
}
