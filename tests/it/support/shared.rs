//! Servers that all tests share: the first test process starts one, and a keeper ends it after the last one, however that ends.
//!
//! They are found by a folder of locks under `target/tmp`, so that the threads of one process and the processes of a runner use the
//! same. A test that kills or freezes a server starts its own.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::wait_for;

const KEEPER: &str = env!("CARGO_BIN_EXE_keeper");

/// A server of all tests, for as long as this process runs.
pub(crate) struct Shared {
    pub(crate) folder: PathBuf,
    pub(crate) port: u16,
    /// The keeper goes on while a process has this lock.
    _users: File,
}

impl Shared {
    /// Finds the server of a name, or starts it: `command` is the program with its arguments for the folder of its data
    /// and a port, and `answers` says whether one answers at a port.
    pub(crate) fn find(
        name: &str,
        port: impl FnOnce() -> u16,
        command: impl FnOnce(&Path, u16) -> Command,
        answers: impl Fn(u16) -> bool,
    ) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&folder).unwrap();
        let lock = |file: &str| File::create(folder.join(file)).unwrap();
        let (users, starting, address) = (lock("users"), lock("starting"), folder.join("port"));
        // While a keeper ends its server this waits.
        users.lock_shared().unwrap();
        starting.lock().unwrap();
        let is_kept = lock("keeper").try_lock().is_err();
        let known = fs::read_to_string(&address).ok().and_then(|port| port.parse().ok());
        let port = known.filter(|_| is_kept).unwrap_or_else(|| {
            let port = port();
            // What a keeper that was killed has left.
            let _ = fs::remove_dir_all(folder.join("data"));
            start(&folder, &command(&folder.join("data"), port));
            port
        });
        wait_for(&format!("the {name} of all tests answers"), || answers(port).then_some(()));
        fs::write(address, port.to_string()).unwrap();
        Self { folder, port, _users: users }
    }
}

/// Starts the keeper of a server, which has no terminal and no pipe of this process.
fn start(folder: &Path, server: &Command) {
    let log = File::create(folder.join("log")).unwrap();
    let mut keeper = Command::new(KEEPER);
    keeper.arg(folder).arg(server.get_program()).args(server.get_args());
    for (name, value) in server.get_envs() {
        match value {
            Some(value) => keeper.env(name, value),
            None => keeper.env_remove(name),
        };
    }
    keeper.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
    // An interrupt of the runner is not for it: it ends once the tests have.
    std::os::unix::process::CommandExt::process_group(&mut keeper, 0);
    let mut keeper = keeper.spawn().unwrap();
    // It ends after this process, or is taken note of here.
    std::thread::spawn(move || keeper.wait());
}
