// MAC-41, CLI-02: one error each, and none about a `main` that is missing because of it
mod connected {
    #[ruststream::app]
    async fn service() -> ruststream::RustStream {
        todo!()
    }
}

mod configured {
    #[ruststream::app]
    fn service(port: u16) -> ruststream::RustStream {
        todo!("{port}")
    }
}

fn main() {}
