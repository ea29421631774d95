//! What the harness keeps of one run, and where it hears of it.

mod live;
mod options;
mod records;
mod rest;

use std::any::Any;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use ruststream_core::RawMessage;
use ruststream_core::pairing::Origin;
use ruststream_core::testing::{
    Coordinator, InProcessConnect, LivePublish, TestError, TestableBroker, TestableRegistration,
};
use ruststream_runtime::observe::{
    Call, Connection, Facts, Observer, Options, Published, Reaction, Returned,
};

use crate::hooks::{Event, Hooks};
use live::Ledger;
pub(crate) use options::{MessageOptions, joined};
use records::Records;
pub(crate) use records::{AttemptRecord, CallRecord, PublishRecord, Seen};
use rest::Runs;

/// So many deliveries in one reaction are a service that never comes to rest.
const STEP_BUDGET: usize = 10_000;

/// How the brokers of a service under test are connected.
#[derive(Clone, Copy)]
pub(crate) enum Mode {
    InProcess,
    Live { deadline: Duration },
}

impl fmt::Debug for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InProcess => f.write_str("InProcess"),
            Self::Live { .. } => f.debug_struct("Live").finish_non_exhaustive(),
        }
    }
}

/// A broker of the service, with what its crate registered for tests.
pub(crate) struct BrokerEntry {
    pub(crate) facts: Facts,
    registration: Option<&'static TestableRegistration>,
}

/// One run of one service.
pub(crate) struct Harness {
    me: Weak<Self>,
    mode: Mode,
    brokers: Vec<BrokerEntry>,
    coordinator: Coordinator,
    connected: Mutex<Vec<(Origin, usize)>>,
    records: Mutex<Records>,
    moments: AtomicU64,
    ledger: Ledger,
    runs: Runs,
    hooks: Hooks,
}

impl Harness {
    /// The harness of a service with these brokers, on the current runtime.
    pub(crate) fn new(brokers: Vec<Facts>, mode: Mode) -> Arc<Self> {
        let entry = |facts: Facts| BrokerEntry {
            registration: TestableRegistration::find(facts.broker, facts.connected),
            facts,
        };
        Arc::new_cyclic(|me| Self {
            me: Weak::clone(me),
            mode,
            brokers: brokers.into_iter().map(entry).collect(),
            coordinator: Coordinator::new(STEP_BUDGET),
            connected: Mutex::default(),
            records: Mutex::new(Records::new()),
            moments: AtomicU64::new(0),
            ledger: Ledger::default(),
            runs: Runs::default(),
            hooks: Hooks::new(),
        })
    }

    pub(crate) const fn mode(&self) -> Mode {
        self.mode
    }

    pub(crate) fn brokers(&self) -> &[BrokerEntry] {
        &self.brokers
    }

    pub(crate) const fn hooks(&self) -> &Hooks {
        &self.hooks
    }

    pub(crate) fn records(&self) -> MutexGuard<'_, Records> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How each broker is connected in this mode.
    ///
    /// # Errors
    ///
    /// A broker without an in-process mode, where that is what is asked for.
    pub(crate) fn transitions(&self) -> Result<Vec<Option<InProcessConnect>>, TestError> {
        let transition = |(scope, broker): (usize, &BrokerEntry)| match self.mode {
            Mode::Live { .. } => Ok(None),
            Mode::InProcess => match broker.registration {
                Some(registration) => Ok(registration.transition()),
                None => Err(self.no_transport(scope)),
            },
        };
        self.brokers.iter().enumerate().map(transition).collect()
    }

    /// The label of a broker, else the name of its type.
    pub(crate) fn broker_name(&self, scope: usize) -> &str {
        self.brokers.get(scope).map_or("", |broker| {
            let facts = &broker.facts;
            facts.label.as_deref().unwrap_or(facts.type_name)
        })
    }

