//! Exported figures: golden files in `tests/golden/export`, and properties that hold for any figure. After a change that
//! is meant, run with `BLESS=1` and look at the pictures.
#![allow(clippy::unwrap_used, reason = "a panic is a failed test")]

use std::{env, fs, path::Path};

use attention_figures::{
    Theme,
    bars::Series,
    bipartite, color,
    export::{
        BarChart, Cells, Column, Connection, Content, Curves, Dots, Export, Grid, GridCell, Head,
        HeadGroup, Map, Marks, Page, Prefix, PrefixFate, Prefixes, Scale, Shares, Sheet, Side,
        Weighted, Width,
    },
    model_map::Rect,
    plane::Mark,
    plot::{Axis, Curve},
    scatter::Dot,
    stacked::Segment,
    staged::{self, Align, Piece, Staged, Tone},
};
use proptest::prelude::*;

fn assert_golden(name: &str, actual: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden/export")
        .join(name);
    if env::var_os("BLESS").is_some() {
        fs::write(&path, actual).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    let expected = fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}; run with BLESS=1", path.display()));
    assert!(
        expected == actual,
        "{} has changed; run with BLESS=1 if that was meant",
        path.display()
    );
}

fn side(name: &str, labels: &[&str]) -> Side {
    Side {
        name: name.to_owned(),
        labels: labels.iter().map(|&label| label.to_owned()).collect(),
        first: 0,
    }
}

const WEIGHTS: Scale = Scale::Sequential {
    low: 0.0,
    high: 1.0,
};

/// A causal map: masked cells, markup in a label, and Chinese.
fn causal() -> Export {
    let none = f32::NEG_INFINITY;
    let labels = ["<s>", "我", "是", "学生 & \"co\""];
    Export {
        title: "Layer 2, head 3: Decoder masked self-attention".to_owned(),
        caption: "Model: a translator. Text: “我是学生”. 50 % of $x_1$.".to_owned(),
        content: Content::Map(Map {
            values: vec![
                1.0, none, none, none, 0.25, 0.75, none, none, 0.125, 0.5, 0.375, none, 0.1, 0.2,
                0.3, 0.4,
            ],
            words: vec![],
            rows: side("Query", &labels),
            columns: side("Key", &labels),
            value: "Attention weight".to_owned(),
            masked: "masked".to_owned(),
            scale: WEIGHTS,
            cells: Cells::Colors,
        }),
    }
}

fn with_map(change: impl FnOnce(&mut Map)) -> Export {
    let mut export = causal();
    if let Content::Map(map) = &mut export.content {
        change(map);
    }
    export
}

fn lines() -> Export {
    with_map(|map| map.cells = Cells::Lines)
}

fn signed() -> Export {
    with_map(|map| {
        let values = map.values.iter().enumerate();
        map.values = values
            .map(|(place, _)| (place as f32 - 7.5) / 2.0)
            .collect();
        map.scale = Scale::Diverging { limit: 3.75 };
        map.cells = Cells::Numbers;
        map.value = "q·k".to_owned();
        map.columns.labels.iter_mut().for_each(String::clear);
    })
}

fn sheet() -> Export {
    let causal = causal();
    let Content::Map(map) = &causal.content else {
        panic!("a map");
    };
    let head = |place: usize| Head {
        name: (place + 1).to_string(),
        values: map.values.clone(),
    };
    let group = |name: &str, heads: usize| HeadGroup {
        name: name.to_owned(),
        rows: map.rows.clone(),
        columns: map.columns.clone(),
        heads: (0..heads).map(head).collect(),
    };
    Export {
        title: "All heads".to_owned(),
        caption: String::new(),
        content: Content::Sheet(Sheet {
            groups: vec![group("Layer 1", 3), group("第 2 层", 12)],
            value: "Attention weight".to_owned(),
            masked: "masked".to_owned(),
            scale: Some(WEIGHTS),
        }),
    }
}

