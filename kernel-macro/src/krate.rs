//! The facade's path in the crate that is being compiled. It asks what rustc was told; only where that says nothing, as in editors, does
//! it look into manifests, of which it reads no more than names of dependencies. So it needs no parser of TOML, which would be compiled for
//! every user.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Mutex;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

/// The facade's package, and its usual name in programs.
const FACADE: &str = "gridwise";

/// The last answer, with the manifest folder it is for.
static CACHE: Mutex<Option<(OsString, String)>> = Mutex::new(None);

/// `::gridwise`, or what the crate calls it.
pub(crate) fn facade_path() -> TokenStream {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    let mut cache = CACHE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let name = match &*cache {
        Some((known, name)) if *known == manifest => name.clone(),
        _ => {
            let name = facade_name(&manifest);
            *cache = Some((manifest, name.clone()));
            name
        }
    };
    let name = Ident::new(&name, Span::call_site());
    quote!(::#name)
}

/// The facade names itself `gridwise`, too, and where nothing says anything the usual name is the best guess.
fn facade_name(manifest: &OsString) -> String {
    let args: Vec<_> = std::env::args_os().filter_map(|arg| arg.into_string().ok()).collect();
    let told = name_among(args.iter().map(String::as_str));
    let found = told.or_else(|| {
        // A dependency that is inherited has its name in the workspace.
        let folders = Path::new(manifest).ancestors().filter(|folder| folder.is_absolute());
        let mut texts = folders.filter_map(|folder| std::fs::read_to_string(folder.join("Cargo.toml")).ok());
        texts.find_map(|text| name_in(&text))
    });
    found.unwrap_or_else(|| FACADE.to_owned())
}

/// The facade's name among rustc's arguments, which give each dependency's with its file: `--extern gpu=…/libgridwise-0123.rmeta`.
fn name_among<'a>(args: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut renamed = None;
    let mut is_next = false;
    for arg in args {
        let value = if is_next { Some(arg) } else { arg.strip_prefix("--extern=") };
        is_next = arg == "--extern";
        let Some(value) = value else { continue };
        let (name, path) = value.split_once('=').unwrap_or((value, ""));
        // Options, as `priv:`, stand before the name.
        let name = name.rsplit(':').next().unwrap_or(name);
        if name == FACADE {
            return Some(FACADE.to_owned());
        }
        let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let is_facade = file.strip_prefix("lib").and_then(|file| file.strip_prefix(FACADE));
        if is_facade.is_some_and(|rest| rest.starts_with(['-', '.'])) {
            renamed = Some(name.to_owned());
        }
    }
    renamed
}

/// The facade's name in a manifest, if it is named there.
fn name_in(manifest: &str) -> Option<String> {
    let mut plain = false;
    // The dependency whose table the lines belong to.
    let mut table = None;
    for line in manifest.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        if let Some(header) = line.strip_prefix('[') {
            let header = header.split(']').next().unwrap_or(header);
            table = header.rsplit_once("dependencies.").map(|(_, name)| unquoted(name));
            plain |= table == Some(FACADE);
            continue;
        }
        let Some((key, value)) = line.split_once('=').map(|(key, value)| (unquoted(key), value.trim())) else {
            continue;
        };
        let renamed = match table {
            Some(name) => (key == "package" && is_facade(value)).then_some(name),
            None => match key.split_once('.') {
                Some((name, field)) => (field.trim() == "package" && is_facade(value)).then_some(name),
                None => names_package(value).then_some(key),
            },
        };
        if let Some(name) = renamed {
            return Some(unquoted(name).replace('-', "_"));
        }
        plain |= key.split('.').next().is_some_and(|name| unquoted(name) == FACADE);
    }
    plain.then(|| FACADE.to_owned())
}

/// Whether a table in a line says that the package is the facade.
fn names_package(table: &str) -> bool {
    let fields = table.strip_prefix('{').map(|fields| fields.split([',', '}']));
    fields.into_iter().flatten().any(|field| {
        field.split_once('=').is_some_and(|(key, value)| unquoted(key) == "package" && is_facade(value.trim()))
    })
}

/// Whether a text in quotes, with or without a comment behind it, is the facade's name.
fn is_facade(value: &str) -> bool {
    let Some(quote) = value.chars().next().filter(|quote| ['"', '\''].contains(quote)) else { return false };
    value[1..].split(quote).next() == Some(FACADE)
}

fn unquoted(key: &str) -> &str {
    key.trim().trim_matches(['"', '\''])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rustc_is_told_the_facade_and_its_file() {
        let name = |args: &str| name_among(args.split(' '));
        assert_eq!(name("--extern gridwise=/t/deps/libgridwise-01ab.rmeta").as_deref(), Some("gridwise"));
        assert_eq!(name("--extern gpu=/t/deps/libgridwise-01ab.rmeta --test").as_deref(), Some("gpu"));
        assert_eq!(name(r"--extern=priv,noprelude:gpu=C:\t\libgridwise.rlib").as_deref(), Some("gpu"));
        // Its parts are packages of their own, and `-L` names folders.
        assert_eq!(name("--extern gridwise_macro=/t/libgridwise_macro-01ab.so -L dependency=/gridwise"), None);
        assert_eq!(name("--extern glam=/t/libglam-7.rmeta"), None);
        assert_eq!(name("--extern"), None);
    }

    #[test]
    fn manifests_name_dependencies_in_many_ways() {
        for plain in ["gridwise = \"0.1\"", "gridwise.workspace = true", "gridwise = { path = \"..\" }"] {
            assert_eq!(name_in(&format!("[dependencies]\n{plain}\n")).as_deref(), Some("gridwise"), "{plain}");
        }
        for renamed in [
            "[dependencies]\ngpu-code = { version = \"0.1\", package = \"gridwise\" } # ours",
            "[workspace.dependencies]\n\"gpu-code\" = {package='gridwise',path='.'}",
            "[target.'cfg(unix)'.dependencies.gpu-code]\nversion = \"0.1\"\npackage = \"gridwise\" # ours",
            "[dev-dependencies]\ngpu-code.version = \"0.1\"\ngpu-code.package = \"gridwise\"",
        ] {
            assert_eq!(name_in(renamed).as_deref(), Some("gpu_code"), "{renamed}");
        }
        assert_eq!(name_in("[dependencies.gridwise]\nversion = \"0.1\"").as_deref(), Some("gridwise"));
    }

    #[test]
    fn what_is_no_dependency_on_the_facade_names_none() {
        for other in [
            "[package]\nname = \"gridwise\"",
            "[dependencies]\nother = { package = \"gridwise-ir\" }",
            "[dependencies]\n# gpu = { package = \"gridwise\" }",
            "[features]\ngpu = [\"gridwise/algorithms\"]",
            "",
        ] {
            assert_eq!(name_in(other), None, "{other}");
        }
    }
}
