#!/usr/bin/env bash
# House rules a compiler does not know: sizes, first lines, doc lines, SAFETY comments,
# paths of a machine, orphans. Must not change a file.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/env/lib.sh"
cd "$repo_root"

max_file_lines=800
max_function_lines=150
max_architecture_lines=250
# Kernels of the corpus, in thousandths, whose author vouches that they do not race: `unsafe fn`, or an access by `unordered`. It may not rise.
max_vouched=58
problems=0

problem() {
    printf '%s\n' "$*"
    problems=$((problems + 1))
}

# Reads `problem` lines from a command.
report() {
    local line
    while IFS= read -r line; do
        problem "$line"
    done
}

# The files git tracks or would track, that exist.
files() {
    git ls-files --cached --others --exclude-standard "$@" | sort -u | while IFS= read -r file; do
        [ ! -e "$file" ] || printf '%s\n' "$file"
    done
}

mapfile -t rust_files < <(files '*.rs')
mapfile -t text_files < <(files '*.rs' '*.toml' '*.md' '*.sh' '*.stderr' 'tests/run' 'tests/env/*' '.ci/run')

# The lines of a file with their numbers, without those inside raw strings: those are data.
code_lines() { # FILE
    awk '
        !raw { print NR " " $0 }
        { line = $0 }
        !raw && match(line, /r#+"/) { raw = 1; line = substr(line, RSTART + RLENGTH) }
        raw && line ~ /"#/ { raw = 0 }' "$1"
}

check_vouched() {
    local counts kernels vouched
    counts=$(files 'tests/kernels/*.rs' | xargs awk '
        /^ *#\[kernel/ { kernels++; if (is_vouched) vouched++; is_vouched = 0; in_head = 1 }
        in_head && /unsafe fn / { is_vouched = 1 }
        /\{$/ { in_head = 0 }
        /unordered\(\)/ { is_vouched = 1 }
        END { print kernels, vouched + is_vouched }')
    read -r kernels vouched <<<"$counts"
    note "$vouched of $kernels kernels of the corpus are vouched for"
    [ "$kernels" -gt 0 ] && [ $((1000 * vouched / kernels)) -le $max_vouched ] ||
        problem "$vouched of $kernels kernels of the corpus are vouched for, the limit is $max_vouched in 1000"
}

check_sizes() {
    local file lines
    for file in "${rust_files[@]}"; do
        lines=$(wc -l <"$file")
        [ "$lines" -le $max_file_lines ] || problem "$file: $lines lines, the limit is $max_file_lines"
        # rustfmt closes a function at the indent at which it began.
        code_lines "$file" | awk -v file="$file" -v max=$max_function_lines '
            {
                number = $1
                sub(/^[0-9]+ /, "")
                count++
            }
            match($0, /^ *(pub(\([a-z]+\))? )?(const )?(unsafe )?(extern "C" )?fn /) && !/;$/ && !/}$/ {
                match($0, /^ */); indent = RLENGTH; start = number; first = count
            }
            start && match($0, /^ *}/) && RLENGTH == indent + 1 {
                if (count - first >= max) printf "%s:%d: function of %d lines, the limit is %d\n", file, start, count - first + 1, max
                start = 0
            }'
    done
}

check_first_lines() {
    local file
    for file in "${rust_files[@]}"; do
        # A compile-fail case says by its folder and name what it is; a source is data of a benchmark.
        [[ "$file" != tests/ui/* && "$file" != benches/*/sources/* ]] || continue
        [ -s "$file" ] || { problem "$file: empty"; continue; }
        [[ "$(head -n 1 "$file")" == '//!'* ]] || problem "$file:1: the first line must be \`//!\` and say what the file does"
    done
}

# Each `unsafe` block or impl has a SAFETY comment within the ten lines above it.
check_safety_comments() {
    local file
    for file in "${rust_files[@]}"; do
        # The compile-fail cases speak of unsafe code and have none.
        [[ "$file" != tests/ui/* ]] || continue
        code_lines "$file" | awk -v file="$file" '
            /SAFETY:/ { safe = $1 }
            { code = $0; sub(/\/\/.*/, "", code); gsub(/"[^"]*"/, "", code) }
            code ~ /(^|[^a-z_A-Z`])unsafe (\{|impl )/ && !(safe && $1 - safe <= 10) {
                printf "%s:%d: `unsafe` without a `// SAFETY:` comment\n", file, $1
            }'
    done
}

check_machine_paths() {
    local machine='(^|[^A-Za-z0-9_.$}-])/(work|root|home/[a-z]+|Users/[A-Za-z]+|tmp/target[a-z-]*)/'
    grep -nE -- "$machine" "${text_files[@]}" | grep -v '^tests/tidy.sh:' | sed 's/$/   (path of one machine)/' || true
}

check_orphans() {
    local file
    while IFS= read -r file; do
        [ -e "${file%.stderr}.rs" ] || problem "$file: its .rs file is gone"
    done < <(files '*.stderr')
}

# A test that is switched off says why; a panic is never the expected result.
check_test_attributes() {
    grep -nE '^\s*#\[(ignore\]|should_panic)' "${rust_files[@]}" | sed 's/$/   (needs a reason, or an assertion on the error)/' || true
}

# The programs in the README are the example and a kernel of the corpus, word for word.
check_readme() {
    if ! diff <(sed -n '/^```rust$/,/^```$/p' README.md | sed '1d;$d') <(sed '1,/^$/d' examples/quickstart.rs) >/dev/null; then
        printf 'README.md: its program is not that of examples/quickstart.rs\n'
    fi
    if ! diff -B <(sed -n '/^```rust,ignore$/,/^```$/p' README.md | sed '1d;$d') \
        <(sed -n '/^#\[device\]$/,/^}$/p; /^\/\/\/ Sums of the l/,/^}$/p' tests/kernels/readme.rs) >/dev/null; then
        printf 'README.md: its second program is not that of tests/kernels/readme.rs\n'
    fi
}

# A doc line names what it is about: it does not begin with a riddle.
check_doc_lines() {
    grep -nE '^\s*//[/!] (What|Who|Whose|Of which|Whatever|Where) ' "${rust_files[@]}" |
        sed 's/$/   (a doc line begins with the thing that it describes)/' || true
}

# The map of the project stays short: what explains one module stands in that module's head.
check_architecture() {
    local lines
    lines=$(wc -l <ARCHITECTURE.md)
    [ "$lines" -le $max_architecture_lines ] || printf 'ARCHITECTURE.md: %d lines, the limit is %d\n' "$lines" $max_architecture_lines
}

# Each suite of the workspace is run by a step, not only built.
check_suites() {
    local suite
    while IFS= read -r suite; do
        grep -qE -- "(--test|suite_binary|run_suite [a-z-]+|run_in_sanitizer) $suite([ ;)]|\"|$)" tests/run tests/env/steps.sh ||
            printf 'tests/env/steps.sh: no step runs the suite `%s`\n' "$suite"
    done < <(cargo metadata --offline --no-deps --format-version 1 | jq -r '.packages[].targets[] | select(.kind == ["test"]).name' | sort -u)
}

# Stages of the macro know those before them only: inference stands on neither the checks nor lowering, and parsing on nothing behind it.
check_stages() {
    local stages=kernel-macro/src
    grep -rnE 'crate::(check|lower|emit|expand)\b' $stages/parse $stages/gather $stages/infer --include='*.rs' |
        grep -v '/tests/' | sed 's/$/   (a stage that comes later)/' || true
}

# One way to build tokens: `tokens!` in `emit`, `quote!` and `parse_quote!` elsewhere.
check_tokens() {
    local macro=kernel-macro/src
    grep -rnE '\b(parse_)?quote(_spanned)?!|quote::\{?[^;]*\bquote' $macro/emit --include='*.rs' | grep -vE '/tokens\.rs:|:\s*//' |
        sed 's/$/   (`emit` builds tokens with `tokens!`)/' || true
    grep -rnE '\btokens(_at)?!' $macro --include='*.rs' | grep -vE '^[^:]*/emit/|/tests/' |
        sed 's/$/   (outside of `emit` tokens are built with `quote!`)/' || true
}

# Each error of the runtime has a class in Python, in the package and in its stub.
check_python_errors() {
    local variant
    while IFS= read -r variant; do
        sed -n '/^variants! {$/,/^}$/p' python/src/error.rs | grep -qw -- "$variant" ||
            printf 'python/src/error.rs: `variants!` lacks `%s` of the runtime\n' "$variant"
        grep -qx -- "class $variant(Error): ..." python/packages/kp/__init__.pyi ||
            printf 'python/packages/kp/__init__.pyi: the class `%s` is missing\n' "$variant"
    done < <(sed -n '/^pub enum Error {$/,/^}$/p' runtime/src/core/error/mod.rs | sed -nE 's/^    ([A-Z][A-Za-z]+)( \{|\(|,).*/\1/p')
}

report < <(
    check_suites
    check_readme
    check_python_errors
    check_doc_lines
    check_architecture
    check_stages
    check_tokens
    check_sizes
    check_safety_comments
    check_machine_paths
    check_test_attributes
)
check_first_lines
check_vouched
check_orphans

if [ $problems -gt 0 ]; then
    fail "$problems house rules broken"
fi
note "tidy: ${#rust_files[@]} Rust files, ${#text_files[@]} text files"
