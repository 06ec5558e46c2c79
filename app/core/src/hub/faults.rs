//! Faults of models from a hub in words.

use attention_protocol::hub::HubFailure;
use leptos_i18n::I18nContext;

use super::Fault;
use crate::{
    i18n::{Locale, t_string},
    problems::files_fault,
    widgets::numbers::{grouped, megabytes},
};

/// Explains in words why a model from a hub cannot be had.
pub fn hub_fault(i18n: I18nContext<Locale>, fault: &Fault) -> String {
    match fault {
        Fault::Files(fault) => files_fault(i18n, fault),
        Fault::Hub(failure) => failure_words(i18n, failure.clone()),
    }
}

fn failure_words(i18n: I18nContext<Locale>, failure: HubFailure) -> String {
    match failure {
        HubFailure::NoStorage { reason } => t_string!(i18n, hub.no_storage, reason = reason),
        HubFailure::Quota {
            needed_bytes,
            free_bytes: Some(free_bytes),
        } => {
            let (needed, free) = (megabytes(needed_bytes), megabytes(free_bytes));
            t_string!(i18n, hub.quota, needed = needed, free = free)
        }
        HubFailure::Quota {
            free_bytes: None, ..
        } => t_string!(i18n, hub.quota_full).to_owned(),
        HubFailure::Busy { name } => t_string!(i18n, hub.busy, name = name),
        HubFailure::Unreachable { url, reason } => {
            t_string!(i18n, hub.unreachable, url = url, reason = reason)
        }
        HubFailure::Absent { url } => t_string!(i18n, hub.absent, url = url),
        HubFailure::Forbidden { url } => t_string!(i18n, hub.forbidden, url = url),
        HubFailure::Status { url, status } => {
            t_string!(i18n, hub.status, url = url, status = status.to_string())
        }
        HubFailure::Listing { url, reason } => {
            t_string!(i18n, hub.listing, url = url, reason = reason)
        }
        HubFailure::Length {
            name,
            expected_bytes,
            received_bytes,
        } => {
            let (expected, received) = (grouped(expected_bytes), grouped(received_bytes));
            t_string!(
                i18n,
                hub.length,
                name = name,
                expected = expected,
                received = received
            )
        }
        HubFailure::Digest { name } => t_string!(i18n, hub.digest, name = name),
        HubFailure::Storage { name, reason } => {
            t_string!(i18n, hub.storage, name = name, reason = reason)
        }
        HubFailure::Stopped => String::new(),
        HubFailure::Protocol { reason } => t_string!(i18n, hub.protocol, reason = reason),
    }
}
