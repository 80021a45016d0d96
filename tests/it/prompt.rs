//! A password that is asked for at a terminal: however the question ends, the terminal echoes again.

use std::process::Command;

use crate::support::program::{arb, run};
use crate::support::scratch::Scratch;

/// Asks at a pseudo-terminal, ends the program by a signal or by Ctrl-C, and prints whether the terminal echoed while it was asked
/// and after, and how the program ended.
const SCRIPT: &str = r#"
import os, pty, signal, subprocess, sys, termios, time

def echoes(terminal):
    return bool(termios.tcgetattr(terminal)[3] & termios.ECHO)

def ask(end):
    main, terminal = pty.openpty()
    asked = subprocess.Popen(sys.argv[1:], stdin=terminal, stdout=terminal, stderr=terminal)
    deadline = time.time() + 180
    while echoes(terminal) and time.time() < deadline:
        time.sleep(0.02)
    before = echoes(terminal)
    end(asked, main)
    return before, echoes(terminal), asked.wait(180) != 0

def echo_after(end):
    def wait(asked, main):
        end(asked, main)
        asked.wait(180)
    return ask(wait)

print(echo_after(lambda asked, main: asked.send_signal(signal.SIGTERM)))
print(echo_after(lambda asked, main: os.write(main, b"secret\x03")))
"#;

#[test]
fn a_terminal_echoes_again_after_sigterm_and_ctrl_c() {
    let folder = Scratch::new();
    let pepper = folder.path().join("pepper");
    let program = arb();
    let mut python = Command::new("python3");
    python.args(["-c", SCRIPT]).arg(program.get_program());
    python.args(["account", "create", "--email", "me@example.com", "--brokers", "127.0.0.1:1", "--pepper"]);
    let output = run(python.arg(&pepper));
    assert!(output.success, "{}", output.err);
    assert_eq!(output.out, "(False, True, True)\n(False, True, True)\n");
}
