// MAC-41, CLI-04
mod bare_word {
    #[ruststream::app(current_thread)]
    fn service() {}
}

mod unknown_flavor {
    #[ruststream::app(flavor = "single")]
    fn service() {}
}

mod zero_workers {
    #[ruststream::app(worker_threads = 0)]
    fn service() {}
}

mod workers_of_one_thread {
    #[ruststream::app(worker_threads = 4, flavor = "current_thread")]
    fn service() {}
}

mod unknown_key {
    #[ruststream::app(threads = 4)]
    fn service() {}
}

fn main() {}
