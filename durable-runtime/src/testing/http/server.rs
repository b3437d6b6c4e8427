//! The server: a thread with a runtime of its own, which outlives every process of a lab.

use std::future::poll_fn;
use std::io;
use std::net::{Ipv4Addr, TcpListener as Listener};
use std::sync::{Arc, mpsc};
use std::task::Poll;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;

use super::desk::{Closed, Desk};
use super::request::HttpRequest;
use super::service::Manners;
use crate::testing::Effects;
use crate::testing::effects::Serves;

/// A server on loopback. Its thread ends with it.
#[derive(Debug)]
pub(super) struct Server {
    url: String,
    desk: Arc<Desk>,
    ends: UnboundedSender<Ended>,
}

/// A process is over. Whoever says so waits until nothing is left of its connections.
type Ended = mpsc::Sender<()>;

enum Event {
    Connected(io::Result<TcpStream>),
    Ended(Option<Ended>),
}

impl Server {
    pub(super) fn start(manners: Manners) -> io::Result<Self> {
        let listener = Listener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let url = format!("http://{}", listener.local_addr()?);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        let desk = Arc::new(Desk::new(manners));
        let (ends, ended) = unbounded_channel();
        let serves = Arc::clone(&desk);
        let listens = move || runtime.block_on(listen(listener, ended, serves));
        std::thread::Builder::new().name("lab-http".to_owned()).spawn(listens)?;
        Ok(Self { url, desk, ends })
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }
}

impl Serves for Server {
    fn begin(&self, effects: &Effects) {
        self.desk.serve(Some(effects.clone()));
    }

    fn end(&self) {
        self.desk.serve(None);
        let (done, wait) = mpsc::channel();
        self.ends.send(done).ok();
        wait.recv().ok();
    }
}

async fn listen(listener: Listener, mut ended: UnboundedReceiver<Ended>, desk: Arc<Desk>) -> io::Result<()> {
    let queue = listener.try_clone()?;
    let listener = TcpListener::from_std(listener)?;
    let mut connections = JoinSet::new();
    loop {
        let event = poll_fn(|context| match ended.poll_recv(context) {
            Poll::Ready(end) => Poll::Ready(Event::Ended(end)),
            Poll::Pending => {
                listener.poll_accept(context).map(|found| Event::Connected(found.map(|(stream, _)| stream)))
            }
        });
        match event.await {
            Event::Connected(Ok(stream)) => {
                connections.spawn(talk(stream, Arc::clone(&desk)));
            }
            Event::Connected(Err(_)) => {}
            Event::Ended(Some(done)) => {
                connections.shutdown().await;
                // What the dead process has asked for and nobody has read must not reach the next one's desk.
                while queue.accept().is_ok() {}
                done.send(()).ok();
            }
            Event::Ended(None) => return Ok(()),
        }
        while connections.try_join_next().is_some() {}
    }
}

/// One connection, until either side closes it.
async fn talk(stream: TcpStream, desk: Arc<Desk>) {
    stream.set_nodelay(true).ok();
    let service = service_fn(move |request| reply(request, Arc::clone(&desk)));
    // An error is a connection that was closed, on purpose or by the process that died.
    http1::Builder::new().auto_date_header(false).serve_connection(TokioIo::new(stream), service).await.ok();
}

async fn reply(
    request: hyper::Request<hyper::body::Incoming>,
    desk: Arc<Desk>,
) -> Result<hyper::Response<String>, Closed> {
    let request = HttpRequest::read(request).await.map_err(|_| Closed)?;
    let (status, body) = desk.answer(request).await?;
    let response = hyper::Response::builder().status(status).header("content-type", "application/json");
    response.body(body.to_string()).map_err(|_| Closed)
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpStream;

    use super::super::HttpService;
    use crate::testing::effects::{Effects, Ledger};
    use crate::testing::machine::Machine;
    use crate::testing::{HttpWorld, ManualClock};

    fn send(stream: &mut TcpStream, text: &str) -> String {
        let mut answer = String::new();
        // Whether writing or reading shows that the other side is gone is for the system to choose.
        stream.write_all(text.as_bytes()).ok();
        stream.read_to_string(&mut answer).ok();
        answer
    }

    fn connect(world: &HttpWorld) -> TcpStream {
        TcpStream::connect(world.url().trim_start_matches("http://")).unwrap()
    }

    #[test]
    fn a_request_ends_with_its_process_and_reaches_no_later_one() {
        let machine = Machine::default().into();
        let effects = Effects::new(&machine, &ManualClock::default(), Ledger::default());
        let world = HttpService::new().serve(effects.clone());

        machine.begin(None, 0);
        effects.begin_life();
        let half = "POST /payments HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 3\r\n\r\nad";
        let mut accepted = connect(&world);
        accepted.write_all(b"GET /payments HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
        assert_ne!(accepted.read(&mut [0; 1024]).unwrap(), 0);
        accepted.write_all(half.as_bytes()).unwrap();
        let mut queued = connect(&world);
        queued.write_all(half.as_bytes()).unwrap();
        machine.control.end();
        effects.end_life();

        machine.begin(None, 0);
        effects.begin_life();
        assert!(!send(&mut accepted, "a").contains("HTTP"));
        assert_eq!(send(&mut queued, "a"), "");
        assert!(world.counts().is_empty());
        let whole = "POST /payments HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 5\r\n\r\ngrace";
        assert!(send(&mut connect(&world), whole).starts_with("HTTP/1.1 200"));
        assert_eq!(world.counts().into_iter().collect::<Vec<_>>(), [("POST /payments grace".to_owned(), 1)]);
        effects.end_life();
    }
}
