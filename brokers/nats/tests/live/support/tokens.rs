//! An operator with an account and its users, as tokens.

use data_encoding::BASE64URL_NOPAD;
use nkeys::KeyPair;
use serde_json::{Value, json};

/// Signs accounts, which sign users.
pub(crate) struct Operator {
    key: KeyPair,
    account: KeyPair,
    /// The server's own, without which it offers no streams.
    system: KeyPair,
}

impl Operator {
    pub(crate) fn new() -> Self {
        Self {
            key: KeyPair::new_operator(),
            account: KeyPair::new_account(),
            system: KeyPair::new_account(),
        }
    }

    /// Lines that make a server trust this operator and know its one account.
    pub(crate) fn config(&self) -> String {
        let claims = json!({ "type": "operator", "version": 2 });
        let trusted = token(&self.key, &self.key.public_key(), None, &claims);
        let (account, system) = (self.account.public_key(), self.system.public_key());
        let storage =
            json!({ "mem_storage": -1, "disk_storage": -1, "streams": -1, "consumer": -1 });
        let (known, own) = (
            self.account(&account, &storage),
            self.account(&system, &json!({})),
        );
        format!(
            "operator: {trusted}\nsystem_account: {system}\nresolver: MEMORY\n\
             resolver_preload: {{ {account}: {known}, {system}: {own} }}\n"
        )
    }

    fn account(&self, account: &str, storage: &Value) -> String {
        let mut limits = json!({
            "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1,
            "wildcards": true, "conn": -1, "leaf": -1
        });
        for (limit, value) in storage.as_object().into_iter().flatten() {
            limits[limit] = value.clone();
        }
        let claims = json!({ "type": "account", "version": 2, "limits": limits });
        token(&self.key, account, None, &claims)
    }

    /// A user of the account, until `expires` in seconds since 1970 where given.
    pub(crate) fn user(&self, expires: Option<u64>) -> User {
        User::signed_by(&self.account, expires)
    }
}

/// Who connects.
pub(crate) struct User {
    pub(crate) key: KeyPair,
    pub(crate) token: String,
}

impl User {
    fn signed_by(account: &KeyPair, expires: Option<u64>) -> Self {
        let key = KeyPair::new_user();
        let claims = json!({
            "type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1
        });
        let token = token(account, &key.public_key(), expires, &claims);
        Self { key, token }
    }

    /// One of an account that no server knows.
    pub(crate) fn stranger() -> Self {
        Self::signed_by(&KeyPair::new_account(), None)
    }

    pub(crate) fn seed(&self) -> String {
        self.key.seed().expect("a seed")
    }

    /// What a `.creds` file holds.
    pub(crate) fn creds(&self) -> String {
        creds(&self.token, &self.seed())
    }
}

pub(crate) fn creds(token: &str, seed: &str) -> String {
    format!(
        "-----BEGIN NATS USER JWT-----\n{token}\n------END NATS USER JWT------\n\n\
         -----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------\n"
    )
}

fn token(issuer: &KeyPair, subject: &str, expires: Option<u64>, claims: &Value) -> String {
    let mut body = json!({
        "iss": issuer.public_key(), "sub": subject, "name": "desk", "iat": 1_700_000_000,
        "nats": claims
    });
    if let Some(expires) = expires {
        body["exp"] = expires.into();
    }
    let written = |part: &Value| BASE64URL_NOPAD.encode(part.to_string().as_bytes());
    let header = written(&json!({ "typ": "JWT", "alg": "ed25519-nkey" }));
    let signed = format!("{header}.{}", written(&body));
    let signature = issuer.sign(signed.as_bytes()).expect("signed");
    format!("{signed}.{}", BASE64URL_NOPAD.encode(&signature))
}
