//! From compiled units to `dist/`.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::{
    cache, compress, dist,
    edition::Edition,
    entry::{Entry, tree},
    fingerprint, making,
    mode::Mode,
    notices::notices,
    offered::{self, Offered, OfferedFiles},
    sizes,
    units::{UNITS, are_enough},
};
use crate::{error::Error, setup, workspace::Workspace};

/// The order for a build.
#[derive(Debug)]
pub struct Order<'a> {
    pub workspace: &'a Workspace,
    /// The work that goes into small files.
    pub mode: Mode,
    /// True if `dist` is written each time when a unit is there, as soon as there are enough.
    pub in_parts: bool,
    /// The files below this prefix come from this directory.
    pub replaced: Option<(&'a str, &'a Path)>,
    /// The published models that the page offers.
    pub offered: &'a [Offered],
}

impl<'a> Order<'a> {
    /// The whole page, written once.
    pub fn new(workspace: &'a Workspace, mode: Mode) -> Self {
        Self {
            workspace,
            mode,
            in_parts: false,
            replaced: None,
            offered: &[],
        }
    }
}

/// Builds into `dist`; `written` hears each time that it has been written.
///
/// # Errors
/// If something that is needed cannot be set up, does not compile or cannot be written.
pub fn build(order: &Order, dist: &Path, written: &dyn Fn()) -> Result<(), Error> {
    let workspace = order.workspace;
    // Held until the end, so that two builds do not install or write the same files.
    let _lock = cache::lock(&workspace.cache())?;
    setup::for_builds(workspace)?;
    let mut site = Site {
        order,
        dist,
        notices: None,
        offered: offered::files(workspace, &workspace.cache().join("offered"), order.offered)?,
        made: Vec::new(),
        from_units: Vec::new(),
        addresses: BTreeSet::new(),
    };
    making::each_unit(workspace, order.mode, |unit, entries| {
        // Not earlier: what is to be compiled would wait until all crates are downloaded, those of other systems too.
        if site.notices.is_none() {
            site.notices = Some(notices(workspace)?);
        }
        site.made.push(unit.name);
        site.from_units.extend(entries);
        let is_a_part = are_enough(&site.made) && site.made.len() < UNITS.len();
        if order.in_parts && is_a_part {
            let entries = site.entries()?;
            site.write(&entries)?;
            written();
        }
        Ok(())
    })?;
    let mut entries = site.entries()?;
    if let Some(effort) = order.mode.effort() {
        println!("compressing");
        entries.extend(compress::sidecars(&workspace.cache(), effort, &entries)?);
    }
    site.write(&entries)?;
    written();
    print!("{}", sizes::table(dist, &entries)?);
    Ok(())
}

/// The place of the script that starts a unit, below the page's address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Script {
    /// No unit is started by a script of that name alone.
    Unknown,
    /// Its unit is not in `dist`.
    Missing,
    /// The address of the script.
    At(String),
}

/// Looks in `dist` for the script that starts a unit.
pub fn script(dist: &Path, name: &str) -> Script {
    if !UNITS.iter().any(|unit| unit.scripts.contains(&name)) {
        return Script::Unknown;
    }
    let address = || {
        // A manifest that is not there is still being written.
        let manifest = fs::read(dist.join(fingerprint::MANIFEST)).ok()?;
        // So is one that is not whole.
        let manifest: Value = serde_json::from_slice(&manifest).ok()?;
        let path = manifest["files"][name]["path"].as_str()?;
        Some(path.to_owned())
    };
    address().map_or(Script::Missing, Script::At)
}

/// `dist` while it is being built.
struct Site<'a> {
    order: &'a Order<'a>,
    dist: &'a Path,
    /// The licences of what others made, once a unit is there.
    notices: Option<Entry>,
    offered: OfferedFiles,
    /// The units that are there.
    made: Vec<&'static str>,
    /// The files of those units.
    from_units: Vec<Entry>,
    /// Everything this build has written: a page that was opened before the last part came asks for files
    /// of the parts before.
    addresses: BTreeSet<String>,
}

impl Site<'_> {
    /// The files that are served as long as no more units are there, under lasting names.
    fn entries(&self) -> Result<Vec<Entry>, Error> {
        let mut entries = self.from_units.clone();
        entries.extend(dist::static_files(self.order.workspace)?);
        entries.extend(self.notices.clone());
        entries.extend(self.offered.list.clone());
        let missing = UNITS
            .iter()
            .filter(|unit| !self.made.contains(&unit.name))
            .flat_map(|unit| unit.scripts);
        let missing: Vec<&str> = missing.copied().collect();
        entries.retain(|entry| !missing.contains(&entry.name.as_str()));
        if let Some((prefix, other)) = self.order.replaced {
            entries.retain(|entry| !entry.name.starts_with(prefix));
            entries.extend(tree(other, prefix)?);
        }
        // While more is to come, the page is there sooner without them.
        if let Some(effort) = self.order.mode.effort()
            && self.made.len() == UNITS.len()
        {
            let packed = compress::packed(&self.order.workspace.cache(), effort, &entries)?;
            entries.extend(packed);
        }
        let made: PathBuf = self.order.workspace.cache().join("fingerprint");
        let edition = Edition::of(self.order.workspace);
        let mut entries = fingerprint::fingerprint(&made, &edition, &entries)?;
        entries.extend(self.offered.hub.iter().cloned());
        Ok(entries)
    }

    fn write(&mut self, entries: &[Entry]) -> Result<(), Error> {
        let now = entries.iter().map(|entry| entry.to.clone());
        self.addresses.extend(now);
        fs::create_dir_all(self.dist).map_err(Error::file("make", self.dist))?;
        dist::write(self.dist, entries, &self.addresses)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_found_once_its_unit_is_there() -> Result<(), Box<dyn std::error::Error>> {
        let dist = tempfile::tempdir()?;
        assert_eq!(script(dist.path(), "boot.js"), Script::Unknown);
        assert_eq!(script(dist.path(), "worker-webgpu.js"), Script::Missing);
        let manifest = r#"{"files":{"worker-webgpu.js":{"path":"worker-webgpu.0f.js"}}}"#;
        fs::write(dist.path().join("manifest.json"), manifest)?;
        let address = "worker-webgpu.0f.js".to_owned();
        assert_eq!(script(dist.path(), "worker-webgpu.js"), Script::At(address));
        assert_eq!(script(dist.path(), "worker-lessons.js"), Script::Missing);
        Ok(())
    }
}
