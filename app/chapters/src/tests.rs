//! Tests of all chapters' parameters: they survive the address, and those that a model lacks are found.

mod kits;

use std::path::Path;

use attention_core::{
    selection::Drawing,
    state::{FaultKind, HeadChoice, Kind, Tab, View},
};
use attention_trace::{
    AttentionKind, AttentionLayer, Token, Trace, TraceMeta, config::MarianConfig,
};
use proptest::prelude::*;

use super::*;
use crate::{
    alignment::parameters::tests::alignment,
    compare::parameters::tests::compare,
    derived::parameters::tests::derived,
    embedding::parameters::tests::embedding,
    explanation::parameters::tests::explanation,
    flash::parameters::tests::flash,
    forcing::parameters::tests::forcing,
    hand::parameters::{Hand, HandCell, HandMatrix, tests::hand},
    heads::parameters::tests::heads,
    image::parameters::{ImageLab, tests::image},
    induction::parameters::tests::induction,
    judging::parameters::tests::judging,
    kinds::parameters::tests::kinds,
    layers::parameters::tests::layers,
    lens::parameters::{LensView, tests::lens},
    long::parameters::tests::long_texts,
    masks::parameters::tests::masks,
    memory::parameters::tests::memory,
    norms::parameters::tests::norms,
    order::parameters::tests::order,
    patching::parameters::tests::patching,
    positions::{
        parameters::tests::encodings,
        sinusoids::{Positions, tests::positions},
    },
    recall::parameters::tests::recall,
    recurrent::parameters::tests::recurrent,
    roles::parameters::tests::roles,
    scale::parameters::tests::scale,
    scores::parameters::tests::scores,
    search::parameters::tests::search,
    sizes::parameters::tests::sizes,
    start::parameters::tests::start,
    testing::view,
    training::parameters::tests::training,
    universal::parameters::tests::universal,
};

/// Checks that a view of these parameters survives the address and that every entry is understood.
fn survives<P: Parameters>(parameters: P) -> Result<(), TestCaseError> {
    install();
    let mut view = View::default();
    *view.chapters.of_mut() = parameters;
    let (read, faults) = View::from_address(&view.to_fragment());
    prop_assert_eq!(faults, []);
    prop_assert_eq!(read, view);
    Ok(())
}

macro_rules! survive {
    ($($strategy:ident)+) => {
        proptest! {$(
            #[test]
            fn $strategy(parameters in super::$strategy()) {
                super::survives(parameters)?;
            }
        )+}
    };
}

mod survives_the_address {
    use proptest::prelude::*;

    survive! {
        alignment compare derived embedding explanation flash forcing hand heads image induction judging kinds layers lens long_texts masks memory
        norms order patching encodings positions recall recurrent roles scale scores search sizes start training universal
    }
}

#[test]
fn every_type_of_parameters_is_listed_once_and_names_its_chapter() {
    let kinds: Vec<Kind> = PAGES.iter().flat_map(Page::kinds).collect();
    assert_eq!(kinds.len(), PAGES.len() + 1);
    for page in PAGES {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("src")
            .join(page.name);
        assert!(folder.join("parameters.rs").exists(), "{}", page.name);
    }
}

#[test]
fn addresses_without_the_mark_count_from_0() {
    let mut hand = Hand::default();
    hand.query = Some(2);
    let cell = HandCell {
        matrix: HandMatrix::Words,
        row: 1,
        column: 1,
    };
    hand.set(cell, 250);
    let read = view("tab=learn&chapter=hand&hand-query=2&hand-cells=x.1.1.250");
    assert_eq!(*read.chapters.of::<Hand>(), hand);

    let read = view("tab=learn&chapter=lens&lens-layer=1&lens-position=2&lens-head=cross.2.0");
    let lens = read.chapters.of::<LensView>();
    assert_eq!((lens.layer, lens.position), (Some(1), Some(2)));
    assert_eq!(lens.head, "cross.2.0".parse::<HeadChoice>().ok());
    let spelled = read.to_fragment();
    assert!(spelled.starts_with("v=2&") && spelled.contains("lens-position=3"));

    let read = view("tab=learn&chapter=image&picture=14&image-cell=0");
    let image = read.chapters.of::<ImageLab>();
    assert_eq!((image.sample, image.cell), (14, 0));
}

