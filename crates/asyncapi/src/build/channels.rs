use std::collections::BTreeMap;

use ruststream_core::bindings::Bindings;

use super::Draft;
use super::servers::Home;
use crate::document::{Channel, Parameter, Reference};
use crate::names::placeholders;
use crate::write::Pointer;

/// What a registration says of one channel.
pub(super) struct Use<'a> {
    pub(super) id: &'a str,
    /// Each delivery names the place, so the channel has no address of its own by this use.
    pub(super) per_delivery: bool,
    pub(super) parameters: &'a [&'a str],
    pub(super) bindings: &'a Bindings,
}

impl Draft {
    /// The channel as `used`, made if this is its first use (API-20, API-21).
    pub(super) fn use_channel(&mut self, used: &Use<'_>, home: &Home) -> &mut Channel {
        let channels = &mut self.0.channels;
        let channel = channels
            .entry(used.id.to_owned())
            .or_insert_with(|| Channel {
                address: None,
                messages: BTreeMap::new(),
                parameters: BTreeMap::new(),
                servers: home.servers.clone(),
                bindings: Bindings::new(),
            });
        // API-22: whoever knows the address says it.
        if !used.per_delivery {
            channel.address = Some(used.id.to_owned());
        }
        for parameter in used.parameters {
            channel
                .parameters
                .entry((*parameter).to_owned())
                .or_default();
        }
        channel.bindings.fill_from(used.bindings);
        channel
    }

    /// API-24: the parameters of a channel are the placeholders of its address, no more and no
    /// less.
    pub(super) fn complete_parameters(&mut self) {
        for channel in self.0.channels.values_mut() {
            let address = channel.address.as_deref().unwrap_or_default();
            channel
                .parameters
                .retain(|name, _| address.contains(&format!("{{{name}}}")));
            for name in placeholders(address) {
                channel
                    .parameters
                    .entry(name.to_owned())
                    .or_insert_with(Parameter::default);
            }
        }
    }
}

impl Channel {
    /// Lists the message `name`, and refers to it from outside.
    pub(super) fn list(&mut self, id: &str, name: &str) -> Reference {
        self.messages
            .entry(name.to_owned())
            .or_insert_with(|| Pointer::message(name).into());
        Pointer::channel(id).at("messages").at(name).into()
    }
}
