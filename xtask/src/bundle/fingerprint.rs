//! Names that say what is in a file: `page.js` is served as `page.3f0c….js`, and whatever refers
//! to it says so. A file under such a name never changes, so a browser may keep it for good, and
//! a new build replaces the old one in one piece: with `index.html`, which keeps its name.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use attention_site::DIGITS;
use attention_site::policy::{
    EMBED, EMBED_HEADERS, HEADERS, HUB_POLICY, OUTSIDE, POLICY, POLICY_HEADER, outside,
};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::{edition::Edition, entry::Entry, integrity, reference};
use crate::error::Error;

/// Files that are asked for by a name that cannot change: the page, the figure in a frame, and the script that a browser
/// looks at again on every visit to learn of a new build.
const FIXED: [&str; 3] = ["index.html", EMBED, "service-worker.js"];

/// The manifest's own address.
pub const MANIFEST: &str = "manifest.json";

/// The headers in the form that some hosts read.
const HOST_HEADERS: &str = "_headers";

/// The mark in a file of [`FIXED`] that the manifest takes the place of.
const PLACE: &str = "__MANIFEST__";

/// The marks for the content security policy, and for an object of all headers.
const PLACE_OF_POLICY: &str = "__POLICY__";
const PLACE_OF_HEADERS: &str = "__HEADERS__";
/// The mark for the policy of the worker that downloads models, and for an object of the policies of such workers.
const PLACE_OF_HUB_POLICY: &str = "__HUB_POLICY__";
const PLACE_OF_OUTSIDE: &str = "__OUTSIDE__";

/// One file, as the page, the service worker and the bench look it up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct File {
    /// Its address below the page's.
    path: String,
    /// Its size, not compressed.
    bytes: u64,
    /// SHA-256 of its contents, in hexadecimal.
    sha256: String,
    /// The same as a page has it.
    #[serde(skip)]
    integrity: String,
    /// The files it refers to, by the names they have here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    needs: Vec<String>,
    /// The place of its contents.
    #[serde(skip)]
    from: PathBuf,
}

/// Every file of a build by the name it has in the repository.
#[derive(Debug, Serialize)]
struct Manifest<'a> {
    /// Differs from build to build wherever anything differs.
    version: String,
    /// The edition that the page shows.
    edition: &'a Edition,
    files: &'a BTreeMap<String, File>,
}

/// Gives every file its lasting name. Files whose references had to be rewritten are written
/// below `made`, as is the manifest.
///
/// # Errors
/// If a file cannot be read or written, files refer to each other in a circle, or the page loads a script or style sheet
/// that is not among them.
pub fn fingerprint(made: &Path, edition: &Edition, entries: &[Entry]) -> Result<Vec<Entry>, Error> {
    let mut namer = Namer {
        made,
        edition,
        entries: entries.iter().map(|entry| (&*entry.name, entry)).collect(),
        files: BTreeMap::new(),
        open: Vec::new(),
    };
    for entry in entries.iter().filter(|entry| !is_fixed(&entry.name)) {
        namer.name(&entry.name)?;
    }
    namer.finish()
}

fn is_fixed(name: &str) -> bool {
    FIXED.contains(&name)
}

struct Namer<'a> {
    made: &'a Path,
    edition: &'a Edition,
    entries: BTreeMap<&'a str, &'a Entry>,
    /// The files that have their names already.
    files: BTreeMap<String, File>,
    /// The files that are being named, each needed by the one before.
    open: Vec<String>,
}

