// MAC-42: what the builder answers is an app
mod counted {
    #[ruststream::app]
    fn service() -> u32 {
        7
    }
}

fn main() {}
