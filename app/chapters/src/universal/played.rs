//! The passes through the block as a picture in steps: tokens that still run exchange what they know, halted ones keep
//! their states.

use attention_figures::passes::Passes;
use attention_trace::{AttentionKind, Token};
use leptos::prelude::*;

use super::{context::UniversalContext, parameters::UniversalView};
use attention_core::{
    engine::Part,
    i18n::{t_string, use_i18n},
    names::token_name,
    selection::HeadChoice,
    state::ViewState,
    widgets::{StagedFigure, player::Player},
};

/// The picture of one head on every pass, with its player.
#[component]
pub fn PassesPlayed(
    head: Memo<Option<HeadChoice>>,
    depths: Memo<usize>,
    /// The map of the head on each pass.
    maps: Memo<Option<Vec<Part>>>,
) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = UniversalContext::expect();
    let name = token_name();
    let passes = Memo::new(move |_| {
        let (meta, kind) = (context.meta.get()?, head.get()?.attention.kind);
        let (queries, keys) = meta.axes(kind);
        let named = |tokens: &[Token]| tokens.iter().map(name).collect::<Vec<_>>();
        let used = context.used(kind.stack()).get()?;
        let maps = maps.get()?;
        let fits = |part: &Part| part.0.shape == [queries.len(), keys.len()];
        maps.iter().all(fits).then(|| Passes {
            tokens: named(queries),
            keys: (kind == AttentionKind::Cross).then(|| named(keys)),
            depths: used.iter().map(|it| it.ponder.depth).collect(),
            maps: maps.iter().map(|Part(array)| array.data.clone()).collect(),
        })
    });
    let wanted = state.select(|view| view.chapters.of::<UniversalView>().pass);
    let player = Player::new(
        move || wanted.get(),
        move || depths.get() + 1,
        move |pass| state.update_chapters(|all| all.of_mut::<UniversalView>().pass = pass),
    );
    let presents = state.select(|view| view.class.present);
    player.listen_while(move || !presents.get_untracked());
    let words = Signal::derive(move || {
        let timeline = player.timeline();
        let count = timeline.count.saturating_sub(1);
        passes.with(|passes| {
            let (running, all) = passes.as_ref().map_or((0, 0), |passes| {
                (passes.running(timeline.step), passes.tokens.len())
            });
            match timeline.step {
                0 => t_string!(i18n, universal.before_passes, count = count),
                pass => t_string!(
                    i18n,
                    universal.pass_of,
                    pass = pass,
                    count = count,
                    running = running,
                    all = all
                ),
            }
        })
    });
    view! {
        <StagedFigure
            test_id="passes-played"
            name=Signal::derive(move || t_string!(i18n, universal.played).to_owned())
            player
            words
            draw=move |width| passes.with(|passes| Some(passes.as_ref()?.picture(width)))
        />
    }
}
