//! A TCP proxy in front of a server, which can cut the link.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Forwards connections while the link is up; cutting it ends those there are, and refuses new
/// ones.
pub(crate) struct Proxy {
    address: SocketAddr,
    up: Arc<watch::Sender<bool>>,
    accepting: JoinHandle<()>,
}

impl Proxy {
    pub(crate) async fn to(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("its address");
        let up = Arc::new(watch::Sender::new(true));
        let link = Arc::clone(&up);
        let accepting = tokio::spawn(async move {
            loop {
                let Ok((mut near, _)) = listener.accept().await else {
                    return;
                };
                let mut link = link.subscribe();
                if !*link.borrow_and_update() {
                    continue;
                }
                tokio::spawn(async move {
                    let Ok(mut far) = TcpStream::connect(("127.0.0.1", port)).await else {
                        return;
                    };
                    tokio::select! {
                        _ended = copy_bidirectional(&mut near, &mut far) => {}
                        _cut = link.wait_for(|up| !up) => {}
                    }
                });
            }
        });
        Self {
            address,
            up,
            accepting,
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://{}", self.address)
    }

    pub(crate) fn cut(&self) {
        self.up.send_replace(false);
    }

    pub(crate) fn restore(&self) {
        self.up.send_replace(true);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}
