//! The device that runs the model, and the time of the last pass.

use attention_protocol::{Device, ReadyReply};
use leptos::prelude::*;
use leptos_i18n::I18nContext;

use super::server::{ServerHas, ServerLink};
use attention_core::{
    engine::{Live, Phase, Source},
    i18n::{Locale, t, t_string, use_i18n},
    mine::Mine,
    state::{AddressValue, DeviceChoice, ViewState},
    widgets::{Popover, numbers::grouped},
};

/// The device in use; it opens the last pass's time and the choice of another device.
#[component]
pub fn DeviceStatus() -> impl IntoView {
    view! {
        <div class="device" data-testid="device">
            <Popover class="plain-button device-button" test_id="device-popover" name=|| view! { <DeviceInUse /> }>
                <div class="device-body">
                    <LastPass />
                    <DeviceSelect />
                    <ServerHas />
                    <ServerLink />
                </div>
            </Popover>
        </div>
    }
}

#[component]
fn DeviceInUse() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let ready = live.select(|engine| match &engine.phase {
        Phase::Ready { reply, .. } => Some(reply.clone()),
        _ => None,
    });
    let starting = live.select(|engine| engine.is_starting());
    let mine = Mine::expect();
    let host = ViewState::expect().select(|view| view.server_host().map(str::to_owned));
    let is_recorded = live.select(move |engine| match engine.phase {
        Phase::Ready { model, .. } => mine.recorded(model).is_some(),
        _ => false,
    });
    let succession = live.select(|engine| engine.successor().is_some());
    let text = move || match ready.get() {
        Some(_) if is_recorded.get() => (
            t_string!(i18n, engine.recorded_short).to_owned(),
            String::new(),
        ),
        Some(reply) => {
            let size = size_words(i18n, reply.parameters as u64);
            let rest = match succession.get() {
                true => format!(" · {size} · {}", t_string!(i18n, engine.succession)),
                false => format!(" · {size}"),
            };
            let device = device_name(i18n, &reply);
            match (reply.served, host.get()) {
                (Some(_), Some(host)) => {
                    let device = t_string!(i18n, engine.on_server, device = device, host = host);
                    (device, rest)
                }
                _ => (device, rest),
            }
        }
        None if starting.get() => (t_string!(i18n, engine.starting).to_owned(), String::new()),
        None => (
            t_string!(i18n, engine.stopped_short).to_owned(),
            String::new(),
        ),
    };
    let text = Memo::new(move |_| text());
    let title = move || ready.get().and_then(|reply| reply.adapter);
    view! {
        <span
            class="device-name"
            class:is-ready=move || ready.get().is_some()
            class:is-starting=starting
            data-testid="device-name"
            title=title
        >
            <span>{move || text.get().0}<span class="wide-only">{move || text.get().1}</span></span>
        </span>
    }
}

/// Returns the name of the device that runs a model, in the visitor's language.
pub fn device_name(i18n: I18nContext<Locale>, ready: &ReadyReply) -> String {
    match ready.device {
        Device::Cpu if ready.threads > 1 => {
            t_string!(i18n, engine.cpu_threads, threads = ready.threads)
        }
        Device::Cpu => t_string!(i18n, engine.cpu).to_owned(),
        Device::WebGpu if ready.fallback_adapter => {
            t_string!(i18n, engine.webgpu_software).to_owned()
        }
        Device::WebGpu => t_string!(i18n, engine.webgpu).to_owned(),
    }
}

/// Returns the number of weights in words: in millions, or the exact number for a smaller model.
fn size_words(i18n: I18nContext<Locale>, parameters: u64) -> String {
    match parameters {
        0..1_000_000 => t_string!(i18n, engine.few_parameters, count = grouped(parameters)),
        many => {
            let millions = format!("{:.1}", many as f64 / 1e6);
            t_string!(i18n, engine.parameters, millions = millions)
        }
    }
}

#[component]
fn LastPass() -> impl IntoView {
    let i18n = use_i18n();
    let timing = Live::expect().select(|engine| match engine.shown.as_ref()?.source {
        Source::Live(timing) => Some(timing),
        Source::Example | Source::Recorded => None,
    });
    view! {
        <span class="device-time" data-testid="timing">
            {move || {
                timing.get().map(|timing| {
                    let decode = milliseconds(timing.decode_ms);
                    let forward = milliseconds(timing.forward_ms);
                    t_string!(i18n, engine.timing, decode = decode, forward = forward)
                })
            }}
        </span>
    }
}

#[component]
fn DeviceSelect() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let choice = live.select(|engine| engine.choice);
    let host = ViewState::expect().select(|view| view.server_host().map(str::to_owned));
    let option = move |device: DeviceChoice| {
        let name = move || match device {
            DeviceChoice::Auto => t_string!(i18n, engine.auto).to_owned(),
            DeviceChoice::Cpu => t_string!(i18n, engine.cpu).to_owned(),
            DeviceChoice::WebGpu => t_string!(i18n, engine.webgpu).to_owned(),
            DeviceChoice::WebGpuSoftware => t_string!(i18n, engine.webgpu_software).to_owned(),
            DeviceChoice::Server => {
                t_string!(i18n, engine.server, host = host.get().unwrap_or_default())
            }
        };
        view! {
            <option value=device.address_value() selected=move || choice.get() == device>
                {name}
            </option>
        }
    };
    view! {
        <label class="device-select">
            <span>{t!(i18n, engine.device)}</span>
            <select
                data-testid="device-select"
                on:change:target=move |event| {
                    if let Some(device) = DeviceChoice::from_address_value(&event.target().value()) {
                        live.use_device(device);
                    }
                }
            >
                {move || {
                    let names_server = host.with(Option::is_some);
                    let offered = DeviceChoice::values().into_iter().map(|(device, _)| device);
                    let offered = offered.filter(|&it| names_server || it != DeviceChoice::Server);
                    offered.map(option).collect_view()
                }}
            </select>
        </label>
    }
}

/// Returns milliseconds with their significant digits.
fn milliseconds(value: f64) -> String {
    if value < 10.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.0}")
    }
}

#[cfg(test)]
mod tests {
    use super::milliseconds;

    #[test]
    fn short_times_keep_a_decimal() {
        assert_eq!(milliseconds(4.26), "4.3");
        assert_eq!(milliseconds(1234.5), "1234");
    }
}
