//! Runs one server for all test processes that hold a folder's lock, and ends it once none does.
//!
//! `keeper FOLDER PROGRAM ARGUMENT...`: the program must end when its standard input is closed, so that it ends with this process
//! however that ends. It never outlives the tests, and leaves nothing of its folder but the locks.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Duration;

/// Between two looks whether a test process is left, of which two in a row must find none: one test binary follows another.
const LOOK: Duration = Duration::from_secs(2);

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(folder), Some(program)) = (arguments.next().map(PathBuf::from), arguments.next()) else {
        eprintln!("usage: keeper FOLDER PROGRAM ARGUMENT...");
        return ExitCode::FAILURE;
    };
    let mut command = Command::new(program);
    match keep(&folder, command.args(arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", folder.display());
            ExitCode::FAILURE
        }
    }
}

/// Runs a server until nobody holds the lock `users`; holds `keeper` meanwhile.
fn keep(folder: &Path, command: &mut Command) -> std::io::Result<()> {
    let (keeper, users) = (File::create(folder.join("keeper"))?, File::create(folder.join("users"))?);
    keeper.lock()?;
    let mut server = command.stdin(Stdio::piped()).spawn()?;
    let mut unused = 0;
    while unused < 2 && server.try_wait()?.is_none() {
        // Whoever comes while this has the lock waits until the server has ended, and starts another.
        users.unlock()?;
        std::thread::sleep(LOOK);
        unused = if users.try_lock().is_ok() { unused + 1 } else { 0 };
    }
    end(&mut server)?;
    fs::remove_dir_all(folder.join("data"))
}

fn end(server: &mut Child) -> std::io::Result<()> {
    drop(server.stdin.take());
    server.wait().map(drop)
}