fn curves() -> Export {
    // Triangle waves: exact in binary, so the same on every machine.
    let wave = |period: usize| {
        let values = (0..30).map(|x| (x % period) as f32 / period as f32 * 2.0 - 1.0);
        values
            .map(|phase| 1.0 - 2.0 * phase.abs())
            .collect::<Vec<_>>()
    };
    let curve = |place: usize, period: usize| {
        let color = color::categorical(place, Theme::Dark);
        Curve::counted(format!("period {period} <周期>"), &wave(period), color)
    };
    Export {
        title: "Waves".to_owned(),
        caption: "Two of them.".to_owned(),
        content: Content::Curves(Curves {
            x: Axis::new("position", 0.0, 29.0),
            y: Axis::new("value & more", -1.0, 1.0),
            curves: vec![curve(0, 8), curve(1, 16), curve(2, 4).faint()],
        }),
    }
}

fn bars() -> Export {
    Export {
        title: "Bars".to_owned(),
        caption: String::new(),
        content: Content::Bars(BarChart {
            names: ["a<b", "étudiant", "学生"].map(str::to_owned).to_vec(),
            top: 1.0,
            marked: Some(1),
            series: vec![Series {
                label: Some("p".to_owned()),
                values: vec![0.25, 0.625, 0.125],
                colors: vec![color::categorical(0, Theme::Light)],
            }],
            further: vec![Column {
                name: "log p".to_owned(),
                values: vec![-1.386_294_4, -0.470_003_6, -2.079_441_5],
            }],
        }),
    }
}

fn words() -> Export {
    with_map(|map| {
        let words = ["I", "am", "a & b", "学生"].map(str::to_owned);
        map.words = [words.clone(), words.clone(), words.clone(), words].concat();
        map.cells = Cells::Numbers;
    })
}

/// Two beams: what was dropped, a whole sequence and the best one.
fn prefixes() -> Export {
    let node = |parent, name: &str, number: &str, log_probability, score, fate| Prefix {
        parent,
        name: name.to_owned(),
        number: number.to_owned(),
        log_probability,
        score,
        fate,
    };
    Export {
        title: "Beams".to_owned(),
        caption: String::new(),
        content: Content::Prefixes(Prefixes {
            nodes: vec![
                node(None, "a<b", "−0.25", Some(-0.25), None, PrefixFate::Best),
                node(None, "学生", "−1.50", Some(-1.5), None, PrefixFate::Kept),
                node(
                    Some(0),
                    "c & d",
                    "−0.31",
                    Some(-0.625),
                    Some(-0.3125),
                    PrefixFate::Best,
                ),
                node(Some(0), "e", "–", None, None, PrefixFate::Pruned),
                node(
                    Some(1),
                    "f",
                    "−1.00",
                    Some(-2.0),
                    Some(-1.0),
                    PrefixFate::Finished,
                ),
            ],
        }),
    }
}

fn grid() -> Export {
    let cell = |place: usize| GridCell {
        label: if place < 2 {
            (place + 1).to_string()
        } else {
            String::new()
        },
        step: place / 2,
        is_done: place < 4,
        is_input: place != 3,
        is_on_path: place.is_multiple_of(2),
    };
    let connection = |from, to, is_on_path| Connection {
        from,
        to,
        is_on_path,
    };
    Export {
        title: "Layers".to_owned(),
        caption: String::new(),
        content: Content::Grid(Grid {
            rows: 3,
            columns: 2,
            cells: (0..6).map(cell).collect(),
            connections: vec![
                connection((0, 1), (1, 0), false),
                connection((0, 0), (1, 0), true),
                connection((1, 0), (2, 0), true),
            ],
        }),
    }
}

