//! Runs a scenario of this program under callgrind, and reads what it counted.

use std::collections::HashMap;
use std::process::Command;
use std::{env, fs, process};

/// What one run did inside the measured region.
pub struct Counted {
    pub instructions: u64,
    pub allocations: u64,
}

pub fn run(scenario: &str, messages: usize) -> Counted {
    let this = env::current_exe().expect("this program");
    let out = env::temp_dir().join(format!("ruststream-bench.{}.{scenario}", process::id()));
    let run = Command::new("valgrind")
        .args(["--tool=callgrind", "--collect-atstart=no"])
        .arg("--toggle-collect=*measured_region*")
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(this)
        .args(["once", scenario, &messages.to_string()])
        .output()
        .expect("valgrind is installed");
    let told = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{scenario} failed: {told}");
    let counted = fs::read_to_string(&out).expect("what callgrind wrote");
    // What cannot be removed is left to the system.
    let _ = fs::remove_file(out);
    read(&counted)
}

/// A function is named where its number comes first, `fn=(12) malloc`; later it is `cfn=(12)` alone.
fn read(counted: &str) -> Counted {
    let mut names: HashMap<&str, &str> = HashMap::new();
    let mut calls: HashMap<&str, u64> = HashMap::new();
    let (mut callee, mut instructions) = ("", 0);
    for line in counted.lines() {
        if let Some(function) = line.strip_prefix("fn=").or(line.strip_prefix("cfn=")) {
            let (number, name) = function.split_once(' ').unwrap_or((function, ""));
            if !name.is_empty() {
                names.insert(number, name);
            }
            callee = number;
        } else if let Some(count) = line.strip_prefix("calls=") {
            let count = count.split(' ').next().unwrap_or_default();
            *calls.entry(callee).or_default() += count.parse::<u64>().expect("a count of calls");
        } else if let Some(total) = line.strip_prefix("totals: ") {
            instructions = total.trim().parse().expect("a count of instructions");
        }
    }
    assert!(
        instructions > 0,
        "callgrind saw nothing of the measured region"
    );
    let allocates = |number: &&str| names.get(*number).is_some_and(|name| allocates(name));
    let allocations = calls.iter().filter(|(number, _)| allocates(number));
    Counted {
        instructions,
        allocations: allocations.map(|(_, count)| count).sum(),
    }
}

fn allocates(function: &str) -> bool {
    let name = function.split('\'').next().unwrap_or_default();
    matches!(
        name,
        "malloc" | "calloc" | "realloc" | "posix_memalign" | "aligned_alloc" | "memalign"
    )
}
