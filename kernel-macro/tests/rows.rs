//! New rows in the tables of operations and methods: a compiler that does not know what to do with one does not build.
//!
//! The sources of both crates are copied, each table gets a row that nobody handles, and `cargo check` must name each file that has to
//! know it. It must not touch the sources themselves.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A table, the text that a new row is put before, the row, and the files that must not compile with it.
struct Table {
    file: &'static str,
    before: &'static str,
    row: &'static str,
    owners: &'static [&'static str],
}

const IR: &[Table] = &[
    Table {
        file: "kernel-ir/src/op.rs",
        before: "    /// Upper half of the product",
        row: "    /// A row that nobody handles.\n    Xyzzy \"xyzzy\" 1 Int;\n",
        owners: &["kernel-ir/src/op.rs", "kernel-ir/src/passes/eval.rs", "kernel-ir/src/spirv/ops.rs"],
    },
    Table {
        file: "kernel-ir/src/ir/subgroup.rs",
        before: "    /// The first operand in the lane given second.\n    Shuffle,",
        row: "    /// A row that nobody handles.\n    Xyzzy,\n",
        owners: &["kernel-ir/src/spirv/subgroup.rs", "kernel-ir/src/interpret/subgroup.rs"],
    },
    Table {
        file: "kernel-ir/src/ir/atomic.rs",
        before: "    /// Writes the operand.\n    Exchange,",
        row: "    /// A row that nobody handles.\n    Xyzzy,\n",
        owners: &["kernel-ir/src/spirv/atomic.rs", "kernel-ir/src/interpret/atomic.rs"],
    },
];

const MACRO: &[Table] = &[
    Table {
        file: "kernel-macro/src/builtin/elementary.rs",
        before: "    CountOnes \"count_ones\"",
        row: "    Xyzzy \"xyzzy\" Method (Sint|Uint) () -> U32;\n",
        owners: &["kernel-macro/src/lower/intrinsic.rs"],
    },
    Table {
        file: "kernel-macro/src/builtin/ascii.rs",
        before: "    Any \"is_ascii\"",
        row: "    Xyzzy \"xyzzy\" Method (Byte) () -> Bool;\n",
        owners: &["kernel-macro/src/lower/ascii.rs"],
    },
    Table {
        file: "kernel-macro/src/builtin/character.rs",
        before: "    FromU32 \"from_u32\"",
        row: "    Xyzzy \"xyzzy\" Method (Char) () -> Bool;\n",
        owners: &["kernel-macro/src/lower/character.rs"],
    },
    Table {
        file: "kernel-macro/src/builtin/vector.rs",
        before: "    New \"new\"",
        row: "    Xyzzy \"xyzzy\" Function (FloatVec|SintVec|UintVec|BoolVec) (Elements) -> Same;\n",
        owners: &["kernel-macro/src/lower/vector.rs"],
    },
    Table {
        file: "kernel-macro/src/builtin/lanes.rs",
        before: "    WrappingAdd \"wrapping_add\"",
        row: "    Xyzzy \"xyzzy\" Method (SintVec|UintVec) () -> U32;\n",
        owners: &["kernel-macro/src/lower/lanes.rs"],
    },
    Table {
        file: "kernel-macro/src/builtin/direction.rs",
        before: "    AngleBetween \"angle_between\"",
        row: "    Xyzzy \"xyzzy\" Method (Vec3) (Same) -> Element;\n",
        owners: &["kernel-macro/src/lower/direction.rs"],
    },
    Table {
        file: "kernel-macro/src/builtin/int.rs",
        before: "    Ilog2 \"ilog2\"",
        row: "    Xyzzy \"xyzzy\" Method (Sint|Uint) () -> U32;\n",
        owners: &["kernel-macro/src/lower/number.rs"],
    },
    Table {
        file: "kernel-macro/src/builtin/matrix.rs",
        before: "    FromCols \"from_cols\"",
        row: "    Xyzzy \"xyzzy\" Function (Matrix) (Columns) -> Same;\n",
        owners: &["kernel-macro/src/lower/matrix.rs"],
    },
    Table {
        file: "kernel-macro/src/builtin/rotation.rs",
        before: "    Conjugate \"conjugate\"",
        row: "    Xyzzy \"xyzzy\" Method (Quat) () -> Same;\n",
        owners: &["kernel-macro/src/lower/quaternion.rs"],
    },
    Table {
        file: "kernel-macro/src/builtin/overflow.rs",
        before: "    Mul \"mul\"",
        row: "    Xyzzy \"xyzzy\" (Sint|Uint) (Same) saturating (Sint|Uint);\n",
        owners: &["kernel-macro/src/lower/overflow.rs"],
    },
    Table {
        file: "kernel-macro/src/builtin/iteration.rs",
        before: "    Cmp,\n    PartialCmp,",
        row: "    Xyzzy,\n",
        owners: &["kernel-macro/src/lower/chain/consume.rs"],
    },
    Table {
        file: "kernel-macro/src/builtin/slice.rs",
        before: "    PartitionPoint,\n",
        row: "    Xyzzy,\n",
        owners: &["kernel-macro/src/lower/chain/slice_method.rs"],
    },
];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder for the copy");
    for entry in std::fs::read_dir(from).expect("the crate's sources") {
        let from = entry.expect("a file of the crate").path();
        let to = to.join(from.file_name().expect("files have names"));
        match from.is_dir() {
            true => copy(&from, &to),
            false => drop(std::fs::copy(&from, &to).expect("a copy")),
        }
    }
}

