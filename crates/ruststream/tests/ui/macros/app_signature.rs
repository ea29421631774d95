// MAC-41, CLI-02
#[ruststream::app]
async fn connected() -> impl ruststream::runtime::App {}

#[ruststream::app]
fn configured(port: u16) -> impl ruststream::runtime::App {}

fn main() {}
