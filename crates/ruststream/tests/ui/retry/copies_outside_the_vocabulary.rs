// CORE-301: the copy paths are three
use ruststream::CopyPath;

struct ByPigeon;

impl CopyPath for ByPigeon {}

fn main() {}