fn marks() -> Export {
    let colors = [0, 1, 2].map(|place| color::categorical(place, Theme::Light));
    let weighted = |mark, weight| Weighted { mark, weight };
    let dot = |at, ringed| Mark::Dot {
        at,
        radius: 8.0,
        color: colors[0],
        label: "k₁ <".to_owned(),
        ringed,
    };
    Export {
        title: "Keys".to_owned(),
        caption: String::new(),
        content: Content::Marks(Marks {
            extent: 3.0,
            marks: vec![
                weighted(
                    Mark::Line {
                        from: [1.0, -1.0],
                        to: [0.5, 0.25],
                        color: colors[1],
                        width: 3.0,
                    },
                    Some(0.5),
                ),
                weighted(dot([1.0, -1.0], true), Some(0.75)),
                weighted(dot([-2.0, 0.5], false), Some(0.25)),
                weighted(
                    Mark::Arrow {
                        to: [0.5, 1.5],
                        color: colors[2],
                        label: "q".to_owned(),
                    },
                    None,
                ),
            ],
        }),
    }
}

fn staged() -> Export {
    let at = |y| Rect {
        x: 20.0,
        y,
        width: 60.0,
        height: 10.0,
    };
    let vector = |y, name: &str, values: &[f32]| Piece::Vector {
        at: at(y),
        name: name.to_owned(),
        values: values.to_vec(),
        shown: 3,
        cells: staged::Cells::Signed(2.0),
    };
    let mut picture = Staged::new(100.0, 80.0);
    picture.add(0, vector(10.0, "x", &[-2.0, 0.5, f32::NAN, 1.0]));
    picture.add(
        1,
        Piece::Line {
            from: [50.0, 22.0],
            to: [50.0, 44.0],
            width: 1.5,
            tone: Tone::Soft,
            pointed: true,
            name: "weight".to_owned(),
            value: Some(0.25),
        },
    );
    picture.add(1, vector(46.0, "z", &[1.0]));
    picture.add(
        1,
        Piece::Words {
            at: [50.0, 72.0],
            align: Align::Middle,
            tone: Tone::Ink,
            text: "a & 值".to_owned(),
        },
    );
    picture.add(2, vector(60.0, "later", &[3.0]));
    Export {
        title: "Steps".to_owned(),
        caption: String::new(),
        content: Content::Staged(picture, 1),
    }
}

fn shares() -> Export {
    let part = |place: usize, label: &str, value| Segment {
        label: label.to_owned(),
        value,
        color: color::categorical(place, Theme::Dark),
    };
    Export {
        title: "Parameters".to_owned(),
        caption: String::new(),
        content: Content::Shares(Shares {
            unit: "parameters".to_owned(),
            parts: vec![
                part(0, "embedding & output", 3e6),
                part(1, "注意力", 4e6),
                part(2, "none", 0.0),
                part(3, "norms", 1e6),
            ],
            per_cent: " %".to_owned(),
        }),
    }
}

fn dots() -> Export {
    let dot = |label: &str, at: [f32; 2], is_chosen: bool| Dot {
        at,
        label: label.to_owned(),
        color: color::categorical(0, Theme::Light),
        is_chosen,
    };
    Export {
        title: "Dots".to_owned(),
        caption: String::new(),
        content: Content::Dots(Dots {
            axes: ["entropy (bits)", "distance"].map(str::to_owned),
            dots: vec![
                dot("1.1", [0.5, 1.0], false),
                dot("1.2", [1.5, 0.25], true),
                dot("1.3", [f32::NAN, 0.25], false),
                dot("", [1.0, 1.0], false),
            ],
            names: ["1.1", "1.2", "1.3", "1.4"].map(str::to_owned).to_vec(),
        }),
    }
}

const NARROW: Page = Page {
    width: Width::OneColumn,
    is_transparent: false,
};
const WIDE: Page = Page {
    width: Width::TwoColumns,
    is_transparent: true,
};

