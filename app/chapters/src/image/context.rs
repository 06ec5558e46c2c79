//! The picture that is looked at, and what the model makes of it.

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

/// Where the model lies.
const MODEL: &str = "models/digits/";

/// Test pictures that are served with it.
const PICTURES: &str = "models/digits/pictures.json";

/// The test pictures, or why they are not there.
type Samples = Result<Arc<[LabelledPicture]>, String>;

/// What the chapter's figures share. A context.
#[derive(Clone, Copy)]
pub struct ImageContext {
    /// What the address says.
    pub lab: Memo<ImageLab>,
    /// The test pictures; `None` until they are fetched.
    pub samples: RwSignal<Option<Samples>>,
    /// The picture that is looked at.
    pub picture: Memo<Option<Picture>>,
    /// What the model makes of it.
    pub seen: Asked<SeenPicture>,
    /// What was drawn before.
    pub history: RwSignal<History>,
    state: ViewState,
}

impl ImageContext {
    /// Provides it; the pictures are fetched and the model is asked.
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

    /// The context that the chapter provided.
    ///
    /// # Panics
    /// Outside of the chapter.
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

    /// The test picture on screen, unless something was drawn.
    pub fn sample(self) -> Option<LabelledPicture> {
        let (drawn, sample) = self.lab.with(|lab| (lab.drawn.is_some(), lab.sample));
        if drawn {
            return None;
        }
        self.samples.with(|samples| {
            let pictures = samples.as_ref()?.as_ref().ok()?;
            pictures.get(sample).or_else(|| pictures.first()).cloned()
        })
    }

    /// Makes a cell the one that looks.
    pub fn choose(self, cell: usize) {
        self.state
            .update_chapters(|chapters| chapters.of_mut::<ImageLab>().cell = cell);
    }

    /// Keeps what is on screen, before a stroke.
    pub fn keep(self) {
        let before = self.lab.with_untracked(|lab| lab.drawn.clone());
        self.history.update(|history| history.keep(before));
    }

    /// Gives cells that level; a test picture becomes a drawing.
    pub fn paint(self, cells: &[usize], ink: usize) {
        let picture = self.picture.get_untracked();
        let mut picture = picture.unwrap_or_else(Picture::blank);
        for &cell in cells {
            picture.set(cell, ink as u8);
        }
        self.show(Some(picture));
    }

    /// Shows a drawing, or the test picture again.
    pub fn show(self, drawn: Option<Picture>) {
        self.state
            .update_chapters(|chapters| chapters.of_mut::<ImageLab>().drawn = drawn);
    }

    /// Takes back the last stroke.
    pub fn undo(self) {
        let back = self.history.try_update(History::back).flatten();
        if let Some(before) = back {
            self.show(before);
        }
    }

    /// The weights that the chosen position gives to all of them.
    pub fn row(self) -> Option<Vec<f32>> {
        let cell = self.lab.with(|lab| lab.cell);
        self.seen
            .answer
            .with(|seen| Some(seen.as_ref()?.weights.row(&[cell])?.to_vec()))
    }
}

/// The picture at that place, or the first.
fn sample_of(samples: &Option<Samples>, place: usize) -> Option<Picture> {
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