#[test]
fn the_chapter_about_recurrent_models_is_there() {
    assert_eq!(needs::ABOUT_RECURRENCE, RecurrentView::CHAPTER);
}

#[test]
fn an_address_without_a_chapter_means_what_it_meant() {
    let open = |address: &str| view(address).chapters.open;
    assert_eq!(open(""), "start");
    assert_eq!(open("kind=encoder&layer=2"), "start");
    for before in ["stage=5", "follow=thinking-machines", "follow=head"] {
        assert_eq!(open(before), "follow", "{before}");
    }
    assert_eq!(open("chapter=start&stage=5"), "start");
    assert_eq!(open("chapter=scale&stage=1"), "scale");
    let mut last = view("");
    last.chapters.stage = usize::MAX;
    assert_eq!(last.to_fragment(), "v=2&chapter=start&stage=last");
    assert_eq!(view("chapter=start&stage=last"), last);
}

#[test]
fn an_address_of_the_positions_tab_opens_the_chapter_at_the_encoding_of_its_model() {
    use attention_trace::positions::PositionalEncoding::{Alibi, Rope, Sinusoidal};
    for (model, encoding) in [
        ("translator", Sinusoidal),
        ("sentences", Rope),
        ("positions-alibi", Alibi),
        ("recall-alibi", Alibi),
    ] {
        let view = view(&format!("tab=positions&model={model}&seed=3"));
        assert_eq!(
            (view.tab, view.chapters.open.as_str()),
            (Tab::Learn, "positions")
        );
        assert_eq!(view.chapters.of::<Encodings>().encoding, encoding);
        assert_eq!(view.chapters.of::<Positions>().seed, 3);
    }
}

#[test]
fn values_end_with_what_they_belong_to() {
    let address = "text=Oui.+Non.&words=1.0&forced=Yes&patch-step=2&patch-other=Non.&lens-position=1&lens-layer=2\
                   &compare-cell=1.2&compare-scaled=1";
    let names = |view: &View| {
        let fragment = view.to_fragment();
        let known = [
            "words",
            "forced",
            "patch-step",
            "patch-other",
            "lens-position",
            "lens-layer",
            "compare-cell",
            "compare-scaled",
        ];
        known.map(|name| fragment.contains(&format!("{name}=")))
    };
    let before = view(address);
    let left = |change: fn(&mut View)| {
        let mut view = before.clone();
        change(&mut view);
        names(&view)
    };
    assert_eq!(names(&before), [true; 8]);
    assert_eq!(
        left(|view| view.use_step(1)),
        [true, true, true, true, false, true, true, true]
    );
    assert_eq!(
        left(|view| view.use_kind(attention_trace::AttentionKind::EncoderSelf)),
        [true, true, true, true, true, true, false, true]
    );
    assert_eq!(
        left(|view| view.use_sentence(1)),
        [true, false, false, true, false, true, false, true]
    );
    assert_eq!(
        left(|view| view.use_text("Non.".to_owned())),
        [false, false, false, true, false, true, false, true]
    );
    assert_eq!(
        left(|view| view.use_model("universal".parse().unwrap())),
        [false, false, false, false, false, true, false, true]
    );
    let mut back = before.clone();
    back.use_sentence(1);
    back.come_back(&before);
    assert_eq!(back, before);
}

