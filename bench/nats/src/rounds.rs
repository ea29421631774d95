//! Runs of all contestants in turn, and what they come to.

use std::env;
use std::process::Command;

use ruststream_nats_servers::{Server, binaries};

use crate::cases::{self, Case, Contestant};

/// Enough for the 10th and 90th percentile to be a run's.
const ROUNDS: usize = 15;

/// A server that does not mind a client far behind.
pub fn server() -> Server {
    let binary = binaries().into_iter().next().expect("a nats-server");
    Server::start_with(&binary, "max_pending: 1GB")
}

pub fn chosen(names: &[&str]) -> Vec<&'static Case> {
    if names.is_empty() {
        return cases::ALL.iter().collect();
    }
    names.iter().map(|name| cases::named(name)).collect()
}

pub fn run(args: &[&str]) {
    let asked = args.first().and_then(|first| first.parse().ok());
    let (rounds, names) = match asked {
        Some(rounds) => (rounds, &args[1..]),
        None => (ROUNDS, args),
    };
    println!(
        "| case | raw, a second | crate / raw | service / raw | CPU: crate / raw | CPU: service / raw |"
    );
    println!("|---|---|---|---|---|---|");
    for case in chosen(names) {
        let server = server();
        let mut runs = Vec::new();
        for round in 0..=rounds {
            let mut order = Contestant::ALL;
            order.rotate_left(round % Contestant::ALL.len());
            let mut took = [Ran::default(); 3];
            for contestant in order {
                took[contestant as usize] = once(case, contestant, &server.url());
            }
            // The first is to warm up.
            if round > 0 {
                runs.push(took);
            }
        }
        report(case, &runs);
    }
}

/// Nanoseconds of a message.
#[derive(Debug, Clone, Copy, Default)]
struct Ran {
    wall: f64,
    cpu: f64,
}

fn once(case: &Case, contestant: Contestant, url: &str) -> Ran {
    let this = env::current_exe().expect("this program");
    let messages = case.messages.to_string();
    let run = Command::new(this)
        .args(["once", case.name, contestant.name(), url, &messages])
        .output()
        .expect("a process");
    let failed = String::from_utf8_lossy(&run.stderr);
    let name = contestant.name();
    assert!(run.status.success(), "{}, {name}: {failed}", case.name);
    let told = String::from_utf8(run.stdout).expect("numbers");
    let (wall, cpu) = told.trim().split_once(' ').expect("two numbers");
    Ran {
        wall: wall.parse().expect("a number"),
        cpu: cpu.parse().expect("a number"),
    }
}

fn report(case: &Case, runs: &[[Ran; 3]]) {
    let raw = Contestant::Raw as usize;
    let of = |ratio: &dyn Fn(&[Ran; 3]) -> f64| {
        let mut ratios: Vec<f64> = runs.iter().map(ratio).collect();
        ratios.sort_by(f64::total_cmp);
        let at = |share: f64| ratios[((ratios.len() - 1) as f64 * share).round() as usize];
        (at(0.5), at(0.1), at(0.9))
    };
    // Throughput is more where it is better, CPU time less.
    let shown = |(median, low, high): (f64, f64, f64)| format!("{median:.3} ({low:.2}-{high:.2})");
    let wall = |one: usize| shown(of(&|run| run[raw].wall / run[one].wall));
    let cpu = |one: usize| shown(of(&|run| run[one].cpu / run[raw].cpu));
    let (rate, ..) = of(&|run| 1e9 / run[raw].wall);
    let [framework, service] = [Contestant::Crate as usize, Contestant::Service as usize];
    println!(
        "| {} | {rate:.0} | {} | {} | {} | {} |",
        case.name,
        wall(framework),
        wall(service),
        cpu(framework),
        cpu(service)
    );
}