impl Namer<'_> {
    /// The file of that name, after everything that it refers to.
    fn name(&mut self, name: &str) -> Result<(), Error> {
        if self.files.contains_key(name) {
            return Ok(());
        }
        if self.open.iter().any(|open| open == name) {
            return Err(Error::Circle {
                files: self.open.clone(),
            });
        }
        self.open.push(name.to_owned());
        let (contents, needs, from) = self.contents(name)?;
        self.open.pop();
        let sha256 = hexadecimal(&contents);
        let file = File {
            path: with_digits(name, &sha256[..DIGITS]),
            bytes: contents.len() as u64,
            sha256,
            integrity: integrity::digest(&contents),
            needs,
            from,
        };
        self.files.insert(name.to_owned(), file);
        Ok(())
    }

    /// A file's contents with its references rewritten, those references, and where it lies.
    fn contents(&mut self, name: &str) -> Result<(Vec<u8>, Vec<String>, PathBuf), Error> {
        let from = self.entries[name].from.clone();
        let contents = fs::read(&from).map_err(Error::file("read", &from))?;
        if !reference::may_refer(name) {
            return Ok((contents, Vec::new(), from));
        }
        let Ok(text) = String::from_utf8(contents.clone()) else {
            return Ok((contents, Vec::new(), from));
        };
        let (text, needs) = self.rewritten(name, &text)?;
        if needs.is_empty() {
            return Ok((contents, needs, from));
        }
        let from = self.write(name, text.as_bytes())?;
        Ok((text.into_bytes(), needs, from))
    }

    fn rewritten(&mut self, name: &str, text: &str) -> Result<(String, Vec<String>), Error> {
        let is_known = |address: &str| self.entries.contains_key(address) && !is_fixed(address);
        let needs = reference::found(name, text, is_known);
        for need in &needs {
            self.name(need)?;
        }
        let path = |address: &str| self.files.get(address).map(|file| file.path.clone());
        Ok((reference::replaced(name, text, path), needs))
    }

    /// The manifest, the files that hold it, and everything else under its name.
    fn finish(mut self) -> Result<Vec<Entry>, Error> {
        let headers = serde_json::to_string(&BTreeMap::from(HEADERS))?;
        let outside = serde_json::to_string(&BTreeMap::from(OUTSIDE))?;
        let mut texts = Vec::new();
        for name in FIXED {
            let Some(entry) = self.entries.get(name) else {
                continue;
            };
            let text = fs::read_to_string(&entry.from).map_err(Error::file("read", &entry.from))?;
            let (text, _) = self.rewritten(name, &text)?;
            let digest = |path: &str| {
                let mut files = self.files.values();
                files
                    .find(|file| file.path == path)
                    .map(|file| &*file.integrity)
            };
            let text = integrity::with_digests(&text, digest)?;
            let text = text.replace(PLACE_OF_POLICY, POLICY);
            let text = text.replace(PLACE_OF_HUB_POLICY, HUB_POLICY);
            let text = text.replace(PLACE_OF_OUTSIDE, &outside);
            texts.push((name, text.replace(PLACE_OF_HEADERS, &headers)));
        }
        let everything = (&texts, serde_json::to_string(&self.files)?);
        let manifest = serde_json::to_string(&Manifest {
            version: hexadecimal(format!("{everything:?}").as_bytes())[..DIGITS].to_owned(),
            edition: self.edition,
            files: &self.files,
        })?;
        let mut entries = vec![Entry::new(
            MANIFEST,
            self.write(MANIFEST, manifest.as_bytes())?,
        )];
        let path = self.write(HOST_HEADERS, self.host_headers().as_bytes())?;
        entries.push(Entry::new(HOST_HEADERS, path));
        for (name, text) in texts {
            let text = text.replace(PLACE, &manifest);
            entries.push(Entry::new(name, self.write(name, text.as_bytes())?));
        }
        for (name, file) in self.files {
            entries.push(Entry {
                name,
                to: file.path,
                from: file.from,
            });
        }
        Ok(entries)
    }

    /// The headers as Cloudflare Pages and Netlify read them: the policy for the page and the workers' scripts, all others
    /// for every address. These hosts join the values of all rules that fit an address, so that a policy for all would bind
    /// the workers that ask other hosts too.
    fn host_headers(&self) -> String {
        let (policy, others): (Vec<_>, Vec<_>) = HEADERS
            .into_iter()
            .partition(|(name, _)| *name == POLICY_HEADER);
        let rule = |address: &str, headers: &[(&str, &str)]| {
            let lines = headers
                .iter()
                .map(|(name, value)| format!("  {name}: {value}\n"));
            format!("{address}\n{}", lines.collect::<String>())
        };
        let mut rules = vec![rule("/*", &others)];
        let fixed = ["/", "/index.html", "/service-worker.js"];
        rules.extend(fixed.map(|address| rule(address, &policy)));
        rules.push(rule(&format!("/{EMBED}"), &EMBED_HEADERS));
        let is_of_worker = |name: &str| name.starts_with("worker-") || name == "thread.js";
        let scripts = self.files.iter().filter(|(name, _)| is_of_worker(name));
        rules.extend(scripts.map(|(name, file)| {
            let address = format!("/{}", file.path);
            match outside(name) {
                Some(own) => rule(&address, &[(POLICY_HEADER, own)]),
                None => rule(&address, &policy),
            }
        }));
        rules.concat()
    }

    fn write(&self, name: &str, contents: &[u8]) -> Result<PathBuf, Error> {
        let path = self.made.join(name);
        let directory = path.parent().unwrap_or(self.made);
        fs::create_dir_all(directory).map_err(Error::file("make", directory))?;
        fs::write(&path, contents).map_err(Error::file("write", &path))?;
        Ok(path)
    }
}

