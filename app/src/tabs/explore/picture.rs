//! The selected head over the picture that the model read: the attention of one token to every patch.

use attention_figures::heatmap::{Scale, rgba};
use attention_trace::{PictureGrid, PicturePart};
use leptos::{ev::KeyboardEvent, prelude::*};

use super::context::HeadsContext;
use attention_core::{
    appearance::Appearance,
    engine::{Job, Live},
    i18n::{t, t_string, use_i18n},
    pictures::Pictures,
    state::Cell,
    widgets::{MapCanvas, Pixels, numbers::percent, pointer_in},
};

/// The opacity of a patch with no attention, and of the one with the most, of 255.
const FAINT: f32 = 0.0;
const STRONG: f32 = 200.0;

/// The class token, which is the first, and is asked if no other token was chosen.
const CLASS: usize = 0;

/// The picture under the attention of a token. A click chooses the patch that asks, the pointer reads a patch's weight,
/// arrow keys move the patch that asks.
#[component]
pub fn PictureMap() -> impl IntoView {
    let i18n = use_i18n();
    let context = HeadsContext::expect();
    let (live, pictures) = (Live::expect(), Pictures::expect());
    let grid = Memo::new(move |_| context.trace()?.meta.pieces.picture.clone());
    let name = live.select(|engine| engine.shown.as_ref()?.job.as_ref().map(Job::input));
    let held = Memo::new(move |_| pictures.find(&name.get()?));
    let below = Signal::derive(move || {
        let held = held.get()?;
        let [columns, rows] = held.size_px();
        Some(Pixels {
            rgba: held.rgba().to_vec(),
            rows,
            columns,
        })
    });
    let asks = Memo::new(move |_| asking(context));
    let weights = Memo::new(move |_| weights(context, grid.read().as_ref()?, asks.get()));
    let overlay = overlay(context, grid, weights);
    let shape = move || match grid.get() {
        Some(PictureGrid {
            size_px: [width, height],
            ..
        }) => format!("aspect-ratio: {width} / {height}"),
        None => String::new(),
    };
    let seen = move || {
        let PicturePart {
            left,
            top,
            width,
            height,
        } = grid.get()?.seen();
        let share = |share: f64| 100.0 * share;
        Some(format!(
            "left: {:.3}%; top: {:.3}%; width: {:.3}%; height: {:.3}%",
            share(left),
            share(top),
            share(width),
            share(height)
        ))
    };
    let mark = move || {
        let grid = grid.get()?;
        let [row, column] = grid.place(asks.get())?;
        Some(format!(
            "left: {:.3}%; top: {:.3}%; width: {:.3}%; height: {:.3}%",
            100.0 * column as f64 / grid.columns as f64,
            100.0 * row as f64 / grid.rows as f64,
            100.0 / grid.columns as f64,
            100.0 / grid.rows as f64
        ))
    };
    let under = move |x: f64, y: f64| grid.with_untracked(|grid| patch_at(grid.as_ref()?, x, y));
    view! {
        <div class="picture-map" data-testid="picture-map">
            <div class="picture-frame" style=shape>
                <MapCanvas pixels=below />
                <div
                    class="picture-seen"
                    style=seen
                    data-testid="picture-field"
                    role="application"
                    tabindex="0"
                    aria-label=move || t_string!(i18n, picture.field_label)
                    aria-describedby="cell-readout"
                    on:pointermove=move |event| {
                        let place = pointer_in(&event);
                        let key = place.and_then(|[x, y, width, height]| under(x / width, y / height));
                        context.hover_cell(key.and_then(|key| cell(context, asks.get_untracked(), key)));
                    }
                    on:pointerleave=move |_| context.hover_cell(None)
                    on:click=move |event| {
                        let place = pointer_in(&event);
                        if let Some(patch) = place.and_then(|[x, y, width, height]| under(x / width, y / height)) {
                            ask(context, patch);
                        }
                    }
                    on:keydown=move |event| {
                        let moved = grid.with_untracked(|grid| {
                            moved(grid.as_ref()?, asks.get_untracked(), &event)
                        });
                        if let Some(token) = moved {
                            event.prevent_default();
                            ask(context, token);
                        }
                    }
                >
                    <MapCanvas pixels=overlay />
                    <Show when=move || mark().is_some()>
                        <span class="picture-mark" style=mark></span>
                    </Show>
                </div>
            </div>
            <Tokens grid asks />
            <Shares grid asks weights />
        </div>
    }
}