    pub(crate) fn no_transport(&self, scope: usize) -> TestError {
        let broker = self.brokers.get(scope);
        let name = broker.map_or("", |broker| broker.facts.type_name);
        TestError::NoTransport(name.to_owned())
    }

    pub(crate) fn testable<'c>(
        &self,
        scope: usize,
        connection: &'c Connection,
    ) -> Option<&'c dyn TestableBroker> {
        self.resolve(scope, &*connection.connected)
    }

    fn resolve<'c>(
        &self,
        scope: usize,
        connected: &'c (dyn Any + Send + Sync),
    ) -> Option<&'c dyn TestableBroker> {
        self.brokers.get(scope)?.registration?.resolve(connected)
    }

    pub(crate) fn live_publish(&self, scope: usize) -> Option<LivePublish> {
        self.brokers.get(scope)?.registration?.live()
    }

    pub(crate) fn next_moment(&self) -> u64 {
        self.moments.fetch_add(1, Ordering::SeqCst)
    }

    /// Records a message of the test's own that a broker took.
    pub(crate) fn published_by_test(
        &self,
        scope: usize,
        message: RawMessage,
        from: u64,
        until: u64,
    ) -> Reaction {
        self.record_published(PublishRecord {
            scope,
            message,
            options: Seen::Tests,
            from,
            until,
        })
    }

    fn record_published(&self, record: PublishRecord) -> Reaction {
        let record = Arc::new(record);
        let within = self.records().push_published(Arc::clone(&record));
        self.ledger.changed();
        let event = Event::Publish {
            scope: record.scope,
            name: record.message.name(),
        };
        self.hooks.reaction(&self.me, &event, within)
    }
}

impl Observer for Harness {
    fn coordinator(&self) -> &Coordinator {
        &self.coordinator
    }

    fn connected(&self, scope: usize, origin: Origin, connected: &(dyn Any + Send + Sync)) {
        self.connected
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push((origin, scope));
        if let Mode::InProcess = self.mode
            && let Some(broker) = self.resolve(scope, connected)
        {
            broker.install_coordinator(self.coordinator.clone());
        }
    }

    fn scope_of(&self, origin: Origin) -> Option<usize> {
        let connected = self
            .connected
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let known = connected.iter().find(|(known, _)| *known == origin);
        known.map(|(_, scope)| *scope)
    }

    fn mounted(&self, scope: usize, name: &str) -> usize {
        self.records().mount(scope, name)
    }

    fn began(&self, mount: usize) {
        self.runs.began(mount);
    }

    fn ended(&self, mount: usize) {
        self.runs.ended(mount);
    }

    fn called(&self, call: Call) -> Reaction {
        let (record, within) = self.records().push_call(call)?;
        let event = Event::Call {
            scope: record.scope,
            name: &record.name,
        };
        self.hooks.reaction(&self.me, &event, within)
    }

    fn handled(&self, mount: usize, deliveries: usize) {
        self.ledger.handled(mount, deliveries);
    }

    fn returned(&self, mount: usize, returned: Returned) {
        self.ledger.returned(mount, returned);
    }

    fn moment(&self) -> u64 {
        self.next_moment()
    }

    fn attempted(&self, slot: &'static str, message: &RawMessage, options: &Options) -> Reaction {
        let within = self.records().push_attempt(AttemptRecord {
            slot,
            message: message.clone(),
            options: options.clone(),
        });
        self.hooks.reaction(&self.me, &Event::Slot(slot), within)
    }

    fn published(&self, scope: usize, published: Published) -> Reaction {
        let Published {
            message,
            options,
            from,
            until,
        } = published;
        self.record_published(PublishRecord {
            scope,
            message,
            options: Seen::Services(options),
            from,
            until,
        })
    }
}

impl fmt::Debug for Harness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Harness")
            .field("mode", &self.mode)
            .field("brokers", &self.brokers.len())
            .finish_non_exhaustive()
    }
}
