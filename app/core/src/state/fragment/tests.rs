//! Round trips of views, and addresses made by earlier versions.

use proptest::prelude::*;

use super::*;
use crate::i18n::Locale;
use crate::state::beside::tests::BESIDE;
use crate::state::chapters::tests::choice;
use crate::state::sampling::tests::sampling;
use attention_trace::snippets::Library;

use crate::state::{
    DeviceChoice, GivenEdit, ImportanceOf, Model, Theme, Tool,
    counting::{Counted, FROM_ONE, MARK},
};
use form_urlencoded::Serializer;

fn search() -> impl Strategy<Value = Search> {
    prop_oneof![
        Just(Search::Greedy),
        sampling().prop_map(SamplingChoice::search),
        (2..=MAX_BEAM_WIDTH, 0.0..=MAX_LENGTH_PENALTY).prop_map(|(width, length_penalty)| {
            Search::Beam {
                width,
                length_penalty,
            }
        }),
    ]
}

prop_compose! {
    /// Generates a view with a chosen head, and sometimes further heads and places of its map.
    fn heads()(
        (kind, layer, head) in (choice::<AttentionKind>(), any::<usize>(), any::<usize>()),
        more_heads in any::<Vec<(usize, usize)>>(),
        (cell, rows) in (proptest::option::of(any::<(usize, usize)>()), any::<Vec<usize>>()),
    ) -> View {
        let place = |(layer, head)| HeadPlace { layer, head };
        View {
            kind: Some(kind),
            layer,
            head,
            more_heads: more_heads.into_iter().map(place).collect(),
            cell: cell.map(|(query, key)| Cell { query, key }),
            rows,
            ..View::default()
        }
    }
}

prop_compose! {
    fn views()(
        (model, folder, beginning, text, masked, conversation, sentence, search, (prefix, most_new)) in (
            models(), any::<String>(), crate::state::beginning::tests::beginning(), any::<String>(), masked(),
            proptest::option::of(crate::state::conversation::tests::conversation().boxed()),
            any::<usize>(), search(), (any::<Vec<u32>>(), proptest::option::of(1..=MOST_NEW_TOKENS)),
        ),
        (edits, importance, (importance_of, importance_at), game, roles) in (
            crate::state::edits::tests::edit_lists(), any::<bool>(),
            (choice::<ImportanceOf>(), BESIDE), proptest::option::of(1u8..=100),
            crate::state::roles::tests::roles(),
        ),
        tab in choice::<Tab>(),
        head in proptest::option::of(heads().boxed()),
        closeup in proptest::option::of(closeups().boxed()),
        window in proptest::option::of(any::<[usize; 3]>()),
        (representation, normalised, display, step) in
            (choice::<Representation>(), any::<bool>(), displays(), any::<usize>()),
        (tool, evidence) in (choice::<Tool>(), crate::state::claims::tests::evidence().boxed()),
        (chapters, class) in (crate::state::chapters::tests::chapters().boxed(), crate::state::class::tests::class()),
        language in proptest::option::of(prop::sample::select(Locale::get_all())),
        (theme, large, columns, library, (device, server)) in (
            choice::<Theme>(), any::<bool>(), any::<bool>(), choice::<Library>(),
            (choice::<DeviceChoice>(), proptest::option::of(crate::state::server::tests::server())),
        ),
    ) -> View {
        let View { kind, layer, head, more_heads, cell, rows, .. } = head.unwrap_or_default();
        let window = window.map(|[row, column, cell]| Aim { row, column, cell });
        let folder = match model {
            Model::Mine(_) => folder,
            _ => String::new(),
        };
        let beginning = match model {
            Model::Mine(_) => beginning,
            _ => Beginning::default(),
        };
        let most_new = most_new.filter(|_| matches!(model, Model::Mine(_)));
        View {
            model, folder, beginning, text, masked, conversation, sentence, search, prefix, most_new, edits, importance, importance_of, importance_at, game, roles, tab, kind, layer, head, more_heads, cell, rows,
            closeup, window, representation, tool, evidence, normalised, display, step, chapters, class, language, theme, large, columns, library, device, server,
        }
    }
}

/// Words behind masks, some of them unknown; a single unknown one is that of no entry.
fn masked() -> impl Strategy<Value = Vec<String>> {
    let words = prop::collection::vec("[a-z'é我]{0,4}", 0..4);
    words.prop_filter("a list of an empty word is an empty list", |words| {
        words != &[""]
    })
}