/// Names of entries whose values have a syntax that `!` violates.
const OF_A_KIND: [&str; 34] = [
    "length",
    "order",
    "base",
    "seed",
    "draw",
    "follow",
    "norm",
    "start-share",
    "hand-of",
    "hand-cells",
    "hand-unscaled",
    "heads-other",
    "mask",
    "search-table",
    "search-prefix",
    "search-all",
    "judged-n",
    "factored",
    "layers-n",
    "hops-off",
    "drawn",
    "lens-layer",
    "lens-head",
    "patch-stack",
    "patch-place",
    "patch-kept",
    "scale-row",
    "scores-by",
    "words",
    "way",
    "sizes-d",
    "sizes-tied",
    "train-task",
    "train-rate",
];

#[test]
fn a_value_that_means_nothing_is_listed() {
    install();
    for name in OF_A_KIND {
        let address = format!("{name}=!");
        let (read, faults) = View::from_address(&address);
        let quoted: Vec<String> = faults.iter().map(|fault| fault.quoted()).collect();
        assert_eq!(quoted, [address]);
        assert_eq!(read, View::default());
    }
}

/// Returns a trace of three source tokens and two target tokens, with two layers of four heads.
fn trace() -> Trace {
    let tokens = |count: u32| {
        let token = |id: u32| Token {
            id,
            text: id.to_string(),
            unknown: false,
        };
        (0..count).map(token).collect()
    };
    let config = MarianConfig {
        encoder_layers: 2,
        decoder_layers: 2,
        encoder_attention_heads: 4,
        decoder_attention_heads: 4,
        ..MarianConfig::default()
    };
    Trace::new(TraceMeta {
        spec: config.spec(),
        source: tokens(3),
        target: tokens(2),
        pieces: attention_trace::Pieces::default(),
    })
}

#[test]
fn every_entry_beyond_what_there_is_is_found() {
    let lacking = |address: &str| {
        let lacking = view(address).lacking(address, &trace()).into_iter();
        lacking.map(|fault| fault.quoted()).collect::<Vec<_>>()
    };
    assert!(lacking("lens-layer=2&lens-position=1&lens-head=decoder.1.3").is_empty());
    for one in [
        "compare-cell=9.9",
        "lens-head=encoder.9.0",
        "compare-head=cross.0.4",
        "lens-layer=3",
        "aligned-heads=2.0",
        "patch-step=1",
        "dimension=512",
        "heads-other=4",
        "start-layers=3",
        "hand-query=9",
        "layers-output=999",
        "lens-position=2",
        "read-token=3",
        "halt-token=3",
        "patch-place=encoder.2.mlp.norm*0.0",
        "patch-place=encoder.0.self.z*h4",
    ] {
        assert_eq!(lacking(one), [one]);
    }
    let address = "v=2&lens-layer=3";
    let fault = &view(address).lacking(address, &trace())[0];
    assert_eq!(fault.kind, FaultKind::BeyondLast { last: 2, first: 0 });
}

#[test]
fn neighbours_are_those_of_the_list() {
    for pair in PAGES.windows(2) {
        assert_eq!(pair[0].neighbour(1), Some(&pair[1]));
        assert_eq!(pair[1].neighbour(-1), Some(&pair[0]));
    }
    assert_eq!(PAGES[0].neighbour(-1), None);
}

#[test]
fn an_opened_page_is_open() {
    for page in PAGES {
        let mut view = view("");
        page.open(&mut view);
        assert_eq!(Page::open_in(&view), page);
    }
    let unknown = view("chapter=alchemy");
    assert_eq!(Page::open_in(&unknown), &PAGES[0]);
}

#[test]
fn the_first_is_open_where_an_address_names_none() {
    assert_eq!(view("").chapters.open, PAGES[0].name);
    let before = view("tab=learn&stage=5");
    assert_eq!(Page::open_in(&before).name, "follow");
}

