//! Golden figures: what a plot and a heatmap look like, compared byte for byte with
//! `tests/golden/`. After a change that is meant, run with `BLESS=1` and look at the pictures.

use std::{env, fs, path::Path, slice};

use attention_figures::{
    Theme,
    bars::{Series, bars, value_axis},
    color, difference,
    heatmap::Scale,
    lattice::{Lattice, LatticeSizes},
    matrix,
    model_map::{Column, ModelMap, Output, Rect, Recurrence},
    plane::{Mark, Plane},
    plot::{self, Axis, Curve, Frame},
    scatter::{self, Dot, scatter},
    stacked::{Segment, stacked},
    tree::{TreeLayout, TreeSizes},
};

fn assert_golden(name: &str, actual: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
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

fn waves(theme: Theme) -> (Frame, Vec<Curve>) {
    let frame = Frame {
        width: 640.0,
        height: 300.0,
        x: Axis::new("position", 0.0, 49.0),
        y: Axis::new("value", -1.0, 1.0),
        theme,
    };
    // Triangle waves: exact in binary, so the same on every machine.
    let curves = [8, 16, 32]
        .iter()
        .enumerate()
        .map(|(index, &period)| {
            let values: Vec<f32> = (0..50)
                .map(|x| (x % period) as f32 / period as f32 * 2.0 - 1.0)
                .map(|phase| 1.0 - 2.0 * phase.abs())
                .collect();
            let name = format!("period {period} <周期>");
            Curve::counted(name, &values, color::categorical(index, theme))
        })
        .collect();
    (frame, curves)
}

#[test]
fn curves_light() {
    let (frame, curves) = waves(Theme::Light);
    assert_golden("curves-light.svg", &plot::curves(&frame, &curves).unwrap());
}

#[test]
fn curves_dark() {
    let (frame, curves) = waves(Theme::Dark);
    assert_golden("curves-dark.svg", &plot::curves(&frame, &curves).unwrap());
}

#[test]
fn a_narrow_plot_breaks_its_legend() {
    let (mut frame, mut curves) = waves(Theme::Light);
    frame.width = 320.0;
    curves.push(curves[0].clone().faint());
    let document = plot::curves(&frame, &curves).unwrap();
    assert_golden("curves-narrow.svg", &document);
}

#[test]
fn the_scales_as_tables() {
    for (theme, name) in [(Theme::Light, "light"), (Theme::Dark, "dark")] {
        let table: String = color::legend_stops(17, theme)
            .into_iter()
            .chain(color::diverging_legend_stops(17, theme))
            .map(|(value, rgb)| format!("{value:+.4} {}\n", color::css(rgb)))
            .collect();
        assert_golden(&format!("scales-{name}.txt"), &table);
    }
}

/// A difference map as a picture of its own: a square for each of its pixels.
fn squares(differences: &[f32], columns: usize, scale: Scale, theme: Theme) -> String {
    let rows = differences.len() / columns;
    let pixels = difference::rgba(differences, rows, columns, scale, theme);
    let square = |(place, pixel): (usize, &[u8])| {
        let (row, column) = (place / columns, place % columns);
        let color = color::css([pixel[0], pixel[1], pixel[2]]);
        format!(r#"<rect x="{column}" y="{row}" width="1" height="1" fill="{color}"/>"#)
    };
    let squares = pixels.chunks_exact(4).enumerate().map(square);
    let lines = [
        vec![format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {columns} {rows}">"#
        )],
        squares.collect(),
        vec!["</svg>\n".to_owned()],
    ];
    lines.concat().join("\n")
}

/// Both maps have the first two tokens; the third is the left one's alone, the fourth the right one's.
#[test]
fn differences_of_two_maps() {
    let none = f32::NAN;
    let left = [
        0.75, 0.25, 0.0, none, 0.125, 0.5, 0.375, none, 0.5, 0.25, 0.25, none, none, none, none,
        none,
    ];
    let right = [
        0.25, 0.75, none, 0.0, 0.125, 0.375, none, 0.5, none, none, none, none, 0.25, 0.25, none,
        0.5,
    ];
    let between = difference::differences(&left, &right);
    for (theme, scale, name) in [
        (Theme::Light, Scale::Absolute, "difference-light.svg"),
        (Theme::Dark, Scale::Absolute, "difference-dark.svg"),
        (Theme::Light, Scale::PerMap, "difference-own-scale.svg"),
    ] {
        assert_golden(name, &squares(&between, 4, scale, theme));
    }
}

#[test]
fn a_plot_is_scalable_and_escapes_its_labels() {
    let (frame, curves) = waves(Theme::Light);
    let document = plot::curves(&frame, &curves).unwrap();
    assert!(document.contains("viewBox=\"0 0 5120 2400\""));
    assert!(document.contains("&lt;周期&gt;"));
    assert!(!document.contains("#FFFFFF"), "the background stays clear");
}

#[test]
fn an_axis_without_extent_is_an_error() {
    let (mut frame, curves) = waves(Theme::Light);
    frame.y.to = frame.y.from;
    let error = plot::curves(&frame, &curves).unwrap_err();
    assert!(error.to_string().contains("`value`"), "{error}");
}

#[test]
fn points_that_are_not_finite_are_left_out() {
    let (frame, mut curves) = waves(Theme::Light);
    curves[0].points[3].1 = f64::NAN;
    let document = plot::curves(&frame, &curves).unwrap();
    assert!(!document.contains("NaN"));
}

#[test]
fn a_curve_that_the_axis_names_is_not_in_the_legend() {
    let (mut frame, mut curves) = waves(Theme::Light);
    curves.truncate(1);
    frame.y.label = "similarity".to_owned();
    curves[0].label = Some("similarity".to_owned());
    let document = plot::curves(&frame, &curves).unwrap();
    assert_eq!(document.matches("similarity").count(), 1);
}

#[test]
fn bars_side_by_side() {
    for (theme, name, width) in [
        (Theme::Light, "bars-light.svg", 640.0),
        (Theme::Dark, "bars-dark-narrow.svg", 300.0),
    ] {
        let names = ["1", "2", "7", "12", "étudiant", "学生"].map(str::to_owned);
        let frame = Frame {
            width,
            height: 200.0,
            x: Axis::of_names(names.into()),
            y: value_axis(1.0),
            theme,
        };
        let series = |label: &str, index, values: [f32; 6]| Series {
            label: Some(label.to_owned()),
            values: values.into(),
            colors: vec![color::categorical(index, theme)],
        };
        let series = [
            series("softmax(s)", 0, [0.0, 0.0, 0.0, 0.75, 0.25, 0.0]),
            series(
                "softmax(s/√64) 缩放后",
                1,
                [0.125, 0.125, 0.25, 0.375, 0.0625, 0.0625],
            ),
        ];
        assert_golden(name, &bars(&frame, Some(3), &series).unwrap());
    }
}

#[test]
fn a_figure_without_room_is_drawn_nonetheless() {
    let dot = Dot {
        at: [0.5, 0.25],
        label: "1.1".to_owned(),
        color: [0; 3],
        is_chosen: true,
    };
    let series = Series {
        label: Some("p".to_owned()),
        values: vec![0.5, 1.0],
        colors: vec![[0; 3]],
    };
    for width in [0.0, 1.0, 30.0, 34.0, 46.0, 60.0] {
        let (mut frame, curves) = waves(Theme::Light);
        frame.width = width;
        assert!(plot::curves(&frame, &curves).is_ok(), "{width}");
        let names = ["距离".to_owned(), "entropy".to_owned()];
        let around = scatter::frame([width, 320.0], names, slice::from_ref(&dot), Theme::Light);
        assert!(scatter(&around, slice::from_ref(&dot)).is_ok(), "{width}");
        frame.x = Axis::of_names(vec!["étudiant".to_owned(), "学生".to_owned()]);
        frame.y = value_axis(1.0);
        assert!(
            bars(&frame, Some(1), slice::from_ref(&series)).is_ok(),
            "{width}"
        );
    }
}

#[test]
fn dots_by_two_numbers() {
    let dot = |index: usize, at: [f32; 2], label: &str| Dot {
        at,
        label: label.to_owned(),
        color: color::categorical(index, Theme::Light),
        is_chosen: index == 2,
    };
    let dots = [
        dot(0, [0.5, 0.25], "1.1"),
        dot(1, [0.5625, 0.25], "1.2"),
        dot(2, [2.5, 1.75], "2.1"),
        dot(3, [3.0, 0.0], ""),
    ];
    let names = ["距离".to_owned(), "entropy".to_owned()];
    let frame = scatter::frame([480.0, 320.0], names, &dots, Theme::Light);
    assert_golden("scatter.svg", &scatter(&frame, &dots).unwrap());
}

#[test]
fn a_whole_and_its_parts() {
    for (theme, name, width) in [
        (Theme::Light, "stacked-light.svg", 640.0),
        (Theme::Dark, "stacked-dark-narrow.svg", 300.0),
    ] {
        let segment = |label: &str, index, value| Segment {
            label: label.to_owned(),
            value,
            color: color::categorical(index, theme),
        };
        let segments = [
            segment("embedding 嵌入", 0, 8.0),
            segment("positions", 1, 0.0),
            segment("attention 注意力", 2, 16.0),
            segment("feed-forward 前馈网络", 3, 39.0),
            segment("norms 归一化", 4, 1.0),
        ];
        assert_golden(name, &stacked(width, &segments, theme, " %"));
    }
}

#[test]
fn a_plane_with_every_kind_of_mark() {
    for (theme, name) in [
        (Theme::Light, "plane-light.svg"),
        (Theme::Dark, "plane-dark.svg"),
    ] {
        let color = |index| color::categorical(index, theme);
        let marks = [
            Mark::Line {
                from: [2.0, 0.0],
                to: [0.5, 1.0],
                color: color(0),
                width: 3.0,
            },
            Mark::Dot {
                at: [2.0, 0.0],
                radius: 12.0,
                color: color(0),
                label: "k₁".to_owned(),
                ringed: false,
            },
            Mark::Dot {
                at: [-1.0, 1.0],
                radius: 5.0,
                color: color(2),
                label: "k₂".to_owned(),
                ringed: true,
            },
            Mark::Arrow {
                to: [0.5, 1.0],
                color: color(1),
                label: "q".to_owned(),
            },
        ];
        assert_golden(name, &Plane { extent: 3.0, theme }.svg(&marks));
    }
}

/// A score matrix with a mask: every kind of cell there is.
fn scores(theme: Theme) -> String {
    let masked = f32::NEG_INFINITY;
    let values = [
        14.0, masked, masked, 12.0, -3.5, masked, 0.125, 96.0, -112.0,
    ];
    let window = matrix::Window::at(0, 0, 3, 3, 3);
    matrix::scene(&values, 3, window, matrix::Scale::Signed, theme).svg()
}

#[test]
fn matrix_light() {
    assert_golden("matrix-light.svg", &scores(Theme::Light));
}

#[test]
fn matrix_dark() {
    assert_golden("matrix-dark.svg", &scores(Theme::Dark));
}

#[test]
fn a_window_of_a_wide_matrix() {
    let values: Vec<f32> = (0..20 * 80).map(|i| (i % 17) as f32 / 16.0).collect();
    let window = matrix::Window::at(12, 70, 20, 80, matrix::WINDOW_ROWS);
    let scene = matrix::scene(&values, 80, window, matrix::Scale::Weights, Theme::Light);
    assert_golden("matrix-window.svg", &scene.svg());
}

#[test]
fn numbers_from_zero_up_have_the_colours_of_weights_on_a_scale_of_their_own() {
    let fills = |values: &[f32], scale| {
        let window = matrix::Window::at(0, 0, 1, 3, 1);
        let scene = matrix::scene(values, 3, window, scale, Theme::Light);
        scene.cells.iter().map(|cell| cell.fill).collect::<Vec<_>>()
    };
    let largest = fills(&[0.0, 2.0, 8.0], matrix::Scale::Largest);
    assert_eq!(largest, fills(&[0.0, 0.25, 1.0], matrix::Scale::Weights));
    // Where all is nothing, nothing is as large as it could be.
    let nothing = fills(&[0.0; 3], matrix::Scale::Largest);
    assert_eq!(nothing, fills(&[0.0; 3], matrix::Scale::Weights));
}

/// The map as a picture of its own: blocks, heads and wires in place.
fn drawn(map: &ModelMap) -> String {
    let rect = |class: &str, rect: Rect| {
        let Rect {
            x,
            y,
            width,
            height,
        } = rect;
        format!(
            r#"<rect class="{class}" x="{x:.2}" y="{y:.2}" width="{width:.2}" height="{height:.2}"/>"#
        )
    };
    let mut lines = vec![format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {:.2} {:.2}" fill="none" stroke="black">"#,
        map.width, map.height
    )];
    for wire in &map.wires {
        let class = if wire.hands_over {
            "hand-over"
        } else {
            "stream"
        };
        lines.push(format!(r#"<path class="{class}" d="{}"/>"#, wire.path));
    }
    for block in &map.blocks {
        lines.push(rect(
            &format!("{:?}", block.part).replace('"', ""),
            block.rect,
        ));
        let heads = block.heads.into_iter();
        lines.extend(
            heads
                .flat_map(|heads| (0..heads.count).map(move |head| heads.head(head)))
                .map(|head| rect("head", head)),
        );
    }
    lines.push("</svg>\n".to_owned());
    lines.join("\n")
}

#[test]
fn maps_of_models() {
    let column = |layers, attentions, heads| Column {
        layers,
        attentions,
        heads,
        has_network: true,
        recurrence: None,
    };
    let recurrent = |attentions, recurrence| Column {
        has_network: false,
        recurrence: Some(recurrence),
        ..column(1, attentions, 1)
    };
    let words = Output {
        has_layer: false,
        has_words: true,
    };
    let guesses = Output {
        has_layer: true,
        ..words
    };
    for (name, columns, output) in [
        (
            "map-translator.svg",
            vec![column(3, 1, 8), column(3, 2, 8)],
            words,
        ),
        (
            "map-fixed-vector.svg",
            vec![
                recurrent(0, Recurrence::First),
                recurrent(0, Recurrence::First),
            ],
            guesses,
        ),
        (
            "map-bahdanau.svg",
            vec![
                recurrent(0, Recurrence::First),
                recurrent(1, Recurrence::Last),
            ],
            guesses,
        ),
        ("map-decoder-only.svg", vec![column(4, 1, 6)], words),
        ("map-gpt2.svg", vec![column(12, 1, 12)], words),
        (
            "map-encoder-only.svg",
            vec![column(2, 1, 3)],
            Output::default(),
        ),
        ("map-masked-words.svg", vec![column(2, 1, 4)], guesses),
        ("map-many-heads.svg", vec![column(2, 1, 40)], words),
    ] {
        assert_golden(name, &drawn(&ModelMap::of(&columns, output)));
    }
}

/// A tree as a picture of its own: nodes and branches in place.
#[test]
fn a_tree_of_beginnings() {
    // Four tokens, of which the first two are extended, and of their extensions two again.
    let first = [None; 4];
    let second = [[Some(0); 4], [Some(1); 4]].concat();
    let third = [[Some(5); 4], [Some(6); 4]].concat();
    let parents = [first.to_vec(), second, third].concat();
    let layout = TreeLayout::of(&parents, TreeSizes::default());
    let rect = |class: &str, rect: &Rect| {
        format!(
            r#"<rect class="{class}" x="{:.1}" y="{:.1}" width="{:.1}" height="{:.1}"/>"#,
            rect.x, rect.y, rect.width, rect.height
        )
    };
    let mut lines = vec![format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {:.1} {:.1}" fill="none" stroke="black">"#,
        layout.width, layout.height
    )];
    lines.push(rect("root", &layout.root));
    lines.extend(layout.nodes.iter().map(|node| rect("node", node)));
    let branches = layout.branches.iter();
    lines.extend(branches.map(|path| format!(r#"<path d="{path}"/>"#)));
    lines.push("</svg>\n".to_owned());
    assert_golden("tree.svg", &lines.join("\n"));
}

/// Three layers over eight tokens as a picture of its own: neighbours in the first, twice and four times as far apart in
/// the others, and a row whose cells follow each other.
#[test]
fn a_stack_of_layers() {
    let tokens: usize = 8;
    let upwards = (0..3).flat_map(|row| {
        let back = 1 << row;
        (0..tokens).flat_map(move |column| {
            let sources = [Some(column), column.checked_sub(back)];
            sources
                .into_iter()
                .flatten()
                .map(move |source| ((row, source), (row + 1, column)))
        })
    });
    let aside = (1..tokens).map(|column| ((3, column - 1), (3, column)));
    let connections: Vec<_> = upwards.chain(aside).collect();
    let lattice = Lattice::of([4, tokens], &connections, LatticeSizes::default());
    let mut lines = vec![format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {:.1} {:.1}" fill="none" stroke="black">"#,
        lattice.width, lattice.height
    )];
    let cell = |rect: &Rect| {
        format!(
            r#"<rect x="{:.1}" y="{:.1}" width="{:.1}" height="{:.1}"/>"#,
            rect.x, rect.y, rect.width, rect.height
        )
    };
    lines.extend(lattice.cells.iter().map(cell));
    let paths = lattice.connections.iter();
    lines.extend(paths.map(|path| format!(r#"<path d="{path}"/>"#)));
    lines.push("</svg>\n".to_owned());
    assert_golden("lattice.svg", &lines.join("\n"));
}
