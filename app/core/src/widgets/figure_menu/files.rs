//! The files of a figure.

use attention_figures::export::{
    Export,
    fonts::{embedded, parts_of},
};
use js_sys::Uint8Array;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

use super::{png, print};
use crate::{
    assets::{download::save, fetch},
    remembered::ExportChoices,
};

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
/// The reason, from the browser, from the drawing, or from the server that has the font.
pub(super) async fn make(
    kind: Kind,
    export: &Export,
    choices: ExportChoices,
    name: &str,
) -> Result<(), JsValue> {
    let svg = || export.svg(choices.page).map_err(reason);
    let name = format!("{name}.{}", kind.extension());
    let bytes = match kind {
        Kind::Svg if choices.has_font => with_font(&svg()?).await?.into_bytes(),
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

/// Returns a document with the parts of the font that its texts need, which are downloaded.
async fn with_font(svg: &str) -> Result<String, JsValue> {
    let mut parts = Vec::new();
    for part in parts_of(svg) {
        let buffer = JsFuture::from(fetch(part.file).await?.array_buffer()?).await?;
        parts.push((part, Uint8Array::new(&buffer).to_vec()));
    }
    Ok(embedded(svg, &parts))
}

fn reason(error: impl std::fmt::Display) -> JsValue {
    JsValue::from_str(&error.to_string())
}
