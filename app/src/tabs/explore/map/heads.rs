//! A block of attention: its heads' maps as one picture, and a control over each.

use attention_figures::{
    color::css,
    model_map::{Block, Heads},
    sheet::{MARGIN, sheet},
};
use attention_protocol::OrLogged;
use attention_trace::{AttentionKind, AttentionLayer};
use leptos::{ev::KeyboardEvent, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::{
    context::MapContext,
    facts::{Groups, fact_words},
};
use attention_core::{
    appearance::Appearance,
    edits::{SWITCH_KEY, signed},
    engine::Live,
    i18n::{t_string, use_i18n},
    names::{head_name, kind_name, norm_name, short_kind_name},
    roles::{Chip, RoleChips, role_color, role_mark, role_name},
    selection::{Direction, HeadChoice},
    state::AddressValue,
    widgets::{MapCanvas, Pick, Pixels, keys::is_for_page, numbers::percent},
};

/// The block: its name, in full if there is room, and its heads.
#[component]
pub fn HeadsBlock(context: MapContext, block: Block) -> impl IntoView {
    let i18n = use_i18n();
    let (kind, short) = (kind_name(), short_kind_name());
    let attention = context.drawing.with_untracked(|drawing| {
        let spec = context.spec.read_untracked();
        drawing
            .as_ref()?
            .attention(spec.as_ref()?, block.column, block.part)
    });
    let (attention, heads, place) = (attention?, block.heads?, block.name?);
    let (left, top) = (place.x - block.rect.x, place.y - block.rect.y);
    let is_beside = place.height == block.rect.height;
    let name = move || {
        let layer = attention.layer + 1;
        t_string!(
            i18n,
            heads.block,
            kind = kind(attention.kind),
            layer = layer
        )
    };
    let head_norm = move || {
        let spec = context.spec.read();
        let stack = spec.as_ref()?.attention(attention.kind)?;
        let is_normed = stack.head_norm && attention.kind != AttentionKind::Cross;
        let norm = stack.norm.filter(|_| is_normed);
        norm.map(|norm| {
            let norm = norm_name(norm.kind);
            view! {
                <span class="block-size" title=move || t_string!(i18n, heads.head_norm)>
                    {format!(" · {norm}(q), {norm}(k)")}
                </span>
            }
        })
    };
    let facts = fact_words(context, attention);
    let choices = (0..heads.count).map(|head| HeadChoice { attention, head });
    let buttons = choices
        .map(|choice| view! { <HeadButton context choice heads block /> })
        .collect_view();
    let layer = move || t_string!(i18n, heads.layer_alone, layer = attention.layer + 1);
    Some(view! {
        <p
            class="block-name"
            class:is-beside=is_beside
            title=move || facts().join(" · ")
            style=format!(
                "left: {left}px; top: {top}px; width: {}px; height: {}px",
                place.width, place.height
            )
        >
            <span class="block-full">
                {name} {head_norm}
                {move || facts().into_iter().map(|fact| view! {
                    <span class="block-size">" · " {fact}</span>
                }).collect_view()}
            </span>
            <span class="block-short">
                <span>{move || short(attention.kind)}</span>
                " "
                <span class="block-layer">{layer}</span>
            </span>
        </p>
        <Picture context attention heads block />
        <Groups context attention heads block />
        {buttons}
    })
}

/// The maps of all heads as one picture.
#[component]
fn Picture(
    context: MapContext,
    attention: AttentionLayer,
    heads: Heads,
    block: Block,
) -> impl IntoView {
    let appearance = Appearance::expect();
    let pixels = Signal::derive(move || picture(context, attention, heads, appearance));
    let rect = heads.rect();
    let style = format!(
        "left: {}px; top: {}px; width: {}px; height: {}px",
        rect.x - block.rect.x,
        rect.y - block.rect.y,
        rect.width,
        rect.height
    );
    view! { <div class="block-heads" style=style><MapCanvas pixels /></div> }
}

fn picture(
    context: MapContext,
    attention: AttentionLayer,
    heads: Heads,
    appearance: Appearance,
) -> Option<Pixels> {
    let (scale, theme) = (context.heads.scale(), appearance.get());
    context
        .heads
        .with_thumbnails(attention, |rows, columns, maps| {
            let maps: Vec<_> = (0..heads.count).map(|head| maps.matrix(head)).collect();
            let sheet = sheet(&maps, rows, columns, heads.across, scale, theme);
            Pixels {
                rgba: sheet.rgba,
                rows: sheet.rows,
                columns: sheet.columns,
            }
        })
}

/// The control of one head, which lies over its map: hovering previews the head, a click locks it and, if it is the
/// only locked one, zooms to it; with Ctrl, ⌘ or Shift it adds the head to the locked ones. Arrow keys go to its
/// neighbours, X switches it off with those that are locked together with it. It is crossed out if it is off, and has a
/// bar if its importance is known, and a chip if its role is displayed.
#[component]
fn HeadButton(
    context: MapContext,
    choice: HeadChoice,
    heads: Heads,
    block: Block,
) -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let name = head_name();
    let chosen = move || context.heads.is_chosen(choice);
    // One stop for the keyboard, however many are chosen.
    let is_first = move || context.heads.chosen() == Some(choice);
    let is_off = Memo::new(move |_| context.off.read().contains(&choice));
    let change = Memo::new(move |_| {
        let importance = context.importance.read();
        let importance = importance.as_ref()?;
        let change = importance.of(choice)?;
        Some((change, change.abs() / importance.largest()))
    });
    let change_words = move || {
        change
            .get()
            .map(|(change, _)| t_string!(i18n, edits.change_of_log_p, change = signed(change)))
    };
    let chips = RoleChips::expect();
    let chip = Memo::new(move |_| chips.of(choice));
    let stands_back = Memo::new(move |_| chips.is_filtered() && chip.read().is_none());
    let role_words = move || {
        let Chip {
            role,
            offset,
            score,
            ..
        } = chip.get()?;
        Some(format!(
            "{} {}",
            role_name(i18n, role, offset),
            percent(score.weight, 0)
        ))
    };
    let full_name = move || {
        let mut name = name(choice.attention, choice.head);
        if is_off.get() {
            name = t_string!(i18n, edits.named_off, head = name);
        }
        let told = role_words().into_iter().chain(change_words());
        told.fold(name, |name, words| format!("{name}, {words}"))
    };
    let rect = heads.head(choice.head);
    let (margin, side) = (rect.width * MARGIN, rect.width * (1.0 - 2.0 * MARGIN));
    let style = format!(
        "left: {:.2}px; top: {:.2}px; width: {side:.2}px; height: {side:.2}px",
        rect.x - block.rect.x + margin,
        rect.y - block.rect.y + margin
    );
    view! {
        <button
            type="button"
            class="thumbnail"
            class:is-off=is_off
            class:stands-back=stands_back
            data-testid="thumbnail"
            data-head=position(choice)
            aria-label=full_name
            aria-keyshortcuts=SWITCH_KEY
            title=move || role_words().or_else(change_words)
            aria-pressed=move || chosen().to_string()
            tabindex=move || if is_first() { "0" } else { "-1" }
            style=style
            on:pointerenter=move |_| context.heads.hover_head(Some(choice))
            on:click=move |event| {
                if !context.dragged() {
                    click(context, choice, context.heads.pick(Pick::of(&event)));
                }
            }
            on:keydown=move |event| {
                if is_for_page(&event, SWITCH_KEY) {
                    event.prevent_default();
                    event.stop_propagation();
                    let heads = context.heads.with_its_choice(choice);
                    return live.edit(|edits| edits.toggle_heads(&heads));
                }
                move_focus(context, choice, &event);
            }
        >
            <RoleChip chip />
            <span
                class="head-change"
                class:is-hidden=move || change.get().is_none()
                class:is-rise=move || change.get().is_some_and(|(change, _)| change > 0.0)
                style=move || format!("--share: {:.3}", change.get().map_or(0.0, |(_, share)| share))
            >
                {move || change.get().map(|(change, _)| signed(change))}
            </span>
        </button>
    }
}

