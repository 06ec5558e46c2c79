//! A picture that is drawn step by step, as it is at one step.

use super::{
    MARGIN_MM, MM_PER_PIXEL,
    writer::{Anchor, Drawing, Label, Writer},
};
use crate::{
    color::{Theme, css},
    export::number::place,
    staged::{Align, Piece, Staged, TYPE_PX, dashes, ground, point_of},
};

const THEME: Theme = Theme::Light;

/// Draws the picture, as wide as its type asks for, or scaled to the width.
pub(super) fn draw(picture: &Staged, step: usize, width_mm: f64) -> Drawing {
    let scale = MM_PER_PIXEL.min((width_mm - 2.0 * MARGIN_MM) / picture.width.max(1.0));
    let mut writer = Writer::default();
    writer.raw(&format!(
        "<g transform=\"translate({MARGIN_MM} {MARGIN_MM}) scale({scale:.5})\">\n"
    ));
    for mark in picture.at(step) {
        draw_piece(&mut writer, &mark.mark);
    }
    writer.raw("</g>\n");
    Drawing {
        body: writer.finish(),
        height_mm: picture.height * scale + 2.0 * MARGIN_MM,
    }
}

fn draw_piece(writer: &mut Writer, piece: &Piece) {
    match piece {
        Piece::Vector { .. } => {
            for (rect, fill) in piece.cells(THEME) {
                writer.rect([rect.x, rect.y], [rect.width, rect.height], fill);
            }
        }
        Piece::Frame {
            at,
            tone,
            tinted,
            dashed,
        } => writer.raw(&format!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"5\" fill=\"{}\" stroke=\"{}\"{}/>\n",
            place(at.x),
            place(at.y),
            place(at.width),
            place(at.height),
            ground(*tone, *tinted, THEME),
            css(tone.rgb(THEME)),
            dashes(*dashed)
        )),
        Piece::Line {
            from,
            to,
            width,
            tone,
            pointed,
            ..
        } => {
            let ink = css(tone.rgb(THEME));
            let ([x1, y1], [x2, y2]) = (from.map(place), to.map(place));
            writer.raw(&format!(
                "<path d=\"M{x1} {y1}L{x2} {y2}\" stroke=\"{ink}\" stroke-width=\"{}\"/>\n",
                place(*width)
            ));
            if *pointed {
                let [[ax, ay], [bx, by]] = point_of(*from, *to).map(|corner| corner.map(place));
                writer.raw(&format!(
                    "<path d=\"M{x2} {y2}L{ax} {ay}L{bx} {by}Z\" fill=\"{ink}\"/>\n"
                ));
            }
        }
        Piece::Dot {
            at,
            radius,
            tone,
            hollow,
        } => {
            let (ink, [x, y]) = (css(tone.rgb(THEME)), at.map(place));
            let fill = if *hollow { "none" } else { ink.as_str() };
            writer.raw(&format!(
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"{}\" fill=\"{fill}\" stroke=\"{ink}\"/>\n",
                place(*radius)
            ));
        }
        Piece::Words {
            at,
            align,
            tone,
            text,
        } => writer.text(Label {
            text,
            at: *at,
            anchor: match align {
                Align::Start => Anchor::Start,
                Align::Middle => Anchor::Middle,
                Align::End => Anchor::End,
            },
            size_mm: TYPE_PX,
            ink: tone.rgb(THEME),
            degrees: 0.0,
            most_mm: f64::INFINITY,
        }),
    }
}