fn displays() -> impl Strategy<Value = Display> {
    any::<[bool; 3]>().prop_map(|[words, no_special, no_sink]| Display {
        words,
        no_special,
        no_sink,
    })
}

fn closeups() -> impl Strategy<Value = Closeup> {
    let at = any::<(u32, [u32; 2])>();
    prop_oneof![
        Just(Closeup::Head),
        Just(Closeup::Block),
        at.prop_map(|(zoom, centre)| Closeup::At { zoom, centre }),
    ]
}

fn models() -> impl Strategy<Value = Model> {
    let trained = crate::state::trained::tests::trained_id().prop_map(Model::Trained);
    let mine = proptest::option::of(crate::state::mine::tests::mine_id()).prop_map(Model::Mine);
    prop_oneof![choice::<Model>(), trained, mine]
}

/// Generates known names with values of all sorts, and meaningless strings.
fn fragments() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "((v|model|text|masked|beam|alpha|prefix|off|weights|evidence|tool|tab|layer|with|cell|rows|map|window|step|lang|large|sizes-n|m|words|scale-row)=[a-z0-9.%+-]{0,12}&){0,8}",
    ]
}

proptest! {
    #[test]
    fn a_view_survives_the_address(view in views()) {
        prop_assert_eq!(View::from_fragment(&view.to_fragment()), view);
    }

    #[test]
    fn any_fragment_is_a_view(fragment in fragments()) {
        let view = View::from_fragment(&fragment);
        prop_assert_eq!(View::from_fragment(&view.to_fragment()), view);
    }
}

/// Generates views as the page spells them, boxed, since they would overflow a test's stack.
fn spelled_views() -> BoxedStrategy<String> {
    views().prop_map(|view| view.to_fragment()).boxed()
}

/// The names whose values have a syntax, so that `!` is invalid.
const OF_A_KIND: [&str; 39] = [
    "v",
    "model",
    "chat",
    "sentence",
    "beam",
    "alpha",
    "sampling",
    "prefix",
    "off",
    "off-by",
    "reweighed",
    "weights",
    "importance",
    "importance-of",
    "importance-at",
    "roles",
    "roles-of",
    "role",
    "roles-at",
    "game",
    "tab",
    "map",
    "window",
    "show",
    "tool",
    "evidence",
    "normalised",
    "whole-words",
    "no-special",
    "no-sink",
    "step",
    "stage",
    "pairs",
    "windows",
    "graded",
    "lang",
    "large",
    "columns",
    "code",
];

fn quoted(faults: &[AddressFault]) -> Vec<String> {
    faults.iter().map(AddressFault::quoted).collect()
}

/// Views in addresses from the time when the page counted from 0.
#[test]
fn an_address_without_the_mark_counts_from_0() {
    let head = |kind: AttentionKind, layer, head| View {
        kind: Some(kind),
        layer,
        head,
        ..View::default()
    };
    let learn = |chapter: &str, change: fn(&mut View)| {
        let mut view = View {
            tab: Tab::Learn,
            ..View::default()
        };
        view.chapters.open(chapter);
        change(&mut view);
        view
    };
    let step = View {
        step: 2,
        representation: Representation::NextWord,
        ..View::default()
    };
    let cell = View {
        cell: Some(Cell { query: 3, key: 1 }),
        rows: vec![2, 3],
        more_heads: vec![HeadPlace { layer: 0, head: 2 }],
        ..head(AttentionKind::Cross, 1, 3)
    };
    let edits: [GivenEdit; 4] = [
        GivenEdit::Off("encoder.0.2".parse().unwrap()),
        GivenEdit::Off("cross.1.3".parse().unwrap()),
        GivenEdit::Reweighed("permuted.7.cross.1".parse().unwrap()),
        GivenEdit::Weight("cross.1.3.3.0.750".parse().unwrap()),
    ];
    let off = View {
        edits: edits.into_iter().collect(),
        ..View::default()
    };
    let old = [
        (
            "kind=cross&layer=2&head=3",
            head(AttentionKind::Cross, 2, 3),
        ),
        (
            "layer=0&head=0&kind=encoder",
            head(AttentionKind::EncoderSelf, 0, 0),
        ),
        ("show=next&step=2", step),
        ("layer=1&head=3&with=0.2&cell=3.1&rows=2.3", cell),
        (
            "off=encoder.0.2-cross.1.3&weights=cross.1.3.3.0.750&reweighed=permuted.7.cross.1",
            off,
        ),
        (
            "tab=learn&chapter=start&stage=4",
            learn("start", |view| view.chapters.stage = 4),
        ),
        (
            "tab=learn&chapter=scale&route=ninety&stop=5&figure=1",
            learn("scale", |view| {
                "ninety".clone_into(&mut view.class.route);
                (view.class.stop, view.class.figure) = (5, 1);
            }),
        ),
    ];
    for (address, view) in old {
        assert_eq!(View::from_fragment(address), view, "{address}");
        let new = view.to_fragment();
        assert!(new.starts_with("v=2&"), "{new}");
        assert_eq!(View::from_fragment(&new), view, "{new}");
    }
}

