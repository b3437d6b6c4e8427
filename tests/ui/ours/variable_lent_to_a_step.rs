use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn copy(session: &Session, #[resource] mut source: Source) -> Result<usize, Error> {
    let mut buffer = vec![0; 8];
    let mut text = String::new();
    #[read(key = "bytes")]
    let count = source.read(&mut buffer[..]);
    #[read(key = "text")]
    let _more = Source::read_text(&mut source, &mut text);
    Ok(count + buffer.len() + text.len())
}

struct Source;

impl Source {
    fn read(&mut self, _: &mut [u8]) -> usize {
        0
    }

    fn read_text(&mut self, _: &mut String) -> usize {
        0
    }
}

fn main() {}
