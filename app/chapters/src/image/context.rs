//! The context of the chapter's figures: the picture and the model's output for it.

use crate::image::parameters::ImageLab;
use std::sync::Arc;

use attention_protocol::lessons::{Answer, Question};
use attention_trace::lessons::{LabelledPicture, Picture, SeenPicture};
use leptos::{prelude::*, task::spawn_local};

use super::stroke::History;
use attention_core::{
    assets,
    engine::describe,
    lessons::{Asked, Lessons},
    state::ViewState,
};

/// The folder of the model's checkpoint.
const MODEL: &str = "models/digits/";

/// The file of test pictures, served with the model.
const PICTURES: &str = "models/digits/pictures.json";

/// The test pictures, or the reason why they are missing.
type Samples = Result<Arc<[LabelledPicture]>, String>;

/// The state that the chapter's figures share, provided as a context.
#[derive(Clone, Copy)]
pub struct ImageContext {
    /// The chapter's parameters, read from the address.
    pub lab: Memo<ImageLab>,
    /// The test pictures; `None` until they are fetched.
    pub samples: RwSignal<Option<Samples>>,
    /// The picture on screen, drawn or of the test set; `None` until there is one.
    pub picture: Memo<Option<Picture>>,
    /// The model's weights and probabilities for the picture.
    pub seen: Asked<SeenPicture>,
    /// The pictures before each stroke, for undo.
    pub history: RwSignal<History>,
    state: ViewState,
}

impl ImageContext {
    /// Provides the context, fetches the test pictures and asks the model.
    pub fn provide() {
        let state = ViewState::expect();
        let lab = state.select(|view| view.chapters.of::<ImageLab>().clone());
        let samples = RwSignal::new(None::<Samples>);
        let picture = Memo::new(move |_| {
            let (drawn, sample) = lab.with(|lab| (lab.drawn.clone(), lab.sample));
            drawn.or_else(|| samples.with(|samples| sample_of(samples, sample)))
        });
        let seen = Lessons::expect().ask(
            move || {
                Some(Question::SeePicture {
                    model: assets::checkpoint(MODEL),
                    picture: picture.get()?,
                })
            },
            |answer| match answer {
                Answer::SeenPicture(seen) => Some(SeenPicture::clone(seen)),
                _ => None,
            },
        );
        let context = ImageContext {
            lab,
            samples,
            picture,
            seen,
            history: RwSignal::new(History::default()),
            state,
        };
        provide_context(context);
        context.fetch();
    }

    /// Returns the context that the chapter provided.
    ///
    /// # Panics
    /// Panics outside of the chapter.
    pub fn expect() -> Self {
        expect_context()
    }

    /// Fetches the test pictures.
    pub fn fetch(self) {
        spawn_local(async move {
            let fetched = fetched().await;
            self.samples.try_set(Some(fetched));
        });
    }

    /// Returns the test picture on screen; `None` if a drawing replaces it.
    pub fn sample(self) -> Option<LabelledPicture> {
        let (drawn, sample) = self.lab.with(|lab| (lab.drawn.is_some(), lab.sample));
        if drawn {
            return None;
        }
        self.samples.with(|samples| {
            // The choice of pictures shows why there are none.
            let pictures = samples.as_ref()?.as_ref().ok()?;
            pictures.get(sample).or_else(|| pictures.first()).cloned()
        })
    }

    /// Makes a cell the query.
    pub fn choose(self, cell: usize) {
        self.state
            .update_chapters(|chapters| chapters.of_mut::<ImageLab>().cell = cell);
    }

    /// Saves the picture on screen to the history, before a stroke.
    pub fn keep(self) {
        let before = self.lab.with_untracked(|lab| lab.drawn.clone());
        self.history.update(|history| history.keep(before));
    }

    /// Sets cells to the grey level `ink`; a test picture becomes a drawing.
    pub fn paint(self, cells: &[usize], ink: usize) {
        let picture = self.picture.get_untracked();
        let mut picture = picture.unwrap_or_else(Picture::blank);
        for &cell in cells {
            picture.set(cell, ink as u8);
        }
        self.show(Some(picture));
    }

    /// Shows a drawing, or the test picture if `drawn` is `None`.
    pub fn show(self, drawn: Option<Picture>) {
        self.state
            .update_chapters(|chapters| chapters.of_mut::<ImageLab>().drawn = drawn);
    }

    /// Undoes the last stroke, if there is one.
    pub fn undo(self) {
        let back = self.history.try_update(History::back).flatten();
        if let Some(before) = back {
            self.show(before);
        }
    }

    /// Returns the weights of the chosen position over all positions; `None` until the model has answered.
    pub fn row(self) -> Option<Vec<f32>> {
        let cell = self.lab.with(|lab| lab.cell);
        self.seen
            .answer
            .with(|seen| Some(seen.as_ref()?.weights.row(&[cell])?.to_vec()))
    }
}

/// Returns the test picture at a place, or the first one if there is no such place.
fn sample_of(samples: &Option<Samples>, place: usize) -> Option<Picture> {
    // The choice of pictures shows why there are none.
    let pictures = samples.as_ref()?.as_ref().ok()?;
    let sample = pictures.get(place).or_else(|| pictures.first())?;
    Some(sample.picture.clone())
}

async fn fetched() -> Samples {
    let text = assets::fetch_text(PICTURES).await;
    let text = text.map_err(|error| describe(&error))?;
    let pictures: Vec<LabelledPicture> =
        serde_json::from_str(&text).map_err(|error| error.to_string())?;
    Ok(pictures.into())
}
