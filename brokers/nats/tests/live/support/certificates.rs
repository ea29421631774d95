//! Certificates of a server and of those who connect to it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};

/// An authority, with the files of what it signed in a directory of its own.
pub(crate) struct Authority {
    home: PathBuf,
    issuer: CertifiedIssuer<'static, KeyPair>,
}

/// The files of a certificate and of its key.
pub(crate) struct Certificate {
    pub(crate) cert: PathBuf,
    pub(crate) key: PathBuf,
}

impl Authority {
    pub(crate) fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let home = env::temp_dir().join(format!("ruststream-certs-{}-{number}", process::id()));
        fs::create_dir_all(&home).expect("a directory of its own");
        let mut params = params(&format!("authority {number}"));
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        let issuer = CertifiedIssuer::self_signed(params, key).expect("signed");
        fs::write(home.join("ca.pem"), issuer.pem()).expect("written");
        Self { home, issuer }
    }

    /// What it is known by.
    pub(crate) fn roots(&self) -> PathBuf {
        self.home.join("ca.pem")
    }

    /// One for 127.0.0.1, or for who connects.
    pub(crate) fn sign(&self, name: &str) -> Certificate {
        let key = KeyPair::generate().expect("a key");
        let signed = params(name).signed_by(&key, &self.issuer).expect("signed");
        let cert = self.written(&format!("{name}.pem"), &signed.pem());
        let key = self.written(&format!("{name}.key"), &key.serialize_pem());
        Certificate { cert, key }
    }

    fn written(&self, file: &str, text: &str) -> PathBuf {
        let path = self.home.join(file);
        fs::write(&path, text).expect("written");
        path
    }
}

impl Drop for Authority {
    fn drop(&mut self) {
        let _gone = fs::remove_dir_all(&self.home);
    }
}

/// Lines that make a server take only clients with a certificate of `authority`.
pub(crate) fn verifying(server: &Certificate, authority: &Path) -> String {
    format!(
        "tls {{ cert_file: \"{}\", key_file: \"{}\", ca_file: \"{}\", verify: true }}",
        server.cert.display(),
        server.key.display(),
        authority.display()
    )
}

fn params(name: &str) -> CertificateParams {
    let mut params = CertificateParams::new(["127.0.0.1".to_owned()]).expect("an address");
    params.distinguished_name.push(DnType::CommonName, name);
    params
}
