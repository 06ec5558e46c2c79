//! The job of the second engine: the result on screen with another text, with another model, or without its edits.

use attention_core::{
    engine::Job,
    state::{EditList, Model},
};

/// The same model, search and edits on the first sentence of another text; `None` where that is what is on screen.
pub fn with_text(shown: &Job, text: &str) -> Option<Job> {
    let mut sentences = shown.model.sentences(text);
    if sentences[0] == shown.reads {
        return None;
    }
    Some(Job {
        text: text.to_owned(),
        sentence: 0,
        reads: sentences.swap_remove(0),
        prefix: Vec::new(),
        ..shown.clone()
    })
}

/// The same text for another model, which makes no edits: they name heads of the first. `None` where it is the same
/// model.
pub fn with_model(shown: &Job, model: Model) -> Option<Job> {
    if model == shown.model {
        return None;
    }
    let mut sentences = model.sentences(&shown.reads);
    Some(Job {
        model,
        text: shown.reads.clone(),
        sentence: 0,
        reads: sentences.swap_remove(0),
        prefix: Vec::new(),
        edits: EditList::default(),
        ..shown.clone()
    })
}

/// The models that can stand beside one: all that are served and have attention, those that were trained here, and one from
/// the visitor's disk.
pub fn models(shown: Model, trained: impl IntoIterator<Item = Model>) -> Vec<Model> {
    let all = Model::served().chain(trained);
    all.filter(|&model| model != shown && model.card().attends)
        .collect()
}

/// Sentences of the other text that are not compared.
pub fn left_out(shown: &Job, text: &str) -> usize {
    shown.model.sentences(text).len() - 1
}

#[cfg(test)]
mod tests {
    use attention_core::state::View;

    use super::*;

    fn job(fragment: &str) -> Job {
        Job::from(&View::from_fragment(fragment))
    }

    #[test]
    fn another_text_is_read_with_the_same_edits_and_nothing_forced() {
        let shown = job("text=Je+suis+grand.&off=cross.1.3&prefix=5.6");
        let other = with_text(&shown, "Je suis petit. Oui.").unwrap();
        assert_eq!(
            (other.reads.as_str(), other.sentence),
            ("Je suis petit.", 0)
        );
        assert_eq!((&other.edits, other.prefix.len()), (&shown.edits, 0));
        assert_eq!(left_out(&shown, "Je suis petit. Oui."), 1);
        assert_eq!(left_out(&shown, ""), 0);
        assert_eq!(with_text(&shown, "  Je suis  grand. Oui."), None);
        assert_eq!(with_text(&shown, "").unwrap().reads, "");
    }

    #[test]
    fn another_model_reads_the_sentence_on_screen_without_edits() {
        let shown = job("text=Je+suis+grand.+Oui.&sentence=1&off=cross.1.3");
        let universal = "universal".parse().unwrap();
        let other = with_model(&shown, universal).unwrap();
        assert_eq!((other.model, other.reads.as_str()), (universal, "Oui."));
        assert!(other.edits.is_empty());
        assert_eq!(with_model(&shown, Model::default()), None);
    }

    #[test]
    fn all_models_with_attention_can_stand_beside_one() {
        let all = models(Model::default(), []);
        assert_eq!(all.len(), Model::served().count() - 2);
        assert!(!all.contains(&Model::default()));
        assert!(!all.contains(&"recurrent-fixed".parse().unwrap()));
    }
}
