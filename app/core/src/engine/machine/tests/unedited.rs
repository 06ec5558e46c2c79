use super::*;

/// A job with these edits.
fn changed(text: &str, off: &str, weights: &str) -> Job {
    job(text).with_edits(edits(&format!("off={off}&weights={weights}")))
}

/// A job with heads off and weights given, of each of which the model has the first.
fn edited(text: &str) -> Job {
    changed(
        text,
        "cross.0.0-cross.99.0",
        "cross.0.1.2.0.500-cross.99.0.2.0.500",
    )
}

/// Returns the job with the edits that the worker is asked for.
fn fitting(text: &str) -> Job {
    changed(text, "cross.0.0", "cross.0.1.2.0.500")
}

impl Page {
    /// The run that the last commands ask for.
    fn asked(&self) -> Option<(RequestId, Job)> {
        self.commands.iter().find_map(|command| match command {
            Command::Run { id, job, .. } => Some((*id, job.clone())),
            _ => None,
        })
    }
}

#[test]
fn what_is_on_screen_is_what_an_edited_run_is_compared_with() {
    let mut page = Page::ready();
    page.traced(2);
    let before = page.engine.shown.as_ref().unwrap().trace.clone();
    assert!(page.engine.without_edits().is_none());
    page.tell(Event::Run(edited("a")));
    assert_eq!(page.asked(), Some((3, fitting("a"))));
    assert!(!page.engine.running.as_ref().unwrap().is_unedited);
    page.traced(3);
    assert_eq!(page.engine.shown.as_ref().unwrap().job, Some(edited("a")));
    assert!(Arc::ptr_eq(page.engine.without_edits().unwrap(), &before));
    assert!(page.engine.answers(&edited("a")) && !page.engine.answers(&job("a")));
}

#[test]
fn another_sentence_runs_without_edits_first() {
    let mut page = Page::ready();
    page.traced(2);
    page.tell(Event::Run(edited("b")));
    assert_eq!(page.asked(), Some((3, job("b"))));
    assert!(page.engine.running.as_ref().unwrap().is_unedited);
    page.traced(3);
    // What is on screen stays until the edited one is there.
    assert_eq!(page.engine.shown.as_ref().unwrap().job, Some(job("a")));
    assert_eq!(page.asked(), Some((4, fitting("b"))));
    page.traced(4);
    assert_eq!(page.engine.shown.as_ref().unwrap().job, Some(edited("b")));
    assert!(page.engine.without_edits().is_some());
}

#[test]
fn changes_that_the_model_cannot_make_cost_no_second_run() {
    let mut page = Page::ready();
    page.traced(2);
    let foreign = changed("b", "cross.99.0", "cross.0.99.2.0.500");
    page.tell(Event::Run(foreign.clone()));
    assert_eq!(page.asked(), Some((3, job("b"))));
    assert!(!page.engine.running.as_ref().unwrap().is_unedited);
    page.traced(3);
    assert_eq!(page.engine.shown.as_ref().unwrap().job, Some(foreign));
    assert!(page.engine.without_edits().is_none());
}

#[test]
fn cancelling_the_run_without_edits_cancels_both() {
    let mut page = Page::ready();
    page.traced(2);
    page.tell(Event::Run(edited("b")));
    page.tell(Event::Cancel);
    page.hear(3, Reply::Failed(Failure::Cancelled));
    assert_eq!(page.asked(), None);
    assert_eq!((&page.engine.running, &page.engine.problem), (&None, &None));
    assert_eq!(page.engine.shown.as_ref().unwrap().job, Some(job("a")));
    // The result that was faster than the cancellation is kept for the next time.
    page.tell(Event::Run(edited("b")));
    page.tell(Event::Cancel);
    page.traced(5);
    assert_eq!((page.asked(), &page.engine.running), (None, &None));
    page.tell(Event::Retry);
    assert_eq!(page.asked().map(|(_, job)| job), Some(fitting("b")));
}

#[test]
fn a_failure_without_edits_keeps_the_picture() {
    let mut page = Page::ready();
    page.traced(2);
    page.tell(Event::Run(edited("")));
    page.hear(3, Reply::Failed(Failure::EmptyInput));
    assert_eq!(page.asked(), None);
    assert!(page.engine.problem.is_some() && page.engine.running.is_none());
    assert_eq!(page.engine.shown.as_ref().unwrap().job, Some(job("a")));
}

#[test]
fn the_next_worker_does_not_repeat_what_is_known() {
    let mut page = Page::ready();
    page.traced(2);
    page.tell(Event::Run(edited("b")));
    page.traced(3);
    let worker = page.engine.worker;
    page.tell(Event::Died {
        worker,
        reason: String::new(),
    });
    page.hear(0, Reply::Booted);
    let [Command::Load { id, .. }] = page.commands[..] else {
        panic!("{:?}", page.commands);
    };
    page.hear(id, ready(Device::Cpu));
    assert_eq!(page.asked().map(|(_, job)| job), Some(fitting("b")));
}

#[test]
fn a_successor_rehearses_the_edited_run() {
    let (mut page, successor) = Page::succeeding();
    page.tell(Event::Run(edited("a")));
    let (id, _) = page.asked().unwrap();
    page.traced(id);
    page.hear_from(successor, 0, Reply::Booted);
    let [Command::Load { id, .. }] = page.commands[..] else {
        panic!("{:?}", page.commands);
    };
    page.hear_from(successor, id, ready(Device::WebGpu));
    let (id, asked) = page.asked().unwrap();
    assert_eq!(asked, fitting("a"));
    page.traced_by(successor, id);
    assert_eq!(page.device(), Some(Device::WebGpu));
    assert_eq!(page.engine.shown.as_ref().unwrap().job, Some(edited("a")));
    assert!(page.engine.without_edits().is_some());
}