/// The head's role and the share of its weight there, as a band of the role's colour, with words when zoomed in; the
/// button's name has them too.
#[component]
fn RoleChip(chip: Memo<Option<Chip>>) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let color = move || {
        let color = role_color(chip.get()?.role, appearance.get());
        Some(format!("--role: {}", css(color)))
    };
    let words = move || {
        let Chip {
            role,
            offset,
            score,
            ..
        } = chip.get()?;
        let share = (100.0 * score.weight).round();
        Some(format!("{} {share}", role_mark(i18n, role, offset)))
    };
    view! {
        <span
            class="head-role"
            class:is-hidden=move || chip.read().is_none()
            style=color
            aria-hidden="true"
        >
            {words}
        </span>
    }
}

fn click(context: MapContext, choice: HeadChoice, pick: Pick) {
    let is_alone = untrack(|| context.heads.chosen_heads()) == [choice];
    match pick {
        Pick::Alone if is_alone => context.go_to_head(),
        Pick::Alone => context.heads.lock_head(choice),
        Pick::Also | Pick::UpTo => context.heads.toggle_head(choice),
    }
}

fn position(choice: HeadChoice) -> String {
    let kind = choice.attention.kind.address_value();
    format!("{kind}-{}-{}", choice.attention.layer, choice.head)
}

/// Handles arrow keys, which lock the neighbour; with Shift they add the next head of the same kind, and if plain
/// clicks add, they move only the focus.
fn move_focus(context: MapContext, from: HeadChoice, event: &KeyboardEvent) {
    let Some(direction) = Direction::of_key(&event.key()) else {
        return;
    };
    event.prevent_default();
    event.stop_propagation();
    let adds = event.shift_key();
    let fits = |other: HeadChoice| !adds || other.attention.kind == from.attention.kind;
    let to = untrack(|| {
        let (spec, drawing) = (context.spec.read(), context.drawing.read());
        Some(
            drawing
                .as_ref()?
                .neighbour(spec.as_ref()?, from, direction, fits),
        )
    });
    let Some(to) = to else { return };
    let is_chosen = untrack(|| context.heads.is_chosen(to));
    match context.heads.pick(Pick::of_key(event)) {
        Pick::UpTo if !is_chosen => context.heads.toggle_head(to),
        Pick::Alone => context.heads.lock_head(to),
        Pick::UpTo | Pick::Also => {}
    }
    let selector = format!("[data-testid=thumbnail][data-head='{}']", position(to));
    if let Some(Some(element)) = document()
        .query_selector(&selector)
        .or_logged("finding a head")
        && let Ok(element) = element.dyn_into::<HtmlElement>()
    {
        element.focus().or_logged("moving the focus");
    }
}