#[test]
fn every_kind_of_figure_as_svg() {
    let figures = [
        ("map", causal()),
        ("lines", lines()),
        ("signed", signed()),
        ("sheet", sheet()),
        ("curves", curves()),
        ("bars", bars()),
        ("dots", dots()),
        ("words", words()),
        ("prefixes", prefixes()),
        ("grid", grid()),
        ("marks", marks()),
        ("shares", shares()),
        ("staged", staged()),
    ];
    for (name, figure) in figures {
        let narrow = figure.svg(NARROW).unwrap();
        assert_golden(&format!("{name}.svg"), &narrow);
        assert_golden(&format!("{name}-wide.svg"), &figure.svg(WIDE).unwrap());
    }
}

#[test]
fn every_kind_of_figure_as_tikz() {
    let figures = [
        ("map", causal()),
        ("lines", lines()),
        ("signed", signed()),
        ("curves", curves()),
        ("bars", bars()),
        ("dots", dots()),
        ("words", words()),
        ("marks", marks()),
        ("shares", shares()),
    ];
    for (name, figure) in figures {
        assert_golden(&format!("{name}.tex"), &figure.tikz(85.0).unwrap());
    }
    for figure in [sheet(), prefixes(), grid(), staged()] {
        assert_eq!(figure.tikz(85.0), None);
    }
}

#[test]
fn every_kind_of_figure_as_numbers() {
    let figures = [
        ("map", causal()),
        ("sheet", sheet()),
        ("curves", curves()),
        ("bars", bars()),
        ("dots", dots()),
        ("words", words()),
        ("prefixes", prefixes()),
        ("grid", grid()),
        ("marks", marks()),
        ("shares", shares()),
        ("staged", staged()),
    ];
    for (name, figure) in figures {
        assert_golden(&format!("{name}.csv"), &figure.csv());
        assert_golden(&format!("{name}.json"), &figure.json().unwrap());
    }
}

#[test]
fn the_size_is_in_millimetres_and_the_ground_white_or_nothing() {
    let narrow = causal().svg(NARROW).unwrap();
    assert!(narrow.contains("width=\"85mm\""));
    assert!(narrow.contains("fill=\"#ffffff\"/>"));
    let wide = causal().svg(WIDE).unwrap();
    assert!(wide.contains("width=\"175mm\""));
    assert!(!wide.contains("#ffffff\"/>"));
}

/// Every line of the page's drawing is in the exported one.
#[test]
fn lines_are_those_of_the_page() {
    let figure = lines();
    let Content::Map(map) = &figure.content else {
        panic!("a map");
    };
    let drawn = bipartite::Layout::default().lines(&map.values, 4, 4).len();
    let svg = figure.svg(NARROW).unwrap();
    // And the samples of the legend.
    assert_eq!(svg.matches("<path d=\"M").count(), drawn + 3);
}

/// Reads comma-separated values by the rules of RFC 4180.
fn read_csv(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut field) = (Vec::new(), Vec::new(), String::new());
    let (mut characters, mut is_quoted) = (text.chars().peekable(), false);
    while let Some(character) = characters.next() {
        match character {
            '"' if is_quoted && characters.peek() == Some(&'"') => {
                characters.next();
                field.push('"');
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => row.push(std::mem::take(&mut field)),
            '\r' if !is_quoted => {}
            '\n' if !is_quoted => {
                row.push(std::mem::take(&mut field));
                rows.push(std::mem::take(&mut row));
            }
            other => field.push(other),
        }
    }
    rows
}

/// Labels that break a careless writer.
fn label() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        prop::sample::select(vec![
            "",
            "<script>alert(1)</script>",
            "</text>]]>",
            "&amp;",
            "\"quoted\"",
            "a,b",
            "line\r\nbreak",
            "\u{0}\u{1}\u{1f}\u{7f}\u{85}\u{feff}\u{fffe}",
            "שלום",
            "🙂👩‍👩‍👧",
            "\\end{document}",
            "#$%^&_{}~",
        ])
        .prop_map(str::to_owned),
    ]
}