/// `a/page.js` and `0f` make `a/page.0f.js`.
fn with_digits(name: &str, digits: &str) -> String {
    let file = name.rfind('/').map_or(0, |slash| slash + 1);
    match name[file..].rfind('.') {
        Some(dot) => {
            let (stem, ending) = name.split_at(file + dot);
            format!("{stem}.{digits}{ending}")
        }
        None => format!("{name}.{digits}"),
    }
}

fn hexadecimal(contents: &[u8]) -> String {
    let digest = Sha256::digest(contents);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use attention_site::is_fingerprinted;

    use super::*;

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    /// A small site on disk, named.
    fn named(
        files: &[(&str, &str)],
    ) -> Result<BTreeMap<String, String>, Box<dyn std::error::Error>> {
        let directory = tempfile::tempdir()?;
        let mut entries = Vec::new();
        for (name, contents) in files {
            let path = directory.path().join("source").join(name);
            fs::create_dir_all(path.parent().ok_or("no parent")?)?;
            fs::write(&path, contents)?;
            entries.push(Entry::new(*name, path));
        }
        let made = fingerprint(
            &directory.path().join("made"),
            &Edition::default(),
            &entries,
        )?;
        made.into_iter()
            .map(|entry| Ok((entry.to, fs::read_to_string(entry.from)?)))
            .collect()
    }

    const SITE: [(&str, &str); 5] = [
        (
            "index.html",
            r#"<script type="module" src="boot.js"></script><i id="manifest">__MANIFEST__</i>"#,
        ),
        ("boot.js", r#"import("./page.js");"#),
        ("page.js", "new URL('page_bg.wasm', import.meta.url)"),
        ("page_bg.wasm", "code"),
        ("models/a/model.safetensors", "weights"),
    ];

    #[test]
    fn whatever_refers_to_a_file_says_its_lasting_name() -> Outcome {
        let made = named(&SITE)?;
        let find = |start: &str| {
            let found = made.iter().find(|(to, _)| to.starts_with(start));
            found.ok_or_else(|| format!("no {start}"))
        };
        let (wasm, _) = find("page_bg.")?;
        assert_eq!(
            *wasm,
            format!("page_bg.{}.wasm", &hexadecimal(b"code")[..16])
        );
        let (page, text) = find("page.")?;
        assert_eq!(*text, format!("new URL('{wasm}', import.meta.url)"));
        let (boot, text) = find("boot.")?;
        assert_eq!(*text, format!(r#"import("./{page}");"#));
        assert!(made["index.html"].contains(&format!(r#"src="{boot}""#)));
        assert!(
            made.keys()
                .filter(|to| !is_fixed(to))
                .all(|to| is_fingerprinted(to) || [MANIFEST, HOST_HEADERS].contains(&to.as_str()))
        );
        Ok(())
    }

    #[test]
    fn the_manifest_knows_addresses_sizes_contents_and_needs() -> Outcome {
        let made = named(&SITE)?;
        let manifest: Value = serde_json::from_str(&made[MANIFEST])?;
        assert!(made["index.html"].contains(&made[MANIFEST]));
        let weights = &manifest["files"]["models/a/model.safetensors"];
        assert_eq!(weights["bytes"], 7);
        assert_eq!(weights["sha256"], hexadecimal(b"weights"));
        assert!(made.contains_key(weights["path"].as_str().ok_or("no path")?));
        assert_eq!(
            manifest["files"]["page.js"]["needs"],
            serde_json::json!(["page_bg.wasm"])
        );
        Ok(())
    }

    #[test]
    fn page_and_service_worker_carry_the_policy() -> Outcome {
        let made = named(&[
            (
                "index.html",
                r#"<meta content="__POLICY__"><i>__MANIFEST__</i>"#,
            ),
            (
                "service-worker.js",
                "const HEADERS = __HEADERS__; __MANIFEST__",
            ),
        ])?;
        assert!(made["index.html"].contains(&format!(r#"<meta content="{POLICY}">"#)));
        for (name, value) in HEADERS {
            let header = format!(r#""{name}":"{value}""#);
            assert!(made["service-worker.js"].contains(&header), "{header}");
            assert!(made[HOST_HEADERS].contains(&format!("\n  {name}: {value}\n")));
        }
        let rules: Vec<&str> = made[HOST_HEADERS].split("\n/").collect();
        let of_all = rules.iter().find(|rule| rule.starts_with("/*"));
        assert!(of_all.is_some_and(|rule| !rule.contains(POLICY_HEADER)));
        // A page ignores this one, and browsers say so in the console.
        assert!(!POLICY.contains("frame-ancestors"));
        Ok(())
    }

    #[test]
    fn the_page_says_what_its_scripts_hold() -> Outcome {
        let made = named(&SITE)?;
        let (_, boot) = made
            .iter()
            .find(|(to, _)| to.starts_with("boot."))
            .ok_or("no boot")?;
        let digest = integrity::digest(boot.as_bytes());
        assert!(made["index.html"].contains(&format!(r#" integrity="{digest}""#)));
        Ok(())
    }

    #[test]
    fn a_change_renames_the_file_and_what_leads_to_it_and_nothing_else() -> Outcome {
        let before = named(&SITE)?;
        let mut changed = SITE;
        changed[3].1 = "other code";
        let after = named(&changed)?;
        let kept: Vec<&String> = before
            .keys()
            .filter(|to| after.contains_key(*to) && is_fingerprinted(to))
            .collect();
        assert_eq!(kept.len(), 1, "{kept:?}");
        assert!(kept[0].starts_with("models/"));
        Ok(())
    }

    #[test]
    fn a_circle_is_an_error() {
        let circle = named(&[
            ("a.js", r#"import "./b.js""#),
            ("b.js", r#"import "./a.js""#),
        ]);
        let message = circle.map_err(|error| error.to_string());
        assert!(message.is_err_and(|message| message.contains("a.js → b.js")));
    }

    #[test]
    fn digits_go_before_the_ending() {
        assert_eq!(with_digits("a.b/page_bg.wasm", "0f"), "a.b/page_bg.0f.wasm");
        assert_eq!(with_digits("a.b/licence", "0f"), "a.b/licence.0f");
    }
}
