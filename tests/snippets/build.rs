//! Makes a module of each program in burn at each size. Inside it stands the text as the page shows it.

use std::{env, fmt::Write, fs, path::Path};

use attention_trace::snippets::{Library, read};

#[path = "src/sizes.rs"]
mod sizes;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../app/chapters/snippets");
    println!("cargo::rerun-if-changed={}", folder.display());
    println!("cargo::rerun-if-changed=src/sizes.rs");
    let mut code = String::new();
    let mut list = String::new();
    for (name, programs) in read(&folder)? {
        let Some(program) = programs.get(&Library::Burn) else {
            continue;
        };
        for (place, sizes) in sizes::SIZES.iter().enumerate() {
            let module = format!("{}_{place}", name.replace('-', "_"));
            let program = sizes.fill(program);
            writeln!(
                code,
                "mod {module} {{\n{program}\npub fn run() {{ main(); }}\n}}"
            )?;
            writeln!(list, "({name:?}, {place}, {module}::run),")?;
        }
    }
    writeln!(
        code,
        "pub const PROGRAMS: &[(&str, usize, fn())] = &[\n{list}];"
    )?;
    let to = Path::new(&env::var("OUT_DIR")?).join("programs.rs");
    fs::write(to, code)?;
    Ok(())
}