/// Buttons that let a token without a place in the picture ask: the class token and the registers.
#[component]
fn Tokens(grid: Memo<Option<PictureGrid>>, asks: Memo<usize>) -> impl IntoView {
    let i18n = use_i18n();
    let context = HeadsContext::expect();
    let count = Memo::new(move |_| grid.read().as_ref().map_or(0, |grid| grid.before));
    let name = move |token| match token {
        CLASS => t_string!(i18n, picture.class_token).to_owned(),
        register => t_string!(i18n, picture.register, number = register),
    };
    let button = move |token: usize| {
        view! {
            <button
                type="button"
                class="plain-button"
                data-testid=format!("picture-token-{token}")
                aria-pressed=move || (asks.get() == token).to_string()
                on:click=move |_| ask(context, token)
            >
                {move || name(token)}
            </button>
        }
    };
    view! {
        <div class="picture-tokens" role="group" aria-label=move || t_string!(i18n, picture.asks)>
            <span class="hint">{t!(i18n, picture.asks)}</span>
            {move || (0..count.get()).map(button).collect_view()}
            <span class="hint">{t!(i18n, picture.keys)}</span>
        </div>
    }
}

/// The shares of the attention that go to patches, to the class token, and to registers.
#[component]
fn Shares(
    grid: Memo<Option<PictureGrid>>,
    asks: Memo<usize>,
    weights: Memo<Option<Weights>>,
) -> impl IntoView {
    let i18n = use_i18n();
    let words = move || {
        let (grid, weights) = (grid.get()?, weights.get()?);
        let sum = |weights: &[f32]| percent(weights.iter().sum(), 1);
        let (class, registers) = weights.others.split_at_checked(1)?;
        let from = match grid.place(asks.get()) {
            Some([row, column]) => {
                t_string!(i18n, picture.patch, row = row + 1, column = column + 1)
            }
            None if asks.get() == CLASS => t_string!(i18n, picture.class_token).to_owned(),
            None => t_string!(i18n, picture.register, number = asks.get()),
        };
        Some(match registers.is_empty() {
            true => t_string!(
                i18n,
                picture.shares,
                from = from,
                rows = grid.rows,
                columns = grid.columns,
                patches = sum(&weights.patches),
                class = sum(class)
            ),
            false => t_string!(
                i18n,
                picture.shares_registers,
                from = from,
                rows = grid.rows,
                columns = grid.columns,
                patches = sum(&weights.patches),
                class = sum(class),
                registers = sum(registers)
            ),
        })
    };
    view! { <p class="hint" data-testid="picture-shares">{words}</p> }
}

/// The weights of a token's attention.
#[derive(Clone, Debug, PartialEq)]
struct Weights {
    /// The weights of the patches, row by row; 0 for one that the map leaves out.
    patches: Vec<f32>,
    /// The weights of the class token and the registers.
    others: Vec<f32>,
}

/// Returns the token that asks: that of the selected row, or the class token.
fn asking(context: HeadsContext) -> usize {
    let locked = context.locked_cell();
    let token = locked.and_then(|cell| context.token_of_query(cell.query));
    token.unwrap_or(CLASS)
}

fn weights(context: HeadsContext, grid: &PictureGrid, asks: usize) -> Option<Weights> {
    let weight = |token| {
        let cell = cell(context, asks, token);
        cell.and_then(|cell| context.with_map(|map| map.weight(cell))?)
    };
    // A map that is not here yet has no weight of any token.
    context.with_map(|_| ())?;
    let all: Vec<f32> = (0..grid.tokens())
        .map(|token| weight(token).unwrap_or(0.0))
        .collect();
    let (others, patches) = all.split_at_checked(grid.before)?;
    Some(Weights {
        patches: patches.to_vec(),
        others: others.to_vec(),
    })
}

