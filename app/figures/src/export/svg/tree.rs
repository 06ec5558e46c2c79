//! A tree of prefixes: branches from left to right, and boxes with names and numbers.

use super::{
    MARGIN_MM, MM_PER_PIXEL, TYPE_PIXELS,
    writer::{Anchor, Drawing, Label, Writer, below_middle, text_width_mm},
};
use crate::{
    color::{self, Rgb, Theme, css},
    export::{
        diagram::{Prefix, PrefixFate, Prefixes},
        number::place,
    },
    model_map::Rect,
    tree::{TreeLayout, TreeSizes},
};

/// The gap between the edge of a box and its text, in CSS pixels.
const PADDING: f64 = 8.0;
/// The dashes of what was dropped.
const DASHES: &str = " stroke-dasharray=\"3 3\"";

/// The colours of a box: its ground, its edge and its text.
fn colors(fate: PrefixFate) -> [Rgb; 3] {
    let color::Furniture {
        ink, axis, grid, ..
    } = color::furniture(Theme::Light);
    let tinted = |color: Rgb| [color::blend(color, [255; 3], 0.12), color, ink];
    match fate {
        PrefixFate::Kept => [[255; 3], axis, ink],
        PrefixFate::Pruned => [[255; 3], grid, axis],
        PrefixFate::Finished => tinted(color::categorical(2, Theme::Light)),
        PrefixFate::Best => tinted(color::categorical(0, Theme::Light)),
    }
}

/// Draws the tree, as wide as its type asks for, or scaled to the width.
pub(super) fn draw(tree: &Prefixes, width_mm: f64) -> Drawing {
    let parents: Vec<_> = tree.nodes.iter().map(|node| node.parent).collect();
    let layout = TreeLayout::of(&parents, TreeSizes::default());
    let scale = MM_PER_PIXEL.min((width_mm - 2.0 * MARGIN_MM) / layout.width.max(1.0));
    let mut writer = Writer::default();
    writer.raw(&format!(
        "<g transform=\"translate({MARGIN_MM} {MARGIN_MM}) scale({scale:.5})\">\n"
    ));
    draw_branches(&mut writer, tree, &layout);
    let root = &layout.root;
    writer.raw(&format!(
        "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"/>\n",
        place(root.x + root.width / 2.0),
        place(root.y + root.height / 2.0),
        place(root.height / 2.0 - 4.0),
        css(color::furniture(Theme::Light).axis)
    ));
    for (node, rect) in tree.nodes.iter().zip(&layout.nodes) {
        draw_node(&mut writer, node, rect);
    }
    writer.raw("</g>\n");
    Drawing {
        body: writer.finish(),
        height_mm: layout.height * scale + 2.0 * MARGIN_MM,
    }
}

fn draw_branches(writer: &mut Writer, tree: &Prefixes, layout: &TreeLayout) {
    let axis = css(color::furniture(Theme::Light).axis);
    writer.raw(&format!(
        "<g fill=\"none\" stroke=\"{axis}\" stroke-width=\"1.2\">\n"
    ));
    for (node, path) in tree.nodes.iter().zip(&layout.branches) {
        let dashes = if node.fate == PrefixFate::Pruned {
            DASHES
        } else {
            ""
        };
        writer.raw(&format!("<path d=\"{path}\"{dashes}/>\n"));
    }
    writer.raw("</g>\n");
}

fn draw_node(writer: &mut Writer, node: &Prefix, rect: &Rect) {
    let [ground, edge, ink] = colors(node.fate);
    let (dashes, stroke_width) = match node.fate {
        PrefixFate::Pruned => (DASHES, 1),
        PrefixFate::Best => ("", 2),
        PrefixFate::Kept | PrefixFate::Finished => ("", 1),
    };
    writer.raw(&format!(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"6\" fill=\"{}\" stroke=\"{}\" \
         stroke-width=\"{stroke_width}\"{dashes}/>\n",
        place(rect.x),
        place(rect.y),
        place(rect.width),
        place(rect.height),
        css(ground),
        css(edge)
    ));
    let base = rect.y + rect.height / 2.0 + below_middle(TYPE_PIXELS);
    let number = text_width_mm(&node.number, TYPE_PIXELS);
    let mut put = |text: &str, x: f64, anchor: Anchor, most_mm: f64| {
        writer.text(Label {
            text,
            at: [x, base],
            anchor,
            size_mm: TYPE_PIXELS,
            ink,
            degrees: 0.0,
            most_mm,
        });
    };
    let room = rect.width - 3.0 * PADDING - number;
    put(&node.name, rect.x + PADDING, Anchor::Start, room);
    let right = rect.x + rect.width - PADDING;
    put(&node.number, right, Anchor::End, f64::INFINITY);
}
