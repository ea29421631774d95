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

# Installs what a command needs, where it is missing and the system has Debian's packages:
# `need_command COMMAND PACKAGE..`. Speaks on standard error alone.
need_command() {
    local name=$1
    shift
    # Servers lie in the administrator's folders, which a user's PATH may leave out.
    PATH=$PATH:/usr/sbin command -v "$name" >/dev/null && return
    if ! command -v apt-get >/dev/null; then
        printf '%s is missing: install it; Debian has it in %s\n' "$name" "$*" >&2
        exit 1
    fi
    printf '%s is missing: installing %s\n' "$name" "$*" >&2
    local as_root=()
    [[ $(id -u) == 0 ]] || as_root=(sudo)
    "${as_root[@]}" apt-get update >&2
    "${as_root[@]}" apt-get install -y --no-install-recommends "$@" >&2
}