#[test]
fn an_address_counts_from_1_as_the_page_does() {
    let view = View::from_fragment("v=2&kind=cross&layer=3&head=4&cell=1.2&step=2");
    assert_eq!((view.layer, view.head, view.step), (2, 3, 1));
    assert_eq!(view.cell, Some(Cell { query: 0, key: 1 }));
    let (view, faults) = View::from_address("v=2&layer=0&head=2&with=1.0.2.3&off=cross.0.1");
    assert_eq!(quoted(&faults), ["layer=0", "with=1.0", "off=cross.0.1"]);
    assert_eq!((view.head, view.more_heads.len()), (1, 1));
    // Of what has no number, an address needs no mark.
    let plain = View::from_fragment("tab=learn&chapter=lens").to_fragment();
    assert_eq!(plain, "tab=learn&chapter=lens");
}

proptest! {
    #[test]
    fn an_address_means_the_same_with_and_without_the_mark(fragment in fragments()) {
        let reader = Reader::new(&fragment);
        prop_assume!(reader.get(MARK).is_none());
        let mut counted = Serializer::new(String::new());
        counted.append_pair(MARK, FROM_ONE);
        for (name, value) in form_urlencoded::parse(fragment.trim_start_matches('#').as_bytes()) {
            let value = match Counted::of(&name) {
                Some(counted) => counted.one_based(&value),
                None => value.into_owned(),
            };
            counted.append_pair(&name, &value);
        }
        prop_assert_eq!(View::from_fragment(&counted.finish()), View::from_fragment(&fragment));
    }

    #[test]
    fn what_the_page_spells_is_understood(fragment in spelled_views()) {
        let (_, faults) = View::from_address(&fragment);
        prop_assert_eq!(quoted(&faults), Vec::<String>::new());
    }

    #[test]
    fn every_entry_that_means_nothing_is_listed_and_no_other_is_lost(
        fragment in spelled_views(),
        bad in prop::collection::vec(prop::sample::select(&OF_A_KIND[..]), 0..6),
        strange in proptest::option::of("zz-[a-z]{1,8}"),
    ) {
        let view = View::from_fragment(&fragment);
        let names = Reader::new(&fragment);
        let mut bad: Vec<&str> = bad.into_iter().filter(|name| names.get(name).is_none()).collect();
        bad.sort_unstable();
        bad.dedup();
        let bad = bad.into_iter().map(|name| format!("{name}=!"));
        let added: Vec<String> = bad.chain(strange.map(|name| format!("{name}=1"))).collect();
        let (read, faults) = View::from_address(&format!("{}&{fragment}", added.join("&")));
        prop_assert_eq!(quoted(&faults), added);
        prop_assert_eq!(read, view);
    }

    #[test]
    fn any_fragment_says_what_of_it_is_not_understood(fragment in fragments()) {
        let (view, faults) = View::from_address(&fragment);
        prop_assert!(quoted(&faults).iter().all(|entry| !entry.contains('\n')));
        prop_assert_eq!(View::from_fragment(&fragment), view);
    }
}

#[test]
fn what_is_not_understood_is_told_by_name_and_value() {
    let address =
        "model=gpt2&layer=-1&tab=nope&off=cross.0.1-x-cross.0.2&foo=bar&step=2&step=3&lang=tlh";
    let (view, faults) = View::from_address(address);
    let expected = [
        "model=gpt2",
        "layer=-1",
        "tab=nope",
        "off=x",
        "foo=bar",
        "step=3",
        "lang=tlh",
    ];
    assert_eq!(quoted(&faults), expected);
    assert_eq!((view.edits.heads_off().len(), view.step), (2, 2));
    assert_eq!(faults[4].kind, FaultKind::UnknownName);
    assert_eq!(faults[0].kind, FaultKind::UnknownValue);
}

#[test]
fn an_address_that_is_too_long_is_told_by_its_beginning() {
    let address = format!("text={}", "a".repeat(LONGEST_FRAGMENT));
    let (view, faults) = View::from_address(&address);
    assert_eq!(view, View::default());
    assert_eq!(
        faults[0].kind,
        FaultKind::TooLong {
            bytes: address.len()
        }
    );
    assert!(faults[0].quoted().starts_with("text=aaa"));
}