/// Returns the cell of the shown map for the attention of one token to another.
fn cell(context: HeadsContext, asks: usize, key: usize) -> Option<Cell> {
    Some(Cell {
        query: context.query_of_token(asks)?,
        key: context.key_of_token(key)?,
    })
}

/// Lets a token ask, at the patch or token that it attends to most.
fn ask(context: HeadsContext, token: usize) {
    let strongest = untrack(|| context.strongest_of(context.query_of_token(token)?));
    if let Some(cell) = strongest {
        context.lock_cell(cell);
    }
}

/// Returns the pixels over the picture, one for each patch.
fn overlay(
    context: HeadsContext,
    grid: Memo<Option<PictureGrid>>,
    weights: Memo<Option<Weights>>,
) -> Signal<Option<Pixels>> {
    let appearance = Appearance::expect();
    Signal::derive(move || {
        let (grid, weights) = (grid.get()?, weights.get()?);
        let (rows, columns) = (grid.rows, grid.columns);
        let scale = context.scale();
        let mut rgba = rgba(&weights.patches, rows, columns, scale, appearance.get());
        let largest = weights.patches.iter().copied().fold(0.0, f32::max);
        let limit = match scale {
            Scale::PerMap if largest > 0.0 => largest,
            _ => 1.0,
        };
        for (pixel, weight) in rgba.chunks_exact_mut(4).zip(&weights.patches) {
            let share = (weight / limit).clamp(0.0, 1.0);
            pixel[3] = (FAINT + (STRONG - FAINT) * share) as u8;
        }
        Some(Pixels {
            rgba,
            rows,
            columns,
        })
    })
}

/// Returns the token of the patch at a place of the part that is seen, in shares of its width and height.
fn patch_at(grid: &PictureGrid, x: f64, y: f64) -> Option<usize> {
    let index = |share: f64, count: usize| {
        let is_within = (0.0..1.0).contains(&share);
        is_within.then_some((share * count as f64) as usize)
    };
    grid.token(index(y, grid.rows)?, index(x, grid.columns)?)
}

/// Returns the token that a key goes to from another: the neighbouring patch, the class token by Home and Escape. From a
/// token without a place an arrow goes to the patch in the middle.
fn moved(grid: &PictureGrid, from: usize, event: &KeyboardEvent) -> Option<usize> {
    if event.ctrl_key() || event.alt_key() || event.meta_key() {
        return None;
    }
    let [down, right] = match event.key().as_str() {
        "ArrowUp" => [-1, 0],
        "ArrowDown" => [1, 0],
        "ArrowLeft" => [0, -1],
        "ArrowRight" => [0, 1],
        "Home" | "Escape" => return Some(CLASS),
        _ => return None,
    };
    neighbour(grid, from, [down, right])
}

fn neighbour(grid: &PictureGrid, from: usize, [down, right]: [isize; 2]) -> Option<usize> {
    let Some([row, column]) = grid.place(from) else {
        return grid.token(grid.rows / 2, grid.columns / 2);
    };
    let row = row.saturating_add_signed(down).min(grid.rows - 1);
    let column = column.saturating_add_signed(right).min(grid.columns - 1);
    grid.token(row, column)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> PictureGrid {
        PictureGrid {
            rows: 2,
            columns: 3,
            before: 1,
            patch_px: 8,
            size_px: [24, 16],
            resized_px: [24, 16],
            corner_px: [0, 0],
        }
    }

    #[test]
    fn a_place_of_the_picture_is_in_a_patch() {
        assert_eq!(patch_at(&grid(), 0.0, 0.0), Some(1));
        assert_eq!(patch_at(&grid(), 0.99, 0.99), Some(6));
        assert_eq!(patch_at(&grid(), 1.0, 0.5), None);
        assert_eq!(patch_at(&grid(), f64::NAN, 0.5), None);
    }

    #[test]
    fn arrows_stay_within_the_picture_and_enter_it_in_the_middle() {
        assert_eq!(neighbour(&grid(), 1, [0, 1]), Some(2));
        assert_eq!(neighbour(&grid(), 1, [-1, 0]), Some(1));
        assert_eq!(neighbour(&grid(), 6, [1, 1]), Some(6));
        assert_eq!(neighbour(&grid(), CLASS, [0, 1]), Some(5));
    }
}
