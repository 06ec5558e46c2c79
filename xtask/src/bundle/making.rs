//! Compiles all units; each is bound and shrunk while others compile.

use std::{
    panic::{self, AssertUnwindSafe},
    path::Path,
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc::{self, Sender},
    },
    thread::{self, Scope},
    time::Instant,
};

use super::{
    bind,
    cache::is_empty,
    compile, compress,
    entry::{Entry, tree},
    mode::Mode,
    optimise::Optimiser,
    unit::{Step, Unit},
    units::plan,
};
use crate::{error::Error, process::Group, workspace::Workspace};

/// A finished unit and its files.
type Made = Result<(&'static Unit, Vec<Entry>), Error>;

/// Makes all units; `arrived` gets the files of each as soon as they are there.
///
/// # Errors
/// The first one that happens; everything else is stopped then.
pub fn each_unit(
    workspace: &Workspace,
    mode: Mode,
    mut arrived: impl FnMut(&'static Unit, Vec<Entry>) -> Result<(), Error>,
) -> Result<(), Error> {
    let plan = plan(mode);
    let shop = Shop {
        workspace,
        mode,
        optimiser: Optimiser::of(workspace, mode),
        programs: Group::default(),
        steps: plan.steps().count(),
        begun: AtomicUsize::new(0),
        start: Instant::now(),
    };
    let shop = &shop;
    thread::scope(|scope| {
        let (sender, made) = mpsc::channel::<Made>();
        let plan = &plan;
        scope.spawn(move || {
            if shop.work_through(&plan.front, scope, &sender) {
                for lane in &plan.lanes {
                    let sender = sender.clone();
                    scope.spawn(move || shop.work_through(lane, scope, &sender));
                }
            }
        });
        for unit in made {
            let done = unit.and_then(|(unit, entries)| arrived(unit, entries));
            if let Err(error) = done {
                // What fails from here on fails because of this.
                shop.programs.stop();
                return Err(error);
            }
        }
        Ok(())
    })
}

fn hand_over(made: &Sender<Made>, unit: Made) {
    #[expect(
        clippy::unused_result_ok,
        reason = "nobody listens after the first error, which is the one that is told"
    )]
    made.send(unit).ok();
}

/// The state that all lanes share.
struct Shop<'a> {
    workspace: &'a Workspace,
    mode: Mode,
    optimiser: Option<Optimiser>,
    programs: Group,
    steps: usize,
    /// The number of steps that have begun.
    begun: AtomicUsize,
    /// The time when the first began.
    start: Instant,
}

impl Shop<'_> {
    /// Makes one step after another, up to the first that fails. Returns whether none did.
    fn work_through<'scope>(
        &'scope self,
        lane: &'scope [Step],
        scope: &'scope Scope<'scope, '_>,
        made: &Sender<Made>,
    ) -> bool {
        for step in lane {
            self.announce(step);
            let programs = &self.programs;
            let done =
                compile::compile(self.workspace, programs, step, self.mode, |unit, module| {
                    let made = made.clone();
                    scope.spawn(move || hand_over(&made, self.finish(step, unit, module)));
                    Ok(())
                });
            if let Err(error) = done {
                hand_over(made, Err(error));
                return false;
            }
        }
        true
    }

    /// Says what begins, and how long it takes if it was never made here.
    fn announce(&self, step: &Step) {
        let number = 1 + self.begun.fetch_add(1, Ordering::Relaxed);
        let (total, names, minutes) = (self.steps, step.names(), step.first_minutes);
        let cache = self.workspace.cache();
        let is_first = step.made().any(|unit| is_empty(&cache, "bind", unit.name));
        let how_long = if is_first {
            format!(", about {minutes} min the first time on two cores")
        } else {
            String::new()
        };
        println!("[{number}/{total}] {names}: compiling{how_long}");
    }

    /// Binds and shrinks a module. wasm-bindgen and the splitter are libraries, so what is wrong with them is
    /// caught here.
    fn finish(&self, step: &Step, unit: &'static Unit, module: Vec<u8>) -> Made {
        let cache = self.workspace.cache();
        let (programs, optimiser) = (&self.programs, self.optimiser.as_ref());
        let work = AssertUnwindSafe(|| {
            let entries = bound(&cache, programs, optimiser, unit, module)?;
            if let Some(effort) = self.mode.effort()
                && step.niceness > 0
            {
                // A large module takes a minute of one core; at the end the others would wait for it.
                let modules = entries.iter().filter(|entry| entry.is_wasm());
                let modules: Vec<Entry> = modules.cloned().collect();
                compress::sidecars(&cache, effort, &modules)?;
            }
            Ok(entries)
        });
        let panicked = |_| Err(Error::Panicked { unit: unit.name });
        let entries = panic::catch_unwind(work).unwrap_or_else(panicked)?;
        let seconds = self.start.elapsed().as_secs();
        println!(
            "{}: done, {}:{:02} min after the start",
            unit.name,
            seconds / 60,
            seconds % 60
        );
        Ok((unit, entries))
    }
}

/// A module bound by wasm-bindgen, and shrunk if there is an optimiser.
///
/// # Errors
/// If a tool fails, or a file cannot be read or written.
pub fn bound(
    cache: &Path,
    programs: &Group,
    optimiser: Option<&Optimiser>,
    unit: &Unit,
    module: Vec<u8>,
) -> Result<Vec<Entry>, Error> {
    let bound = bind::bind(cache, unit, module)?;
    let mut entries = tree(&bound, "")?;
    let Some(optimiser) = optimiser else {
        return Ok(entries);
    };
    // A module and its chunks at the same time: each takes up to half a minute of one core.
    thread::scope(|scope| {
        let modules = entries.iter_mut().filter(|entry| entry.is_wasm());
        let running: Vec<_> = modules
            .map(|entry| {
                scope.spawn(move || {
                    let (name, from) = (&entry.name, &entry.from);
                    entry.from = optimiser.optimise(cache, programs, unit, name, from)?;
                    Ok(())
                })
            })
            .collect();
        let panicked = |_| Err(Error::Panicked { unit: unit.name });
        running
            .into_iter()
            .try_for_each(|module| module.join().unwrap_or_else(panicked))
    })?;
    Ok(entries)
}