#[test]
fn a_penalty_that_means_nothing_leaves_the_beam() {
    let beam = |width, length_penalty| Search::Beam {
        width,
        length_penalty,
    };
    let search = |address: &str| View::from_fragment(address).search;
    assert_eq!(search("beam=4&alpha=9"), beam(4, LENGTH_PENALTY));
    assert_eq!(search("beam=4&alpha=1"), beam(4, 1.0));
    assert_eq!(search("beam=99&alpha=1"), Search::Greedy);
}

#[test]
fn defaults_are_left_out() {
    assert_eq!(View::default().to_fragment(), "");
    let sentences = View::from_fragment("model=sentences");
    assert_eq!(
        sentences.text,
        "sentences".parse::<Model>().unwrap().first_text()
    );
    assert_eq!(sentences.to_fragment(), "model=sentences");
}

#[test]
fn several_heads_and_rows_are_lists() {
    let view = View::from_fragment("with=0.2.2.7.1&rows=1.2.4");
    let place = |layer, head| HeadPlace { layer, head };
    assert_eq!(view.more_heads, [place(0, 2), place(2, 7)]);
    assert_eq!(view.rows, [1, 2, 4]);
    assert_eq!(
        view.to_fragment(),
        "v=2&layer=2&head=4&with=1.3.3.8&rows=2.3.5"
    );
}

#[test]
fn addresses_made_when_the_first_head_was_another_keep_their_head() {
    let head = |fragment| {
        let view = View::from_fragment(fragment);
        [view.layer, view.head]
    };
    assert_eq!(head("layer=0"), [0, 3]);
    assert_eq!(head("head=5"), [1, 5]);
    for fragment in ["cell=1.2", "rows=1.2", "with=0.2", "kind=cross"] {
        assert_eq!(head(fragment), [1, 3], "{fragment}");
    }
    // Nothing of theirs was a head's.
    let View {
        layer, head: first, ..
    } = View::default();
    assert_eq!(head("tab=decoding&step=2"), [layer, first]);
}

#[test]
fn junk_is_ignored_field_by_field() {
    let view = View::from_fragment(
        "#tab=nope&layer=-1&head=2&with=1.x&cell=1.x&rows=2.&large=yes&beam=999&prefix=3.4.&theme=dark&x=y&%ff&normalised=7",
    );
    let expected = View {
        // A head is named.
        kind: Some(AttentionKind::Cross),
        layer: 1,
        head: 2,
        theme: Theme::Dark,
        ..View::default()
    };
    assert_eq!(view, expected);
}

#[test]
fn an_address_that_names_a_head_without_its_kind_means_cross_attention() {
    for fragment in [
        "tab=learn&layer=0",
        "tab=learn&head=5",
        "tab=learn&with=0.2",
        "tab=learn&rows=1.2",
        "tab=learn&cell=1.2&stage=4",
    ] {
        let view = View::from_fragment(fragment);
        assert_eq!(view.kind(), AttentionKind::Cross, "{fragment}");
        assert!(!view.to_fragment().contains("kind="), "{fragment}");
    }
    let chosen = View::from_fragment("tab=learn&kind=cross");
    // With its head, the kind needs not be named.
    assert_eq!(chosen.to_fragment(), "v=2&tab=learn&layer=2&head=4");
    let view = View::from_fragment("tab=learn&stage=2");
    assert_eq!(view.kind(), AttentionKind::EncoderSelf);
}

#[test]
fn an_address_of_the_two_tabs_of_which_one_was_made_opens_what_it_showed() {
    let decoding = View::from_fragment("tab=decoding&show=lines&step=2");
    assert_eq!(
        (decoding.tab, decoding.representation),
        (Tab::Explore, Representation::NextWord)
    );
    assert_eq!(decoding.to_fragment(), "v=2&show=next&step=3");
    let heads = View::from_fragment("tab=heads&show=lines");
    assert_eq!(heads.to_fragment(), "show=lines");
}

#[test]
fn heads_that_are_off_are_readable_in_the_address() {
    let view = View::from_fragment("off=cross.1.3,encoder.0.2");
    assert_eq!(view.to_fragment(), "v=2&off=encoder.1.3-cross.2.4");
}

#[test]
fn an_empty_text_is_not_the_default_text() {
    assert_eq!(View::from_fragment("text=").text, "");
    assert_eq!(View::from_fragment("").text, Model::default().first_text());
}