fn number() -> impl Strategy<Value = f32> {
    prop_oneof![
        any::<f32>(),
        0.0f32..=1.0,
        Just(f32::NAN),
        Just(f32::NEG_INFINITY)
    ]
}

fn maps() -> impl Strategy<Value = Map> {
    let sizes = (1usize..6, 1usize..6);
    sizes.prop_flat_map(|(rows, columns)| {
        let labels = |count| prop::collection::vec(label(), count);
        let cells = prop::sample::select(vec![Cells::Colors, Cells::Numbers, Cells::Lines]);
        let values = prop::collection::vec(number(), rows * columns);
        (values, labels(rows), labels(columns), cells, label()).prop_map(
            |(values, rows, columns, cells, value)| Map {
                words: vec![],
                values,
                rows: Side {
                    name: value.clone(),
                    labels: rows,
                    first: 3,
                },
                columns: Side {
                    name: "Key".to_owned(),
                    labels: columns,
                    first: 0,
                },
                value,
                masked: "masked".to_owned(),
                scale: WEIGHTS,
                cells,
            },
        )
    })
}

/// Returns what a number is in a file.
fn kept(value: f32) -> Option<f32> {
    Some(value).filter(|value| value.is_finite())
}

proptest! {
    #[test]
    fn every_number_of_a_map_reads_back(map in maps()) {
        let columns = map.columns.labels.len();
        let export = Export { title: String::new(), caption: String::new(), content: Content::Map(map.clone()) };
        let rows = read_csv(&export.csv());
        prop_assert_eq!(&rows[0][1..], &map.columns.labels[..]);
        for (place, row) in rows[1..].iter().enumerate() {
            prop_assert_eq!(&row[0], &map.rows.labels[place]);
            let read: Vec<Option<f32>> = row[1..].iter().map(|field| field.parse().ok()).collect();
            let own: Vec<Option<f32>> =
                map.values[place * columns..][..columns].iter().copied().map(kept).collect();
            prop_assert_eq!(read, own);
        }
        let json: serde_json::Value = serde_json::from_str(&export.json().unwrap()).unwrap();
        let values: Vec<Vec<Option<f32>>> = serde_json::from_value(json["values"].clone()).unwrap();
        let read: Vec<_> = values.into_iter().flatten().collect();
        prop_assert_eq!(read, map.values.iter().copied().map(kept).collect::<Vec<_>>());
        let labels: Vec<String> = serde_json::from_value(json["rows"]["labels"].clone()).unwrap();
        prop_assert_eq!(labels, map.rows.labels);
    }

    #[test]
    fn every_number_of_a_plot_reads_back(
        points in prop::collection::vec((any::<f64>(), any::<f64>()), 1..9), name in label()
    ) {
        let axis = || Axis::new(name.clone(), 0.0, 1.0);
        let curve = Curve { label: Some(name.clone()), points: points.clone(), color: [0; 3], width: 1.0, opacity: 1.0 };
        let content = Content::Curves(Curves { x: axis(), y: axis(), curves: vec![curve] });
        let export = Export { title: name.clone(), caption: String::new(), content };
        let kept = |value: f64| Some(value).filter(|value| value.is_finite());
        let own: Vec<_> = points.iter().map(|&(x, y)| [kept(x), kept(y)]).collect();
        let rows = read_csv(&export.csv());
        let read = rows[1..].iter().map(|row| [row[1].parse().ok(), row[2].parse().ok()]);
        prop_assert_eq!(read.collect::<Vec<_>>(), own.clone());
        let json = export.json().unwrap();
        // As text, since `serde_json` may round a number of 64 bits.
        let written = &json[json.find("\"points\":").unwrap()..];
        let written = &written[written.find('[').unwrap()..=written.find("]]").unwrap()];
        let numbers: Vec<Option<f64>> =
            written.split([',']).map(|number| number.trim_matches(['[', ']']).parse().ok()).collect();
        let read: Vec<_> = numbers.chunks(2).map(|pair| [pair[0], pair[1]]).collect();
        prop_assert_eq!(read, own);
    }

    /// Documents are well-formed, and no label is markup.
    #[test]
    fn svg_is_well_formed_for_any_label(map in maps(), title in label(), names in prop::collection::vec(label(), 1..4)) {
        let drawn = |content: Content| {
            let export = Export { title: title.clone(), caption: title.clone(), content };
            export.svg(NARROW).unwrap()
        };
        let chart = BarChart {
            names: names.clone(), top: 1.0, marked: None,
            series: vec![Series { label: Some(title.clone()), values: vec![0.5; names.len()], colors: vec![[0; 3]] }],
            further: vec![],
        };
        let node = |name: &String| Prefix {
            parent: None, name: name.clone(), number: name.clone(), log_probability: None, score: None, fate: PrefixFate::Best,
        };
        let tree = Prefixes { nodes: names.iter().map(node).collect() };
        let marks = names.iter().map(|name| Weighted {
            mark: Mark::Dot { at: [0.5, 0.5], radius: 3.0, color: [0; 3], label: name.clone(), ringed: true },
            weight: None,
        });
        let marks = Marks { extent: 2.0, marks: marks.collect() };
        let parts = names.iter().map(|name| Segment { label: name.clone(), value: 1.0, color: [0; 3] });
        let whole = Shares { unit: title.clone(), parts: parts.collect(), per_cent: " %".to_owned() };
        let spoken = Map { words: vec![title.clone(); map.values.len()], cells: Cells::Numbers, ..map.clone() };
        let sheet = Sheet {
            groups: vec![HeadGroup {
                name: title.clone(), rows: map.rows.clone(), columns: map.columns.clone(),
                heads: names.iter().map(|name| Head { name: name.clone(), values: map.values.clone() }).collect(),
            }],
            value: title.clone(), masked: title.clone(), scale: None,
        };
        let diagrams = [Content::Prefixes(tree), Content::Marks(marks), Content::Shares(whole), Content::Map(spoken)];
        for content in [Content::Map(map.clone()), Content::Bars(chart), Content::Sheet(sheet)].into_iter().chain(diagrams) {
            let svg = drawn(content);
            let document = roxmltree::Document::parse(&svg);
            prop_assert!(document.is_ok(), "{:?}: {svg}", document.err());
            let elements: std::collections::BTreeSet<String> = document
                .unwrap()
                .descendants()
                .filter(|node| node.is_element())
                .map(|node| node.tag_name().name().to_owned())
                .collect();
            let known = ["svg", "title", "desc", "g", "rect", "text", "path", "line", "polyline", "circle"];
            prop_assert!(elements.iter().all(|name| known.contains(&name.as_str())), "{elements:?}");
        }
    }

    /// No label of a picture for TeX begins a command, ends a group or begins a comment.
    #[test]
    fn tikz_is_balanced_for_any_label(map in maps(), title in label()) {
        let export = Export { title: title.clone(), caption: title, content: Content::Map(map) };
        let picture = export.tikz(85.0).unwrap();
        let mut depth = 0i32;
        for line in picture.lines() {
            let mut is_escaped = false;
            for character in line.chars() {
                match character {
                    _ if is_escaped => is_escaped = false,
                    '\\' => is_escaped = true,
                    '%' => break,
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    _ => {}
                }
                prop_assert!(depth >= 0, "{picture}");
            }
        }
        prop_assert_eq!(depth, 0, "{}", picture);
        for command in ["\\end{document}", "\\input", "\\write"] {
            let lines = picture.lines().filter(|line| !line.starts_with('%'));
            prop_assert!(lines.clone().all(|line| !line.contains(command)), "{picture}");
        }
    }
}
