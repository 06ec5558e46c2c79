//! The files of a figure.

use attention_figures::export::Export;
use wasm_bindgen::JsValue;

use super::{png, print};
use crate::{assets::download::save, remembered::ExportChoices};

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Svg,
    Png,
    Pdf,
    Tikz,
    Csv,
    Json,
}

impl Kind {
    pub(super) const ALL: [Kind; 6] = [
        Kind::Svg,
        Kind::Png,
        Kind::Pdf,
        Kind::Tikz,
        Kind::Csv,
        Kind::Json,
    ];

    /// The name of the kind, the same in every language.
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Svg => "SVG",
            Kind::Png => "PNG",
            Kind::Pdf => "PDF",
            Kind::Tikz => "TikZ",
            Kind::Csv => "CSV",
            Kind::Json => "JSON",
        }
    }

    fn extension(self) -> &'static str {
        match self {
            Kind::Svg => "svg",
            Kind::Png => "png",
            Kind::Pdf => "pdf",
            Kind::Tikz => "tex",
            Kind::Csv => "csv",
            Kind::Json => "json",
        }
    }
}

/// Makes a file and has the browser save it, or print it in the case of PDF.
///
/// # Errors
/// The reason, from the browser or from the drawing.
pub(super) async fn make(
    kind: Kind,
    export: &Export,
    choices: ExportChoices,
    name: &str,
) -> Result<(), JsValue> {
    let svg = || export.svg(choices.page).map_err(reason);
    let name = format!("{name}.{}", kind.extension());
    let bytes = match kind {
        Kind::Svg => svg()?.into_bytes(),
        Kind::Png => png::from_svg(&svg()?, choices.png_scale).await?,
        Kind::Pdf => return print::print(&svg()?),
        Kind::Tikz => {
            let picture = export.tikz(choices.page.width.mm());
            picture.ok_or("this figure has no TikZ")?.into_bytes()
        }
        Kind::Csv => export.csv().into_bytes(),
        Kind::Json => export.json().map_err(reason)?.into_bytes(),
    };
    save(&name, &bytes).await
}

fn reason(error: impl std::fmt::Display) -> JsValue {
    JsValue::from_str(&error.to_string())
}