/// A workspace of copies of the two crates, empty of everything else.
fn workspace(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    for package in ["kernel-ir", "kernel-macro"] {
        copy(&repository().join(package).join("src"), &folder.join(package).join("src"));
        let manifest = Path::new(package).join("Cargo.toml");
        std::fs::copy(repository().join(&manifest), folder.join(&manifest)).expect("a copy of the manifest");
    }
    let manifest = std::fs::read_to_string(repository().join("Cargo.toml")).expect("the workspace's manifest");
    let (start, end) = (manifest.find("[workspace.package]"), manifest.find("[profile.dev]"));
    let shared = &manifest[start.expect("its package")..end.expect("its profiles")];
    let members = "[workspace]\nresolver = \"3\"\nmembers = [\"kernel-ir\", \"kernel-macro\"]\n";
    std::fs::write(folder.join("Cargo.toml"), [members, shared].concat()).expect("a manifest");
    std::fs::copy(repository().join("Cargo.lock"), folder.join("Cargo.lock")).expect("a copy of the lock file");
    folder
}

/// The output of `cargo check` of a package, and whether it builds.
fn check(workspace: &Path, package: &str) -> (bool, String) {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(workspace).args(["check", "--offline", "--quiet", "--color=never", "-p", package]);
    // The dependencies are compiled once for all of these.
    command.env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("rows-target"));
    let output = command.env_remove("RUSTFLAGS").output().expect("cargo runs");
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// The files that lack an arm for the new row.
fn lacking(errors: &str) -> Vec<&str> {
    let of_rows = errors.split("\nerror").filter(|error| error.contains("[E0004]") && error.contains("Xyzzy"));
    of_rows.filter_map(|error| error.split("--> ").nth(1)?.split(':').next()).collect()
}

fn each_owner_lacks_its_row(package: &str, tables: &[Table]) {
    let workspace = workspace(&format!("rows-{package}"));
    for Table { file, before, row, .. } in tables {
        let path = workspace.join(file);
        let text = std::fs::read_to_string(&path).expect("a table");
        let at = text.find(before).unwrap_or_else(|| panic!("{file} has no `{before}`"));
        std::fs::write(&path, [&text[..at], row, &text[at..]].concat()).expect("a table with one more row");
    }
    let (builds, errors) = check(&workspace, package);
    assert!(!builds, "rows that nobody handles compile");
    let found = lacking(&errors);
    for owner in tables.iter().flat_map(|table| table.owners) {
        assert!(
            found.contains(owner),
            "{owner} takes a row that it does not handle; these do not: {found:?}\n{errors}"
        );
    }
}

#[test]
fn new_ops_do_not_compile_unhandled() {
    each_owner_lacks_its_row("gridwise-ir", IR);
}

#[test]
fn new_methods_do_not_compile_unhandled() {
    each_owner_lacks_its_row("gridwise-macro", MACRO);
}
