# What the scripts share; sourced, not run.

# Prints what is run, and how long it took, around running it.
step() {
    local title=$1
    shift
    printf '\n==> %s\n    %s\n' "$title" "$*"
    local began=$SECONDS
    "$@"
    printf '    done in %s s\n' "$((SECONDS - began))"
}

# Ends with the way out where there is no Rust, or not the one that rust-toolchain.toml asks for.
need_toolchain() {
    if ! command -v cargo >/dev/null; then
        printf 'cargo is missing: install Rust with rustup, https://rustup.rs\n' >&2
        exit 1
    fi
    if ! cargo --version >/dev/null; then
        printf 'the toolchain of rust-toolchain.toml is missing: run `rustup toolchain install`\n' >&2
        exit 1
    fi
    if ! command -v cc >/dev/null; then
        printf 'a C linker is missing: install your system'\''s `cc`, such as gcc or clang\n' >&2
        exit 1
    fi
}
