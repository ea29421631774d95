//! Instructions of a message: the difference of two runs under callgrind, one twice as long.

use std::env;
use std::process::Command;

use crate::cases::Contestant;
use crate::rounds::{chosen, server};

/// Messages of the shorter run; more do not change a figure.
const MESSAGES: u64 = 4_000;

pub fn run(names: &[&str]) {
    println!("| case | raw | crate | service | crate / raw | service / raw |");
    println!("|---|---|---|---|---|---|");
    for case in chosen(names) {
        let server = server();
        let url = server.url();
        let [raw, framework, service] = Contestant::ALL.map(|contestant| {
            let count = |messages| collected(case.name, contestant.name(), &url, messages);
            (count(2 * MESSAGES) - count(MESSAGES)) / MESSAGES as f64
        });
        println!(
            "| {} | {raw:.0} | {framework:.0} | {service:.0} | {:.3} | {:.3} |",
            case.name,
            framework / raw,
            service / raw
        );
    }
}

fn collected(case: &str, contestant: &str, url: &str, messages: u64) -> f64 {
    let this = env::current_exe().expect("this program");
    let run = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(this)
        .args(["once", case, contestant, url, &messages.to_string()])
        .output()
        .expect("valgrind");
    let told = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{case}, {contestant}: {told}");
    let count = told
        .lines()
        .find_map(|line| line.split_once("Collected : "));
    let (_, count) = count.expect("what callgrind collected");
    count.trim().parse().expect("a number")
}
