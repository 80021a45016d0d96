//! A proxy in front of a server, slow or broken on command; the server itself is the real one.
//!
//! It changes no byte, and interprets none.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::spawn;
use std::time::Duration;

use super::wait::pace;

/// What becomes of a piece of a request.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Way {
    /// It is forwarded.
    On,
    /// It is forwarded later.
    Later(Duration),
    /// The connection breaks.
    Broken,
}

/// Decides about a piece.
type Judge = Arc<dyn Fn(&str) -> Way + Send + Sync>;

/// Opens a proxy in front of a server; returns its address.
pub(crate) fn detour(to: &str, judge: impl Fn(&str) -> Way + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (to, judge): (_, Judge) = (to.strip_prefix("http://").unwrap().to_owned(), Arc::new(judge));
    // It ends with the tests' process.
    spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            let Ok(server) = TcpStream::connect(&to) else { continue };
            let (back, forth) = (server.try_clone().unwrap(), client.try_clone().unwrap());
            let judge = Arc::clone(&judge);
            spawn(move || carry(client, server, &*judge));
            spawn(move || carry(back, forth, &|_| Way::On));
        }
    });
    url
}

/// Carries bytes until either side has enough.
fn carry(mut from: TcpStream, mut to: TcpStream, judge: &dyn Fn(&str) -> Way) {
    let mut piece = vec![0; 1 << 16];
    while let Ok(length @ 1..) = from.read(&mut piece) {
        match judge(&String::from_utf8_lossy(&piece[..length])) {
            Way::On => {}
            Way::Later(time) => pace("the server is slow", time),
            Way::Broken => break,
        }
        if to.write_all(&piece[..length]).is_err() {
            break;
        }
    }
    for side in [from, to] {
        let _ = side.shutdown(Shutdown::Both);
    }
}