#[test]
fn parts_follow_one_another_and_have_all_chapters_with_all_pages() {
    let by_parts = || Part::ALL.into_iter().flat_map(Part::chapters);
    assert!(by_parts().eq(CHAPTERS));
    assert!(by_parts().flat_map(Chapter::pages).eq(PAGES));
    for part in Part::ALL {
        let places: Vec<_> = part.chapters().map(Chapter::place).collect();
        let count = places.len();
        let wanted: Vec<_> = (1..=count).map(|place| (place, count)).collect();
        assert_eq!(places, wanted);
    }
    assert_eq!(Part::Steps.chapters().count(), 10, "its title says ten");
}

#[test]
fn a_page_is_of_the_chapter_that_lists_it() {
    for chapter in CHAPTERS {
        assert!(chapter.pages().all(|page| Chapter::of(page) == chapter));
        assert_eq!(chapter.has_pages(), chapter.pages().count() > 1);
    }
}

/// Parts whose names are those of a choice: the page shows one of them.
const CHOSEN_PARTS: [(&str, &[&str]); 2] = [
    (
        "positions",
        &["none", "learned", "sinusoidal", "t5", "alibi"],
    ),
    ("scores", &["scaled-dot", "bilinear", "perceptron"]),
];

#[test]
fn every_part_of_a_text_is_shown() -> std::io::Result<()> {
    let chapters = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for Page { name, .. } in PAGES {
        let folder = chapters.join(name);
        let code = code_in(&folder)?;
        let text = std::fs::read_to_string(folder.join("en/text.md"))?;
        let headings = text.lines().filter(|line| line.starts_with('#'));
        let parts = headings.filter_map(|line| line.split_once("{#")?.1.strip_suffix('}'));
        for part in parts {
            let is_chosen = |(page, parts): &(&str, &[&str])| page == name && parts.contains(&part);
            let is_shown = code.contains(&format!("\"{part}\""));
            assert!(
                is_shown || CHOSEN_PARTS.iter().any(is_chosen),
                "{name}: {part}"
            );
        }
    }
    Ok(())
}

/// The code of a folder and of those in it.
fn code_in(folder: &Path) -> std::io::Result<String> {
    let mut code = String::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            code += &code_in(&path)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            code += &std::fs::read_to_string(path)?;
        }
    }
    Ok(code)
}

#[test]
fn a_chapter_takes_a_minute_for_a_hundred_words() -> std::io::Result<()> {
    let chapters = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for Page { name, minutes, .. } in PAGES {
        let text = std::fs::read_to_string(chapters.join(name).join("en/text.md"))?;
        // Of a formula with two forms one is on screen.
        let shown = text
            .lines()
            .filter_map(|line| line.split(r"\columns").next());
        let words = shown.flat_map(str::split_whitespace).count() as f64;
        let off = (words / 100.0 - f64::from(*minutes)).abs();
        assert!(off <= 1.0, "{name}: {words} words, {minutes} minutes");
    }
    Ok(())
}

#[test]
fn every_chapter_is_about_a_place() {
    let about = |topic| {
        let first = view("tab=learn");
        let is_about = |page: &&Page| (page.topic)(&first) == topic;
        PAGES.iter().filter(is_about).count()
    };
    assert_eq!(about(Topic::Embedding) + about(Topic::FeedForward), 3);
    // The calculator of sizes and three kinds of models, training, the block of every depth, patching, and the first
    // screen of the first chapter.
    assert_eq!(about(Topic::Whole), 6);
    assert_eq!(about(Topic::Writer), 6);
    let spec = MarianConfig::default().spec();
    let drawing = Drawing::of(&spec);
    let head = HeadChoice {
        attention: AttentionLayer {
            kind: AttentionKind::Cross,
            layer: 0,
        },
        head: 0,
    };
    for stage in 0..10 {
        let topic = topic_of(&view(&format!("tab=learn&chapter=start&stage={stage}")));
        let mut blocks = drawing.map.blocks.iter();
        assert!(
            blocks.any(|block| topic.includes(block, &drawing, &spec, Some(head))),
            "{stage}"
        );
    }
}
