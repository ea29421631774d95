mod host;
mod security;
mod spec;

pub use security::{ApiKeyLocation, HttpApiKeyLocation, SecurityScheme};
pub use spec::ServerSpec;

use crate::Broker;

/// A broker that describes its server for the document.
///
/// On the unconnected form: the description comes from configuration alone, before anything
/// connects.
///
/// # Examples
///
/// ```
/// # use ruststream_core::{Broker, ConnectedBroker, DescribeServer, ServerSpec};
/// # struct Courier { url: String }
/// # struct Up;
/// # impl ConnectedBroker for Up {
/// #     type Error = std::io::Error;
/// #     type Closed = ();
/// #     async fn shutdown(self) -> Result<(), std::io::Error> { Ok(()) }
/// # }
/// # impl Broker for Courier {
/// #     type Error = std::io::Error;
/// #     type Connected = Up;
/// #     async fn connect(self) -> Result<Up, std::io::Error> { Ok(Up) }
/// # }
/// impl DescribeServer for Courier {
///     fn describe_server(&self) -> ServerSpec {
///         ServerSpec::from_url(&self.url, "courier")
///     }
/// }
///
/// let courier = Courier { url: "courier://svc:secret@hub:7000/north".into() };
/// assert_eq!(courier.describe_server().host.as_deref(), Some("hub:7000"));
/// ```
pub trait DescribeServer: Broker {
    /// The host and port clients connect to, and the protocol they speak.
    ///
    /// A credential never appears in it, in any field. `security` is left to the service author:
    /// it is a property of the deployment.
    fn describe_server(&self) -> ServerSpec;
}
