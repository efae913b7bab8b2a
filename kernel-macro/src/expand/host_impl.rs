//! `impl` blocks of a `#[device] mod` that only the host needs: those of traits of Rust's library that print, read and hash.

/// The modules of Rust's library whose traits no kernel calls.
const MODULES: [&str; 7] = ["fmt", "error", "hash", "str", "io", "process", "string"];

/// Whether an `impl` is of a trait that only the host calls, by the imports of the module around.
pub(super) fn is_of_host(item: &syn::ItemImpl, imports: &[Vec<String>]) -> bool {
    let Some((of, _)) = &item.trait_ else { return false };
    let written: Vec<String> = of.segments.iter().map(|segment| segment.ident.to_string()).collect();
    let Some((first, rest)) = written.split_first() else { return false };
    let is_library = |path: &[String]| match path {
        [root, module, ..] => {
            ["std", "core", "alloc"].contains(&root.as_str()) && MODULES.contains(&module.as_str()) && path.len() > 2
        }
        _ => false,
    };
    is_library(&written)
        || imports.iter().any(|import| {
            import.last() == Some(first) && is_library(&import.iter().chain(rest).cloned().collect::<Vec<_>>())
        })
}

/// The paths that items import, each with the name under which it does so at its end.
pub(super) fn imports(items: &[syn::Item]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for item in items {
        if let syn::Item::Use(import) = item {
            add(&import.tree, &mut Vec::new(), &mut found);
        }
    }
    found
}

fn add(tree: &syn::UseTree, before: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
    match tree {
        syn::UseTree::Path(path) => {
            before.push(path.ident.to_string());
            add(&path.tree, before, found);
            before.pop();
        }
        // `self` stands for the module itself.
        syn::UseTree::Name(name) if name.ident == "self" => found.push(before.clone()),
        syn::UseTree::Name(name) => {
            found.push(before.iter().cloned().chain([name.ident.to_string()]).collect());
        }
        syn::UseTree::Group(group) => group.items.iter().for_each(|item| add(item, before, found)),
        // The names that these bring are others than the library's, or not known.
        syn::UseTree::Rename(_) | syn::UseTree::Glob(_) => {}
    }
}
